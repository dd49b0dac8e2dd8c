//! `rubric convert`: between the formats of histories.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use history::History;
use ingest::axe::WriteError;
use ingest::{axe, json};
use report::tables;

use crate::error::Error;
use crate::files;
use crate::load::{self, Input};
use crate::options::TraceOptions;
use crate::status::Status;

/// Convert histories between axe text, JSON Lines and Parquet
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric convert trace.gz run.axe
  rubric convert tests.axe tests.parquet
  rubric convert run.parquet - --to json | head -1
  rubric convert trace.gz run.json --source client --initial infer

JSON and Parquet keep everything that is known of a history. The axe format has no sizes, initial
values, load-linked or trace lines; what would change a verdict is refused.")]
pub struct Args {
    /// The input: a trace or a file of histories, or `-`
    input: PathBuf,

    /// The output: a name ending in .axe, .json, .jsonl or .parquet, or `-`
    output: PathBuf,

    /// The format to write, whatever the name says
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,

    #[command(flatten)]
    options: TraceOptions,
}

/// A format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Axe,
    Json,
    Parquet,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let format = format(args)?;
    let options = args.options.for_reading()?;
    let input = load::open(&args.input, &options)?;
    let to_output = args.output == Path::new("-");
    match format {
        Format::Parquet => tables::write_histories(&args.output, &input.histories)?,
        _ if to_output => write(&input, format, out)?,
        _ => files::create(&args.output, |out| write(&input, format, out))?,
    }
    Ok(Status::Done)
}

fn format(args: &Args) -> Result<Format, Error> {
    let name = args.output.display();
    let standard_output = args.output == Path::new("-");
    let extension = args
        .output
        .extension()
        .and_then(|extension| extension.to_str());
    match args.to.or_else(|| by_extension(extension)) {
        Some(Format::Parquet) if standard_output => Err(Error::Usage(
            "Parquet needs a file: give an output that ends in .parquet".to_owned(),
        )),
        Some(format) => Ok(format),
        None if standard_output => Err(Error::Usage(
            "standard output has no name that says its format: add --to axe or --to json"
                .to_owned(),
        )),
        None => Err(Error::Usage(format!(
            "{name}: a name that ends in .axe, .json, .jsonl or .parquet was expected; or add --to"
        ))),
    }
}

fn by_extension(extension: Option<&str>) -> Option<Format> {
    match extension? {
        "axe" => Some(Format::Axe),
        "json" | "jsonl" => Some(Format::Json),
        "parquet" => Some(Format::Parquet),
        _ => None,
    }
}

fn write(input: &Input, format: Format, mut out: &mut dyn Write) -> Result<(), Error> {
    for (number, history) in input.histories.iter().enumerate() {
        match format {
            Format::Axe => axe::write(history, &mut out)
                .map_err(|error| axe_error(error, input, number, history))?,
            _ => json::write(history, &mut out).map_err(Error::Output)?,
        }
    }
    Ok(())
}

fn axe_error(error: WriteError, input: &Input, number: usize, history: &History) -> Error {
    match error {
        WriteError::Io(error) => Error::Output(error),
        error => {
            let which = match &history.name {
                Some(name) => format!(" history `{name}`:"),
                None if input.histories.len() > 1 => format!(" history {number}:"),
                None => String::new(),
            };
            Error::Usage(format!("{}:{which} {error}", input.file))
        }
    }
}
