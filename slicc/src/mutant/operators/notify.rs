//! Losses of which the core does not hear.

use super::actions::places;
use crate::mutant::edit::Edit;
use crate::mutant::made::Found;
use crate::mutant::scene::Scene;
use crate::mutant::walk;

/// Of actions that only tell the core, each row can do without them. In others the call is left out,
/// wherever they are used.
pub(super) fn left_out(scene: &Scene, found: &mut Found) {
    for (entry, row) in scene.active_rows() {
        let places = places(scene, entry);
        for (at, doing) in scene.doings(entry).enumerate() {
            if doing.notifies {
                let edits = row.changed(vec![row.actions().without(at)], None);
                let about =
                    format!("does not tell the core that the line is lost ({}).", places[at]);
                found.row(scene, entry, &places[at], &about, edits);
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
            found.place(&body.place, number, "", &about, vec![edit]);
        }
    }
}
