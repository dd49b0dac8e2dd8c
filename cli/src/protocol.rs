//! `rubric protocol`: reports errors and warnings of a SLICC protocol, shows its tables, and prints the files of built-in ones.

mod check;
pub(crate) mod diagnostics;
mod show;
mod source;

use std::io::Write;

use crate::error::Error;
use crate::status::Status;

/// Check a SLICC protocol, show its machines and transition tables, or print the files of a built-in one
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric protocol check MI_example.slicc
  rubric protocol show MI_example --machine L1Cache
  rubric protocol show MI_example --to svg -o mi.svg
  rubric protocol source MI_example MI_example-cache.sm:155")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Check(check::Args),
    Show(show::Args),
    Source(source::Args),
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    match &args.command {
        Command::Check(args) => check::run(args, out),
        Command::Show(args) => show::run(args, out),
        Command::Source(args) => source::run(args, out),
    }
}
