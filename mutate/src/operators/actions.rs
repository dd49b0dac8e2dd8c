//! Makes mutants in which an action of a row is dropped, repeated or exchanged with its neighbour, or a whole row is
//! dropped.

use slicc::outline::Entry;

use crate::collector::Collector;
use crate::scene::Scene;

/// The names of an entry's actions, followed by `@2` and so on where a name is repeated.
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

pub(super) fn swapped(scene: &Scene, mutants: &mut Collector) {
    for (entry, row) in scene.active_rows() {
        let places = places(scene, entry);
        for (at, pair) in entry.actions.windows(2).enumerate() {
            if pair[0] != pair[1] {
                let (first, second) = (&places[at], &places[at + 1]);
                let edits = row.changed(row.actions().swapped(at), None);
                let about = format!("does {second} before {first}, not after it.");
                mutants.row(scene, entry, &format!("{first}+{second}"), &about, edits);
            }
        }
    }
}

pub(super) fn dropped(scene: &Scene, mutants: &mut Collector) {
    for (entry, row) in scene.active_rows() {
        let places = places(scene, entry);
        for (at, facts) in scene.actions_of(entry).enumerate() {
            if !facts.stalls && !facts.notifies {
                let edits = row.changed(vec![row.actions().without(at)], None);
                let about = format!("no longer does {}.", places[at]);
                mutants.row(scene, entry, &places[at], &about, edits);
            }
        }
    }
}

pub(super) fn doubled(scene: &Scene, mutants: &mut Collector) {
    for (entry, row) in scene.active_rows() {
        for (at, place) in places(scene, entry).iter().enumerate() {
            let edits = row.changed(vec![row.actions().doubled(at)], None);
            let about = format!("does {place} twice.");
            mutants.row(scene, entry, place, &about, edits);
        }
    }
}

pub(super) fn row_dropped(scene: &Scene, mutants: &mut Collector) {
    for (entry, row) in scene.rows() {
        mutants.row(scene, entry, "", "is not in the table.", row.dropped());
    }
}
