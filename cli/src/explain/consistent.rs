//! The memory order that explains a consistent history.

use std::io::Write;

use check::machine::Step;
use history::{OpId, ReadSource};
use report::picture::{Arrow, Kind, Operation, Picture, Weight};

use super::{Args, Shown, title, worded};
use crate::assumptions;
use crate::check::why;
use crate::question::Answer;
use lab::load::Input;

/// Most steps that are drawn, and that a page lists.
const DRAWN: usize = 60;
const LISTED: usize = 20_000;

/// The run that explains a history.
pub(super) fn show(args: &Args, input: &Input, answer: &Answer<'_>, steps: &[Step]) -> Shown {
    let history = answer.history;
    let words = worded(|out| {
        writeln!(
            out,
            "  the memory order that explains it, {} steps:",
            steps.len()
        )?;
        for step in steps {
            let (op, what) = match step {
                Step::Execute(op) => (*op, crate::check::text::operation(history, *op)),
                Step::Commit(op) => (
                    *op,
                    format!("{:8} reaches memory", why::label(history, *op)),
                ),
            };
            let indent = 2 * (1 + history.thread_of(op).min(20));
            writeln!(out, "{:indent$}{what}", "")?;
        }
        Ok(())
    });
    let is_small = steps.len() <= DRAWN;
    let too_large = (!is_small).then(|| {
        format!(
            "{}: a memory order of {} steps is too long to draw (more than {DRAWN}): write .html, which lists it, or take a part of the \
             trace with --addresses, --from-tick and --to-tick",
            input.file,
            steps.len()
        )
    });
    let mut picture = Picture {
        title: title(args, input, answer),
        lead: vec!["Memory order goes down: each operation reads what was written last above it, or what waits in its own thread's buffer.".to_owned()],
        columns: history.threads().iter().map(|thread| format!("thread {}", thread.label)).collect(),
        operations: steps.iter().take(LISTED).map(|step| operation(answer, *step)).collect(),
        notes: assumptions::of(history),
        ..Picture::default()
    };
    if is_small {
        picture.arrows = sources(answer, steps);
    } else if steps.len() > LISTED {
        let left = steps.len() - LISTED;
        picture.notes.push(format!(
            "{left} more steps are not listed; `rubric check --certificate` writes all of them."
        ));
    }
    Shown {
        pictures: vec![picture],
        words,
        too_large,
    }
}

fn operation(answer: &Answer<'_>, step: Step) -> Operation {
    let history = answer.history;
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

/// From each write to its readers: from where it reaches memory, or from the buffer.
fn sources(answer: &Answer<'_>, steps: &[Step]) -> Vec<Arrow> {
    let history = answer.history;
    let executed = |op: OpId| steps.iter().position(|step| *step == Step::Execute(op));
    let committed = |op: OpId| steps.iter().position(|step| *step == Step::Commit(op));
    let mut arrows = Vec::new();
    for op in history.ops() {
        let Some(ReadSource::Write(write)) = answer.reads_from.source(op) else {
            continue;
        };
        let Some(to) = executed(op) else { continue };
        let from = committed(write)
            .filter(|&from| from < to)
            .or_else(|| executed(write));
        arrows.extend(from.map(|from| Arrow {
            from,
            to,
            kind: Kind::Rf,
            letter: None,
            weight: Weight::Plain,
        }));
    }
    arrows
}
