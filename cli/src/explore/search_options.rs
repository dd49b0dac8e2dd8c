//! The options for how a protocol is explored: how its states are stored, and with how many threads.

use clap::ArgAction;
use explore::protocol::{SearchOptions, Store};

use crate::words;

/// The options.
#[derive(clap::Args)]
pub(super) struct SearchArgs {
    /// How states are kept: `exact`, or `compact` as fingerprints of 64 bits, in about 12 bytes each. Then states may be
    /// missed, so that nothing found is undecided, and livelocks are not looked for
    #[arg(id = "store", long = "store", value_name = "exact|compact", default_value = "exact", hide_possible_values = true,
        action = ArgAction::Set, value_parser = words::switch("exact", "compact"))]
    exact: bool,

    /// Number of threads that explore; the outcome does not depend on it [default: as many as there are processors]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
}

impl SearchArgs {
    /// The options of an exploration, with or without partial-order reduction.
    pub(super) fn with(&self, partial_order: bool) -> SearchOptions {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        SearchOptions {
            store: if self.exact { Store::Exact } else { Store::Compact },
            jobs: self.jobs.map_or_else(all, |jobs| jobs as usize),
            partial_order,
        }
    }
}
