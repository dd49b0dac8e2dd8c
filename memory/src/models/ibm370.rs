//! IBM 370: total store order without forwarding. A load waits until all pending stores of its thread to
//! its location have reached memory.

use crate::model::{Buffering, Definition, Model};
use crate::weak::PLAIN;

pub(super) static DEFINITION: Definition = Definition {
    name: "ibm370",
    title: "IBM 370",
    is_usual: false,
    buffering: Buffering::InOrder,
    forwards: false,
    rmw: None,
    ppo_rules: &[],
    splits_atomics: false,
    pairs_across_own_writes: false,
    instructions: &PLAIN,
    stronger: &[Model::SC],
    weaker: &[Model::TSO],
};
