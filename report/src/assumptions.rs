//! The assumptions under which a verdict on a history holds: [`of`] lists those of any verdict, [`of_consistent`] a
//! further one of the verdict *consistent*.

use history::{InitialMode, Provenance, Sizes, Source};
use memory::Model;

/// Returns the assumptions under which a history was read, and the notes of its reader, one sentence each.
pub fn of(provenance: &Provenance) -> Vec<String> {
    let mut found = Vec::new();
    if let Sizes::Assumed(bytes) = provenance.sizes {
        let plural = if bytes == 1 { "" } else { "s" };
        found.push(format!(
            "access sizes not recorded; assuming {bytes} byte{plural} (--access-size)"
        ));
    }
    if provenance.split {
        found.push(
            "accesses of different sizes overlap and were split: consistent means that the parts \
             are consistent, a violation is one of the whole"
                .to_owned(),
        );
    }
    match provenance.initial {
        InitialMode::Zero if provenance.source == Source::Axe => {}
        InitialMode::Zero => {
            found.push("assuming memory is initially 0 (--initial)".to_owned())
        }
        InitialMode::Infer if provenance.unrecorded_writes => found.push(
            "initial values are inferred: at each location the one value that is read and never \
             written, else what is read first of all; another unwritten value may be that of a write \
             that was not recorded, and proves nothing (--initial)"
                .to_owned(),
        ),
        InitialMode::Infer => found.push(
            "initial values are inferred: at each location the one value that is read and never \
             written"
                .to_owned(),
        ),
        InitialMode::Given => found.push("initial values are as the user gave them".to_owned()),
    }
    found.extend(provenance.notes.iter().cloned());
    if let Some(isa) = provenance.isa {
        found.push(format!("the instructions are those of {}", isa.title()));
    }
    found
}

/// Returns a further assumption of the verdict *consistent*, if there is one: a weak model orders operations by
/// dependencies, and the trace may not show all of them. A violation does not need the assumption.
pub fn of_consistent(provenance: &Provenance, model: Model) -> Option<String> {
    let unknown = provenance.unknown_dependencies;
    if unknown == 0 || !model.is_weak() {
        return None;
    }
    let plural = if unknown == 1 { "dependency" } else { "dependencies" };
    Some(format!(
        "{unknown} {plural} unknown: the trace does not show all that these operations depend on, so an order that \
         {model} preserves may be missing"
    ))
}
