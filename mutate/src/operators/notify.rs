//! Makes mutants in which the core is not told that a line was lost.

use super::actions::places;
use crate::collector::Collector;
use crate::edit::Edit;
use crate::scene::Scene;
use crate::walk;

/// Actions that only tell the core are removed from each row in turn. From other actions, the call
/// is removed.
pub(super) fn left_out(scene: &Scene, mutants: &mut Collector) {
    for (entry, row) in scene.active_rows() {
        let places = places(scene, entry);
        for (at, facts) in scene.actions_of(entry).enumerate() {
            if facts.notifies {
                let edits = row.changed(vec![row.actions().without(at)], None);
                let about =
                    format!("does not tell the core that the line is lost ({}).", places[at]);
                mutants.row(scene, entry, &places[at], &about, edits);
            }
        }
    }
    for body in scene.bodies() {
        let statements = body.statements.iter().map(|(statement, _)| *statement);
        let calls = statements.filter(|one| walk::method(one) == Some("evictionCallback"));
        for (number, statement) in calls.enumerate() {
            let action = body.name;
            let edit = Edit::remove(body.text, statement.span);
            let about = format!("{action} never tells the core that the line is lost.");
            mutants.place(&body.place, number, "", &about, vec![edit]);
        }
    }
}
