//! [`RelationStatement`]: the steps of a certificate that refutes a criterion, and their text.

use std::fmt;

use super::Name;
use crate::criterion::{BaseOrder, ForbiddenCycle, PairRelation};

/// The statement of a step of a criterion's refutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationStatement {
    /// A pair is in a relation.
    Pair {
        /// The relation.
        relation: PairRelation<Name>,
        /// The first operation of the pair.
        before: Name,
        /// The second operation of the pair.
        after: Name,
        /// The read that justifies the pair, for the relations that need one.
        via: Option<Name>,
    },
    /// The cited pairs are a cycle.
    Cycle(ForbiddenCycle<Name>),
}

impl fmt::Display for RelationStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RelationStatement::Pair { relation, before, after, via } => {
                write!(f, "{relation} {before} {after}")?;
                match via {
                    Some(read) => write!(f, " via {read}"),
                    None => Ok(()),
                }
            }
            RelationStatement::Cycle(cycle) => write!(f, "cycle {}", cycle_word(cycle)),
        }
    }
}

impl<T: fmt::Display> fmt::Display for PairRelation<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PairRelation::Program(order) => f.write_str(order.name()),
            PairRelation::ReadsFrom { external: false } => f.write_str("wr"),
            PairRelation::ReadsFrom { external: true } => f.write_str("wr_e"),
            PairRelation::Local(BaseOrder::Full, op) => write!(f, "hb@{op}"),
            PairRelation::Local(order, op) => write!(f, "hb^{}@{op}", order.name()),
            PairRelation::Conflict { external: false } => f.write_str("cf"),
            PairRelation::Conflict { external: true } => f.write_str("cf_e"),
            PairRelation::Store { weak: false } => f.write_str("pww"),
            PairRelation::Store { weak: true } => f.write_str("wpww"),
            PairRelation::Overwritten => f.write_str("rw"),
        }
    }
}

/// The relation of a cycle as certificates write it, without spaces.
fn cycle_word(cycle: &ForbiddenCycle<Name>) -> String {
    match cycle {
        ForbiddenCycle::Local(op) => format!("hb@{op}"),
        named => named.name().replace(" ∪ ", "|").replace(" ; ", ";"),
    }
}

/// Parses the statement of a step, which is the step without its number and premises.
pub(super) fn parse(text: &str) -> Option<RelationStatement> {
    let mut words = text.split(' ');
    let statement = match words.next()? {
        "cycle" => RelationStatement::Cycle(parse_cycle(words.next()?)?),
        word => RelationStatement::Pair {
            relation: parse_relation(word)?,
            before: Name::parse(words.next()?)?,
            after: Name::parse(words.next()?)?,
            via: match words.next() {
                Some("via") => Some(Name::parse(words.next()?)?),
                Some(_) => return None,
                None => None,
            },
        },
    };
    words.next().is_none().then_some(statement)
}

fn parse_relation(text: &str) -> Option<PairRelation<Name>> {
    Some(match text {
        "po" => PairRelation::Program(BaseOrder::Full),
        "ppo" => PairRelation::Program(BaseOrder::Preserved),
        "po-loc" => PairRelation::Program(BaseOrder::SameLocation),
        "wr" => PairRelation::ReadsFrom { external: false },
        "wr_e" => PairRelation::ReadsFrom { external: true },
        "cf" => PairRelation::Conflict { external: false },
        "cf_e" => PairRelation::Conflict { external: true },
        "pww" => PairRelation::Store { weak: false },
        "wpww" => PairRelation::Store { weak: true },
        "rw" => PairRelation::Overwritten,
        _ => {
            let (relation, op) = text.split_once('@')?;
            let order = match relation {
                "hb" => BaseOrder::Full,
                "hb^ppo" => BaseOrder::Preserved,
                "hb^po-loc" => BaseOrder::SameLocation,
                _ => return None,
            };
            PairRelation::Local(order, Name::parse(op)?)
        }
    })
}

fn parse_cycle(text: &str) -> Option<ForbiddenCycle<Name>> {
    if let Some(op) = text.strip_prefix("hb@") {
        return Some(ForbiddenCycle::Local(Name::parse(op)?));
    }
    let known = [
        ForbiddenCycle::Causality,
        ForbiddenCycle::Stale,
        ForbiddenCycle::Convergence,
        ForbiddenCycle::Memory,
        ForbiddenCycle::Weak(BaseOrder::Preserved),
        ForbiddenCycle::Weak(BaseOrder::SameLocation),
    ];
    known.into_iter().find(|cycle| cycle_word(cycle) == text)
}
