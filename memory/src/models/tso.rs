//! Total store order, as SPARC defines it and x86 implements it: each thread has one first-in first-out
//! store buffer, which serves the thread's own loads (Burnim, Sen & Stergiou 2011, Fig. 2).

use crate::model::{Buffering, Definition, Model};
use crate::weak::PLAIN;

pub(super) static DEFINITION: Definition = Definition {
    name: "tso",
    title: "TSO",
    is_usual: true,
    buffering: Buffering::InOrder,
    forwards: true,
    rmw: None,
    ppo_rules: &[],
    splits_atomics: false,
    pairs_across_own_writes: false,
    instructions: &PLAIN,
    stronger: &[Model::SC],
    weaker: &[],
};
