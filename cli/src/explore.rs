//! `rubric explore`: all runs of something small.
//!
//! - [`program`]: of a concurrent program;
//! - [`limits`]: the options that bound what that may take.

mod limits;
mod program;

use std::io::Write;

use crate::error::Error;
use crate::status::Status;

/// Explore all runs of a small system
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric explore program dekker --preemptions 2 --monitor tso,pso")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Program(program::Args),
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    match &args.command {
        Command::Program(args) => program::run(args, out),
    }
}
