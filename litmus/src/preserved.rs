//! Preserved program order of a candidate, as the memory model defines it for histories.

use history::{OpId, ReadsFrom};
use memory::Execution;
use memory::Model;
use memory::axioms::Axioms;
use memory::weak::PpoRule;

use crate::candidate::Candidate;
use crate::operations;
use crate::order::{Relation, bits};
use crate::parts::Place;

/// Preserved program order of a candidate.
#[derive(Clone, Debug)]
pub(crate) struct Preserved {
    /// The pairs that are ordered whatever reads return.
    pub always: Relation,
    /// The pairs of reads that are ordered if they return different writes.
    pub if_apart: Vec<(usize, usize)>,
}

impl Preserved {
    /// Preserved program order of a candidate under a model.
    pub(crate) fn of(candidate: &Candidate<'_>, model: Model) -> Preserved {
        let whole = operations::history(&candidate.events);
        let history = model.prepare(&whole);
        let unknown = ReadsFrom::given(&history, |_| None);
        let execution = Execution { history: &history, reads_from: unknown };
        let has_apart = model.ppo_rules().contains(&PpoRule::ReadsApart);
        let mut always = Relation::empty(candidate.events.len());
        let mut if_apart = Vec::new();
        for second in 0..candidate.events.len() {
            for first in candidate.before(second) {
                // The parts of one instruction are in no order, but for the read and the write of the same bytes.
                if candidate.same_instruction(first, second) && !candidate.same_place(first, second)
                {
                    continue;
                }
                let (a, b) = (OpId(first as u32), OpId(second as u32));
                if Axioms::preserves(&model, &execution, a, b) {
                    always.add(first, second);
                } else if has_apart && PpoRule::may_read_apart(&history, a, b) {
                    if_apart.push((first, second));
                }
            }
        }
        Preserved { always, if_apart }
    }
}

/// What the memory order says of the other parts of an access if it says something of one.
#[derive(Clone, Debug)]
pub(crate) enum Ties {
    /// Nothing, because no access was cut and none counts as one with another.
    Uncut,
    /// All: an access is one event of memory order, as RVWMO and the models of store buffers define it, and single-copy
    /// atomic. Per event, the part that stands for its access; an access that is not aligned is performed byte by byte.
    Whole(Vec<usize>),
    /// What precedes one part of an access because of another thread, or because of a write to the same bytes, precedes
    /// all parts, as in herd's model of Armv8. What a thread reads from its own writes is ordered for the bytes that it
    /// reads so.
    Reached {
        /// Per read, the earlier reads of its thread that have bytes in common with the access to which it belongs.
        hazards: Vec<u64>,
    },
}

impl Ties {
    /// How a model ties the parts of the accesses of a candidate.
    pub(crate) fn of(candidate: &Candidate<'_>, model: Model) -> Ties {
        let events = 0..candidate.events.len();
        if !candidate.has_siblings() {
            return Ties::Uncut;
        }
        // Of the models here, Arm's is the one whose atomics are two events.
        if !model.splits_atomics() {
            let is_aligned = |event: usize| {
                let access = &candidate.accesses[candidate.events[event].access];
                Place::of(access).is_none_or(|place| place.is_aligned())
            };
            let first = |event: usize| candidate.siblings(event).trailing_zeros() as usize;
            return Ties::Whole(
                events.map(|event| if is_aligned(event) { first(event) } else { event }).collect(),
            );
        }
        let reads = |event: &usize| candidate.events[*event].reads();
        let hazards = events.map(|event| {
            let shares = |first: &usize| {
                bits(candidate.siblings(event)).any(|part| candidate.same_place(*first, part))
                    && !candidate.same_instruction(*first, event)
            };
            let earlier = candidate.before(event).filter(reads).filter(shares);
            earlier.fold(0, |all, first| all | 1 << first)
        });
        Ties::Reached { hazards: hazards.collect() }
    }
}
