//! Memory systems: tests the verdicts of the method about the built-in systems, and compares the automata with the constraint graphs.

use std::collections::BTreeSet;

use check::{Model, Options as CheckOptions, Verdict as Checked};
use explore::graph::Graph;
use explore::memory::assumptions::{Assumption, AssumptionStatus};
use explore::memory::composed::{Composed, Order};
use explore::memory::lazy_caching::LazyCaching;
use explore::memory::method::{Counterexample, Options, Proof, VALUES, Verdict, prove};
use explore::memory::piranha::Piranha;
use explore::memory::serial::Serial;
use explore::memory::store_buffer::StoreBuffer;
use explore::memory::{Access, Event, MemorySystem, Renaming, SystemSize, Witness};
use explore::search::{Limits, Outcome, Stopped, breadth_first};
use history::{
    Ambiguity, History, HistoryBuilder, Initial, Kind, OpId, Place, Provenance, ReadsFrom,
};
use papers::qadeer::constraint_graph::ConstraintGraph;

const fn size(processors: u8, locations: u8) -> SystemSize {
    SystemSize { processors, locations, values: VALUES }
}

const TWO: SystemSize = size(2, 2);

fn piranha(size: SystemSize, is_buggy: bool) -> Piranha {
    Piranha { size, is_buggy }
}

fn whole<M: MemorySystem>(system: &M, without_symmetry: bool) -> Proof {
    let options = Options { without_symmetry, ..Options::default() };
    prove(system, &options, &mut |_| ())
}

/// With limits on the check of the assumptions: it need not visit all states, of which there may be
/// many, if there is a cycle.
fn some<M: MemorySystem>(system: &M) -> Proof {
    let options = Options { assumptions: at_most(2_000), ..Options::default() };
    prove(system, &options, &mut |_| ())
}

fn found(proof: &Proof) -> impl Iterator<Item = &Counterexample> {
    proof.searches.iter().filter_map(|search| search.found.as_ref())
}

fn at_most(states: usize) -> Limits {
    Limits { states: Some(states), ..Limits::default() }
}

fn states(proof: &Proof) -> Vec<usize> {
    let searches = proof.searches.iter();
    searches.map(|search| search.progress.states).collect()
}

/// Whether the events are a run of the system.
fn is_run<M: MemorySystem>(system: &M, run: &[Event]) -> bool {
    let mut states = system.initial();
    for event in run {
        let mut next = Vec::new();
        for state in &states {
            system.events(state, &mut |taken, after| {
                if taken == *event {
                    next.push(after);
                }
            });
        }
        states = next;
    }
    !states.is_empty()
}

#[test]
fn the_papers_protocol_is_sequentially_consistent() {
    let proof = whole(&piranha(TWO, false), true);
    assert!(matches!(proof.verdict, Verdict::Consistent), "{proof:?}");
    assert_eq!(proof.assumptions.0, AssumptionStatus::All);
    assert_eq!(states(&proof), [2_581, 34_177]);
    let reduced = whole(&piranha(TWO, false), false);
    assert!(matches!(reduced.verdict, Verdict::Consistent));
    // The symmetry group has two elements, so almost half of the states remain.
    assert!(states(&reduced)[1] < 34_177 * 51 / 100, "{reduced:?}");
}

/// The paper's section 8 has a run of 12 events for k = 2; the one for k = 1 is shorter.
#[test]
fn the_earlier_version_is_not() {
    let system = piranha(TWO, true);
    let proof = some(&system);
    let lengths = found(&proof).map(|found| (found.cycle.order.k(), found.run.len()));
    assert_eq!(lengths.collect::<Vec<_>>(), [(1, 10), (2, 12)]);
    for found in found(&proof) {
        assert!(is_run(&system, &found.run), "{found:?}");
    }
}

