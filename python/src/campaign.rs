//! [`Campaign`]: the results of running mutants of protocols with random programs.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use ::simulate::client::Client;
use lab::campaign::{self as campaigns, Options, TIMEOUT};
use lab::{Observer, Stage};
use mutate::Operator;
use papers::Guarantee;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use report::answers::{Answers, KillMatrix, Scope};
use slicc::builtin::BUILTINS;
use tables::ArrowTable;
use tables::results::Results;

use crate::error::lab as raised;
use crate::simulate::repairs;
use crate::table::Table;
use crate::{call, words};

/// The names of stages in the order of their numbers; 0 is before the first.
const STAGES: [&str; 4] = ["start", "mutants compared with their protocol", "runs", "findings"];

/// The progress of a campaign.
#[derive(Default)]
struct Counters {
    stage: AtomicUsize,
    done: AtomicU64,
    total: AtomicU64,
    caught: AtomicU64,
}

impl Counters {
    fn values(&self) -> (&'static str, u64, u64, u64) {
        let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let stage = STAGES[self.stage.load(Ordering::Relaxed)];
        (stage, number(&self.done), number(&self.total), number(&self.caught))
    }
}

/// Observes a campaign: counts its progress, and cancels it.
struct Watched {
    counters: Arc<Counters>,
    cancel: &'static AtomicBool,
}

impl Observer for Watched {
    fn begin(&self, stage: Stage) {
        let number = match stage {
            Stage::Mutants => 1,
            Stage::Runs => 2,
            Stage::Explorations | Stage::Findings | Stage::Histories(_) => 3,
        };
        self.counters.done.store(0, Ordering::Relaxed);
        self.counters.total.store(0, Ordering::Relaxed);
        self.counters.stage.store(number, Ordering::Relaxed);
    }

    fn total(&self, pieces: u64) {
        self.counters.total.store(pieces, Ordering::Relaxed);
    }

    fn advance(&self) {
        self.counters.done.fetch_add(1, Ordering::Relaxed);
    }

    fn caught(&self, mutants: usize) {
        self.counters.caught.store(mutants as u64, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

/// The results of a campaign: which mutants were found, by what, and which were not.
#[pyclass(module = "rubric", frozen)]
pub struct Campaign {
    results: Arc<Results>,
    folder: PathBuf,
    is_whole: bool,
}

impl Campaign {
    fn answers(&self) -> Answers {
        Answers::of(&self.results.runs, &self.results.equivalents, &Guarantee::is_implied)
    }

    /// The kill matrix of all runs.
    fn matrix(&self) -> Option<KillMatrix> {
        self.answers().kills.into_iter().find(|matrix| matrix.scope == Scope::All)
    }
}

/// Makes a table without Python's lock.
fn made(
    py: Python<'_>,
    results: &Arc<Results>,
    make: fn(&Results) -> ArrowTable,
) -> PyResult<Table> {
    let results = Arc::clone(results);
    call::run(py, move |_| make(&results)).map(Table::new)
}

#[pymethods]
impl Campaign {
    /// A row for each run.
    #[getter]
    fn runs(&self, py: Python<'_>) -> PyResult<Table> {
        made(py, &self.results, |results| ArrowTable::of_runs(&results.runs))
    }

    /// A row for each mutant that was not run, since it is equivalent to its protocol.
    #[getter]
    fn equivalents(&self, py: Python<'_>) -> PyResult<Table> {
        made(py, &self.results, |results| ArrowTable::of_equivalents(&results.equivalents))
    }

    /// A row for each transition of the unmutated protocols, with how often it was taken.
    #[getter]
    fn coverage(&self, py: Python<'_>) -> PyResult<Table> {
        made(py, &self.results, |results| ArrowTable::of_coverage(&results.coverage))
    }

    /// The folder that holds the tables.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// Whether all runs that were asked for are done. If not, the same campaign with the same folder goes on with the rest.
    #[getter]
    fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The mutants that were found, each with the first run that did, as in the JSON of `rubric report`.
    #[getter]
    fn caught<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        words::object(py, &self.answers().caught)
    }

    /// The mutants that nothing found, the most suspicious first, as in the JSON of `rubric report`.
    #[getter]
    fn survivors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        words::object(py, &self.answers().survivors)
    }

    /// How many mutants of each operator there are, and how many of them each criterion found, as in the JSON of `rubric report`.
    #[getter]
    fn kills<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        words::object(py, &self.matrix().map(|matrix| matrix.rows))
    }

