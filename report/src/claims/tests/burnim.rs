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
    vec![
        case("burnim-tso", rows(theirs, as_stated), rows(but("snark", [1, 4]), as_stated)),
        case("burnim-pso", rows(theirs, as_stated), rows(but("msn", [0, 0]), as_stated)),
        case("burnim-overhead", rows(theirs, as_stated), rows(theirs, |_| 1.4)),
    ]
}
