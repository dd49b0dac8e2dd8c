//! RVWMO: the 13 rules of preserved program order and the axioms of the RISC-V ISA manual (chapter "RVWMO Memory Consistency
//! Model"), and Ztso, under which every load is an acquire and every store a release. A read-modify-write is one event.

use super::{Axioms, has_order, is_atomic};
use crate::execution::{Candidate, Event, Events, Source};
use crate::relation::Relation;
use crate::run::{Dependency, Kind};

/// RVWMO, with or without the extension Ztso.
pub(super) struct Riscv {
    is_total: bool,
}

pub(super) const RVWMO: Riscv = Riscv { is_total: false };
pub(super) const ZTSO: Riscv = Riscv { is_total: true };

/// Whether the access is part of an atomic instruction with an annotation, which is then RCsc.
fn is_rcsc(event: &Event) -> bool {
    let is_paired = matches!(event.kind, Kind::LoadLinked | Kind::StoreConditional);
    (is_paired || event.kind.is_atomic())
        && (event.annotation.acquires() || event.annotation.releases())
}

impl Riscv {
    /// The rules that hold whatever is read.
    fn is_kept(&self, events: &Events, a: usize, b: usize) -> bool {
        let (first, second) = (&events.all[a], &events.all[b]);
        let between = || (a + 1..b).filter(|&at| events.all[at].is_access());
        let address = |at: usize| events.depends(at, Dependency::Address, a);
        // Rules 5, 6 and 7, and those of Ztso, order no two parts of one access.
        let is_annotated = first.annotation.acquires()
            || second.annotation.releases()
            || (self.is_total && (first.reads || second.writes))
            || (is_rcsc(first) && is_rcsc(second));
        // Rules 1 and 4.
        (events.po_loc(a, b) && second.writes)
            || events.is_fenced(a, b)
            || (is_annotated && !events.of_one_operation(a, b))
            // Rules 8 to 11, and 13.
            || events.pairs().contains(&(a, b))
            || address(b)
            || events.depends(b, Dependency::Data, a)
            || (second.writes && events.is_controlled(a, b))
            || (second.writes && between().any(address))
    }

    /// The rules that depend on what `b` reads.
    fn is_kept_by_reads(&self, candidate: &Candidate<'_>, a: usize, b: usize) -> bool {
        let events = candidate.events;
        let (first, second) = (&events.all[a], &events.all[b]);
        second.parts.iter().filter(|_| second.reads).any(|part| {
            let source = candidate.source(b, part.atom);
            // Rule 2.
            let apart = || {
                let other = candidate.source(a, part.atom);
                let write = events.own_write_before(b, part.atom);
                first.reads
                    && source.is_some()
                    && other.is_some()
                    && source != other
                    && write.is_none_or(|write| write <= a)
            };
            // Rule 3.
            let is_atomic = matches!(first.kind, Kind::Rmw | Kind::StoreConditional);
            let returns_atomic = is_atomic && source == Some(Source::Write(a));
            // Rule 12.
            let depends = |at: usize| {
                events.depends(at, Dependency::Address, a)
                    || events.depends(at, Dependency::Data, a)
            };
            let mut stores = (a + 1..b).filter(|&at| events.all[at].writes);
            apart()
                || returns_atomic
                || stores.any(|at| depends(at) && source == Some(Source::Write(at)))
        })
    }
}

impl Axioms for Riscv {
    fn name(&self) -> &'static str {
        if self.is_total { "ztso" } else { "rvwmo" }
    }

    fn local_order(&self, events: &Events) -> Relation {
        events.relation(|a, b| {
            let are_accesses = events.all[a].is_access() && events.all[b].is_access();
            events.po(a, b) && are_accesses && self.is_kept(events, a, b)
        })
    }

    fn allows(&self, local: &Relation, candidate: &Candidate<'_>) -> bool {
        let events = candidate.events;
        let by_reads =
            events.relation(|a, b| events.po(a, b) && self.is_kept_by_reads(candidate, a, b));
        has_order(&local.union(&by_reads), candidate) && is_atomic(candidate, true)
    }
}
