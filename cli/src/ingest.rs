//! `rubric ingest`: reads traces, and writes their histories and transitions as Parquet.

use std::io::Write;
use std::path::{Path, PathBuf};

use history::History;
use ingest::Transition;
use lab::inputs;
use lab::load::{self, Input};
use lab::text::named;

use crate::ending;
use crate::error::{Error, complain, tell};
use crate::files;
use crate::options::TraceOptions;
use crate::status::Status;

/// Read traces and keep their operations and controller transitions as Parquet
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric ingest m5out -o run.parquet
  rubric ingest trace.gz -o run.parquet --addresses 0x1000-0x2000
  rubric ingest runs -o runs.parquet
  rubric ingest - -o run.parquet < trace.txt

Operations go to FILE.parquet, and where the trace has controller transitions (debug flag
ProtocolTrace) those go to FILE.transitions.parquet beside it. docs/formats.md has both schemas.

Several traces, a folder of traces or a pattern become one table, in which `history` numbers the histories and `name`
is the file (and the history's name, if it has one). A trace that cannot be read is left out.")]
pub(crate) struct Args {
    /// Traces, gem5 output folders, files of histories, folders of any of these, patterns, or `-`
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,

    /// The file to write
    #[arg(long, short, value_name = "FILE.parquet")]
    output: PathBuf,

    #[command(flatten)]
    options: TraceOptions,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    check_output(&args.output)?;
    files::spare(&args.traces, [&args.output, &beside(&args.output)])?;
    let options = ingest::Options { transitions: true, ..args.options.for_reading()? };
    let (inputs, status) = read_all(&args.traces, &options, out)?;
    if inputs.is_empty() {
        return Ok(status);
    }
    let mut histories = Vec::new();
    let mut transitions: Vec<(u32, Transition<'_>)> = Vec::new();
    for input in &inputs {
        let number = histories.len() as u32;
        transitions.extend(input.transitions.iter().map(|one| (number, one)));
        histories.extend_from_slice(&input.histories);
        ending::warn(input, args.options.quiet);
    }
    tables::write_histories(&args.output, &histories)?;
    report(args, &args.output, &operations(&histories));
    if !transitions.is_empty() {
        let beside = beside(&args.output);
        let count = transitions.len();
        tables::write_transitions(&beside, transitions)?;
        report(args, &beside, &format!("{count} transitions"));
    }
    Ok(status)
}

/// Reads the traces that paths stand for. A trace that cannot be read is reported and left out, and the status says so. If the
/// paths may stand for several traces, each history has the name of its file.
///
/// # Errors
/// Returns an error if `out` cannot be flushed before a report, or the only trace cannot be read.
pub(crate) fn read_all(
    paths: &[PathBuf],
    options: &ingest::Options,
    out: &mut dyn Write,
) -> Result<(Vec<Input>, Status), Error> {
    if inputs::is_one(paths) {
        let input = load::open(&paths[0], options)?;
        return Ok((vec![input], Status::Done));
    }
    let mut status = Status::Done;
    let mut read = Vec::new();
    for path in inputs::traces(paths) {
        match path.and_then(|path| load::open(&path, options)) {
            Ok(mut input) => {
                for history in &mut input.histories {
                    history.name = Some(named(&input.file, history));
                }
                read.push(input);
            }
            Err(error) => status = status.and(complain(&error.into(), out)?),
        }
    }
    Ok((read, status))
}

/// The file of the transitions beside that of the operations.
fn beside(output: &Path) -> PathBuf {
    output.with_extension("transitions.parquet")
}

fn check_output(path: &Path) -> Result<(), Error> {
    if path.extension().is_some_and(|extension| extension == "parquet") {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "-o {}: a name that ends in .parquet was expected; `rubric convert` writes other formats",
        path.display()
    )))
}

fn operations(histories: &[History]) -> String {
    let operations: usize = histories.iter().map(History::operations).sum();
    match histories.len() {
        1 => format!("{operations} operations"),
        count => format!("{operations} operations of {count} histories"),
    }
}

fn report(args: &Args, path: &Path, what: &str) {
    if !args.options.quiet {
        tell(format_args!("{}: {what}", path.display()));
    }
}
