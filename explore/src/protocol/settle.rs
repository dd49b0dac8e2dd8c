//! Checks that whatever was begun can be completed: liveness.
//!
//! Some moves happen spontaneously, others because a core requests something. A state in which
//! nothing is outstanding is *settled*. From every state, a run of spontaneous moves to a settled
//! state should exist. Where there is none, something waits for ever, whatever the timing: a
//! deadlock if no spontaneous move is possible, otherwise a livelock.
//!
//! Once all states are known, those that can reach a settled state are found backwards. Moves are
//! not stored, since that would take more memory than the states: a spontaneous move by which a
//! state was first found is known from the tree of the search, and for the states that have no such
//! move to a state from which a settled one can be reached, the moves are made again. If the search
//! ended early, unexplored states count as settled, so what is found is true in that case as well.

use super::search::Search;
use super::states::Bits;

/// The first explored state from which no spontaneous moves lead to a state that is settled or
/// unexplored.
pub fn first_stuck(search: &mut Search, explored: usize) -> Option<usize> {
    let mut is_fine = search.states.settled().clone();
    (explored..search.states.len()).for_each(|at| is_fine.set(at));
    loop {
        follow_tree(search, &mut is_fine);
        let mut is_changed = false;
        for at in (0..explored).rev() {
            if !is_fine.get(at) && search.leads_to(at, &|to| is_fine.get(to)) {
                is_fine.set(at);
                is_changed = true;
            }
        }
        if !is_changed {
            return (0..explored).find(|&at| !is_fine.get(at));
        }
        if (0..explored).all(|at| is_fine.get(at)) {
            return None;
        }
    }
}

/// Marks the parents of states that are fine and that were found by a spontaneous move.
fn follow_tree(search: &Search, is_fine: &mut Bits) {
    for (child, parent) in search.states.parents() {
        if is_fine.get(child) && search.states.is_spontaneous(child) {
            is_fine.set(parent);
        }
    }
}
