//! Fences that order fewer accesses than a full one, such as those of RISC-V, AArch64 and x86: [`WeakFence`], and the
//! accesses that a fence orders on each [`Side`].

use std::fmt;

use crate::kind::Kind;

/// The accesses that a fence orders on one of its sides, before it or after it.
///
/// An access that both reads and writes counts as both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Reads alone.
    Reads,
    /// Writes alone.
    Writes,
    /// Reads and writes.
    Both,
}

impl Side {
    /// The side with reads, writes or both; `None` for neither.
    pub fn of(reads: bool, writes: bool) -> Option<Side> {
        match (reads, writes) {
            (true, true) => Some(Side::Both),
            (true, false) => Some(Side::Reads),
            (false, true) => Some(Side::Writes),
            (false, false) => None,
        }
    }
}

/// A fence that orders fewer accesses than a full one.
///
/// `ReadWrite` orders the reads before the fence before the writes after it; the other names are to be read in the same
/// way. AArch64's `dmb ishld` is `ReadBoth` and its `dmb ishst` is `WriteWrite`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WeakFence {
    /// Reads before reads.
    ReadRead,
    /// Reads before writes.
    ReadWrite,
    /// Reads before reads and writes.
    ReadBoth,
    /// Writes before reads.
    WriteRead,
    /// Writes before writes.
    WriteWrite,
    /// Writes before reads and writes.
    WriteBoth,
    /// Reads and writes before reads.
    BothRead,
    /// Reads and writes before writes.
    BothWrite,
    /// RISC-V's `fence.tso`: reads before reads and writes, and writes before writes.
    Tso,
    /// AArch64's `isb`: orders no accesses by itself. A read that a branch or an address before the fence depends on
    /// precedes everything after the fence.
    Instruction,
    /// A fence whose ordering is unknown, which therefore orders nothing for certain.
    Unknown,
}

/// The definition of a weak fence: a row of [`FENCES`].
struct FenceRow {
    fence: WeakFence,
    /// The name in tables and JSON.
    name: &'static str,
    /// The pairs that the fence orders, as bits.
    pairs: u8,
}

// The pairs of an access before a fence and one after it: `RW` is a read before and a write after.
const RR: u8 = 1;
const RW: u8 = 2;
const WR: u8 = 4;
const WW: u8 = 8;

/// The definitions of all weak fences. No two of them order the same pairs, except those that order none.
///
/// The rows are in the order of the variants. New rows come last, because the number of a kind is part of
/// digests.
const FENCES: &[FenceRow] = &[
    row(WeakFence::ReadRead, "fence r,r", RR),
    row(WeakFence::ReadWrite, "fence r,w", RW),
    row(WeakFence::ReadBoth, "fence r,rw", RR | RW),
    row(WeakFence::WriteRead, "fence w,r", WR),
    row(WeakFence::WriteWrite, "fence w,w", WW),
    row(WeakFence::WriteBoth, "fence w,rw", WR | WW),
    row(WeakFence::BothRead, "fence rw,r", RR | WR),
    row(WeakFence::BothWrite, "fence rw,w", RW | WW),
    row(WeakFence::Tso, "fence tso", RR | RW | WW),
    row(WeakFence::Instruction, "isb", 0),
    row(WeakFence::Unknown, "fence unknown", 0),
];

const fn row(fence: WeakFence, name: &'static str, pairs: u8) -> FenceRow {
    FenceRow { fence, name, pairs }
}

/// The pairs, as bits, that an access of kind `first` and a later one of kind `second` form.
fn pairs(first: Kind, second: Kind) -> u8 {
    let made = [
        (first.reads() && second.reads(), RR),
        (first.reads() && second.writes(), RW),
        (first.writes() && second.reads(), WR),
        (first.writes() && second.writes(), WW),
    ];
    let bits = made.iter().filter(|(is_made, _)| *is_made);
    bits.fold(0, |all, (_, pair)| all | pair)
}

