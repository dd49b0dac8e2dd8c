//! Walks through systems that are not explored completely.

use std::collections::BTreeSet;

use explore::protocol::cover::{Table, Walker};
use explore::protocol::explore;
use explore::search::Limits;
use simulate::stepper::{Repertoire, Scope, Stepper};
use simulate::system::{entry_of, triple_of};
use slicc::protocol::Protocol;

/// The rows of a protocol that walks through a system take.
fn taken(protocol: &Protocol, table: &Table, scope: &Scope, walks: u32) -> (Walker, Vec<u32>) {
    let open: BTreeSet<u32> = table.rows().map(|row| row.triple).collect();
    let mut walker = Walker::new(protocol, scope, 1).unwrap();
    let taken = walker.walk(table, &open, None, walks);
    (walker, taken)
}

/// The names of a run's transitions, made anew in whole states from the first one on: those that it takes, in order.
fn replayed(
    protocol: &Protocol,
    scope: &Scope,
    happens: &[String],
) -> Vec<(String, String, String)> {
    let mut stepper = Stepper::new(protocol, scope).unwrap();
    let mut state = stepper.first();
    let mut under_way = simulate::stepper::UnderWay::default();
    for text in happens {
        let next = stepper.moves(&state).into_iter().find_map(|chosen| {
            let mut way = under_way.clone();
            let (described, outcome) = stepper.describe(&state, chosen, &mut way);
            (described.happens == *text).then_some((outcome, way))
        });
        let (outcome, way) = next.unwrap_or_else(|| panic!("{text} is not possible"));
        under_way = way;
        let Ok(after) = outcome.state else { break };
        state = after;
    }
    let covered = stepper.system().coverage();
    covered
        .iter()
        .map(|row| [row.machine, row.state, row.event].map(str::to_owned).into())
        .collect()
}

#[test]
fn walks_take_what_an_exploration_takes() {
    let protocol = Protocol::open("MI_example").unwrap();
    let table = Table::of(&protocol);
    for scope in [
        Scope::default(),
        Scope { lines: 2, tiny: true, ..Scope::default() },
        Scope {
            repertoire: Repertoire { devices: 1, ..Repertoire::default() },
            ..Scope::default()
        },
    ] {
        let all = explore(&protocol, &scope, &Limits::default(), &mut |_| {}).unwrap();
        let all: BTreeSet<u32> = all
            .taken
            .iter()
            .filter_map(|(machine, state, event)| triple_of(&protocol, machine, state, event))
            .filter(|&triple| table.row(triple).is_some())
            .collect();
        let (_, walked) = taken(&protocol, &table, &scope, 1500);
        assert_eq!(walked.into_iter().collect::<BTreeSet<u32>>(), all);
    }
}

#[test]
fn the_run_to_a_row_takes_it_in_its_last_move() {
    for name in ["MI_example", "MESI_Two_Level", "MOESI_hammer"] {
        let protocol = Protocol::open(name).unwrap();
        let table = Table::of(&protocol);
        let scope = Scope { lines: 2, tiny: true, ..Scope::default() };
        let (mut walker, taken) = taken(&protocol, &table, &scope, 300);
        assert!(taken.len() > 20, "{name}: {}", taken.len());
        for &triple in taken.iter().step_by(5) {
            let moves = walker.moves_to(triple).unwrap();
            let run = walker.run_to(triple, &moves).unwrap();
            assert!(!run.steps.is_empty() && run.steps.len() <= moves.len());
            let entry = entry_of(&protocol, triple).unwrap();
            let last = &run.steps.last().unwrap().effects;
            let transition = format!(": {} {} -> ", entry.state, entry.event);
            assert!(last.iter().any(|effect| effect.contains(&transition)), "{entry}: {last:?}");
            let happens: Vec<String> = run.steps.iter().map(|step| step.happens.clone()).collect();
            let row = (entry.machine.clone(), entry.state.clone(), entry.event.clone());
            assert!(replayed(&protocol, &scope, &happens).contains(&row), "{entry}");
        }
    }
}

