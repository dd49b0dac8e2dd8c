//! Explores programs, for experiments that are about all interleavings with few preemptions instead of single histories.

use std::time::Duration;

use ::explore::program::bounded;
use ::explore::program::compile::Program;
use ::explore::search::Stopped;
use check::Model;
use sha2::{Digest, Sha256};
use tables::{Reported, Trial};

use super::point::{Explored, Task};
use super::trial::{Limits, names};
use crate::error::Error;

/// The exploration of a program is repeated until this time has passed, because most take microseconds. The row has the mean.
const MIN_MEASURED_TIME: Duration = Duration::from_millis(100);

/// Explores a program and returns the row of the task. `row` has the columns that all rows of the point share.
///
/// # Errors
/// Fails if the built-in program has errors, which is a defect.
pub(super) fn run(
    explored: &Explored,
    task: Task,
    limits: &Limits,
    row: &Trial,
) -> Result<Trial, Error> {
    let text = explored.benchmark.text;
    let program = Program::read(text).map_err(|_| Error::BuiltIn(explored.benchmark.name))?;
    let models: Vec<Model> = match task {
        Task::Explore(monitor) => monitor.into_iter().collect(),
        Task::ExploreSober => vec![Model::TSO],
        Task::Decide(..) | Task::WithoutBaseline(_) | Task::Kernel(_) | Task::NiceCycles => {
            Vec::new()
        }
    };
    let mut options = bounded::Options::new(explored.preemptions, &models);
    options.bounds = limits.bounds();
    options.sober = task == Task::ExploreSober;
    let watch = limits.watch();
    let mut found = bounded::search(&program, &options);
    let mut times = 1;
    while found.stopped.is_none() && watch.spent().processor < MIN_MEASURED_TIME {
        found = bounded::search(&program, &options);
        times += 1;
    }
    let spent = watch.spent().each(times);
    let pairs = found.violations.len() as u64;
    let signals = found.violations.iter().map(|violation| violation.count).sum();
    Ok(Trial {
        source: "program".to_owned(),
        threads: program.threads.len() as u32,
        locations: program.locations.len() as u32,
        operations: found.longest as u64,
        trace_hash: Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect(),
        model: task.model().name().to_owned(),
        algorithm: names(task).concat(),
        said: match (found.stopped, pairs) {
            (Some(Stopped::Memory), _) => Reported::Memory,
            (Some(Stopped::Time | Stopped::Count | Stopped::Interrupted), _) => Reported::Timeout,
            (None, 0) => Reported::Satisfied,
            (None, _) => Reported::Violation,
        },
        seconds: spent.processor.as_secs_f64(),
        wall_seconds: Some(spent.wall.as_secs_f64()),
        nodes: Some(found.runs),
        pairs: (!models.is_empty()).then_some(pairs),
        signals: (!models.is_empty()).then_some(signals),
        ..row.clone()
    })
}
