//! [`Options`]: what is known of a log before it is read, and the accesses that are selected.

use std::ops::Range;

use history::Isa;

/// How the instructions of a log are read.
#[derive(Clone, Debug)]
pub struct Options {
    /// The instruction set that the user gave.
    pub isa: Option<Isa>,
    /// The instruction set that other files of the run name.
    pub configured_isa: Option<Isa>,
    /// Size of a cache line in bytes.
    pub cache_line: u64,
    /// The addresses of the accesses that are selected; `None` selects the locations that threads share.
    pub addresses: Option<Addresses>,
    /// Whether every instruction of the log was performed. In a log of gem5, an instruction that faulted is printed again when it is
    /// executed again.
    pub is_of_commits: bool,
    /// Select only instructions at this tick or later.
    pub from_tick: Option<u64>,
    /// Select only instructions before this tick.
    pub to_tick: Option<u64>,
}

/// The addresses that are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// The addresses in this range.
    Range(Range<u64>),
    /// The variables that the program announces as shared, in a trace of executed instructions.
    Announced,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            isa: None,
            configured_isa: None,
            cache_line: 64,
            addresses: None,
            is_of_commits: false,
            from_tick: None,
            to_tick: None,
        }
    }
}

impl Options {
    /// Whether an access at `address` may be selected, as far as that is known before the log is read.
    pub(crate) fn wants_address(&self, address: u64) -> bool {
        match &self.addresses {
            Some(Addresses::Range(range)) => range.contains(&address),
            Some(Addresses::Announced) | None => true,
        }
    }

    /// Whether an instruction at `tick` is selected.
    pub(crate) fn wants_tick(&self, tick: Option<u64>) -> bool {
        let Some(tick) = tick else {
            return true;
        };
        self.from_tick.is_none_or(|from| from <= tick) && self.to_tick.is_none_or(|to| tick < to)
    }
}