#[test]
fn serial_memory_is_and_a_store_buffer_is_not() {
    let serial = whole(&Serial { size: size(3, 3) }, false);
    assert!(matches!(serial.verdict, Verdict::Consistent));
    assert_eq!(serial.searches.len(), 3);
    let buffer = StoreBuffer { size: TWO, capacity: 1, witness: Witness::Simple };
    for symmetry in [false, true] {
        let proof = whole(&buffer, symmetry);
        assert!(matches!(proof.verdict, Verdict::Cycle));
        let lengths: Vec<usize> = found(&proof).map(|found| found.run.len()).collect();
        assert_eq!(lengths, [5, 4], "{proof:?}");
        for found in found(&proof) {
            assert!(is_run(&buffer, &found.run));
            let edges = found.cycle.to_string().matches("-P").count();
            assert_eq!(edges, found.cycle.order.k());
        }
    }
}

/// The writes have to be ordered as they reach memory, not as they are issued.
#[test]
fn lazy_caching_has_a_cycle_for_the_simple_witness() {
    let system = LazyCaching { size: TWO, capacity: 1, witness: Witness::Simple };
    let proof = some(&system);
    assert!(matches!(proof.verdict, Verdict::Cycle), "{proof:?}");
    assert!(found(&proof).all(|found| is_run(&system, &found.run)));
}

fn lazy_by_memory(size: SystemSize) -> LazyCaching {
    LazyCaching { size, capacity: 1, witness: Witness::MemoryOrder }
}

/// In the order in which they reach memory, the same writes explain every run.
#[test]
fn lazy_caching_has_none_for_the_order_of_memory() {
    for small in [size(2, 1), size(1, 2)] {
        let proof = whole(&lazy_by_memory(small), false);
        assert!(matches!(proof.verdict, Verdict::Consistent), "{proof:?}");
    }
    let proof = some(&lazy_by_memory(TWO));
    assert_eq!(states(&proof), [26_640, 148_870]);
    for search in &proof.searches {
        assert!(search.found.is_none() && search.stopped.is_none(), "{search:?}");
    }
}

/// A store buffer leaves SC whatever the order of its writes: its run ends when all of them have a place in it.
#[test]
fn a_store_buffer_has_a_cycle_for_the_order_of_memory_too() {
    let buffer = StoreBuffer { size: TWO, capacity: 1, witness: Witness::MemoryOrder };
    let proof = whole(&buffer, false);
    assert!(matches!(proof.verdict, Verdict::Cycle), "{proof:?}");
    let lengths = found(&proof).map(|found| (found.cycle.order.k(), found.run.len()));
    assert_eq!(lengths.collect::<Vec<_>>(), [(2, 6)]);
    assert!(found(&proof).all(|found| is_run(&buffer, &found.run)));
}

#[test]
fn limits_end_the_search_and_say_so() {
    let system = piranha(TWO, false);
    let options = Options { limits: at_most(100), ..Options::default() };
    let proof = prove(&system, &options, &mut |_| ());
    assert!(matches!(proof.verdict, Verdict::Undecided(Stopped::Count)));
    assert!(proof.searches.iter().all(|search| search.stopped.is_some()));
    // A verdict that rests on partly checked assumptions is no proof.
    let proof = some(&piranha(TWO, false));
    assert!(matches!(proof.verdict, Verdict::Undecided(Stopped::Count)));
}

/// Serial memory with one deviation each.
#[derive(Clone, Copy, PartialEq)]
enum Odd {
    /// The second processor never writes.
    Reader,
    /// The second processor may always read 0 at the second location.
    Stale,
    /// A location that holds 2 is never written again.
    Sticky,
    /// Reads return any value.
    Anything,
}

impl MemorySystem for Odd {
    type State = Vec<u8>;

