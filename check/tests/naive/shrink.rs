//! Makes a run that shows a fault smaller.

use crate::run::{Annotation, Initial, Run};

/// A part of the run in which nothing can be left out without losing what `is_wrong` finds.
pub(crate) fn smallest(run: &Run, is_wrong: impl Fn(&Run) -> bool) -> Run {
    let mut smallest = run.clone();
    while let Some(smaller) = smaller(&smallest).into_iter().find(|run| is_wrong(run)) {
        smallest = smaller;
    }
    smallest
}

/// The runs with one thing less.
fn smaller(run: &Run) -> Vec<Run> {
    let mut all = Vec::new();
    let mut changed = |change: &dyn Fn(&mut Run)| {
        let mut smaller = run.clone();
        change(&mut smaller);
        if smaller != *run {
            all.push(smaller);
        }
    };
    for thread in 0..run.threads.len() {
        for at in 0..run.threads[thread].len() {
            changed(&|run| remove(run, thread, at));
        }
    }
    changed(&|run| run.initial = Initial::Given(Vec::new()));
    for at in 0..run.finals.len() {
        changed(&|run| {
            run.finals.remove(at);
        });
    }
    for thread in 0..run.threads.len() {
        for at in 0..run.threads[thread].len() {
            changed(&|run| run.threads[thread][at].annotation = Annotation::None);
            changed(&|run| run.threads[thread][at].depends.clear());
            changed(&|run| run.threads[thread][at].issued = None);
            changed(&|run| run.threads[thread][at].completed = None);
        }
    }
    all
}

/// Removes an operation, and the dependencies on it.
fn remove(run: &mut Run, thread: usize, at: usize) {
    let own = &mut run.threads[thread];
    own.remove(at);
    for operation in own.iter_mut() {
        operation.depends.retain(|(_, on)| *on != at);
        for (_, on) in &mut operation.depends {
            *on -= usize::from(*on > at);
        }
    }
    if own.is_empty() {
        run.threads.remove(thread);
    }
}
