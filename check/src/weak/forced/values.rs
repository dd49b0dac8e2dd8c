//! Rules R6 and R7: the order that the values of reads force.

use history::OpId;
use host::Bounds;

use super::{Chain, Forced, SaturationStop, check};
use certify::rule::Rule;

impl Forced<'_> {
    /// The last write of a chain that is known to precede a node.
    fn last_before(&self, chain: &Chain, node: u32) -> Option<OpId> {
        // The order of a chain is preserved, so those that precede the node are the first ones.
        let count = chain.writes.partition_point(|&write| self.precedes(write, node));
        chain.writes[..count].last().copied()
    }

    /// Rule R6: a write that precedes a reader precedes the write that the reader returns.
    pub(super) fn observe(&mut self, bounds: &Bounds) -> Result<(), SaturationStop> {
        let mut found = Vec::new();
        for chain in self.chains.iter().flatten() {
            for (at, &source) in chain.writes.iter().enumerate() {
                check(bounds, at)?;
                let location = self.history.location(source).expect("a write has a location");
                for reader in &self.readers[self.column[source.at()] as usize] {
                    for other in &self.chains[location as usize] {
                        let Some(write) = self.last_before(other, reader.op.0) else { continue };
                        let is_between = write != source && !self.precedes(write, source.0);
                        if is_between && self.is_excluded(*reader, write) {
                            found.push((write, source, reader.op));
                        }
                    }
                }
            }
        }
        for (write, source, reader) in found {
            self.add(write.0, source.0, Rule::Observed(reader));
        }
        Ok(())
    }

    /// Rule R7: a read precedes each write of its location that the write it returns precedes.
    pub(super) fn overtake(&mut self, bounds: &Bounds) -> Result<(), SaturationStop> {
        let mut found = Vec::new();
        for chains in &self.chains {
            let writes = chains.iter().flat_map(|chain| &chain.writes);
            for (at, &write) in writes.enumerate() {
                check(bounds, at)?;
                let lasts: Vec<OpId> =
                    chains.iter().filter_map(|chain| self.last_before(chain, write.0)).collect();
                // If a write precedes another of these, R7 orders its readers before that one, and so before
                // `write`.
                let is_last = |it: &&OpId| !lasts.iter().any(|&other| self.precedes(**it, other.0));
                for &source in lasts.iter().filter(is_last) {
                    found.extend(self.overtaken(source, write).map(|reader| (reader, write)));
                }
            }
        }
        self.overtake_crossed(&mut found);
        for (reader, write) in found {
            self.add(reader.0, write.0, Rule::Overtaken);
        }
        Ok(())
    }

    /// The readers of `source` that rule R7 orders before `write`, provided that `source` precedes `write`.
    pub(crate) fn overtaken(&self, source: OpId, write: OpId) -> impl Iterator<Item = OpId> {
        let readers = self.readers[self.column[source.at()] as usize].iter();
        let overtaken = readers.filter(move |it| it.read != write && self.is_excluded(**it, write));
        overtaken.map(|reader| reader.op)
    }

    /// Rule R7 for store-conditionals whose thread wrote the location since their load-linked: these writes may come between the source and a write of
    /// another thread, so that write is not reached through them.
    fn overtake_crossed(&self, found: &mut Vec<(OpId, OpId)>) {
        for chains in &self.chains {
            for &source in chains.iter().flat_map(|chain| &chain.writes) {
                let readers = self.readers[self.column[source.at()] as usize].iter();
                for &reader in readers.filter(|reader| reader.is_crossed) {
                    let overtaken =
                        chains.iter().filter_map(|chain| self.first_after(source, chain));
                    let overtaken = overtaken.filter(|&write| self.is_excluded(reader, write));
                    found.extend(overtaken.map(|write| (reader.op, write)));
                }
            }
        }
    }

    /// The first write of a chain that a write is known to precede.
    fn first_after(&self, write: OpId, chain: &Chain) -> Option<OpId> {
        let is_after = |&other: &OpId| other != write && self.precedes(write, other.0);
        // The order of a chain is preserved, so those that the write precedes are the last ones.
        let before = chain.writes.partition_point(|other| !is_after(other));
        chain.writes.get(before).copied()
    }
}
