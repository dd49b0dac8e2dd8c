//! Draws the memory order that explains a consistent history.

use check::assumptions;
use history::{History, OpId, ReadSource, ReadsFrom};
use memory::machine::Step;

use super::why;
use crate::picture::timeline::Timeline;
use crate::picture::{Arrow, Operation, Picture, Relation, Weight};

/// The largest number of steps of a memory order whose picture has arrows. A longer order is a list, which only a page can show.
pub const DRAWN: usize = 60;
/// The largest number of steps that a page lists.
const LISTED: usize = 20_000;

/// Returns the picture of a run that explains a history.
pub fn consistent(
    history: &History,
    reads_from: &ReadsFrom,
    steps: &[Step],
    title: String,
) -> Picture {
    let listed = super::listed(history, steps);
    let remark = super::not_listed(steps.len() - listed.len());
    let steps = &listed[..];
    let has_buffers = steps.iter().any(|step| matches!(step, Step::Commit(_)));
    let buffer = if has_buffers { ", or what waits in its own thread's buffer" } else { "" };
    let mut picture = Picture {
        title,
        lead: vec![format!(
            "Memory order goes down: each operation reads what was written last above it{buffer}."
        )],
        columns: history
            .threads()
            .iter()
            .map(|thread| format!("thread {}", thread.label))
            .collect(),
        operations: steps.iter().take(LISTED).map(|step| operation(history, *step)).collect(),
        notes: assumptions::of(&history.provenance),
        ..Picture::default()
    };
    if steps.len() <= DRAWN {
        picture.arrows = sources(history, reads_from, steps);
    } else {
        let executed = steps.iter().filter_map(|step| match step {
            Step::Execute(op) => Some(*op),
            Step::Commit(_) => None,
        });
        picture.timeline = Some(Timeline::of(history, &executed.collect::<Vec<_>>()));
    }
    picture.notes.extend(remark);
    if steps.len() > LISTED {
        let left = steps.len() - LISTED;
        picture.notes.push(format!(
            "{left} more steps are not listed; `rubric check --certificate` writes all of them."
        ));
    }
    picture
}

fn operation(history: &History, step: Step) -> Operation {
    match step {
        Step::Execute(op) => super::operation(history, op, history.thread_of(op)),
        Step::Commit(op) => Operation {
            column: history.thread_of(op),
            label: why::label(history, op),
            text: "reaches memory".to_owned(),
            place: String::new(),
        },
    }
}

/// Returns arrows from each write to its readers, starting where the write reaches memory, or where it enters the store
/// buffer if it is read from there.
fn sources(history: &History, reads_from: &ReadsFrom, steps: &[Step]) -> Vec<Arrow> {
    let executed = |op: OpId| steps.iter().position(|step| *step == Step::Execute(op));
    let committed = |op: OpId| steps.iter().position(|step| *step == Step::Commit(op));
    let mut arrows = Vec::new();
    for op in history.ops() {
        let Some(ReadSource::Write(write)) = reads_from.source(op) else {
            continue;
        };
        let Some(to) = executed(op) else { continue };
        let from = committed(write).filter(|&from| from < to).or_else(|| executed(write));
        arrows.extend(from.map(|from| Arrow {
            from,
            to,
            relation: Relation::ReadsFrom,
            letter: None,
            weight: Weight::Plain,
        }));
    }
    arrows
}
