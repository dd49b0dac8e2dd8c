//! Tests of shrinking: the shrunk history violates the model, no operation of it can be removed, and it gets the
//! name of its litmus test.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::common::{MODELS, Mix, certified, change_reads, print, program, run, seeded};
use check::shrink::closure::Requirements;
use check::shrink::{Shrunk, Size, litmus_shape, shrink};
use check::{Bounds, Model, Options, Verdict, check};
use history::{
    Access, Ambiguity, History, HistoryBuilder, Initial, Kind, OpId, Place, Provenance, ReadsFrom,
};
use rand::RngExt;

fn shrunk(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    bounds: &Bounds,
) -> Option<Shrunk> {
    let Verdict::Violation(violation) =
        check(history, reads_from, model, &Options::default()).verdict
    else {
        return None;
    };
    shrink(history, reads_from, model, &violation, bounds, &mut |_| {})
}

fn read(text: &str) -> History {
    let text = format!("{text}\ncheck\n");
    let mut trace = ingest::read(text.as_bytes(), "test", &Default::default()).unwrap();
    trace.histories.remove(0)
}

/// The operation `gone` and all operations that require it, directly or through others.
fn with_dependents(requirements: &Requirements<'_>, ops: &[OpId], gone: OpId) -> BTreeSet<OpId> {
    let mut all = BTreeSet::from([gone]);
    loop {
        let depends = |op: &&OpId| {
            let mut needed = Vec::new();
            requirements.needs(**op, &mut needed);
            !all.contains(*op) && needed.iter().any(|it| all.contains(it))
        };
        let Some(&next) = ops.iter().find(depends) else {
            return all;
        };
        all.insert(next);
    }
}

/// Checks that no operation can be removed, together with those that depend on it, and so no set of
/// operations either.
fn assert_minimal(history: &History, reads_from: &ReadsFrom, model: Model, part: &Shrunk) {
    let requirements = Requirements::of(history, reads_from, model);
    for &gone in &part.kept {
        let gone = with_dependents(&requirements, &part.kept, gone);
        let (rest, kept) = history.restrict(|op| part.kept.contains(&op) && !gone.contains(&op));
        let verdict = check(&rest, &reads_from.restrict(&kept), model, &Options::default()).verdict;
        // The empty history is undecided.
        assert!(
            matches!(verdict, Verdict::Consistent(_)) || rest.is_empty(),
            "{model}: {gone:?} could go from {:?} of\n{}",
            part.kept,
            print(history)
        );
    }
}

#[test]
fn the_result_is_a_violation_and_minimal() {
    let mut found = [0; MODELS.len()];
    for seed in 0..900 {
        let mut random = seeded(seed);
        let mix = Mix {
            threads: random.random_range(2..=4),
            operations: random.random_range(6..=40),
            locations: random.random_range(1..=4),
            linked: random.random_bool(0.3),
        };
        let accesses = program(&mut random, mix);
        let finals = random.random_bool(0.3);
        let number = random.random_range(0..MODELS.len());
        let model = MODELS[number];
        let Some(history) = run(&mut random, &accesses, MODELS[MODELS.len() - 1 - number], finals)
        else {
            continue;
        };
        let history = change_reads(&mut random, &history, (seed % 4) as usize);
        let Ok(reads_from) = ReadsFrom::derive(&history, Ambiguity::Refuse) else {
            continue;
        };
        let Some(part) = shrunk(&history, &reads_from, model, &Bounds::none()) else {
            continue;
        };
        found[number] += 1;
        assert!(part.is_minimal);
        let verdict = Verdict::Violation(part.violation.clone());
        assert_eq!(certified(&part.history, model, &verdict), Some(false));
        // The proof also holds for the whole history.
        let verdict = Verdict::Violation(part.violation_in(&history));
        assert_eq!(certified(&history, model, &verdict), Some(false));
        assert_minimal(&history, &reads_from, model, &part);
        let again = shrunk(&history, &reads_from, model, &Bounds::none()).unwrap();
        assert_eq!(again.kept, part.kept);
    }
    assert!(found.iter().all(|&count| count > 40), "{found:?}");
}

#[test]
fn few_threads_come_before_few_operations() {
    // Three threads suffice for a short violation, two for a longer one.
    let history = read(
        "0: M[0] := 1
1: M[0] == 1
1: M[1] := 1
2: M[1] == 1
2: M[0] == 0
3: M[2] := 1
3: M[3] := 1
3: M[3] := 2
4: M[3] == 2
4: M[4] := 1
3: M[4] == 1
4: M[2] == 0",
    );
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    let part = shrunk(&history, &reads_from, Model::SC, &Bounds::none()).unwrap();
    let size = Size::of(&part.history);
    assert_eq!((size.threads, size.locations, size.operations), (2, 2, 4));
    assert_eq!(part.history.threads()[0].label, 3);
    assert_minimal(&history, &reads_from, Model::SC, &part);
}

