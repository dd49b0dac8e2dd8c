//! What an operation does.

use serde::{Deserialize, Serialize};

/// The kind of an operation.
///
/// A failed compare-and-swap is a read that orders like a read-modify-write; an atomic that
/// writes back the value it read is one too, since memory does not change. A load-linked and
/// its successful store-conditional stay two operations; [`crate::History::linked_load`] pairs
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
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
}

impl Kind {
    /// Every kind, in the order of their discriminants.
    pub const ALL: [Kind; 7] = [
        Kind::Load,
        Kind::Store,
        Kind::Rmw,
        Kind::FailedCas,
        Kind::LoadLinked,
        Kind::StoreConditional,
        Kind::Fence,
    ];

    /// Does it read memory (or a store buffer)?
    pub fn reads(self) -> bool {
        matches!(
            self,
            Kind::Load | Kind::Rmw | Kind::FailedCas | Kind::LoadLinked
        )
    }

    /// Does it write memory?
    pub fn writes(self) -> bool {
        matches!(self, Kind::Store | Kind::Rmw | Kind::StoreConditional)
    }

    /// A load that a store buffer may serve.
    pub fn is_plain_load(self) -> bool {
        matches!(self, Kind::Load | Kind::LoadLinked)
    }

    /// A store that may wait in a store buffer.
    pub fn is_plain_store(self) -> bool {
        matches!(self, Kind::Store | Kind::StoreConditional)
    }

    /// A read-modify-write or what orders like one.
    pub fn is_atomic(self) -> bool {
        matches!(self, Kind::Rmw | Kind::FailedCas)
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
        }
    }

    /// The kind of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
