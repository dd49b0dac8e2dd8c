//! [`Verdict`]: whether a model allows a history, and why.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ::history::{Ambiguity, History as Operations, ReadsFrom};
use check::{Answer, Bounds, Cases, Model, Options};
use lab::load::ambiguity;
use lab::text::named;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use report::explain::reasoning::Reasoning;

use crate::decided::Decided;
use crate::explanation::Explanation;
use crate::history::History;
use crate::origin::Origin;
use crate::{call, error, words};

/// A history, and the model and options with which to decide it.
pub(crate) struct Question {
    pub history: Arc<Operations>,
    pub origin: Arc<Origin>,
    pub model: Model,
    pub options: Options,
    /// Whether a read whose value was written several times may take it from each of the writes.
    pub search: bool,
}

impl Question {
    /// Decides the history, without Python's lock.
    pub(crate) fn ask(self, py: Python<'_>) -> PyResult<Verdict> {
        let decided = call::run(py, move |cancel| self.decide(cancel))?;
        let decided = decided.map_err(error::Error::new_err)?;
        Ok(Verdict { decided: Arc::new(decided) })
    }

    /// Decides the history, or gives up when the flag is set.
    ///
    /// # Errors
    /// Returns a message if a value is written twice and it matters.
    pub(crate) fn decide(self, cancel: &'static AtomicBool) -> Result<Decided, String> {
        let Question { history, origin, model, options, search } = self;
        let ambiguity = if search {
            Ambiguity::Keep
        } else {
            ambiguity(origin.format, std::slice::from_ref(&*history))
        };
        let reads_from = ReadsFrom::derive(&history, ambiguity).map_err(|twice| {
            let file = named(&origin.file, &history);
            format!("{file}: {twice}. Record a run that writes unique values, or try ambiguous=\"search\"")
        })?;
        let bounds = Bounds::new(options.timeout, options.max_memory).or_interrupted(cancel);
        let answer =
            check::Question::new(model, &options).within(&bounds).ask(history, &reads_from);
        Ok(Decided { answer, origin })
    }
}

/// Whether a memory model allows a history, with the run or the proof that shows it. `print` shows the reason.
///
/// >>> import rubric
/// >>> verdict = rubric.parse('''
/// ... 0: M[0] := 1
/// ... 0: M[1] == 0
/// ... 1: M[1] := 1
/// ... 1: M[0] == 0
/// ... check
/// ... ''').check("sc")
/// >>> [(step["thread"], step["kind"], step["edge"]) for step in verdict.cycle]
/// [(0, 'store', 'po'), (0, 'load', 'fr'), (1, 'store', 'po'), (1, 'load', 'fr')]
/// >>> print(verdict)  # doctest: +ELLIPSIS
/// violation  sc   text  (2 threads, 4 operations; SC by saturate, ...)
///   the required orderings form a cycle
///     T0:0     store M[0] := 1  line 2
///     ...
#[pyclass(module = "rubric", frozen)]
pub struct Verdict {
    decided: Arc<Decided>,
}

impl Verdict {
    /// The list with this key of the violation; empty if there is none.
    fn part<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let empty = PyList::empty(py).into_any();
        match self.violation(py)? {
            Some(violation) => violation.call_method1("get", (key, empty)),
            None => Ok(empty),
        }
    }
}

#[pymethods]
impl Verdict {
    /// `consistent`, `violation` or `undecided`.
    #[getter]
    fn verdict(&self) -> &str {
        self.decided.answer.verdict().word()
    }

    /// The name of the memory model, such as `tso`.
    #[getter]
    fn model(&self) -> &str {
        self.decided.answer.model.name()
    }

    /// Whether the model allows the history: `True`, `False`, or `None` if that is undecided.
    #[getter]
    fn holds(&self) -> Option<bool> {
        match self.verdict() {
            "consistent" => Some(true),
            "violation" => Some(false),
            _ => None,
        }
    }

    /// The stage or algorithm that decided.
    #[getter]
    fn decided_by(&self) -> String {
        self.decided.answer.outcome.decided_by.to_string()
    }

    /// Seconds that deciding took.
    #[getter]
    fn seconds(&self) -> f64 {
        self.decided.answer.seconds
    }

    /// Why the verdict is `undecided`; else `None`.
    #[getter]
    fn reason(&self) -> Option<String> {
        let answer = &self.decided.answer;
        answer.undecided().map(|reason| reason.describe(answer.history()))
    }

