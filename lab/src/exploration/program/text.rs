//! Human-readable report of an exploration.

use std::io::{self, Write};
use std::time::Duration;

use ::explore::program::bounded::{FaultyRun, Violation};
use ::explore::program::exhaustive::Report;
use ::explore::program::fences::Suggestion;
use ::explore::search::Stopped;
use check::Model;
use host::Paint;
use settings::Setting;

use super::{Explored, Plan, Searched, Subject, run};

/// Most outcomes that are shown.
const MOST_OUTCOMES: usize = 32;

/// How results are shown.
pub struct Form<'a> {
    /// The width of the column of names: that of the longest, from [`width`].
    pub width: usize,
    /// The colours.
    pub paint: Paint,
    /// What the paper's table has for a built-in program and a bound on preemptions.
    pub paper: &'a dyn Fn(&Subject, u32) -> Option<String>,
}

/// The width of the column of names.
pub fn width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or(0).max("program".len())
}

/// Writes the head of a table of searches.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn head(plan: &Plan, form: &Form<'_>, out: &mut dyn Write) -> io::Result<()> {
    let models: Vec<&str> = plan.monitored.iter().map(|it| it.name()).collect();
    writeln!(
        out,
        "{:width$}  lines  preemptions  interleavings  cut off  faulty    seconds  monitors  {:<7}  \
         in the paper",
        "program",
        models.join("/"),
        width = form.width
    )
}

/// Writes a line of the table for each bound.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn rows(explored: &Explored<'_>, form: &Form<'_>, out: &mut dyn Write) -> io::Result<()> {
    let subject = explored.subject;
    let source = &subject.sources.files()[0];
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    let lines = source.text.lines().filter(is_code).count();
    for searched in &explored.searches {
        let report = &searched.report;
        let count = |model: &Model| report.of(*model).count().to_string();
        let counts: Vec<String> = explored.monitored.iter().map(count).collect();
        let line = format!(
            "{:width$}  {lines:>5}  {:>11}  {:>13}  {:>7}  {:>6}  {:>9.6}  {:>8}  {:<7}",
            subject.name,
            searched.preemptions,
            report.runs,
            report.cut_off,
            report.faulty,
            report.time.as_secs_f64(),
            overhead(searched),
            counts.join("/"),
            width = form.width
        );
        let more = match report.stopped {
            Some(why) => limit(why, RUNS),
            None => (form.paper)(subject, searched.preemptions).unwrap_or_default(),
        };
        writeln!(out, "{}", format!("{line}  {more}").trim_end())?;
    }
    Ok(())
}

/// The slowdown of a search by its monitors, in percent.
fn overhead(searched: &Searched) -> String {
    let without = searched.without.filter(|time| *time > Duration::ZERO);
    without.map_or("-".to_owned(), |without| {
        let ratio = searched.report.time.as_secs_f64() / without.as_secs_f64();
        format!("{:+.0} %", (ratio - 1.0) * 100.0)
    })
}

/// What a search with a limit on preemptions counts, and what sets the maximum.
const RUNS: (&str, Setting) = ("runs", Setting::MaxRuns);

/// What a search of all states counts, and what sets the maximum.
const STATES: (&str, Setting) = ("states", Setting::MaxStates);

/// The limit that ended a search. `counted` is the plural of what `Stopped::Count` counts, and `maximum` sets how many there may be.
fn limit(stopped: Stopped, (counted, maximum): (&str, Setting)) -> String {
    match stopped {
        Stopped::Time => format!("the time limit came first ({})", Setting::Timeout),
        Stopped::Memory => format!("the memory limit came first ({})", Setting::MaxMemory),
        Stopped::Count => format!("the limit on {counted} came first ({maximum})"),
        Stopped::Interrupted => "it was interrupted".to_owned(),
    }
}

/// Writes the full report on one program.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(
    explored: &Explored<'_>,
    plan: &Plan,
    form: &Form<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let paint = form.paint;
    head(plan, form, out)?;
    rows(explored, form, out)?;
    // Findings are those of the largest bound.
    if let Some(searched) = explored.searches.iter().max_by_key(|it| it.preemptions) {
        for (span, count) in &searched.report.cut_off_at {
            let (_, line, _) = explored.subject.sources.position(*span);
            writeln!(out, "\n{count} runs end at line {line}, where the loop reaches its bound")?;
        }
        for faulty in &searched.report.faults {
            fault(explored, faulty, paint, out)?;
        }
        for &model in &explored.monitored {
            violations(explored, searched, model, paint, out)?;
        }
    }
    for report in &explored.exhaustive {
        exhaustive(explored, report, paint, out)?;
    }
    for suggestion in &explored.fences {
        fences(explored, suggestion, paint, out)?;
    }
    Ok(())
}

fn fault(
    explored: &Explored<'_>,
    faulty: &FaultyRun,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (what, line, text) = run::fault(&explored.subject.sources, &faulty.fault);
    let count = faulty.count;
    let title = format!("{what}, at line {line}: {text}");
    writeln!(out, "\n{} ({count} runs), under SC", paint.bad(&title))?;
    for event in &faulty.run {
        writeln!(out, "    {}", run::event(&explored.subject.program, event))?;
    }
    Ok(())
}

