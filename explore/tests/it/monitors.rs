//! Theorems 1 and 2: a program can leave SC under TSO or PSO exactly if the monitor signals in one
//! of its runs under SC. Checks all programs with two threads, two locations and five operations in
//! total against all runs of the operational machines.

use std::collections::BTreeSet;

use check::Model;
use explore::monitor::{Event, Monitor};
use history::Kind;
use memory::PsoRmw;

/// The operations of a thread, with their locations.
type Code = Vec<(Kind, Option<u32>)>;

const LOCATIONS: usize = 2;

fn operations() -> Vec<(Kind, Option<u32>)> {
    let mut all = vec![(Kind::Fence, None)];
    for kind in [Kind::Load, Kind::Store, Kind::Rmw] {
        all.extend((0..LOCATIONS as u32).map(|location| (kind, Some(location))));
    }
    all
}

/// All sequences of `length` operations.
fn codes(length: usize) -> Vec<Code> {
    let mut all: Vec<Code> = vec![Vec::new()];
    for _ in 0..length {
        let longer = all.iter().flat_map(|code| {
            operations().into_iter().map(|operation| [&code[..], &[operation]].concat())
        });
        all = longer.collect();
    }
    all
}

/// Whether the monitor signals in a run under SC.
fn signals(program: &[Code; 2], model: Model) -> bool {
    fn from(program: &[Code; 2], next: [usize; 2], monitor: &Monitor) -> bool {
        (0..2).any(|thread| {
            let Some(&(kind, location)) = program[thread].get(next[thread]) else {
                return false;
            };
            let mut monitor = monitor.clone();
            let mut after = next;
            after[thread] += 1;
            let event = Event { thread: thread as u32, kind, location };
            monitor.step(event).is_some() || from(program, after, &monitor)
        })
    }
    from(program, [0, 0], &Monitor::new(model, 2, LOCATIONS))
}

/// An operation: its thread and its index there.
type Id = (usize, usize);

/// The state of the operational machine (Figures 2 and 3), written independently for this test.
#[derive(Clone, Default)]
struct Machine {
    next: [usize; 2],
    /// The pending stores, the oldest first.
    buffers: [Vec<(u32, Id)>; 2],
    /// The writes of each location in the order in which they reached memory.
    order: [Vec<Id>; LOCATIONS],
    /// Reads, each with its location and the write that it reads from.
    reads: Vec<(Id, u32, Option<Id>)>,
}

impl Machine {
    /// The stores that may reach memory next, as indices into the buffer.
    fn committable(&self, thread: usize, model: Model) -> Vec<usize> {
        let buffer = &self.buffers[thread];
        let is_first = |at: usize| {
            let blocks = |it: &(u32, Id)| !model.buffers_by_location() || it.0 == buffer[at].0;
            !buffer[..at].iter().any(blocks)
        };
        (0..buffer.len()).filter(|&at| is_first(at)).collect()
    }

    fn commit(&mut self, thread: usize, at: usize) {
        let (location, store) = self.buffers[thread].remove(at);
        self.order[location as usize].push(store);
    }

    fn execute(&mut self, program: &[Code; 2], thread: usize, model: Model) {
        let at = self.next[thread];
        let (kind, location) = program[thread][at];
        let id = (thread, at);
        self.next[thread] += 1;
        let waits = |it: &(u32, Id)| model.drains_all(kind) || Some(it.0) == location;
        if kind.is_atomic() || kind == Kind::Fence {
            while let Some(at) = self.buffers[thread].iter().position(waits) {
                self.commit(thread, at);
            }
        }
        let Some(location) = location else { return };
        if kind.reads() {
            let own = self.buffers[thread].iter().rfind(|it| it.0 == location);
            let memory = self.order[location as usize].last().copied();
            let source = own.map(|it| it.1).or(memory);
            self.reads.push((id, location, source));
        }
        match kind {
            Kind::Store => self.buffers[thread].push((location, id)),
            Kind::Rmw => self.order[location as usize].push(id),
            _ => {}
        }
    }

    /// Whether the happens-before relation of a complete run has a cycle (Definitions 2 and 3).
    fn leaves_sc(&self, program: &[Code; 2]) -> bool {
        let mut edges: BTreeSet<(Id, Id)> = BTreeSet::new();
        for (thread, code) in program.iter().enumerate() {
            edges.extend((1..code.len()).map(|at| ((thread, at - 1), (thread, at))));
        }
        for order in &self.order {
            edges.extend(order.windows(2).map(|two| (two[0], two[1])));
        }
        for &(read, location, source) in &self.reads {
            let order = &self.order[location as usize];
            let after =
                source.map_or(0, |source| 1 + order.iter().position(|&it| it == source).unwrap());
            edges.extend(source.map(|source| (source, read)));
            edges.extend(order[after..].iter().map(|&write| (read, write)));
        }
        edges.retain(|edge| edge.0 != edge.1);
        let mut left: BTreeSet<Id> = edges.iter().flat_map(|&(a, b)| [a, b]).collect();
        loop {
            let has_earlier = |it: &Id| edges.iter().any(|&(a, b)| b == *it && left.contains(&a));
            let kept: BTreeSet<Id> = left.iter().filter(|it| has_earlier(it)).copied().collect();
            if kept.len() == left.len() {
                return !left.is_empty();
            }
            left = kept;
        }
    }
}

/// Whether a program has a run that SC does not allow.
fn can_leave_sc(program: &[Code; 2], model: Model, machine: &Machine) -> bool {
    let mut is_over = true;
    for thread in 0..2 {
        for at in machine.committable(thread, model) {
            is_over = false;
            let mut next = machine.clone();
            next.commit(thread, at);
            if can_leave_sc(program, model, &next) {
                return true;
            }
        }
        if machine.next[thread] < program[thread].len() {
            is_over = false;
            let mut next = machine.clone();
            next.execute(program, thread, model);
            if can_leave_sc(program, model, &next) {
                return true;
            }
        }
    }
    is_over && machine.leaves_sc(program)
}

/// The number of programs, with these numbers of operations in the two threads, that can leave SC.
fn all_agree(first: usize, second: usize, model: Model) -> usize {
    let mut leave = 0;
    let seconds = codes(second);
    for a in codes(first) {
        for b in &seconds {
            let program = [a.clone(), b.clone()];
            // By symmetry, the first location is the first that is used.
            let mut used = program.iter().flatten().filter_map(|it| it.1);
            if used.next() == Some(1) {
                continue;
            }
            let can = can_leave_sc(&program, model, &Machine::default());
            assert_eq!(signals(&program, model), can, "{model:?} {program:?}");
            leave += usize::from(can);
        }
    }
    leave
}

#[test]
fn tso() {
    assert_eq!(all_agree(0, 5, Model::TSO), 0);
    assert_eq!(all_agree(1, 4, Model::TSO), 0);
    assert!(all_agree(2, 3, Model::TSO) > 10);
    assert!(all_agree(2, 2, Model::TSO) > 0);
}

#[test]
fn pso() {
    for rmw in [PsoRmw::Own, PsoRmw::All] {
        assert!(all_agree(2, 3, Model::pso(rmw)) > 10);
        assert_eq!(all_agree(0, 5, Model::pso(rmw)), 0);
        all_agree(1, 4, Model::pso(rmw));
        assert!(all_agree(2, 2, Model::pso(rmw)) > 0);
    }
}
