//! [`History`]: the operations of a run, and where they come from.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ::history::{AssumedSize, History as Operations, Initial, Isa, Source};
use check::assumptions;
use host::inputs::FileId;
use ingest::{Addresses, Options};
use lab::inputs;
use lab::load::{self, Input};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tables::ArrowTable;

use crate::origin::{Origin, spare};
use crate::table::Table;
use crate::verdict::{Question, Verdict};
use crate::{call, certificate, error, kernel, words};

/// The operations of a run of a shared memory: who stored and loaded what, where, and in which order.
///
/// >>> import rubric
/// >>> history = rubric.parse('''
/// ... 0: M[0] := 1
/// ... 0: M[1] == 0
/// ... 1: M[1] := 1
/// ... 1: M[0] == 0
/// ... check
/// ... ''')
/// >>> history
/// <rubric.History of text: 2 threads, 4 operations>
/// >>> history.check("sc").verdict, history.check("tso").verdict
/// ('violation', 'consistent')
///
/// A history is a table, too: `polars.DataFrame(history)` and `pyarrow.table(history)` share its memory.
#[pyclass(module = "rubric", frozen)]
pub struct History {
    pub operations: Arc<Operations>,
    pub origin: Arc<Origin>,
    table: OnceLock<ArrowTable>,
}

impl History {
    pub fn new(operations: Arc<Operations>, origin: Arc<Origin>) -> History {
        History { operations, origin, table: OnceLock::new() }
    }

    /// The table of operations, which is made when it is first needed.
    fn arrow(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        if let Some(table) = self.table.get() {
            return Ok(table.clone());
        }
        let operations = Arc::clone(&self.operations);
        let made =
            call::run(py, move |_| ArrowTable::of_histories(std::slice::from_ref(&*operations)))?;
        Ok(self.table.get_or_init(|| made).clone())
    }
}

#[pymethods]
impl History {
    /// The file that it was read from.
    #[getter]
    fn file(&self) -> &str {
        &self.origin.file
    }

