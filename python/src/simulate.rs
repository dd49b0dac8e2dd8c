//! [`Simulation`]: a simulated run of a protocol.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::simulate::client::Client;
use ::simulate::config::Options;
use ::simulate::program::ProgramSize;
use ::simulate::recipe::{Lineage, Recipe};
use ::simulate::simulation::Simulation as Plan;
use ::simulate::trace::Output;
use host::inputs::FileId;
use lab::protocols::{Opened, Repairs};
use lab::text::written_at;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::call;
use crate::error::{Error, lab as raised};
use crate::history::History;
use crate::origin::Origin;

/// Most operations of all threads together. Their records take a few gigabytes of memory.
const MOST_OPERATIONS: u64 = 50_000_000;

/// A simulated run of a protocol.
#[pyclass(module = "rubric", frozen)]
pub struct Simulation {
    history: Arc<::history::History>,
    origin: Arc<Origin>,
    guarantees: &'static str,
    fault: Option<String>,
    place: Option<String>,
    warnings: Vec<String>,
    ticks: u64,
    transitions: u64,
}

#[pymethods]
impl Simulation {
    /// The operations of the run.
    #[getter]
    fn history(&self) -> History {
        History::new(Arc::clone(&self.history), Arc::clone(&self.origin))
    }

    /// The model that the cores guarantee on a protocol without faults.
    #[getter]
    fn guarantees(&self) -> &str {
        self.guarantees
    }

    /// Why the protocol failed: an undefined transition, a failed assertion, a deadlock; `None` if it did not.
    #[getter]
    fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// File and line of the protocol at which it failed, with the text there; `None` if it did not.
    #[getter]
    fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Mistakes of the protocol that gem5 accepts.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// The number of ticks that the run took.
    #[getter]
    fn ticks(&self) -> u64 {
        self.ticks
    }

    /// The number of transitions that controllers took.
    #[getter]
    fn transitions(&self) -> u64 {
        self.transitions
    }

    fn __repr__(&self) -> String {
        let end = self.fault.as_ref().map(|fault| format!("; {fault}")).unwrap_or_default();
        format!(
            "<rubric.Simulation of {}: {} operations, {} ticks{end}>",
            self.origin.file,
            self.history.operations(),
            self.ticks
        )
    }
}

/// Runs a coherence protocol once with a random racy program: a built-in protocol, or the path of a `.slicc` file. The same arguments give
/// the same run.
///
/// `client` is the kind of cores, as `rubric simulate --client` has them: `in-order` (SC), `store-buffer` (TSO), `per-location` (PSO), `early`
/// (SC), … `reads`, `rmws` and `fences` are percentages. `mutant` puts a fault into the protocol, and `repair` takes known ones out (`"all"`, or
/// a list of names). With `recipe`, a seed, program and caches are drawn from it as `rubric campaign` does, and the sizes given here do not count.
/// `trace` is a file for the lines that gem5 would print, compressed if its name ends in `.gz`; `read` finds the transitions of controllers there.
///
/// >>> import rubric
/// >>> run = rubric.simulate("MI_example", threads=2, operations=100, seed=7)
/// >>> run.fault is None, len(run.history), run.history.check(run.guarantees).verdict
/// (True, 200, 'consistent')
/// >>> rubric.simulate("MI_exmple")  # doctest: +ELLIPSIS
/// Traceback (most recent call last):
///     ...
/// rubric.ProtocolError: ...
#[pyfunction]
#[pyo3(signature = (protocol, *, client = "in-order", seed = 1, threads = 4, operations = 100, locations = 8, per_line = 1, reads = 50,
    rmws = 0, fences = 0, mutant = None, repair = None, recipe = None, trace = None))]
