//! [`Options`] of reading: the operations that are selected, and the assumptions that are made.

use std::ops::Range;

use history::{AssumedSize, Initial, Isa, Source};
use instructions::Addresses;

/// How a trace is read. The default reads everything and assumes only the sizes that the trace does not record.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which lines of a gem5 trace make the history; `None` takes the client's lines where there
    /// are any, else Ruby's, else the committed instructions.
    pub source: Option<Source>,
    /// Size of the accesses whose size the trace does not record.
    pub access_size: AssumedSize,
    /// Keep only accesses whose first byte is among these.
    pub addresses: Option<Addresses>,
    /// Keep only operations that completed at this tick or later.
    pub from_tick: Option<u64>,
    /// Keep only operations that completed before this tick.
    pub to_tick: Option<u64>,
    /// Initial values; `None` means 0, and for committed instructions those that can be inferred.
    pub initial: Option<Initial>,
    /// The instruction set of committed instructions; `None` takes the one that the lines show.
    pub isa: Option<Isa>,
    /// Skip and count damaged lines and records, instead of refusing the trace.
    pub lossy: bool,
    /// Keep instruction fetches, as loads.
    pub fetches: bool,
    /// Keep the table of controller transitions; otherwise they are only counted.
    pub transitions: bool,
}

impl Options {
    /// The range of addresses that is known before the trace is read.
    pub(crate) fn range(&self) -> Option<&Range<u64>> {
        match &self.addresses {
            Some(Addresses::Range(range)) => Some(range),
            Some(Addresses::Announced) | None => None,
        }
    }

    /// Whether an access at `address` may be selected, as far as that is known before the trace is read.
    pub(crate) fn wants_address(&self, address: u64) -> bool {
        self.range().is_none_or(|range| range.contains(&address))
    }

    /// Whether an access at `address`, which is not selected, may reach into the selected range: it begins less than 8
    /// bytes below.
    pub(crate) fn may_reach_in(&self, address: u64) -> bool {
        let below = |start: u64| start.checked_sub(address);
        self.range()
            .is_some_and(|range| below(range.start).is_some_and(|gap| (1..8).contains(&gap)))
    }

    /// Whether an operation that completed at `tick` is selected.
    pub(crate) fn wants_tick(&self, tick: Option<u64>) -> bool {
        let Some(tick) = tick else {
            return true;
        };
        self.from_tick.is_none_or(|from| from <= tick) && self.to_tick.is_none_or(|to| tick < to)
    }
}
