//! [`Relations`]: checks the steps that refute a criterion, one by one, from the definitions in CAV 2019.
//!
//! Only the pairs that the second rule of `hb_o` derives are steps of their own. The first rule of the definition
//! admits pairs of causality in the past of o. Here paths may use any pair of causality: an operation from which a
//! path leads to o, to a read before o in π, or to the start of a derived pair is in the past of o anyway. The same
//! holds for a cycle through a derived pair.

use history::{Ambiguity, History, OpId, ReadSource, ReadsFrom};
use memory::Model;
use rustc_hash::FxHashMap;

use super::{Rejection, Verified};
use crate::certificate::{Name, RelationStatement, RelationStep};
use crate::criterion::{BaseOrder, Criterion, ForbiddenCycle, PairRelation};

type Checked<T> = Result<T, Rejection>;

/// A pair that a checked step established.
#[derive(Clone, Copy)]
struct Pair {
    relation: PairRelation<Name>,
    before: Name,
    after: Name,
}

/// The checker of a criterion's refutation.
pub(super) struct Relations<'h> {
    history: &'h History,
    criterion: Criterion,
    sources: Option<ReadsFrom>,
    /// The pairs established so far, by the numbers of their steps.
    pairs: FxHashMap<u32, Pair>,
    /// Number of the step that is being checked.
    step: u32,
}

