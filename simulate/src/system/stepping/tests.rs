use std::collections::BTreeSet;

use slicc::builtin::BUILTINS;
use slicc::protocol::Protocol;
use slicc::setting::Setting;

use super::symmetry::Symmetry;
use super::values::Renaming;
use super::view::View;
use crate::ruby::delays::Delays;
use crate::stepper::{
    Action, Move, Outcome, PartStepper, Problem, Repertoire, Scope, Stepper, UnderWay, Values,
};

fn stepper(name: &str, scope: &Scope) -> Stepper {
    let protocol = Protocol::open(name).unwrap();
    Stepper::new(&protocol, scope).unwrap()
}

/// Some of the reachable states, at all depths.
fn states(stepper: &mut Stepper, most: usize) -> Vec<Vec<u8>> {
    let mut known = BTreeSet::from([stepper.first()]);
    let mut states = vec![stepper.first()];
    let mut at = 0;
    while at < states.len() && states.len() < most {
        let state = states[at].clone();
        for chosen in stepper.moves(&state) {
            let next = stepper.take(&state, chosen).state.unwrap();
            if known.insert(next.clone()) {
                states.push(next);
            }
        }
        // Includes deeper states.
        at += 1 + at / 64;
    }
    states
}

/// Restores a state and writes it again, with no move in between.
fn written_again(stepper: &mut Stepper, state: &[u8]) -> Vec<u8> {
    stepper.thaw(state);
    let renaming = Renaming::new(stepper.values, stepper.agents(), stepper.loads());
    stepper.freeze(View::new(&renaming))
}

#[test]
fn a_state_that_is_restored_is_the_same() {
    let tiny = Scope { lines: 2, tiny: true, ..Scope::default() };
    for name in ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"] {
        let mut stepper = stepper(name, &tiny);
        let mut fresh = self::stepper(name, &tiny);
        for (at, state) in states(&mut stepper, 3000).iter().enumerate() {
            assert_eq!(&written_again(&mut stepper, state), state, "{name}");
            if at % 16 == 0 {
                // Earlier moves of the system have no influence.
                let moves = stepper.moves(state);
                assert_eq!(moves, fresh.moves(state));
                for chosen in moves {
                    let next = stepper.take(state, chosen).state.unwrap();
                    assert_eq!(fresh.take(state, chosen).state.unwrap(), next, "{name}");
                }
            }
        }
    }
}

#[test]
fn numbers_are_returned_as_they_were_stored() {
    let scope = Scope { values: Values::Numbers(2), ..Scope::default() };
    let mut stepper = stepper("MI_example", &scope);
    let first = stepper.first();
    // A load, and stores of three numbers, by each of two cores.
    assert_eq!(stepper.moves(&first).len(), 8);
    let store = Move::Ask { core: 1, line: 0, action: Action::Store, value: 2 };
    let mut state = stepper.take(&first, store).state.unwrap();
    let mut performed = Vec::new();
    while performed.is_empty() {
        let next = *stepper.moves(&state).last().unwrap();
        let outcome = stepper.take(&state, next);
        performed = outcome.performed;
        state = outcome.state.unwrap();
    }
    let stored = performed[0];
    assert_eq!((stored.core, stored.line, stored.value), (1, 0, 2));
    assert_eq!(stored.action, Action::Store);
    let load = Move::Ask { core: 1, line: 0, action: Action::Load, value: 0 };
    let (described, outcome) = stepper.describe(&state, load, &mut UnderWay::default());
    assert_eq!(outcome.performed[0].value, 2);
    assert_eq!(described.effects.last().unwrap(), "core 1 has read 2 from line 0");
}

/// A protocol whose messages on a link and in a queue of its own record when one overtakes another.
const ORDERED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/ordered/Ordered.slicc");

fn settings(all: &[&str]) -> Vec<Setting> {
    all.iter().map(|one| one.parse().unwrap()).collect()
}