#[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
pub(crate) fn simulate(
    py: Python<'_>,
    protocol: &Bound<'_, PyAny>,
    client: &str,
    seed: u64,
    threads: u32,
    operations: u32,
    locations: u32,
    per_line: u32,
    reads: u32,
    rmws: u32,
    fences: u32,
    mutant: Option<String>,
    repair: Option<Bound<'_, PyAny>>,
    recipe: Option<Bound<'_, PyAny>>,
    trace: Option<PathBuf>,
) -> PyResult<Simulation> {
    let refused = |what: &str| Err(PyValueError::new_err(what.to_owned()));
    if threads == 0 || operations == 0 || locations == 0 {
        return refused("threads, operations and locations: at least 1 was expected");
    }
    if !(1..=8).contains(&per_line) {
        return refused("per_line: a number from 1 to 8 was expected");
    }
    if reads > 100 || rmws + fences > 100 {
        return refused(
            "reads, rmws and fences are percentages, and rmws and fences together at most 100",
        );
    }
    if u64::from(threads) * u64::from(operations) > MOST_OPERATIONS {
        return Err(PyValueError::new_err(format!(
            "at most {MOST_OPERATIONS} operations of all threads are supported"
        )));
    }
    let given = protocol.str()?.to_string();
    let client: Client = client.parse().map_err(|error: ::simulate::client::UnknownClient| {
        PyValueError::new_err(error.to_string())
    })?;
    let repairs = repairs(repair.as_ref())?;
    let lineage: Option<Lineage> = match recipe {
        Some(recipe) => Some(
            recipe
                .str()?
                .to_string()
                .parse()
                .map_err(|error| PyValueError::new_err(format!("recipe: {error}")))?,
        ),
        None => None,
    };
    let size = ProgramSize {
        threads,
        operations,
        locations,
        per_line,
        reads,
        rmws,
        fences,
        seed,
        ..ProgramSize::default()
    };
    call::run(py, move |_| {
        let opened = Opened::repaired(&given, &repairs, mutant.as_deref()).map_err(raised)?;
        let simulation = match &lineage {
            Some(lineage) => Recipe::of(lineage).simulation(&opened.protocol, client),
            None => {
                Plan { shape: size, client, options: Options::default(), deadlock_threshold: None }
            }
        };
        match trace {
            Some(path) => traced(&opened, &simulation, &path),
            None => run(&opened, &simulation, None),
        }
    })?
}

/// Runs a simulation, and writes its trace to a file, which appears when it is whole.
fn traced(opened: &Opened, simulation: &Plan, path: &Path) -> PyResult<Simulation> {
    let file = FileId::of(path);
    let mut own = opened.protocol.loaded.sources.files().iter();
    if file.is_some() && own.any(|one| FileId::of(&one.path) == file) {
        return Err(PyValueError::new_err(format!(
            "{}: this is a file of the protocol: name another file for the trace",
            path.display()
        )));
    }
    let mut done = None;
    host::files::create(path, PyErr::from, |file| {
        let file = Box::new(file.try_clone()?);
        let is_compressed = path.extension().is_some_and(|extension| extension == "gz");
        let output = if is_compressed { Output::Gzip(file) } else { Output::Plain(file) };
        done = Some(run(opened, simulation, Some(output))?);
        Ok(())
    })?;
    done.ok_or_else(|| Error::new_err(format!("{}: nothing was written", path.display())))
}

/// Runs a simulation.
fn run(opened: &Opened, simulation: &Plan, trace: Option<Output>) -> PyResult<Simulation> {
    let plan = opened.plan(simulation).map_err(raised)?;
    let run = simulation.run(&opened.protocol, &plan, trace);
    let mut run = run.map_err(|error| Error::new_err(format!("{}: {error}", opened.given)))?;
    run.finish_trace()?;
    let history = lab::simulated::history(&run, &opened.protocol);
    let history = history.map_err(|error| Error::new_err(error.to_string()))?;
    let sources = opened.protocol.sources();
    let fault = run.fault.as_ref();
    let place = fault.and_then(|fault| written_at(fault.span, sources));
    let origin = Origin {
        file: opened.title(),
        format: "simulated",
        arguments: String::new(),
        transitions: Default::default(),
        source: None,
    };
    Ok(Simulation {
        history: Arc::new(history),
        origin: Arc::new(origin),
        guarantees: simulation.client.model().name(),
        fault: fault.map(|fault| fault.message.clone()),
        place: place.map(|(file, line, text)| format!("{file}:{line}: {text}")),
        warnings: run.warnings.iter().map(|warning| warning.message.clone()).collect(),
        ticks: run.tally.ticks,
        transitions: run.tally.transitions,
    })
}

/// Parses the repairs: `None`, `"all"` or a list of names.
pub(crate) fn repairs(given: Option<&Bound<'_, PyAny>>) -> PyResult<Repairs> {
    let Some(given) = given else {
        return Ok(Repairs::None);
    };
    match given.extract::<String>() {
        Ok(word) => word.parse().map_err(|never| match never {}),
        Err(_) => given.extract().map(Repairs::Named),
    }
}