impl<'h> Relations<'h> {
    pub(super) fn new(history: &'h History, criterion: Criterion) -> Relations<'h> {
        Relations {
            history,
            criterion,
            sources: ReadsFrom::derive(history, Ambiguity::Keep).ok(),
            pairs: FxHashMap::default(),
            step: 0,
        }
    }

    /// Checks every step, up to the cycle that ends them.
    pub(super) fn check(mut self, steps: &[RelationStep]) -> Checked<Verified> {
        for (at, step) in steps.iter().enumerate() {
            self.require(step.number > self.step, "numbers must ascend")?;
            self.step = step.number;
            match step.statement {
                RelationStatement::Pair { relation, before, after, via } => {
                    let pair = Pair { relation, before, after };
                    self.pair(pair, via, &step.premises)?;
                    self.pairs.insert(step.number, pair);
                }
                RelationStatement::Cycle(relation) => {
                    self.cycle(relation, &step.premises)?;
                    if at + 1 < steps.len() {
                        return Err(Rejection::Leftover(step.number));
                    }
                    return Ok(Verified::CriterionViolation {
                        criterion: self.criterion,
                        steps: steps.len(),
                    });
                }
            }
        }
        Err(Rejection::Inconclusive)
    }

    fn unfounded<T>(&self, why: &'static str) -> Checked<T> {
        Err(Rejection::Unfounded { step: self.step, why })
    }

    fn require(&self, holds: bool, why: &'static str) -> Checked<()> {
        if holds { Ok(()) } else { self.unfounded(why) }
    }

    fn weak(&self) -> bool {
        self.criterion.definition().is_weak
    }

    fn pair(&self, pair: Pair, via: Option<Name>, premises: &[u32]) -> Checked<()> {
        let ends = (pair.before, pair.after);
        match (pair.relation, via) {
            (PairRelation::Program(order), None) => self.program_order(order, ends),
            (PairRelation::ReadsFrom { external }, None) => self.reads_from(external, ends),
            (PairRelation::Local(order, of), Some(read)) => {
                let known = self.criterion.definition().local.contains(&order);
                self.require(known, "the criterion has no such relation")?;
                let inside = |relation| self.is_local(relation, order, Some(of));
                self.before_or_equal(order, read, of)?;
                self.conflict(ends, read, premises, inside)
            }
            (PairRelation::Conflict { external }, Some(read)) => {
                self.require(external == self.weak(), "the criterion has no such conflict")?;
                let source = self.source(read)?;
                let known = !external || !self.own_earlier(source, read)?;
                self.require(known, "the read's source is earlier in its thread")?;
                self.conflict_over(ends, read, premises)
            }
            (PairRelation::Store { weak }, None) => {
                self.require(weak == self.weak(), "this store order is not that of the criterion")?;
                self.store(ends, premises)
            }
            (PairRelation::Overwritten, None) => self.overwritten(ends, premises),
            _ => self.unfounded("the relation needs a read after `via`, or must have none"),
        }
    }

    fn op(&self, name: Name) -> Checked<OpId> {
        name.operation(self.history)
            .ok_or_else(|| Rejection::Unknown { step: self.step as usize, name: name.to_string() })
    }

    /// The location of a write. Rejects a name that is not that of a write.
    fn written(&self, name: Name) -> Checked<u32> {
        let location = match name {
            Name::Op(..) | Name::Part(..) => {
                let op = self.op(name)?;
                let writes = self.history.kind(op).writes();
                self.history.location(op).filter(|_| writes)
            }
            Name::Initial(address) => {
                let locations = self.history.locations();
                let here = |location: &history::Location| location.address == address;
                locations.iter().position(here).map(|at| at as u32)
            }
            Name::Final(_) => None,
        };
        location.map_or_else(|| self.unfounded("an operation that must be a write is none"), Ok)
    }

    fn other_writes(&self, (a, b): (Name, Name)) -> Checked<()> {
        let same = self.written(a)? == self.written(b)?;
        self.require(same && a != b, "the operations are not two writes of one location")
    }

    /// The write that an operation reads from; for a store-conditional, the source of its load-linked.
    fn source(&self, name: Name) -> Checked<Name> {
        let reader = self.op(name)?;
        let read = self.history.observing_read(reader);
        let source = read.and_then(|read| self.sources.as_ref()?.source(read));
        match (source, self.history.location(reader)) {
            (Some(ReadSource::Write(write)), _) => Ok(Name::of(self.history, write)),
            (Some(ReadSource::Initial), Some(location)) => {
                let address = self.history.locations()[location as usize].address;
                Ok(Name::Initial(address))
            }
            _ => self.unfounded("the operation does not read, or its source is not known"),
        }
    }

    /// Whether `a` is program-order before `b`.
    fn own_earlier(&self, a: Name, b: Name) -> Checked<bool> {
        let second = self.op(b)?;
        if matches!(a, Name::Initial(_)) {
            self.written(a)?;
            return Ok(true);
        }
        let first = self.op(a)?;
        let same = self.history.thread_of(first) == self.history.thread_of(second);
        Ok(same && first < second)
    }

    /// Whether a pair that is in program order is in π in its own right, not only by transitivity.
    fn is_direct_pair(&self, order: BaseOrder, a: Name, b: Name) -> Checked<bool> {
        let second = self.op(b)?;
        Ok(match (order, a) {
            (_, Name::Final(_)) => false,
            (BaseOrder::Full, _) => true,
            (BaseOrder::Preserved, Name::Initial(_)) => {
                !self.history.kind(second).may_be_forwarded()
            }
            (BaseOrder::Preserved, Name::Op(..) | Name::Part(..)) => {
                Model::TSO.preserves_ops(self.history, self.op(a)?, second)
            }
            (BaseOrder::SameLocation, Name::Initial(_)) => {
                self.history.location(second) == Some(self.written(a)?)
            }
            (BaseOrder::SameLocation, Name::Op(..) | Name::Part(..)) => {
                let location = self.history.location(self.op(a)?);
                location.is_some() && location == self.history.location(second)
            }
        })
    }

    fn program_order(&self, order: BaseOrder, (a, b): (Name, Name)) -> Checked<()> {
        self.require(
            (order != BaseOrder::Full) == self.weak(),
            "this program order is not that of the criterion",
        )?;
        let holds = self.own_earlier(a, b)? && self.is_direct_pair(order, a, b)?;
        self.require(holds, "the pair is not in this order")
    }

    fn reads_from(&self, external: bool, (a, b): (Name, Name)) -> Checked<()> {
        self.require(external == self.weak(), "this reads-from is not that of the criterion")?;
        self.require(self.source(b)? == a, "the read has another source")?;
        let own = external && self.own_earlier(a, b)?;
        self.require(!own, "the source is earlier in the read's own thread")
    }

    /// Checks that a read is `of`, or before it in the transitive closure of π.
    fn before_or_equal(&self, order: BaseOrder, read: Name, of: Name) -> Checked<()> {
        if read == of {
            return Ok(());
        }
        let is_earlier = self.own_earlier(read, of)?;
        let mut holds = is_earlier && self.is_direct_pair(order, read, of)?;
        if is_earlier && !holds && order == BaseOrder::Preserved {
            // The order may come from an operation in between, such as a fence.
            let (first, last) = (self.op(read)?, self.op(of)?);
            let keeps = |a, b| Model::TSO.preserves_ops(self.history, a, b);
            let mut between = (first.0 + 1..last.0).map(OpId);
            holds = between.any(|op| keeps(first, op) && keeps(op, last));
        }
        self.require(holds, "the read is not before that operation")
    }

    /// Whether a relation is part of causality over π, or of `hb^π_o`. The operation o is `of`, or any operation if
    /// `of` is `None`.
    fn is_local(&self, relation: PairRelation<Name>, order: BaseOrder, of: Option<Name>) -> bool {
        match relation {
            PairRelation::Program(other) => other == order,
            PairRelation::ReadsFrom { .. } => true,
            PairRelation::Local(other, op) => other == order && of.is_none_or(|of| of == op),
            _ => false,
        }
    }

    /// Whether a relation is part of causality.
    fn is_causal(&self, relation: PairRelation<Name>) -> bool {
        matches!(relation, PairRelation::Program(_) | PairRelation::ReadsFrom { .. })
    }

    /// Checks a pair of `cf`, over the relation that the criterion defines `cf` over.
    fn conflict_over(&self, ends: (Name, Name), read: Name, premises: &[u32]) -> Checked<()> {
        let definition = self.criterion.definition();
        self.require(definition.has_conflicts, "the criterion has no conflicts")?;
        if !definition.has_store_order {
            return self.conflict(ends, read, premises, |relation| self.is_causal(relation));
        }
        let over = |&order| {
            self.conflict(ends, read, premises, |relation| self.is_local(relation, order, None))
        };
        let mut all = definition.local.iter().map(over);
        let first = all.next().unwrap_or_else(|| self.unfounded("the criterion has no order"));
        all.fold(first, Result::or)
    }

    /// Checks that the cited pairs, all of allowed relations, are a path from the first write to a read from the
    /// second.
    fn conflict(
        &self,
        (a, b): (Name, Name),
        read: Name,
        premises: &[u32],
        allowed: impl Fn(PairRelation<Name>) -> bool,
    ) -> Checked<()> {
        self.other_writes((a, b))?;
        self.require(self.source(read)? == b, "the read has another source")?;
        let ends = self.path(premises, allowed)?;
        self.require(
            ends == (a, read) && a != read,
            "the path does not lead from the write to the read",
        )
    }

    fn store(&self, ends: (Name, Name), premises: &[u32]) -> Checked<()> {
        let known = self.criterion.definition().has_store_order;
        self.require(known, "the criterion has no store order")?;
        self.other_writes(ends)?;
        let happens = |relation: PairRelation<Name>| {
            self.is_causal(relation) || matches!(relation, PairRelation::Local(..))
        };
        let path = self
            .path(premises, happens)
            .or_else(|_| self.path(premises, |relation| relation.orders_writes()))?;
        self.require(path == ends, "the path does not lead from the first write to the second")
    }

    fn overwritten(&self, (read, write): (Name, Name), premises: &[u32]) -> Checked<()> {
        let source = self.source(read)?;
        self.other_writes((source, write))?;
        self.require(read != write, "the pair is of one operation")?;
        let by_stores = self.criterion.definition().has_store_order;
        let path = self.path(premises, |relation| {
            if by_stores { relation.orders_writes() } else { self.is_causal(relation) }
        })?;
        self.require(path == (source, write), "the path does not lead from the source to the write")
    }

    /// The two ends of the path that the cited pairs form, all of them of allowed relations.
    fn path(
        &self,
        premises: &[u32],
        allowed: impl Fn(PairRelation<Name>) -> bool,
    ) -> Checked<(Name, Name)> {
        let mut ends: Option<(Name, Name)> = None;
        for number in premises {
            let Some(pair) = self.pairs.get(number) else {
                return self.unfounded("it cites a number that no earlier pair has");
            };
            self.require(allowed(pair.relation), "a cited pair is of another relation")?;
            let start = match ends {
                None => pair.before,
                Some((start, end)) => {
                    self.require(end == pair.before, "the cited pairs are no path")?;
                    start
                }
            };
            ends = Some((start, pair.after));
        }
        ends.map_or_else(|| self.unfounded("it cites no pair"), Ok)
    }

    fn cycle(&self, cycle: ForbiddenCycle<Name>, premises: &[u32]) -> Checked<()> {
        let acyclic = self.criterion.definition().acyclic;
        let is_forbidden = acyclic.contains(&cycle.map(|_| ()));
        self.require(is_forbidden, "the criterion does not forbid cycles of this relation")?;
        let (start, end) = self.path(premises, |relation| self.may_be_on(cycle, relation))?;
        self.require(start == end, "the cited pairs do not close a cycle")?;
        let count = |counts: fn(PairRelation<Name>) -> bool| {
            let cited = premises.iter().filter_map(|number| self.pairs.get(number));
            cited.filter(|pair| counts(pair.relation)).count()
        };
        match cycle {
            ForbiddenCycle::Stale => {
                let overwritten = count(|relation| relation == PairRelation::Overwritten);
                self.require(overwritten == 1, "the cycle must have exactly one pair of rw")
            }
            ForbiddenCycle::Local(_) => {
                let derived = count(|relation| matches!(relation, PairRelation::Local(..)));
                self.require(derived > 0, "the cycle has no pair that hb_o adds")
            }
            _ => Ok(()),
        }
    }

    /// Whether pairs of a relation may be on a cycle of this kind.
    fn may_be_on(&self, cycle: ForbiddenCycle<Name>, relation: PairRelation<Name>) -> bool {
        let is_overwritten = relation == PairRelation::Overwritten;
        match cycle {
            ForbiddenCycle::Causality => self.is_causal(relation),
            ForbiddenCycle::Stale => self.is_causal(relation) || is_overwritten,
            ForbiddenCycle::Convergence => {
                self.is_causal(relation) || matches!(relation, PairRelation::Conflict { .. })
            }
            ForbiddenCycle::Local(of) => self.is_local(relation, BaseOrder::Full, Some(of)),
            ForbiddenCycle::Memory | ForbiddenCycle::Weak(_) => match (cycle, relation) {
                (ForbiddenCycle::Weak(order), PairRelation::Program(other)) => order == other,
                _ => self.is_causal(relation) || relation.orders_writes() || is_overwritten,
            },
        }
    }
}
