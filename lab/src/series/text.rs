//! Summary of many runs, human-readable.

use std::io::{self, Write};

use check::Model;
use host::Paint;
use settings::Setting;
use slicc::requests::never_sent;

use super::{Cell, Counts, Score, Series, Shortest, fault};
use crate::released::words::{TRIED, explained_briefly};
use crate::testing::FindingKind;
use crate::text::{counted, tame};

/// Writes a line for each protocol and client, then notes, faults and violations.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(series: &Series<'_>, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let names = series.opened.iter().map(|opened| opened.title().chars().count());
    let width = names.max().unwrap_or(0).max("protocol".len());
    let clients = series.cells.iter().map(|cell| cell.client.to_string().len());
    let clients = clients.max().unwrap_or(0).max("client".len());
    write!(out, "{:width$}  {:clients$}  {:>6}", "protocol", "client", "runs")?;
    for model in &series.models {
        write!(out, "  {:>9}", model.name())?;
    }
    writeln!(
        out,
        "  {:>6}  {:>12}  {:>13}  {:>16}",
        "faults", "operations/s", "transitions/s", "coverage"
    )?;
    for (cell, score) in series.scored() {
        let name = series.protocol(cell).title();
        let client = cell.client.to_string();
        write!(out, "{name:width$}  {client:clients$}  {:6}", score.runs)?;
        let kept = series.plan.kept(cell.client);
        for (model, counts) in series.models.iter().zip(&score.verdicts) {
            write!(out, "  {}", verdicts(*counts, kept.contains(model), paint))?;
        }
        let faults = format!("{:6}", score.faults);
        let faults = if score.faults > 0 { paint.bad(&faults) } else { faults };
        let coverage = series.covered(cell, score).brief();
        writeln!(
            out,
            "  {faults}  {:>12}  {:>13}  {coverage:>16}",
            per_second(score.operations, score.seconds),
            per_second(score.transitions, score.seconds),
        )?;
    }
    notes(series, out)
}

/// The number of consistent histories of all histories, as `3/4`.
fn verdicts(counts: Counts, is_kept: bool, paint: Paint) -> String {
    let text = format!("{:>9}", format!("{}/{}", counts.consistent, counts.all()));
    match counts {
        Counts { violation: 1.., .. } if is_kept => paint.bad(&text),
        Counts { violation: 0, undecided: 0, .. } => paint.good(&text),
        Counts { violation: 0, .. } => paint.unsure(&text),
        _ => text,
    }
}

/// A speed of the simulation per second on one core, to three digits.
fn per_second(count: u64, seconds: f64) -> String {
    let speed = if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
    match speed {
        speed if speed >= 1e6 => format!("{:.2} M", speed / 1e6),
        speed if speed >= 1e3 => format!("{:.0} K", speed / 1e3),
        speed => format!("{speed:.0}"),
    }
}

fn notes(series: &Series<'_>, out: &mut dyn Write) -> io::Result<()> {
    let sum = |of: fn(&Score) -> u64| series.scores.iter().map(of).sum::<u64>();
    let (runs, operations) = (sum(|score| score.runs), sum(|score| score.operations));
    let transitions = sum(|score| score.transitions);
    let plural = if runs == 1 { "" } else { "s" };
    writeln!(
        out,
        "\n{runs} run{plural}, {operations} operations, {transitions} transitions in {:.2} s",
        series.elapsed
    )?;
    for (cell, score) in series.scored() {
        if let Some(words) = score.functional_words() {
            writeln!(out, "{}: {words}", tame(&series.protocol(cell).title()))?;
        }
    }
    writeln!(out, "operations/s, transitions/s: of the simulation alone, on one core")?;
    writeln!(
        out,
        "coverage: transitions reached, of those not known to be unreachable (of all in the protocol's table, if that is more); \
         none of them stalls"
    )?;
    for opened in series.opened {
        for unsent in never_sent(&opened.protocol.loaded) {
            writeln!(
                out,
                "{}: {unsent}, so the coverage has none of theirs",
                tame(&opened.title())
            )?;
        }
    }
    if series.has_recipes() {
        writeln!(
            out,
            "recipes: each run has program, caches and latencies of its own, drawn from its seed; with {}, \
             {} or others of these options all runs have one shape",
            Setting::Threads,
            Setting::Operations
        )?;
    }
    if !series.models.is_empty() {
        let verified = sum(|score| score.certificates);
        let models: Vec<&str> = series.models.iter().map(|model| model.name()).collect();
        writeln!(
            out,
            "{}: how many of the histories are consistent; {verified} certificates verified",
            models.join(", ")
        )?;
    }
    let undecided = series.undecided();
    if undecided > 0 {
        writeln!(
            out,
            "{undecided} verdicts are undecided, which is neither: a limit, or a run in which no operation completed"
        )?;
    }
    for (cell, score) in series.scored() {
        faults(series, cell, score, out)?;
        violations(series, cell, score, out)?;
    }
    known(series, out)
}

