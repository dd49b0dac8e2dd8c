//! Explorations by several threads, and with fingerprints, say what one thread says with exact states.

use explore::protocol::{Exploration, Finding, Means, Store, Verdict, explore_by};
use explore::search::Limits;
use simulate::stepper::{Move, Scope, Symmetry};
use slicc::mutant::{made, named};
use slicc::protocol::Protocol;

fn run(protocol: &Protocol, scope: &Scope, store: Store, jobs: usize) -> Exploration {
    let limits = Limits { states: Some(8_000), ..Limits::default() };
    let means = Means { store, jobs, ..Means::default() };
    explore_by(protocol, scope, &means, &limits, &mut |_| {}).expect("the protocol fits")
}

fn tiny() -> Scope {
    let symmetries = vec![Symmetry::Cores, Symmetry::Lines];
    Scope { lines: 2, tiny: true, symmetries, ..Scope::default() }
}

/// All that an exploration says, but for times and memory.
pub fn said(exploration: &Exploration) -> (String, Vec<Move>, [u64; 4], Vec<Vec<Move>>) {
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
            // Only exact states tell which of them end well.
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
