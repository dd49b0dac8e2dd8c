//! [`Log`]: the accesses and fences of hardware threads, which are kept until it is known which locations threads
//! share.

use std::collections::VecDeque;

use history::{Annotation, Doubt, Gap, Kind, Place};
use rustc_hash::FxHashMap;

use crate::decode::action::{Operation, cut};

/// An entry of the log. It has 48 bytes, since there may be tens of millions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    hart: u16,
    /// Bits 32 to 47 of the trace line.
    line_high: u16,
    /// Bits 0 to 31 of the trace line.
    line: u32,
    tick: u64,
    pub address: u64,
    /// The value written.
    value: u64,
    /// The value read; for a store that was printed again, the line that repeats it.
    old: u64,
    what: EntryKind,
    /// Number of bytes; 0 if the instruction does not show it.
    size: u16,
    /// Flags, such as [`READ`].
    known: u8,
    /// Largest number of bytes that an access of unknown size can have.
    room: u8,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Access(Kind, Annotation),
    Fence(Kind),
    /// A fence whose kind the trace does not show.
    UnknownFence,
    /// A store that may or may not have been performed.
    PossibleStore,
    Unknown(Gap),
    /// An access that crosses a cache line.
    Crossing(Gap),
    /// An access whose line shows no address, or an instruction that is not understood and may affect any address.
    Unplaced {
        gap: Gap,
        is_access: bool,
    },
}

/// Size of the longest vector register, which RISC-V has, in bytes.
const LONGEST_VECTOR: u16 = 8192;

/// Flag of an entry whose value read is known.
const READ: u8 = 1;
/// Flag of an entry whose value written is known.
const WRITTEN: u8 = 2;
/// Flag of a store that was printed again.
const REPEATED: u8 = 4;
/// Flag of a repeated store between whose lines the thread executed other instructions.
const LEFT: u8 = 8;
/// Flag of an access of a vector register, whose length may be known only at the end of the trace.
const VECTOR: u8 = 16;
/// Flag of the second access of a line.
const SECOND: u8 = 32;

/// The hardware thread, line and tick of an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinePosition {
    pub hart: usize,
    pub line: u64,
    pub tick: Option<u64>,
    /// Whether the entry is the second access of the line.
    pub is_second: bool,
}

impl Entry {
    fn new(spot: LinePosition, address: u64, size: u16, what: EntryKind) -> Entry {
        Entry {
            hart: u16::try_from(spot.hart).unwrap_or(u16::MAX),
            line_high: (spot.line >> 32) as u16,
            line: spot.line as u32,
            tick: spot.tick.unwrap_or(u64::MAX),
            address,
            value: 0,
            old: 0,
            what,
            size,
            known: if spot.is_second { SECOND } else { 0 },
            room: 8,
        }
    }

    /// An access to memory.
    pub(crate) fn access(spot: LinePosition, address: u64, operation: Operation) -> Entry {
        let what = EntryKind::Access(operation.kind, operation.annotation);
        let mut entry = Entry::new(spot, address, u16::from(operation.size), what);
        if let Some(read) = operation.read {
            entry.known |= READ;
            entry.old = read;
        }
        if let Some(written) = operation.written {
            entry.known |= WRITTEN;
            entry.value = written;
        }
        entry
    }

    pub(crate) fn fence(spot: LinePosition, kind: Kind) -> Entry {
        Entry::new(spot, 0, 0, EntryKind::Fence(kind))
    }

    pub(crate) fn unknown_fence(spot: LinePosition) -> Entry {
        Entry::new(spot, 0, 0, EntryKind::UnknownFence)
    }

    /// Limits an access of unknown size to its cache line of `block` bytes.
    pub(crate) fn within(mut self, block: u64) -> Entry {
        let block = block.max(1);
        self.room = (block - self.address % block).min(8) as u8;
        self
    }

    /// Makes the entry a store that may or may not have been performed.
    pub(crate) fn possibly_stored(mut self) -> Entry {
        self.what = EntryKind::PossibleStore;
        self
    }

    /// Sets the value that the entry stores.
    pub(crate) fn stores(mut self, value: Option<u64>) -> Entry {
        self.known = self.known & (READ | SECOND) | if value.is_some() { WRITTEN } else { 0 };
        self.value = value.map_or(0, |value| cut(value, self.size as u8));
        self
    }

    /// An instruction that is not understood.
    pub(crate) fn unknown(spot: LinePosition, address: u64, size: u16, gap: Gap) -> Entry {
        Entry::new(spot, address, size, EntryKind::Unknown(gap))
    }

    /// An access that the memory system performs in parts, since it crosses a cache line.
    pub(crate) fn crossing(spot: LinePosition, address: u64, operation: Operation) -> Entry {
        let gap = gap_of(operation.kind);
        Entry::new(spot, address, u16::from(operation.size), EntryKind::Crossing(gap))
    }

    /// An instruction that is not understood and accesses a vector register's bytes.
    pub(crate) fn unknown_vector(spot: LinePosition, address: u64, gap: Gap) -> Entry {
        Entry { known: VECTOR, ..Entry::unknown(spot, address, LONGEST_VECTOR, gap) }
    }

