//! Ztso, the extension of RISC-V for total store order: RVWMO, where in addition every load is an acquire
//! and every store a release (ISA manual, "Ztso"). It is not TSO: a store-conditional neither waits for
//! the stores before it to reach memory, nor is it forwarded.

use crate::model::{Buffering, Definition, Model};
use crate::weak::{PpoRule, RISCV};

pub(super) static DEFINITION: Definition = Definition {
    name: "ztso",
    title: "Ztso",
    is_usual: false,
    buffering: Buffering::Weak,
    forwards: true,
    rmw: None,
    ppo_rules: RULES,
    splits_atomics: false,
    pairs_across_own_writes: true,
    instructions: &RISCV,
    stronger: &[Model::SC],
    weaker: &[],
};

const RULES: &[PpoRule] = &[
    PpoRule::LocalWrite,
    PpoRule::AtomicForwarded,
    PpoRule::Fence,
    PpoRule::AnyAcquire,
    PpoRule::AnyRelease,
    PpoRule::AcquireRelease,
    PpoRule::Paired,
    // Of rules 9 to 13, all else follows from the two at the end: only a store-conditional is neither a read nor
    // followed by a write alone.
    PpoRule::Address,
    PpoRule::DependencyForwarded,
    PpoRule::Read,
    PpoRule::Write,
];
