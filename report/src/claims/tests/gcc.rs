use super::super::testing::{Case, Point, case};
use tables::{Reported, Trial};

/// Two points of each part, with the seconds of the three algorithms at the first and at the last point.
fn figure(
    experiment: &'static str,
    model: &'static str,
    algorithms: [&str; 3],
    first: [f64; 3],
    last: [f64; 3],
) -> Vec<Trial> {
    let point = Point { model, ..Point::sc(experiment, "operations") };
    let ends = [(first, 100, 2), (last, 500, 6)];
    let rows = ends.into_iter().flat_map(|(seconds, operations, threads)| {
        let times: Vec<(&str, f64)> = algorithms.into_iter().zip(seconds).collect();
        let by_operations = Point { operations, ..point };
        let by_threads = Point { part: "threads", threads, ..point };
        [by_operations.times(&times), by_threads.times(&times)].concat()
    });
    rows.collect()
}

fn sc(first: [f64; 3], last: [f64; 3]) -> Vec<Trial> {
    figure(
        "gcc-fig4",
        "sc",
        ["sc-sat", "sc-ccm-enum-published", "sc-ccm-sat-published"],
        first,
        last,
    )
}

fn tso(first: [f64; 3], last: [f64; 3]) -> Vec<Trial> {
    figure(
        "gcc-fig6",
        "tso",
        ["tso-sat", "tso-wccm-enum-published", "tso-wccm-sat-published"],
        first,
        last,
    )
}

/// Histories with 1000 pairs of writes, with the number of pairs that each criterion orders.
fn ordered(model: &'static str, criteria: &[(&str, u64)]) -> Vec<Trial> {
    let point = Point { model, ..Point::sc("gcc-unordered", "histories") };
    let rows = |(criterion, ordered): &(&str, u64)| {
        point.rows(criterion, Reported::Satisfied, 0.1, |row| row.ordered = Some(*ordered))
    };
    criteria.iter().flat_map(rows).collect()
}

/// Violations, of which CC refutes the first `cc` tenths and CCM the first `ccm` tenths.
fn violations(cc: u32, ccm: u32) -> Vec<Trial> {
    let point = Point { threads: 8, ..Point::sc("gcc-fig5-reordered", "threads") };
    let refuted = |row: &mut Trial| {
        row.fired = (row.number < 10 * ccm).then(|| "ccm".to_owned());
    };
    let first = |row: &mut Trial| {
        row.said = if row.number < 10 * cc { Reported::Violation } else { Reported::Satisfied };
    };
    [
        point.rows("sc-ccm-sat-published", Reported::Violation, 1.0, refuted),
        point.rows("sc-ccm-enum-published", Reported::Violation, 1.0, refuted),
        point.rows("cc", Reported::Violation, 1.0, first),
        point.rows("ccv", Reported::Satisfied, 1.0, |_| ()),
    ]
    .concat()
}

/// Violations with the seconds of the two algorithms.
fn refuting(seconds: [f64; 2]) -> Vec<Trial> {
    let [enumeration, sat] = seconds;
    let algorithms = [("sc-ccm-enum-published", enumeration), ("sc-ccm-sat-published", sat)];
    Point::sc("gcc-fig5", "threads").say(Reported::Violation, &algorithms)
}

pub(super) fn cases() -> Vec<Case> {
    let (small, large) = ([2.0, 1.0, 1.0], [20.0, 2.0, 2.0]);
    vec![
        case("gcc-fig4-faster", sc(small, large), sc(large, [1.0, 0.5, 2.0])),
        case("gcc-fig4-operations", sc(small, large), sc(large, small)),
        case("gcc-fig4-threads", sc(small, large), sc(small, small)),
        case("gcc-fig4-enum", sc(small, large), sc(small, [20.0, 4.0, 2.0])),
        case("gcc-unordered-ccm", ordered("sc", &[("ccm", 934)]), ordered("sc", &[("ccm", 500)])),
        case("gcc-unordered-ccv", ordered("sc", &[("ccv", 420)]), ordered("sc", &[("ccv", 900)])),
        case(
            "gcc-unordered-more",
            ordered("sc", &[("ccv", 600), ("ccm", 900)]),
            ordered("sc", &[("ccv", 850), ("ccm", 900)]),
        ),
        case(
            "gcc-unordered-wccm",
            ordered("tso", &[("wccm", 920)]),
            ordered("tso", &[("wccm", 880)]),
        ),
        case("gcc-fig5-ccm", violations(5, 10), violations(5, 9)),
        case("gcc-fig5-causal", violations(5, 10), violations(10, 10)),
        case("gcc-fig5-same", refuting([1.0, 1.2]), refuting([4.0, 1.0])),
        case("gcc-fig6-faster", tso(small, large), tso(large, [1.0, 0.5, 2.0])),
        case("gcc-fig6-operations", tso(small, large), tso(large, small)),
        case("gcc-fig6-threads", tso(small, large), tso(small, small)),
        case("gcc-fig6-enum", tso(small, [20.0, 4.0, 2.0]), tso(small, [20.0, 1.0, 2.0])),
    ]
}

