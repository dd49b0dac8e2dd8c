//! Makes mutants in which a transition leads to another state.

use slicc::outline::{Entry, Next};

use crate::collector::Collector;
use crate::scene::Scene;

/// Largest number of states, for each permission, to which a transition is redirected.
const MOST_STATES: usize = 2;

pub(super) fn same(scene: &Scene, mutants: &mut Collector) {
    for (entry, _) in scene.active_rows().filter(|(entry, _)| !entry.stalls) {
        for state in others(scene, entry, true) {
            redirect(scene, mutants, entry, state);
        }
    }
}

pub(super) fn other(scene: &Scene, mutants: &mut Collector) {
    for (entry, _) in scene.active_rows().filter(|(entry, _)| !entry.stalls) {
        let mut taken = [0; u8::MAX as usize + 1];
        let mut others = others(scene, entry, false);
        others.sort_by_key(|&state| unlikeliness(scene, entry, state));
        for state in others {
            let permission = scene.tables.states[usize::from(state)].permission;
            let taken = &mut taken[usize::from(permission)];
            if *taken < MOST_STATES {
                *taken += 1;
                redirect(scene, mutants, entry, state);
            }
        }
    }
}

/// The states whose permission is, or is not, the one of the transition's next state. A computed
/// next state has no permission.
fn others(scene: &Scene, entry: &Entry, is_same: bool) -> Vec<u16> {
    let states = &scene.tables.states;
    let (next, permission) = match entry.next {
        Next::State(next) => (Some(next), Some(states[usize::from(next)].permission)),
        Next::Computed => (None, None),
    };
    let all = (0..).zip(states);
    all.filter(|(index, state)| {
        Some(*index) != next && (Some(state.permission) == permission) == is_same
    })
    .map(|(index, _)| index)
    .collect()
}

/// The rank of a state among wrong next states, by how likely a protocol's author is to write it:
/// the state in which the transition starts, as if there were nothing to wait for; a state to which
/// the event leads from elsewhere; a state to which the right one leads, as if a wait were skipped;
/// any other.
fn unlikeliness(scene: &Scene, entry: &Entry, state: u16) -> u8 {
    let mut entries = scene.tables.entries.iter();
    let leads = |other: &Entry| other.next == Next::State(state);
    if state == entry.state {
        0
    } else if entries.any(|other| other.event == entry.event && leads(other)) {
        1
    } else {
        let mut entries = scene.tables.entries.iter();
        let follows = |other: &Entry| Next::State(other.state) == entry.next && leads(other);
        if entries.any(follows) { 2 } else { 3 }
    }
}

fn redirect(scene: &Scene, mutants: &mut Collector, entry: &Entry, state: u16) {
    let Some(row) = scene.row(entry) else { return };
    let name = |index: u16| &*scene.tables.states[usize::from(index)].name;
    let right = match entry.next {
        Next::State(next) => name(next),
        Next::Computed => "what getNextState says",
    };
    let to = name(state);
    let about = format!("leads to {to} instead of {right}.");
    let edits = row.changed(Vec::new(), Some(to));
    mutants.row(scene, entry, to, &about, edits);
}
