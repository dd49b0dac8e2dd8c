//! The kinds of operations: loads, stores, read-modify-writes and fences.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::fence::WeakFence;

/// The kind of an operation.
///
/// A failed compare-and-swap reads and orders like a read-modify-write but does not write. A *silent* read-modify-write
/// returned the value that it would write, so it may have written or failed. Memory does not change, but a write may end a
/// reservation, a fence that orders writes orders it ([`Kind::is_ordered_as_write`]), and under weak models it has a place in the
/// coherence order of its location. Here it counts as no write; [`History::settle_silent`](crate::History::settle_silent)
/// replaces it by what a model supposes. A load-linked and its successful store-conditional are two operations, which
/// [`crate::History::linked_load`] pairs. JSON uses [`Kind::name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Plain load.
    Load,
    /// Plain store.
    Store,
    /// Atomic read-modify-write: one event that reads and writes.
    Rmw,
    /// Failed compare-and-swap: reads, and orders like a read-modify-write.
    FailedCas,
    /// Load that opens a reservation.
    LoadLinked,
    /// Store that succeeded because its reservation held.
    StoreConditional,
    /// Full fence; has no location.
    Fence,
    /// Fence that orders less than a full one; has no location.
    WeakFence(WeakFence),
    /// Atomic read-modify-write that writes back what it read.
    SilentRmw,
}

impl Kind {
    /// Every kind, in ascending order.
    pub const ALL: [Kind; 8 + WeakFence::ALL.len()] = {
        let mut all = [Kind::Load; 8 + WeakFence::ALL.len()];
        all[1] = Kind::Store;
        all[2] = Kind::Rmw;
        all[3] = Kind::FailedCas;
        all[4] = Kind::LoadLinked;
        all[5] = Kind::StoreConditional;
        all[6] = Kind::Fence;
        let mut at = 0;
        while at < WeakFence::ALL.len() {
            all[7 + at] = Kind::WeakFence(WeakFence::ALL[at]);
            at += 1;
        }
        all[7 + WeakFence::ALL.len()] = Kind::SilentRmw;
        all
    };

    /// Whether an operation of the kind reads memory or a store buffer.
    pub fn reads(self) -> bool {
        matches!(
            self,
            Kind::Load | Kind::Rmw | Kind::FailedCas | Kind::LoadLinked | Kind::SilentRmw
        )
    }

    /// Whether an operation of the kind is a write. A silent read-modify-write counts as none.
    pub fn writes(self) -> bool {
        matches!(self, Kind::Store | Kind::Rmw | Kind::StoreConditional)
    }

    /// Whether fences that order writes order an operation of the kind: a write, or a silent read-modify-write.
    pub fn is_ordered_as_write(self) -> bool {
        self.writes() || self == Kind::SilentRmw
    }

    /// Whether the kind is a load that may take its value from its thread's store buffer.
    pub fn may_be_forwarded(self) -> bool {
        matches!(self, Kind::Load | Kind::LoadLinked)
    }

    /// Whether the kind is a store that may wait in a store buffer.
    pub fn may_be_buffered(self) -> bool {
        matches!(self, Kind::Store | Kind::StoreConditional)
    }

    /// Whether the kind is a read-modify-write, or orders like one.
    pub fn is_atomic(self) -> bool {
        matches!(self, Kind::Rmw | Kind::FailedCas | Kind::SilentRmw)
    }

    /// Whether the kind is a fence, full or weak.
    pub fn is_fence(self) -> bool {
        matches!(self, Kind::Fence | Kind::WeakFence(_))
    }

    /// The number of the kind in digests. It must never change: certificates identify their history by
    /// its digest.
    pub(crate) fn code(self) -> u8 {
        match self {
            Kind::Load => 0,
            Kind::Store => 1,
            Kind::Rmw => 2,
            Kind::FailedCas => 3,
            Kind::LoadLinked => 4,
            Kind::StoreConditional => 5,
            Kind::Fence => 6,
            Kind::WeakFence(weak) => 7 + weak as u8,
            Kind::SilentRmw => u8::MAX,
        }
    }

    /// The name used in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Load => "load",
            Kind::Store => "store",
            Kind::Rmw => "rmw",
            Kind::FailedCas => "failed-cas",
            Kind::LoadLinked => "load-linked",
            Kind::StoreConditional => "store-conditional",
            Kind::Fence => "fence",
            Kind::WeakFence(weak) => weak.name(),
            Kind::SilentRmw => "silent-rmw",
        }
    }

    /// The kind of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Kind, D::Error> {
        deserializer.deserialize_str(KindVisitor)
    }
}

/// Reads the name of a kind without a copy of it: a history has one for each operation.
struct KindVisitor;

impl de::Visitor<'_> for KindVisitor {
    type Value = Kind;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Kind, E> {
        Kind::from_name(name).ok_or_else(|| {
            let known = Kind::ALL.map(Kind::name).join("`, `");
            E::custom(format!("unknown variant `{name}`, expected one of `{known}`"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_tell_kinds_apart() {
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
            // The codes between the last fence and the last kind are reserved for further fences.
            let code = if kind == Kind::SilentRmw { 255 } else { at };
            assert_eq!(usize::from(kind.code()), code);
        }
        assert_eq!(size_of::<Kind>(), 1);
    }
}
