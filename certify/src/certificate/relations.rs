//! The steps of a certificate about a criterion that is weaker than a model.

use std::fmt;

use super::Name;
use super::read::name;
use crate::criterion::{Cyclic, Link, Order};

/// What a step of a refutation of a criterion says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationStatement {
    /// A pair of a relation.
    Pair {
        /// The relation.
        link: Link<Name>,
        /// The first of the pair.
        before: Name,
        /// The second.
        after: Name,
        /// The read that the rule goes by.
        via: Option<Name>,
    },
    /// A cycle in a relation.
    Cycle(Cyclic<Name>),
}

impl fmt::Display for RelationStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RelationStatement::Pair { link, before, after, via } => {
                write!(f, "{link} {before} {after}")?;
                match via {
                    Some(read) => write!(f, " via {read}"),
                    None => Ok(()),
                }
            }
            RelationStatement::Cycle(relation) => write!(f, "cycle {}", mark(relation)),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Link<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Link::Program(order) => f.write_str(order.name()),
            Link::ReadsFrom { external: false } => f.write_str("wr"),
            Link::ReadsFrom { external: true } => f.write_str("wr_e"),
            Link::Local(Order::Full, op) => write!(f, "hb@{op}"),
            Link::Local(order, op) => write!(f, "hb^{}@{op}", order.name()),
            Link::Conflict { external: false } => f.write_str("cf"),
            Link::Conflict { external: true } => f.write_str("cf_e"),
            Link::Store { weak: false } => f.write_str("pww"),
            Link::Store { weak: true } => f.write_str("wpww"),
            Link::Overwritten => f.write_str("rw"),
        }
    }
}

/// The relation as certificates write it, without spaces.
fn mark(relation: &Cyclic<Name>) -> String {
    match relation {
        Cyclic::Local(op) => format!("hb@{op}"),
        named => named.name().replace(" ∪ ", "|").replace(" ; ", ";"),
    }
}

/// Reads what a step says.
pub(super) fn parse(text: &str) -> Option<RelationStatement> {
    let mut words = text.split(' ');
    let statement = match words.next()? {
        "cycle" => RelationStatement::Cycle(cyclic(words.next()?)?),
        relation => RelationStatement::Pair {
            link: link(relation)?,
            before: name(words.next()?)?,
            after: name(words.next()?)?,
            via: match words.next() {
                Some("via") => Some(name(words.next()?)?),
                Some(_) => return None,
                None => None,
            },
        },
    };
    words.next().is_none().then_some(statement)
}

fn link(text: &str) -> Option<Link<Name>> {
    Some(match text {
        "po" => Link::Program(Order::Full),
        "ppo" => Link::Program(Order::Preserved),
        "po-loc" => Link::Program(Order::SameLocation),
        "wr" => Link::ReadsFrom { external: false },
        "wr_e" => Link::ReadsFrom { external: true },
        "cf" => Link::Conflict { external: false },
        "cf_e" => Link::Conflict { external: true },
        "pww" => Link::Store { weak: false },
        "wpww" => Link::Store { weak: true },
        "rw" => Link::Overwritten,
        _ => {
            let (relation, op) = text.split_once('@')?;
            let order = match relation {
                "hb" => Order::Full,
                "hb^ppo" => Order::Preserved,
                "hb^po-loc" => Order::SameLocation,
                _ => return None,
            };
            Link::Local(order, name(op)?)
        }
    })
}

fn cyclic(text: &str) -> Option<Cyclic<Name>> {
    if let Some(op) = text.strip_prefix("hb@") {
        return Some(Cyclic::Local(name(op)?));
    }
    let known = [
        Cyclic::Causality,
        Cyclic::Stale,
        Cyclic::Convergence,
        Cyclic::Memory,
        Cyclic::Weak(Order::Preserved),
        Cyclic::Weak(Order::SameLocation),
    ];
    known.into_iter().find(|relation| mark(relation) == text)
}
