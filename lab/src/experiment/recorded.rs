//! Reads recorded histories, which an experiment may use instead of simulated ones.

use std::path::Path;
use std::sync::Arc;

use check::{Bounds, Model, Options, Verdict, decide};
use history::{Ambiguity, History, ReadsFrom, WrittenTwice};
use tables::RECORDED;

use super::catalog::Experiment;
use super::point::{Point, Recording, Size, Source, Task, Wanted, models};
use super::trial::Limits;
use crate::error::Error;
use crate::inputs;
use crate::load;
use crate::order;
use crate::text::named;

/// The histories of a folder.
pub struct Recordings {
    /// The histories of all files, in the order of their names.
    pub histories: Vec<Arc<Recording>>,
    /// The errors of files that were skipped.
    pub skipped: Vec<Error>,
}

/// Reads the histories of all traces in a folder and its subfolders, the same traces that `rubric check` finds there. Files that cannot be
/// read as histories are skipped.
///
/// # Errors
/// Fails if the folder cannot be read, or has no traces.
pub fn read(folder: &Path) -> Result<Recordings, Error> {
    let mut recordings = Recordings { histories: Vec::new(), skipped: Vec::new() };
    for path in inputs::traces(&[folder.to_owned()]) {
        match of_file(&path?) {
            Ok(found) => recordings.histories.extend(found.into_iter().map(Arc::new)),
            Err(error) => recordings.skipped.push(error),
        }
    }
    Ok(recordings)
}

fn of_file(path: &Path) -> Result<Vec<Recording>, Error> {
    let input = load::open(path, &ingest::Options::default())?;
    let file = input.file;
    let recording = |history: History| {
        let reads_from = ReadsFrom::derive(&history, Ambiguity::RefuseShared)
            .map_err(|twice| written_twice(&file, &history, twice))?;
        Ok(Recording { title: named(&file, &history), history, reads_from })
    };
    input.histories.into_iter().map(recording).collect()
}

/// The error of a value that is written twice in a history of a file.
fn written_twice(file: &str, history: &History, twice: WrittenTwice) -> Error {
    Error::WrittenTwice { file: named(file, history), twice: Box::new(twice) }
}

/// The points of an experiment on recorded histories: one for each history of a wanted kind, in the natural order of their names. A
/// history is measured once, and belongs to all parts of the experiment.
pub fn points(
    experiment: &Experiment,
    size: Size,
    recordings: &[Arc<Recording>],
    limits: &Limits,
) -> Vec<Point> {
    let kinds = kinds(experiment, size);
    let point = |(number, recording): (u32, &Arc<Recording>)| {
        let tasks = tasks(recording, &kinds, limits);
        (!tasks.is_empty()).then(|| Point {
            part: RECORDED,
            name: name(&recording.history),
            first: number,
            histories: 1,
            source: Source::Recorded(Arc::clone(recording)),
            tasks,
        })
    };
    let mut points: Vec<Point> = (0..).zip(recordings).filter_map(point).collect();
    points.sort_by(|one, other| order::of_paths(one.name.as_ref(), other.name.as_ref()));
    points
}

/// The kinds of histories that an experiment is about, each with the tasks done on them. Parts that differ only in a parameter have the
/// same kinds.
fn kinds(experiment: &Experiment, size: Size) -> Vec<(Wanted, Vec<Task>)> {
    let mut kinds = Vec::new();
    for point in experiment.points(size) {
        let wanted = match &point.source {
            Source::Made(recipe) => recipe.wanted(),
            Source::Recorded(_) => Wanted::Both,
            // Such a point has no histories.
            Source::Program(_) | Source::System(_) => continue,
        };
        let kind = (wanted, point.tasks);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// The tasks for a history: those of all kinds to which it belongs, each once.
fn tasks(recording: &Recording, kinds: &[(Wanted, Vec<Task>)], limits: &Limits) -> Vec<Task> {
    let mut all = Vec::new();
    for (wanted, tasks) in kinds {
        if models(tasks).into_iter().any(|model| is_wanted(recording, *wanted, model, limits)) {
            for task in tasks {
                if !all.contains(task) {
                    all.push(*task);
                }
            }
        }
    }
    all
}

/// The name of a history's point.
fn name(history: &History) -> String {
    format!(
        "operations={},threads={},locations={}",
        history.operations(),
        history.threads().len(),
        history.locations().len()
    )
}

/// Whether a history is of the wanted kind. One that is not decided within the limits is not.
fn is_wanted(recording: &Recording, wanted: Wanted, model: Model, limits: &Limits) -> bool {
    let verdict = |model: Model| {
        let bounds = Bounds::new(Some(limits.timeout), Some(limits.memory));
        let (history, reads_from) = (&recording.history, &recording.reads_from);
        decide(history, reads_from, model, &Options::default(), &bounds).verdict
    };
    match wanted {
        Wanted::Both => true,
        Wanted::Consistent => matches!(verdict(model), Verdict::Consistent(_)),
        Wanted::Violations => {
            matches!(verdict(Model::SC), Verdict::Violation(_) | Verdict::Unproved)
        }
    }
}