    /// Its name in the file; `None` if it has none.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.operations.name.as_deref()
    }

    /// The format of the file: `gem5`, `axe`, `json`, `parquet`, …; `simulated` for a simulated run.
    #[getter]
    fn format(&self) -> &str {
        self.origin.format
    }

    /// The number of threads.
    #[getter]
    fn threads(&self) -> usize {
        self.operations.threads().len()
    }

    /// The number of locations.
    #[getter]
    fn locations(&self) -> usize {
        self.operations.locations().len()
    }

    /// The coherence protocol, if the trace names it.
    #[getter]
    fn protocol(&self) -> Option<&str> {
        self.operations.provenance.protocol.as_deref()
    }

    /// How the run ended, as far as it is known: `all requests answered`, `crashed (…)`, …
    #[getter]
    fn ended(&self) -> Option<&str> {
        self.operations.provenance.ended.as_deref()
    }

    /// The message with which the run crashed; `None` if it did not.
    #[getter]
    fn crash(&self) -> Option<String> {
        self.operations.provenance.crash.as_ref().map(|crash| crash.headline())
    }

    /// What was assumed when the history was read, a sentence each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        assumptions::of(&self.operations.provenance)
    }

    /// A digest of everything that decides a verdict: a trace and its conversions have the same one.
    #[getter]
    fn digest(&self) -> String {
        self.operations.digest()
    }

    /// The operations as a table. It is made once and shared.
    #[getter]
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        self.arrow(py).map(Table::new)
    }

    /// The transitions of the protocol's controllers as a table; empty if the trace does not record them.
    #[getter]
    fn transitions(&self) -> Table {
        let transitions = self.origin.transitions.iter().map(|one| (0, one));
        Table::new(ArrowTable::of_transitions(transitions))
    }

    /// The number of operations.
    fn __len__(&self) -> usize {
        self.operations.operations()
    }

    fn __repr__(&self) -> String {
        let name = lab::text::named(&self.origin.file, &self.operations);
        let (threads, operations) = (self.threads(), self.operations.operations());
        format!("<rubric.History of {name}: {threads} threads, {operations} operations>")
    }

    /// Decides whether a memory model allows the history.
    ///
    /// `model` is `sc`, `tso`, `pso`, `rvwmo`, `armv8`, …; without it that of the CPUs whose instructions the trace shows, else `sc`.
    /// `algorithm` is one of `rubric check --algorithm`. A verdict that takes longer than `timeout` seconds, or more memory of the process than
    /// `max_memory` bytes, is `undecided`. With `ambiguous="search"` a read whose value was written several times may take it from each.
    ///
    /// >>> import rubric
    /// >>> run = rubric.simulate("MI_example", seed=3, operations=50)
    /// >>> run.history.check("sc").verdict
    /// 'consistent'
    #[pyo3(signature = (model = None, *, algorithm = "stages", timeout = None, max_memory = None, ambiguous = "refuse", pso_rmw = "own"))]
    #[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
    fn check(
        &self,
        py: Python<'_>,
        model: Option<&str>,
        algorithm: &str,
        timeout: Option<f64>,
        max_memory: Option<u64>,
        ambiguous: &str,
        pso_rmw: &str,
    ) -> PyResult<Verdict> {
        let own = self.operations.provenance.isa.map(check::Model::of_isa);
        let model = match (model, own) {
            (Some(name), _) => words::model(name, pso_rmw)?,
            (None, Some(own)) => own,
            (None, None) => check::Model::SC,
        };
        let options = check::Options {
            algorithm: words::algorithm(algorithm, model)?,
            timeout: words::seconds("timeout", timeout)?,
            max_memory,
            ..check::Options::default()
        };
        let search =
            words::named("ambiguous", ambiguous, &["refuse", "search"], |word| word)? == "search";
        let question = Question {
            history: Arc::clone(&self.operations),
            origin: Arc::clone(&self.origin),
            model,
            options,
            search,
        };
        question.ask(py)
    }

    /// Computes the kernel: the pairs of writes of one location that all runs which explain the history have in the same order. `model`
    /// is `sc` or `tso`.
    ///
    /// >>> import rubric
    /// >>> run = rubric.simulate("MI_example", seed=3, operations=50)
    /// >>> kernel = run.history.kernel()
    /// >>> kernel.size <= kernel.write_pairs
    /// True
    #[pyo3(signature = (model = "sc", *, timeout = None, max_memory = None))]
    fn kernel(
        &self,
        py: Python<'_>,
        model: &str,
        timeout: Option<f64>,
        max_memory: Option<u64>,
    ) -> PyResult<kernel::Kernel> {
        kernel::of(
            py,
            &self.operations,
            &self.origin,
            model,
            words::seconds("timeout", timeout)?,
            max_memory,
        )
    }

    /// Verifies a certificate of a verdict on this history. No code of the engines takes part.
    #[pyo3(signature = (certificate))]
    fn verify(&self, py: Python<'_>, certificate: &str) -> PyResult<certificate::Verified> {
        certificate::verified(py, &self.operations, certificate.to_owned())
    }

    /// Writes the history to a file whose name ends in `.parquet`, `.json`, `.jsonl`, `.axe`, `.trace` or `.litmus`.
    ///
    /// >>> import pathlib, rubric, tempfile
    /// >>> history = rubric.simulate("MI_example", seed=3, operations=50).history
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     file = pathlib.Path(folder, "run.parquet")
    /// ...     history.save(file)
    /// ...     rubric.read(file).digest == history.digest
    /// True
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let format = lab::save::format(&path).map_err(PyValueError::new_err)?;
        let (operations, file) = (Arc::clone(&self.operations), self.origin.file.clone());
        spare(self.origin.source, &path)?;
        let saved = call::run_to_end(
            py,
            move |_| {
                let histories = std::slice::from_ref(&*operations);
                lab::save::file(&path, format, &file, histories)
            },
            |_| Ok(()),
        )?;
        saved.map_err(error::lab)
    }

    /// The operations as a stream of Arrow's C interface, in a capsule. Packages call this; no value is copied.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        self.table(py)?.__arrow_c_stream__(py, requested_schema)
    }

    /// The operations as a `pyarrow.Table` that shares their memory.
    fn to_arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Table::to_arrow(&Bound::new(py, self.table(py)?)?)
    }

    /// The operations as a `polars.DataFrame` that shares their memory.
    fn to_polars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Table::to_polars(&Bound::new(py, self.table(py)?)?)
    }

    /// The operations as a `pandas.DataFrame`; values above 2**53 stay exact. Needs pandas and pyarrow.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Table::to_pandas(&Bound::new(py, self.table(py)?)?)
    }
}

