//! Split accesses as the input has them. An access that was [split](crate::Provenance::split) is several operations of a
//! [`History`], its parts; what users see keeps the index and the values of the whole access.

use std::ops::Range;

use crate::history::{History, Location};
use crate::operation::{OpId, OperationFlags};
use crate::restore::Row;

/// The bytes and values of an access that was split, before it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WholeAccess {
    /// Address of the first byte.
    pub address: u64,
    /// Number of bytes.
    pub size: u8,
    /// Value read; `None` if the access does not read or a part of the value is unknown.
    pub read: Option<u64>,
    /// Value written; `None` if the access does not write or a part of the value is unknown.
    pub written: Option<u64>,
}

impl WholeAccess {
    /// The bytes of the access.
    pub fn location(&self) -> Location {
        Location { address: self.address, size: Some(self.size) }
    }
}

impl History {
    /// Notes which operations are further parts of accesses. Everything that builds a history ends with this.
    pub(crate) fn find_parts(&mut self) {
        let has_continued = |known: &&OperationFlags| known.has(OperationFlags::CONTINUES);
        // Most histories have none, and a search of the flags alone is fast.
        if !self.known.iter().any(|known| has_continued(&known)) {
            self.continued.clear();
            return;
        }
        self.continued = self.ops().filter(|&op| self.continues(op)).map(|op| op.0).collect();
    }

    /// The number of further parts of accesses among the operations before `op`, of all threads.
    fn continued_before(&self, op: OpId) -> u32 {
        self.continued.partition_point(|&part| part < op.0) as u32
    }

    /// Index in the program order of its thread, from 0, of the access that `op` is or is a part of. Cost: logarithmic.
    pub fn access_index(&self, op: OpId) -> u32 {
        if self.continued.is_empty() {
            return self.index_of(op);
        }
        let start = OpId(self.threads()[self.thread_of(op)].start);
        let parts = self.continued_before(OpId(op.0 + 1)) - self.continued_before(start);
        op.0 - start.0 - parts
    }

    /// The operations that are the parts of the access of `op`, in order; `op` alone if the access was not split.
    pub fn parts(&self, op: OpId) -> Range<u32> {
        let is_part = |op: u32| self.continued.binary_search(&op).is_ok();
        let (mut first, mut end) = (op.0, op.0 + 1);
        if self.continued.is_empty() {
            return first..end;
        }
        while is_part(first) {
            first -= 1;
        }
        while is_part(end) {
            end += 1;
        }
        first..end
    }

    /// Number of the part that `op` is of its access, from 0.
    pub fn part(&self, op: OpId) -> u32 {
        op.0 - self.parts(op).start
    }

