//! The consistency criteria of CAV 2019 that are weaker than SC or TSO, and the relations that their
//! refutations use.

use memory::Model;

/// The parts of a criterion's definition that the check of refutations needs.
pub(crate) struct Definition {
    name: &'static str,
    weakest_model: Model,
    /// Whether the criterion allows store buffers: its relations are then `wr_e`, `cf_e` and `wpww` in
    /// place of `wr`, `cf` and `pww`.
    pub(crate) is_weak: bool,
    /// The orders π for which the criterion defines an `hb^π_o`.
    pub(crate) local: &'static [BaseOrder],
    /// Whether the criterion defines a `cf`.
    pub(crate) has_conflicts: bool,
    /// Whether the criterion defines a partial store order. If it does, `cf` is over `hb^π_o`, else over
    /// `co`.
    pub(crate) has_store_order: bool,
    /// The relations that must be acyclic, or irreflexive.
    pub(crate) acyclic: &'static [ForbiddenCycle<()>],
}

macro_rules! criteria {
    ($(#[doc = $title:literal] $variant:ident = $definition:expr;)*) => {
        /// A criterion of CAV 2019, sections 3 and 4.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Criterion {
            $(#[doc = $title] $variant,)*
        }

        const DEFINITIONS: &[Definition] = &[$($definition,)*];

        impl Criterion {
            /// All criteria.
            pub const ALL: [Criterion; DEFINITIONS.len()] = [$(Criterion::$variant,)*];
        }
    };
}

criteria! {
    /// Causal consistency.
    Cc = Definition {
        name: "cc",
        weakest_model: Model::TSO,
        is_weak: false,
        local: &[],
        has_conflicts: false,
        has_store_order: false,
        acyclic: &[ForbiddenCycle::Causality, ForbiddenCycle::Stale],
    };
    /// Causal convergence.
    Ccv = Definition {
        name: "ccv",
        weakest_model: Model::TSO,
        is_weak: false,
        local: &[],
        has_conflicts: true,
        has_store_order: false,
        acyclic: &[ForbiddenCycle::Causality, ForbiddenCycle::Stale, ForbiddenCycle::Convergence],
    };
    /// Causal memory.
    Cm = Definition {
        name: "cm",
        weakest_model: Model::SC,
        is_weak: false,
        local: &[BaseOrder::Full],
        has_conflicts: false,
        has_store_order: false,
        acyclic: &[ForbiddenCycle::Causality, ForbiddenCycle::Stale, ForbiddenCycle::Local(())],
    };
    /// Convergent causal memory.
    Ccm = Definition {
        name: "ccm",
        weakest_model: Model::SC,
        is_weak: false,
        local: &[BaseOrder::Full],
        has_conflicts: true,
        has_store_order: true,
        acyclic: &[ForbiddenCycle::Memory],
    };
    /// Weak convergent causal memory.
    Wccm = Definition {
        name: "wccm",
        weakest_model: Model::TSO,
        is_weak: true,
        local: &[BaseOrder::Preserved, BaseOrder::SameLocation],
        has_conflicts: true,
        has_store_order: true,
        acyclic: &[ForbiddenCycle::Weak(BaseOrder::Preserved), ForbiddenCycle::Weak(BaseOrder::SameLocation)],
    };
}

impl Criterion {
    pub(crate) const fn definition(self) -> &'static Definition {
        &DEFINITIONS[self as usize]
    }

    /// The name on the command line and in certificates.
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// The criterion of that name.
    pub fn from_name(name: &str) -> Option<Criterion> {
        let mut all = Criterion::ALL.into_iter();
        all.find(|known| known.name() == name)
    }

    /// The weakest model whose histories all satisfy the criterion. (The documentation of
    /// `papers::criteria::causal` proves that TSO implies CC and CCv.)
    pub const fn weakest_model(self) -> Model {
        self.definition().weakest_model
    }

    /// Whether every history that `model` allows satisfies the criterion, so that breaking the criterion
    /// refutes the model.
    pub fn follows_from(self, model: Model) -> bool {
        self.weakest_model().includes(model)
    }
}

/// The part of program order that a relation is built on: π in CAV 2019, section 4.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BaseOrder {
    /// `po`.
    Full,
    /// `ppo`: the part of program order that TSO preserves.
    Preserved,
    /// `po-loc`: between operations of one location.
    SameLocation,
}

