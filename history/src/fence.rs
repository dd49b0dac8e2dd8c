//! Fences that order less than a full one, as those of RISC-V, AArch64 and x86 do.

use std::fmt;

use crate::kind::Kind;

/// A side of a fence: which of the accesses before it, or after it, a fence orders.
///
/// Accesses that both read and write count as reads and as writes.
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
    /// The side that orders reads, writes, both, or nothing (`None`).
    pub fn of(reads: bool, writes: bool) -> Option<Side> {
        match (reads, writes) {
            (true, true) => Some(Side::Both),
            (true, false) => Some(Side::Reads),
            (false, true) => Some(Side::Writes),
            (false, false) => None,
        }
    }

    /// Whether an access of this kind is among those that are ordered.
    pub fn has(self, kind: Kind) -> bool {
        match self {
            Side::Reads => kind.reads(),
            Side::Writes => kind.writes(),
            Side::Both => !kind.is_fence(),
        }
    }
}

/// A fence that orders fewer accesses than a full one.
///
/// `ReadWrite` orders the reads before it before the writes after it. AArch64's `dmb ishld` is
/// `ReadBoth` and its `dmb ishst` is `WriteWrite`.
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
}

impl WeakFence {
    /// Every weak fence.
    pub const ALL: [WeakFence; 9] = [
        WeakFence::ReadRead,
        WeakFence::ReadWrite,
        WeakFence::ReadBoth,
        WeakFence::WriteRead,
        WeakFence::WriteWrite,
        WeakFence::WriteBoth,
        WeakFence::BothRead,
        WeakFence::BothWrite,
        WeakFence::Tso,
    ];

    /// Whether it orders an access of kind `first` before it before one of kind `second` after it.
    pub fn orders(self, first: Kind, second: Kind) -> bool {
        let (before, after) = match self {
            WeakFence::ReadRead => (Side::Reads, Side::Reads),
            WeakFence::ReadWrite => (Side::Reads, Side::Writes),
            WeakFence::ReadBoth => (Side::Reads, Side::Both),
            WeakFence::WriteRead => (Side::Writes, Side::Reads),
            WeakFence::WriteWrite => (Side::Writes, Side::Writes),
            WeakFence::WriteBoth => (Side::Writes, Side::Both),
            WeakFence::BothRead => (Side::Both, Side::Reads),
            WeakFence::BothWrite => (Side::Both, Side::Writes),
            WeakFence::Tso => {
                return !second.is_fence()
                    && (first.reads() || (first.writes() && second.writes()));
            }
        };
        before.has(first) && after.has(second)
    }

    /// Whether it orders stores before loads that follow it.
    pub fn orders_store_load(self) -> bool {
        self.orders(Kind::Store, Kind::Load)
    }

    /// Whether it orders stores before stores that follow it.
    pub fn orders_store_store(self) -> bool {
        self.orders(Kind::Store, Kind::Store)
    }

    /// The name of its kind in tables and JSON: `fence`, and what it orders.
    pub fn name(self) -> &'static str {
        match self {
            WeakFence::ReadRead => "fence r,r",
            WeakFence::ReadWrite => "fence r,w",
            WeakFence::ReadBoth => "fence r,rw",
            WeakFence::WriteRead => "fence w,r",
            WeakFence::WriteWrite => "fence w,w",
            WeakFence::WriteBoth => "fence w,rw",
            WeakFence::BothRead => "fence rw,r",
            WeakFence::BothWrite => "fence rw,w",
            WeakFence::Tso => "fence tso",
        }
    }
}

impl fmt::Display for WeakFence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Kind {
    /// The kind of a fence that orders the accesses `before` it before those `after` it.
    pub fn fence(before: Side, after: Side) -> Kind {
        let weak = match (before, after) {
            (Side::Both, Side::Both) => return Kind::Fence,
            (Side::Reads, Side::Reads) => WeakFence::ReadRead,
            (Side::Reads, Side::Writes) => WeakFence::ReadWrite,
            (Side::Reads, Side::Both) => WeakFence::ReadBoth,
            (Side::Writes, Side::Reads) => WeakFence::WriteRead,
            (Side::Writes, Side::Writes) => WeakFence::WriteWrite,
            (Side::Writes, Side::Both) => WeakFence::WriteBoth,
            (Side::Both, Side::Reads) => WeakFence::BothRead,
            (Side::Both, Side::Writes) => WeakFence::BothWrite,
        };
        Kind::WeakFence(weak)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_orders_what_its_name_says() {
        for weak in WeakFence::ALL {
            let sides = weak.name().strip_prefix("fence ").unwrap();
            let Some((before, after)) = sides.split_once(',') else {
                assert_eq!(weak, WeakFence::Tso);
                continue;
            };
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
