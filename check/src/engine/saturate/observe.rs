//! The edges that follow directly from reads and final values.

use crate::engine::events::{INITIAL, NONE};

use super::{NoFixpoint, Rule, Saturation};

impl Saturation<'_> {
    /// Adds the edges that follow directly from reads and final values: those of R4 and R5, from readers of
    /// initial values to the first writes of other threads, and from other writes to final ones.
    pub(super) fn observe(&mut self) -> Result<(), NoFixpoint> {
        let events = self.events;
        // The last write of each location by the current thread.
        let mut own: rustc_hash::FxHashMap<u32, u32> = Default::default();
        let mut thread = usize::MAX;
        for event in 0..events.len() as u32 {
            if events.thread(event) != thread {
                own.clear();
                thread = events.thread(event);
            }
            let location = events.location[event as usize];
            if events.kind[event as usize].reads() {
                self.observe_read(event, own.get(&location).copied())?;
            }
            if events.writes(event) {
                own.insert(location, event);
            }
        }
        for location in 0..events.locations() as u32 {
            self.observe_initial(location)?;
        }
        for write in self.finals.clone() {
            let index = events.write_index();
            for group in index.groups(events.location[write as usize]) {
                let last = index.members(group).last();
                if let Some(&other) = last.filter(|&&last| last != write) {
                    self.link(other, write, Some(Rule::Final))?;
                }
            }
        }
        Ok(())
    }

    /// Applies R4 and R5 to one read. `own` is the last write before it of its thread and location.
    fn observe_read(&mut self, read: u32, own: Option<u32>) -> Result<(), NoFixpoint> {
        let source = self.events.source[read as usize];
        match (source, own) {
            (NONE, _) | (INITIAL, None) => {}
            (INITIAL, Some(write)) => return Err(NoFixpoint::BeforeInitial { write, read }),
            (source, own) => {
                let earlier_own =
                    self.events.thread(source) == self.events.thread(read) && source < read;
                if !earlier_own {
                    self.link(source, read, Some(Rule::ReadsFrom))?;
                }
                if let Some(write) = own.filter(|&write| write != source) {
                    self.link(write, source, Some(Rule::OwnEarlier(read)))?;
                }
            }
        }
        Ok(())
    }

    /// Adds edges from the readers of the initial value to the first write of every other thread.
    fn observe_initial(&mut self, location: u32) -> Result<(), NoFixpoint> {
        let events = self.events;
        for &read in events.initial_readers.of(location) {
            for group in events.write_index().groups(location) {
                let first = events.write_index().members(group)[0];
                if events.thread(first) != events.thread(read) {
                    self.link(read, first, Some(Rule::Overtaken))?;
                }
            }
        }
        Ok(())
    }
}
