//! Claims of *Sound and Complete Monitoring of Sequential Consistency for Relaxed Memory Models*.

use super::paper::{BURNIM_OVERHEAD, BURNIM_PSO, BURNIM_TSO};
use super::{Claim, Missing};

/// They are about all interleavings of programs, up to some number of preemptions.
const NEEDS: &str = "It takes all interleavings of a program with few preemptions, and no experiment explores programs.";

pub(super) fn claims() -> Vec<Claim> {
    let stated = [BURNIM_TSO, BURNIM_PSO, BURNIM_OVERHEAD];
    let untested = stated.map(|stated| stated.claim(Err(Missing::Program(NEEDS))));
    untested.to_vec()
}
