//! Armv8, the memory model of AArch64 (Arm Architecture Reference Manual, section B2.3), for accesses of
//! memory. A read-modify-write is two events.

use crate::model::{Buffering, Definition, Model};
use crate::weak::{AARCH64, PpoRule};

pub(super) static DEFINITION: Definition = Definition {
    name: "armv8",
    title: "Armv8",
    is_usual: false,
    buffering: Buffering::Weak,
    forwards: true,
    rmw: None,
    ppo_rules: RULES,
    splits_atomics: true,
    pairs_across_own_writes: false,
    instructions: &AARCH64,
    stronger: &[Model::SC],
    weaker: &[],
};

const RULES: &[PpoRule] = &[
    PpoRule::LocalWrite,
    PpoRule::Fence,
    PpoRule::Acquire,
    PpoRule::Release,
    PpoRule::ReleaseToAcquire,
    PpoRule::Paired,
    PpoRule::Address,
    PpoRule::Data,
    PpoRule::Control,
    PpoRule::Choice,
    PpoRule::DependencyForwarded,
    PpoRule::AddressThenWrite,
    PpoRule::InstructionFence,
    PpoRule::PairForwarded,
    PpoRule::FullAtomic,
    PpoRule::Carried,
    PpoRule::ReadsApart,
    PpoRule::ChoiceCarried,
];
