//! Outcomes, faults, counts of runs and limits, against known values.

use std::collections::BTreeSet;

use check::{Bounds, Model};
use explore::program::bounded::{Options, Report, search};
use explore::program::code::FaultKind;
use explore::program::exhaustive::explore;
use explore::program::fences::suggest;
use explore::search::{Limits, Stopped};

use super::{ALL, PSO, exhaustive, message_passing, program, store_buffering, two};

/// The possible values of the threads' locals at the end.
fn locals(text: &str, model: Model) -> BTreeSet<Vec<i64>> {
    let report = exhaustive(text, model);
    let count = report.names.iter().filter(|name| name.contains('.')).count();
    report.outcomes.iter().map(|outcome| outcome[..count].to_vec()).collect()
}

fn outcomes<const N: usize>(of: &[[i64; N]]) -> BTreeSet<Vec<i64>> {
    of.iter().map(|one| one.to_vec()).collect()
}

#[test]
fn litmus_tests_have_exactly_their_outcomes() {
    let sc = outcomes(&[[0, 1], [1, 0], [1, 1]]);
    let relaxed = outcomes(&[[0, 0], [0, 1], [1, 0], [1, 1]]);
    let buffering = store_buffering("");
    assert_eq!(locals(&buffering, Model::SC), sc);
    assert_eq!(locals(&buffering, Model::TSO), relaxed);
    assert_eq!(locals(&buffering, PSO), relaxed);
    for model in [Model::TSO, PSO] {
        assert_eq!(locals(&store_buffering("fence;"), model), sc);
    }
    // An atomic operation on another location drains the buffer under TSO; under PSO, only if
    // configured to drain all.
    let elsewhere = store_buffering("add z, 1;").replace("x, y;", "x, y, z;");
    assert_eq!(locals(&elsewhere, Model::TSO), sc);
    assert_eq!(locals(&elsewhere, PSO), relaxed);
    assert_eq!(locals(&elsewhere, Model::PSO_RMW_ALL), sc);

    let sc = outcomes(&[[0, 0], [0, 1], [1, 1]]);
    let message = message_passing();
    assert_eq!(locals(&message, Model::SC), sc);
    assert_eq!(locals(&message, Model::TSO), sc);
    assert_eq!(locals(&message, PSO), outcomes(&[[0, 0], [0, 1], [1, 0], [1, 1]]));

    let own = two("store x = 1; let r = load x;", "store x = 2; let r = load x;");
    for model in [Model::SC, Model::TSO, PSO] {
        let all = outcomes(&[[1, 2], [1, 1], [2, 2]]);
        assert_eq!(locals(&own, model), all, "a thread sees its own store, or a later one");
    }
    // Loads are not executed early.
    let load_buffering = two("let r = load x; store y = 1;", "let r = load y; store x = 1;");
    assert!(!locals(&load_buffering, PSO).contains(&vec![1, 1]));
}

fn faults(text: &str) -> Report {
    search(&program(text), &Options::new(ALL, &[Model::TSO, PSO]))
}

#[test]
fn faults_have_a_place_and_a_run() {
    let cases = [
        ("shared x[2]; thread P { let r = load x[5]; }", FaultKind::Index(5, 2)),
        ("shared x; thread P { let r = load x; let s = 1 / r; }", FaultKind::DivisionByZero),
        ("shared x; thread P { let r = load x; assert r; }", FaultKind::Assertion),
        ("thread P { let r = 9223372036854775807; r = r + 1; }", FaultKind::Overflow),
        ("fn f(a) { if a { return 1; } } thread P { let r = f(0); }", FaultKind::NoResult),
        (
            "thread P { let i = 0; while i < 999 limit 999 { let j = 0; while j < 999 limit 999 { j = j + 1; } i = i + 1; } }",
            FaultKind::Endless,
        ),
        ("shared x; init { assert 0; } thread P { }", FaultKind::Assertion),
        (
            "shared x; thread P { store x = 1; } finally { let r = load x; assert r == 2; }",
            FaultKind::Assertion,
        ),
    ];
    for (text, kind) in cases {
        let report = faults(text);
        let kinds: Vec<FaultKind> = report.faults.iter().map(|it| it.fault.kind).collect();
        assert_eq!(kinds, [kind], "{text}");
        assert_eq!((report.runs, report.faulty), (0, 1), "{text}");
        let (fault, _) = exhaustive(text, Model::SC).fault.expect(text);
        assert_eq!(fault, report.faults[0].fault, "{text}");
    }
}

