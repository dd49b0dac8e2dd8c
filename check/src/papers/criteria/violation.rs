//! Why a history does not satisfy a criterion of CAV 2019: facts about its relations, each with its
//! reason, that end in a cycle.

use certify::certificate::{Name, Node, RelationStatement, RelationStep};
use certify::criterion::{Criterion, Cyclic, Link};
use history::{History, OpId};

/// One pair of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The relation.
    pub link: Link<OpId>,
    /// The first of the pair.
    pub before: Node,
    /// The second.
    pub after: Node,
    /// For `hb_o` and `cf`: the read to which the premises lead.
    pub via: Option<OpId>,
    /// The facts that the rule needs, which come before this one: a path.
    pub premises: Vec<usize>,
}

/// Why a history does not satisfy a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriterionViolation {
    /// The criterion.
    pub criterion: Criterion,
    /// What the cycle needs; premises have smaller indices.
    pub facts: Vec<Fact>,
    /// The relation that has the cycle.
    pub relation: Cyclic<OpId>,
    /// The cycle, as facts.
    pub cycle: Vec<usize>,
}

impl CriterionViolation {
    /// The operations that it speaks of, ascending.
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

    /// The steps of its certificate. Cost: linear.
    pub fn steps(&self, history: &History) -> Vec<RelationStep> {
        let name = |op: OpId| Name::of(history, op);
        let node = |node: Node| Name::of_node(history, node);
        let cite = |facts: &[usize]| facts.iter().map(|&fact| fact as u32 + 1).collect();
        let mut steps: Vec<RelationStep> = Vec::with_capacity(self.facts.len() + 1);
        for fact in &self.facts {
            steps.push(RelationStep {
                number: steps.len() as u32 + 1,
                statement: RelationStatement::Pair {
                    link: fact.link.map(name),
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
