//! Recognises the deadlocks in which walks end.

use simulate::stepper::{Move, PartStepper};

use crate::protocol::Finding;
use crate::protocol::search::is_spontaneous;

/// The deadlock that a state is, given its moves: a core or device waits, and nothing but new requests leads to another state. What is left
/// without anybody who waits for it shows when a core asks for the line, if it matters: a prefetch that is never served does not.
pub(super) fn deadlock(
    stepper: &mut PartStepper,
    state: &[u32],
    moves: &[Move],
) -> Option<Finding> {
    let waiting = stepper.known().waiting(state);
    if waiting == 0 {
        return None;
    }
    let mut after = state.to_vec();
    let leads_on = moves.iter().copied().filter(|&one| is_spontaneous(one)).any(|chosen| {
        let is_finding = stepper.take(state, chosen, &mut after).is_err();
        is_finding || after != state
    });
    (!leads_on).then_some(Finding::Deadlock { waiting })
}