    fn size(&self) -> SystemSize {
        TWO
    }

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![vec![0; 2]]
    }

    fn events(&self, memory: &Vec<u8>, visit: &mut dyn FnMut(Event, Vec<u8>)) {
        let serial = Serial { size: TWO };
        serial.events(memory, &mut |event, next| {
            let Event::Access(access) = event else { return };
            let held = memory[usize::from(access.location)];
            match (self, access.writes) {
                (Odd::Reader, true) if access.processor == 1 => {}
                (Odd::Sticky, true) if held == 2 => {}
                (Odd::Anything, false) => (0..=VALUES).for_each(|value| {
                    visit(Event::Access(Access { value, ..access }), memory.clone());
                }),
                _ => visit(event, next),
            }
        });
        if *self == Odd::Stale {
            visit(Event::read(1, 1, 0), memory.clone());
        }
    }

    fn renamed(&self, memory: &Vec<u8>, renaming: &Renaming) -> Vec<u8> {
        Serial { size: TWO }.renamed(memory, renaming)
    }
}

#[test]
fn what_breaks_an_assumption_is_noticed() {
    for (odd, assumption) in
        [(Odd::Sticky, Assumption::DataIndependence), (Odd::Anything, Assumption::Causality)]
    {
        let proof = whole(&odd, false);
        assert!(
            matches!(proof.verdict, Verdict::NotApplicable(broken, _) if broken == assumption),
            "{proof:?}"
        );
    }
}

#[test]
fn without_symmetry_cycles_of_every_order_are_looked_for() {
    let proof = whole(&Odd::Reader, false);
    let broken = &proof.assumptions.0;
    assert!(matches!(broken, AssumptionStatus::Broken(Assumption::Symmetry, _)));
    assert!(matches!(proof.verdict, Verdict::Consistent), "{proof:?}");
    // For k = 1, any processor and location; for k = 2, two orders.
    assert_eq!(proof.searches.len(), 4 + 2);
    // A canonical cycle would be at the first processor and location.
    let proof = whole(&Odd::Stale, false);
    let cycle = &found(&proof).next().unwrap().cycle;
    assert_eq!(cycle.order.processors, [1]);
    assert_eq!(cycle.order.locations, [1]);
}

/// The history of a trace of accesses, with the trace as the order of completions.
fn history(trace: &[Access]) -> History {
    let mut builder = HistoryBuilder::new();
    for (order, access) in (0..).zip(trace) {
        let kind = if access.writes { Kind::Store } else { Kind::Load };
        let place = Place::Cell(u64::from(access.location));
        let value = Some(u64::from(access.value));
        builder.push(history::Access {
            read: value.filter(|_| !access.writes),
            written: value.filter(|_| access.writes),
            order: Some(order),
            ..history::Access::new(u32::from(access.processor), kind, place)
        });
    }
    let finished = builder.finish(Default::default(), &Initial::Zero, Provenance::made());
    finished.unwrap()
}

/// Whether the constraint graph of a trace has a canonical k-nice cycle, with the writes in the order of the trace.
fn has_canonical_cycle(trace: &[Access], k: u8) -> bool {
    let writes: Vec<Access> = trace.iter().copied().filter(|access| access.writes).collect();
    has_cycle_for(trace, &writes, k)
}

/// Whether the constraint graph of a trace with its writes in this order has a canonical k-nice cycle, by its definition (sections 6 and 7.3).
fn has_cycle_for(trace: &[Access], order: &[Access], k: u8) -> bool {
    let history = history(trace);
    let Ok(reads_from) = ReadsFrom::derive(&history, Ambiguity::Refuse) else {
        panic!("values are written once");
    };
    let mut ops: Vec<OpId> = history.ops().collect();
    ops.sort_by_key(|&op| history.order(op));
    let place = |write: &Access| trace.iter().position(|access| access == write).unwrap();
    let writes: Vec<OpId> = order.iter().map(|write| ops[place(write)]).collect();
    let graph = ConstraintGraph::new(&history, &reads_from, &writes);
    let accesses: Vec<(OpId, Access)> = ops.into_iter().zip(trace.iter().copied()).collect();
    extend(&graph, &accesses, k, &mut Vec::new())
}

