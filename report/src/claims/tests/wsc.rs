use super::super::testing::{Case, Point, case};
use tables::{Reported, Trial};

/// Histories with a kernel of 9000 of 10000 pairs. A criterion orders the whole kernel of the first `exact` tenths, and
/// `less` pairs of the others.
fn kernels(criteria: &[(&str, u32, u64)]) -> Vec<Trial> {
    let point = Point::sc("wsc-kernel", "histories");
    let mut rows: Vec<Trial> = Vec::new();
    for at in 0..2 {
        let point = Point { threads: 4 + at, ..point };
        rows.extend(point.rows("kernel", Reported::Consistent, 0.1, |row| {
            (row.kernel, row.write_pairs) = (Some(9000), 10_000)
        }));
        for (criterion, exact, less) in criteria {
            rows.extend(point.rows(criterion, Reported::Satisfied, 0.1, |row| {
                row.ordered = Some(if row.number < 10 * *exact { 9000 } else { *less });
                row.write_pairs = 10_000;
            }));
        }
    }
    rows
}

/// 4400 such histories, of thirty of which CCM orders the whole kernel.
fn many_kernels() -> Vec<Trial> {
    let some = kernels(&[("ccm", 3, 8000)]).into_iter();
    let some: Vec<Trial> = some.filter(|row| row.threads == 4).collect();
    let point = |threads: u32| {
        let mut rows = some.clone();
        for row in &mut rows {
            row.point = threads.to_string();
            row.ordered = row.ordered.map(|ordered| if threads == 0 { ordered } else { 8000 });
        }
        rows
    };
    (0..44).flat_map(point).collect()
}

/// Histories in which wSC misses, on average over those where it misses any, 2.7 of the 9000 pairs of the kernel.
fn nearly_all() -> Vec<Trial> {
    let mut rows = kernels(&[("wsc", 5, 8997)]);
    let some = |row: &&mut Trial| row.ordered == Some(8997) && row.number % 10 < 3;
    rows.iter_mut().filter(some).for_each(|row| row.ordered = Some(8998));
    rows
}

/// Histories with the numbers of pairs that criteria order.
fn pairs(criteria: &[(&str, u64)]) -> Vec<Trial> {
    let point = Point::sc("wsc-kernel", "histories");
    let rows = |(criterion, ordered): &(&str, u64)| {
        point.rows(criterion, Reported::Satisfied, 0.1, |row| row.ordered = Some(*ordered))
    };
    criteria.iter().flat_map(rows).collect()
}

/// The seconds of wsc-enum, ccm-enum, dbcop and wsc-dbcop by the number of threads.
fn figure(experiment: &'static str, points: &[(u32, [f64; 4])]) -> Vec<Trial> {
    let rows = points.iter().flat_map(|(threads, seconds)| {
        let point = Point { threads: *threads, ..Point::sc(experiment, "threads") };
        let algorithms = ["wsc-enum", "ccm-enum-published", "dbcop", "wsc-dbcop-published"];
        let times: Vec<(&str, f64)> = algorithms.into_iter().zip(*seconds).collect();
        point.times(&times)
    });
    rows.collect()
}

fn fig6(seconds: [f64; 4]) -> Vec<Trial> {
    let mut rows = figure("wsc-fig6", &[(6, seconds)]);
    rows.iter_mut().for_each(|row| row.part = "operations".to_owned());
    rows
}

/// Violations with the seconds of wsc, ccm and dbcop by the number of threads. CCM misses the first `missed`, wSC the first `slipped`.
fn fig9(points: &[(u32, [f64; 3])], missed: u32, slipped: u32) -> Vec<Trial> {
    let rows = points.iter().flat_map(|(threads, [wsc, ccm, dbcop])| {
        let point = Point { threads: *threads, ..Point::sc("wsc-fig9", "threads") };
        let but_first = |first: u32| {
            move |row: &mut Trial| {
                if row.number < first {
                    row.said = Reported::Satisfied;
                }
            }
        };
        [
            point.rows("wsc-published", Reported::Violation, *wsc, but_first(slipped)),
            point.rows("ccm-published", Reported::Violation, *ccm, but_first(missed)),
            point.rows("dbcop", Reported::Violation, *dbcop, |_| ()),
        ]
        .concat()
    });
    rows.collect()
}

