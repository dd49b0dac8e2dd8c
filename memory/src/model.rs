//! [`Model`]: a memory model as data ([`Definition`]), and the preserved program order that follows from it.
//!
//! # Weak fences
//!
//! A weak fence orders the pairs of accesses that its name says; two fences together order nothing that
//! neither orders alone. The models with store buffers keep much of that order anyway. What a fence adds
//! to them ([`Model::fence_effect`]):
//!
//! | fence | one buffer (TSO, IBM 370) | a buffer for each location (PSO) |
//! |---|---|---|
//! | `r,…` | nothing | nothing |
//! | `w,r`, `rw,r` | as a full fence | stores before it precede reads after it |
//! | `w,w`, `rw,w`, `tso` | nothing | stores before it precede writes after it |
//! | `w,rw`, `rw,rw` | as a full fence | as a full fence |
//!
//! # Acquire and release
//!
//! The models with store buffers reorder nothing but a store with later accesses, so an acquire adds nothing by
//! itself. A release follows the stores before it, which a single buffer keeps in order anyway. Only under PSO a
//! release store has to wait until they have reached memory, and a read-modify-write with a release waits for all
//! of them. A release store precedes every later acquire of its thread, whatever their locations, because AArch64
//! orders `STLR` before `LDAR` (but not before `LDAPR`), and RISC-V orders `.rl` before `.aq`, which are RCsc
//! (rule 7 of RVWMO). Such an acquire therefore never reads from a release store that is still in the buffer.

use std::fmt;
use std::hash::{Hash, Hasher};

use history::{History, Kind, OpId};

use crate::execution::Execution;
use crate::fence::FenceEffect;
use crate::label::Label;
use crate::weak::{Instructions, PpoRule};

/// What a read-modify-write waits for under PSO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum PsoRmw {
    /// The pending stores of its thread to its own location (Burnim, Sen & Stergiou 2011, Fig. 3).
    #[default]
    Own,
    /// All pending stores of its thread.
    All,
}

impl PsoRmw {
    /// Every choice.
    pub const ALL: [PsoRmw; 2] = [PsoRmw::Own, PsoRmw::All];

    /// The name on the command line and in certificates.
    pub fn name(self) -> &'static str {
        match self {
            PsoRmw::Own => "own",
            PsoRmw::All => "all",
        }
    }
}

/// How a thread's stores wait before they reach memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Buffering {
    /// A store reaches memory when it executes.
    None,
    /// Each thread has one store buffer, first in, first out.
    InOrder,
    /// Each thread has a first-in first-out store buffer for each location.
    PerLocation,
    /// Loads are reordered, too, so store buffers cannot express the model (see [`crate::weak`]).
    Weak,
}

/// The data that define a memory model.
#[derive(Debug)]
pub struct Definition {
    /// The name on the command line, in JSON and in certificates. Variants of a model share it.
    pub name: &'static str,
    /// The name in running text.
    pub title: &'static str,
    /// Whether the model is one of those that are checked by default.
    pub is_usual: bool,
    /// How stores wait before they reach memory.
    pub buffering: Buffering,
    /// Whether a load may take its value from a pending store of its own thread. If not, it waits until
    /// that store has reached memory.
    pub forwards: bool,
    /// What a read-modify-write waits for, in models with that choice. In the others it waits for all
    /// pending stores of its thread.
    pub rmw: Option<PsoRmw>,
    /// The rules of preserved program order of a weak model; none for the others, where it follows from
    /// the fields above.
    pub ppo_rules: &'static [PpoRule],
    /// Whether a read-modify-write is two events, a read and a later write ([`Model::prepare`]).
    pub splits_atomics: bool,
    /// Whether a load-linked and a store-conditional still exclude the writes of other threads if their
    /// own thread wrote the location in between.
    pub pairs_across_own_writes: bool,
    /// The annotations and fences that random programs have.
    pub instructions: &'static Instructions,
    /// The next stronger models. This model allows every history that they allow.
    pub stronger: &'static [Model],
    /// The next weaker models, unless they already list this one as stronger.
    pub weaker: &'static [Model],
}

