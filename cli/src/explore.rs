//! `rubric explore`: explores all runs of a small system.
//!
//! - [`memory_system`]: memory systems, by Qadeer's method;
//! - [`program`]: concurrent programs;
//! - [`protocol`]: coherence protocols;
//! - [`sizes`]: many protocols at several sizes;
//! - [`limits`]: the options that limit time, memory and states.

mod limits;
mod memory_system;
mod program;
mod protocol;
mod search_options;
mod sizes;

use std::io::Write;

use crate::error::Error;
use crate::status::Status;

/// Explore all runs of a small system
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric explore memory-system piranha --threads 2 --locations 2
  rubric explore program dekker --preemptions 2 --monitor tso,pso
  rubric explore protocol MI_example
  rubric explore protocol path/to/My_protocol.slicc --locations 2 --tiny --timeout 60
  rubric explore sizes all --max-states 100K -o sizes.jsonl")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    MemorySystem(memory_system::Args),
    Program(program::Args),
    Protocol(Box<protocol::Args>),
    Sizes(sizes::Args),
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    match &args.what {
        What::MemorySystem(args) => memory_system::run(args, out),
        What::Program(args) => program::run(args, out),
        What::Protocol(args) => protocol::run(args, out),
        What::Sizes(args) => sizes::run(args, out),
    }
}
