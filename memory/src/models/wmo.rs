//! WMO, the weak memory order of the Axe checker (its manual, section "Weak Memory Order"): SPARC's RMO,
//! except that loads of one location stay in order. Timestamps stand for dependencies.

use crate::model::{Buffering, Definition, Model};
use crate::weak::{PLAIN, PpoRule};

pub(super) static DEFINITION: Definition = Definition {
    name: "wmo",
    title: "WMO",
    is_usual: false,
    buffering: Buffering::Weak,
    forwards: true,
    rmw: None,
    ppo_rules: RULES,
    splits_atomics: false,
    pairs_across_own_writes: false,
    instructions: &PLAIN,
    stronger: &[Model::PSO],
    weaker: &[],
};

const RULES: &[PpoRule] = &[
    PpoRule::SameLocation,
    PpoRule::Fence,
    PpoRule::Acquire,
    PpoRule::Release,
    PpoRule::ReleaseToAcquire,
    PpoRule::Ticks,
];
