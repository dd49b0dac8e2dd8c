//! `rubric convert`: between the formats of histories.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use history::History;
use ingest::axe::WriteError;
use ingest::{axe, json};

use crate::ending;
use crate::error::Error;
use crate::files;
use crate::options::TraceOptions;
use crate::status::Status;
use lab::load::{self, Input};

/// Convert histories between axe text, JSON Lines and Parquet
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric convert trace.gz -o run.axe
  rubric convert tests.axe -o tests.parquet
  rubric convert run.parquet -o - --to json | head -1
  rubric convert trace.gz -o run.json --source client --initial infer

JSON and Parquet keep everything that is known of a history. The axe format has no sizes, initial
values, load-linked, weak fences, acquires and releases or trace lines; what would change a verdict
is refused.

The Axe checker reads numbers of up to nine digits and values below 2^23, and every location begins with
0. A history with other numbers, as gem5's addresses are, gets its threads, locations and values
numbered, the initial value 0 and those written 1, 2, …; comments say which number stands for what. Such
text has no ticks. Verdicts are the same.")]
pub struct Args {
    /// The input: a trace or a file of histories, or `-`
    input: PathBuf,

    /// The output, as versions before this one took it
    #[arg(hide = true, conflicts_with = "output")]
    second: Option<PathBuf>,

    /// The output: a name ending in .axe, .json, .jsonl or .parquet, or `-`
    #[arg(long, short, value_name = "FILE", required_unless_present = "second")]
    output: Option<PathBuf>,

    /// The format to write, whatever the name says
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,

    #[command(flatten)]
    options: TraceOptions,
}

/// A format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Axe text.
    Axe,
    /// JSON Lines.
    Json,
    /// Parquet.
    Parquet,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    // clap asks for one of them.
    let output = args.output.as_ref().or(args.second.as_ref());
    let output = output.map_or(Path::new("-"), PathBuf::as_path);
    let format = format(output, args.to)?;
    let options = args.options.for_reading()?;
    let input = load::open(&args.input, &options)?;
    write_to(&input, output, format, out)?;
    ending::warn(&input, args.options.quiet);
    Ok(Status::Done)
}

/// Writes the histories of an input to a file, or to `out` for `-`.
pub fn write_to(
    input: &Input,
    path: &Path,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), Error> {
    match format {
        Format::Parquet => Ok(tables::write_histories(path, &input.histories)?),
        _ if path == Path::new("-") => write(input, format, out),
        _ => files::create(path, |out| write(input, format, out)),
    }
}

/// The format to write: the one that is asked for, or that the name of the output says.
pub fn format(output: &Path, to: Option<Format>) -> Result<Format, Error> {
    let name = output.display();
    let standard_output = output == Path::new("-");
    match to.or_else(|| by_name(output)) {
        Some(Format::Parquet) if standard_output => Err(Error::Usage(
            "Parquet needs a file: give an output that ends in .parquet".to_owned(),
        )),
        Some(format) => Ok(format),
        None if standard_output => Err(Error::Usage(
            "standard output has no name that says its format: add --to axe or --to json"
                .to_owned(),
        )),
        None => Err(Error::Usage(format!(
            "{name}: a name that ends in .axe, .json, .jsonl or .parquet was expected"
        ))),
    }
}

/// The format that a file's name says.
pub fn by_name(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()? {
        "axe" => Some(Format::Axe),
        "json" | "jsonl" => Some(Format::Json),
        "parquet" => Some(Format::Parquet),
        _ => None,
    }
}

fn write(input: &Input, format: Format, out: &mut dyn Write) -> Result<(), Error> {
    if format == Format::Axe {
        // What the format cannot say is said before anything is written.
        write_histories(input, format, &mut io::sink())?;
    }
    write_histories(input, format, out)
}

fn write_histories(input: &Input, format: Format, mut out: &mut dyn Write) -> Result<(), Error> {
    for (number, history) in input.histories.iter().enumerate() {
        match format {
            Format::Axe => write_axe(history, input.histories.len() > 1, &mut out)
                .map_err(|error| axe_error(error, input, number, history))?,
            _ => json::write(history, &mut out).map_err(Error::Output)?,
        }
    }
    Ok(())
}

/// Writes a history as axe text that the Axe checker can read the numbers of. One of several ends with `check`.
fn write_axe(
    history: &History,
    is_one_of_several: bool,
    mut out: &mut dyn Write,
) -> Result<(), WriteError> {
    if axe::is_small(history) {
        return axe::write(history, &mut out);
    }
    axe::write_small(history, &mut out)?;
    if is_one_of_several {
        writeln!(out, "check")?;
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