#[test]
fn a_thin_air_read_alone_is_a_violation_and_a_lost_source_is_none() {
    let history = read("0: M[0] := 1\n1: M[0] == 1\n1: M[1] == 7\n0: M[1] := 2");
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    let part = shrunk(&history, &reads_from, Model::TSO, &Bounds::none()).unwrap();
    assert_eq!(print(&part.history), "1:0 load M[1] == 7\n");
}

#[test]
fn ambiguous_reads_keep_all_their_candidates() {
    // Whichever of the two writes is the source, it is overwritten before the read.
    let history = read(
        "0: M[0] := 1\n0: M[0] := 2\n0: M[1] := 1\n1: M[0] := 1\n1: M[0] := 3\n1: M[2] := 1\n2: M[1] == 1\n2: M[2] == 1\n2: M[0] == 1\n2: M[3] := 5",
    );
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep).unwrap();
    let part = shrunk(&history, &reads_from, Model::SC, &Bounds::none()).unwrap();
    assert_minimal(&history, &reads_from, Model::SC, &part);
    assert_eq!(part.reads_from.ambiguous(), 1);
    let writes_of_one = part.history.ops().filter(|&op| {
        let is_first = part.history.location(op) == Some(0);
        is_first && part.history.written(op) == Some(1)
    });
    assert_eq!(writes_of_one.count(), 2);
}

#[test]
fn a_store_conditional_keeps_its_load_linked_across_own_writes() {
    let operations = [
        (0, Kind::LoadLinked, 0),
        (0, Kind::LoadLinked, 1),
        (0, Kind::Store, 2),
        (0, Kind::StoreConditional, 3),
        (1, Kind::Store, 1),
        (2, Kind::Load, 1),
        (2, Kind::Load, 2),
    ];
    let mut builder = HistoryBuilder::new();
    for (sequence, (thread, kind, value)) in (0..).zip(operations) {
        builder.push(Access {
            sequence,
            read: kind.reads().then_some(value),
            written: kind.writes().then_some(value),
            ..Access::new(thread, kind, Place::Cell(0))
        });
    }
    let history = builder.finish(Default::default(), &Initial::Zero, Provenance::made());
    let history = history.unwrap();
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    let ops: Vec<OpId> = history.ops().collect();
    for model in [Model::RVWMO, Model::SC] {
        let requirements = Requirements::of(&history, &reads_from, model);
        for &gone in &ops {
            let gone = with_dependents(&requirements, &ops, gone);
            let (rest, kept) = history.restrict(|op| !gone.contains(&op));
            let part = check(&rest, &reads_from.restrict(&kept), model, &Options::default());
            assert!(
                matches!(part.verdict, Verdict::Consistent(_)),
                "{model}: {}without {gone:?}",
                print(&history)
            );
        }
    }
}

#[test]
fn without_time_the_whole_history_is_returned() {
    let history = read("0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0\n2: M[2] := 1");
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    let bounds = Bounds::new(Some(Duration::ZERO), None);
    let part = shrunk(&history, &reads_from, Model::SC, &bounds).unwrap();
    assert!(!part.is_minimal);
    let verdict = Verdict::Violation(part.violation.clone());
    assert_eq!(certified(&part.history, Model::SC, &verdict), Some(false));
}

#[test]
fn histories_without_a_violating_operation_are_not_shrunk() {
    for text in ["0: M[0] := 1\n1: M[0] == 1", "0: M[0] := 1\nfinal M[0] == 7"] {
        let history = read(text);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        assert!(shrunk(&history, &reads_from, Model::SC, &Bounds::none()).is_none(), "{text}");
    }
}

