//! The memory models: which program order memory must keep, and whether loads may be served from
//! their own thread's pending stores.
//!
//! # Weak fences
//!
//! A fence orders what it says and nothing by way of other fences. Under TSO and PSO that adds
//! ([`Model::fence_effect`]):
//!
//! | fence | TSO | PSO |
//! |---|---|---|
//! | `r,…` | nothing | nothing |
//! | `w,r`, `rw,r` | as a full fence | stores before it precede reads after it |
//! | `w,w`, `rw,w`, `tso` | nothing | stores before it precede writes after it |
//! | `w,rw`, `rw,rw` | as a full fence | as a full fence |
//!
//! # Acquire and release
//!
//! TSO and PSO keep all program order but that of stores, so an acquire adds nothing by itself. A
//! release follows the stores before it, which TSO keeps anyway: under PSO a release store reaches
//! memory after them, and a read-modify-write with a release waits for all of them. A release store
//! precedes a later acquire of its thread in program order, wherever both read or write: AArch64 says
//! so of `STLR` and `LDAR` but not of `LDAPR`, RISC-V (rule 7 of RVWMO) of its `.rl` and `.aq`, which
//! are RCsc. Nothing is read from a store buffer across that.

use std::fmt;

use history::{Annotation, History, Kind, OpId};

/// What a read-modify-write waits for under PSO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum PsoRmw {
    /// Its thread's pending stores to its own location (Burnim, Sen & Stergiou 2011, Fig. 3).
    #[default]
    Own,
    /// All of its thread's pending stores.
    All,
}

impl PsoRmw {
    /// The name on the command line and in certificates.
    pub fn name(self) -> &'static str {
        match self {
            PsoRmw::Own => "own",
            PsoRmw::All => "all",
        }
    }
}

/// A memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// Sequential consistency.
    Sc,
    /// Total store order.
    Tso,
    /// Partial store order.
    Pso(PsoRmw),
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Model::Sc => "SC",
            Model::Tso => "TSO",
            Model::Pso(PsoRmw::Own) => "PSO",
            Model::Pso(PsoRmw::All) => "PSO (rmw drains all)",
        })
    }
}

impl Model {
    /// The name on the command line and in JSON: `sc`, `tso` or `pso`.
    pub fn name(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso(_) => "pso",
        }
    }

    /// The model of that name; for PSO, `rmw` says what a read-modify-write waits for.
    pub fn from_name(name: &str, rmw: PsoRmw) -> Option<Model> {
        match name {
            "sc" => Some(Model::Sc),
            "tso" => Some(Model::Tso),
            "pso" => Some(Model::Pso(rmw)),
            _ => None,
        }
    }

    /// The same model with this choice of what a read-modify-write waits for, which matters under PSO alone.
    pub fn with_rmw(self, rmw: PsoRmw) -> Model {
        match self {
            Model::Sc | Model::Tso => self,
            Model::Pso(_) => Model::Pso(rmw),
        }
    }

    /// Whether plain stores wait in a buffer that serves their own thread's plain loads.
    pub fn buffers(self) -> bool {
        self != Model::Sc
    }

    /// What a fence orders that the model does not keep anyway; `None` for what is no fence.
    pub fn fence_effect(self, kind: Kind) -> Option<FenceEffect> {
        let weak = match kind {
            Kind::Fence => return Some(FenceEffect::Full),
            Kind::WeakFence(weak) => weak,
            _ => return None,
        };
        Some(match self {
            Model::Sc => FenceEffect::Nothing,
            Model::Tso if weak.orders_store_load() => FenceEffect::Full,
            Model::Tso => FenceEffect::Nothing,
            Model::Pso(_) => match (weak.orders_store_load(), weak.orders_store_store()) {
                (true, true) => FenceEffect::Full,
                (true, false) => FenceEffect::StoreLoad,
                (false, true) => FenceEffect::StoreStore,
                (false, false) => FenceEffect::Nothing,
            },
        })
    }

    /// Whether an operation waits until the thread's buffers are empty.
    pub fn drains_all(self, label: impl Into<Label>) -> bool {
        let Label { kind, annotation } = label.into();
        let is_full_fence = self.fence_effect(kind) == Some(FenceEffect::Full);
        match self {
            Model::Sc => false,
            Model::Tso | Model::Pso(PsoRmw::All) => is_full_fence || kind.is_atomic(),
            Model::Pso(PsoRmw::Own) => {
                is_full_fence || (kind == Kind::Rmw && annotation.releases())
            }
        }
    }

    /// Whether memory order keeps this pair of one thread, `first` before `second`, in its own
    /// right. The model's `ppo` is the transitive closure of these pairs.
    pub fn preserves(
        self,
        first: impl Into<Label>,
        second: impl Into<Label>,
        same_location: bool,
    ) -> bool {
        if self == Model::Sc {
            return true;
        }
        let (first, second) = (first.into(), second.into());
        let fences = (
            self.fence_effect(first.kind),
            self.fence_effect(second.kind),
        );
        match fences {
            (None, None) => self.preserves_accesses(first, second, same_location),
            (Some(fence), None) => fence.precedes(second.kind),
            (None, Some(fence)) => fence.follows(first.kind),
            (Some(first), Some(second)) => first.precedes_fence(second),
        }
    }

    fn preserves_accesses(self, first: Label, second: Label, same_location: bool) -> bool {
        if !first.kind.is_plain_store() {
            return true;
        }
        let is_plain_load = second.kind.is_plain_load();
        let kept = match self {
            Model::Sc => true,
            Model::Tso => !is_plain_load,
            Model::Pso(_) => {
                self.drains_all(second)
                    || second.is_release_store()
                    || (same_location && !is_plain_load)
            }
        };
        kept || (first.is_release_store() && second.is_ordered_acquire())
    }

    /// [`Model::preserves`] for two operations of a history, `first` earlier in program order.
    pub fn preserves_ops(self, history: &History, first: OpId, second: OpId) -> bool {
        self.preserves(
            Label::of(history, first),
            Label::of(history, second),
            history.location(first) == history.location(second),
        )
    }

    /// Whether the model orders more or less by this operation than by one of its kind without an
    /// annotation, or than by a full fence. What looks at kinds alone and takes every fence for a
    /// full one cannot judge such an operation.
    pub fn refines(self, label: Label) -> bool {
        match self {
            Model::Sc => false,
            _ if matches!(label.kind, Kind::WeakFence(_)) => true,
            Model::Pso(PsoRmw::Own) if self.drains_all(label) => !self.drains_all(label.kind),
            _ => label.is_release_store(),
        }
    }

    /// The first operation, by trace line, that the model [refines](Model::refines). Cost: linear.
    pub fn first_refined(self, history: &History) -> Option<OpId> {
        if self == Model::Sc {
            return None;
        }
        let refined = |&op: &OpId| self.refines(Label::of(history, op));
        let ops = history.ops().filter(refined);
        ops.min_by_key(|&op| (history.line(op), op))
    }
}

