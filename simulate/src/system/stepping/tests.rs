use std::collections::BTreeSet;

use slicc::protocol::Protocol;
use slicc::setting::Setting;

use super::values::Renaming;
use crate::ruby::delays::Delays;
use crate::stepper::{Action, Move, Scope, Stepper, Values};

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
    let renaming = Renaming::new(stepper.values, stepper.cores(), stepper.loads());
    stepper.freeze(&renaming)
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
                // What has been done before has no influence.
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
    let (described, outcome) = stepper.describe(&state, load);
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