#[test]
fn litmus_tests_have_their_names() {
    let tests = [
        ("SB", "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0"),
        ("MP", "0: M[0] := 1\n0: M[1] := 1\n1: M[1] == 1\n1: M[0] == 0"),
        ("LB", "0: M[0] == 1\n0: M[1] := 1\n1: M[1] == 1\n1: M[0] := 1"),
        ("S", "0: M[0] := 2\n0: M[1] := 1\n1: M[1] == 1\n1: M[0] := 1\nfinal M[0] == 2"),
        ("R", "0: M[0] := 1\n0: M[1] := 1\n1: M[1] := 2\n1: M[0] == 0\nfinal M[1] == 2"),
        // The last load determines the store order.
        ("R", "2: M[1] := 1\n2: M[0] == 1\n0: M[0] := 1\n0: M[0] := 2\n0: M[1] := 2\n0: M[1] == 1"),
        (
            "2+2W",
            "0: M[0] := 1\n0: M[1] := 2\n1: M[1] := 1\n1: M[0] := 2\nfinal M[0] == 1\nfinal M[1] == 1",
        ),
        ("WRC", "0: M[0] := 1\n1: M[0] == 1\n1: M[1] := 1\n2: M[1] == 1\n2: M[0] == 0"),
        ("RWC", "0: M[0] := 1\n1: M[0] == 1\n1: M[1] == 0\n2: M[1] := 1\n2: M[0] == 0"),
        (
            "IRIW",
            "0: M[0] := 1\n1: M[1] := 1\n2: M[0] == 1\n2: M[1] == 0\n3: M[1] == 1\n3: M[0] == 0",
        ),
        (
            "n6",
            "0: M[0] := 1\n0: M[0] == 1\n0: M[1] == 0\n1: M[1] := 2\n1: M[0] := 2\nfinal M[0] == 1",
        ),
        ("CoRR", "0: M[0] := 1\n1: M[0] == 1\n1: M[0] == 0"),
        ("CoRR", "0: M[0] := 1\n0: M[0] := 2\n1: M[0] == 2\n1: M[0] == 1"),
        ("CoWR", "0: M[0] := 1\n0: M[0] == 0"),
        ("CoWR", "0: M[0] := 1\n0: M[0] == 2\n1: M[0] := 2\nfinal M[0] == 1"),
        ("CoRW", "0: M[0] == 1\n0: M[0] := 1"),
        ("CoRW", "0: M[0] == 2\n0: M[0] := 1\n1: M[0] := 2\nfinal M[0] == 2"),
        ("CoWW", "0: M[0] := 1\n0: M[0] := 2\nfinal M[0] == 1"),
    ];
    for (name, text) in tests {
        let history = read(text);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let outcome = check(&history, &reads_from, Model::SC, &Options::default());
        let Verdict::Violation(violation) = outcome.verdict else {
            panic!("{name} is not SC");
        };
        let found = litmus_shape(&history, &violation);
        assert_eq!(found.map(|shape| shape.name), Some(name), "{text}\n{violation:?}");
        // The model makes no difference.
        for model in [Model::TSO, Model::PSO] {
            let outcome = check(&history, &reads_from, model, &Options::default());
            if let Verdict::Violation(violation) = outcome.verdict {
                let found = litmus_shape(&history, &violation).map(|shape| shape.name);
                assert_eq!(found, Some(name), "{model}: {text}");
            }
        }
        // The numbers of threads and locations do not matter, nor do further operations.
        let renamed = text.replace("M[0]", "M[9]").replace("0: ", "7: ");
        let more = format!("5: M[6] := 1\n{renamed}\n5: M[6] == 1");
        let history = read(&more);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let part = shrunk(&history, &reads_from, Model::SC, &Bounds::none()).unwrap();
        let found = litmus_shape(&part.history, &part.violation).map(|shape| shape.name);
        // The read of n6 is not needed for the violation.
        let wanted = if name == "n6" { "R" } else { name };
        assert_eq!(found, Some(wanted), "{more}");
    }
}

#[test]
fn other_cycles_have_no_name() {
    let three =
        "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[2] == 0\n2: M[2] := 1\n2: M[0] == 0";
    let history = read(three);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    let part = shrunk(&history, &reads_from, Model::SC, &Bounds::none()).unwrap();
    assert_eq!(litmus_shape(&part.history, &part.violation), None);
    // Two readers disagree about the order of two writes. CoRR has fewer threads.
    let disagree =
        "0: M[0] := 1\n1: M[0] := 2\n2: M[0] == 1\n2: M[0] == 2\n3: M[0] == 2\n3: M[0] == 1";
    // A thread misses its buffered store, but the cycle is message passing, which TSO forbids.
    let buffered = "0: M[0] := 1\n0: M[1] := 1\n0: M[0] == 1\n0: M[2] == 0\n1: M[2] := 1\n1: M[2] == 1\n1: M[1] == 0";
    for text in [disagree, buffered] {
        let history = read(text);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let part = shrunk(&history, &reads_from, Model::SC, &Bounds::none()).unwrap();
        let name = litmus_shape(&part.history, &part.violation).map(|shape| shape.name);
        assert!(matches!(name, None | Some("SB")), "{name:?}: {text}");
    }
}
