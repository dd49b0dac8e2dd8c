//! Makes mutants in which a row no longer stalls, or stalls where it should not.

use slicc::outline::{Entry, Next};

use super::actions::places;
use crate::collector::Collector;
use crate::scene::Scene;

/// Largest number of other rows whose handling a stalling row takes over.
const MOST_ROWS: usize = 3;

pub(super) fn removed(scene: &Scene, mutants: &mut Collector) {
    for (entry, row) in scene.rows() {
        let places = places(scene, entry);
        for (at, facts) in scene.actions_of(entry).enumerate() {
            if facts.stalls {
                let edits = row.changed(vec![row.actions().without(at)], None);
                let about = format!("no longer does {}, which stalls.", places[at]);
                mutants.row(scene, entry, &places[at], &about, edits);
            }
        }
    }
}

pub(super) fn popped(scene: &Scene, mutants: &mut Collector) {
    for (entry, row) in scene.rows().filter(|(entry, _)| entry.stalls) {
        for pop in pops(scene, entry) {
            let name = &*scene.tables.actions[usize::from(pop)].name;
            let edits = vec![row.actions().replaced(row.transition.span.file, &[name])];
            let about = format!("does {name} instead of waiting.");
            mutants.row(scene, entry, name, &about, row.changed(edits, None));
        }
    }
}

/// The actions that dequeue the message that a row holds back: those of the port whose message it
/// sets aside, or else those that other rows of the event have.
fn pops(scene: &Scene, entry: &Entry) -> Vec<u16> {
    let parked: Vec<&str> = scene.actions_of(entry).filter_map(|one| one.parks).collect();
    let all = 0..scene.actions.len() as u16;
    let port = |action: &u16| scene.actions[usize::from(*action)].pops;
    if parked.is_empty() {
        let elsewhere = handled(scene, entry);
        let does = |action: &u16| elsewhere.iter().any(|it| it.actions.contains(action));
        all.filter(|action| port(action).is_some() && does(action)).collect()
    } else {
        all.filter(|action| port(action).is_some_and(|port| parked.contains(&port)))
            .filter(|action| scene.actions[usize::from(*action)].is_used)
            .collect()
    }
}

/// The rows of the same event that do not stall.
fn handled<'a>(scene: &Scene<'a>, entry: &Entry) -> Vec<&'a Entry> {
    let rows = scene.tables.entries.iter();
    rows.filter(|other| other.event == entry.event && !other.stalls).collect()
}

pub(super) fn answered(scene: &Scene, mutants: &mut Collector) {
    for (entry, row) in scene.rows().filter(|(entry, _)| entry.stalls) {
        let mut done: Vec<&Entry> = Vec::new();
        for other in handled(scene, entry) {
            let is_new = |one: &&Entry| one.actions != other.actions || one.next != other.next;
            // A computed next state depends on the state before.
            let Next::State(next) = other.next else {
                continue;
            };
            if done.len() < MOST_ROWS && done.iter().all(is_new) {
                done.push(other);
                let (from, _) = scene.names(other);
                let name = |index: &u16| &*scene.tables.actions[usize::from(*index)].name;
                let actions: Vec<&str> = other.actions.iter().map(name).collect();
                let edits = vec![row.actions().replaced(row.transition.span.file, &actions)];
                let next = &scene.tables.states[usize::from(next)].name;
                let about = format!("is handled as in {from} instead of waiting.");
                let edits = row.changed(edits, Some(next));
                mutants.row(scene, entry, from, &about, edits);
            }
        }
    }
}

pub(super) fn added(scene: &Scene, mutants: &mut Collector) {
    for (entry, row) in scene.active_rows().filter(|(entry, _)| !entry.stalls) {
        for stall in waits(scene, entry) {
            let name = &*scene.tables.actions[usize::from(stall)].name;
            let edits = vec![row.actions().replaced(row.transition.span.file, &[name])];
            let stays = entry.next == Next::State(entry.state);
            let next = (!stays).then_some(row.state);
            let about = format!("only does {name}, and waits.");
            mutants.row(scene, entry, name, &about, row.changed(edits, next));
        }
    }
}

/// The actions with which a row could wait: those with which the event waits in other states, those
/// that set aside what the row dequeues, and `z_stall`.
fn waits(scene: &Scene, entry: &Entry) -> Vec<u16> {
    let of_event = |one: &&Entry| one.event == entry.event && one.stalls;
    let elsewhere: Vec<&Entry> = scene.tables.entries.iter().filter(of_event).collect();
    let taken: Vec<&str> = scene.actions_of(entry).filter_map(|one| one.pops).collect();
    let waits = |&index: &u16| {
        let facts = &scene.actions[usize::from(index)];
        facts.stalls
            && (facts.is_z_stall
                || elsewhere.iter().any(|it| it.actions.contains(&index))
                || facts.parks.is_some_and(|port| taken.contains(&port)))
    };
    (0..scene.actions.len() as u16).filter(waits).collect()
}
