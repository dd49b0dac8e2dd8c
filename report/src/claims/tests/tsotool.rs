use super::super::testing::{Case, Point, case};
use tables::{Reported, Trial};

/// Rows of Heu and Deriv with the tenths of the histories for which they find an order, with little and with much
/// sharing.
fn sorts(heu: [u32; 2], deriv: [u32; 2]) -> Vec<Trial> {
    let mut rows = Vec::new();
    for (at, locations) in [(0, 256), (1, 4)] {
        // These have more operations, too, for the claim about longer programs.
        let point = Point {
            locations,
            operations: 1000 * (1 + at as u64),
            ..Point::tso("tsotool-fig3", "locations")
        };
        for (name, found) in [("heu", heu[at]), ("deriv", deriv[at])] {
            rows.extend(point.rows(name, Reported::Undecided, 1.0, |row| {
                if row.number < 10 * found {
                    row.said = Reported::Consistent;
                }
            }));
        }
    }
    rows
}

fn in_figure_4(mut rows: Vec<Trial>) -> Vec<Trial> {
    for row in &mut rows {
        row.experiment = "tsotool-fig4".to_owned();
        row.part = "operations".to_owned();
    }
    rows
}

/// The seconds of the baseline and Deriv+Back at points with operations, threads and locations.
fn grid(points: &[(u64, u32, u32, f64, f64)]) -> Vec<Trial> {
    let rows = points.iter().flat_map(|&(operations, threads, locations, baseline, back)| {
        let point =
            Point { operations, threads, locations, ..Point::tso("tsotool-fig4", "operations") };
        point.times(&[("tso-baseline", baseline), ("deriv-back", back)])
    });
    rows.collect()
}

/// The largest tuple, with the time of Deriv+Back in seconds and its number of backtracks.
fn largest(back: f64, backtracks: u64) -> Vec<Trial> {
    let mut rows = grid(&[(512 << 10, 60, 256, 10.0, back)]);
    rows.iter_mut().for_each(|row| row.backtracks = backtracks);
    rows
}

/// Rows of Deriv+Back. History 9 has these backtracks, this depth and this answer.
fn back(backtracks: u64, depth: u64, last: Reported) -> Vec<Trial> {
    Point::tso("tsotool-fig3", "locations").rows("deriv-back", Reported::Consistent, 1.0, |row| {
        if row.number == 9 {
            (row.backtracks, row.depth, row.said) = (backtracks, depth, last);
        }
    })
}

fn heu_back(many: Reported) -> Vec<Trial> {
    let point = Point::tso("tsotool-fig3", "locations");
    let large = Point { threads: 60, ..point };
    [point.times(&[("heu-back", 1.0)]), large.say(many, &[("heu-back", 60.0)])].concat()
}

fn heu(seconds: f64) -> Vec<Trial> {
    Point::tso("tsotool-fig3", "locations").times(&[("heu", seconds), ("tso-baseline", 1.0)])
}

fn mixes(times: [(f64, f64); 3]) -> Vec<Trial> {
    let mixes = ["50,16,30,2", "33,33,30,2", "16,50,30,2"];
    let rows = mixes.into_iter().zip(times).zip(1..).flat_map(|((mix, (baseline, back)), at)| {
        let point = Point { operations: at, ..Point::tso("tsotool-table1", "mix") };
        let mut rows = point.times(&[("tso-baseline", baseline), ("deriv-back", back)]);
        rows.iter_mut().for_each(|row| row.mix = mix.to_owned());
        rows
    });
    rows.collect()
}

/// Rows of Heu for 16 threads: with how many tenths of the histories it finds an order.
fn of_16_threads(found: u32) -> Vec<Trial> {
    let point = Point { threads: 16, ..Point::tso("tsotool-fig3", "locations") };
    point.rows("heu", Reported::Undecided, 1.0, |row| {
        if row.number < 10 * found {
            row.said = Reported::Consistent;
        }
    })
}

/// Rows with and without the baseline: the tenths of the histories for which Heu and Deriv find an order.
fn unaided(with: u32, without: u32) -> Vec<Trial> {
    let point = Point::tso("tsotool-no-baseline", "threads");
    let names = [
        ("heu", with),
        ("deriv", with),
        ("heu-no-baseline", without),
        ("deriv-no-baseline", without),
    ];
    let rows = names.into_iter().flat_map(|(name, found)| {
        point.rows(name, Reported::Undecided, 1.0, move |row| {
            if row.number < 10 * found {
                row.said = Reported::Consistent;
            }
        })
    });
    rows.collect()
}

