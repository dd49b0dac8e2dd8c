//! The operational machine of a memory model (Burnim, Sen & Stergiou 2011, Figs. 1-3).
//!
//! A machine executes a history's operations, each thread's in program order. Where the model has store
//! buffers, a plain store first enters its thread's buffer and is committed to memory by a step of its
//! own: the oldest of the buffer, or with a buffer for each location the oldest of its location. What
//! weak fences, acquires and releases order besides, operations wait for ([`crate::waits`]). The machine
//! refuses a step that the model does not allow or whose value is not the recorded one, so a
//! history is consistent exactly if some sequence of steps executes all of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use history::{History, Kind, OpId};
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use crate::label::Label;
use crate::model::Model;
use crate::waits::{Oldest, Waits};

/// One step of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The thread's next operation executes; where stores wait, a plain store enters the buffer.
    Execute(OpId),
    /// A buffered store reaches memory.
    Commit(OpId),
}

/// Why a machine refuses a step.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// The operation is not the next of its thread.
    #[error("it is not the next operation of its thread")]
    NotNext,
    /// The store is not in a buffer, or others must be committed before it.
    #[error("the model does not let this store reach memory now")]
    NotCommittable,
    /// The operation waits for stores that are still buffered.
    #[error("it must wait for stores that are still buffered")]
    NotDrained,
    /// Memory or buffer holds another value than the recorded one.
    #[error("it would read the value of {}", .0.map_or("nobody (the initial value)".to_owned(), |op| format!("operation {}", op.0)))]
    WrongValue(Option<OpId>),
    /// The reservation of a store-conditional was lost.
    #[error("another write came between the load-linked and this store-conditional")]
    ReservationLost,
    /// Operations or buffered stores are left at the end.
    #[error("operations or buffered stores are left at the end")]
    Unfinished,
    /// Memory ends with another value than the recorded one.
    #[error("memory ends with another value than the recorded one")]
    WrongFinal,
}

/// A machine in the middle of a run. Memory: 17 bytes an operation, 4 more where weak fences or
/// annotations matter, and a word a location and a thread. A step takes constant time, on average
/// over a run where these matter.
#[derive(Clone, Debug)]
pub struct Machine<'h> {
    history: &'h History,
    model: Model,
    free: Vec<bool>,
    /// Values that are written at each location, if reads of others are free.
    seen: Option<FxHashSet<(u32, u64)>>,
    earlier: Arc<Earlier>,
    /// What weak fences, acquires and releases make operations wait for, if there is anything, and
    /// how far each thread's stores have come.
    waits: Option<(Arc<Waits>, Oldest)>,
    state: State,
}

/// What program order says of plain stores.
#[derive(Debug)]
struct Earlier {
    /// Per operation, its thread's last plain store to its location before it.
    own: Vec<Option<OpId>>,
    /// Per plain store, the one that must reach memory before it: its thread's last before it,
    /// or with a buffer for each location its thread's last to its location.
    first: Vec<Option<OpId>>,
}

impl Earlier {
    fn new(history: &History, model: Model) -> Earlier {
        let mut earlier =
            Earlier { own: vec![None; history.len()], first: vec![None; history.len()] };
        let mut own: FxHashMap<u32, OpId> = FxHashMap::default();
        for thread in 0..history.threads().len() {
            own.clear();
            let mut last = None;
            for op in history.thread_ops(thread) {
                let Some(location) = history.location(op) else {
                    continue;
                };
                earlier.own[op.at()] = own.get(&location).copied();
                if history.kind(op).may_be_buffered() {
                    own.insert(location, op);
                    let before = last.replace(op);
                    earlier.first[op.at()] =
                        if model.buffers_by_location() { earlier.own[op.at()] } else { before };
                }
            }
        }
        earlier
    }
}

/// What distinguishes two runs that got equally far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    next: Vec<u32>,
    memory: Vec<Option<OpId>>,
    /// Per thread, how many stores are in its buffer.
    buffered: Vec<u32>,
    /// Per operation, whether it is a plain store that has left its buffer.
    committed: Vec<bool>,
    /// The write each load-linked read from; `None` for the initial value.
    reservations: BTreeMap<OpId, Option<OpId>>,
}