/// Checks along random runs: a state that is written, restored and written again is the same, and
/// so are its moves, in the same order, for a system that was in other states before and for a new
/// one. Returns the number of moves that led to a fault.
fn random_runs(name: &str, scope: &Scope, moves: usize) -> usize {
    let mut stepper = stepper(name, scope);
    let mut fresh = self::stepper(name, scope);
    let mut random = Delays::new(moves as u64);
    let mut state = stepper.first();
    let mut failures = 0;
    for _ in 0..moves {
        assert_eq!(written_again(&mut stepper, &state), state, "{name}");
        let enabled = stepper.moves(&state);
        assert_eq!(stepper.moves(&written_again(&mut fresh, &state)), enabled);
        assert_eq!(fresh.moves(&state), enabled, "{name}");
        let chosen = enabled[random.below(enabled.len() as u64) as usize];
        let next = stepper.take(&state, chosen).state;
        match (next, fresh.take(&state, chosen).state) {
            (Ok(next), Ok(same)) => {
                assert_eq!(next, same, "{name}");
                state = next;
            }
            (Err(_), Err(_)) => {
                failures += 1;
                state = stepper.first();
            }
            _ => panic!("{name}: a move fails in one of two systems in the same state"),
        }
    }
    failures
}

#[test]
fn restored_states_have_the_same_moves() {
    let scope = |lines, requests| Scope { lines, tiny: lines > 1, requests, ..Scope::default() };
    for name in ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"] {
        assert_eq!(random_runs(name, &scope(1, 1), 3000), 0);
        random_runs(name, &scope(2, 2), 3000);
    }
}

#[test]
fn messages_of_a_wire_and_of_a_queue_keep_their_order() {
    let with = |orders: &[&str], requests| Scope {
        lines: requests,
        requests,
        settings: settings(orders),
        ..Scope::default()
    };
    for requests in [1, 2] {
        assert_eq!(random_runs(ORDERED, &with(&["notes=ordered"], requests), 4000), 0);
    }
    // Messages without an order arrive in any order.
    for orders in [&["notes=unordered"][..], &["notes=ordered", "L0Cache.bufferToL1=unordered"]] {
        assert!(random_runs(ORDERED, &with(orders, 1), 4000) > 0, "{orders:?}");
    }
}

/// A protocol with internal events that are handled in the cycle in which they are triggered.
const INTERNAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/ordered/Internal.slicc");

fn internal(lines: u32, set: &[&str]) -> Scope {
    Scope { caches: 1, lines, requests: lines, settings: settings(set), ..Scope::default() }
}

#[test]
fn internal_events_are_handled_before_requests() {
    let protocol = Protocol::open(INTERNAL).unwrap();
    // Once a line is there it stays, so short runs have more to show. Each number of moves is a seed.
    let faults = |scope: &Scope| -> (usize, usize) {
        let of_whole = (40..60).map(|moves| random_runs(INTERNAL, scope, moves)).sum();
        let of_parts = (40..60).map(|moves| parts_agree(&protocol, scope, moves).0).sum();
        (of_whole, of_parts)
    };
    for scope in [internal(2, &[]), internal(3, &[]), internal(2, &["most=1"])] {
        assert_eq!(faults(&scope), (0, 0), "{scope:?}");
    }
    // Internal events that are sent with a latency come later, and while one is stalled anything may happen.
    for scope in [internal(2, &["wait=1"]), internal(3, &["most=1"])] {
        let (of_whole, of_parts) = faults(&scope);
        assert!(of_whole > 0 && of_parts > 0, "{scope:?}");
    }
}

#[test]
fn what_a_controller_looks_at_first_may_precede_an_internal_event() {
    let mut stepper = stepper(INTERNAL, &internal(2, &[]));
    let ask = |line| Move::Ask { core: 0, line, action: Action::Load, value: 0 };
    let first = stepper.first();
    let mut state = stepper.take(&first, ask(0)).state.unwrap();
    let wake = [Move::Wake { controller: 0 }];
    assert_eq!(stepper.moves(&state)[..], wake, "nothing but the event");
    // The event, the request to memory, whose response does not arrive yet, and the request of the core, which is tried later.
    state = stepper.take(&state, wake[0]).state.unwrap();
    let memory = stepper.moves(&state).into_iter().find(|one| matches!(one, Move::Memory { .. }));
    state = stepper.take(&state, memory.unwrap()).state.unwrap();
    state = stepper.take(&state, wake[0]).state.unwrap();
    assert!(stepper.moves(&state).contains(&ask(1)));
    state = stepper.take(&state, ask(1)).state.unwrap();
    let moves = stepper.moves(&state);
    assert!(
        matches!(moves[..], [Move::Arrive { .. }, Move::Wake { .. }]) && moves[1] == wake[0],
        "{moves:?}"
    );
}

