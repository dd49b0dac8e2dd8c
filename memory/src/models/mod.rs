//! The memory models, one a file. To add one, write its file and give it a row in [`ALL`].

mod armv8;
mod ibm370;
mod pso;
mod rmo;
mod rvwmo;
mod sc;
mod tso;
mod wmo;
mod ztso;

use history::Isa;

use crate::model::{Model, PsoRmw};

/// The models that have a name of their own, each after the models that are stronger. Of a model with variants,
/// the weakest variant is listed.
pub const ALL: &[Model] = &[
    Model::SC,
    Model::IBM370,
    Model::TSO,
    Model::PSO,
    Model::ZTSO,
    Model::RVWMO,
    Model::ARMV8,
    Model::WMO,
    Model::RMO,
];

/// The names of [`ALL`].
pub const NAMES: &[&str] = &{
    let mut names = [""; ALL.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = ALL[at].name();
        at += 1;
    }
    names
};

/// The models that store buffers can express, and that have a machine, the strongest first.
pub fn with_machines() -> impl DoubleEndedIterator<Item = Model> {
    ALL.iter().copied().filter(|model| !model.is_weak())
}

/// The models that are checked by default, the strongest first.
pub fn usual() -> impl DoubleEndedIterator<Item = Model> {
    ALL.iter().copied().filter(|model| model.is_usual())
}

impl Model {
    /// Sequential consistency.
    pub const SC: Model = Model::of(&sc::DEFINITION);
    /// IBM 370: total store order without forwarding.
    pub const IBM370: Model = Model::of(&ibm370::DEFINITION);
    /// Total store order.
    pub const TSO: Model = Model::of(&tso::DEFINITION);
    /// Partial store order, where a read-modify-write waits for stores to its own location.
    pub const PSO: Model = Model::of(&pso::OWN);
    /// Partial store order, where a read-modify-write waits for all stores of its thread.
    pub const PSO_RMW_ALL: Model = Model::of(&pso::ALL);

    /// RISC-V's extension for total store order.
    pub const ZTSO: Model = Model::of(&ztso::DEFINITION);
    /// The memory model of RISC-V.
    pub const RVWMO: Model = Model::of(&rvwmo::DEFINITION);
    /// The memory model of AArch64.
    pub const ARMV8: Model = Model::of(&armv8::DEFINITION);
    /// The weak memory order of the Axe checker.
    pub const WMO: Model = Model::of(&wmo::DEFINITION);
    /// SPARC's relaxed memory order, with timestamps as dependencies.
    pub const RMO: Model = Model::of(&rmo::DEFINITION);

    /// The model of that name; `rmw` is what a read-modify-write waits for, in models with that choice.
    pub fn from_name(name: &str, rmw: PsoRmw) -> Option<Model> {
        let found = ALL.iter().find(|model| model.name() == name);
        found.map(|model| model.with_rmw(rmw))
    }

    /// The variant of the model in which a read-modify-write waits for `rmw`. Models without that choice
    /// are returned unchanged.
    pub fn with_rmw(self, rmw: PsoRmw) -> Model {
        match self.rmw() {
            Some(_) => Model::pso(rmw),
            None => self,
        }
    }

    /// The memory model of an instruction set.
    pub const fn of_isa(isa: Isa) -> Model {
        match isa {
            Isa::X86 => Model::TSO,
            Isa::Riscv => Model::RVWMO,
            Isa::Arm => Model::ARMV8,
        }
    }

    /// Partial store order where a read-modify-write waits for `rmw`.
    pub const fn pso(rmw: PsoRmw) -> Model {
        match rmw {
            PsoRmw::Own => Model::PSO,
            PsoRmw::All => Model::PSO_RMW_ALL,
        }
    }
}
