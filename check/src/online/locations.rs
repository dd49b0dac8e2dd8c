//! [`Location`]: the operations of a location that are not forgotten.

use history::Kind;
use rustc_hash::FxHashMap;

use super::{Arrival, Online, Reader, Source};

/// The remembered operations of one location.
#[derive(Clone, Debug, Default)]
pub(super) struct Location {
    /// The writes by chain, as (position, event) in ascending order.
    pub writes: Vec<(u32, Vec<(u32, u32)>)>,
    /// The last reader of the initial value in each chain.
    pub initial_readers: Vec<Reader>,
    /// The operations by thread, as (position, event) in ascending order.
    pub own: FxHashMap<u32, Vec<(u32, u32)>>,
    /// A write that precedes all operations still to come, if there is one: no later read may return the
    /// initial value.
    pub overwritten: Option<Arrival>,
}

impl Location {
    /// The writes of a chain to this location, as a list that is created if there is none.
    pub(super) fn writes_of(&mut self, chain: u32) -> &mut Vec<(u32, u32)> {
        let at = self.writes.iter().position(|it| it.0 == chain);
        let at = at.unwrap_or_else(|| {
            self.writes.push((chain, Vec::new()));
            self.writes.len() - 1
        });
        &mut self.writes[at].1
    }
}

/// Inserts an event into a list that is sorted by position.
pub(super) fn insert(list: &mut Vec<(u32, u32)>, position: u32, event: u32) {
    let at = list.partition_point(|it| it.0 < position);
    list.insert(at, (position, event));
}

impl Online {
    /// The source of a store-conditional's load-linked, if its thread has not written the location in
    /// between. No write may come between that source and the store-conditional.
    pub(super) fn linked_source(&self, arrival: Arrival, location: u32) -> Source {
        // The load-linked may be a read that waits for its source, so that the source is unknown.
        let mut waiting = self.waiting.values().flatten();
        let is_own = |it: &Arrival| (it.thread, it.location) == (arrival.thread, arrival.location);
        if waiting.any(|it| is_own(it) && it.sequence < arrival.sequence) {
            return Source::None;
        }
        let own = self.locations[location as usize].own.get(&arrival.thread);
        let own = own.map_or(&[][..], |own| &own[..]);
        let before = own.partition_point(|it| it.0 <= arrival.sequence);
        let relevant = own[..before].iter().rev().map(|it| &self.events[it.1 as usize]);
        let last = relevant
            .into_iter()
            .find(|it| it.arrival.kind.writes() || it.arrival.kind == Kind::LoadLinked);
        match last {
            Some(event) if event.arrival.kind == Kind::LoadLinked => event.source,
            _ => Source::None,
        }
    }
}
