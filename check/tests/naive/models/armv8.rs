//! Armv8, relation by relation as herd's `aarch64.cat` (7.58) defines it for explicit accesses of memory, without instruction
//! fetches, tags and translation tables. A read-modify-write is two events.

use super::Axioms;
use crate::atoms::Atom;
use crate::execution::{Candidate, Events, Part, Source};
use crate::relation::Relation;
use crate::run::{Dependency, ISB, Kind};

pub(super) struct Armv8;

/// Local relations.
struct Local<'e> {
    events: &'e Events,
    /// An atomic's read and write, or a load-linked and its store-conditional.
    rmw: Relation,
    /// A write and the later reads of its thread that it is the latest write of the location before.
    read_successor: Relation,
    /// `a` and an event whose address or value is computed from what `a` returned, through registers and memory.
    carries: Relation,
    /// The same where values may also be chosen by what `a` returned.
    picks: Relation,
}

impl Local<'_> {
    fn of(events: &Events) -> Local<'_> {
        let pairs = events.pairs();
        let rmw = events.relation(|a, b| pairs.contains(&(a, b)));
        let read_successor = events.relation(|a, b| {
            let read = &events.all[b];
            let is_latest = |atom| events.own_write_before(b, atom) == Some(a);
            read.reads && read.parts.iter().any(|part| is_latest(part.atom))
        });
        // What a store-conditional returns is no source of dependencies.
        let reaches = |kinds: &[Dependency]| {
            let directly = events.relation(|a, b| {
                events.all[a].reads && kinds.iter().any(|kind| events.depends(b, *kind, a))
            });
            directly.union(&directly.then(&read_successor)).closure()
        };
        let carries = reaches(&[Dependency::Address, Dependency::Data]);
        let picks = reaches(&[Dependency::Address, Dependency::Data, Dependency::Choice]);
        Local { events, rmw, read_successor, carries, picks }
    }

    fn reads(&self, at: usize) -> bool {
        self.events.all[at].reads
    }

    fn writes(&self, at: usize) -> bool {
        self.events.all[at].writes
    }

    fn acquires(&self, at: usize) -> bool {
        self.reads(at) && self.events.all[at].annotation.acquires()
    }

    fn releases(&self, at: usize) -> bool {
        self.writes(at) && self.events.all[at].annotation.releases()
    }

    /// The reads of `a`'s value: `a`, and the reads before `b` that `reaches` leads to.
    fn values<'r>(
        &self,
        a: usize,
        b: usize,
        reaches: &'r Relation,
    ) -> impl Iterator<Item = usize> + use<'_, 'r> {
        (a..b).filter(move |&at| self.reads(at) && (at == a || reaches.has(a, at)))
    }

    /// Whether an operation after `a` depends on what `a` returned, as far as `reaches` leads. What is of one instruction is not
    /// in program order, whether two parts of an access or the read and the write of an atomic.
    fn depends(&self, a: usize, kinds: &[Dependency], b: usize, reaches: &Relation) -> bool {
        !self.events.of_one_operation(a, b)
            && self.values(a, b, reaches).any(|at| {
                !self.events.of_one_operation(at, b)
                    && kinds.iter().any(|kind| self.events.depends(b, *kind, at))
            })
    }

    /// Whether a branch between `a` and `b` depends on what `a` returned, as far as `reaches` leads.
    fn controls(&self, a: usize, b: usize, reaches: &Relation) -> bool {
        self.values(a, b, reaches).any(|at| self.events.is_controlled(at, b))
    }

    /// The events between the two.
    fn between(&self, a: usize, b: usize) -> impl Iterator<Item = usize> + use<> {
        a + 1..b
    }

    /// Dependency-ordered-before.
    fn dob(&self, a: usize, b: usize) -> bool {
        let address = |at: usize| self.depends(a, &[Dependency::Address], at, &self.carries);
        let data = |at: usize| self.depends(a, &[Dependency::Data], at, &self.carries);
        address(b)
            || data(b)
            || (self.controls(a, b, &self.carries) && self.writes(b))
            || (self.writes(b) && self.between(a, b).any(address))
            || self
                .between(a, b)
                .any(|at| (address(at) || data(at)) && self.read_successor.has(at, b))
    }

    /// Pick-ordered-before.
    fn pob(&self, a: usize, b: usize) -> bool {
        let address = |at: usize| self.depends(a, &[Dependency::Address], at, &self.picks);
        let data =
            |at: usize| self.depends(a, &[Dependency::Data, Dependency::Choice], at, &self.picks);
        self.writes(b)
            && (address(b)
                || data(b)
                || self.controls(a, b, &self.picks)
                || self.between(a, b).any(address))
    }

    /// Atomic-ordered-before.
    fn aob(&self, a: usize, b: usize) -> bool {
        let mut writes = self.between(a, b).filter(|&write| self.rmw.has(a, write));
        self.rmw.has(a, b)
            || (self.acquires(b) && writes.any(|write| self.read_successor.has(write, b)))
    }

    /// Barrier-ordered-before.
    fn bob(&self, a: usize, b: usize) -> bool {
        let (first, second) = (&self.events.all[a], &self.events.all[b]);
        let is_full_atomic = first.kind == Kind::Rmw
            && self.writes(a)
            && first.annotation.acquires()
            && first.annotation.releases();
        self.events.is_fenced(a, b)
            || is_full_atomic
            || (self.releases(a) && self.reads(b) && second.annotation.acquires_after_release())
            || self.acquires(a)
            || self.releases(b)
    }

    /// Ordered by an ISB after a branch, or after an access whose address depends.
    fn instruction_barrier(&self, a: usize, b: usize) -> bool {
        let is_isb = |at: &usize| self.events.all[*at].kind.name() == ISB;
        let address = |at: usize| self.depends(a, &[Dependency::Address], at, &self.picks);
        self.between(a, b)
            .filter(is_isb)
            .any(|isb| self.controls(a, isb, &self.picks) || self.between(a, isb).any(address))
    }

    /// Local write successor.
    fn lmws(&self, a: usize, b: usize) -> bool {
        self.events.po_loc(a, b) && self.writes(b) && !self.events.of_one_operation(a, b)
    }

    fn is_ordered(&self, a: usize, b: usize) -> bool {
        self.aob(a, b)
            || (!self.events.of_one_operation(a, b)
                && (self.lmws(a, b)
                    || self.dob(a, b)
                    || self.pob(a, b)
                    || self.bob(a, b)
                    || self.instruction_barrier(a, b)))
    }
}

