//! Programs instead of histories: what is found in all their interleavings with few preemptions.

use std::time::{Duration, Instant};

use ::explore::program::bounded;
use ::explore::program::compile::Program;
use ::explore::search::Stopped;
use check::Model;
use sha2::{Digest, Sha256};
use tables::{Said, Trial};

use super::point::{Explored, Task};
use super::trial::{Limits, names};
use crate::error::Error;

/// Most programs are explored in microseconds: so often, that their mean says something.
const LONG_ENOUGH: Duration = Duration::from_millis(100);

/// The row of a task, with what all rows of its point have in common.
///
/// # Errors
/// The program cannot be read.
pub fn run(explored: &Explored, task: Task, limits: &Limits, row: &Trial) -> Result<Trial, Error> {
    let text = explored.benchmark.text;
    let program = Program::read(text).map_err(|_| Error::BuiltIn(explored.benchmark.name))?;
    let models: Vec<Model> = match task {
        Task::Explore(monitor) => monitor.into_iter().collect(),
        Task::Decide(..) | Task::Kernel(_) => Vec::new(),
    };
    let mut options = bounded::Options::new(explored.preemptions, &models);
    options.bounds = limits.bounds();
    let start = Instant::now();
    let mut found = bounded::search(&program, &options);
    let mut times = 1;
    while found.stopped.is_none() && start.elapsed() < LONG_ENOUGH {
        found = bounded::search(&program, &options);
        times += 1;
    }
    let seconds = start.elapsed().as_secs_f64() / f64::from(times);
    let pairs = found.violations.len() as u64;
    Ok(Trial {
        source: "program".to_owned(),
        threads: program.threads.len() as u32,
        locations: program.locations.len() as u32,
        operations: found.longest as u64,
        trace_hash: Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect(),
        model: task.model().name().to_owned(),
        algorithm: names(task).concat(),
        said: match (found.stopped, pairs) {
            (Some(Stopped::Memory), _) => Said::Memory,
            (Some(Stopped::Time | Stopped::Count), _) => Said::Timeout,
            (None, 0) => Said::Satisfied,
            (None, _) => Said::Violation,
        },
        seconds,
        nodes: Some(found.runs),
        pairs: (!models.is_empty()).then_some(pairs),
        ..row.clone()
    })
}