/// A memory model.
#[derive(Clone, Copy)]
pub struct Model(&'static Definition);

impl Model {
    /// The model of a definition.
    pub const fn of(definition: &'static Definition) -> Model {
        Model(definition)
    }

    /// The name on the command line and in JSON, such as `tso`.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// What a read-modify-write waits for, if the model has that choice.
    pub fn rmw(self) -> Option<PsoRmw> {
        self.0.rmw
    }

    /// Whether the model is among those that are checked by default.
    pub fn is_usual(self) -> bool {
        self.0.is_usual
    }

    /// Whether every history that `other` allows is allowed by this model.
    pub fn includes(self, other: Model) -> bool {
        let below = |model: &Model| model.includes(other);
        let above = |model: &Model| self.includes(*model);
        self == other || self.0.stronger.iter().any(below) || other.0.weaker.iter().any(above)
    }

    /// How stores wait before they reach memory.
    pub fn buffering(self) -> Buffering {
        self.0.buffering
    }

    /// Whether the model reorders loads, so that it has no operational machine but is defined by
    /// [`Model::ppo_rules`].
    pub fn is_weak(self) -> bool {
        self.0.buffering == Buffering::Weak
    }

    /// The rules of preserved program order, if the model is weak.
    pub fn ppo_rules(self) -> &'static [PpoRule] {
        self.0.ppo_rules
    }

    /// The first rule by which a weak model preserves the order of two accesses of one thread.
    pub fn ppo_rule(self, execution: &Execution<'_>, first: OpId, second: OpId) -> Option<PpoRule> {
        self.0.ppo_rules.iter().copied().find(|rule| rule.holds(execution, first, second))
    }

    /// The annotations and fences of the instruction set, from which random programs choose.
    pub fn instructions(self) -> &'static Instructions {
        self.0.instructions
    }

    /// Whether the ticks of operations decide verdicts.
    pub fn uses_ticks(self) -> bool {
        self.0.ppo_rules.contains(&PpoRule::Ticks)
    }

    /// Whether a read-modify-write is two events, a read and a later write.
    pub fn splits_atomics(self) -> bool {
        self.0.splits_atomics
    }

    /// Whether a load-linked and a store-conditional exclude the writes of other threads even if their own
    /// thread wrote the location in between.
    pub fn pairs_across_own_writes(self) -> bool {
        self.0.pairs_across_own_writes
    }

    /// The load-linked of a store-conditional, if the pair excludes writes of other threads in between.
    pub fn exclusive_load(self, history: &History, op: OpId) -> Option<OpId> {
        if self.0.pairs_across_own_writes {
            history.linked_load_across_writes(op)
        } else {
            history.excluding_load(op)
        }
    }

    /// The digest that identifies a history for this model. It covers everything that decides the verdict.
    pub fn digest(self, history: &History) -> String {
        let history = self.prepare(history);
        if self.uses_ticks() { history.digest_with_ticks() } else { history.digest() }
    }

    /// Whether stores wait in a buffer.
    pub fn buffers(self) -> bool {
        self.0.buffering != Buffering::None
    }

    /// Whether each location has a store buffer of its own.
    pub fn buffers_by_location(self) -> bool {
        self.0.buffering == Buffering::PerLocation
    }

    /// Whether a load may take its value from a pending store of its own thread.
    pub fn forwards(self) -> bool {
        self.0.forwards
    }

    /// The order that a fence adds to what the model preserves without it; `None` for other kinds.
    pub fn fence_effect(self, kind: Kind) -> Option<FenceEffect> {
        match kind {
            Kind::Fence => Some(FenceEffect::Full),
            Kind::WeakFence(weak) => Some(FenceEffect::of(weak, self.0.buffering)),
            _ => None,
        }
    }

    /// Whether an operation waits until the thread's buffers are empty.
    pub fn drains_all(self, label: impl Into<Label>) -> bool {
        let Label { kind, annotation } = label.into();
        let by_itself = match self.0.rmw {
            Some(PsoRmw::Own) => {
                matches!(kind, Kind::Rmw | Kind::SilentRmw) && annotation.releases()
            }
            Some(PsoRmw::All) | None => kind.is_atomic(),
        };
        self.buffers() && (by_itself || self.fence_effect(kind) == Some(FenceEffect::Full))
    }

    /// Whether an operation waits until its thread's stores to its own location have reached memory.
    pub fn drains_own(self, kind: Kind) -> bool {
        self.buffers() && (kind.is_atomic() || (kind.may_be_forwarded() && !self.0.forwards))
    }

    /// Whether the model preserves the order of these two operations of one thread, `first` before
    /// `second`, in its own right. Preserved program order (`ppo`) is the transitive closure.
    pub fn preserves(
        self,
        first: impl Into<Label>,
        second: impl Into<Label>,
        same_location: bool,
    ) -> bool {
        if !self.buffers() {
            return true;
        }
        let (first, second) = (first.into(), second.into());
        let fences = (self.fence_effect(first.kind), self.fence_effect(second.kind));
        match fences {
            (None, None) => self.preserves_accesses(first, second, same_location),
            (Some(fence), None) => fence.precedes(second.kind),
            (None, Some(fence)) => fence.follows(first.kind),
            (Some(first), Some(second)) => first.precedes_fence(second),
        }
    }

    fn preserves_accesses(self, first: Label, second: Label, same_location: bool) -> bool {
        if !first.kind.may_be_buffered() {
            return true;
        }
        let in_buffer_order = second.kind.may_be_buffered()
            && (same_location || !self.buffers_by_location() || second.is_release_store());
        in_buffer_order
            || self.drains_all(second)
            || (same_location && self.drains_own(second.kind))
            || (first.is_release_store() && second.is_ordered_acquire())
    }

    /// [`Model::preserves`] for two operations of a history, `first` earlier in program order.
    pub fn preserves_ops(self, history: &History, first: OpId, second: OpId) -> bool {
        self.preserves(
            Label::of(history, first),
            Label::of(history, second),
            history.location(first) == history.location(second),
        )
    }

    /// Whether the operation's kind alone does not determine what it orders, because it has an annotation that
    /// matters under the model, or is a fence weaker than a full one. An algorithm that looks at kinds
    /// only, and takes every fence for a full one, cannot decide a history with such an operation. Always `false`
    /// for SC.
    pub fn refines(self, label: Label) -> bool {
        let is_refined = matches!(label.kind, Kind::WeakFence(_))
            || label.is_release_store()
            || self.drains_all(label) != self.drains_all(label.kind);
        self.buffers() && is_refined
    }

    /// Whether [`Model::refines`] holds for some operation. Cost: linear.
    pub fn has_refined(self, history: &History) -> bool {
        self.buffers() && history.ops().any(|op| self.refines(Label::of(history, op)))
    }

    /// The first operation, by trace line, for which [`Model::refines`] holds. Cost: linear.
    pub fn first_refined(self, history: &History) -> Option<OpId> {
        if !self.buffers() {
            return None;
        }
        let refined = |&op: &OpId| self.refines(Label::of(history, op));
        let ops = history.ops().filter(refined);
        ops.min_by_key(|&op| (history.line(op), op))
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.title)
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.title)
    }
}

impl PartialEq for Model {
    fn eq(&self, other: &Model) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Model {}

impl Hash for Model {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}