    /// An entry whose line shows no address.
    pub(crate) fn unplaced(spot: LinePosition, gap: Gap, is_access: bool) -> Entry {
        Entry::new(spot, 0, 0, EntryKind::Unplaced { gap, is_access })
    }

    /// Marks a store that was printed again, at this line; `left` says whether its thread executed other instructions
    /// in between.
    pub(crate) fn repeated(mut self, line: u64, left: bool) -> Entry {
        self.known |= REPEATED | if left { LEFT } else { 0 };
        self.old = line;
        self
    }

    /// Whether the thread executed other instructions before the store was printed again.
    pub(crate) fn was_left(&self) -> bool {
        self.known & LEFT != 0
    }

    /// The line that repeats the store, if one does.
    pub(crate) fn repetition(&self) -> Option<u64> {
        (self.known & REPEATED != 0).then_some(self.old)
    }

    /// The gap that the entry leaves in the history, if any, and the reason, if the instruction itself is understood.
    pub(crate) fn doubt(&self) -> Option<(Gap, Option<Doubt>)> {
        match self.what {
            EntryKind::UnknownFence => Some((Gap::Fence, None)),
            EntryKind::Unknown(gap) => Some((gap, None)),
            EntryKind::Crossing(gap) => Some((gap, Some(Doubt::CrossesLine))),
            EntryKind::Unplaced { gap, is_access } => {
                Some((gap, is_access.then_some(Doubt::NoAddress)))
            }
            EntryKind::Access(..) | EntryKind::Fence(_) | EntryKind::PossibleStore => None,
        }
    }

    /// Turns an access that may reach the last byte of the address space into one that is not understood, since a
    /// location must not end there.
    pub(crate) fn bounded(mut self) -> Entry {
        let is_access = matches!(self.what, EntryKind::Access(..) | EntryKind::PossibleStore);
        let reach = self.longest_reach();
        if is_access && self.address.checked_add(reach).is_none() {
            let gap = if self.may_write() { Gap::Write } else { Gap::Read };
            self.size = reach as u16;
            self.what = EntryKind::Unknown(gap);
        }
        self
    }

    pub(crate) fn what(&self) -> EntryKind {
        self.what
    }

    pub(crate) fn read(&self) -> Option<u64> {
        (self.known & READ != 0).then_some(self.old)
    }

    pub(crate) fn written(&self) -> Option<u64> {
        (self.known & WRITTEN != 0).then_some(self.value)
    }

    /// Number of the entry's hardware thread.
    pub(crate) fn hart(&self) -> usize {
        usize::from(self.hart)
    }

    pub(crate) fn line(&self) -> u64 {
        u64::from(self.line_high) << 32 | u64::from(self.line)
    }

    pub(crate) fn tick(&self) -> Option<u64> {
        (self.tick != u64::MAX).then_some(self.tick)
    }

    /// Whether two accesses are the same: an instruction that faulted is printed again when it is executed again.
    pub(crate) fn is_again(&self, other: &Entry) -> bool {
        let parts =
            |it: &Entry| (it.hart, it.address, it.value, it.old, it.what, it.size, it.known);
        parts(self) == parts(other)
    }

    /// Adds an acquire to the annotation.
    pub(crate) fn acquire(&mut self) {
        if let EntryKind::Access(_, annotation) = &mut self.what {
            *annotation = Annotation::of(true, annotation.releases());
        }
    }

    /// Removes the values, so that the access only orders other accesses of its thread, like a fence.
    pub(crate) fn without_values(mut self) -> Entry {
        self.known = 0;
        self
    }

    /// Whether the entry may write memory.
    pub(crate) fn may_write(&self) -> bool {
        match self.what {
            EntryKind::Access(kind, _) => kind.writes(),
            EntryKind::PossibleStore
            | EntryKind::Unknown(Gap::Write)
            | EntryKind::Crossing(Gap::Write) => true,
            _ => false,
        }
    }

    /// Whether the entry may read memory.
    pub(crate) fn may_read(&self) -> bool {
        match self.what {
            EntryKind::Access(kind, _) => kind.reads(),
            EntryKind::Unknown(gap) | EntryKind::Crossing(gap) => gap == Gap::Read,
            _ => false,
        }
    }

    /// The smallest and the largest number of bytes that the entry may access, the latter at most 256.
    pub(crate) fn sizes(&self) -> (u64, u64) {
        let least = match (self.size, self.what) {
            (_, EntryKind::Unknown(_)) => 0,
            (0, _) => u64::from(self.room.min(4)),
            (size, _) => u64::from(size),
        };
        (least, self.longest_reach().min(256))
    }

    /// Whether the entry is the second access of its line.
    pub(crate) fn is_second(&self) -> bool {
        self.known & SECOND != 0
    }

    /// Whether the entry is an access whose size the instruction does not show.
    pub(crate) fn is_unsized(&self) -> bool {
        self.size == 0 && matches!(self.what, EntryKind::Access(..) | EntryKind::PossibleStore)
    }

