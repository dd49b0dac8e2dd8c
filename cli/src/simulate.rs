//! `rubric simulate`: runs coherence protocols, and shows, stores or checks the results.
//!
//! - [`args`]: the arguments ([`options`]: those of programs and systems; [`extras`]: other requests; [`parse`]: values of options);
//! - [`single`]: one run, with its trace; several are a [`Series`].

mod args;
pub(crate) mod extras;
pub(crate) mod options;
pub(crate) mod parse;
mod single;

use std::io::Write;
use std::path::Path;

use lab::protocols::Opened;
use lab::series::{Plan, Series, json as lines, text};

use crate::check::paint::paint;
use crate::convert;
use crate::error::{Error, tell, warn_of_protocol};
use crate::files;
use crate::interrupt;
use crate::json;
use crate::options::Format;
use crate::progress::Bars;
use crate::status::Status;
pub(crate) use args::Args;

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    args.check()?;
    let names = args.protocols();
    let opened: Result<Vec<Opened>, lab::Error> = names
        .iter()
        .map(|name| Opened::repaired(name, &args.repair, args.mutant.as_deref()))
        .collect();
    let opened = opened?;
    files::spare(
        [],
        [&args.output, &args.save, &args.coverage, &args.chart].into_iter().flatten(),
    )?;
    let asked = args.asked_extras();
    opened.iter().try_for_each(|opened| opened.check_extras(asked))?;
    if !args.quiet {
        opened.iter().for_each(|opened| warn_of_protocol(opened, args.settings()));
    }
    let plan = args.plan();
    match (&opened[..], &plan.clients[..]) {
        ([protocol], [_]) if args.runs.is_none() => single::run(args, &plan, protocol, out),
        _ => run_series(args, &plan, &opened, out),
    }
}

/// Runs a series and prints the results.
fn run_series(
    args: &Args,
    plan: &Plan,
    opened: &[Opened],
    out: &mut dyn Write,
) -> Result<Status, Error> {
    let format = args.save.as_deref().map(|path| convert::format(path, None)).transpose()?;
    let bars = Bars::new(args.quiet);
    let folder = args.output.as_deref();
    args.jobs.apply()?;
    interrupt::gracefully();
    let mut series = Series::run(plan, opened, folder, args.save.is_some(), &bars)?;
    if let (Some(path), Some(format)) = (&args.save, format) {
        convert::write_to(&series.take_histories(), path, format, out)?;
    }
    write_coverage(args, &series)?;
    match args.format {
        Format::Text => text::write(&series, paint(), out),
        Format::Json => lines::lines(&series).try_for_each(|line| json::line(&line, out)),
    }
    .map_err(Error::Output)?;
    if let (Some(folder), Format::Text) = (&args.output, args.format) {
        let count: u64 = series.scores.iter().map(|score| score.runs).sum();
        let folder = folder.display();
        writeln!(out, "\nwritten: {count} traces in {folder}").map_err(Error::Output)?;
    }
    if interrupt::asked() {
        let done: u64 = series.scores.iter().map(|score| score.runs).sum();
        let all = series.cells.len() as u64 * u64::from(plan.runs);
        tell(format_args!("interrupted: {done} of {all} runs were made"));
    }
    Ok(interrupt::status(series.outcome().into()))
}

/// Writes how often each transition was taken, if `--coverage` asks for it.
fn write_coverage(args: &Args, series: &Series<'_>) -> Result<(), Error> {
    let Some(path) = &args.coverage else { return Ok(()) };
    let coverage = series.coverage();
    if path == Path::new("-") {
        return coverage.write(&mut std::io::stdout().lock()).map_err(Error::Output);
    }
    files::create(path, |out| coverage.write(out).map_err(Error::Output))
}
