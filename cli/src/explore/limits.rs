//! The options that limit an exploration.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use check::Bounds;
use explore::search;

use crate::limits::{parse_seconds, parse_size};
use crate::simulate::parse::positive;

/// Limits of an exploration.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct Limits {
    /// Stop after N states. Counts may end in K (thousands) or M (millions)
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_states: Option<u32>,

    /// Time limit in seconds for all that is searched in a protocol, mutant, program or system
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub timeout: Option<Duration>,

    /// Memory that the program may occupy before it stops, in bytes or such as 500MiB, 4GB
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = parse_size)]
    pub max_memory: u64,
}

impl Limits {
    /// The limits in words.
    pub(super) fn in_words(&self) -> String {
        let states = self.max_states.map(|most| format!("{most} states, "));
        let time = self.timeout.map(|most| format!("{} s, ", most.as_secs_f64()));
        let memory = format!("{} bytes", self.max_memory);
        states.unwrap_or_default() + &time.unwrap_or_default() + &memory
    }

    /// The limits of a search that begins now.
    pub(super) fn begin(&self) -> search::Limits {
        search::Limits {
            bounds: Bounds::new(self.timeout, Some(self.max_memory)),
            states: self.max_states.map(|most| most as usize),
        }
    }

    /// The limits of a search that begins now, and that also ends when `interrupted` is set, if it is given.
    pub(super) fn begin_until(&self, interrupted: Option<&'static AtomicBool>) -> search::Limits {
        let search::Limits { bounds, states } = self.begin();
        let bounds = match interrupted {
            Some(interrupted) => bounds.or_interrupted(interrupted),
            None => bounds,
        };
        search::Limits { bounds, states }
    }
}
