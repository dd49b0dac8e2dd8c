//! Partial store order, as SPARC defines it: each thread has a store buffer for each location, which
//! serves the thread's own loads (Burnim, Sen & Stergiou 2011, Fig. 3). A read-modify-write drains the
//! buffer of its own location, as in the figure ([`OWN`]), or all buffers of its thread ([`ALL`]).

use crate::model::{Buffering, Definition, Model, PsoRmw};
use crate::weak::PLAIN;

pub(super) static OWN: Definition = Definition {
    name: "pso",
    title: "PSO",
    is_usual: true,
    buffering: Buffering::PerLocation,
    forwards: true,
    rmw: Some(PsoRmw::Own),
    ppo_rules: &[],
    splits_atomics: false,
    pairs_across_own_writes: false,
    instructions: &PLAIN,
    stronger: &[Model::PSO_RMW_ALL],
    weaker: &[],
};

pub(super) static ALL: Definition = Definition {
    name: "pso",
    title: "PSO (rmw drains all)",
    is_usual: false,
    buffering: Buffering::PerLocation,
    forwards: true,
    rmw: Some(PsoRmw::All),
    ppo_rules: &[],
    splits_atomics: false,
    pairs_across_own_writes: false,
    instructions: &PLAIN,
    stronger: &[Model::TSO],
    weaker: &[],
};