/// The argument `addresses` of `read`.
#[derive(FromPyObject)]
pub(crate) enum GivenAddresses {
    /// The first address, and the address after the last one.
    Range((u64, u64)),
    /// A word; `"auto"` is the only one.
    Word(String),
}

/// The addresses whose accesses are kept.
fn addresses(given: GivenAddresses) -> PyResult<Addresses> {
    match given {
        GivenAddresses::Range((low, high)) if low < high => Ok(Addresses::Range(low..high)),
        GivenAddresses::Range(_) => Err(PyValueError::new_err(
            "addresses: the end, which is excluded, must be above the start",
        )),
        GivenAddresses::Word(word) if word == "auto" => Ok(Addresses::Announced),
        GivenAddresses::Word(word) => Err(PyValueError::new_err(format!(
            "addresses: a pair (start, end) or \"auto\" was expected, not {word:?}"
        ))),
    }
}

/// The options for reading a file, from the keyword arguments of `read`.
#[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
fn options(
    source: Option<&str>,
    access_size: Option<u8>,
    given_addresses: Option<GivenAddresses>,
    from_tick: Option<u64>,
    to_tick: Option<u64>,
    initial: Option<&Bound<'_, PyAny>>,
    isa: Option<&str>,
    lossy: bool,
    fetches: bool,
) -> PyResult<Options> {
    let source = source
        .map(|name| words::named("source", name, &Source::IN_TRACES, Source::name))
        .transpose()?;
    let isa = isa.map(|name| words::named("isa", name, &Isa::ALL, Isa::name)).transpose()?;
    if access_size.is_some_and(|size| ![1, 2, 4, 8].contains(&size)) {
        return Err(PyValueError::new_err("access_size: 1, 2, 4 or 8 was expected"));
    }
    if let (Some(from), Some(to)) = (from_tick, to_tick)
        && from >= to
    {
        return Err(PyValueError::new_err(
            "from_tick is not before to_tick: nothing is left to read",
        ));
    }
    Ok(Options {
        source,
        access_size: access_size.map_or(AssumedSize::default(), AssumedSize::Exactly),
        addresses: given_addresses.map(addresses).transpose()?,
        from_tick,
        to_tick,
        initial: initial.map(initial_values).transpose()?,
        isa,
        lossy,
        fetches,
        transitions: true,
    })
}

/// Parses `zero`, `infer`, or a dictionary of values by address.
fn initial_values(value: &Bound<'_, PyAny>) -> PyResult<Initial> {
    if let Ok(values) = value.extract::<HashMap<u64, u64>>() {
        return Ok(Initial::Given(values));
    }
    match value.extract::<&str>() {
        Ok("zero") => Ok(Initial::Zero),
        Ok("infer") => Ok(Initial::Infer),
        _ => Err(PyValueError::new_err(
            "initial: \"zero\", \"infer\" or a dictionary of values by address was expected",
        )),
    }
}

/// Reads a file with one history: a gem5 trace, plain or gzip, or gem5's output folder; axe text; JSON Lines or Parquet as `rubric convert`
/// writes them. Of a file with several histories, `history` names one; `read_all` reads them all.
///
/// The other arguments are the options of `rubric check` for reading: `addresses` is a pair (start, end), or `"auto"` for the
/// variables that a program of `rubric generate c` announces; `initial` is `"zero"`, `"infer"` or a dictionary of values by address.
///
/// >>> import rubric
/// >>> rubric.read("no-such-file")
/// Traceback (most recent call last):
///     ...
/// rubric.InputError: no-such-file: No such file or directory (os error 2): check the path and its permissions
#[pyfunction]
#[pyo3(signature = (path, *, history = None, source = None, access_size = None, addresses = None, from_tick = None, to_tick = None,
    initial = None, isa = None, lossy = false, fetches = false))]