    /// The operation that is part number `part` of the access with this index in the thread with this label, if there is
    /// one. Cost: logarithmic; in the number of threads alone if no access was split.
    pub fn find_part(&self, label: u32, index: u32, part: u32) -> Option<OpId> {
        let at = self.threads().binary_search_by_key(&label, |thread| thread.label).ok()?;
        let thread = self.threads()[at];
        if self.continued.is_empty() {
            let op = OpId(thread.start.checked_add(index)?);
            return (op.0 < thread.end && part == 0).then_some(op);
        }
        let (mut low, mut high) = (thread.start, thread.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.access_index(OpId(middle)) < index {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let op = OpId(low.checked_add(part)?);
        let is_found = op.0 < thread.end && self.access_index(op) == index && self.part(op) == part;
        is_found.then_some(op)
    }

    /// The rows of the accesses before they were split, from which [`History::restore`] makes the same history; `None` if
    /// nothing was split, or if more is known of a part than of its access. Cost: linear.
    pub fn whole_rows(&self) -> Option<Vec<Row>> {
        if self.continued.is_empty() {
            return None;
        }
        let accesses = self.ops().filter(|&op| !self.is_further_part(op));
        let rows: Vec<Row> = accesses.map(|op| self.whole_row(op)).collect();
        let again = History::restore(self.frame(), rows.iter().cloned(), None).ok()?;
        let is_same = again.digest_with_ticks() == self.digest_with_ticks()
            && again.provenance == self.provenance
            && again.line == self.line
            && again.order == self.order;
        is_same.then_some(rows)
    }

    /// The row of the access that an operation is the first or the only part of.
    fn whole_row(&self, op: OpId) -> Row {
        let row = self.row(op);
        let mut dependencies: Vec<_> =
            self.dependencies(op).iter().map(|it| (it.kind, self.access_index(it.on))).collect();
        dependencies.dedup();
        let row = Row { index: self.access_index(op), dependencies, ..row };
        match self.whole_access(op) {
            None => row,
            Some(whole) => Row {
                location: Some(whole.location()),
                read: whole.read,
                written: whole.written,
                source: None,
                continues: false,
                ..row
            },
        }
    }

    /// Whether `op` is a part, but not the first, of an access that [`History::whole_access`] puts together.
    pub fn is_further_part(&self, op: OpId) -> bool {
        self.continues(op) && self.whole_access(op).is_some()
    }

    /// The access of at most 8 bytes that `op` is a part of, if it was split because accesses of other sizes overlap it. The two halves of
    /// an atomic, which are operations of different kinds, are no such parts.
    pub fn whole_access(&self, op: OpId) -> Option<WholeAccess> {
        let parts = self.parts(op);
        let places = || parts.clone().filter_map(|part| self.location(OpId(part)));
        let is_one_kind = parts.clone().all(|part| self.kind(OpId(part)) == self.kind(op));
        if parts.len() < 2 || !is_one_kind || places().count() != parts.len() {
            return None;
        }
        let first = self.locations[places().next()? as usize];
        let last = self.locations[places().last()? as usize];
        let end = last.address.checked_add(u64::from(last.size?))?;
        // A value has at most 8 bytes. Longer accesses have several.
        let size = u8::try_from(end.checked_sub(first.address)?).ok().filter(|&size| size <= 8)?;
        let value = |of: fn(&History, OpId) -> Option<u64>| {
            parts.clone().map(OpId).try_fold(0, |value, part| {
                let offset = self.locations[self.location(part)? as usize].address - first.address;
                Some(value | of(self, part)?.checked_shl(8 * u32::try_from(offset).ok()?)?)
            })
        };
        Some(WholeAccess {
            address: first.address,
            size,
            read: value(History::read),
            written: value(History::written),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Access, HistoryBuilder, Initial, Place};
    use crate::kind::Kind;
    use crate::provenance::Provenance;

    /// A store of 8 bytes, which loads of single bytes of it split.
    fn split() -> History {
        let mut builder = HistoryBuilder::new();
        let place = |address, size| Place::Bytes { address, size };
        for thread in [3, 5] {
            let store = Access::new(thread, Kind::Store, place(0x1000, 8));
            builder.push(Access { written: Some(0x1122_3344), ..store });
            builder.push(Access::new(thread, Kind::Fence, Place::Nowhere));
            let load = Access::new(thread, Kind::Load, place(0x1001, 1));
            builder.push(Access { read: Some(0x33), ..load });
        }
        builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap()
    }

    #[test]
    fn parts_have_the_index_and_the_values_of_their_access() {
        let history = split();
        assert_eq!((history.len(), history.operations()), (10, 6));
        let indices: Vec<u32> = history.ops().map(|op| history.access_index(op)).collect();
        assert_eq!(indices, [0, 0, 0, 1, 2, 0, 0, 0, 1, 2]);
        assert_eq!(history.operation(OpId(9)).index, 2);
        for op in history.ops() {
            let label = history.threads()[history.thread_of(op)].label;
            let (index, part) = (history.access_index(op), history.part(op));
            assert_eq!(history.find_part(label, index, part), Some(op));
        }
        for (label, index, part) in [(3, 0, 3), (3, 1, 1), (3, 3, 0), (4, 0, 0), (5, 3, 0)] {
            assert_eq!(history.find_part(label, index, part), None);
        }
        assert_eq!(history.describe_access(OpId(6)), "store 0x1000 := 0x11223344");
        let parts = [0, 1, 2].map(|op| history.describe(OpId(op)));
        assert_eq!(
            parts,
            [
                "store 0x1000 := 0x11223344 (its byte at 0x1000)",
                "store 0x1000 := 0x11223344 (its byte at 0x1001)",
                "store 0x1000 := 0x11223344 (its 6 bytes at 0x1002)",
            ]
        );
        assert_eq!(history.describe(OpId(4)), "load 0x1001 == 0x33");
    }

    #[test]
    fn a_history_is_restored_from_its_whole_accesses() {
        let history = split();
        let rows = history.whole_rows().unwrap();
        let shown: Vec<_> = rows.iter().map(|row| (row.index, row.location, row.written)).collect();
        let whole = Location { address: 0x1000, size: Some(8) };
        assert_eq!(shown[0], (0, Some(whole), Some(0x1122_3344)));
        assert_eq!((rows.len(), rows[5].index), (6, 2));
        let (unsplit, _) = history.restrict(|op| op.0 > 2 && op.0 < 5);
        assert_eq!(unsplit.whole_rows(), None);
    }

    #[test]
    fn a_part_whose_first_part_is_left_out_is_an_access_of_its_own() {
        let (rest, _) = split().restrict(|op| op.0 != 0 && op.0 != 5);
        let indices: Vec<u32> = rest.ops().map(|op| rest.access_index(op)).collect();
        assert_eq!(indices, [0, 0, 1, 2, 0, 0, 1, 2]);
        assert_eq!(rest.describe_access(OpId(0)), "store 0x1001 := 0x112233");
    }
}