/// What of an operation the models look at, besides its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    /// Its kind.
    pub kind: Kind,
    /// Its acquire or release annotation.
    pub annotation: Annotation,
}

impl Label {
    /// The label of an operation.
    pub fn of(history: &History, op: OpId) -> Label {
        Label {
            kind: history.kind(op),
            annotation: history.annotation(op),
        }
    }

    /// A plain store with a release.
    pub fn is_release_store(self) -> bool {
        self.kind.is_plain_store() && self.annotation.releases()
    }

    /// A read that earlier releases of its thread precede.
    pub fn is_ordered_acquire(self) -> bool {
        self.kind.reads() && self.annotation.acquires_in_order()
    }
}

/// The label without an annotation.
impl From<Kind> for Label {
    fn from(kind: Kind) -> Label {
        Label {
            kind,
            annotation: Annotation::None,
        }
    }
}

/// What a fence orders under a model that the model does not keep anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenceEffect {
    /// Nothing.
    Nothing,
    /// Stores before it precede reads after it.
    StoreLoad,
    /// Stores before it precede writes after it.
    StoreStore,
    /// All before it precedes all after it.
    Full,
}

impl FenceEffect {
    /// Whether memory order can have the fence before an access that follows it. This and
    /// [`FenceEffect::follows`] give accesses no order, by way of the fence, that they do not have
    /// in their own right.
    fn precedes(self, access: Kind) -> bool {
        match self {
            FenceEffect::Nothing => false,
            FenceEffect::StoreLoad => access.reads(),
            FenceEffect::StoreStore => access.writes(),
            FenceEffect::Full => true,
        }
    }

    /// Whether memory order can have the fence after an access that precedes it.
    fn follows(self, access: Kind) -> bool {
        match self {
            FenceEffect::Nothing => false,
            FenceEffect::StoreLoad | FenceEffect::Full => true,
            FenceEffect::StoreStore => access.writes(),
        }
    }

    /// Whether memory order can have the fence before a later one. One that orders writes and one
    /// that orders reads must not order together what neither orders.
    fn precedes_fence(self, later: FenceEffect) -> bool {
        let fences = [self, later];
        !fences.contains(&FenceEffect::Nothing)
            && (self == later || fences.contains(&FenceEffect::Full))
    }
}
