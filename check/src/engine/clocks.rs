//! A vector clock for each event.

use crate::engine::events::Events;

/// Per event and slot, the position of the last event of that chain known to precede it; a row an
/// event, in one array. Memory: `4·width` bytes an event.
#[derive(Debug)]
pub struct Clocks {
    width: usize,
    entries: Vec<u32>,
}

impl Clocks {
    /// Nothing is known.
    pub fn new(events: &Events) -> Clocks {
        Clocks { width: events.width, entries: vec![0; events.len() * events.width] }
    }

    /// Forgets everything but the chains.
    pub fn reset(&mut self, events: &Events) {
        self.entries.fill(0);
        for event in 0..events.len() as u32 {
            let at = event as usize;
            self.of_mut(event)[events.slot[at] as usize] = events.position[at] - 1;
        }
    }

    /// The clock of an event.
    pub fn of(&self, event: u32) -> &[u32] {
        let start = event as usize * self.width;
        &self.entries[start..start + self.width]
    }

    /// The same, to change it.
    pub fn of_mut(&mut self, event: u32) -> &mut [u32] {
        let start = event as usize * self.width;
        &mut self.entries[start..start + self.width]
    }

    /// Whether `first` is known to precede `second`. Under PSO, if `first` is a plain store the
    /// two must be of one location.
    pub fn precedes(&self, events: &Events, first: u32, second: u32) -> bool {
        let first = first as usize;
        let known = self.of(second)[events.slot[first] as usize];
        known >= events.position[first]
    }
}
