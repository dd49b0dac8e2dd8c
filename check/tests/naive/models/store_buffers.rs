//! SC, IBM 370, TSO and PSO: a thread's stores wait in buffers. The axioms are those of *Gradual consistency checking*
//! (Zennou et al., CAV 2019, section 2).

use super::{Axioms, has_order, is_atomic};
use crate::execution::{Candidate, Event, Events};
use crate::relation::Relation;
use crate::run::Kind;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Buffers {
    None,
    One,
    /// One for each location; says whether a read-modify-write waits for all of them.
    Many {
        rmw_waits_for_all: bool,
    },
}

/// A model with store buffers.
pub(super) struct StoreBuffers {
    name: &'static str,
    buffers: Buffers,
    forwards: bool,
}

const fn model(name: &'static str, buffers: Buffers, forwards: bool) -> StoreBuffers {
    StoreBuffers { name, buffers, forwards }
}

pub(super) const SC: StoreBuffers = model("sc", Buffers::None, false);
pub(super) const IBM370: StoreBuffers = model("ibm370", Buffers::One, false);
pub(super) const TSO: StoreBuffers = model("tso", Buffers::One, true);
pub(super) const PSO: StoreBuffers = model("pso", Buffers::Many { rmw_waits_for_all: false }, true);
pub(super) const PSO_RMW_ALL: StoreBuffers =
    model("pso --pso-rmw all", Buffers::Many { rmw_waits_for_all: true }, true);

fn is_store(event: &Event) -> bool {
    matches!(event.kind, Kind::Store | Kind::StoreConditional)
}

impl StoreBuffers {
    /// Whether a store reaches memory before a later access of its thread, without fences.
    fn store_precedes(&self, store: &Event, later: &Event) -> bool {
        let rmw_waits_for_all = match self.buffers {
            Buffers::None => return true,
            Buffers::One => true,
            Buffers::Many { rmw_waits_for_all } => rmw_waits_for_all,
        };
        let same = store.overlaps(later);
        let by_kind = if later.kind.is_atomic() {
            same || rmw_waits_for_all || (later.writes && later.annotation.releases())
        } else if later.writes {
            same || self.buffers == Buffers::One || later.annotation.releases()
        } else {
            same && !self.forwards
        };
        let releases = store.annotation.releases();
        by_kind || (releases && later.reads && later.annotation.acquires_after_release())
    }
}

impl Axioms for StoreBuffers {
    fn name(&self) -> &'static str {
        self.name
    }

    fn local_order(&self, events: &Events) -> Relation {
        events.relation(|a, b| {
            let (first, second) = (&events.all[a], &events.all[b]);
            let are_accesses = first.is_access() && second.is_access();
            let is_kept =
                !is_store(first) || self.store_precedes(first, second) || events.is_fenced(a, b);
            events.po(a, b) && are_accesses && is_kept
        })
    }

    fn allows(&self, local: &Relation, candidate: &Candidate<'_>) -> bool {
        // Without forwarding a thread's own writes, too, are read from memory.
        let preserved =
            if self.forwards { local.clone() } else { local.union(&candidate.rf(None)) };
        has_order(&preserved, candidate) && is_atomic(candidate, false)
    }
}