/// Extends a path of pairs of accesses, one pair for each processor, to a cycle.
fn extend(
    graph: &ConstraintGraph<'_>,
    accesses: &[(OpId, Access)],
    k: u8,
    pairs: &mut Vec<(OpId, OpId)>,
) -> bool {
    let at = pairs.len() as u8;
    if at == k {
        return graph.location_order(pairs[pairs.len() - 1].1, pairs[0].0);
    }
    let own = |location: u8| {
        let own = accesses
            .iter()
            .filter(move |(_, access)| access.processor == at && access.location == location);
        own.map(|&(op, _)| op)
    };
    for first in own(at) {
        let follows = pairs.last().is_none_or(|pair| graph.location_order(pair.1, first));
        if !follows {
            continue;
        }
        for second in own((at + 1) % k).filter(|&second| graph.po(first, second)) {
            pairs.push((first, second));
            if extend(graph, accesses, k, pairs) {
                return true;
            }
            pairs.pop();
        }
    }
    false
}

/// A system with one run.
struct Script(SystemSize, Vec<Access>);

impl MemorySystem for Script {
    type State = usize;

    fn size(&self) -> SystemSize {
        self.0
    }

    fn initial(&self) -> Vec<usize> {
        vec![0]
    }

    fn events(&self, at: &usize, visit: &mut dyn FnMut(Event, usize)) {
        if let Some(&access) = self.1.get(*at) {
            visit(Event::Access(access), at + 1);
        }
    }

    fn renamed(&self, at: &usize, _: &Renaming) -> usize {
        *at
    }
}

/// Whether the automata accept a trace under some renaming of its values: at each location of the
/// cycle, one write is renamed to 1, those before it to 0, those after it to 2.
fn automata_accept(size: SystemSize, trace: &[Access], k: u8) -> bool {
    let writes = |location: u8| {
        let all = trace.iter().filter(move |it| it.writes && it.location == location);
        all.map(|it| it.value).collect::<Vec<u8>>()
    };
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new()];
    for location in 0..k {
        let all = 0..writes(location).len();
        let longer =
            chosen.iter().flat_map(|some| all.clone().map(|one| [&some[..], &[one]].concat()));
        chosen = longer.collect();
    }
    let renamed = |chosen: &Vec<usize>, access: &Access| {
        let order = writes(access.location);
        let place = order.iter().position(|&value| value == access.value);
        let one = chosen.get(usize::from(access.location));
        let value = match (place, one) {
            (Some(place), Some(&one)) if place == one => 1,
            (Some(place), Some(&one)) if place > one => 2,
            _ => 0,
        };
        Access { value, ..*access }
    };
    chosen.iter().any(|chosen| {
        let script = trace.iter().map(|access| renamed(chosen, access)).collect();
        let script = Script(size, script);
        let composed = Composed::new(&script, Order::canonical(k));
        let (outcome, _) = breadth_first(&composed, &Limits::default(), &mut |_| ());
        matches!(outcome, Outcome::Found(_))
    })
}

/// All traces of `length` accesses of a system in which each value is written once, in ascending
/// order.
fn traces<M: MemorySystem>(system: &M, length: usize) -> BTreeSet<Vec<Access>> {
    let mut all = BTreeSet::new();
    let mut todo = vec![(Vec::new(), system.initial())];
    while let Some((trace, states)) = todo.pop() {
        let trace: Vec<Access> = trace;
        if trace.len() == length {
            all.insert(trace);
            continue;
        }
        let mut next: Vec<(Access, Vec<M::State>)> = Vec::new();
        for state in closure(system, states) {
            system.events(&state, &mut |event, after| {
                let Event::Access(access) = event else { return };
                let fresh = 1 + trace
                    .iter()
                    .filter(|it| it.writes && it.location == access.location)
                    .count();
                if access.writes && usize::from(access.value) != fresh {
                    return;
                }
                match next.iter_mut().find(|(it, _)| *it == access) {
                    Some((_, states)) if states.contains(&after) => {}
                    Some((_, states)) => states.push(after),
                    None => next.push((access, vec![after])),
                }
            });
        }
        for (access, states) in next {
            todo.push(([&trace[..], &[access]].concat(), states));
        }
    }
    all
}

