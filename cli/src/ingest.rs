//! `rubric ingest`: a trace to Parquet.

use std::path::{Path, PathBuf};

use history::History;

use crate::ending;
use crate::error::Error;
use crate::options::TraceOptions;
use crate::status::Status;
use lab::load;

/// Read a trace and keep its operations and controller transitions as Parquet
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric ingest m5out -o run.parquet
  rubric ingest trace.gz -o run.parquet --addresses 0x1000-0x2000
  rubric ingest - -o run.parquet < trace.txt

Operations go to FILE.parquet, and where the trace has controller transitions (debug flag
ProtocolTrace) those go to FILE.transitions.parquet beside it. docs/formats.md has both schemas.")]
pub struct Args {
    /// The trace, or `-`
    trace: PathBuf,

    /// The file to write
    #[arg(long, short, value_name = "FILE.parquet")]
    output: PathBuf,

    #[command(flatten)]
    options: TraceOptions,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    check_output(&args.output)?;
    let mut options = args.options.for_reading()?;
    options.transitions = true;
    let input = load::open(&args.trace, &options)?;
    tables::write_histories(&args.output, &input.histories)?;
    report(args, &args.output, &operations(&input.histories));
    ending::warn(&input, args.options.quiet);
    if !input.transitions.is_empty() {
        let beside = args.output.with_extension("transitions.parquet");
        tables::write_transitions(&beside, input.transitions.iter())?;
        report(args, &beside, &format!("{} transitions", input.transitions.len()));
    }
    Ok(Status::Done)
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
        eprintln!("rubric: {}: {what}", path.display());
    }
}