pub(super) fn cases() -> Vec<Case> {
    let as_published =
        [(4, [2.0, 3.0, 1.0, 0.5]), (8, [4.0, 6.0, 5.0, 1.0]), (16, [8.0, 12.0, 60.0, 2.0])];
    let otherwise =
        [(4, [3.0, 2.0, 0.1, 0.5]), (8, [8.0, 6.0, 0.1, 1.0]), (16, [24.0, 12.0, 0.1, 2.0])];
    let (seven, not_seven) = (figure("wsc-fig7", &as_published), figure("wsc-fig7", &otherwise));
    let eight = |of: &[(u32, [f64; 4])]| [seven.clone(), figure("wsc-fig8", of)].concat();
    let (good, bad) = (
        [(8, [1.0, 2.0, 80.0]), (16, [2.0, 6.0, 300.0])],
        [(8, [1.0, 0.5, 20.0]), (16, [9.0, 2.0, 90.0])],
    );
    let points: Vec<(u32, [f64; 3])> = (1..=24).map(|threads| (threads, [1.0; 3])).collect();
    // CCM misses two of 2400.
    let mut few_missed = fig9(&points, 0, 0);
    let missed =
        |row: &&mut Trial| row.algorithm == "ccm-published" && row.number == 1 && row.threads <= 2;
    few_missed.iter_mut().filter(missed).for_each(|row| row.said = Reported::Satisfied);
    vec![
        case("wsc-kernel-exact", kernels(&[("wsc", 7, 8000)]), kernels(&[("wsc", 2, 8000)])),
        case("wsc-kernel-rest", nearly_all(), kernels(&[("wsc", 5, 8990)])),
        case("wsc-kernel-ccm", many_kernels(), kernels(&[("ccm", 5, 8000)])),
        case(
            "wsc-kernel-more",
            kernels(&[("wsc", 7, 8000), ("ccm", 0, 8000)]),
            kernels(&[("wsc", 7, 8000), ("ccm", 6, 8000)]),
        ),
        case("wsc-pairs-wsc", pairs(&[("wsc", 985)]), pairs(&[("wsc", 900)])),
        case("wsc-pairs-ccm", pairs(&[("ccm", 980)]), pairs(&[("ccm", 900)])),
        case(
            "wsc-pairs-more",
            pairs(&[("wsc", 985), ("ccm", 979)]),
            pairs(&[("wsc", 985), ("ccm", 800)]),
        ),
        case("wsc-fig6-dbcop", fig6([2.0, 3.0, 0.5, 1.0]), fig6([2.0, 3.0, 2.5, 1.0])),
        case("wsc-fig6-enum", fig6([2.0, 3.0, 0.5, 1.0]), fig6([4.0, 3.0, 0.5, 1.0])),
        case("wsc-fig7-dbcop", seven.clone(), not_seven.clone()),
        case("wsc-fig7-best", seven.clone(), not_seven.clone()),
        case("wsc-fig7-enum", seven.clone(), not_seven),
        case("wsc-fig8-similar", eight(&as_published), eight(&[(4, [9.0; 4]), (8, [20.0; 4])])),
        case("wsc-fig9-all", fig9(&good, 0, 0), fig9(&good, 0, 1)),
        case("wsc-fig9-ccm", fig9(&good, 0, 0), fig9(&bad, 0, 0)),
        case("wsc-fig9-misses", fig9(&points, 1, 0), few_missed.clone()),
        case("wsc-fig9-more", few_missed, fig9(&points, 0, 0)),
        case("wsc-fig9-dbcop", fig9(&good, 0, 0), fig9(&bad, 0, 0)),
        case("wsc-fig9-beyond", fig9(&good, 0, 0), fig9(&bad, 0, 0)),
        case("wsc-fig9-seconds", fig9(&[(8, [0.2, 0.4, 0.8])], 0, 0), fig9(&bad, 0, 0)),
    ]
}

#[test]
fn a_kernel_without_pairs_says_nothing() {
    let mut rows = kernels(&[("wsc", 10, 9000)]);
    rows.iter_mut().filter(|row| row.kernel.is_some()).for_each(|row| row.kernel = Some(0));
    let found = super::claim("wsc-kernel-exact", &rows.into());
    assert_eq!(found.verdict, super::Verdict::Untested);
}

#[test]
fn a_run_that_was_cut_off_refutes_nothing_and_misses_nothing() {
    let mut rows = fig9(&[(8, [1.0; 3]), (16, [1.0; 3])], 0, 0);
    let cut =
        |row: &&mut Trial| row.algorithm == "wsc-published" && row.threads == 16 && row.number < 3;
    rows.iter_mut().filter(cut).for_each(|row| (row.said, row.timeout) = (Reported::Timeout, 1.0));
    let found = super::claim("wsc-fig9-all", &rows.clone().into());
    assert_eq!(
        (found.verdict, found.ours.as_str()),
        (super::Verdict::Holds, "100 % (197 of 197 violations)")
    );
    // The run that timed out may have taken longer than 8 seconds.
    assert_eq!(super::claim("wsc-fig9-seconds", &rows.into()).verdict, super::Verdict::Untested);
}

#[test]
fn what_is_rare_is_not_expected_of_few() {
    let rows = fig9(&[(8, [1.0; 3]), (16, [1.0; 3])], 0, 0);
    for id in ["wsc-fig9-misses", "wsc-fig9-more"] {
        let found = super::claim(id, &rows.clone().into());
        assert_eq!(found.verdict, super::Verdict::Untested);
        assert!(found.note.contains("200 of 240"), "{found:#?}");
    }
}

