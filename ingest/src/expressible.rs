//! Finds what decides the verdict on a history and is not in its operations ([`beyond_operations`]). A format that has
//! nothing but operations and final values cannot keep it, so a history that has any of it is not written.

use history::{Ambiguity, History, OpId, ReadSource, ReadsFrom};

use crate::error::named;

/// A property of the history, in words, that operations and final values do not show and that may decide the verdict.
pub(crate) fn beyond_operations(history: &History) -> Option<String> {
    of_whole(history)
        .or_else(|| history.ops().find_map(|op| of_operation(history, op)))
        .or_else(|| unknown_initial(history))
        .or_else(|| unknown_source(history))
        .or_else(|| unknown_final(history))
}

/// A property of the whole history.
fn of_whole(history: &History) -> Option<String> {
    let provenance = &history.provenance;
    if history.is_empty() && history.finals().is_empty() {
        return Some("the history has no operations".to_owned());
    }
    if provenance.split {
        return Some("accesses of different sizes overlap and were split".to_owned());
    }
    if let Some(what) = provenance.not_understood.first() {
        return Some(format!(
            "line {} of the trace: `{}` is not understood, which withholds verdicts",
            what.line, what.instruction
        ));
    }
    if let Some(line) = provenance.unknown_fences.first() {
        return Some(format!(
            "line {line} of the trace: what the fence orders is not known, which withholds verdicts"
        ));
    }
    None
}

/// A property of an operation.
fn of_operation(history: &History, op: OpId) -> Option<String> {
    let what = if history.fixed_source(op).is_some() {
        "states which write it reads"
    } else if history.continues(op) {
        "is a part of the operation before it"
    } else {
        return None;
    };
    Some(format!("{} {what}", named(history, op)))
}

/// A read that may return an initial value that is not known.
fn unknown_initial(history: &History) -> Option<String> {
    let op = history.may_read_initial().into_iter().min()?;
    Some(format!(
        "{} may return the initial value of its location, which is unknown",
        named(history, op)
    ))
}

/// A read that may take its value from a write that is not recorded. Other formats keep the note that writes may be
/// missing, which makes the verdict undecided; without it the read would become a thin-air violation.
fn unknown_source(history: &History) -> Option<String> {
    let provenance = &history.provenance;
    let may_lack_writes = !provenance.unfinished.is_empty()
        || provenance.unrecorded_writes
        || provenance.outside_writes;
    if !may_lack_writes {
        return None;
    }
    let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).ok()?;
    let missing = |op: OpId| match reads_from.source(op)? {
        ReadSource::UnfinishedStore => Some((op, "only a store without a completion")),
        ReadSource::Unrecorded | ReadSource::Outside => {
            Some((op, "only a write that is not in the history"))
        }
        _ => None,
    };
    let (op, what) = history.ops().find_map(missing)?;
    Some(format!("{} reads what {what} may have written", named(history, op)))
}

/// A final value that may be that of a write which is not recorded, or an initial value that is unknown.
fn unknown_final(history: &History) -> Option<String> {
    let provenance = &history.provenance;
    let may_lack_writes = provenance.unrecorded_writes || provenance.outside_writes;
    history.finals().iter().find_map(|last| {
        let what = if history.initial(last.location).is_none() {
            "its initial value is unknown"
        } else if may_lack_writes || history.may_be_unfinished(last.location) {
            "a write that is not in the history may have written it"
        } else {
            return None;
        };
        let place = history.locations()[last.location as usize];
        Some(format!("location {place} has a final value, but {what}"))
    })
}
