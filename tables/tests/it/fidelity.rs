//! Tables of runs on rubric's simulator and in gem5: what is written is read back, and recognised among others.

use tables::results::Results;
use tables::{
    FidelityRun, Place, RunOutcome, TableKind, TransitionPair, kind, write_fidelity,
    write_transition_pairs,
};

/// Every field has another value, so that no two can be mixed up.
fn run(place: Place) -> FidelityRun {
    let some = |text: &str| Some(text.to_owned());
    FidelityRun {
        protocol: "MI_example".to_owned(),
        mutant: some("mi-l1-nack-before-forward"),
        client: "early-8".to_owned(),
        model: "sc".to_owned(),
        number: 1,
        place,
        lineage: "17".to_owned(),
        threads: 2,
        operations: 3,
        transitions: 4,
        ticks: 5,
        outcome: RunOutcome::ProtocolError,
        fault: some("invalid transition"),
        message: some("Invalid transition"),
        finder: some("protocol error"),
        detected: Some(6),
        seconds: 0.5,
    }
}

fn pair(simulator: u64, gem5: u64) -> TransitionPair {
    TransitionPair {
        protocol: "MI_example".to_owned(),
        mutant: None,
        machine: "L1Cache".to_owned(),
        state: "I".to_owned(),
        event: "Load".to_owned(),
        simulator,
        gem5,
    }
}

/// Comparisons with other seeds number their programs from 0, too.
#[test]
fn comparisons_of_a_mutant_are_one() {
    let other = FidelityRun { lineage: "101".to_owned(), ..run(Place::Gem5) };
    let mut results = Results {
        fidelity: vec![run(Place::Gem5), other.clone(), other],
        transition_pairs: vec![pair(7, 8), pair(1, 2), pair(7, 8)],
        ..Results::default()
    };
    results.tidy();
    let lineages: Vec<&str> = results.fidelity.iter().map(|run| &*run.lineage).collect();
    assert_eq!(lineages, ["101", "17"]);
    assert_eq!(results.transition_pairs, [pair(8, 10)]);
}

#[test]
fn both_tables_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let [runs, pairs] = ["a", "b"].map(|stem| folder.path().join(stem).with_extension("parquet"));
    let pair = pair(7, 8);
    write_fidelity(&runs, &[run(Place::Gem5), run(Place::Simulator)]).unwrap();
    write_transition_pairs(&pairs, std::slice::from_ref(&pair)).unwrap();
    assert_eq!(kind(&runs).unwrap(), Some(TableKind::Fidelity));
    assert_eq!(kind(&pairs).unwrap(), Some(TableKind::TransitionPairs));
    let results = Results::read(folder.path()).unwrap();
    assert_eq!(results.fidelity, [run(Place::Simulator), run(Place::Gem5)]);
    assert_eq!(results.transition_pairs, [pair]);
    assert!(!results.is_empty());
}
