//! Transit edges, which pass store slots from main chains to the events of a location (PSO).

use super::{NoFixpoint, Overwritten, Saturation};

impl Saturation<'_> {
    /// Adds the transit edges that follow from the main and barrier slots of an event's clock (PSO).
    pub(super) fn receive_transit(&mut self, event: u32) -> Result<(), NoFixpoint> {
        let mut found = std::mem::take(&mut self.found);
        let view = (self.events, &self.clocks, &self.accesses.main);
        self.main_predecessors.ahead(view, None, event, &mut found);
        for &access in &found {
            // An access that precedes another one found needs no edge of its own.
            let later = |&&other: &&u32| other != access && self.precedes(access, other);
            if found.iter().find(later).is_none() {
                self.transit_from_main(access, event)?;
            }
        }
        let view = (self.events, &self.clocks, &self.accesses.drained);
        self.drained_predecessors.ahead(view, None, event, &mut found);
        for &store in &found {
            if !self.precedes(store, event) {
                self.transit(store, event)?;
            }
        }
        self.found = found;
        Ok(())
    }

    fn transit_from_main(&mut self, access: u32, event: u32) -> Result<(), NoFixpoint> {
        let column = self.events.slot[access as usize];
        let position = self.events.position[access as usize];
        let value = self.transits.get(event, column);
        if access == event || value >= position {
            return Ok(());
        }
        if self.logging {
            self.transit_trail.push(Overwritten { event, column, value });
        }
        self.transits.of_mut(event)[column as usize] = position;
        self.transit(access, event)
    }

    fn transit(&mut self, from: u32, to: u32) -> Result<(), NoFixpoint> {
        self.link(from, to, None)?;
        self.pass(from, to, true)
    }
}
