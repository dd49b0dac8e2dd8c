//! `rubric stats`: shows what a trace holds.

mod summary;
mod text;

use std::io::Write;
use std::path::PathBuf;

use crate::error::Error;
use crate::options::{Format, TraceOptions};
use crate::status::Status;
use lab::load;
use summary::Summary;

/// Say what is in a trace: threads, operations, locations, ticks, how it ended
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric stats trace.gz
  rubric stats m5out --source client
  rubric stats trace.gz --format json | python3 -m json.tool

JSON is one object: `file`, `format`, `histories` (each with its threads, kinds of operations,
locations, ticks, protocol, assumptions) and `trace` (counts of everything in the text, and each
controller transition with how often it was taken).")]
pub struct Args {
    /// The trace, or a file of histories, or `-`
    trace: PathBuf,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    #[command(flatten)]
    options: TraceOptions,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let options = args.options.for_reading()?;
    let input = load::open(&args.trace, &options)?;
    let summary = Summary::of(&input);
    let written = match args.format {
        Format::Text => text::print(&summary, out),
        Format::Json => serde_json::to_writer(&mut *out, &summary)
            .map_err(Into::into)
            .and_then(|()| writeln!(out)),
    };
    written.map_err(Error::Output)?;
    Ok(Status::Done)
}