/// Rows of Deriv+Back with and without the baseline, which takes so many seconds and backtracks so often.
fn exploding(seconds: f64, backtracks: u64) -> Vec<Trial> {
    let point = Point::tso("tsotool-no-baseline", "threads");
    let mut rows = point.times(&[("deriv-back", 1.0), ("deriv-back-no-baseline", seconds)]);
    let alone = rows.iter_mut().filter(|row| row.algorithm == "deriv-back-no-baseline");
    alone.for_each(|row| row.backtracks = backtracks);
    rows
}

/// Rows of Deriv+Back with ever more stores, which takes so many seconds.
fn stores(times: [f64; 3]) -> Vec<Trial> {
    let mixes = ["33,33,30,2", "0,66,30,2", "0,96,0,2"];
    let rows = mixes.into_iter().zip(times).flat_map(|(mix, seconds)| {
        let point = Point::tso("tsotool-stores", "mix");
        let mut rows = point.times(&[("deriv-back", seconds)]);
        rows.iter_mut().for_each(|row| (row.mix, row.point) = (mix.to_owned(), mix.to_owned()));
        rows
    });
    rows.collect()
}

pub(super) fn cases() -> Vec<Case> {
    let consistent = Reported::Consistent;
    let growing = grid(&[(1000, 4, 4, 1.0, 1.2), (8000, 32, 64, 10.0, 22.0)]);
    let shrinking = grid(&[(1000, 4, 4, 1.0, 9.0), (8000, 32, 64, 1.1, 2.2)]);
    let rising = [(1.0, 1.5), (2.0, 4.0), (3.0, 9.0)];
    let falling = [(3.0, 9.0), (2.0, 4.0), (1.0, 1.5)];
    vec![
        case("tsotool-fig3-better", sorts([5, 1], [9, 6]), sorts([9, 6], [5, 1])),
        case("tsotool-fig3-incomplete", sorts([5, 1], [10, 6]), sorts([5, 1], [10, 10])),
        case("tsotool-fig3-sharing", sorts([5, 1], [9, 6]), sorts([5, 6], [9, 6])),
        case(
            "tsotool-fig3-longer",
            in_figure_4(sorts([5, 1], [9, 6])),
            in_figure_4(sorts([5, 1], [6, 9])),
        ),
        case("tsotool-always", back(0, 0, consistent), back(0, 0, Reported::Undecided)),
        case("tsotool-backtracks", back(75, 1, consistent), back(76, 1, consistent)),
        case("tsotool-depth", back(75, 1, consistent), back(75, 2, consistent)),
        case("tsotool-heu-back", heu_back(Reported::Timeout), heu_back(consistent)),
        case("tsotool-heu", heu(1.105), heu(1.5)),
        case("tsotool-slowdown", growing.clone(), shrinking.clone()),
        case("tsotool-largest", largest(21.0, 3), largest(30.0, 3)),
        case("tsotool-largest-deriv", largest(21.0, 0), largest(30.0, 0)),
        case("tsotool-few", growing.clone(), shrinking.clone()),
        case("tsotool-grows-operations", growing.clone(), shrinking.clone()),
        case("tsotool-grows-threads", growing.clone(), shrinking.clone()),
        case("tsotool-grows-locations", growing.clone(), shrinking),
        case("tsotool-scales", growing, grid(&[(1000, 4, 4, 1.0, 1.2), (8000, 32, 64, 1.1, 9.0)])),
        case("tsotool-minutes", largest(29.0, 0), largest(301.0, 0)),
        case("tsotool-heu-fails", of_16_threads(2), of_16_threads(5)),
        case("tsotool-no-baseline-less", unaided(8, 2), unaided(5, 5)),
        case("tsotool-no-baseline-time", exploding(9.0, 50), exploding(9.0, 0)),
        case("tsotool-stores", stores([1.0, 3.0, 0.5]), stores([1.0, 2.0, 3.0])),
        case("tsotool-table1-baseline", mixes(rising), mixes(falling)),
        case("tsotool-table1-slowdown", mixes(rising), mixes(falling)),
    ]
}