#[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
pub(crate) fn read(
    py: Python<'_>,
    path: PathBuf,
    history: Option<&str>,
    source: Option<&str>,
    access_size: Option<u8>,
    addresses: Option<GivenAddresses>,
    from_tick: Option<u64>,
    to_tick: Option<u64>,
    initial: Option<Bound<'_, PyAny>>,
    isa: Option<&str>,
    lossy: bool,
    fetches: bool,
) -> PyResult<History> {
    let options = options(
        source,
        access_size,
        addresses,
        from_tick,
        to_tick,
        initial.as_ref(),
        isa,
        lossy,
        fetches,
    )?;
    let all = open(py, path, options)?;
    let file = all.first().map_or(String::new(), |one| one.origin.file.clone());
    if let Some(name) = history {
        let found = all.into_iter().find(|one| one.operations.name.as_deref() == Some(name));
        return found.ok_or_else(|| {
            PyIndexError::new_err(format!("{file}: there is no history {name:?} in it"))
        });
    }
    only(file, all)
}

/// Reads all histories of a file, a folder of traces, or those that a pattern such as `runs/*.gz` names, with the arguments of `read`.
/// A file that cannot be read is an error; `check_files` goes on with the others.
#[pyfunction]
#[pyo3(signature = (path, *, source = None, access_size = None, addresses = None, from_tick = None, to_tick = None, initial = None,
    isa = None, lossy = false, fetches = false))]
#[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
pub(crate) fn read_all(
    py: Python<'_>,
    path: PathBuf,
    source: Option<&str>,
    access_size: Option<u8>,
    addresses: Option<GivenAddresses>,
    from_tick: Option<u64>,
    to_tick: Option<u64>,
    initial: Option<Bound<'_, PyAny>>,
    isa: Option<&str>,
    lossy: bool,
    fetches: bool,
) -> PyResult<Vec<History>> {
    let options = options(
        source,
        access_size,
        addresses,
        from_tick,
        to_tick,
        initial.as_ref(),
        isa,
        lossy,
        fetches,
    )?;
    let mut all = Vec::new();
    for path in inputs::traces(&[path]) {
        all.extend(open(py, path.map_err(error::lab)?, options.clone())?);
    }
    Ok(all)
}

/// Reads one history from text in one of the formats that `read` knows.
///
/// >>> import rubric
/// >>> rubric.parse("0: M[0] := 1").threads
/// 1
#[pyfunction]
#[pyo3(signature = (text, *, initial = None))]
pub(crate) fn parse(
    py: Python<'_>,
    text: String,
    initial: Option<Bound<'_, PyAny>>,
) -> PyResult<History> {
    let initial = initial.as_ref().map(initial_values).transpose()?;
    let options = Options { initial, transitions: true, ..Options::default() };
    let arguments = load::arguments(&options);
    let read = call::run(py, move |_| ingest::read(text.as_bytes(), "text", &options))?;
    let trace = read.map_err(|error| error::lab(error.into()))?;
    let origin = Origin {
        file: "text".to_owned(),
        format: trace.format.name(),
        arguments,
        transitions: trace.transitions,
        source: None,
    };
    only("text".to_owned(), histories(trace.histories, origin))
}

fn open(py: Python<'_>, path: PathBuf, options: Options) -> PyResult<Vec<History>> {
    let arguments = load::arguments(&options);
    let source = FileId::of(&path);
    let input = call::run(py, move |_| load::open(&path, &options))?;
    let Input { file, format, histories: all, transitions, .. } = input.map_err(error::lab)?;
    Ok(histories(all, Origin { file, format, arguments, transitions, source }))
}

fn histories(all: Vec<Operations>, origin: Origin) -> Vec<History> {
    let origin = Arc::new(origin);
    all.into_iter().map(|one| History::new(Arc::new(one), Arc::clone(&origin))).collect()
}

/// The history of a file that holds only one, or a `ValueError` if it holds others.
fn only(file: String, mut all: Vec<History>) -> PyResult<History> {
    match (all.pop(), all.len()) {
        (Some(history), 0) => Ok(history),
        (_, others) => Err(PyValueError::new_err(format!(
            "{file} holds {} histories: name one (history=NAME), or read them with read_all",
            others + 1
        ))),
    }
}
