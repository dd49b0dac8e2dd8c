//! Reads recorded histories, which an experiment may use instead of simulated ones.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use check::{Bounds, Model, Options, Verdict, decide};
use history::{Ambiguity, History, ReadsFrom, WrittenTwice};

use super::catalog::Experiment;
use super::point::{Point, Recording, Size, Source, Wanted};
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

/// Reads the histories of all traces in a folder and its folders, those that `rubric check` finds there. Files that cannot be read as
/// histories are skipped.
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

/// The number of recorded histories that these points use.
pub fn used(points: &[Point]) -> usize {
    let used: BTreeSet<u32> = points.iter().map(|point| point.first).collect();
    used.len()
}

/// The points of an experiment on recorded histories: in each part of the experiment, a point for every history of the wanted kind, in the
/// natural order of their names.
pub fn points(
    experiment: &Experiment,
    size: Size,
    recordings: &[Arc<Recording>],
    limits: &Limits,
) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for model in experiment.points(size) {
        // The tasks and wanted histories of the first point hold for the whole part.
        if points.iter().any(|point| point.part == model.part) {
            continue;
        }
        let wanted = match &model.source {
            Source::Made(recipe) => recipe.wanted(),
            Source::Recorded(_) => Wanted::Both,
            // Such a point has no histories.
            Source::Program(_) => continue,
        };
        let suits = |recording: &Recording| {
            model.tasks.iter().any(|task| is_wanted(recording, wanted, task.model(), limits))
        };
        let numbered = (0..).zip(recordings).filter(|(_, recording)| suits(recording));
        let own = numbered.map(|(number, recording)| Point {
            part: model.part,
            name: name(model.part, recording),
            first: number,
            histories: 1,
            source: Source::Recorded(Arc::clone(recording)),
            tasks: model.tasks.clone(),
        });
        let mut own: Vec<Point> = own.collect();
        own.sort_by(|one, other| order::of_paths(one.name.as_ref(), other.name.as_ref()));
        points.extend(own);
    }
    points
}

/// The name of a point, from the parameter of its part and the history.
fn name(part: &str, recording: &Recording) -> String {
    let history = &recording.history;
    let (operations, threads) = (history.operations(), history.threads().len());
    match part {
        "operations" => format!("operations={operations}"),
        "threads" => format!("threads={threads}"),
        _ => format!(
            "operations={operations},threads={threads},locations={}",
            history.locations().len()
        ),
    }
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
