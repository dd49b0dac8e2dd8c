//! Simulates one run, and writes its trace, its history and its verdicts.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Instant;

use lab::load::Input;
use lab::protocols::{Opened, Repairs};
use lab::released::crashes::of_crash;
use lab::released::words::{explained_lines, recognised_lines};
use lab::series::{Plan, RunRequest, Score, Series, fault, json as lines};
use lab::testing::{Explainer, FindingKind};
use lab::text::tame;
use report::sequence::Sequence;
use simulate::recipe::Recipe;
use simulate::simulation::{Run, Simulation};
use slicc::protocol::Protocol;

use super::{Args, write_coverage};
use crate::check;
use crate::convert;
use crate::error::{Error, tell};
use crate::json;
use crate::options::Format;
use crate::sequence::{self, Form};
use crate::status::Status;

/// Runs the simulation, and prints or writes the requested output.
pub(super) fn run(
    args: &Args,
    plan: &Plan,
    opened: &Opened,
    out: &mut dyn Write,
) -> Result<Status, Error> {
    // An output that cannot be written is reported before the work is done.
    let form = args.chart.as_deref().map(|path| Form::of("--chart", path)).transpose()?;
    let format = args.save.as_deref().map(|path| convert::format(path, None)).transpose()?;
    let (given, client, seed) = (&opened.given, plan.clients[0], plan.seed);
    let simulation = plan.simulation(&opened.protocol, client, seed);
    let name = plan.command(given, client, seed);
    let start = Instant::now();
    let run = simulated(args, opened, &simulation, &format!("command line: {name}"))?;
    let seconds = start.elapsed().as_secs_f64();
    let words = plan.words(given, client, seed);
    let mut status = Status::Done;
    let command = plan.command_of_fault(given, client, seed);
    if let Some(stopped) = &run.fault {
        let lines = fault::lines(stopped, opened, &command);
        tell(format_args!("{words}: {}", lines.join("\n")));
        status = Status::Violation;
        if let (Some(path), Some(form)) = (&args.chart, form) {
            draw(&words, &run, &opened.protocol, path, form)?;
        }
    }
    for warning in run.warnings.iter().filter(|_| !args.quiet) {
        let lines = fault::warning(warning, opened.protocol.sources(), &command);
        tell(format_args!("{words}: {}", lines.join("\n")));
    }
    let mut score = Score::new(0);
    score.add(0, seed, &run, seconds);
    score.name_transitions(&opened.protocol.program);
    if args.checks() || args.save.is_some() {
        let history = lab::simulated::history(&run, &opened.protocol);
        let history = history.map_err(|error| Error::Usage(error.to_string()))?;
        let mut input = Input::of(&words, "simulated", vec![history]);
        if args.checks() {
            let (found, violated) =
                check::report(&input, &plan.kept(client), &plan.checking, args.format, out)?;
            status = status.and(found);
            score.add_violated(0, seed, violated);
        }
        if let (Some(path), Some(format)) = (&args.save, format) {
            input.histories.iter_mut().for_each(|history| history.name = Some(name.clone()));
            convert::write_to(&input, path, format, out)?;
        }
    }
    let mut series = Series {
        plan,
        opened: std::slice::from_ref(opened),
        cells: plan.cells(1),
        models: Vec::new(),
        scores: vec![score],
        tried: Vec::new(),
        elapsed: 0.0,
    };
    write_coverage(args, &series)?;
    if status == Status::Violation && args.repair != Repairs::All && !args.quiet {
        tell_known(plan, opened, &simulation, &run)?;
    }
    series.elapsed = start.elapsed().as_secs_f64();
    if !args.is_plain() {
        summary(args, &series, out)?;
    }
    Ok(status)
}

/// Runs the simulation, with its trace in the file that `-o` names or, if nothing else is asked for, on standard output.
fn simulated(
    args: &Args,
    opened: &Opened,
    simulation: &Simulation,
    title: &str,
) -> Result<Run, Error> {
    let plan = &opened.plan(simulation)?;
    let request = RunRequest { simulation, protocol: &opened.protocol, plan, title };
    match &args.output {
        Some(path) if path != Path::new("-") => Ok(request.to_file(path)?),
        None if !args.is_plain() => Ok(request.run()?),
        _ => {
            let handle = io::stdout().as_fd().try_clone_to_owned().map_err(Error::Output)?;
            request.write_to(File::from(handle), Path::new("-")).map_err(|error| match error {
                lab::Error::File { error, .. } => Error::Output(error),
                other => other.into(),
            })
        }
    }
}

