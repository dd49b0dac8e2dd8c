//! WMO and RMO as the Axe checker defines them (its manual, section "Weak Memory Order"): accesses of one location stay in order,
//! except a store and a later load and, under RMO, two loads; fences order, and timestamps stand for dependencies.

use super::{Axioms, has_order, is_atomic, is_coherent};
use crate::atoms::Atom;
use crate::execution::{Candidate, Events};
use crate::relation::Relation;

/// WMO or RMO.
pub(super) struct Axe {
    name: &'static str,
    keeps_loads: bool,
}

pub(super) const WMO: Axe = Axe { name: "wmo", keeps_loads: true };
pub(super) const RMO: Axe = Axe { name: "rmo", keeps_loads: false };

/// Whether `b`, or an access between the two, was issued after `a` had returned its value.
fn is_issued_after(events: &Events, a: usize, b: usize) -> bool {
    let Some(end) = events.all[a].completed.filter(|_| events.all[a].reads) else { return false };
    let issued = |at: usize| events.all[at].issued.filter(|_| events.all[at].is_access());
    (a + 1..=b).any(|at| issued(at).is_some_and(|begin| begin > end))
}

impl Axe {
    fn is_kept(&self, events: &Events, a: usize, b: usize) -> bool {
        let (first, second) = (&events.all[a], &events.all[b]);
        let at_one_location =
            if self.keeps_loads { first.reads || second.writes } else { second.writes };
        let release = first.writes && first.annotation.releases();
        let acquire = second.reads && second.annotation.acquires_after_release();
        // The parts of an access are in no order.
        let is_annotated = (first.reads && first.annotation.acquires())
            || (second.writes && second.annotation.releases())
            || (release && acquire);
        (events.po_loc(a, b) && at_one_location)
            || events.is_fenced(a, b)
            || (is_annotated && !events.of_one_operation(a, b))
            || is_issued_after(events, a, b)
    }
}

impl Axioms for Axe {
    fn name(&self) -> &'static str {
        self.name
    }

    fn local_order(&self, events: &Events) -> Relation {
        events.relation(|a, b| {
            let are_accesses = events.all[a].is_access() && events.all[b].is_access();
            events.po(a, b) && are_accesses && self.is_kept(events, a, b)
        })
    }

    fn is_coherent(&self, candidate: &Candidate<'_>, atom: Atom) -> bool {
        let all = &candidate.events.all;
        is_coherent(candidate, atom, |a, b| self.keeps_loads || all[a].writes || all[b].writes)
    }

    fn allows(&self, local: &Relation, candidate: &Candidate<'_>) -> bool {
        has_order(local, candidate) && is_atomic(candidate, false)
    }
}