    /// Why the model forbids the history, with the keys of `violation` in the JSON of `rubric check`; `None` if it does not.
    #[getter]
    fn violation<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let reasoning = Reasoning::of_answer(&self.decided.answer);
        reasoning.map(|reasoning| words::object(py, &reasoning)).transpose()
    }

    /// The operations of the cycle that the model forbids, each with the edge to the next one; empty if there is none.
    #[getter]
    fn cycle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.part(py, "cycle")
    }

    /// Why the edges of the cycle that have a letter are inferred.
    #[getter]
    fn reasons<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.part(py, "why")
    }

    /// The certificate as text, which `verify` and `rubric verify` check; `None` if the verdict is undecided.
    #[getter]
    fn certificate(&self) -> PyResult<Option<String>> {
        let Decided { answer, origin } = &*self.decided;
        let file = std::path::Path::new(&origin.file).file_name();
        let file = file.map(|name| name.to_string_lossy().into_owned());
        let mut text = Vec::new();
        let written = answer.certify(&mut text, file, &origin.arguments)?;
        Ok(written.map(|_| String::from_utf8_lossy(&text).into_owned()))
    }

    /// The smallest part of the history that still violates the model. Raises `ValueError` if there is no violation.
    ///
    /// >>> import rubric
    /// >>> run = rubric.simulate("MI_example", mutant="mi-l1-replace-no-notify", client="early")
    /// >>> verdict = run.history.check("sc")
    /// >>> small = verdict.shrink()
    /// >>> len(small.history) < len(run.history), small.history.check("sc").verdict
    /// (True, 'violation')
    #[pyo3(signature = (*, timeout = None))]
    fn shrink(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Shrunk> {
        if self.decided.answer.violation().is_none() {
            return Err(PyValueError::new_err(format!(
                "only a violation shrinks, and this is {}",
                self.verdict()
            )));
        }
        let timeout = words::seconds("timeout", timeout)?;
        let decided = Arc::clone(&self.decided);
        let shrunk = call::run(py, move |cancel| {
            let answer = &decided.answer;
            let Answer { reads_from, model, .. } = answer;
            let bounds = Bounds::new(timeout, None).or_interrupted(cancel);
            let (history, violation) = (answer.history(), answer.violation()?);
            check::shrink::shrink(history, reads_from, *model, violation, &bounds, &mut |_| {})
        })?;
        let Some(shrunk) = shrunk else {
            return Err(PyValueError::new_err(
                "no operation takes part in the violation, so there is nothing to shrink",
            ));
        };
        Ok(Shrunk::new(shrunk, &self.decided))
    }

    /// The verdict as a picture: the cycle, or the memory order that explains a consistent history. It shows itself in Jupyter.
    fn explain(&self, py: Python<'_>) -> PyResult<Explanation> {
        let decided = Arc::clone(&self.decided);
        call::run(py, move |_| Explanation::of(&decided))
    }

    fn __str__(&self) -> String {
        self.decided.text()
    }

    fn __repr__(&self) -> String {
        format!("<rubric.Verdict: {}>", self.decided.headline())
    }

    /// The same as `str` gives, for Jupyter.
    fn _repr_html_(&self) -> String {
        format!("<pre>{}</pre>", words::escaped(&self.decided.text()))
    }
}

/// The smallest part of a history that still violates a model.
#[pyclass(module = "rubric", frozen)]
pub struct Shrunk {
    /// The verdict on the part.
    decided: Arc<Decided>,
    /// The verdict on the whole history with the same proof, so that operations have the names of the trace.
    in_whole: Arc<Decided>,
    shape: Option<String>,
    is_minimal: bool,
    kept: Vec<(u32, u32)>,
}

impl Shrunk {
    fn new(shrunk: check::shrink::Shrunk, whole: &Decided) -> Shrunk {
        let shape = rubric::shape(&shrunk).map(|shape| shape.name.to_owned());
        let seen = whole.answer.history();
        let place = |&op| {
            let operation = seen.operation(op);
            (operation.thread, operation.index)
        };
        let is_access = |op: &&history::OpId| !seen.is_further_part(**op);
        let kept = shrunk.kept.iter().filter(is_access).map(place).collect();
        let in_whole = Decided {
            answer: whole.answer.with_violation(shrunk.violation_in(seen)),
            origin: Arc::clone(&whole.origin),
        };
        let part = Answer {
            whole: Arc::new(shrunk.history),
            form: None,
            reads_from: shrunk.reads_from,
            cases: Cases::default(),
            ..whole.answer.with_violation(shrunk.violation)
        };
        let part = Decided { answer: part, origin: Arc::clone(&whole.origin) };
        Shrunk {
            decided: Arc::new(part),
            in_whole: Arc::new(in_whole),
            shape,
            is_minimal: shrunk.is_minimal,
            kept,
        }
    }

    /// The size of the part, and the name of its shape if it has one: `6 operations: R`.
    fn sized(&self) -> String {
        let shape = self.shape.as_ref().map(|shape| format!(": {shape}")).unwrap_or_default();
        format!("{} operations{shape}", self.decided.answer.whole.operations())
    }

    /// The size of the part, and the proof with the names of the trace.
    fn text(&self) -> String {
        format!("shrunk to {}\n{}", self.sized(), self.in_whole.text())
    }
}

#[pymethods]
impl Shrunk {
    /// The part, as a history of its own, whose operations are numbered anew; `kept` has their places in the whole one.
    #[getter]
    fn history(&self) -> History {
        History::new(Arc::clone(&self.decided.answer.whole), Arc::clone(&self.decided.origin))
    }

    /// The verdict on the part as a history of its own.
    #[getter]
    fn verdict(&self) -> Verdict {
        Verdict { decided: Arc::clone(&self.decided) }
    }

    /// The known litmus test that the part is an instance of, such as `SB`; `None` if it has no name.
    #[getter]
    fn shape(&self) -> Option<&str> {
        self.shape.as_deref()
    }

    /// Whether no operation can be left out. If not, the time was over before that was known.
    #[getter]
    fn is_minimal(&self) -> bool {
        self.is_minimal
    }

    /// Thread and index in the whole history of each operation of the part.
    #[getter]
    fn kept(&self) -> Vec<(u32, u32)> {
        self.kept.clone()
    }

    /// The part as a picture with the names of the trace, which shows itself in Jupyter.
    fn explain(&self, py: Python<'_>) -> PyResult<Explanation> {
        Verdict { decided: Arc::clone(&self.in_whole) }.explain(py)
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("<rubric.Shrunk to {}>", self.sized())
    }

    /// The same as `str` gives, for Jupyter.
    fn _repr_html_(&self) -> String {
        format!("<pre>{}</pre>", words::escaped(&self.text()))
    }
}