/// Says on standard error which known faults of a released protocol explain the failure of a run, if there are any.
fn tell_known(
    plan: &Plan,
    opened: &Opened,
    simulation: &Simulation,
    run: &Run,
) -> Result<(), Error> {
    let Some(explainer) = Explainer::new(opened, plan.checking.clone()) else {
        // No repair fits, but the message may be that of a known fault.
        let crash = lab::simulated::crash(run, opened.protocol.sources());
        let known = crash
            .iter()
            .flat_map(|crash| of_crash(crash, Some(opened.protocol.name()), &Default::default()));
        for line in recognised_lines(&known.collect::<Vec<_>>()) {
            eprintln!("rubric: {line}");
        }
        return Ok(());
    };
    let signatures = explainer.signatures(simulation)?;
    let Some(signature) = signatures.iter().find(|one| one.kind != FindingKind::Warning) else {
        return Ok(());
    };
    let known = explainer.explain(simulation, signature)?;
    for (at, line) in known.iter().flat_map(explained_lines).enumerate() {
        tell(format_args!("{}{line}", if at == 0 { "known: " } else { "" }));
    }
    Ok(())
}

/// Prints the summary after the verdicts.
fn summary(args: &Args, series: &Series<'_>, out: &mut dyn Write) -> Result<(), Error> {
    let (cell, score, plan) = (&series.cells[0], &series.scores[0], series.plan);
    let opened = series.protocol(cell);
    if args.format == Format::Text && !score.violated.is_empty() {
        let command = series.command_of_violation(cell, plan.seed);
        writeln!(out, "  reproduce with: {}", tame(&command)).map_err(Error::Output)?;
    }
    match args.format {
        Format::Json => {
            lines::lines(series).try_for_each(|line| json::line(&line, out)).map_err(Error::Output)
        }
        Format::Text if args.quiet => Ok(()),
        Format::Text => {
            let coverage = series.covered(cell, score);
            // The summary follows the verdicts, if both go to a terminal.
            out.flush().map_err(Error::Output)?;
            tell(format_args!(
                "{}: {} operations, {} transitions, {} ticks; coverage {coverage}",
                opened.title(),
                score.operations,
                score.transitions,
                score.ticks
            ));
            if let Some(words) = score.functional_words() {
                tell(format_args!("{words}"));
            }
            if let Some(lineage) = plan.recipe_of(plan.seed) {
                let options = Recipe::of(&lineage).words(&opened.protocol, cell.client);
                let edited = if lineage.variations().is_empty() {
                    ""
                } else {
                    ", and for edits that have no option"
                };
                tell(format_args!("recipe {lineage} stands for {options}{edited}"));
            }
            Ok(())
        }
    }
}

/// Draws the last steps of controllers for the cache line at which a run failed. If the run failed at no line, says that there is
/// nothing to draw.
fn draw(words: &str, run: &Run, protocol: &Protocol, path: &Path, form: Form) -> Result<(), Error> {
    let crash = lab::simulated::crash(run, protocol.sources());
    let (Some(played), Some((finding, address))) =
        (run.played(), crash.and_then(|crash| Some((crash.finding(), crash.address?))))
    else {
        tell(format_args!("nothing to draw: {} was not written", path.display()));
        return Ok(());
    };
    let steps = played.steps.iter().map(|step| (Some(step.tick), &step.signals[..])).collect();
    let ticks = match (played.steps.first(), played.steps.last()) {
        (Some(first), Some(last)) => format!(", from tick {} to {}", first.tick, last.tick),
        _ => String::new(),
    };
    let lead = format!("{words}: the last transitions and messages for {address:#x}{ticks}");
    let wrong = run.fault.as_ref().map_or(String::new(), |fault| fault.message.clone());
    let run = Sequence { parties: &played.parties, steps };
    sequence::write(&run.chart(finding, vec![lead], wrong), path, form)?;
    tell(format_args!("written: {}", path.display()));
    Ok(())
}