impl<'h> Machine<'h> {
    /// A machine before the first step.
    pub fn new(history: &'h History, model: Model) -> Machine<'h> {
        let threads = history.threads().len();
        Machine {
            history,
            model,
            free: unconstrained_locations(history),
            seen: may_lack_writes(history).then(|| written_values(history)),
            earlier: Arc::new(Earlier::new(history, model)),
            waits: Waits::of(history, model).map(|waits| (Arc::new(waits), Oldest::new(history))),
            state: State {
                next: (0..threads)
                    .map(|thread| history.thread_ops(thread).next().map_or(0, |op| op.0))
                    .collect(),
                memory: vec![None; history.locations().len()],
                buffered: vec![0; threads],
                committed: vec![false; history.len()],
                reservations: BTreeMap::new(),
            },
        }
    }

    /// The state, for a search that remembers which it has seen.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes a step.
    ///
    /// # Errors
    /// The reason why the model or a recorded value forbids it; the machine is then unchanged.
    pub fn step(&mut self, step: Step) -> Result<(), Refusal> {
        match step {
            Step::Execute(op) => self.execute(op),
            Step::Commit(op) => self.commit(op),
        }
    }

    /// The steps that could come next: each thread's next operation, and the stores that the
    /// model lets reach memory. Cost: linear in the history.
    pub fn candidates(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for thread in 0..self.state.next.len() {
            if let Some(op) = self.next_of(thread) {
                steps.push(Step::Execute(op));
            }
            let executed = self.history.thread_ops(thread);
            let stores = executed.filter(|&op| self.may_commit(thread, op));
            steps.extend(stores.map(Step::Commit));
        }
        steps
    }

    /// Whether everything has been executed and committed.
    ///
    /// # Errors
    /// [`Refusal::Unfinished`] or [`Refusal::WrongFinal`].
    pub fn finish(&self) -> Result<(), Refusal> {
        let left = (0..self.state.next.len())
            .any(|t| self.next_of(t).is_some() || self.state.buffered[t] > 0);
        if left {
            return Err(Refusal::Unfinished);
        }
        let right = self.history.finals().iter().all(|last| {
            let value = self.value_in_memory(last.location);
            self.free[last.location as usize] || value == Some(last.value)
        });
        if right { Ok(()) } else { Err(Refusal::WrongFinal) }
    }

    fn next_of(&self, thread: usize) -> Option<OpId> {
        let next = OpId(self.state.next[thread]);
        let last = self.history.thread_ops(thread).next_back()?;
        (next <= last).then_some(next)
    }

    fn execute(&mut self, op: OpId) -> Result<(), Refusal> {
        let thread = self.history.thread_of(op);
        if self.next_of(thread) != Some(op) {
            return Err(Refusal::NotNext);
        }
        let kind = self.history.kind(op);
        self.check_drained(thread, op, kind)?;
        if kind.reads() {
            self.check_read(op, kind)?;
        }
        if kind.writes() {
            if kind.may_be_buffered() && self.model.buffers() {
                self.state.buffered[thread] += 1;
            } else {
                self.write(op)?;
            }
        }
        self.state.next[thread] += 1;
        Ok(())
    }

    fn check_drained(&self, thread: usize, op: OpId, kind: Kind) -> Result<(), Refusal> {
        let waits = if self.model.drains_all(Label::of(self.history, op)) {
            self.state.buffered[thread] > 0
        } else {
            self.model.drains_own(kind) && self.newest_own(op).is_some()
        };
        // A store waits in the buffer.
        let waits = waits || !(kind.may_be_buffered() || self.may_reach_memory(thread, op));
        if waits { Err(Refusal::NotDrained) } else { Ok(()) }
    }

    fn check_read(&mut self, op: OpId, kind: Kind) -> Result<(), Refusal> {
        let Some(location) = self.history.location(op) else {
            return Ok(());
        };
        let source = self.visible(op);
        let held = match source {
            Some(write) => self.history.written(write),
            None => self.history.initial(location),
        };
        let read = self.history.read(op);
        let is_free = self.free[location as usize] || read.is_none() || self.is_outside(op);
        if !is_free && held != read {
            return Err(Refusal::WrongValue(source));
        }
        if kind == Kind::LoadLinked {
            self.state.reservations.insert(op, source);
        }
        Ok(())
    }

    /// Whether a read returned a value that only a write outside of the history can have written.
    fn is_outside(&self, op: OpId) -> bool {
        let (Some(seen), Some(location), Some(value)) =
            (&self.seen, self.history.location(op), self.history.read(op))
        else {
            return false;
        };
        !seen.contains(&(location, value)) && self.history.initial(location) != Some(value)
    }

    fn commit(&mut self, op: OpId) -> Result<(), Refusal> {
        let thread = self.history.thread_of(op);
        if !self.may_commit(thread, op) {
            return Err(Refusal::NotCommittable);
        }
        self.write(op)?;
        self.state.buffered[thread] -= 1;
        self.state.committed[op.at()] = true;
        if let Some((_, oldest)) = &mut self.waits {
            let committed = &self.state.committed;
            oldest.go_on(self.history, thread, |store| committed[store.at()]);
        }
        Ok(())
    }

    /// Whether all that an operation waits for because of weak fences, acquires and releases has
    /// reached memory.
    fn may_reach_memory(&self, thread: usize, op: OpId) -> bool {
        let waits = self.waits.as_ref();
        waits.is_none_or(|(waits, oldest)| oldest.allows(thread, op, waits))
    }

    /// Whether a store is buffered and no other must be committed before it.
    fn may_commit(&self, thread: usize, op: OpId) -> bool {
        let is_done = |store: OpId| self.state.committed[store.at()];
        self.model.buffers()
            && self.history.kind(op).may_be_buffered()
            && op.0 < self.state.next[thread]
            && !is_done(op)
            && self.earlier.first[op.at()].is_none_or(is_done)
            && self.may_reach_memory(thread, op)
    }

    /// The newest store to an operation's location in its thread's buffer, for the next operation
    /// of a thread.
    fn newest_own(&self, op: OpId) -> Option<OpId> {
        let own = self.earlier.own[op.at()].filter(|_| self.model.buffers());
        own.filter(|store| !self.state.committed[store.at()])
    }

    fn write(&mut self, op: OpId) -> Result<(), Refusal> {
        let Some(location) = self.history.location(op) else {
            return Ok(());
        };
        let memory = self.state.memory[location as usize];
        if let Some(load) = self.history.linked_load(op)
            && !self.free[location as usize]
            && self.history.read(load).is_some()
            && !self.is_outside(load)
            && self.state.reservations.get(&load) != Some(&memory)
        {
            return Err(Refusal::ReservationLost);
        }
        self.state.memory[location as usize] = Some(op);
        Ok(())
    }

    /// The write a location's value in memory comes from; `None` for the initial value.
    pub fn memory(&self, location: u32) -> Option<OpId> {
        self.state.memory[location as usize]
    }

    fn value_in_memory(&self, location: u32) -> Option<u64> {
        match self.state.memory[location as usize] {
            Some(write) => self.history.written(write),
            None => self.history.initial(location),
        }
    }

    /// The write that its thread's next operation would read now: its thread's newest buffered store
    /// to the location, else memory; `None` for the initial value.
    pub fn visible(&self, op: OpId) -> Option<OpId> {
        let location = self.history.location(op)?;
        let own = self.newest_own(op);
        own.or(self.state.memory[location as usize])
    }
}

/// Whether reads may return values that no write of the history has.
fn may_lack_writes(history: &History) -> bool {
    history.provenance.outside_writes || history.provenance.unrecorded_writes
}

fn written_values(history: &History) -> FxHashSet<(u32, u64)> {
    history.ops().filter_map(|op| Some((history.location(op)?, history.written(op)?))).collect()
}

/// Locations with a write whose value the trace does not show: what is read there proves nothing.
pub fn unconstrained_locations(history: &History) -> Vec<bool> {
    let mut free = vec![false; history.locations().len()];
    for op in history.ops() {
        if let Some(location) = history.location(op) {
            free[location as usize] |= history.kind(op).writes() && history.written(op).is_none();
        }
    }
    free
}

/// Runs a whole sequence of steps.
///
/// # Errors
/// The position of the first refused step (or the number of steps, for the end) and the reason.
/// Cost: linear.
pub fn run(history: &History, model: Model, steps: &[Step]) -> Result<(), (usize, Refusal)> {
    let mut machine = Machine::new(history, model);
    for (at, &step) in steps.iter().enumerate() {
        machine.step(step).map_err(|refusal| (at, refusal))?;
    }
    machine.finish().map_err(|refusal| (steps.len(), refusal))
}

/// Decides a small history by trying every run of the machine, with visited states remembered.
/// Returns the steps of a consistent run, `Some(None)` if there is none, and `None` if more than
/// `limit` states were visited. Exponential: for tests.
pub fn explore(history: &History, model: Model, limit: usize) -> Option<Option<Vec<Step>>> {
    let mut seen = FxHashSet::default();
    let mut path = Vec::new();
    let mut stack = vec![(Machine::new(history, model), None)];
    let mut depths = vec![0];
    while let (Some((machine, step)), Some(depth)) = (stack.pop(), depths.pop()) {
        path.truncate(usize::saturating_sub(depth, 1));
        path.extend(step);
        if machine.finish().is_ok() {
            return Some(Some(path));
        }
        if !seen.insert(machine.state().clone()) {
            continue;
        }
        if seen.len() > limit {
            return None;
        }
        for step in machine.candidates() {
            let mut next = machine.clone();
            if next.step(step).is_ok() {
                stack.push((next, Some(step)));
                depths.push(depth + 1);
            }
        }
    }
    Some(None)
}
