//! Checking the steps that refute a criterion, one by one, from the definitions in CAV 2019.
//!
//! `hb_o` is cited by the pairs of its second rule alone. Its first rule admits a pair of `co` only
//! in the past of o; on a path to a read that is o or before it in π there are no others, for
//! what leads to that read, or to the start of a derived pair, is in that past. On a cycle through
//! a derived pair neither.

use history::{Ambiguity, History, OpId, ReadSource, ReadsFrom};
use memory::Model;
use rustc_hash::FxHashMap;

use super::{Rejection, Verified, resolve};
use crate::certificate::{Name, RelationStatement, RelationStep};
use crate::criterion::{Criterion, Cyclic, Link, Order};

type Checked<T> = Result<T, Rejection>;

/// A pair that was established.
#[derive(Clone, Copy)]
struct Pair {
    link: Link<Name>,
    before: Name,
    after: Name,
}

/// The steps as far as they were checked.
pub(super) struct Relations<'h> {
    history: &'h History,
    criterion: Criterion,
    sources: Option<ReadsFrom>,
    pairs: FxHashMap<u32, Pair>,
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
                RelationStatement::Pair { link, before, after, via } => {
                    let pair = Pair { link, before, after };
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
        match (pair.link, via) {
            (Link::Program(order), None) => self.program_order(order, ends),
            (Link::ReadsFrom { external }, None) => self.reads_from(external, ends),
            (Link::Local(order, of), Some(read)) => {
                let known = self.criterion.definition().local.contains(&order);
                self.require(known, "the criterion has no such relation")?;
                let inside = |link| self.is_local(link, order, Some(of));
                self.before_or_equal(order, read, of)?;
                self.conflict(ends, read, premises, inside)
            }
            (Link::Conflict { external }, Some(read)) => {
                self.require(external == self.weak(), "the criterion has no such conflict")?;
                let source = self.source(read)?;
                let known = !external || !self.own_earlier(source, read)?;
                self.require(known, "the read's source is earlier in its thread")?;
                self.conflict_over(ends, read, premises)
            }
            (Link::Store { weak }, None) => {
                self.require(weak == self.weak(), "the criterion has another store order")?;
                self.store(ends, premises)
            }
            (Link::Overwritten, None) => self.overwritten(ends, premises),
            _ => self.unfounded("a read is named where there is none, or none where there is one"),
        }
    }

    fn op(&self, name: Name) -> Checked<OpId> {
        resolve(self.history, name)
            .ok_or_else(|| Rejection::Unknown { step: self.step as usize, name: name.to_string() })
    }

    /// The location of a write, if the name is of one.
    fn written(&self, name: Name) -> Checked<u32> {
        let location = match name {
            Name::Op(..) => {
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
        location.map_or_else(|| self.unfounded("it names no write"), Ok)
    }

    fn other_writes(&self, (a, b): (Name, Name)) -> Checked<()> {
        let same = self.written(a)? == self.written(b)?;
        self.require(same && a != b, "no two writes of one location")
    }

    /// Where an operation reads from; a store-conditional where its load-linked does.
    fn source(&self, name: Name) -> Checked<Name> {
        let reader = self.op(name)?;
        let read = match self.history.kind(reader).reads() {
            true => Some(reader),
            false => self.history.linked_load(reader),
        };
        let source = read.and_then(|read| self.sources.as_ref()?.source(read));
        match (source, self.history.location(reader)) {
            (Some(ReadSource::Write(write)), _) => Ok(Name::of(self.history, write)),
            (Some(ReadSource::Initial), Some(location)) => {
                let address = self.history.locations()[location as usize].address;
                Ok(Name::Initial(address))
            }
            _ => self.unfounded("it does not read, or its source is not known"),
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

    /// Whether a pair that is in program order is in π in its own right.
    fn kept(&self, order: Order, a: Name, b: Name) -> Checked<bool> {
        let second = self.op(b)?;
        Ok(match (order, a) {
            (_, Name::Final(_)) => false,
            (Order::Full, _) => true,
            (Order::Preserved, Name::Initial(_)) => !self.history.kind(second).may_be_forwarded(),
            (Order::Preserved, Name::Op(..)) => {
                Model::TSO.preserves_ops(self.history, self.op(a)?, second)
            }
            (Order::SameLocation, Name::Initial(_)) => {
                self.history.location(second) == Some(self.written(a)?)
            }
            (Order::SameLocation, Name::Op(..)) => {
                let location = self.history.location(self.op(a)?);
                location.is_some() && location == self.history.location(second)
            }
        })
    }

    fn program_order(&self, order: Order, (a, b): (Name, Name)) -> Checked<()> {
        self.require((order != Order::Full) == self.weak(), "the criterion has another order")?;
        let holds = self.own_earlier(a, b)? && self.kept(order, a, b)?;
        self.require(holds, "the order does not have this pair")
    }

    fn reads_from(&self, external: bool, (a, b): (Name, Name)) -> Checked<()> {
        self.require(external == self.weak(), "the criterion has another reads-from")?;
        self.require(self.source(b)? == a, "the read has another source")?;
        let own = external && self.own_earlier(a, b)?;
        self.require(!own, "the source is earlier in the read's own thread")
    }

    /// Whether a read is `of`, or before it in the transitive closure of π.
    fn before_or_equal(&self, order: Order, read: Name, of: Name) -> Checked<()> {
        if read == of {
            return Ok(());
        }
        let mut holds = self.own_earlier(read, of)? && self.kept(order, read, of)?;
        if let (false, Order::Preserved, true) = (holds, order, self.own_earlier(read, of)?) {
            let (first, last) = (self.op(read)?, self.op(of)?);
            let keeps = |a, b| Model::TSO.preserves_ops(self.history, a, b);
            let mut between = (first.0 + 1..last.0).map(OpId);
            holds = between.any(|op| keeps(first, op) && keeps(op, last));
        }
        self.require(holds, "the read is not before that operation")
    }

    /// Whether a relation is part of `co` on π, or of `hb_o` on it: for one o or any.
    fn is_local(&self, link: Link<Name>, order: Order, of: Option<Name>) -> bool {
        match link {
            Link::Program(other) => other == order,
            Link::ReadsFrom { .. } => true,
            Link::Local(other, op) => other == order && of.is_none_or(|of| of == op),
            _ => false,
        }
    }

    fn is_causal(&self, link: Link<Name>) -> bool {
        matches!(link, Link::Program(_) | Link::ReadsFrom { .. })
    }

    /// `cf` over what the criterion puts into its brackets.
    fn conflict_over(&self, ends: (Name, Name), read: Name, premises: &[u32]) -> Checked<()> {
        let definition = self.criterion.definition();
        self.require(definition.has_conflicts, "the criterion has no conflicts")?;
        if !definition.has_store_order {
            return self.conflict(ends, read, premises, |link| self.is_causal(link));
        }
        let over =
            |&order| self.conflict(ends, read, premises, |link| self.is_local(link, order, None));
        let mut all = definition.local.iter().map(over);
        let first = all.next().unwrap_or_else(|| self.unfounded("the criterion has no order"));
        all.fold(first, Result::or)
    }

    /// A path leads from the first write to a read from the second.
    fn conflict(
        &self,
        (a, b): (Name, Name),
        read: Name,
        premises: &[u32],
        allowed: impl Fn(Link<Name>) -> bool,
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
        let happens = |link: Link<Name>| self.is_causal(link) || matches!(link, Link::Local(..));
        let path = self
            .path(premises, happens)
            .or_else(|_| self.path(premises, |link| link.orders_writes()))?;
        self.require(path == ends, "the path does not lead from one to the other")
    }

    fn overwritten(&self, (read, write): (Name, Name), premises: &[u32]) -> Checked<()> {
        let source = self.source(read)?;
        self.other_writes((source, write))?;
        self.require(read != write, "no pair of different operations")?;
        let by_stores = self.criterion.definition().has_store_order;
        let path = self.path(premises, |link| match by_stores {
            true => link.orders_writes(),
            false => self.is_causal(link),
        })?;
        self.require(path == (source, write), "the path does not lead from the source to the write")
    }

    /// Ends of the path that the cited pairs form, all of relations that are allowed.
    fn path(
        &self,
        premises: &[u32],
        allowed: impl Fn(Link<Name>) -> bool,
    ) -> Checked<(Name, Name)> {
        let mut ends: Option<(Name, Name)> = None;
        for number in premises {
            let Some(pair) = self.pairs.get(number) else {
                return self.unfounded("it cites a number that is no pair here");
            };
            self.require(allowed(pair.link), "a cited pair is of another relation")?;
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

    fn cycle(&self, relation: Cyclic<Name>, premises: &[u32]) -> Checked<()> {
        let acyclic = self.criterion.definition().acyclic;
        let wanted = acyclic.contains(&relation.map(|_| ()));
        self.require(wanted, "the criterion says nothing about that relation")?;
        let (start, end) = self.path(premises, |link| self.belongs(relation, link))?;
        self.require(start == end, "the cited pairs do not close a cycle")?;
        let has = |wanted: fn(Link<Name>) -> bool| {
            let cited = premises.iter().filter_map(|number| self.pairs.get(number));
            cited.filter(|pair| wanted(pair.link)).count()
        };
        match relation {
            Cyclic::Stale => {
                self.require(has(|link| link == Link::Overwritten) == 1, "not one pair of rw")
            }
            Cyclic::Local(_) => self
                .require(has(|link| matches!(link, Link::Local(..))) > 0, "no pair that hb_o adds"),
            _ => Ok(()),
        }
    }

    /// Whether pairs of a relation may be on a cycle.
    fn belongs(&self, relation: Cyclic<Name>, link: Link<Name>) -> bool {
        match relation {
            Cyclic::Causality => self.is_causal(link),
            Cyclic::Stale => self.is_causal(link) || link == Link::Overwritten,
            Cyclic::Convergence => self.is_causal(link) || matches!(link, Link::Conflict { .. }),
            Cyclic::Local(of) => self.is_local(link, Order::Full, Some(of)),
            Cyclic::Memory | Cyclic::Weak(_) => match (relation, link) {
                (Cyclic::Weak(order), Link::Program(other)) => order == other,
                _ => self.is_causal(link) || link.orders_writes() || link == Link::Overwritten,
            },
        }
    }
}