/// Writes which known faults of gem5's released protocols explain the failures.
fn known(series: &Series<'_>, out: &mut dyn Write) -> io::Result<()> {
    if series.tried.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nKnown faults of gem5's released protocols: {TRIED}")?;
    for tried in &series.tried {
        let opened = &series.opened[tried.protocol];
        let runs = counted(tried.failures.runs as usize, "run");
        writeln!(out, "  {}: {}, {runs}", tame(&opened.title()), tried.signature)?;
        let repairs = tried.known.as_ref().map_or(&[][..], |known| &known.repairs);
        writeln!(out, "    {}", explained_briefly(repairs))?;
        let Shortest { seed, cell, .. } = tried.failures.shortest;
        let cell = &series.cells[cell];
        let command = match tried.signature.kind {
            FindingKind::Violation(..) => series.command_of_violation(cell, seed),
            _ => series.command_of_fault(cell, seed),
        };
        writeln!(out, "    {}", tame(&command))?;
    }
    Ok(())
}

fn faults(series: &Series<'_>, cell: &Cell, score: &Score, out: &mut dyn Write) -> io::Result<()> {
    let opened = series.protocol(cell);
    for failed in &score.failed {
        let command = series.command_of_fault(cell, failed.seed);
        let lines = fault::lines(&failed.fault, opened, &command);
        writeln!(
            out,
            "\n{}, {}, seed {}: {}",
            opened.title(),
            cell.client,
            failed.seed,
            lines.join("\n")
        )?;
    }
    for warned in &score.warnings {
        let command = series.command_of_fault(cell, warned.seed);
        let lines = fault::warning(&warned.warning, opened.protocol.sources(), &command);
        let plural = if warned.runs == 1 { "run" } else { "runs" };
        writeln!(
            out,
            "\n{}, {}, {} {plural}, the first with seed {}: {}",
            opened.title(),
            cell.client,
            warned.runs,
            warned.seed,
            lines.join("\n")
        )?;
    }
    let left = score.fault_seeds.values().skip(score.failed.len());
    others(series, cell, "ended in faults", left, out)
}

fn violations(
    series: &Series<'_>,
    cell: &Cell,
    score: &Score,
    out: &mut dyn Write,
) -> io::Result<()> {
    let title = series.protocol(cell).title();
    for violated in &score.violated {
        let models: Vec<String> = violated.models.iter().map(Model::to_string).collect();
        let command = series.command_of_violation(cell, violated.seed);
        writeln!(
            out,
            "\n{title}, {}, seed {}: violates {}\n  reproduce with: {}",
            cell.client,
            violated.seed,
            models.join(", "),
            tame(&command)
        )?;
    }
    let left = score.violation_seeds.values().skip(score.violated.len());
    others(series, cell, "violate a model that counts", left, out)
}

/// Most seeds of further runs that are listed.
const SEEDS: usize = 20;

/// Writes the seeds of further runs, which the same command repeats with these seeds.
fn others<'a>(
    series: &Series<'_>,
    cell: &Cell,
    what: &str,
    seeds: impl ExactSizeIterator<Item = &'a u64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = seeds.len();
    if count == 0 {
        return Ok(());
    }
    let option = if series.has_recipes() { "--recipe" } else { "--seed" };
    let name = |&seed: &u64| match series.plan.recipe_of(seed) {
        Some(lineage) => lineage.to_string(),
        None => seed.to_string(),
    };
    let listed: Vec<String> = seeds.take(SEEDS).map(name).collect();
    let rest = match count.saturating_sub(SEEDS) {
        0 => String::new(),
        more => format!(" and {more} more, which {} lists", Setting::Format.to("json")),
    };
    writeln!(
        out,
        "\n{}, {}: {count} more runs {what}; reproduce with the same command and {option} {}{rest}",
        series.protocol(cell).title(),
        cell.client,
        listed.join(", ")
    )
}
