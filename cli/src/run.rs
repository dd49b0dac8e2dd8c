//! `rubric run`: random programs on a real machine, an emulator or another board. [`lab::hardware`] does the work; [`text`] prints the
//! results, [`evidence`] shows a violation.

mod args;
mod evidence;
pub(crate) mod json;
mod text;

use std::io::Write;
use std::path::Path;

use lab::hardware::{Results, Series, Stopped};

pub(crate) use args::Args;

use crate::error::{Error, tell};
use crate::files;
use crate::interrupt;
use crate::options::Format;
use crate::progress::Bars;
use crate::status::Status;

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let series = args.series()?;
    if let Some(path) = &args.source {
        return write_source(&series, path, out);
    }
    if let Some(warning) = args.shows_little() {
        tell(format_args!("{warning}"));
    }
    let stop = interrupt::gracefully();
    let mut results = series.run(&Bars::new(args.quiet), stop)?;
    if results.rows.is_empty() {
        match results.stopped.take() {
            Some(Stopped::Asked) => {
                tell(format_args!("interrupted before a program was decided"));
                return Ok(Status::Interrupted);
            }
            Some(stopped) => return Err(Error::Machine(stopped)),
            None => {}
        }
    }
    let evidence = evidence::Evidence::of(&series, &results)?;
    match args.format {
        Format::Text => text::print(&series, &results, evidence.as_ref(), out),
        Format::Json => json::print(&series, &results, evidence.as_ref(), out),
    }
    .map_err(Error::Output)?;
    match &results.stopped {
        Some(Stopped::Asked) => tell(format_args!("{}", interrupted(&series, &results))),
        Some(stopped) => tell(format_args!("{stopped}")),
        None => {}
    }
    Ok(status(&results))
}

/// Writes the program of the first seed, without running it.
fn write_source(series: &Series, path: &Path, out: &mut dyn Write) -> Result<Status, Error> {
    let source = series.source(series.seed)?;
    if path == Path::new("-") {
        out.write_all(source.as_bytes()).map_err(Error::Output)?;
    } else {
        files::create(path, |file| file.write_all(source.as_bytes()).map_err(Error::Output))?;
    }
    Ok(Status::Done)
}

/// The message for a series that a signal ended.
fn interrupted(series: &Series, results: &Results) -> String {
    let programs = match results.rows.len() {
        1 => "1 program".to_owned(),
        count => format!("{count} programs"),
    };
    match &series.folder {
        Some(folder) => format!(
            "interrupted: {programs} stored in {}; the same command resumes the series",
            folder.display()
        ),
        None => format!("interrupted after {programs}"),
    }
}

/// The status of the results: a violation counts more than a program that failed or a signal, since it was found.
fn status(results: &Results) -> Status {
    let own = results.rows.iter().filter_map(|row| row.verdicts.last());
    let verdict = own.fold(Status::Done, |status, tally| {
        status.and(match tally {
            tally if tally.violation > 0 => Status::Violation,
            tally if tally.undecided > 0 => Status::Undecided,
            _ => Status::Done,
        })
    });
    match &results.stopped {
        Some(Stopped::Program(..) | Stopped::Record(..)) if verdict != Status::Violation => {
            Status::Bad
        }
        Some(Stopped::Asked) => verdict.and(Status::Interrupted),
        _ => verdict,
    }
}