    fn __repr__(&self) -> String {
        let answers = self.answers();
        format!(
            "<rubric.Campaign of {} runs: {} mutants found, {} not found, {} excluded>",
            self.results.runs.len(),
            answers.caught.len(),
            answers.survivors.len(),
            answers.equivalents.len()
        )
    }

    /// The mutants found by operator and criterion, for Jupyter.
    fn _repr_html_(&self) -> String {
        let Some(matrix) = self.matrix() else {
            return format!("<pre>{}</pre>", words::escaped(&self.__repr__()));
        };
        let mut html = String::from("<table><tr><th>operator</th><th>mutants</th><th>found</th>");
        let finders = matrix.rows.first().map(|row| &row.by[..]).unwrap_or_default();
        for kills in finders {
            html += &format!("<th>{}</th>", words::escaped(kills.finder));
        }
        html += "</tr>";
        for row in &matrix.rows {
            html += &format!(
                "<tr><td>{}</td><td>{}</td><td>{}</td>",
                words::escaped(&row.operator),
                row.mutants,
                row.killed
            );
            for kills in &row.by {
                let found = if kills.of > 0 { kills.killed.to_string() } else { String::new() };
                html += &format!("<td>{found}</td>");
            }
            html += "</tr>";
        }
        html + "</table>"
    }
}

/// Runs a campaign. The function `campaign` of the package adds the progress bar. `watch` is called with the name of the stage, the pieces
/// that are done, all pieces, and the mutants that were found.
#[pyfunction]
#[pyo3(signature = (protocols, output, *, mutants, operators, sample, clients, runs, seed, repair, repeat, budget, timeout, watch))]
#[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
pub(crate) fn campaign(
    py: Python<'_>,
    protocols: Vec<String>,
    output: PathBuf,
    mutants: Vec<String>,
    operators: Vec<String>,
    sample: Option<usize>,
    clients: Vec<String>,
    runs: u32,
    seed: u64,
    repair: Option<Bound<'_, PyAny>>,
    repeat: u32,
    budget: Option<f64>,
    timeout: Option<f64>,
    watch: Option<Bound<'_, PyAny>>,
) -> PyResult<Campaign> {
    let asks = |word: &str| mutants.iter().any(|asked| asked == word);
    let options = Options {
        protocols: named_protocols(protocols),
        output: output.clone(),
        made: asks("made"),
        named: asks("named"),
        mutants: mutants
            .iter()
            .filter(|word| !["made", "named"].contains(&word.as_str()))
            .cloned()
            .collect(),
        operators: parsed::<Operator>(&operators)?,
        sample,
        clients: parsed::<Client>(&clients)?,
        runs,
        seed,
        repairs: repairs(repair.as_ref())?,
        repeat,
        budget: words::seconds("budget", budget)?,
        timeout: words::seconds("timeout", timeout)?.unwrap_or(TIMEOUT),
        ..Options::default()
    };
    let counters = Arc::new(Counters::default());
    let shown = Arc::clone(&counters);
    let outcome = call::run_to_end(
        py,
        move |cancel| {
            let campaign = campaigns::Campaign::new(options)?;
            campaign.run(&Watched { counters, cancel })
        },
        |_| match &watch {
            Some(watch) => watch.call1(shown.values()).map(drop),
            None => Ok(()),
        },
    )?;
    let outcome = outcome.map_err(raised)?;
    Ok(Campaign { results: Arc::new(outcome.results), folder: output, is_whole: outcome.is_whole })
}

/// Names and paths of protocols; `all` stands for every built-in one.
fn named_protocols(given: Vec<String>) -> Vec<String> {
    let named = given.into_iter().flat_map(|name| match name.as_str() {
        "all" => BUILTINS.iter().map(|one| one.name.to_owned()).collect(),
        _ => vec![name],
    });
    named.collect()
}

/// Parses each word as a value, or raises `ValueError`.
fn parsed<T: FromStr<Err: Display>>(words: &[String]) -> PyResult<Vec<T>> {
    let values = words.iter().map(|word| word.parse());
    let values: Result<Vec<T>, T::Err> = values.collect();
    values.map_err(|error| PyValueError::new_err(error.to_string()))
}