/// The outcomes of the moves of a state, with representatives of states.
fn after(stepper: &mut Stepper, state: &[u8]) -> BTreeSet<Result<Vec<u8>, &'static str>> {
    let moves = stepper.moves(state);
    moves
        .into_iter()
        .map(|chosen| match stepper.take(state, chosen).state {
            Ok(next) => Ok(stepper.representative(next)),
            Err(fault) => Err(fault.kind.name()),
        })
        .collect()
}

#[test]
fn permutations_of_a_state_have_the_same_future() {
    let two = Scope { lines: 2, tiny: true, ..Scope::default() };
    let three = Scope { caches: 3, ..Scope::default() };
    let requests = Scope { lines: 2, requests: 2, ..Scope::default() };
    for name in BUILTINS.iter().map(|files| files.name) {
        let all = Scope { repertoire: repertoire(name), ..two.clone() };
        for scope in [&two, &three, &requests, &all] {
            let symmetries = vec![Symmetry::Cores, Symmetry::Lines];
            let mut stepper = stepper(name, &Scope { symmetries, ..scope.clone() });
            let group = stepper.symmetries().clone();
            let states = states(&mut stepper, 600);
            let used = group.used().iter();
            if used.into_iter().any(|&symmetry| stepper.observed(symmetry).is_some()) {
                continue;
            }
            for state in states.iter().skip(1).step_by(7) {
                let future = after(&mut stepper, state);
                for permutation in group.permutations() {
                    stepper.thaw(state);
                    let other = stepper.permuted(permutation);
                    assert_eq!(future, after(&mut stepper, &other), "{name}");
                }
            }
        }
    }
}

/// The violation after a move with this outcome.
fn problem(outcome: &Outcome) -> Option<Problem> {
    if let Some(wrong) = outcome.performed.iter().find(|access| access.is_wrong()) {
        return Some(Problem::WrongAccess(*wrong));
    }
    if outcome.state.is_err() {
        return Some(Problem::Fault);
    }
    let line = outcome.holders.iter().position(|holders| holders.clash())?;
    Some(Problem::Clash { line, holders: outcome.holders[line] })
}

/// Makes random runs in whole states and in states of parts, and checks that they agree after each move. Returns how many
/// moves had a problem, and how many effects depend on messages in flight.
fn parts_agree(protocol: &Protocol, scope: &Scope, moves: usize) -> (usize, usize) {
    let mut whole = Stepper::new(protocol, scope).unwrap();
    let mut parts = PartStepper::new(Stepper::new(protocol, scope).unwrap());
    let mut random = Delays::new(moves as u64);
    let mut state = whole.first();
    let mut vector = parts.first();
    let (mut found, mut problems) = (Vec::new(), 0);
    for _ in 0..moves {
        assert_eq!(parts.whole(&vector), state);
        let enabled = whole.moves(&state);
        parts.known().moves(&vector, &mut found);
        assert_eq!(found, enabled);
        let waiting = (0..whole.agents()).filter(|&core| whole.waits(&state, core) > 0);
        assert_eq!(parts.known().waiting(&vector), waiting.fold(0, |all, core| all | 1 << core));
        if !parts.known().is_busy(&vector) {
            assert!(
                enabled.iter().all(|chosen| matches!(chosen, Move::Ask { .. } | Move::Wake { .. }))
            );
        }
        if enabled.is_empty() {
            // A mutant is stuck.
            (state, vector) = (whole.first(), parts.first());
            continue;
        }
        let chosen = enabled[random.below(enabled.len() as u64) as usize];
        let outcome = whole.take(&state, chosen);
        let mut after = vector.clone();
        let result = parts.take(&vector, chosen, &mut after);
        assert_eq!(result.clone().err(), problem(&outcome), "{chosen:?}");
        let messages = |warnings: &[crate::system::Warning]| {
            warnings.iter().map(|one| one.message.clone()).collect::<Vec<_>>()
        };
        assert_eq!(messages(parts.warnings()), messages(&outcome.warnings));
        match (result, outcome.state) {
            (Ok(()), Ok(next)) => {
                assert_eq!(parts.state_of(&next), after, "a state has one vector");
                (state, vector) = (next, after);
            }
            _ => {
                problems += 1;
                (state, vector) = (whole.first(), parts.first());
            }
        }
    }
    (problems, parts.known().wide_effects())
}

