//! The assumptions under which a verdict on a history holds: [`of`] lists those of any verdict, [`of_consistent`] a
//! further one of the verdict *consistent*, [`of_reads`] what its reads leave open, and [`of_model`] what the model leaves open.

use history::{InitialMode, Provenance, ReadsFrom, Sizes, Source};
use memory::Model;
use settings::Setting;

/// Returns the assumptions under which a history was read, and the notes of its reader, one sentence each.
pub fn of(provenance: &Provenance) -> Vec<String> {
    let mut found = Vec::new();
    if let Sizes::Assumed(bytes) = provenance.sizes {
        let plural = if bytes == 1 { "" } else { "s" };
        found.push(format!(
            "access sizes not recorded; assuming {bytes} byte{plural} ({})",
            Setting::AccessSize
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
        InitialMode::Zero if matches!(provenance.source, Source::Axe | Source::Record) => {}
        InitialMode::Zero => {
            found.push(format!("assuming memory is initially 0 ({})", Setting::Initial))
        }
        InitialMode::Infer if provenance.unrecorded_writes => found.push(format!(
            "initial values are inferred: at each location the one value that is read and never \
             written, else what is read first of all; another unwritten value may be that of a write \
             that was not recorded, and proves nothing ({})",
            Setting::Initial
        )),
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

/// The caveat of reads whose source is not known, which constrain nothing.
pub fn of_reads(reads_from: &ReadsFrom) -> Option<String> {
    let reads = match reads_from.unknown() {
        0 => return None,
        1 => "1 read constrains".to_owned(),
        reads => format!("{reads} reads constrain"),
    };
    Some(format!(
        "{reads} nothing: the value is not shown, may have been written outside of the \
         history, or may be an initial value that is not known"
    ))
}

/// The caveat of a verdict on a history from an instruction set whose own model is weak and is not the model that was checked.
pub fn of_model(provenance: &Provenance, model: Model) -> Option<String> {
    let isa = provenance.isa?;
    let own = Model::of_isa(isa);
    if !own.is_weak() || model == own {
        return None;
    }
    let (isa, setting) = (isa.title(), Setting::Model.to(own.name()));
    if model.is_weak() {
        return Some(format!("this is about {model}; the model of {isa} is {own} ({setting})"));
    }
    Some(format!(
        "this is about {model}; the model of {isa}, {own}, is weaker ({setting}): a run that {model} forbids may \
         be one that {isa} allows"
    ))
}
