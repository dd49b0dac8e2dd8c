//! The axioms of each model, from the papers, manuals and cat files that define it.

mod armv8;
mod axe;
mod riscv;
mod store_buffers;

use crate::atoms::Atom;
use crate::execution::{Candidate, Events};
use crate::relation::Relation;

/// The axioms of a model.
pub(crate) trait Axioms: Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// Whether a read-modify-write is two events.
    fn splits_atomics(&self) -> bool {
        false
    }

    /// The order of each thread's events that does not depend on which writes are read.
    fn local_order(&self, events: &Events) -> Relation;

    /// Whether a location by itself behaves like memory: program order and communication have no cycle.
    fn is_coherent(&self, candidate: &Candidate<'_>, atom: Atom) -> bool {
        is_coherent(candidate, atom, |_, _| true)
    }

    /// Whether the candidate, whose locations are coherent, satisfies the axioms.
    fn allows(&self, local: &Relation, candidate: &Candidate<'_>) -> bool;
}

/// Every model, each after all that are stronger.
pub(crate) const MODELS: [&dyn Axioms; 10] = [
    &store_buffers::SC,
    &store_buffers::IBM370,
    &store_buffers::TSO,
    &store_buffers::PSO_RMW_ALL,
    &store_buffers::PSO,
    &riscv::ZTSO,
    &riscv::RVWMO,
    &armv8::Armv8,
    &axe::WMO,
    &axe::RMO,
];

/// Whether program order, restricted to the pairs that `keeps` names, and communication have no cycle at a location.
fn is_coherent(
    candidate: &Candidate<'_>,
    atom: Atom,
    keeps: impl Fn(usize, usize) -> bool,
) -> bool {
    let events = candidate.events;
    let here = |at: usize| events.all[at].part(atom).is_some();
    let po = events.relation(|a, b| events.po(a, b) && here(a) && here(b) && keeps(a, b));
    let only = Some(atom);
    let communication = candidate.rf(only).union(&candidate.co(only)).union(&candidate.fr(only));
    po.union(&communication).is_acyclic()
}

/// Whether a total order of events exists: preserved program order, reads of other threads' writes, coherence order and
/// from-reads have no cycle.
fn has_order(preserved: &Relation, candidate: &Candidate<'_>) -> bool {
    let read = candidate.external(&candidate.rf(None));
    preserved.union(&read).union(&candidate.co(None)).union(&candidate.fr(None)).is_acyclic()
}

/// Whether no write of another thread comes between a load-linked's source and its store-conditional. Pairs whose own thread
/// wrote the location in between promise this only with `crossed`.
fn is_atomic(candidate: &Candidate<'_>, crossed: bool) -> bool {
    let events = candidate.events;
    let mut pairs = events.pairs().into_iter().filter(|&pair| crossed || !events.is_crossed(pair));
    !pairs.any(|pair| candidate.has_foreign_between(pair))
}
