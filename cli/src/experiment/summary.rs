//! Prints the results of an experiment: the median time of each algorithm at each point.

use std::collections::BTreeMap;
use std::io::{self, Write};

use report::summary::median_time;
use tables::{Reported, Trial};

use lab::experiment::catalog::Experiment;
use lab::experiment::program;

use super::Args;

/// Prints a table of points and algorithms, or of the rows if a single history was asked for.
pub(super) fn print(
    experiment: &Experiment,
    args: &Args,
    trials: &[Trial],
    out: &mut dyn Write,
) -> io::Result<()> {
    let is_one = args.only.as_ref().is_some_and(|only| only.number.is_some());
    writeln!(out, "{}: {} ({})", experiment.name, experiment.about, experiment.paper)?;
    if is_one {
        rows(trials, out)?
    } else {
        medians(trials, out)?
    }
    for program in &args.program {
        contradictions(&program.name, trials, out)?;
    }
    Ok(())
}

/// Prints how often an external checker contradicts rubric.
fn contradictions(name: &str, trials: &[Trial], out: &mut dyn Write) -> io::Result<()> {
    let history = |trial: &Trial| (trial.trace_hash.clone(), trial.model.clone());
    let mut ours: BTreeMap<(String, String), Reported> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| program::is_built_in(&trial.algorithm)) {
        if matches!(trial.said, Reported::Consistent | Reported::Violation) {
            ours.insert(history(trial), trial.said);
        }
    }
    let theirs = trials.iter().filter(|trial| trial.algorithm == name);
    let decided =
        theirs.filter(|trial| matches!(trial.said, Reported::Consistent | Reported::Violation));
    let compared: Vec<(&Trial, Reported)> =
        decided.filter_map(|trial| Some((trial, *ours.get(&history(trial))?))).collect();
    let mut wrong = compared.iter().filter(|(trial, said)| trial.said != *said);
    let count = wrong.clone().count();
    write!(out, "  {name} contradicts rubric on {count} of {} histories", compared.len())?;
    match wrong.next() {
        None => writeln!(out),
        Some((trial, said)) => writeln!(
            out,
            ": the first it calls {}, rubric {}; {}",
            trial.said.name(),
            said.name(),
            trial.command
        ),
    }
}

fn rows(trials: &[Trial], out: &mut dyn Write) -> io::Result<()> {
    if let Some(trial) = trials.first() {
        let what = [&trial.protocol, &trial.mutant, &trial.client];
        let what: Vec<&str> = what.into_iter().flatten().map(String::as_str).collect();
        writeln!(
            out,
            "  {} {}, seed {}, history {}",
            trial.source,
            what.join(" "),
            trial.seed,
            &trial.trace_hash[..trial.trace_hash.len().min(16)]
        )?;
    }
    for trial in trials {
        let reason = trial.reason.as_deref().map(|reason| format!(": {reason}"));
        writeln!(
            out,
            "  {:4} {:14} {:>10}  {}{}{}",
            trial.model,
            trial.algorithm,
            seconds(trial.seconds),
            trial.said.name(),
            reason.unwrap_or_default(),
            effort(trial)
        )?;
    }
    Ok(())
}

/// The counters of a trial, in words.
fn effort(trial: &Trial) -> String {
    let pairs =
        trial.ordered.map(|ordered| format!("{ordered} of {} pairs ordered", trial.write_pairs));
    let numbers = [
        (trial.kernel, "in the kernel"),
        (trial.cycle.map(u64::from), "threads in the cycle"),
        (Some(trial.edges).filter(|&edges| edges > 0), "edges"),
        (Some(trial.backtracks).filter(|&back| back > 0), "backtracks"),
        (trial.nodes, "nodes"),
        (trial.conflicts, "conflicts"),
    ];
    let numbers = numbers
        .into_iter()
        .filter_map(|(number, of)| number.map(|number| format!("{number} {of}")));
    let parts: Vec<String> = pairs.into_iter().chain(numbers).collect();
    if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) }
}

/// The trials of one algorithm at one point.
#[derive(Default)]
struct Cell<'t> {
    trials: Vec<&'t Trial>,
    cut_off: usize,
}

