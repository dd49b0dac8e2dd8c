//! The results of `rubric run`, human-readable.

use std::io::{self, Write};

use indicatif::HumanCount;
use lab::hardware::{Results, Series, Tally};

use super::evidence::Evidence;
use super::json::Sums;
use crate::check::paint::paint;

/// Prints the results of a series: a table of verdicts, and the evidence of the first violation.
pub(super) fn print(
    series: &Series,
    results: &Results,
    evidence: Option<&Evidence>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let sums = Sums::of(results);
    let size = &series.plan.size;
    writeln!(
        out,
        "{}, {} threads with {} operations each, {} variables; seeds from {}",
        series.plan.isa.title(),
        size.threads,
        size.operations,
        size.locations,
        series.seed
    )?;
    writeln!(out, "runs        {} of {} programs", count(sums.runs), count(sums.programs))?;
    let rate = sums.operations_a_second();
    writeln!(
        out,
        "operations  {}, {} a second while programs ran, {} a second in all",
        count(sums.operations),
        millions(rate),
        millions(sums.operations as f64 / sums.seconds.max(1e-9))
    )?;
    writeln!(out, "outcomes    {} different ones", count(sums.outcomes))?;
    if sums.spread > 0 {
        writeln!(out, "start       threads began a run {} ticks apart (median)", sums.spread)?;
    }
    table(&sums.verdicts, out)?;
    writeln!(out, "certificates verified: {}", count(sums.certificates))?;
    let Some(own) = sums.verdicts.last() else { return Ok(()) };
    let paint = paint();
    writeln!(out)?;
    match own {
        own if own.violation > 0 => {
            let word = paint.verdict("violation", "violation");
            let seeds = violating(results);
            writeln!(out, "{word} of {}: {} runs, seeds {seeds}", own.model, count(own.violation))?;
        }
        own if own.undecided > 0 => {
            let word = paint.verdict("undecided", "undecided");
            writeln!(out, "{word} for {}: {} runs", own.model, count(own.undecided))?;
        }
        own => {
            let word = paint.verdict("consistent", "consistent");
            writeln!(out, "{word} with {}: all {} runs", own.model, count(own.consistent))?;
        }
    }
    evidence.map_or(Ok(()), |evidence| show(evidence, out))
}

/// Most seeds of programs with violations that are listed.
const LISTED: usize = 10;

/// The seeds of the programs that showed violations, those of a resumed series included.
fn violating(results: &Results) -> String {
    let rows = results.rows.iter().filter(|row| !row.found.is_empty());
    let seeds: Vec<String> = rows.map(|row| row.seed.to_string()).collect();
    match seeds.len().checked_sub(LISTED) {
        Some(more @ 1..) => format!("{} and {more} more", seeds[..LISTED].join(", ")),
        _ => seeds.join(", "),
    }
}

/// Prints how many runs had each verdict.
fn table(verdicts: &[Tally], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n{:<10}{:>14}{:>14}{:>14}{:>22}",
        "model", "consistent", "violation", "undecided", "different violations"
    )?;
    for tally in verdicts {
        writeln!(
            out,
            "{:<10}{:>14}{:>14}{:>14}{:>22}",
            tally.model,
            count(tally.consistent),
            count(tally.violation),
            count(tally.undecided),
            count(tally.outcomes)
        )?;
    }
    Ok(())
}

fn show(evidence: &Evidence, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nseed {} violates {}:", evidence.seed, evidence.model)?;
    evidence.operations.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
    write!(out, "{}", evidence.explanation)?;
    writeln!(out, "again: {}", evidence.command)?;
    evidence.files.iter().try_for_each(|path| writeln!(out, "written: {}", path.display()))
}

fn count(number: u64) -> String {
    HumanCount(number).to_string()
}

fn millions(rate: f64) -> String {
    format!("{:.1} million", rate / 1e6)
}
