//! What the enumeration asks of a memory model.

use memory::{Label, Model};

use crate::candidate::{Candidate, ReadSource};
use crate::execute::{EventKind, Pairing};
use crate::isa::Barrier;
use crate::order::Relation;
use history::Kind;

/// A memory model as the enumeration uses it: an execution is allowed if each location is coherent,
/// atomic pairs are atomic, and preserved program order, reads-from between threads, coherence order and
/// from-reads have no cycle.
pub trait Ordering: Sync {
    /// The pairs of events that preserve program order, whatever reads-from is; as many as are needed for
    /// the others to follow by transitivity.
    fn preserved(&self, candidate: &Candidate<'_>) -> Relation;

    /// The pairs that preserve program order because of reads-from, if there are such. `sources` gives
    /// the source of each read.
    fn preserved_by_sources(
        &self,
        candidate: &Candidate<'_>,
        sources: &[ReadSource],
    ) -> Option<Relation>;

    /// Whether a thread may read its own store before others can.
    fn forwards(&self) -> bool;

    /// Whether the read and the write of an atomic instruction are two events.
    fn splits_atomics(&self) -> bool;
}

/// The kind of operation that an event is; `None` for a fence that orders no accesses.
pub(crate) fn kind(event: &crate::candidate::CandidateEvent) -> Option<Kind> {
    let is_exclusive = event.event.pairing == Pairing::Exclusive;
    Some(match event.event.kind {
        EventKind::Read if is_exclusive => Kind::LoadLinked,
        EventKind::Read => Kind::Load,
        EventKind::Write if is_exclusive => Kind::StoreConditional,
        EventKind::Write => Kind::Store,
        EventKind::Update => Kind::Rmw,
        EventKind::FailedUpdate => Kind::FailedCas,
        EventKind::Fence(Barrier::Accesses(kind)) => kind,
        EventKind::Fence(Barrier::Instructions) => return None,
    })
}

impl Ordering for Model {
    fn preserved(&self, candidate: &Candidate<'_>) -> Relation {
        let mut relation = Relation::empty(candidate.events.len());
        let label = |event: usize| {
            let event = &candidate.events[event];
            kind(event).map(|kind| Label { kind, annotation: event.event.annotation })
        };
        for second in 0..candidate.events.len() {
            for first in candidate.before(second) {
                let same = candidate.same_location(first, second);
                if let (Some(one), Some(two)) = (label(first), label(second))
                    && self.preserves(one, two, same)
                {
                    relation.add(first, second);
                }
            }
        }
        relation
    }

    fn preserved_by_sources(&self, _: &Candidate<'_>, _: &[ReadSource]) -> Option<Relation> {
        None
    }

    fn forwards(&self) -> bool {
        Model::forwards(*self)
    }

    fn splits_atomics(&self) -> bool {
        false
    }
}