fn medians(trials: &[Trial], out: &mut dyn Write) -> io::Result<()> {
    let mut points: Vec<&str> = Vec::new();
    let mut columns: Vec<(&str, &str)> = Vec::new();
    let mut cells: BTreeMap<(usize, usize), Cell<'_>> = BTreeMap::new();
    for trial in trials {
        let row = place(&mut points, &trial.point);
        let column = place(&mut columns, (&trial.model, &trial.algorithm));
        let cell = cells.entry((row, column)).or_default();
        cell.trials.push(trial);
        cell.cut_off += usize::from(matches!(trial.said, Reported::Timeout | Reported::Memory));
    }
    let models: Vec<&str> = columns.iter().map(|(model, _)| *model).collect();
    let several = models.iter().any(|model| *model != models[0]);
    let heads = columns.iter().map(|(model, algorithm)| {
        if several { format!("{algorithm} ({model})") } else { (*algorithm).to_owned() }
    });
    let heads: Vec<String> = heads.collect();
    let wide = points.iter().map(|point| point.len()).max().unwrap_or(0).max(5);
    write!(out, "  {:wide$} {:>5}", "point", "runs")?;
    for head in &heads {
        write!(out, "  {head:>12}")?;
    }
    writeln!(out)?;
    let mut cut_off = 0;
    for (row, point) in points.iter().enumerate() {
        let of = |column: usize| cells.get(&(row, column));
        let runs = (0..columns.len()).filter_map(of).map(|cell| cell.trials.len()).max();
        write!(out, "  {point:wide$} {:>5}", runs.unwrap_or(0))?;
        for (column, head) in heads.iter().enumerate() {
            let text = of(column).map_or_else(|| "-".to_owned(), Cell::text);
            cut_off += of(column).map_or(0, |cell| cell.cut_off);
            write!(out, "  {text:>wide$}", wide = head.len().max(12))?;
        }
        writeln!(out)?;
    }
    if cut_off > 0 {
        writeln!(out, "  medians; N! says that N runs were cut off by a limit")?;
    }
    Ok(())
}

impl Cell<'_> {
    fn text(&self) -> String {
        let Some(median) = median_time(self.trials.iter().copied()) else { return "-".to_owned() };
        // If a run in the middle was cut off, its time is only a lower bound.
        let beyond = if median.low < median.high { ">" } else { "" };
        let middle = format!("{beyond}{}", seconds(median.low));
        match self.cut_off {
            0 => middle,
            some => format!("{middle} {some}!"),
        }
    }
}

/// Returns the position of a value among the known ones, and adds it if it is new.
fn place<T: PartialEq>(known: &mut Vec<T>, value: T) -> usize {
    known.iter().position(|one| *one == value).unwrap_or_else(|| {
        known.push(value);
        known.len() - 1
    })
}

/// A time with three digits.
fn seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.0} µs", s * 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(trials: &[(f64, Reported)]) -> String {
        let trial = |&(seconds, said): &(f64, Reported)| Trial {
            seconds,
            said,
            timeout: 60.0,
            ..Trial::default()
        };
        let trials: Vec<Trial> = trials.iter().map(trial).collect();
        let cut_off = trials.iter().filter(|one| one.said.is_cut_off()).count();
        Cell { trials: trials.iter().collect(), cut_off }.text()
    }

    #[test]
    fn medians_of_even_numbers_lie_between_the_two_in_the_middle() {
        let ended = |seconds| (seconds, Reported::Consistent);
        assert_eq!(text(&[ended(4.0), ended(1.0), ended(2.0), ended(9.0)]), "3.00 s");
        assert_eq!(text(&[ended(4.0), ended(1.0), ended(2.0)]), "2.00 s");
        let late = (60.0, Reported::Timeout);
        assert_eq!(text(&[ended(1.0), ended(2.0), late]), "2.00 s 1!");
        assert_eq!(text(&[ended(2.0), late]), ">31.00 s 1!");
        assert_eq!(text(&[]), "-");
    }
}