#[test]
fn states_of_parts_have_the_moves_of_whole_states() {
    let scope = |caches, lines, requests, values| Scope {
        caches,
        lines,
        tiny: lines > 1,
        requests,
        values,
        ..Scope::default()
    };
    for name in ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"] {
        let protocol = Protocol::open(name).unwrap();
        for scope in [
            scope(2, 1, 1, Values::Latest),
            scope(2, 2, 2, Values::Latest),
            scope(3, 3, 1, Values::Latest),
            scope(2, 2, 1, Values::Numbers(2)),
        ] {
            parts_agree(&protocol, &scope, 3000);
        }
        let prompt = Scope { memory_queue: 0, ..scope(2, 2, 1, Values::Latest) };
        parts_agree(&protocol, &prompt, 3000);
    }
}

/// All that cores and devices may ask for, as far as a protocol handles it.
fn repertoire(name: &str) -> Repertoire {
    Repertoire {
        linked: true,
        locked: true,
        atomic: true,
        flush: name == "MOESI_hammer",
        fetch: true,
        early: true,
        prefetch: name == "MESI_Two_Level",
        devices: if name == "MOESI_AMD_Base" { 0 } else { 2 },
    }
}

#[test]
fn all_requests_are_the_same_in_states_of_parts() {
    for name in BUILTINS.iter().map(|files| files.name) {
        let protocol = Protocol::open(name).unwrap();
        let repertoire = repertoire(name);
        for (lines, requests) in [(1, 1), (2, 2)] {
            let scope = Scope { lines, tiny: lines > 1, requests, repertoire, ..Scope::default() };
            parts_agree(&protocol, &scope, 4000);
            random_runs(name, &scope, 2000);
        }
    }
}

/// With an ordered queue of requests, a move depends on the messages in flight.
#[test]
fn a_move_that_asks_for_messages_in_flight_is_made_in_the_whole_state() {
    let scope = |orders: &[&str]| Scope {
        lines: 2,
        tiny: true,
        requests: 2,
        settings: settings(orders),
        ..Scope::default()
    };
    let protocol = Protocol::open("MI_example").unwrap();
    assert_eq!(parts_agree(&protocol, &scope(&[]), 1000).1, 0);
    let ordered = scope(&["L1Cache.mandatoryQueue=ordered"]);
    assert!(parts_agree(&protocol, &ordered, 1000).1 > 0);
}

#[test]
fn faults_of_parts_are_those_of_whole_states() {
    let protocol = Protocol::open(ORDERED).unwrap();
    let orders = ["notes=ordered", "L0Cache.bufferToL1=unordered"];
    let scope = Scope { caches: 1, settings: settings(&orders), ..Scope::default() };
    assert!(parts_agree(&protocol, &scope, 4000).0 > 0);
    let original = Protocol::open("MI_example").unwrap();
    let tiny = Scope { lines: 2, tiny: true, ..Scope::default() };
    let mutants = mutate::made::by(&original, &[]);
    let all = mutants.iter().step_by(7).map(|mutant| original.with(mutant).unwrap());
    let problems: usize = all.map(|mutant| parts_agree(&mutant, &tiny, 300).0).sum();
    assert!(problems > 100, "{problems}");
}

#[test]
fn representatives_of_parts_are_those_of_whole_states() {
    let nothing = Repertoire::default();
    for (name, caches, repertoire) in [
        ("MI_example", 3, nothing),
        ("MESI_Two_Level", 2, nothing),
        ("MOESI_AMD_Base", 2, nothing),
        ("MI_example", 3, repertoire("MI_example")),
        ("MOESI_hammer", 2, repertoire("MOESI_hammer")),
    ] {
        let symmetries = vec![Symmetry::Cores, Symmetry::Lines];
        let scope =
            Scope { caches, lines: 2, tiny: true, repertoire, symmetries, ..Scope::default() };
        let mut whole = stepper(name, &scope);
        let mut parts = PartStepper::new(stepper(name, &scope));
        for state in states(&mut whole, 2000) {
            let mut vector = parts.state_of(&state);
            parts.represent(&mut vector);
            let orbit = whole.representative(state.clone());
            let represented = parts.whole(&vector);
            assert_eq!(whole.representative(represented), orbit, "{name}");
            // Each permutation has the same representative.
            let mut other = parts.state_of(&orbit);
            parts.represent(&mut other);
            assert_eq!(other, vector, "{name}");
        }
    }
}
