use super::super::paper::{MUTUAL_EXCLUSION, PROGRAMS};
use super::super::testing::{Case, Point, case};
use tables::{Reported, Trial};

/// Rows about all programs, with the numbers of pairs under the two models, and the slowdown by a monitor.
fn rows(pairs: impl Fn(&str) -> [u64; 2], longer: impl Fn(&str) -> f64) -> Vec<Trial> {
    let mut rows = Vec::new();
    for program in PROGRAMS {
        let [tso, pso] = pairs(program.name);
        let longer = longer(program.name);
        let algorithms = [
            ("explore", None, 1.0),
            ("monitor-tso", Some(tso), longer),
            ("monitor-pso", Some(pso), longer),
        ];
        for (algorithm, pairs, seconds) in algorithms {
            let point = Point::sc("burnim-table1", "programs");
            rows.extend(point.rows(algorithm, Reported::Satisfied, seconds, |row| {
                row.point = program.name.to_owned();
                row.pairs = pairs;
            }));
        }
    }
    rows
}

/// Rows of both tables with the published numbers, times a factor.
fn numbers(times: u64) -> Vec<Trial> {
    let mut all = Vec::new();
    for (at, table) in ["burnim-table1", "burnim-table2"].into_iter().enumerate() {
        for program in PROGRAMS {
            let explored = program.explored[at];
            let [tso, pso] =
                explored.violations.map(|pairs| (u64::from(pairs) + times - 1) * times);
            let interleavings = u64::from(explored.interleavings) * times;
            for (algorithm, pairs) in
                [("explore", None), ("monitor-tso", Some(tso)), ("monitor-pso", Some(pso))]
            {
                let point = Point::sc(table, "programs");
                all.extend(point.rows(algorithm, Reported::Satisfied, 1.0, |row| {
                    row.point = program.name.to_owned();
                    (row.pairs, row.nodes) = (pairs, Some(interleavings));
                }));
            }
        }
    }
    all
}

/// Rows in which SOBER's monitor signals so often for each signal of the other.
fn sensitive(times: u64) -> Vec<Trial> {
    let mut rows = rows(theirs, as_stated);
    rows.iter_mut().for_each(|row| row.signals = row.pairs);
    let sober = rows.iter().filter(|row| row.algorithm == "monitor-tso").map(|row| Trial {
        algorithm: "monitor-sober".to_owned(),
        signals: row.signals.map(|signals| signals * times),
        ..row.clone()
    });
    let sober: Vec<Trial> = sober.collect();
    rows.extend(sober);
    rows
}

/// The slowdown by a monitor that takes half of the published overhead of both.
fn as_stated(program: &str) -> f64 {
    if MUTUAL_EXCLUSION.contains(&program) { 1.5 } else { 1.1 }
}

/// The numbers of the paper's Table 1.
fn theirs(program: &str) -> [u64; 2] {
    let stated = PROGRAMS.iter().find(|it| it.name == program).unwrap();
    stated.explored[0].violations.map(u64::from)
}

pub(super) fn cases() -> Vec<Case> {
    let but = |odd: &'static str, pairs| {
        move |program: &str| {
            if program == odd { pairs } else { theirs(program) }
        }
    };
    let counts = super::super::paper::ALL.iter().map(|stated| stated.id);
    let counts = counts.filter(|id| {
        let of_program = PROGRAMS.iter().any(|it| id.starts_with(&format!("burnim-{}-", it.name)));
        of_program && (id.ends_with("-1") || id.ends_with("-2"))
    });
    let mut cases: Vec<Case> = counts.map(|id| case(id, numbers(1), numbers(2))).collect();
    assert_eq!(cases.len(), 42);
    cases.extend([
        case("burnim-sober", sensitive(2), sensitive(1)),
        case("burnim-tso", rows(theirs, as_stated), rows(but("snark", [1, 4]), as_stated)),
        case("burnim-pso", rows(theirs, as_stated), rows(but("msn", [0, 0]), as_stated)),
        case("burnim-overhead", rows(theirs, as_stated), rows(theirs, |_| 1.4)),
    ]);
    cases
}