impl Axioms for Armv8 {
    fn name(&self) -> &'static str {
        "armv8"
    }

    fn splits_atomics(&self) -> bool {
        true
    }

    fn local_order(&self, events: &Events) -> Relation {
        let local = Local::of(events);
        let are_accesses =
            |a: usize, b: usize| events.all[a].is_access() && events.all[b].is_access();
        let lob = events
            .relation(|a, b| events.po(a, b) && are_accesses(a, b) && local.is_ordered(a, b))
            .closure();
        // What depends on a choice precedes the writes that are ordered after it.
        let pick_lob = local.picks.then(&lob);
        let pick_lob = events.relation(|a, b| pick_lob.has(a, b) && events.all[b].writes);
        lob.union(&pick_lob)
    }

    /// The internal axioms.
    fn is_coherent(&self, candidate: &Candidate<'_>, atom: Atom) -> bool {
        let events = candidate.events;
        let order = &candidate.co[atom];
        let is_later = |first: usize, second: usize| {
            let place = |write| order.iter().position(|&at| at == write);
            place(first) < place(second)
        };
        let here = |at: &usize| events.all[*at].part(atom).is_some();
        (0..events.len()).filter(here).all(|read| {
            let source = candidate.source(read, atom);
            let own_before = (0..read).filter(here).filter(|&at| events.po(at, read));
            match source {
                // coRW1, which includes an atomic that reads its own write.
                Some(Source::Write(write)) if events.po(read, write) => false,
                // coWR.
                Some(Source::Write(write)) => own_before
                    .filter(|&own| events.all[own].writes && own != write)
                    .all(|own| is_later(own, write)),
                Some(Source::Initial) => !own_before.into_iter().any(|own| events.all[own].writes),
                None => true,
            }
        })
    }

    fn allows(&self, local: &Relation, candidate: &Candidate<'_>) -> bool {
        let events = candidate.events;
        let after = candidate.fr(None).union(&candidate.co(None));
        let external = candidate.external(&after);
        let observed = external.union(&candidate.external(&candidate.rf(None)));
        // A read precedes the write that overwrites what a later read of the location returns.
        let reads = events.relation(|a, b| {
            let shared = |part: &Part| {
                candidate.source(a, part.atom).is_some() && candidate.source(b, part.atom).is_some()
            };
            events.po(a, b) && events.all[b].parts.iter().any(shared)
        });
        let hazards = reads.then(&external);
        let is_atomic = events.pairs().into_iter().all(|pair| {
            // Its own thread's write in between ends what a load-linked promises.
            events.is_crossed(pair) || !candidate.has_foreign_between(pair)
        });
        is_atomic && local.union(&observed).union(&hazards).is_acyclic()
    }
}
