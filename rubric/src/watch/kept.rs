//! [`Kept`]: the latest operations of a watched trace, which can be made a history after the watch.

use std::collections::VecDeque;

use history::{
    Access, Ambiguity, AssumedSize, BuildError, History, HistoryBuilder, Initial, OpId, Provenance,
    ReadSource, ReadsFrom, RestoreError, Row,
};
use thiserror::Error;

/// Largest number of operations that are kept. An operation takes about 130 bytes.
const MOST_KEPT: usize = 1 << 23;

/// Why the operations that were kept make no history.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum KeptError {
    /// The operations contradict each other.
    Build(#[from] BuildError),
    /// The rows of the history cannot be restored once values are removed from it.
    Restore(#[from] RestoreError),
}

/// The latest operations of a trace, in the order of their completion.
#[derive(Debug)]
pub(super) struct Kept {
    most: usize,
    operations: VecDeque<Access>,
    dropped: u64,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept { most: MOST_KEPT, operations: VecDeque::new(), dropped: 0 }
    }
}

impl Kept {
    pub(super) fn push(&mut self, access: &Access) {
        if self.operations.len() == self.most {
            let half = self.most / 2;
            self.operations.drain(..half);
            self.dropped += half as u64;
        }
        self.operations.push_back(*access);
    }

    /// The operations as a history. A value that no kept operation writes may come from one that was dropped, or, unless the
    /// trace was read to its end (`is_whole`), from one that has not completed yet: such a read has no known value. That leaves
    /// out constraints and adds none, so a violation of this history is one of the trace.
    ///
    /// # Errors
    /// Returns an error if the operations contradict each other.
    pub(super) fn history(
        &self,
        access_size: AssumedSize,
        provenance: Provenance,
        is_whole: bool,
    ) -> Result<History, KeptError> {
        let mut builder = HistoryBuilder::new();
        for access in &self.operations {
            builder.push(*access);
        }
        let mut provenance = provenance;
        if self.dropped > 0 {
            let note = format!("The first {} operations were not kept.", self.dropped);
            provenance.notes.push(note);
        }
        let history = builder.finish(access_size, &Initial::Zero, provenance)?;
        if is_whole && self.dropped == 0 { Ok(history) } else { without_unwritten(&history) }
    }
}

/// Returns the history without the values of reads that no operation has written.
fn without_unwritten(history: &History) -> Result<History, KeptError> {
    let Ok(reads_from) = ReadsFrom::derive(history, Ambiguity::Keep) else {
        return Ok(history.clone());
    };
    let row = |op: OpId| {
        let is_unwritten = reads_from.source(op) == Some(ReadSource::ThinAir);
        let row = history.row(op);
        Row { read: row.read.filter(|_| !is_unwritten), ..row }
    };
    Ok(History::restore(history.frame(), history.ops().map(row).collect::<Vec<Row>>(), None)?)
}

#[cfg(test)]
mod tests {
    use history::{Kind, Place};

    use super::*;

    fn access(thread: u32, sequence: u64, kind: Kind, value: u64) -> Access {
        let place = Place::Bytes { address: 0x40, size: 8 };
        Access {
            sequence,
            read: kind.reads().then_some(value),
            written: kind.writes().then_some(value),
            ..Access::new(thread, kind, place)
        }
    }

    fn described(kept: &Kept, is_whole: bool) -> Vec<String> {
        let history = kept.history(AssumedSize::default(), Provenance::made(), is_whole).unwrap();
        history.ops().map(|op| history.describe(op)).collect()
    }

    #[test]
    fn values_that_may_still_be_written_are_unknown() {
        let mut kept = Kept::default();
        for access in [
            access(0, 0, Kind::Store, 1),
            access(1, 0, Kind::Load, 1),
            access(1, 1, Kind::Load, 0),
            access(1, 2, Kind::Load, 2),
        ] {
            kept.push(&access);
        }
        let whole = described(&kept, true);
        assert_eq!(whole[3], "load 0x40 == 0x2");
        let part = described(&kept, false);
        assert_eq!(part[..3], whole[..3]);
        assert_eq!(part[3], "load 0x40 == ?");
    }

    #[test]
    fn the_oldest_operations_are_dropped() {
        let mut kept = Kept { most: 4, ..Kept::default() };
        for number in 0..3 {
            kept.push(&access(0, number, Kind::Store, number + 1));
            kept.push(&access(1, number, Kind::Load, number + 1));
        }
        let left =
            ["store 0x40 := 0x2", "store 0x40 := 0x3", "load 0x40 == 0x2", "load 0x40 == 0x3"];
        assert_eq!(described(&kept, true), left);
        kept.push(&access(1, 3, Kind::Load, 1));
        assert_eq!(described(&kept, true).last().unwrap(), "load 0x40 == ?");
    }
}
