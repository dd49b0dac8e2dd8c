//! Preserved program order of a candidate, as the memory model defines it for histories.

use history::{OpId, ReadsFrom};
use memory::Model;
use memory::axioms::{Axioms, Execution};
use memory::weak::PpoRule;

use crate::candidate::Candidate;
use crate::operations;
use crate::order::Relation;

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
    pub fn of(candidate: &Candidate<'_>, model: Model) -> Preserved {
        let whole = operations::history(candidate);
        let history = model.prepare(&whole);
        let unknown = ReadsFrom::given(&history, |_| None);
        let execution = Execution { history: &history, reads_from: unknown };
        let has_apart = model.ppo_rules().contains(&PpoRule::ReadsApart);
        let mut always = Relation::empty(candidate.events.len());
        let mut if_apart = Vec::new();
        for second in 0..candidate.events.len() {
            for first in candidate.before(second) {
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
