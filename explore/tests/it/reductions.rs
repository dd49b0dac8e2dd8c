//! Explorations with and without symmetry, partial order and live variables have the same results.

use std::io::Write;
use std::path::Path;

use explore::protocol::{
    Exploration, LiveVariables, PartialOrder, SearchOptions, Verdict, explore_by,
};
use explore::search::Limits;
use mutate::{Mutant, made, named};
use simulate::stepper::{Move, Scope, Symmetry};
use slicc::load::load_with;
use slicc::protocol::{BLOCK_BYTES, Protocol};

const PROTOCOLS: [&str; 4] = ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"];

/// Some mutants have more states than any limit.
const MOST: usize = 30_000;

const BOTH: [Symmetry; 2] = [Symmetry::Cores, Symmetry::Lines];

fn run(protocol: &Protocol, scope: &Scope, symmetries: &[Symmetry]) -> Exploration {
    run_by(protocol, scope, symmetries, false)
}

fn run_by(
    protocol: &Protocol,
    scope: &Scope,
    symmetries: &[Symmetry],
    partial_order: bool,
) -> Exploration {
    let scope = Scope { symmetries: symmetries.to_vec(), ..scope.clone() };
    let limits = Limits { states: Some(MOST), ..Limits::default() };
    let search_options = SearchOptions { partial_order, ..SearchOptions::default() };
    explore_by(protocol, &scope, &search_options, &limits, &mut |_| {}).expect("the protocol fits")
}

/// The kind of finding of an exploration, the number of moves to it, and the number of these that are not memory's.
fn found(exploration: &Exploration) -> Option<(&'static str, usize, usize)> {
    let Verdict::Found(found) = &exploration.verdict else { return None };
    let others = found.moves.iter().filter(|one| !matches!(one, Move::Memory { .. }));
    Some((found.finding.name(), found.moves.len(), others.count()))
}

/// Checks that partial order changes no verdict. Each exploration stops at what is nearest in its own count of moves, so of several
/// faults they may find different ones.
fn check_partial_order(whole: &Exploration, reduced: &Exploration, name: &str) {
    assert_eq!(reduced.partial_order, PartialOrder::On, "{name}");
    match (found(whole), found(reduced)) {
        (None, None) => assert_eq!(said(whole), said(reduced), "{name}"),
        (Some((what, moves, others)), Some((same, reduced_moves, reduced_others))) => {
            let fits = moves <= reduced_moves && others >= reduced_others;
            assert!(fits, "{name}: {moves} {others}, {reduced_moves} {reduced_others}");
            let is_as_near = (moves, others) == (reduced_moves, reduced_others);
            assert!(!is_as_near || what == same, "{name}: {what}, {same}");
        }
        different => panic!("{name}: {different:?}"),
    }
}

/// The kind of finding of an exploration, the number of moves to it, and the number of warnings.
fn said(exploration: &Exploration) -> (String, usize, usize) {
    let (what, moves) = match &exploration.verdict {
        Verdict::Clean | Verdict::Unproved { .. } => ("nothing".to_owned(), 0),
        Verdict::Stopped(why) => panic!("stopped: {why:?}"),
        Verdict::Found(found) => {
            let fault = found.fault.as_ref().map(|fault| fault.kind.name());
            (format!("{} {fault:?}", found.finding.name()), found.steps.len())
        }
    };
    // An exploration that ends with a finding may not have reached warnings that another order of moves reaches.
    let warnings = if moves == 0 { exploration.warnings.len() } else { 0 };
    (what, moves, warnings)
}

