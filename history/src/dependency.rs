//! Syntactic dependencies between the operations of a thread.
//!
//! Models that reorder loads use them: RVWMO (rules 9 to 13) and Armv8 (dependency-ordered-before) preserve the order
//! of a load and the operations that depend on the value it returned. Where the input does not state dependencies, a
//! history has none.

use serde::{Deserialize, Serialize};

use crate::kind::Kind;
use crate::operation::OpId;

/// The part of an operation that depends on an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DependencyKind {
    /// The address that the operation accesses.
    Address,
    /// The value that the operation writes.
    Data,
    /// Whether the operation is executed: a branch between the two operations depends on the earlier one. Every later
    /// operation of the thread depends on it in the same way, so only the first operation after the branch, which may
    /// be a fence, records it.
    Control,
    /// Which of several values the operation writes: a choice between values, such as AArch64's `CSEL`, depends on the
    /// earlier one. Unlike a branch, the choice affects this operation alone.
    Choice,
}

impl DependencyKind {
    /// Every kind, in ascending order.
    pub const ALL: [DependencyKind; 4] = [
        DependencyKind::Address,
        DependencyKind::Data,
        DependencyKind::Control,
        DependencyKind::Choice,
    ];

    /// Whether an operation of a kind may depend on itself in this way: a read-modify-write whose written value is
    /// computed from the value that it reads, as by AArch64's `LDADD` ([`DependencyKind::Data`]), or written only if
    /// that value is the expected one, as by `CAS` ([`DependencyKind::Choice`]). An exchange does not.
    pub fn may_be_own(self, kind: Kind) -> bool {
        matches!(self, DependencyKind::Data | DependencyKind::Choice)
            && matches!(kind, Kind::Rmw | Kind::SilentRmw)
    }

    /// The name used in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            DependencyKind::Address => "address",
            DependencyKind::Data => "data",
            DependencyKind::Control => "control",
            DependencyKind::Choice => "choice",
        }
    }

    /// The kind of that name, if there is one.
    pub fn from_name(name: &str) -> Option<DependencyKind> {
        DependencyKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Dependencies as text, such as `address:3 data:4`: the part that depends, and the index of the earlier operation in
/// its thread.
pub fn dependencies_as_text(dependencies: &[(DependencyKind, u32)]) -> String {
    let words = dependencies.iter().map(|(kind, on)| format!("{}:{on}", kind.name()));
    words.collect::<Vec<_>>().join(" ")
}

/// Parses a word such as `address:3`; `None` if it states no dependency.
pub fn dependency_from_text(word: &str) -> Option<(DependencyKind, u32)> {
    let (kind, on) = word.split_once(':')?;
    Some((DependencyKind::from_name(kind)?, on.parse().ok()?))
}

/// A dependency of an operation on an earlier one of its thread that returns a value: a read, or a
/// store-conditional, which returns whether it succeeded. A read-modify-write may also depend on itself
/// ([`DependencyKind::may_be_own`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dependency {
    /// The operation that depends.
    pub op: OpId,
    /// The part of `op` that depends.
    pub kind: DependencyKind,
    /// The earlier operation.
    pub on: OpId,
}

/// The dependencies of a history, in ascending order. Memory: 12 bytes each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dependencies(Vec<Dependency>);

impl Dependencies {
    /// Sorts the dependencies and drops duplicates.
    pub(crate) fn new(mut all: Vec<Dependency>) -> Dependencies {
        all.sort_unstable();
        all.dedup();
        Dependencies(all)
    }

    /// All dependencies, by operation.
    pub(crate) fn all(&self) -> &[Dependency] {
        &self.0
    }

    /// The dependencies of one operation. Cost: logarithmic.
    pub(crate) fn of(&self, op: OpId) -> &[Dependency] {
        let start = self.0.partition_point(|it| it.op < op);
        let rest = &self.0[start..];
        &rest[..rest.partition_point(|it| it.op == op)]
    }

    /// The dependencies between the operations that `kept` keeps, with their new numbers. A control dependency is
    /// recorded at the first kept operation after the branch.
    ///
    /// `kept` returns the new number of an operation, and `next` that of the first kept operation at or after an
    /// operation in its thread.
    pub(crate) fn restrict(
        &self,
        kept: impl Fn(OpId) -> Option<OpId>,
        next: impl Fn(OpId) -> Option<OpId>,
    ) -> Dependencies {
        let moved = self.0.iter().filter_map(|it| {
            let op = match it.kind {
                DependencyKind::Control => next(it.op)?,
                _ => kept(it.op)?,
            };
            Some(Dependency { op, kind: it.kind, on: kept(it.on)? })
        });
        Dependencies::new(moved.collect())
    }
}
