//! `rubric explore`: all runs of something small.
//!
//! - [`protocol`]: of a coherence protocol;
//! - [`limits`]: the options that bound what that may take.

mod limits;
mod protocol;

use std::io::Write;

use crate::error::Error;
use crate::status::Status;

/// Explore all runs of a small system
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric explore protocol MI_example
  rubric explore protocol path/to/My_protocol.slicc --lines 2 --tiny --timeout 60")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Protocol(protocol::Args),
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    match &args.command {
        Command::Protocol(args) => protocol::run(args, out),
    }
}