/// Compares explorations of a mutant with two caches and a line. Returns whether they came to an end.
fn compare(name: &str, mutant: &Mutant) -> bool {
    let original = Protocol::open(name).expect("it is built in");
    let Ok(protocol) = original.with(mutant) else { return false };
    let scope = Scope::default();
    let whole = run(&protocol, &scope, &[]);
    if matches!(whole.verdict, Verdict::Stopped(_)) {
        return false;
    }
    let symmetric = run(&protocol, &scope, &BOTH);
    assert_eq!(said(&whole), said(&symmetric), "{name} with {}", mutant.name);
    let reduced = run_by(&protocol, &scope, &BOTH, true);
    check_partial_order(&whole, &reduced, &mutant.name);
    let live = run(&protocol, &Scope { live_variables: true, ..scope }, &BOTH);
    assert_eq!(said(&whole), said(&live), "{name} with {}", mutant.name);
    assert!(live.progress.states <= symmetric.progress.states, "{name} with {}", mutant.name);
    if matches!(whole.verdict, Verdict::Clean) {
        for one in [symmetric, reduced, live] {
            assert_eq!(whole.taken, one.taken, "{name} with {}", mutant.name);
        }
    }
    true
}

fn mutants(name: &str, step: usize) -> Vec<Mutant> {
    let protocol = Protocol::open(name).expect("it is built in");
    let made = made::by(&protocol, &[]).into_iter().step_by(step);
    named::of(name).chain(made).collect()
}

fn compare_all(step: usize, least: usize) {
    let all = PROTOCOLS
        .iter()
        .flat_map(|&name| mutants(name, step).into_iter().map(move |mutant| (name, mutant)));
    let compared = all.filter(|(name, mutant)| compare(name, mutant)).count();
    assert!(compared >= least, "{compared} of at least {least}");
}

#[test]
fn mutants_have_the_same_findings() {
    compare_all(199, 30);
}

/// Takes five minutes, so it runs only if RUBRIC_SLOW is set, as after changes of reductions.
#[test]
#[ignore = "takes minutes"]
fn three_hundred_mutants_have_the_same_findings() {
    if std::env::var_os("RUBRIC_SLOW").is_none() {
        // The test harness would capture the output of `println!`.
        std::io::stdout().write_all(b"skipped: there is no RUBRIC_SLOW\n").unwrap();
        return;
    }
    compare_all(12, 300);
}

#[test]
fn states_are_as_many_as_there_are_orbits() {
    let scope = Scope::default();
    let protocol = Protocol::open("MI_example").expect("it is built in");
    let whole = run(&protocol, &scope, &[]).progress.states;
    let reduced = run(&protocol, &scope, &[Symmetry::Cores]);
    assert_eq!(reduced.symmetries, [Symmetry::Cores]);
    // Of 501 states all but three are different if the cores change places.
    assert_eq!((whole, reduced.progress.states), (501, 252));
}

#[test]
fn a_run_through_representatives_has_names_of_its_own() {
    let protocol = Protocol::open("MI_example").expect("it is built in");
    let mutant = named::find("mi-l1-nack-before-forward").expect("it is known");
    let protocol = protocol.with(&mutant).expect("it fits");
    let tiny = Scope { lines: 2, tiny: true, ..Scope::default() };
    let reduced = run(&protocol, &tiny, &BOTH);
    assert_eq!(reduced.symmetries, [Symmetry::Cores, Symmetry::Lines]);
    let whole = run(&protocol, &tiny, &[]);
    assert_eq!(said(&whole), said(&reduced));
    assert!(3 * reduced.progress.states < whole.progress.states);
}

#[test]
fn memory_performs_requests_at_once() {
    let protocol = Protocol::open("MI_example").expect("it is built in");
    let tiny = Scope { lines: 2, tiny: true, ..Scope::default() };
    let limits = Limits::default();
    let explored = [false, true].map(|partial_order| {
        let scope = Scope { symmetries: BOTH.to_vec(), ..tiny.clone() };
        let search_options = SearchOptions { partial_order, ..SearchOptions::default() };
        explore_by(&protocol, &scope, &search_options, &limits, &mut |_| {})
            .expect("the protocol fits")
    });
    let [whole, reduced] = &explored;
    assert_eq!(said(whole), said(reduced));
    assert_eq!(whole.taken, reduced.taken);
    assert_eq!((whole.progress.states, reduced.progress.states), (212_207, 115_194));
    assert_eq!(
        [whole, reduced].map(|one| one.partial_order),
        [PartialOrder::Off, PartialOrder::On]
    );
}

