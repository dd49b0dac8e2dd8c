//! The criteria of CAV 2019 that are weaker than SC or TSO, and the relations that refutations of
//! them speak of.

use memory::Model;

/// The definition of a criterion, as far as refutations need it.
pub(crate) struct Definition {
    name: &'static str,
    weakest_model: Model,
    /// Whether stores wait in buffers: then reads count as `wr_e` and `cf_e`, and store order is `wpww`.
    pub(crate) is_weak: bool,
    /// The orders π on which there is an `hb^π_o`.
    pub(crate) local: &'static [Order],
    /// Whether there is a `cf`.
    pub(crate) has_conflicts: bool,
    /// Whether there is a partial store order. Then `cf` is over `hb^π_o`, and else over `co`.
    pub(crate) has_store_order: bool,
    /// The relations that must be acyclic, or irreflexive.
    pub(crate) acyclic: &'static [Cyclic<()>],
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
        acyclic: &[Cyclic::Causality, Cyclic::Stale],
    };
    /// Causal convergence.
    Ccv = Definition {
        name: "ccv",
        weakest_model: Model::TSO,
        is_weak: false,
        local: &[],
        has_conflicts: true,
        has_store_order: false,
        acyclic: &[Cyclic::Causality, Cyclic::Stale, Cyclic::Convergence],
    };
    /// Causal memory.
    Cm = Definition {
        name: "cm",
        weakest_model: Model::SC,
        is_weak: false,
        local: &[Order::Full],
        has_conflicts: false,
        has_store_order: false,
        acyclic: &[Cyclic::Causality, Cyclic::Stale, Cyclic::Local(())],
    };
    /// Convergent causal memory.
    Ccm = Definition {
        name: "ccm",
        weakest_model: Model::SC,
        is_weak: false,
        local: &[Order::Full],
        has_conflicts: true,
        has_store_order: true,
        acyclic: &[Cyclic::Memory],
    };
    /// Weak convergent causal memory.
    Wccm = Definition {
        name: "wccm",
        weakest_model: Model::TSO,
        is_weak: true,
        local: &[Order::Preserved, Order::SameLocation],
        has_conflicts: true,
        has_store_order: true,
        acyclic: &[Cyclic::Weak(Order::Preserved), Cyclic::Weak(Order::SameLocation)],
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

    /// The weakest model all of whose histories satisfy it. (That TSO implies CC and CCv is proved in the
    /// documentation of the module of `check` that decides them, `papers::criteria::causal`.)
    pub const fn weakest_model(self) -> Model {
        self.definition().weakest_model
    }

    /// Whether every history of a model satisfies it, so that a history that does not is none of the
    /// model.
    pub fn follows_from(self, model: Model) -> bool {
        self.weakest_model().includes(model)
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

    /// Whether the relation is part of the store order.
    pub fn orders_writes(&self) -> bool {
        matches!(self, Link::Local(..) | Link::Conflict { .. } | Link::Store { .. })
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
