//! `rubric stats`: shows the contents of a trace in numbers.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::error::{Error, complain};
use crate::json;
use crate::options::{Format, TraceOptions};
use crate::status::Status;
use lab::statistics::{Summary, text};
use lab::{inputs, load};

/// Say what is in a trace: threads, operations, locations, ticks, how it ended
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric stats trace.gz
  rubric stats m5out --source client
  rubric stats runs
  rubric stats trace.gz --format json | python3 -m json.tool

JSON is one object a line for each trace: `file`, `format`, `histories` (each with its threads, kinds of operations,
locations, ticks, protocol, assumptions) and `trace` (counts of everything in the text, and each
controller transition with how often it was taken).")]
pub(crate) struct Args {
    /// Traces, gem5 output folders, files of histories, folders of any of these, patterns, or `-`
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    #[command(flatten)]
    options: TraceOptions,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let options = args.options.for_reading()?;
    let mut status = Status::Done;
    for (number, path) in inputs::traces(&args.traces).into_iter().enumerate() {
        match path.and_then(|path| load::open(&path, &options)) {
            Ok(input) => {
                print(args.format, &Summary::of(&input), number, out).map_err(Error::Output)?
            }
            Err(error) => status = status.and(complain(&error.into(), out)?),
        }
    }
    Ok(status)
}

/// Prints a summary, with an empty line before all but the first.
fn print(
    format: Format,
    summary: &Summary<'_>,
    number: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Text => {
            if number > 0 {
                writeln!(out)?;
            }
            text::write(summary, out)
        }
        Format::Json => json::line(summary, out),
    }
}