impl WeakFence {
    /// Every weak fence, in ascending order.
    pub const ALL: [WeakFence; FENCES.len()] = {
        let mut all = [WeakFence::ReadRead; FENCES.len()];
        let mut at = 0;
        while at < FENCES.len() {
            assert!(FENCES[at].fence as usize == at);
            all[at] = FENCES[at].fence;
            at += 1;
        }
        all
    };

    fn row(self) -> &'static FenceRow {
        &FENCES[self as usize]
    }

    /// Whether the fence orders an access of kind `first` before the fence before an access of kind `second` after it.
    pub fn orders(self, first: Kind, second: Kind) -> bool {
        self.row().pairs & pairs(first, second) != 0
    }

    /// Whether the fence orders stores before it before loads after it.
    pub fn orders_store_load(self) -> bool {
        self.row().pairs & WR != 0
    }

    /// Whether the fence orders stores before it before stores after it.
    pub fn orders_store_store(self) -> bool {
        self.row().pairs & WW != 0
    }

    /// The name of the kind in tables and JSON: `fence`, and the pairs that it orders.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}

impl fmt::Display for WeakFence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Kind {
    /// The kind of the fence that orders the accesses `before` it before those `after` it.
    pub fn fence(before: Side, after: Side) -> Kind {
        let sides = |side| match side {
            Side::Reads => (true, false),
            Side::Writes => (false, true),
            Side::Both => (true, true),
        };
        let ((reads, writes), (then_reads, then_writes)) = (sides(before), sides(after));
        let bit = |is_ordered, pair| if is_ordered { pair } else { 0 };
        let ordered = bit(reads && then_reads, RR)
            | bit(reads && then_writes, RW)
            | bit(writes && then_reads, WR)
            | bit(writes && then_writes, WW);
        let weak = FENCES.iter().find(|row| row.pairs == ordered);
        weak.map_or(Kind::Fence, |row| Kind::WeakFence(row.fence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_fences_order_the_same_pairs() {
        for (at, row) in FENCES.iter().enumerate() {
            let is_other = |other: &FenceRow| other.pairs == 0 || other.pairs != row.pairs;
            assert!(FENCES[..at].iter().all(is_other), "{}", row.name);
        }
    }

    #[test]
    fn a_fence_orders_what_its_name_says() {
        for weak in WeakFence::ALL {
            let sides = weak.name().strip_prefix("fence ").unwrap_or_default();
            // The names without a comma are tested below.
            let Some((before, after)) = sides.split_once(',') else { continue };
            for (first, from) in [(Kind::Load, 'r'), (Kind::Store, 'w')] {
                for (second, to) in [(Kind::Load, 'r'), (Kind::Store, 'w')] {
                    let named = before.contains(from) && after.contains(to);
                    assert_eq!(weak.orders(first, second), named, "{weak}: {from} {to}");
                }
            }
        }
        let tso = WeakFence::Tso;
        assert!(!tso.orders_store_load() && tso.orders_store_store());
        assert!(tso.orders(Kind::Load, Kind::Load) && tso.orders(Kind::Load, Kind::Store));
        assert!(!WeakFence::Instruction.orders(Kind::Rmw, Kind::Rmw));
        assert!(!WeakFence::Unknown.orders(Kind::Rmw, Kind::Rmw));
    }

    #[test]
    fn sides_make_the_kind() {
        let sides = [Side::Reads, Side::Writes, Side::Both];
        for before in sides {
            for after in sides {
                let kind = Kind::fence(before, after);
                assert!(kind.is_fence());
                if let Kind::WeakFence(weak) = kind {
                    assert_eq!(
                        weak.orders_store_load(),
                        before != Side::Reads && after != Side::Writes
                    );
                } else {
                    assert_eq!((before, after), (Side::Both, Side::Both));
                }
            }
        }
        assert_eq!(Side::of(true, true), Some(Side::Both));
        assert_eq!(Side::of(false, false), None);
    }
}
