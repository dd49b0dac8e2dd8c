//! Simulates one run, and writes its trace, its history and its verdicts.

use lab::text::tame;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use simulate::recipe::Recipe;
use simulate::simulation::{Run, Simulation};
use slicc::protocol::Protocol;

use super::score::Score;
use super::series::Series;
use super::traces::RunRequest;
use super::{Args, Cell, fault, json};
use crate::check;
use crate::convert;
use crate::error::{Error, tell};
use crate::known::{explained_lines, recognised_lines};
use crate::options::Format;
use crate::sequence::{self, Form, Sequence};
use crate::status::Status;
use lab::load::Input;
use lab::protocols::{Opened, Repairs};
use lab::released::crashes::of_crash;
use lab::testing::{Explainer, FindingKind};

/// Runs the simulation, and prints or writes the requested output.
pub(super) fn run(
    args: &Args,
    opened: &Opened,
    cell: &Cell,
    out: &mut dyn Write,
) -> Result<Status, Error> {
    // An output that cannot be written is reported before the work is done.
    let form = args.chart.as_deref().map(|path| Form::of("--chart", path)).transpose()?;
    let format = args.save.as_deref().map(|path| convert::format(path, None)).transpose()?;
    let simulation = args.simulation(&opened.protocol, cell.client, args.seed());
    let request = RunRequest {
        simulation: &simulation,
        protocol: &opened.protocol,
        plan: &opened.plan(&simulation)?,
        title: &format!("command line: {}", args.command(&opened.given, cell.client, args.seed())),
    };
    let start = Instant::now();
    let run = match &args.output {
        Some(path) if path != Path::new("-") => request.to_file(path)?,
        None if !args.is_plain() => request.run(None, "")?,
        _ => request.to_standard_output()?,
    };
    let seconds = start.elapsed().as_secs_f64();
    let words = args.words(&opened.given, cell.client, args.seed());
    let mut status = Status::Done;
    let command = args.command_of_fault(&opened.given, cell.client, args.seed());
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
    if !args.is_plain() {
        score.add(0, args.seed(), &run, seconds);
        if args.checks() || args.save.is_some() {
            let mut input = input(&words, &opened.protocol, &run)?;
            if args.checks() {
                let models = args.kept(cell.client);
                let options = args.for_checking();
                let (found, violated) = check::report(&input, &models, &options, args.format, out)?;
                status = status.and(found);
                score.add_violated(0, args.seed(), violated);
            }
            if let (Some(path), Some(format)) = (&args.save, format) {
                let name = args.command(&opened.given, cell.client, args.seed());
                input.histories.iter_mut().for_each(|history| history.name = Some(name.clone()));
                convert::write_to(&input, path, format, out)?;
            }
        }
        if let Some(path) = &args.coverage {
            score.coverage.write(path)?;
        }
    }
    if status == Status::Violation && args.repair != Repairs::All && !args.quiet {
        tell_known(args, opened, &simulation, &run)?;
    }
    let elapsed = start.elapsed().as_secs_f64();
    summary(args, opened, cell, score, elapsed, out)?;
    Ok(status)
}

/// Says on standard error which known faults of a released protocol explain the failure of a run, if there are any.
fn tell_known(
    args: &Args,
    opened: &Opened,
    simulation: &Simulation,
    run: &Run,
) -> Result<(), Error> {
    let Some(explainer) = Explainer::new(opened, args.for_checking()) else {
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
fn summary(
    args: &Args,
    opened: &Opened,
    cell: &Cell,
    score: Score,
    elapsed: f64,
    out: &mut dyn Write,
) -> Result<(), Error> {
    if args.is_plain() {
        return Ok(());
    }
    let series = Series {
        args,
        opened: std::slice::from_ref(opened),
        cells: std::slice::from_ref(cell),
        models: Vec::new(),
        scores: vec![score],
        tried: Vec::new(),
        elapsed,
    };
    let score = &series.scores[0];
    if args.format == Format::Text && !score.violated.is_empty() {
        let command = series.command_of_violation(cell, args.seed());
        writeln!(out, "  reproduce with: {}", tame(&command)).map_err(Error::Output)?;
    }
    match args.format {
        Format::Json => json::print(&series, out).map_err(Error::Output),
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
            if let Some(lineage) = args.recipe_of(args.seed()) {
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

/// The history of a run, as if it had been read from a file.
fn input(words: &str, protocol: &Protocol, run: &Run) -> Result<Input, Error> {
    let history = lab::simulated::history(run, protocol);
    let history = history.map_err(|error| Error::Usage(error.to_string()))?;
    Ok(Input {
        file: words.to_owned(),
        format: "simulated",
        histories: vec![history],
        transitions: Default::default(),
        ending: Default::default(),
        statistics: Default::default(),
    })
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
