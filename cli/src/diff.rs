//! `rubric diff`: compares two versions of a protocol, their tables and the findings of tests. [`lab::testing::compare()`] does
//! the work.

mod page;

use std::io::Write;

use lab::protocols::Repairs;
use lab::testing::compare::{compare, json as documents, text};

use crate::error::Error;
use crate::interrupt;
use crate::json;
use crate::status::Status;
use crate::test::{ExtentArgs, ReportArgs, explained, tell_if_interrupted};

/// Compare two versions of a coherence protocol: their tables, and what tests find in each
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric diff path/to/old/MI_example.slicc path/to/new/MI_example.slicc
  rubric diff MI_example path/to/MI_example.slicc -o change.html
  rubric diff MESI_Two_Level path/to/MESI_Two_Level.slicc --runs 50
  rubric diff path/to/old/MESI_Two_Level.slicc path/to/new/MESI_Two_Level.slicc --repair all

First come the tables: states, events and transitions that were added, removed or changed, and actions,
ports and functions with other code. Comments and formatting do not count. What only has another name, with the
same rows and code, is listed as renamed.

Then both versions are tested with the same programs, as `rubric test` does. Programs are steered
towards the changed transitions: those that come near to a change are varied, and walks through small systems make for
them. Findings are listed that only the new version has, that only the old one has, and that both have. What comes from one
edit is one finding, with the changed transition that is nearest before it. In the smallest system, starvation that only the new
version has is looked for as well.

Known faults of gem5's released protocols that both versions have are repaired first: they are no difference, and would
end many runs early. --repair none leaves them. A repair that is named must fit one of the versions: the other may have it
already.

JSON is one object; docs/formats.md has its keys.

Exit status: 0 if the new version has no finding that the old one does not have, 1 if it has one, 2 bad usage
or protocol files.")]
pub(crate) struct Args {
    /// The old version: a built-in name or the path of a `.slicc` file
    #[arg(value_name = "OLD")]
    old: String,

    /// The new version: a built-in name or the path of a `.slicc` file
    #[arg(value_name = "NEW")]
    new: String,

    /// Repair known faults of gem5's released protocols first: those that both versions have (`common`), `all` that fit,
    /// names from `rubric mutants list --repairs`, or `none`
    #[arg(long, value_name = "REPAIRS", default_value = "common")]
    repair: Repairs,

    #[command(flatten)]
    extent: ExtentArgs,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    args.report.check(&[&args.old, &args.new])?;
    let options = args.extent.options(&args.repair)?;
    let compared = compare(&args.old, &args.new, &options, &args.report.bars())?;
    args.report.write(
        || page::page(&compared, &options),
        |out| text::write(&compared, &options, &explained, out),
        |out| json::sorted_line(&documents::document(&compared, &options, &explained), out),
        out,
    )?;
    tell_if_interrupted(compared.elapsed);
    let status = if compared.only_new.is_empty() { Status::Done } else { Status::Violation };
    Ok(interrupt::status(status))
}
