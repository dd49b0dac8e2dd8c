//! Checking many traces.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use check::Model;
use ingest::Options;
use lab::{inputs, load, verdicts};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;
use tables::{ArrowTable, VerdictRow};

use crate::origin::Origin;
use crate::table::Table;
use crate::verdict::Question;
use crate::{call, words};

/// The progress of checking: the traces that are done, and the violations.
#[derive(Default)]
struct Counters {
    done: AtomicU64,
    violations: AtomicU64,
}

/// Checks traces. The function `check_files` of the package adds the progress bar. `watch` is called with the name of the stage, the traces
/// that are done, all traces, and the violations.
#[pyfunction]
#[pyo3(signature = (paths, models, *, timeout, jobs, watch))]
pub(crate) fn check_files(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    models: Vec<String>,
    timeout: Option<f64>,
    jobs: Option<usize>,
    watch: Option<Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let models: Vec<Model> =
        models.iter().map(|name| words::model(name, "own")).collect::<PyResult<_>>()?;
    let timeout = words::seconds("timeout", timeout)?;
    let found = inputs::traces(&paths);
    let total = found.len() as u64;
    let counters = Arc::new(Counters::default());
    let shown = Arc::clone(&counters);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0)).build();
    let pool = pool.map_err(|error| PyValueError::new_err(format!("jobs: {error}")))?;
    let rows = call::run_to_end(
        py,
        move |cancel| {
            let check = |path: Result<PathBuf, lab::Error>| {
                let rows = rows(path, &models, timeout, cancel);
                let is_violation = rows.iter().any(|row| row.verdict == "violation");
                counters.violations.fetch_add(u64::from(is_violation), Ordering::Relaxed);
                counters.done.fetch_add(1, Ordering::Relaxed);
                rows
            };
            let rows: Vec<Vec<VerdictRow>> =
                pool.install(|| found.into_par_iter().map(check).collect());
            ArrowTable::of_verdicts(&verdicts::sorted(&rows.concat()))
        },
        |_| match &watch {
            Some(watch) => {
                let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
                let values = ("traces", number(&shown.done), total, number(&shown.violations));
                watch.call1(values).map(drop)
            }
            None => Ok(()),
        },
    )?;
    Ok(Table::new(rows))
}

/// The rows of one trace; none if the work was cancelled before its turn.
fn rows(
    path: Result<PathBuf, lab::Error>,
    models: &[Model],
    timeout: Option<Duration>,
    cancel: &'static AtomicBool,
) -> Vec<VerdictRow> {
    if cancel.load(Ordering::Relaxed) {
        return Vec::new();
    }
    let file = path.as_ref().map_or_else(|_| String::new(), |path| path.display().to_string());
    let input = match path.and_then(|path| load::open_or_empty(&path, &Options::default())) {
        Ok(input) => input,
        Err(error) => return vec![verdicts::unreadable(&file, &error.to_string())],
    };
    let origin = Arc::new(Origin {
        file: input.file.clone(),
        format: input.format,
        arguments: String::new(),
        transitions: Default::default(),
        source: None,
    });
    let mut rows = Vec::new();
    for history in &input.histories {
        let own = history.provenance.isa.map(Model::of_isa);
        let asked =
            if models.is_empty() { vec![own.unwrap_or(Model::SC)] } else { models.to_vec() };
        for model in asked {
            let question = Question {
                history: Arc::new(history.clone()),
                origin: Arc::clone(&origin),
                model,
                options: check::Options { timeout, ..check::Options::default() },
                search: false,
            };
            rows.push(match question.decide(cancel) {
                Ok(decided) => verdicts::row(&input, &decided.answer),
                Err(why) => verdicts::unreadable(&input.file, &why),
            });
        }
    }
    rows
}
