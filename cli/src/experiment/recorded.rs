//! Histories that somebody recorded, instead of those that protocols make.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use check::bounds::Bounds;
use check::{Model, Options, Verdict, decide};
use history::{Ambiguity, ReadsFrom};

use super::catalog::Experiment;
use super::point::{Point, Recording, Size, Source, Wanted};
use super::trial::Limits;
use crate::error::{self, Error};
use crate::load;

/// Reads the histories of all files in a folder, in the order of their names. Files that hold none are named on
/// standard error and passed over.
///
/// # Errors
/// The folder cannot be read, or there is no history in it.
pub fn read(folder: &Path) -> Result<Vec<Arc<Recording>>, Error> {
    let failed = |error| Error::File {
        file: folder.display().to_string(),
        error,
    };
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<PathBuf>, _>>().map_err(failed)?;
    paths.retain(|path| path.is_file());
    paths.sort();
    let mut recordings = Vec::new();
    for path in &paths {
        match of_file(path) {
            Ok(found) => recordings.extend(found.into_iter().map(Arc::new)),
            Err(error) => error::print(&error),
        }
    }
    match recordings.is_empty() {
        true => Err(Error::Usage(format!(
            "{}: no history in this folder: traces or histories that `rubric check` reads were expected",
            folder.display()
        ))),
        false => Ok(recordings),
    }
}

fn of_file(path: &Path) -> Result<Vec<Recording>, Error> {
    let input = load::open(path, &ingest::Options::default())?;
    let file = input.file;
    let recording = |history: history::History| {
        let reads_from = ReadsFrom::derive(&history, Ambiguity::RefuseShared)
            .map_err(|twice| Error::written_twice(&file, &history, &twice))?;
        let name = history.name.as_ref();
        Ok(Recording {
            title: name.map_or(file.clone(), |name| format!("{file}: {name}")),
            history,
            reads_from,
        })
    };
    input.histories.into_iter().map(recording).collect()
}

/// Says on standard error how many of the recorded histories an experiment is about.
pub fn tell(experiment: &Experiment, points: &[Point], recordings: &[Arc<Recording>]) {
    let used: std::collections::BTreeSet<u32> = points.iter().map(|point| point.first).collect();
    let left_out = recordings.len() - used.len();
    if left_out == 0 {
        return;
    }
    // If there is nobody to tell, the table still says which ones there are.
    let _ = writeln!(
        io::stderr(),
        "rubric: {}: {} of {} histories; the others are not of the kind that it is about ({})",
        experiment.name,
        used.len(),
        recordings.len(),
        experiment.about
    );
}

/// The points of an experiment with recorded histories: those that it is about, each in every part.
pub fn points(
    experiment: &Experiment,
    size: Size,
    recordings: &[Arc<Recording>],
    limits: &Limits,
) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for model in (experiment.points)(size) {
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
            let is_wanted = model
                .tasks
                .iter()
                .any(|task| is(recording, wanted, task.model(), limits));
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
        Wanted::Violations => matches!(
            verdict(Model::SC),
            Verdict::Violation(_) | Verdict::Unproved
        ),
    }
}