    /// Largest number of bytes that the entry accesses if vector registers may have any length.
    pub(crate) fn longest_reach(&self) -> u64 {
        match self.size {
            0 => u64::from(self.room),
            size => u64::from(size),
        }
    }

    /// Largest number of bytes that the entry accesses if vector registers have at most `vector` bytes; `None` allows
    /// any length.
    pub(crate) fn reach(&self, vector: Option<u64>) -> u64 {
        match vector.filter(|_| self.known & VECTOR != 0) {
            Some(bytes) => bytes,
            None => self.longest_reach(),
        }
    }

    /// The place of an access in memory.
    pub(crate) fn place(&self) -> Place {
        let address = self.address;
        match u8::try_from(self.size) {
            Ok(size @ 1..=8) => Place::Bytes { address, size },
            _ => Place::Unsized { address, available: self.room, mask: false },
        }
    }

    /// Whether the entry has an address.
    pub(crate) fn has_place(&self) -> bool {
        !matches!(
            self.what,
            EntryKind::Fence(_) | EntryKind::UnknownFence | EntryKind::Unplaced { .. }
        )
    }

    /// Whether the entry is certain to have been performed or writes nothing: it is a read, a read-modify-write whose
    /// value read is shown, or a store-conditional that succeeded.
    pub(crate) fn was_performed(&self) -> bool {
        match self.what {
            EntryKind::Access(Kind::StoreConditional, _) => true,
            EntryKind::Access(kind, _) => !kind.writes() || (kind.reads() && self.read().is_some()),
            _ => !self.may_write(),
        }
    }
}

/// The gap that an access of this kind leaves if it is not understood.
pub(crate) fn gap_of(kind: Kind) -> Gap {
    if kind.writes() { Gap::Write } else { Gap::Read }
}

/// The entries of all threads, in pieces that can be freed one by one.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pieces: Vec<Vec<Entry>>,
    /// The last line of each thread.
    last: Vec<u64>,
    /// Entries that were added after an entry of the same thread with a later line.
    late: Vec<Entry>,
}

const ENTRIES_PER_PIECE: usize = 1 << 14;

impl Log {
    pub(crate) fn push(&mut self, entry: Entry) {
        let hart = entry.hart();
        if self.last.len() <= hart {
            self.last.resize(hart + 1, 0);
        }
        if entry.line() < self.last[hart] {
            return self.late.push(entry);
        }
        self.last[hart] = entry.line();
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < ENTRIES_PER_PIECE => piece.push(entry),
            _ => {
                // The first piece grows, so that a short trace takes little memory.
                let capacity = if self.pieces.is_empty() { 0 } else { ENTRIES_PER_PIECE };
                let mut piece = Vec::with_capacity(capacity);
                piece.push(entry);
                self.pieces.push(piece);
            }
        }
    }

    /// Gives each entry of a thread to the thread that `owner` says.
    pub(crate) fn distribute(&mut self, thread: usize, mut owner: impl FnMut(&Entry) -> usize) {
        let of_thread = |entry: &&mut Entry| entry.hart() == thread;
        for entry in self.pieces.iter_mut().flatten().chain(&mut self.late).filter(of_thread) {
            entry.hart = owner(entry) as u16;
        }
    }

    /// Passes all entries to `each`, those of one thread in the order of lines, and frees their memory along the way.
    pub(crate) fn drain(mut self, mut each: impl FnMut(Entry)) {
        self.late.sort_by_key(Entry::line);
        let mut late: FxHashMap<u16, VecDeque<Entry>> = FxHashMap::default();
        for entry in self.late {
            late.entry(entry.hart).or_default().push_back(entry);
        }
        for entry in self.pieces.into_iter().flatten() {
            if let Some(queue) = late.get_mut(&entry.hart) {
                while queue.front().is_some_and(|it| it.line() < entry.line()) {
                    queue.drain(..1).for_each(&mut each);
                }
            }
            each(entry);
        }
        late.into_values().flatten().for_each(each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_small() {
        assert!(size_of::<Entry>() <= 48, "{}", size_of::<Entry>());
    }

    #[test]
    fn lines_may_be_many() {
        let spot = LinePosition { hart: 3, line: (5 << 32) + 7, tick: None, is_second: false };
        let entry = Entry::fence(spot, Kind::Fence);
        assert_eq!((entry.hart(), entry.line()), (3, (5 << 32) + 7));
    }

    #[test]
    fn late_entries_are_put_where_they_belong() {
        let mut log = Log::default();
        for (hart, line) in [(0, 1), (1, 2), (0, 5), (0, 4), (1, 6), (0, 9), (1, 3)] {
            let spot = LinePosition { hart, line, tick: None, is_second: false };
            log.push(Entry::fence(spot, Kind::Fence));
        }
        let mut lines = [Vec::new(), Vec::new()];
        log.drain(|entry| lines[entry.hart()].push(entry.line()));
        assert_eq!(lines, [vec![1, 4, 5, 9], vec![2, 3, 6]]);
    }
}
