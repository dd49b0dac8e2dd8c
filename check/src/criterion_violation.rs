//! [`CriterionViolation`]: the proof that a history does not satisfy a criterion of CAV 2019. It is a list
//! of pairs of the criterion's relations, each with its justification, and a cycle of them.

use certify::certificate::{Name, Node, RelationStatement, RelationStep};
use certify::criterion::{Criterion, ForbiddenCycle, PairRelation};
use history::{History, OpId};

/// A pair of a relation, with the justification that the pair is in the relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The relation.
    pub relation: PairRelation<OpId>,
    /// The first operation of the pair.
    pub before: Node,
    /// The second operation of the pair.
    pub after: Node,
    /// For `hb_o` and `cf`: the read to which the premises lead.
    pub via: Option<OpId>,
    /// Indices of the earlier facts that the rule needs, which form a path.
    pub premises: Vec<usize>,
}

/// The proof that a history does not satisfy a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriterionViolation {
    /// The criterion.
    pub criterion: Criterion,
    /// The facts that the cycle needs. Premises have smaller indices.
    pub facts: Vec<Fact>,
    /// The relation that has the cycle.
    pub relation: ForbiddenCycle<OpId>,
    /// The cycle, as indices of facts.
    pub cycle: Vec<usize>,
}

impl CriterionViolation {
    /// The operations that occur in the proof, in ascending order.
    pub fn operations(&self) -> Vec<OpId> {
        let mut ops = Vec::new();
        for fact in &self.facts {
            ops.extend(fact.via);
            for node in [fact.before, fact.after] {
                if let Node::Op(op) = node {
                    ops.push(op);
                }
            }
        }
        ops.sort_unstable();
        ops.dedup();
        ops
    }

    /// The steps of the proof, for a certificate. Cost: linear.
    pub fn steps(&self, history: &History) -> Vec<RelationStep> {
        let name = |op: OpId| Name::of(history, op);
        let node = |node: Node| Name::of_node(history, node);
        let cite = |facts: &[usize]| facts.iter().map(|&fact| fact as u32 + 1).collect();
        let mut steps: Vec<RelationStep> = Vec::with_capacity(self.facts.len() + 1);
        for fact in &self.facts {
            steps.push(RelationStep {
                number: steps.len() as u32 + 1,
                statement: RelationStatement::Pair {
                    relation: fact.relation.map(name),
                    before: node(fact.before),
                    after: node(fact.after),
                    via: fact.via.map(name),
                },
                premises: cite(&fact.premises),
            });
        }
        steps.push(RelationStep {
            number: steps.len() as u32 + 1,
            statement: RelationStatement::Cycle(self.relation.map(name)),
            premises: cite(&self.cycle),
        });
        steps
    }
}
