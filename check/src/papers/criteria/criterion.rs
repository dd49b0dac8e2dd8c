//! The criteria of CAV 2019 that are weaker than SC or TSO, and why a history does not satisfy one:
//! facts about its relations, each with its reason, that end in a cycle.

use history::{History, OpId};

use crate::algorithm::Algorithm;
use crate::certificate::{Name, RelationStep, StepOf};
use crate::model::Model;
use crate::proof::Node;

/// A criterion of CAV 2019, sections 3 and 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Criterion {
    /// Causal consistency.
    Cc,
    /// Causal convergence.
    Ccv,
    /// Causal memory.
    Cm,
    /// Convergent causal memory.
    Ccm,
    /// Weak convergent causal memory.
    Wccm,
}

impl Criterion {
    /// All of them.
    pub const ALL: [Criterion; 5] = [
        Criterion::Cc,
        Criterion::Ccv,
        Criterion::Cm,
        Criterion::Ccm,
        Criterion::Wccm,
    ];

    /// The algorithm that decides it.
    pub fn algorithm(self) -> Algorithm {
        match self {
            Criterion::Cc => Algorithm::Cc,
            Criterion::Ccv => Algorithm::Ccv,
            Criterion::Cm => Algorithm::Cm,
            Criterion::Ccm => Algorithm::Ccm,
            Criterion::Wccm => Algorithm::Wccm,
        }
    }

    /// The name on the command line and in certificates.
    pub fn name(self) -> &'static str {
        self.algorithm().name()
    }

    /// The criterion of that name.
    pub fn from_name(name: &str) -> Option<Criterion> {
        Criterion::ALL
            .into_iter()
            .find(|known| known.name() == name)
    }

    /// Whether every history of a model satisfies it. SC is stronger than all of them; for TSO and
    /// cc and ccv see [`super::causal`].
    pub fn follows_from(self, model: Model) -> bool {
        match self {
            Criterion::Cc | Criterion::Ccv | Criterion::Wccm => {
                matches!(model, Model::Sc | Model::Tso)
            }
            Criterion::Cm | Criterion::Ccm => model == Model::Sc,
        }
    }
}

/// Which part of program order a relation is built on: π in CAV 2019, section 4.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// `po`.
    Full,
    /// `ppo`: what TSO preserves.
    Preserved,
    /// `po-loc`: between operations of one location.
    SameLocation,
}

impl Order {
    /// The name in the paper and in certificates.
    pub fn name(self) -> &'static str {
        match self {
            Order::Full => "po",
            Order::Preserved => "ppo",
            Order::SameLocation => "po-loc",
        }
    }
}

/// A relation of CAV 2019. `T` names operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Link<T> {
    /// `po`, `ppo` (a pair that TSO preserves in its own right) or `po-loc`.
    Program(Order),
    /// `wr`; `wr_e` if external: from a write that is not earlier in the read's own thread.
    ReadsFrom {
        /// `wr_e`.
        external: bool,
    },
    /// `hb_o`, by its second rule. `hb_o` has a pair (w', w) if (w', r) is in it, r reads from w, and
    /// r is o or before it in the order. With `ppo` and `po-loc` it is `hb^π_o`.
    Local(Order, T),
    /// `cf[R]`, or `cf_e[R]`: R leads from a write to a read that reads from another.
    Conflict {
        /// `cf_e`.
        external: bool,
    },
    /// `pww`, or `wpww`.
    Store {
        /// `wpww`.
        weak: bool,
    },
    /// `rw[R]`: R leads from the read's source to the write.
    Overwritten,
}

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

/// The relation that a criterion wants to be acyclic, or irreflexive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cyclic<T> {
    /// `co`, that is `po ∪ wr`.
    Causality,
    /// `rw[co] ; co`.
    Stale,
    /// `po ∪ wr ∪ cf`.
    Convergence,
    /// `hb_o`.
    Local(T),
    /// `po ∪ wr ∪ pww ∪ rw[pww]`.
    Memory,
    /// `π ∪ wr_e ∪ wpww ∪ rw[wpww]`.
    Weak(Order),
}

impl<T> Cyclic<T> {
    /// The relation as the paper writes it.
    pub fn name(&self) -> String {
        match self {
            Cyclic::Causality => "po ∪ wr".to_owned(),
            Cyclic::Stale => "rw[co] ; co".to_owned(),
            Cyclic::Convergence => "po ∪ wr ∪ cf".to_owned(),
            Cyclic::Local(_) => "hb_o".to_owned(),
            Cyclic::Memory => "po ∪ wr ∪ pww ∪ rw[pww]".to_owned(),
            Cyclic::Weak(order) => format!("{} ∪ wr_e ∪ wpww ∪ rw[wpww]", order.name()),
        }
    }
}

/// Why a history does not satisfy a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The criterion.
    pub criterion: Criterion,
    /// What the cycle needs; premises have smaller indices.
    pub facts: Vec<Fact>,
    /// The relation that has the cycle.
    pub relation: Cyclic<OpId>,
    /// The cycle, as facts.
    pub cycle: Vec<usize>,
}

impl Breach {
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
                what: StepOf::Pair {
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
            what: StepOf::Cycle(self.relation.map(name)),
            premises: cite(&self.cycle),
        });
        steps
    }
}

impl<T> Link<T> {
    /// The same with operations named otherwise.
    pub fn map<U>(self, name: impl Fn(T) -> U) -> Link<U> {
        match self {
            Link::Program(order) => Link::Program(order),
            Link::ReadsFrom { external } => Link::ReadsFrom { external },
            Link::Local(order, op) => Link::Local(order, name(op)),
            Link::Conflict { external } => Link::Conflict { external },
            Link::Store { weak } => Link::Store { weak },
            Link::Overwritten => Link::Overwritten,
        }
    }
}

impl<T> Cyclic<T> {
    /// The same with operations named otherwise.
    pub fn map<U>(self, name: impl Fn(T) -> U) -> Cyclic<U> {
        match self {
            Cyclic::Causality => Cyclic::Causality,
            Cyclic::Stale => Cyclic::Stale,
            Cyclic::Convergence => Cyclic::Convergence,
            Cyclic::Local(op) => Cyclic::Local(name(op)),
            Cyclic::Memory => Cyclic::Memory,
            Cyclic::Weak(order) => Cyclic::Weak(order),
        }
    }
}
