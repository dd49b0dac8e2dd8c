//! Checks that whatever was begun can be completed: liveness.
//!
//! Some moves happen spontaneously, others because a core requests something. A state in which
//! nothing is outstanding is *settled*. From every state, a run of spontaneous moves to a settled
//! state should exist. Where there is none, something waits for ever, whatever the timing: a
//! deadlock if no spontaneous move is possible, otherwise a livelock.
//!
//! Once all states are known, those that can reach a settled state are found. Moves are not stored,
//! since that would take more memory than the states, apart from one spontaneous move of each state.
//! Nearly all states reach a settled one by these alone. For the others, the moves are made again. If
//! the search ended early, unexplored states count as settled, so what is found is true in that case
//! as well.

use super::search::Search;
use super::states::{Bits, States};

impl Search {
    /// The first explored state from which no spontaneous moves lead to a state that is settled or
    /// unexplored.
    pub(super) fn first_stuck(&mut self, explored: usize) -> Option<usize> {
        let mut is_fine = self.states.settled().clone();
        (explored..self.states.len()).for_each(|at| is_fine.set(at));
        loop {
            if !self.states.follow_on_disk(&mut is_fine) {
                follow_moves(&self.states, explored, &mut is_fine);
            }
            if self.states.is_void() {
                return None;
            }
            let rest: Vec<usize> = (0..explored).filter(|&at| !is_fine.get(at)).collect();
            let mut is_changed = false;
            for &at in rest.iter().rev() {
                if !is_fine.get(at) && self.leads_to(at, &|to| is_fine.get(to)) {
                    is_fine.set(at);
                    is_changed = true;
                }
            }
            if !is_changed {
                return rest.first().copied();
            }
        }
    }
}

/// Marks the states from which the moves that are stored lead to one that is fine.
fn follow_moves(states: &States, explored: usize, is_fine: &mut Bits) {
    let mut is_followed = is_fine.clone();
    let mut path = Vec::new();
    for first in 0..explored {
        let mut at = Some(first);
        while let Some(state) = at.filter(|&state| !is_followed.get(state)) {
            is_followed.set(state);
            path.push(state);
            at = states.next_after(state);
        }
        // A state that was followed from an earlier `first` is marked already if it is fine. States on this path are not marked yet.
        let ends_well = at.is_some_and(|end| is_fine.get(end));
        path.drain(..).filter(|_| ends_well).for_each(|state| is_fine.set(state));
    }
}
