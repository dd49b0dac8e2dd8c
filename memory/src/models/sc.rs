//! Sequential consistency: memory order keeps all of program order.

use crate::model::{Buffering, Definition};
use crate::weak::PLAIN;

pub(super) static DEFINITION: Definition = Definition {
    name: "sc",
    title: "SC",
    is_usual: true,
    buffering: Buffering::None,
    forwards: false,
    rmw: None,
    ppo_rules: &[],
    splits_atomics: false,
    pairs_across_own_writes: false,
    instructions: &PLAIN,
    stronger: &[],
    weaker: &[],
};
