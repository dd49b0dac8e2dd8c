//! Rows that stall, and no longer do; rows that do not, and then do.

use super::actions::places;
use crate::mutant::made::Found;
use crate::mutant::scene::Scene;
use crate::outline::{Entry, Next};

/// Most other rows as which a row that stalls is handled.
const ROWS: usize = 3;

pub(super) fn removed(scene: &Scene, found: &mut Found) {
    for (entry, row) in scene.rows() {
        let places = places(scene, entry);
        for (at, doing) in scene.doings(entry).enumerate() {
            if doing.stalls {
                let edits = row.changed(vec![row.actions().without(at)], None);
                let about = format!("no longer does {}, which stalls.", places[at]);
                found.row(scene, entry, &places[at], &about, edits);
            }
        }
    }
}

pub(super) fn popped(scene: &Scene, found: &mut Found) {
    for (entry, row) in scene.rows().filter(|(entry, _)| entry.stalls) {
        for pop in pops(scene, entry) {
            let name = &*scene.tables.actions[usize::from(pop)].name;
            let edits = vec![row.actions().replaced(row.transition.span.file, &[name])];
            let about = format!("does {name} instead of waiting.");
            found.row(scene, entry, name, &about, row.changed(edits, None));
        }
    }
}

/// The actions that throw away what a row holds back: those of the port that it parks, or else those
/// that are done elsewhere with the event.
fn pops(scene: &Scene, entry: &Entry) -> Vec<u16> {
    let parked: Vec<&str> = scene.doings(entry).filter_map(|one| one.parks).collect();
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

pub(super) fn answered(scene: &Scene, found: &mut Found) {
    for (entry, row) in scene.rows().filter(|(entry, _)| entry.stalls) {
        let mut done: Vec<&Entry> = Vec::new();
        for other in handled(scene, entry) {
            let is_new = |one: &&Entry| one.actions != other.actions || one.next != other.next;
            // What is computed depends on where it starts.
            let Next::State(next) = other.next else {
                continue;
            };
            if done.len() < ROWS && done.iter().all(is_new) {
                done.push(other);
                let (from, _) = scene.names(other);
                let name = |index: &u16| &*scene.tables.actions[usize::from(*index)].name;
                let actions: Vec<&str> = other.actions.iter().map(name).collect();
                let edits = vec![row.actions().replaced(row.transition.span.file, &actions)];
                let next = &scene.tables.states[usize::from(next)].name;
                let about = format!("is handled as in {from} instead of waiting.");
                let edits = row.changed(edits, Some(next));
                found.row(scene, entry, from, &about, edits);
            }
        }
    }
}

pub(super) fn added(scene: &Scene, found: &mut Found) {
    for (entry, row) in scene.active_rows().filter(|(entry, _)| !entry.stalls) {
        for stall in waits(scene, entry) {
            let name = &*scene.tables.actions[usize::from(stall)].name;
            let edits = vec![row.actions().replaced(row.transition.span.file, &[name])];
            let stays = entry.next == Next::State(entry.state);
            let next = (!stays).then_some(row.state);
            let about = format!("only does {name}, and waits.");
            found.row(scene, entry, name, &about, row.changed(edits, next));
        }
    }
}

/// The actions with which a row could wait: those with which the event waits in other states, those
/// that park what the row takes from a queue, and `z_stall`.
fn waits(scene: &Scene, entry: &Entry) -> Vec<u16> {
    let of_event = |one: &&Entry| one.event == entry.event && one.stalls;
    let elsewhere: Vec<&Entry> = scene.tables.entries.iter().filter(of_event).collect();
    let taken: Vec<&str> = scene.doings(entry).filter_map(|one| one.pops).collect();
    let waits = |&index: &u16| {
        let doing = &scene.actions[usize::from(index)];
        doing.stalls
            && (doing.is_z_stall
                || elsewhere.iter().any(|it| it.actions.contains(&index))
                || doing.parks.is_some_and(|port| taken.contains(&port)))
    };
    (0..scene.actions.len() as u16).filter(waits).collect()
}
