//! Recorded histories, which an experiment uses instead of simulated ones.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use check::{Bounds, Model, Options, Verdict, decide};
use history::{Ambiguity, History, ReadsFrom, WrittenTwice};

use super::catalog::Experiment;
use super::point::{Point, Recording, Size, Source, Wanted};
use super::trial::Limits;
use crate::error::Error;
use crate::folder::list;
use crate::load;
use crate::text::named;

/// The histories of a folder.
pub struct Recordings {
    /// The histories of all files, in the order of their names.
    pub histories: Vec<Arc<Recording>>,
    /// Why files were passed over.
    pub skipped: Vec<Error>,
}

/// Reads the histories of all files in a folder. Files that hold none are passed over.
///
/// # Errors
/// The folder cannot be read.
pub fn read(folder: &Path) -> Result<Recordings, Error> {
    let mut recordings = Recordings { histories: Vec::new(), skipped: Vec::new() };
    for path in list(folder)?.iter().filter(|path| path.is_file()) {
        match of_file(path) {
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

/// A value is written twice in this history of this file.
fn written_twice(file: &str, history: &History, twice: WrittenTwice) -> Error {
    Error::WrittenTwice { file: named(file, history), twice: Box::new(twice) }
}

/// How many of the recorded histories an experiment with these points is about.
pub fn used(points: &[Point]) -> usize {
    let used: BTreeSet<u32> = points.iter().map(|point| point.first).collect();
    used.len()
}

/// The points of an experiment with recorded histories: those that it is about, each in every part.
pub fn points(
    experiment: &Experiment,
    size: Size,
    recordings: &[Arc<Recording>],
    limits: &Limits,
) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for model in experiment.points(size) {
        // The first point stands for its part.
        if points.iter().any(|point| point.part == model.part) {
            continue;
        }
        let wanted = match &model.source {
            Source::Made(recipe) => recipe.wanted(),
            Source::Recorded(_) => Wanted::Both,
            // It is about no history.
            Source::Program(_) => continue,
        };
        for (number, recording) in (0..).zip(recordings) {
            let is_wanted =
                model.tasks.iter().any(|task| is(recording, wanted, task.model(), limits));
            if is_wanted {
                points.push(Point {
                    part: model.part,
                    name: name(model.part, recording),
                    first: number,
                    histories: 1,
                    source: Source::Recorded(Arc::clone(recording)),
                    tasks: model.tasks.clone(),
                });
            }
        }
    }
    points
}

/// What a point is called, by the part's parameter and the history itself.
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

/// Whether a history is of the kind that is wanted; one that is not decided in time is not.
fn is(recording: &Recording, wanted: Wanted, model: Model, limits: &Limits) -> bool {
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
