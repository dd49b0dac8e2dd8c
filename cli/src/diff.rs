//! `rubric diff`: what a change of a protocol changes. [`lab::testing::compare()`] does the work.

mod json;
mod page;
mod text;

use std::io::Write;
use std::path::PathBuf;

use lab::testing::compare;

use crate::error::Error;
use crate::files;
use crate::options::Format;
use crate::progress::Bars;
use crate::simulate::protocols::tell_order;
use crate::status::Status;
use crate::test::ExtentArgs;

/// Compare two versions of a coherence protocol: their tables, and what tests find in each
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric diff path/to/old/MI_example.slicc path/to/new/MI_example.slicc
  rubric diff MI_example path/to/MI_example.slicc -o change.html
  rubric diff MESI_Two_Level path/to/MESI_Two_Level.slicc --runs 50

First come the tables: states, events and transitions that were added, removed or changed, and actions,
ports and functions with other code. Comments and formatting do not count.

Then both versions are tested with the same programs, as `rubric test` does. Programs are steered
towards the changed transitions: those that come near to a change are varied. Findings are listed that only
the new version has, that only the old one has, and that both have.

JSON is one object; docs/formats.md has its keys.

Exit status: 0 if the new version has no finding that the old one does not have, 1 if it has one, 2 bad usage
or protocol files.")]
pub struct Args {
    /// The old version: a built-in name or the path of a `.slicc` file
    #[arg(value_name = "OLD")]
    old: String,

    /// The new version: a built-in name or the path of a `.slicc` file
    #[arg(value_name = "NEW")]
    new: String,

    #[command(flatten)]
    extent: ExtentArgs,

    /// Write the report, with pictures, to this file: a name ending in .html
    #[arg(long, short, value_name = "FILE.html")]
    output: Option<PathBuf>,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Print only errors on standard error
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    if let Some(path) = &args.output {
        files::check_ending("-o", path, &["html", "htm"], ".html was expected")?;
    }
    let options = args.extent.options();
    let compared = compare(&args.old, &args.new, &options, &Bars::new(args.quiet))?;
    if !args.quiet {
        tell_order(&compared.old, &options.settings);
        tell_order(&compared.new, &options.settings);
    }
    if let Some(path) = &args.output {
        let page = page::page(&compared, &options);
        files::create(path, |file| file.write_all(page.as_bytes()).map_err(Error::Output))?;
    }
    match args.format {
        Format::Text => text::print(&compared, &options, out),
        Format::Json => json::print(&compared, &options, out),
    }
    .map_err(Error::Output)?;
    if let (Some(path), Format::Text) = (&args.output, args.format) {
        writeln!(out, "\nwritten: {}", path.display()).map_err(Error::Output)?;
    }
    Ok(if compared.only_new.is_empty() { Status::Done } else { Status::Violation })
}