impl BaseOrder {
    /// The name in the paper and in certificates.
    pub fn name(self) -> &'static str {
        match self {
            BaseOrder::Full => "po",
            BaseOrder::Preserved => "ppo",
            BaseOrder::SameLocation => "po-loc",
        }
    }
}

/// A relation of CAV 2019 that a step of a refutation adds a pair to. `T` identifies operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairRelation<T> {
    /// `po`, `ppo` (a pair that TSO preserves in its own right) or `po-loc`.
    Program(BaseOrder),
    /// `wr`; `wr_e` if external: from a write that is not earlier in the read's own thread.
    ReadsFrom {
        /// Whether the relation is `wr_e`.
        external: bool,
    },
    /// `hb_o`, by its second rule: `hb_o` has a pair (w', w) if it has (w', r), r reads from w, and r is o
    /// or before o in the order. Over `ppo` and `po-loc` the paper writes `hb^π_o`.
    Local(BaseOrder, T),
    /// `cf[R]`, or `cf_e[R]`: R leads from the first write to a read that reads from the second.
    Conflict {
        /// Whether the relation is `cf_e`.
        external: bool,
    },
    /// `pww`, or `wpww`: the partial store order of the criterion.
    Store {
        /// Whether the relation is `wpww`.
        weak: bool,
    },
    /// `rw[R]`: R leads from the read's source to the write.
    Overwritten,
}

/// A cycle that a criterion forbids, by the relation that must be acyclic, or irreflexive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ForbiddenCycle<T> {
    /// `po ∪ wr`, whose transitive closure is causality.
    Causality,
    /// `rw[co] ; co`, where `co` is causality: a read whose source is overwritten in its past.
    Stale,
    /// `po ∪ wr ∪ cf`.
    Convergence,
    /// `hb_o`.
    Local(T),
    /// `po ∪ wr ∪ pww ∪ rw[pww]`.
    Memory,
    /// `π ∪ wr_e ∪ wpww ∪ rw[wpww]`.
    Weak(BaseOrder),
}

impl<T> ForbiddenCycle<T> {
    /// The relation as the paper writes it.
    pub fn name(&self) -> String {
        match self {
            ForbiddenCycle::Causality => "po ∪ wr".to_owned(),
            ForbiddenCycle::Stale => "rw[co] ; co".to_owned(),
            ForbiddenCycle::Convergence => "po ∪ wr ∪ cf".to_owned(),
            ForbiddenCycle::Local(_) => "hb_o".to_owned(),
            ForbiddenCycle::Memory => "po ∪ wr ∪ pww ∪ rw[pww]".to_owned(),
            ForbiddenCycle::Weak(order) => format!("{} ∪ wr_e ∪ wpww ∪ rw[wpww]", order.name()),
        }
    }
}

impl<T> PairRelation<T> {
    /// The same relation, with operations identified as `name` says.
    pub fn map<U>(self, name: impl Fn(T) -> U) -> PairRelation<U> {
        match self {
            PairRelation::Program(order) => PairRelation::Program(order),
            PairRelation::ReadsFrom { external } => PairRelation::ReadsFrom { external },
            PairRelation::Local(order, op) => PairRelation::Local(order, name(op)),
            PairRelation::Conflict { external } => PairRelation::Conflict { external },
            PairRelation::Store { weak } => PairRelation::Store { weak },
            PairRelation::Overwritten => PairRelation::Overwritten,
        }
    }

    /// Whether the relation is part of the partial store order.
    pub fn orders_writes(&self) -> bool {
        matches!(
            self,
            PairRelation::Local(..) | PairRelation::Conflict { .. } | PairRelation::Store { .. }
        )
    }
}

impl<T> ForbiddenCycle<T> {
    /// The same cycle, with operations identified as `name` says.
    pub fn map<U>(self, name: impl Fn(T) -> U) -> ForbiddenCycle<U> {
        match self {
            ForbiddenCycle::Causality => ForbiddenCycle::Causality,
            ForbiddenCycle::Stale => ForbiddenCycle::Stale,
            ForbiddenCycle::Convergence => ForbiddenCycle::Convergence,
            ForbiddenCycle::Local(op) => ForbiddenCycle::Local(name(op)),
            ForbiddenCycle::Memory => ForbiddenCycle::Memory,
            ForbiddenCycle::Weak(order) => ForbiddenCycle::Weak(order),
        }
    }
}