#[test]
fn a_slowdown_is_the_mean_over_tuples() {
    let rows = grid(&[(1000, 4, 4, 1.0, 1.2), (8000, 32, 64, 10.0, 22.0)]);
    let found = super::claim("tsotool-slowdown", &rows.clone().into());
    assert_eq!(found.ours, "1.70 times");
    // A single slow run affects only the plain mean.
    let mut slow = rows.clone();
    let one =
        |row: &&mut Trial| row.algorithm == "deriv-back" && row.threads == 4 && row.number == 3;
    slow.iter_mut().filter(one).for_each(|row| row.seconds = 101.2);
    let with_slow = super::claim("tsotool-slowdown", &slow.into());
    assert_eq!(with_slow.ours, "1.70 times");
    assert!(
        with_slow.note.contains("plain mean over all histories is 2.20 times"),
        "{with_slow:#?}"
    );
    assert!(found.note.contains("1.20 times to 2.20 times"), "{found:#?}");
    // The time of a run that timed out is a lower bound.
    let mut cut = rows;
    let last = |row: &&mut Trial| row.algorithm == "deriv-back" && row.threads == 32;
    cut.iter_mut().filter(last).for_each(|row| (row.said, row.timeout) = (Reported::Timeout, 22.0));
    let found = super::claim("tsotool-slowdown", &cut.into());
    assert_eq!(
        (found.ours.as_str(), found.verdict),
        ("at least 1.70 times", super::Verdict::Untested)
    );
}

#[test]
fn a_run_that_was_cut_off_has_not_failed_to_find_an_order() {
    let mut rows = back(0, 0, Reported::Timeout);
    let mut more = back(0, 0, Reported::Consistent);
    more.iter_mut().for_each(|row| row.number += 100);
    rows.extend(more);
    let found = super::claim("tsotool-always", &rows.into());
    assert_eq!(
        (found.verdict, found.ours.as_str()),
        (super::Verdict::Holds, "100 % (199 of 199 histories)")
    );
    assert!(found.note.contains("1 of 200 runs"), "{found:#?}");
    let mut rows = sorts([5, 1], [10, 10]);
    rows.iter_mut()
        .filter(|row| row.algorithm == "deriv" && row.number == 9)
        .for_each(|row| row.said = Reported::Memory);
    let found = super::claim("tsotool-fig3-incomplete", &rows.into());
    assert_eq!(found.verdict, super::Verdict::Differs, "{found:#?}");
}

#[test]
fn a_bound_on_seconds_is_of_another_machine() {
    let found = super::claim("tsotool-minutes", &largest(200.0, 0).into());
    assert_eq!(found.verdict, super::Verdict::Untested);
    assert!(found.note.contains("machines may differ"), "{found:#?}");
}

#[test]
fn shares_that_may_differ_by_chance_tell_nothing() {
    let mut rows = sorts([6, 5], [9, 6]);
    let found = |rows: &[Trial]| super::claim("tsotool-fig3-sharing", &rows.to_vec().into());
    assert_eq!(found(&rows).verdict, super::Verdict::Untested);
    assert!(found(&rows).note.contains("may be chance"));
    rows.retain(|row| row.algorithm == "deriv");
    rows.extend(sorts([6, 3], [0, 0]).into_iter().filter(|row| row.algorithm == "heu"));
    assert_eq!(found(&rows).verdict, super::Verdict::Holds);
}

#[test]
fn what_may_be_chance_is_no_growth() {
    let rows = grid(&[(1000, 4, 4, 1.0, 1.57), (8000, 32, 64, 80.0, 80.0 * 1.74)]);
    let found = super::claim("tsotool-grows-locations", &rows.into());
    assert_eq!(found.verdict, super::Verdict::Differs);
    let each = "For each operation the baseline takes 1 ms at 4 and 10 ms at 64, and Deriv+Back 570 µs and 7.4 ms beyond it.";
    assert!(found.note.contains(each), "{found:#?}");
    let found = super::claim(
        "tsotool-table1-baseline",
        &mixes([(1.0, 2.0), (1.05, 2.0), (1.2, 2.0)]).into(),
    );
    assert_eq!(found.verdict, super::Verdict::Holds, "{found:#?}");
    // What grows has to grow throughout.
    let found = super::claim(
        "tsotool-table1-baseline",
        &mixes([(1.0, 2.0), (1.2, 2.0), (1.19, 2.0)]).into(),
    );
    assert_eq!(found.verdict, super::Verdict::Differs, "{found:#?}");
    let found = super::claim(
        "tsotool-table1-baseline",
        &mixes([(1.0, 2.0), (1.02, 2.0), (1.05, 2.0)]).into(),
    );
    assert_eq!(found.verdict, super::Verdict::Differs, "{found:#?}");
}