#[test]
fn a_shortest_run_to_a_fault_is_shown() {
    let text =
        format!("{} finally {{ }}", store_buffering("")).replace("load x;", "load x; assert r;");
    assert!(exhaustive(&text, Model::SC).fault.is_some());
    let text = "shared x, y, bad; thread P { store x = 1; let r = load y; if !r { add bad, 1; } }
        thread Q { store y = 1; let r = load x; if !r { add bad, 1; } }
        finally { let b = load bad; assert b < 2; }";
    assert!(exhaustive(text, Model::SC).fault.is_none());
    let report = exhaustive(text, Model::TSO);
    let (_, moves) = report.fault.expect("both loads may come first");
    // There are six events; both stores reach memory because of the atomic operations.
    assert_eq!(moves.len(), 6);
}

#[test]
fn loops_that_reach_their_bound_are_cut_off() {
    let text = "shared x; thread P { loop 3 { let r = load x; if r { break; } yield; } } thread Q { store x = 1; }";
    let report = search(&program(text), &Options::new(0, &[]));
    assert_eq!((report.runs, report.cut_off), (2, 0), "a thread that yields lets the other go on");
    let alone = "shared x; thread P { loop 3 { let r = load x; if r { break; } yield; } }";
    let report = search(&program(alone), &Options::new(0, &[]));
    assert_eq!((report.runs, report.cut_off, report.longest), (0, 1, 3));
    let counted = exhaustive(alone, Model::SC);
    assert_eq!((counted.outcomes.len(), counted.cut_off), (0, 1));
}

/// Number of ways to write `items` as a sum of `parts` positive numbers.
fn parts(items: u64, parts: u64) -> u64 {
    if parts == 0 || parts > items {
        return 0;
    }
    (1..parts).fold(1, |product, k| product * (items - k) / k)
}

#[test]
fn runs_are_counted_as_combinatorics_has_it() {
    for (n, m) in [(1, 1), (2, 3), (4, 4), (5, 2)] {
        let text = two(&"store x = 1;".repeat(n), &"store y = 1;".repeat(m));
        for preemptions in 0..6 {
            // A run consists of segments of the two threads in turn; only the switch after a
            // thread's last event is free.
            let runs: u64 = (2..=u64::from(preemptions) + 2)
                .map(|stretches| {
                    let (more, less) = (stretches.div_ceil(2), stretches / 2);
                    let (n, m) = (n as u64, m as u64);
                    parts(n, more) * parts(m, less) + parts(m, more) * parts(n, less)
                })
                .sum();
            let report = search(&program(&text), &Options::new(preemptions, &[Model::TSO]));
            assert_eq!(report.runs, runs, "{n} and {m} events, {preemptions} preemptions");
        }
    }
}

#[test]
fn limits_end_an_exploration_honestly() {
    let many = program(&two(&"store x = 1;".repeat(9), &"store y = 1;".repeat(9)));
    let runs = |most| {
        let options = Options { runs: Some(most), ..Options::new(ALL, &[]) };
        let report = search(&many, &options);
        (report.runs, report.stopped)
    };
    assert_eq!(runs(100), (100, Some(Stopped::Count)));
    assert_eq!(runs(48620), (48620, None));
    let bounds = Bounds::new(Some(std::time::Duration::ZERO), None);
    let options = Options { bounds, ..Options::new(ALL, &[Model::TSO]) };
    assert_eq!(search(&many, &options).stopped, Some(Stopped::Time));
    assert_eq!(suggest(&many, Model::TSO, &options).stopped(), Some(Stopped::Time));
    let limits = Limits { states: Some(50), ..Limits::default() };
    assert_eq!(explore(&many, PSO, &limits, &mut |_| {}).stopped, Some(Stopped::Count));
}
