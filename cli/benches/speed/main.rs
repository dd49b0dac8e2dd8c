//! Measures the speed of checks, explorations, simulation, campaigns, watching and reports, and of other programs that are installed, and compares
//! it with stored figures.
//!
//! Each row is a command of the program on work of a fixed size. It is run five times, and the median counts. `make bench` runs
//! this; so does
//!
//! ```text
//! cargo bench --package rubric-cli --bench speed [-- ROW]
//! ```
//!
//! The stored figures are in `fixtures/results/speed.csv`, with the processor and the commit on which they were measured. Ratios
//! above 1 are faster than the stored figures. Rates of commands that work on one core are per second of processor time, the
//! others per second of elapsed time, so measure on an idle machine.
//!
//! Environment: `RUBRIC_THEN=path` names another build of the program, which is measured in turns with this one in place of the
//! stored figures, so that both run under the same conditions. `RUBRIC_STORE=1` replaces the stored figures by the measured ones.
//! `RUBRIC_GEM5` names the folder of gem5's source, whose CHI has a row of its own, and `RUBRIC_LITMUS` a folder of litmus tests.

#[path = "../growth/child.rs"]
mod child;
mod rows;
mod stored;

use std::env;
use std::error::Error;

use rows::{Bench, Row};
use stored::Figure;

/// Number of runs of each row.
const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo bench` gives this flag. Without it the bench runs as a test, which only checks that it starts.
    if !env::args().any(|word| word == "--bench") {
        println!("speed: run it with `make bench`");
        return Ok(());
    }
    let wanted = env::args().skip(1).find(|word| !word.starts_with("--"));
    let bench = Bench::new()?;
    let mut rows = bench.rows()?;
    if let Some(wanted) = &wanted {
        rows.retain(|row| row.name.contains(wanted.as_str()));
    }
    let before = stored::read()?;
    let machine = stored::Machine::this();
    let other = env::var("RUBRIC_THEN").ok();
    match (&other, before.first()) {
        (Some(path), _) => println!("then: {path}"),
        (None, Some(first)) => println!("then: {}, commit {}", first.processor, first.commit),
        (None, None) => {}
    }
    println!("now:  {}, commit {}", machine.processor, machine.commit);
    println!("{:<44} {:>10} {:>10} {:>6}  unit", "", "then", "now", "ratio");
    let mut measured = Vec::new();
    for row in &rows {
        let (value, then) = match &other {
            Some(other) if !row.is_peer() => {
                let both = medians(row, &[child::PROGRAM, other])?;
                (both[0], Some(both[1]))
            }
            _ => {
                let then = before.iter().find(|figure| figure.row == row.name);
                (medians(row, &[child::PROGRAM])?[0], then.map(|then| then.value))
            }
        };
        println!("{}", line(row, then, value));
        measured.push(Figure::new(row.name.clone(), row.unit(), value, &machine));
        // The figures are stored after each row, so that an interrupted run does not lose them.
        if env::var_os("RUBRIC_STORE").is_some() {
            stored::write(&merged(&before, &measured))?;
        }
    }
    Ok(())
}

/// The stored figures, each replaced by the measured one if there is one, followed by measured figures that were not stored.
fn merged(before: &[Figure], measured: &[Figure]) -> Vec<Figure> {
    let new_of = |row: &str| measured.iter().find(|new| new.row == row);
    let kept = before.iter().map(|old| new_of(&old.row).unwrap_or(old));
    let is_new = |new: &&Figure| before.iter().all(|old| old.row != new.row);
    kept.chain(measured.iter().filter(is_new)).cloned().collect()
}

/// The medians of the runs of a row, one for each build of the program. The builds run in turns.
fn medians(row: &Row, programs: &[&str]) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut values = vec![Vec::new(); programs.len()];
    for _ in 0..RUNS {
        for (program, values) in programs.iter().zip(&mut values) {
            values.push(row.measure(program)?);
        }
    }
    let middle = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[RUNS / 2]
    };
    Ok(values.into_iter().map(middle).collect())
}

/// A line of the table.
fn line(row: &Row, then: Option<f64>, now: f64) -> String {
    let ratio = then.map(|then| if row.is_rate() { now / then } else { then / now });
    let shown = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    let then = shown(then);
    format!("{:<44} {then:>10} {now:>10.2} {:>6}  {}", row.name, shown(ratio), row.unit())
}