/// MI_example with further statements in an action that asks memory to read.
fn asking_memory(further: &str) -> Protocol {
    let action = "action(fetch_for_cache, \"mf\", desc=\"Let memory read\") {";
    changed_mi_example(&[(action, &format!("{action} {further}"))])
}

/// MI_example with some texts replaced.
fn changed_mi_example(changes: &[(&str, &str)]) -> Protocol {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/protocols"));
    let loaded = load_with(&folder.join("MI_example.slicc"), &mut |path| {
        let text = std::fs::read_to_string(path)?;
        Ok(changes.iter().fold(text, |all, (text, other)| all.replace(text, other)).into_bytes())
    });
    let protocol = loaded.and_then(|loaded| Protocol::new(loaded, BLOCK_BYTES));
    protocol.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

#[test]
fn who_sees_that_requests_to_memory_wait_has_no_partial_order() {
    // Memory has always performed one request before the next one is made, if it does so at once.
    let seen = asking_memory("assert(memory_out.getSize(clockEdge()) == 0);");
    let scope = Scope { lines: 2, ..Scope::default() };
    let [whole, reduced] = [false, true].map(|order| run_by(&seen, &scope, &BOTH, order));
    assert_eq!(reduced.partial_order, PartialOrder::Refused);
    assert!(said(&whole).0.contains("fault"), "{:?}", said(&whole));
    assert_eq!(said(&whole), said(&reduced));
    let same = run_by(&asking_memory(""), &scope, &BOTH, true);
    assert_eq!(same.partial_order, PartialOrder::On);
}

#[test]
fn what_is_not_read_before_it_is_written_makes_no_difference() {
    let tiny = Scope { lines: 2, tiny: true, ..Scope::default() };
    let both = [false, true].map(|live_variables| {
        let scope = Scope { live_variables, symmetries: BOTH.to_vec(), ..tiny.clone() };
        let protocol = Protocol::open("MI_example").expect("it is built in");
        let (search_options, limits) =
            (SearchOptions { partial_order: true, ..SearchOptions::default() }, Limits::default());
        explore_by(&protocol, &scope, &search_options, &limits, &mut |_| {})
            .expect("the protocol fits")
    });
    let [whole, live] = &both;
    assert_eq!(
        [whole, live].map(|one| one.live_variables),
        [LiveVariables::Off, LiveVariables::On]
    );
    assert_eq!((said(whole), &whole.taken), (said(live), &live.taken));
    assert!(2 * live.progress.states < whole.progress.states, "{:?}", live.progress);
}

#[test]
fn a_tbe_with_another_state_than_its_line_has_no_live_variables() {
    // The entry knows the state as well, as long as there is one, so nothing else changes.
    let read = "return tbe.TBEState;\n    }\n    if (is_valid(cache_entry)) {";
    let set = "tbe.TBEState := state;\n    }\n    if (is_valid(cache_entry)) {";
    let first = "if (is_invalid(cache_entry)) { return tbe.TBEState; }\n    }\n    if (is_valid(cache_entry)) {";
    let alone = "if (is_invalid(cache_entry)) { tbe.TBEState := state; }\n    }\n    if (is_valid(cache_entry)) {";
    let scope = Scope { live_variables: true, ..Scope::default() };
    let same = run(&changed_mi_example(&[(read, first)]), &scope, &BOTH);
    assert_eq!(same.live_variables, LiveVariables::On);
    let both = [true, false].map(|live_variables| {
        let protocol = changed_mi_example(&[(read, first), (set, alone)]);
        run(&protocol, &Scope { live_variables, ..scope.clone() }, &BOTH)
    });
    assert_eq!(both[0].live_variables, LiveVariables::Refused);
    assert_eq!(said(&both[0]), said(&both[1]));
    assert_eq!(said(&both[0]).0, "nothing");
}
