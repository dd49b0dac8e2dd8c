//! Explorations with and without symmetry say the same.

use explore::protocol::{Exploration, Verdict, explore};
use explore::search::Limits;
use simulate::stepper::{Scope, Symmetry};
use slicc::mutant::{Mutant, made, named};
use slicc::protocol::Protocol;

const PROTOCOLS: [&str; 4] = ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"];

/// Some mutants have more states than any limit.
const MOST: usize = 30_000;

fn run(protocol: &Protocol, scope: &Scope, symmetries: &[Symmetry]) -> Exploration {
    let scope = Scope { symmetries: symmetries.to_vec(), ..scope.clone() };
    let limits = Limits { states: Some(MOST), ..Limits::default() };
    explore(protocol, &scope, &limits, &mut |_| {}).expect("the protocol fits")
}

/// What an exploration found: the kind of finding, the number of moves to it, and the places of warnings.
fn said(exploration: &Exploration) -> (String, usize, usize) {
    let (what, moves) = match &exploration.verdict {
        Verdict::Clean | Verdict::Unproved { .. } => ("nothing".to_owned(), 0),
        Verdict::Stopped(why) => panic!("stopped: {why:?}"),
        Verdict::Found(found) => {
            let fault = found.fault.as_ref().map(|fault| fault.kind.name());
            (format!("{} {fault:?}", found.finding.name()), found.steps.len())
        }
    };
    // A run that ends early has no time for warnings that another one of its length has.
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
    let reduced = run(&protocol, &scope, &[Symmetry::Cores, Symmetry::Lines]);
    assert_eq!(said(&whole), said(&reduced), "{name} with {}", mutant.name);
    if matches!(whole.verdict, Verdict::Clean) {
        assert_eq!(whole.taken, reduced.taken, "{name} with {}", mutant.name);
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
    let reduced = run(&protocol, &tiny, &[Symmetry::Cores, Symmetry::Lines]);
    assert_eq!(reduced.symmetries, [Symmetry::Cores, Symmetry::Lines]);
    let whole = run(&protocol, &tiny, &[]);
    assert_eq!(said(&whole), said(&reduced));
    assert!(3 * reduced.progress.states < whole.progress.states);
}
