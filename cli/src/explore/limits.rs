//! The options that limit an exploration.

use std::time::Duration;

use lab::exploration;

use crate::limits::parse_size;
use crate::simulate::parse::positive;
use crate::time;

/// Limits of an exploration.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct Limits {
    /// Stop after N states. Counts may end in K (thousands) or M (millions)
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_states: Option<u32>,

    /// Time limit for all that is searched in a protocol, mutant, program or system, such as 10 (seconds), 90s or 2h
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    pub timeout: Option<Duration>,

    /// Memory that the program may occupy before it stops, in bytes or such as 500MiB, 4GB
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = parse_size)]
    pub max_memory: u64,
}

impl Limits {
    /// The limits as the library takes them.
    pub(super) fn limits(&self) -> exploration::Limits {
        let Limits { max_states, timeout, max_memory } = *self;
        exploration::Limits { states: max_states, timeout, max_memory }
    }
}