#[test]
fn what_was_cut_off_is_a_bound() {
    let mut rows = sc([2.0, 1.0, 1.0], [60.0, 2.0, 2.0]);
    let cut = |row: &&mut Trial| row.algorithm == "sc-sat" && row.seconds == 60.0;
    rows.iter_mut().filter(cut).for_each(|row| row.said = Reported::Timeout);
    let found = super::claim("gcc-fig4-faster", &rows.clone().into());
    assert_eq!(found.verdict, super::Verdict::Holds);
    assert!(
        found
            .ours
            .starts_with("sc-sat takes at least 30.0 times as long as sc-ccm-enum-published at 500 operations (at least 60 s, 2 s)"),
        "{found:#?}"
    );
    assert!(found.note.contains("200 of 400 runs of sc-sat timed out at 60 s"), "{found:#?}");
    // If the other algorithm times out, too, an earlier point decides.
    let cut = |row: &&mut Trial| row.algorithm != "sc-sat" && row.seconds == 2.0;
    rows.iter_mut().filter(cut).for_each(|row| row.said = Reported::Timeout);
    let found = super::claim("gcc-fig4-faster", &rows.clone().into());
    assert!(
        found.ours.starts_with(
            "sc-sat takes 2.00 times as long as sc-ccm-enum-published at 100 operations"
        ),
        "{found:#?}"
    );
    // No point is left that shows whether the advantage grows.
    let found = super::claim("gcc-fig4-operations", &rows.into());
    assert_eq!(found.verdict, super::Verdict::Untested);
}

#[test]
fn only_histories_that_both_ran_are_compared() {
    let mut rows = sc([2.0, 1.0, 1.0], [20.0, 2.0, 2.0]);
    let mut quick = rows.clone();
    // Many more histories, which only SAT ran, and fast.
    quick.retain(|row| row.algorithm == "sc-sat");
    for row in &mut quick {
        (row.number, row.seconds) = (row.number + 100, 0.01);
    }
    rows.extend(quick);
    let found = super::claim("gcc-fig4-faster", &rows.into());
    assert!(
        found.ours.starts_with(
            "sc-sat takes 10.0 times as long as sc-ccm-enum-published at 500 operations"
        ),
        "{found:#?}"
    );
}

#[test]
fn what_was_chosen_is_no_confirmation() {
    for (id, model, criterion) in
        [("gcc-unordered-ccm", "sc", "ccm"), ("gcc-unordered-wccm", "tso", "wccm")]
    {
        let found = super::claim(id, &ordered(model, &[(criterion, 934)]).into());
        assert_eq!((found.verdict, found.ours.as_str()), (super::Verdict::Calibrated, "6.6 %"));
        assert!(found.note.contains("near the paper's figure"));
        assert!(found.rule.starts_with("Calibrated, and so no test."));
    }
}

#[test]
fn a_run_that_was_late_counts_as_its_limit() {
    let mut rows = sc([2.0, 1.0, 1.0], [75.0, 2.0, 2.0]);
    let late = |row: &&mut Trial| row.seconds == 75.0;
    rows.iter_mut().filter(late).for_each(|row| row.said = Reported::Timeout);
    let found = super::claim("gcc-fig4-faster", &rows.into());
    assert!(found.ours.contains("(at least 60 s, 2 s)"), "{found:#?}");
}

#[test]
fn a_point_that_tells_is_before_one_that_was_cut_off() {
    let mut rows = sc([2.0, 1.0, 1.0], [60.0, 40.0, 2.0]);
    let mut middle = sc([12.0, 1.0, 1.0], [2.0; 3]);
    middle.retain(|row| row.seconds != 2.0 && row.part == "threads");
    for row in &mut middle {
        (row.threads, row.point) = (4, "threads=4".to_owned());
    }
    rows.extend(middle);
    let cut = |row: &&mut Trial| row.seconds == 60.0;
    rows.iter_mut().filter(cut).for_each(|row| row.said = Reported::Timeout);
    let found = super::claim("gcc-fig4-threads", &rows.into());
    assert_eq!(found.verdict, super::Verdict::Holds);
    let shown =
        "sc-sat takes 2.00 times as long as sc-ccm-enum-published at 2, 12.0 times at 4 threads";
    assert!(found.ours.starts_with(shown), "{found:#?}");
}
