//! Deadlocks on walks.

use simulate::stepper::{Move, PartStepper};

use crate::protocol::Finding;
use crate::protocol::search::is_spontaneous;

/// The deadlock that a state is, given its moves: something is left to be done, and nothing but new requests leads to another state.
pub(super) fn deadlock(
    stepper: &mut PartStepper,
    state: &[u32],
    moves: &[Move],
) -> Option<Finding> {
    if !stepper.known().is_busy(state) {
        return None;
    }
    let mut after = state.to_vec();
    let leads_on = moves.iter().copied().filter(|&one| is_spontaneous(one)).any(|chosen| {
        let is_finding = stepper.take(state, chosen, &mut after).is_err();
        is_finding || after != state
    });
    (!leads_on).then(|| Finding::Deadlock { waiting: stepper.known().waiting(state) })
}
