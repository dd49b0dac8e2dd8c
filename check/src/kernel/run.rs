//! [`Run`]: an order of all events that performs a history.

use std::ops::Range;

use crate::engine::events::{INITIAL, NONE};
use crate::engine::saturate::Saturation;

/// A run: an order of all events, with the position of each event in it.
pub(super) struct Run<'s, 'e> {
    saturation: &'s Saturation<'e>,
    /// The writes that have to be the last of their locations.
    finals: &'s [u32],
    /// Per event, whether it is one of `finals`.
    is_final: Vec<bool>,
    /// The events, in the order of the run.
    order: Vec<u32>,
    /// Per event, its position in `order`.
    place: Vec<u32>,
}

impl<'s, 'e> Run<'s, 'e> {
    /// Creates a run from an order of all events, without checking it (see [`Run::is_valid`]). `finals` are the
    /// writes that have to be the last of their locations. Cost: linear.
    pub(super) fn new(
        saturation: &'s Saturation<'e>,
        finals: &'s [u32],
        order: Vec<u32>,
    ) -> Run<'s, 'e> {
        let mut place = vec![NONE; saturation.events.len()];
        for (at, &event) in order.iter().enumerate() {
            place[event as usize] = at as u32;
        }
        let mut is_final = vec![false; saturation.events.len()];
        finals.iter().for_each(|&write| is_final[write as usize] = true);
        Run { saturation, finals, is_final, order, place }
    }

    /// Whether the order contains the forced order, each read finds its source, and the final writes are the last of
    /// their locations. Cost: linear.
    pub(super) fn is_valid(&self) -> bool {
        let initial = vec![INITIAL; self.saturation.events.locations()];
        self.is_valid_in(0..self.order.len(), initial, self.finals)
    }

    /// [`Run::is_valid`] for the events at a range of positions. `held` has, per location, the last write before the
    /// range, or [`INITIAL`]; `finals` are the writes that have to be the last of their locations in the range.
    /// Cost: linear in the length of the range.
    pub(super) fn is_valid_in(
        &self,
        stretch: Range<usize>,
        held: Vec<u32>,
        finals: &[u32],
    ) -> bool {
        let stretch = &self.order[stretch];
        self.follows_forced_order(stretch) && self.has_right_values(stretch, held, finals)
    }

    fn follows_forced_order(&self, stretch: &[u32]) -> bool {
        stretch.iter().all(|&event| {
            let mut before = predecessors(self.saturation, event);
            before.all(|other| self.place(other) < self.place(event))
        })
    }

    /// Whether each read finds its source in memory, or its source comes later in the run (a store of its own thread
    /// that is still buffered), and the final writes are the last of their locations.
    fn has_right_values(&self, stretch: &[u32], mut held: Vec<u32>, finals: &[u32]) -> bool {
        let events = self.saturation.events;
        for &event in stretch {
            let source = events.source[event as usize];
            if source != NONE {
                let is_early = source != INITIAL && self.place(source) > self.place(event);
                if !is_early && held[events.location[event as usize] as usize] != source {
                    return false;
                }
            }
            if events.writes(event) {
                held[events.location[event as usize] as usize] = event;
            }
        }
        finals.iter().all(|&write| held[events.location[write as usize] as usize] == write)
    }

    /// The forced order that the run contains.
    pub(super) fn saturation(&self) -> &'s Saturation<'e> {
        self.saturation
    }

    /// Whether a write has to be the last of its location.
    pub(super) fn is_final(&self, write: u32) -> bool {
        self.is_final[write as usize]
    }

    /// The events, in order.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The position of an event in the order.
    pub(super) fn place(&self, event: u32) -> u32 {
        self.place[event as usize]
    }

    /// Replaces the events at the positions from `begin` on by `stretch`, the same events in another order. The
    /// caller must make sure that the result is a run.
    pub(super) fn replace(&mut self, begin: usize, stretch: &[u32]) {
        for (place, &event) in (begin..).zip(stretch) {
            self.order[place] = event;
            self.place[event as usize] = place as u32;
        }
    }

    /// A pair of events, in the order of the run.
    pub(super) fn sorted(&self, (a, b): (u32, u32)) -> (u32, u32) {
        if self.place(a) < self.place(b) { (a, b) } else { (b, a) }
    }
}

/// The direct predecessors of an event in the forced order; some may occur several times.
pub(super) fn predecessors(saturation: &Saturation<'_>, event: u32) -> impl Iterator<Item = u32> {
    let edges = saturation.edges_into(event);
    let edges = edges.map(|edge| saturation.edges()[edge as usize].from);
    saturation.events.po_back.of(event).iter().copied().chain(edges)
}