#[test]
fn a_seed_makes_the_same_walks() {
    let protocol = Protocol::open("MESI_Two_Level").unwrap();
    let table = Table::of(&protocol);
    let scope = Scope { lines: 2, tiny: true, caches: 3, ..Scope::default() };
    let runs = || {
        let (walker, taken) = taken(&protocol, &table, &scope, 60);
        let moves: Vec<_> = taken.iter().map(|&triple| walker.moves_to(triple)).collect();
        (taken, moves)
    };
    assert_eq!(runs(), runs());
}

#[test]
fn walks_towards_a_row_take_it() {
    let protocol = Protocol::open("MESI_Two_Level").unwrap();
    let table = Table::of(&protocol);
    let scope = Scope { lines: 2, tiny: true, ..Scope::default() };
    let triple = triple_of(&protocol, "L1Cache", "M_I", "Fwd_GETX").unwrap();
    let open = BTreeSet::from([triple]);
    let mut walker = Walker::new(&protocol, &scope, 1).unwrap();
    let needed = (1..200).find(|_| !walker.walk(&table, &open, Some(triple), 10).is_empty());
    assert!(needed.is_some());
}

#[test]
fn a_walk_that_fails_has_a_short_run() {
    let protocol = Protocol::open("MI_example").unwrap();
    let mutant = mutate::named::find("mi-l1-nack-before-forward").unwrap();
    let protocol = protocol.with(&mutant).unwrap();
    let table = Table::of(&protocol);
    let scope = Scope { lines: 2, tiny: true, ..Scope::default() };
    let (mut walker, _) = taken(&protocol, &table, &scope, 300);
    assert!(walker.findings().len() > 0);
    let run = walker.run_to_finding(0).unwrap();
    let violation = run.violation.as_ref().unwrap();
    let sentence = violation.sentence();
    assert!(sentence.contains("event: Writeback_Nack state: MI"), "{sentence}");
    // A shortest run has 10 moves apart from those of memory; that of a walk has at most 400.
    assert!((10..=60).contains(&violation.steps.len()), "{}", violation.steps.len());
    assert!(walker.run_to_finding(1000).is_none());
    let again = Walker::new(&protocol, &scope, 9).unwrap().replay(&run.choices).unwrap();
    assert_eq!(again.violation.unwrap().sentence(), sentence);
    assert_eq!((&again.rows, &again.choices), (&run.rows, &run.choices));
    let followed = Walker::new(&protocol, &scope, 9).unwrap().follow(&run.steps).unwrap();
    assert_eq!((followed.rows, followed.choices), (again.rows, again.choices));
    let correct = Protocol::open("MI_example").unwrap();
    let same = Walker::new(&correct, &scope, 9).unwrap().follow(&run.steps).unwrap();
    assert!(same.violation.is_none());
}

#[test]
fn a_walk_into_a_deadlock_has_a_short_run() {
    let protocol = Protocol::open("MI_example").unwrap();
    let id = "MI_example/L1Cache/action:pass_block_on/message-not-sent:response_out@1";
    let mutant = mutate::made::by(&protocol, &[]).into_iter().find(|one| one.name == id);
    let protocol = protocol.with(&mutant.unwrap()).unwrap();
    let table = Table::of(&protocol);
    let scope = Scope::default();
    let (mut walker, _) = taken(&protocol, &table, &scope, 300);
    let names: Vec<_> = walker.findings().map(|(finding, ..)| finding.name()).collect();
    assert_eq!(names, ["deadlock"]);
    let run = walker.run_to_finding(0).unwrap();
    let violation = run.violation.as_ref().unwrap();
    assert!(!violation.left.is_empty() && violation.steps.len() < 60, "{violation:?}");
    let again = Walker::new(&protocol, &scope, 9).unwrap().replay(&run.choices).unwrap();
    assert_eq!(again.violation.unwrap().left, violation.left);
    let all = explore(&protocol, &scope, &Limits::default(), &mut |_| {}).unwrap();
    assert!(matches!(all.verdict, explore::protocol::Verdict::Found(_)));
}