fn violations(
    explored: &Explored<'_>,
    searched: &Searched,
    model: Model,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let found: Vec<&Violation> = searched.report.of(model).collect();
    let preemptions = searched.preemptions;
    match found.len() {
        0 => {
            let none =
                format!("{model}: no violation in runs with at most {preemptions} preemptions");
            match searched.report.stopped {
                None if searched.saw_no_end() => {
                    let why = "every run ended where a loop reached its bound: is there a `break`, or a larger bound?";
                    writeln!(out, "\n{none} so far: {}", paint.unsure(why))?;
                }
                None => writeln!(out, "\n{}", paint.good(&none))?,
                Some(why) => {
                    let why = paint.unsure(&limit(why, RUNS));
                    writeln!(out, "\n{none} so far: {why}")?;
                }
            }
        }
        count => {
            let plural = if count == 1 { "" } else { "s" };
            writeln!(out, "\n{model}: {count} distinct violation{plural} of SC")?;
        }
    }
    let program = &explored.subject.program;
    for violation in found {
        let (store, event) = (&violation.run[violation.delayed], violation.run.last());
        let Some(event) = event else { continue };
        let title = run::delay(program, store, event);
        writeln!(out, "\n  {}", paint.bad(&title))?;
        writeln!(out, "    {}", run::place(program, violation.store))?;
        writeln!(out, "    {}", run::place(program, violation.event))?;
        writeln!(out, "  as in this run:")?;
        for (at, event) in violation.run.iter().enumerate() {
            let mark = match at {
                at if at == violation.delayed => "  <- this store",
                at if at + 1 == violation.run.len() => "  <- can come before it",
                _ => "",
            };
            writeln!(out, "    {}{mark}", run::event(program, event))?;
        }
    }
    Ok(())
}

fn exhaustive(
    explored: &Explored<'_>,
    report: &Report,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let program = &explored.subject.program;
    let beyond = match explored.beyond_sc(report) {
        Some(beyond) if report.model != Model::SC => format!(", {beyond} of them not under SC"),
        _ => String::new(),
    };
    writeln!(
        out,
        "\n{}, all states: {} outcomes{beyond}; {} states, {} moves, {} cut off, {:.3} s",
        report.model,
        report.outcomes.len(),
        report.progress.states,
        report.progress.moves,
        report.cut_off,
        report.progress.time.as_secs_f64(),
    )?;
    if let Some(why) = report.stopped {
        writeln!(out, "  {}: there may be more", paint.unsure(&limit(why, STATES)))?;
    }
    outcomes(report, out)?;
    if let Some(remark) = remark(explored, report) {
        writeln!(out, "  {remark}")?;
    }
    let Some((fault, moves)) = &report.fault else {
        return Ok(());
    };
    let (what, line, text) = run::fault(&explored.subject.sources, fault);
    let title = format!("{what}, at line {line}: {text}");
    writeln!(out, "  {}, in this shortest run:", paint.bad(&title))?;
    for step in moves {
        writeln!(out, "    {}", run::step(program, step))?;
    }
    Ok(())
}

/// A remark for a model about which the exhaustive exploration and the monitors disagree.
fn remark(explored: &Explored<'_>, report: &Report) -> Option<String> {
    let last = explored.searches.iter().max_by_key(|it| it.preemptions)?;
    let model = report.model;
    if model == Model::SC || report.stopped.is_some() || !explored.is_watched(model) {
        return None;
    }
    let preemptions = last.preemptions;
    match (explored.beyond_sc(report)?, last.report.of(model).count()) {
        (0, 1..) => Some(format!(
            "the violations of {model} do not show at the end: loads differ, and nothing that is left depends on them"
        )),
        (1.., 0) => Some(format!(
            "the monitors have seen no violation of {model} in runs with at most {preemptions} preemptions: \
             try more ({}), or larger bounds of loops",
            Setting::Preemptions
        )),
        _ => None,
    }
}

/// Writes the outcomes, without the variables that have the same value in all of them.
fn outcomes(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = report.outcomes.first() else {
        return Ok(());
    };
    let differs = |at: &usize| report.outcomes.iter().any(|it| it[*at] != first[*at]);
    let columns: Vec<usize> = (0..first.len()).filter(differs).collect();
    if columns.is_empty() {
        return Ok(());
    }
    for outcome in report.outcomes.iter().take(MOST_OUTCOMES) {
        let value = |&at: &usize| format!("{} = {}", report.names[at], outcome[at]);
        let values: Vec<String> = columns.iter().map(value).collect();
        writeln!(out, "    {}", values.join(", "))?;
    }
    let left = report.outcomes.len().saturating_sub(MOST_OUTCOMES);
    if left > 0 {
        writeln!(out, "    and {left} more")?;
    }
    Ok(())
}

fn fences(
    explored: &Explored<'_>,
    suggestion: &Suggestion,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (model, count) = (suggestion.model, suggestion.fences.len());
    if let Some(why) = suggestion.stopped() {
        let why = paint.unsure(&limit(why, RUNS));
        return writeln!(out, "\n{model}: {why}: which fences suffice is undecided");
    }
    let runs = suggestion.report.runs;
    match count {
        0 => writeln!(out, "\n{model}: no fence is needed")?,
        1 => writeln!(out, "\n{model}: a fence here leaves no violation in {runs} runs:")?,
        _ => writeln!(
            out,
            "\n{model}: {count} fences, and no fewer, leave no violation in {runs} runs:"
        )?,
    }
    for &site in &suggestion.fences {
        let place = run::place(&explored.subject.program, site);
        writeln!(out, "  after {place}")?;
    }
    Ok(())
}
