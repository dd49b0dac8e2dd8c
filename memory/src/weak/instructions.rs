//! [`Instructions`]: the annotations and weak fences that the instruction set of a weak model has.
//!
//! Random programs choose from these. The definitions of the models do not depend on them: a history may
//! have any annotation and any fence.

use history::{Annotation, Kind, WeakFence};

/// The annotations and the weak fences of an instruction set.
#[derive(Debug)]
pub struct Instructions {
    /// Annotations of plain loads.
    loads: &'static [Annotation],
    /// Annotations of plain stores.
    stores: &'static [Annotation],
    /// Annotations of load-linked.
    load_linked: &'static [Annotation],
    /// Annotations of store-conditional.
    store_conditional: &'static [Annotation],
    /// Annotations of read-modify-writes.
    rmws: &'static [Annotation],
    /// Fences that are weaker than a full one.
    fences: &'static [WeakFence],
}

/// Plain accesses and full fences alone.
pub(crate) static PLAIN: Instructions = Instructions {
    loads: &[],
    stores: &[],
    load_linked: &[],
    store_conditional: &[],
    rmws: &[],
    fences: &[],
};

/// RISC-V, with the extension A.
pub(crate) static RISCV: Instructions = Instructions {
    loads: &[],
    stores: &[],
    load_linked: &[Annotation::Acquire, Annotation::AcquireRelease],
    store_conditional: &[Annotation::Release, Annotation::AcquireRelease],
    rmws: &[Annotation::Acquire, Annotation::Release, Annotation::AcquireRelease],
    fences: &[
        WeakFence::ReadRead,
        WeakFence::ReadWrite,
        WeakFence::ReadBoth,
        WeakFence::WriteRead,
        WeakFence::WriteWrite,
        WeakFence::WriteBoth,
        WeakFence::BothRead,
        WeakFence::BothWrite,
        WeakFence::Tso,
    ],
};

/// AArch64, with the large system extensions.
pub(crate) static AARCH64: Instructions = Instructions {
    loads: &[Annotation::Acquire, Annotation::AcquirePc],
    stores: &[Annotation::Release],
    load_linked: &[Annotation::Acquire],
    store_conditional: &[Annotation::Release],
    rmws: &[
        Annotation::Acquire,
        Annotation::Release,
        Annotation::AcquireRelease,
        Annotation::NoReturn,
        Annotation::NoReturnRelease,
    ],
    fences: &[WeakFence::ReadBoth, WeakFence::WriteWrite, WeakFence::Instruction],
};

impl Instructions {
    /// The annotations that an operation of a kind can have, other than none.
    pub fn annotations(&self, kind: Kind) -> &'static [Annotation] {
        match kind {
            Kind::Load => self.loads,
            Kind::Store => self.stores,
            Kind::LoadLinked => self.load_linked,
            Kind::StoreConditional => self.store_conditional,
            Kind::Rmw | Kind::FailedCas | Kind::SilentRmw => self.rmws,
            Kind::Fence | Kind::WeakFence(_) => &[],
        }
    }

    /// The fences that are weaker than a full one.
    pub fn fences(&self) -> &'static [WeakFence] {
        self.fences
    }
}