/// All runs of at most `length` accesses in which each value is written once and every write has its place in the witness: the accesses, and
/// the writes in that order.
fn ordered_traces<M: MemorySystem>(
    system: &M,
    length: usize,
) -> BTreeSet<(Vec<Access>, Vec<Access>)> {
    let (mut all, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let initial = system.initial().into_iter();
    let mut todo: Vec<_> = initial.map(|state| (state, Vec::new(), Vec::new())).collect();
    while let Some((state, trace, order)) = todo.pop() {
        if !seen.insert((postcard::to_stdvec(&state).unwrap(), trace.clone(), order.clone())) {
            continue;
        }
        // A history without operations is undecided.
        if !trace.is_empty() && !system.has_unordered(&state) {
            all.insert((trace.clone(), order.clone()));
        }
        system.events(&state, &mut |event, after| {
            let (mut trace, mut order): (Vec<Access>, Vec<Access>) = (trace.clone(), order.clone());
            if let Event::Access(access) = event {
                let is_other = |it: &&Access| it.writes && it.location == access.location;
                let fresh = 1 + trace.iter().filter(is_other).count();
                let is_old = access.writes && usize::from(access.value) != fresh;
                if trace.len() == length || is_old {
                    return;
                }
                trace.push(access);
            }
            order.extend(system.ordered(&state, event));
            todo.push((after, trace, order));
        });
    }
    all
}

/// Checks Theorem 8.1 for a witness that is not the order of the trace. Returns the lengths of the cycles that there are.
fn agrees_by_witness<M: MemorySystem>(
    system: &M,
    small: &impl MemorySystem,
    length: usize,
) -> BTreeSet<u8> {
    let size = small.size();
    let all = ordered_traces(system, length);
    assert!(all.len() > 100, "{}", all.len());
    let mut cycles = BTreeSet::new();
    for k in 1..=size.processors.min(size.locations) {
        let has = all.iter().any(|(trace, order)| has_cycle_for(trace, order, k));
        let composed = Composed::symmetric(small, k);
        let (outcome, _) = breadth_first(&composed, &Limits::default(), &mut |_| ());
        let found = match &outcome {
            Outcome::Found(run) => {
                let accesses = run.steps.iter().filter(|(it, _)| matches!(it, Event::Access(_)));
                accesses.count() <= length
            }
            _ => false,
        };
        assert_eq!(has, found, "k = {k}");
        cycles.extend(has.then_some(k));
    }
    if cycles.is_empty() {
        assert!(all.iter().all(|(trace, _)| is_sc(trace)));
    }
    cycles
}

#[test]
fn automata_and_constraint_graphs_agree_on_the_order_of_memory() {
    let many = |size: SystemSize| SystemSize { values: 5, ..size };
    for (small, length) in [(size(2, 1), 4), (size(1, 2), 4)] {
        let found = agrees_by_witness(&lazy_by_memory(many(small)), &lazy_by_memory(small), length);
        assert!(found.is_empty(), "{found:?}");
    }
    let buffer = |size| StoreBuffer { size, capacity: 1, witness: Witness::MemoryOrder };
    let found = agrees_by_witness(&buffer(many(TWO)), &buffer(TWO), 4);
    assert_eq!(found, BTreeSet::from([2]));
}

/// The states that are reachable by internal events.
fn closure<M: MemorySystem>(system: &M, states: Vec<M::State>) -> Vec<M::State> {
    let packed = |state: &M::State| postcard::to_stdvec(state).unwrap();
    let mut seen: BTreeSet<Vec<u8>> = states.iter().map(packed).collect();
    let mut states = states;
    let mut at = 0;
    while let Some(state) = states.get(at).cloned() {
        system.events(&state, &mut |event, after| {
            if matches!(event, Event::Internal(..)) && seen.insert(packed(&after)) {
                states.push(after);
            }
        });
        at += 1;
    }
    states
}

fn is_sc(trace: &[Access]) -> bool {
    let history = history(trace);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    let outcome = check::check(&history, &reads_from, Model::SC, &CheckOptions::default());
    matches!(outcome.verdict, Checked::Consistent(_))
}

/// Checks Theorem 8.1 trace by trace, and for the system: it has a k-cycle if one of its traces
/// has.
fn agrees<M: MemorySystem>(system: &M, small: &impl MemorySystem, length: usize) {
    let size = small.size();
    let all = traces(system, length);
    assert!(!all.is_empty());
    let mut cycles = BTreeSet::new();
    let mut refuted = 0;
    for trace in &all {
        for k in 1..=size.processors.min(size.locations) {
            let has = has_canonical_cycle(trace, k);
            assert_eq!(has, automata_accept(size, trace, k), "{trace:?}, k = {k}");
            if has {
                cycles.insert(k);
            }
        }
        refuted += usize::from(!is_sc(trace));
    }
    for k in 1..=size.processors.min(size.locations) {
        let composed = Composed::symmetric(small, k);
        let (outcome, _) = breadth_first(&composed, &Limits::default(), &mut |_| ());
        let accesses = match &outcome {
            Outcome::Found(run) => {
                let accesses = run.steps.iter().filter(|(it, _)| matches!(it, Event::Access(_)));
                Some(accesses.count())
            }
            _ => None,
        };
        // A k-cycle needs at most 2k accesses at its processors; the writes of 1 are among them or
        // additional.
        assert_eq!(
            cycles.contains(&k),
            accesses.is_some_and(|accesses| accesses <= length),
            "k = {k}: {accesses:?}"
        );
    }
    assert!(cycles.is_empty() <= (refuted == 0), "{refuted} without a cycle");
}

#[test]
fn automata_and_constraint_graphs_agree() {
    let many = |processors, locations| SystemSize { values: 5, ..size(processors, locations) };
    for (processors, locations, length) in [(2, 2, 4), (2, 1, 5), (1, 2, 4)] {
        let (all, small) = (many(processors, locations), size(processors, locations));
        agrees(&Serial { size: all }, &Serial { size: small }, length);
        agrees(&piranha(all, false), &piranha(small, false), length);
        let buffer = |size| StoreBuffer { size, capacity: 2, witness: Witness::Simple };
        agrees(&buffer(all), &buffer(small), length);
        // With two processors and two locations, these systems have too many states for a test.
        if processors * locations < 4 {
            agrees(&piranha(all, true), &piranha(small, true), 3);
            let lazy = |size| LazyCaching { size, capacity: 1, witness: Witness::Simple };
            agrees(&lazy(all), &lazy(small), length);
        }
    }
}

/// A state and its representative have the same moves up to renaming, and the same goals.
#[test]
fn representatives_are_symmetric() {
    let system = piranha(TWO, false);
    let composed = Composed::symmetric(&system, 2);
    let mut states = composed.initial();
    for step in 0..400 {
        let state = states[step % states.len()].clone();
        let same = composed.representative(state.clone());
        let moves = |state: &_| {
            let mut next = Vec::new();
            composed.moves(state, &mut |_, after| {
                next.push(postcard::to_stdvec(&composed.representative(after)).unwrap());
            });
            next.sort();
            next
        };
        assert_eq!(moves(&state), moves(&same));
        assert_eq!(composed.goal(&state), composed.goal(&same));
        composed.moves(&state, &mut |_, after| states.push(after));
    }
}
