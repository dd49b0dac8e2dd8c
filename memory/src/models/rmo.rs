//! RMO, SPARC's relaxed memory order: WMO, except that loads of one location may also be reordered. Timestamps
//! stand for dependencies.

use crate::model::{Buffering, Definition, Model};
use crate::weak::{PLAIN, PpoRule};

pub(super) static DEFINITION: Definition = Definition {
    name: "rmo",
    title: "RMO",
    is_usual: false,
    buffering: Buffering::Weak,
    forwards: true,
    rmw: None,
    ppo_rules: RULES,
    splits_atomics: false,
    pairs_across_own_writes: false,
    instructions: &PLAIN,
    stronger: &[Model::WMO],
    weaker: &[],
};

const RULES: &[PpoRule] = &[
    PpoRule::LocalWrite,
    PpoRule::Fence,
    PpoRule::Acquire,
    PpoRule::Release,
    PpoRule::ReleaseToAcquire,
    PpoRule::Ticks,
];
