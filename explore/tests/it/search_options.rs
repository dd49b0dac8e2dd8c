//! Explorations by several threads, and with fingerprints, have the results of one thread with exact states.

use explore::protocol::{Exploration, Finding, SearchOptions, Store, Verdict, explore_by};
use explore::search::Limits;
use mutate::{made, named};
use simulate::stepper::{Move, Scope, Symmetry};
use slicc::protocol::Protocol;

fn run(protocol: &Protocol, scope: &Scope, store: Store, jobs: usize) -> Exploration {
    let limits = Limits { states: Some(8_000), ..Limits::default() };
    let search_options = SearchOptions { store, jobs, ..SearchOptions::default() };
    explore_by(protocol, scope, &search_options, &limits, &mut |_| {}).expect("the protocol fits")
}

fn tiny() -> Scope {
    let symmetries = vec![Symmetry::Cores, Symmetry::Lines];
    Scope { lines: 2, tiny: true, symmetries, ..Scope::default() }
}

/// The result of an exploration without times and memory, for comparison.
pub(crate) fn said(exploration: &Exploration) -> (String, Vec<Move>, [u64; 4], Vec<Vec<Move>>) {
    let (what, moves) = match &exploration.verdict {
        Verdict::Clean | Verdict::Unproved { .. } => ("nothing".to_owned(), Vec::new()),
        Verdict::Stopped(why) => (format!("{why:?}"), Vec::new()),
        Verdict::Found(found) => (format!("{:?}", found.finding), found.moves.clone()),
    };
    let progress = &exploration.progress;
    let counts =
        [progress.states as u64, progress.open as u64, progress.moves, progress.depth.into()];
    let warnings = exploration.warnings.iter().map(|warned| warned.moves.clone());
    (what, moves, counts, warnings.collect())
}

/// The protocols and some of their mutants.
fn protocols(step: usize) -> Vec<Protocol> {
    let mut all = Vec::new();
    for name in ["MI_example", "MESI_Two_Level", "MOESI_hammer"] {
        let original = Protocol::open(name).expect("it is built in");
        let made = made::by(&original, &[]).into_iter().step_by(step);
        let mutants: Vec<_> = named::of(name).step_by(3).chain(made).collect();
        all.extend(mutants.iter().filter_map(|mutant| original.with(mutant).ok()));
        all.push(original);
    }
    all
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut found = 0;
    for protocol in protocols(997) {
        let alone = run(&protocol, &tiny(), Store::Exact, 1);
        for jobs in [2, 3] {
            let together = run(&protocol, &tiny(), Store::Exact, jobs);
            assert_eq!(said(&alone), said(&together), "{jobs}, {:?}", protocol.loaded.mutant);
        }
        found += u32::from(matches!(alone.verdict, Verdict::Found(_)));
    }
    assert!(found > 1, "{found}");
}

#[test]
fn fingerprints_stand_for_states() {
    let (mut found, mut unproved) = (0, 0);
    for protocol in protocols(997) {
        for scope in [tiny(), Scope::default()] {
            let exact = run(&protocol, &scope, Store::Exact, 1);
            let compact = run(&protocol, &scope, Store::Compact, 2);
            match &compact.verdict {
                Verdict::Unproved { missed } => {
                    assert!((0.0..1e-10).contains(missed), "{missed}");
                    unproved += 1;
                }
                Verdict::Clean => panic!("it is no proof"),
                Verdict::Stopped(_) => {}
                Verdict::Found(_) => found += 1,
            }
            // Livelocks are found with exact states only.
            if let Verdict::Found(found) = &exact.verdict
                && matches!(found.finding, Finding::Livelock { .. })
            {
                continue;
            }
            assert_eq!(said(&exact), said(&compact), "{:?}", protocol.loaded.mutant);
        }
    }
    assert!(found > 1 && unproved > 1, "{found} found, {unproved} unproved");
}

#[test]
fn fingerprints_stand_for_all_states_of_small_systems() {
    let two = Scope { lines: 2, ..tiny() };
    let scopes = [
        Scope { lines: 1, tiny: false, ..tiny() },
        Scope { tiny: false, ..two.clone() },
        Scope { caches: 3, lines: 1, tiny: false, ..two },
    ];
    for name in ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"] {
        let protocol = Protocol::open(name).expect("it is built in");
        for scope in &scopes {
            let by = |store, jobs| {
                let search_options = SearchOptions { store, jobs, partial_order: true };
                let explored =
                    explore_by(&protocol, scope, &search_options, &Limits::default(), &mut |_| {});
                explored.expect("the protocol fits")
            };
            let (exact, compact) = (by(Store::Exact, 1), by(Store::Compact, 2));
            assert!(matches!(exact.verdict, Verdict::Clean), "{name}");
            assert!(matches!(compact.verdict, Verdict::Unproved { .. }), "{name}");
            assert_eq!(said(&exact), said(&compact), "{name}");
            assert_eq!(exact.taken, compact.taken, "{name}");
        }
    }
}

#[test]
fn a_fingerprint_takes_few_bytes() {
    let protocol = Protocol::open("MESI_Two_Level").expect("it is built in");
    let limits = Limits { states: Some(200_000), ..Limits::default() };
    let search_options = SearchOptions { store: Store::Compact, jobs: 1, partial_order: true };
    let explored = explore_by(&protocol, &tiny(), &search_options, &limits, &mut |_| {});
    let progress = explored.expect("the protocol fits").progress;
    // The memory for parts and learnt moves does not grow with the number of states, so it is not counted.
    let bytes = progress.bytes - progress.bytes_of_parts - progress.bytes_of_moves;
    assert!(bytes < 15 * progress.states, "{bytes} bytes for {} states", progress.states);
}
