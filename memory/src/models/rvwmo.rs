//! RVWMO, the memory model of RISC-V (ISA manual, appendix "Formal Memory Model"). A read-modify-write is
//! one event.

use crate::model::{Buffering, Definition, Model};
use crate::weak::{PpoRule, RISCV};

pub(super) static DEFINITION: Definition = Definition {
    name: "rvwmo",
    title: "RVWMO",
    is_usual: false,
    buffering: Buffering::Weak,
    forwards: true,
    rmw: None,
    ppo_rules: RULES,
    splits_atomics: false,
    pairs_across_own_writes: true,
    instructions: &RISCV,
    stronger: &[Model::ZTSO],
    weaker: &[],
};

const RULES: &[PpoRule] = &[
    PpoRule::LocalWrite,
    PpoRule::ReadsApart,
    PpoRule::AtomicForwarded,
    PpoRule::Fence,
    PpoRule::AnyAcquire,
    PpoRule::AnyRelease,
    PpoRule::AcquireRelease,
    PpoRule::Paired,
    PpoRule::Address,
    PpoRule::Data,
    PpoRule::Control,
    PpoRule::DependencyForwarded,
    PpoRule::AddressThenWrite,
];
