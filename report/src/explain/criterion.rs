//! Explains in words why a history violates a weak criterion: the cycle, and the reason for each of its edges.

use certify::certificate::Node;
use certify::criterion::{ForbiddenCycle, PairRelation};
use check::criterion_violation::{CriterionViolation, Fact};
use history::{History, OpId};

use super::notes::{Cycle, Facts, NoteWriter};
use super::why::{label, node};

/// Returns the violation as one sentence.
pub fn headline(history: &History, violation: &CriterionViolation) -> String {
    let relation = match violation.relation {
        ForbiddenCycle::Local(op) => format!("hb_o has a cycle, for o = {}", label(history, op)),
        relation => format!("{} has a cycle", relation.name()),
    };
    let models = if violation.criterion.follows_from(memory::Model::TSO) {
        "neither TSO nor SC holds"
    } else {
        "SC does not hold either"
    };
    format!("{relation}; so {models}")
}

/// Returns the cycle with its notes.
pub fn cycle(history: &History, violation: &CriterionViolation) -> Cycle {
    // An edge of the cycle is named after the part of the relation that it belongs to.
    let name = |fact: usize| match (violation.relation, violation.facts[fact].relation) {
        (ForbiddenCycle::Memory, PairRelation::Local(..) | PairRelation::Conflict { .. }) => {
            Some("pww".to_owned())
        }
        (ForbiddenCycle::Weak(_), PairRelation::Local(..) | PairRelation::Conflict { .. }) => {
            Some("wpww".to_owned())
        }
        _ => violation.relation(fact),
    };
    NoteWriter::cycle(history, violation, &violation.cycle, name)
}

fn name(relation: PairRelation<OpId>) -> String {
    match relation {
        PairRelation::Local(..) => "hb".to_owned(),
        PairRelation::Program(order) => order.name().to_owned(),
        relation => relation.map(|op| op.0).to_string(),
    }
}

impl Facts for CriterionViolation {
    fn ends(&self, fact: usize) -> (Node, Node) {
        (self.facts[fact].before, self.facts[fact].after)
    }

    fn relation(&self, fact: usize) -> Option<String> {
        Some(name(self.facts[fact].relation))
    }

    /// Facts that the trace shows are evident, and so is the order of two writes of one thread.
    fn is_evident(&self, fact: usize) -> bool {
        let plain = |&fact: &usize| self.facts[fact].premises.is_empty();
        let Fact { relation, premises, .. } = &self.facts[fact];
        match relation {
            PairRelation::Store { .. } => premises.len() == 1 && premises.iter().all(plain),
            _ => premises.is_empty(),
        }
    }

    fn explain(&self, fact: usize, notes: &mut NoteWriter<'_>) -> String {
        let Fact { relation, before, after, via, ref premises } = self.facts[fact];
        let history = notes.history;
        let initial = |&fact: &usize| matches!(self.facts[fact].before, Node::Initial(_));
        let value = match after {
            Node::Op(_) => "the value of",
            Node::Initial(_) | Node::Final(_) => "the",
        };
        let from_initial = premises.first().is_some_and(initial);
        let (before, after) = (node(history, before), node(history, after));
        let pair = format!("{before} {} {after}", name(relation));
        if relation == PairRelation::Overwritten && from_initial {
            return format!("{pair}: {before} returns the initial value, which {after} overwrites");
        }
        let path = notes.path(premises);
        match (relation, via) {
            (PairRelation::Overwritten, _) => {
                format!("{pair}: {before} returns a value that {after} overwrites ({path})")
            }
            (_, Some(read)) => {
                let read = label(history, read);
                format!(
                    "{pair}: {read} returns {value} {after} although {before} comes before it ({path})"
                )
            }
            (_, None) => format!("{pair}: {path}"),
        }
    }
}
