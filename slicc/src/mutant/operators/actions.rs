//! Rows without an action, or without one more; actions in another order.

use crate::mutant::made::Found;
use crate::mutant::scene::Scene;
use crate::outline::Entry;

/// The names of the actions of an entry, each with its number behind it if it is not the first of its
/// name.
pub(super) fn places(scene: &Scene, entry: &Entry) -> Vec<String> {
    let actions = &entry.actions;
    let place = |(at, one): (usize, &u16)| {
        let name = &scene.tables.actions[usize::from(*one)].name;
        match actions[..at].iter().filter(|other| *other == one).count() {
            0 => name.clone(),
            before => format!("{name}@{}", before + 1),
        }
    };
    actions.iter().enumerate().map(place).collect()
}

pub(super) fn swapped(scene: &Scene, found: &mut Found) {
    for (entry, row) in scene.active_rows() {
        let places = places(scene, entry);
        for (at, pair) in entry.actions.windows(2).enumerate() {
            if pair[0] != pair[1] {
                let (first, second) = (&places[at], &places[at + 1]);
                let edits = row.changed(row.actions().swapped(at), None);
                let about = format!("does {second} before {first}, not after it.");
                found.row(scene, entry, &format!("{first}+{second}"), &about, edits);
            }
        }
    }
}

pub(super) fn dropped(scene: &Scene, found: &mut Found) {
    for (entry, row) in scene.active_rows() {
        let places = places(scene, entry);
        for (at, doing) in scene.doings(entry).enumerate() {
            if !doing.stalls && !doing.notifies {
                let edits = row.changed(vec![row.actions().without(at)], None);
                let about = format!("no longer does {}.", places[at]);
                found.row(scene, entry, &places[at], &about, edits);
            }
        }
    }
}

pub(super) fn doubled(scene: &Scene, found: &mut Found) {
    for (entry, row) in scene.active_rows() {
        for (at, place) in places(scene, entry).iter().enumerate() {
            let edits = row.changed(vec![row.actions().doubled(at)], None);
            let about = format!("does {place} twice.");
            found.row(scene, entry, place, &about, edits);
        }
    }
}

pub(super) fn row_dropped(scene: &Scene, found: &mut Found) {
    for (entry, row) in scene.rows() {
        found.row(scene, entry, "", "is not in the table.", row.dropped());
    }
}