#[test]
fn what_was_chosen_is_calibrated_whatever_comes_out() {
    let points: Vec<(u32, [f64; 3])> = (1..=40).map(|threads| (threads, [1.0; 3])).collect();
    let rows = fig9(&points, 0, 0);
    let found = super::claim("wsc-fig9-more", &rows.clone().into());
    assert_eq!(found.verdict, super::Verdict::Calibrated, "{found:#?}");
    // Only one read gets another value so that CCM misses some violations, but how many it misses was not chosen.
    let found = super::claim("wsc-fig9-misses", &rows.into());
    assert_eq!(found.verdict, super::Verdict::Differs, "{found:#?}");
    assert_eq!(found.ours, "0 % (0 of 4000 violations)");
    assert!(found.note.contains("Ours is lower."), "{found:#?}");
}

#[test]
fn many_misses_show_in_few_histories() {
    let rows = fig9(&[(8, [1.0; 3]), (16, [1.0; 3])], 5, 0);
    let found = super::claim("wsc-fig9-misses", &rows.into());
    assert_eq!(found.verdict, super::Verdict::Differs);
    assert!(found.note.contains("Ours is higher."), "{found:#?}");
}

#[test]
fn next_to_no_time_tells_nothing() {
    let short = [(8, [2e-4, 1e-4, 2.0]), (16, [2e-4, 5e-4, 2.0])];
    let rows = fig9(&short, 0, 0);
    let found = super::claim("wsc-fig9-ccm", &rows.clone().into());
    assert_eq!(found.verdict, super::Verdict::Untested);
    assert!(found.ours.starts_with("ccm-published takes 2.50 times"), "{found:#?}");
    assert!(found.note.contains("less than 1 ms"), "{found:#?}");
    assert!(found.note.contains("By threads: 0.50 times at 8, 2.50 times at 16."), "{found:#?}");
    // Two times can be compared if one of them is long enough.
    let found = super::claim("wsc-fig9-beyond", &rows.into());
    assert_eq!(found.verdict, super::Verdict::Differs);
    // An earlier point decides if the last does not.
    let rows = fig9(&[(8, [2.0, 4.0, 2.0]), (16, [2e-4, 1e-4, 2.0])], 0, 0);
    let found = super::claim("wsc-fig9-ccm", &rows.into());
    assert_eq!(found.verdict, super::Verdict::Holds);
    assert!(found.ours.contains("at 8 threads"), "{found:#?}");
    let points = [(4, [2e-4, 3e-4, 1e-4, 5e-4])];
    let found = super::claim("wsc-fig7-best", &figure("wsc-fig7", &points).into());
    assert_eq!(found.verdict, super::Verdict::Untested);
}

#[test]
fn the_kernel_is_what_can_be_ordered() {
    let rows = kernels(&[("wsc", 0, 8991), ("ccm", 0, 8100)]);
    let found = super::claim("wsc-pairs-wsc", &rows.clone().into());
    assert_eq!(found.ours, "89.91 % (the kernel has 90 %)");
    assert!(found.note.contains("It orders 99.9 % of the kernel on average."));
    for id in ["wsc-kernel-exact", "wsc-kernel-rest", "wsc-kernel-more", "wsc-pairs-more"] {
        let found = super::claim(id, &rows.clone().into());
        assert!(found.note.contains("The kernel has 90 % of the pairs"), "{found:#?}");
    }
}

#[test]
fn the_forms_of_this_program_are_shown_beside_the_published_ones() {
    let mut rows = fig6([2.0, 2.0, 0.5, 1.0]);
    let published = rows.iter().filter(|row| row.algorithm == "ccm-enum-published");
    let own = |row: &Trial| Trial {
        algorithm: "ccm-enum".to_owned(),
        seconds: row.seconds / 4.0,
        ..row.clone()
    };
    let own: Vec<Trial> = published.map(own).collect();
    rows.extend(own);
    let found = super::claim("wsc-fig6-enum", &rows.into());
    assert_eq!(found.verdict, super::Verdict::Differs);
    assert!(
        found.note.contains("the medians of all histories are: ccm-enum 500 ms."),
        "{found:#?}"
    );
}

#[test]
fn valid_histories_are_shown_apart_from_repointed_ones() {
    let seven = figure("wsc-fig7", &[(4, [2.0; 4])]);
    let mut eight = figure("wsc-fig8", &[(4, [2.0; 4])]);
    let half = |row: &&mut Trial| row.number < 5;
    eight.iter_mut().filter(half).for_each(|row| (row.repointed, row.seconds) = (3, 0.5));
    let found = super::claim("wsc-fig8-similar", &[seven, eight].concat().into());
    assert!(found.note.contains("wsc-enum 2 s, 500 ms, 2 s;"), "{found:#?}");
}
