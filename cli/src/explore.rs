//! `rubric explore`: all runs of a small system.

mod memory_system;

use std::io::Write;

use clap::Subcommand;

use crate::error::Error;
use crate::status::Status;

/// Explore all runs of a small system
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    MemorySystem(memory_system::Args),
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    match &args.what {
        What::MemorySystem(args) => memory_system::run(args, out),
    }
}
