//! [`LitmusTest`]: a litmus test, and the outcomes that a model allows.

use std::path::PathBuf;
use std::time::Instant;

use ::litmus::{LitmusTest as Test, Outcomes, outcomes};
use check::Model;
use host::inputs::LARGEST_TEXT_BYTES;
use memory::{PsoRmw, models};
use pyo3::prelude::*;

use crate::error::{Error, InputError};
use crate::{call, words};

/// A litmus test, and all outcomes that a model allows.
#[pyclass(module = "rubric", frozen)]
pub struct LitmusTest {
    test: Test,
    model: Model,
    outcomes: Outcomes,
    seconds: f64,
}

#[pymethods]
impl LitmusTest {
    /// The name of the test.
    #[getter]
    fn name(&self) -> &str {
        &self.test.name
    }

    /// `X86_64`, `AArch64` or `RISCV`.
    #[getter]
    fn architecture(&self) -> &str {
        self.test.architecture.name()
    }

    /// The name of the memory model, such as `tso`.
    #[getter]
    fn model(&self) -> &str {
        self.model.name()
    }

    /// The final states that the model allows, as herd prints them.
    #[getter]
    fn states(&self) -> Vec<String> {
        self.outcomes.states.iter().map(|state| self.test.state(state)).collect()
    }

    /// The test's condition on one line, such as `exists (0:x5=1)`.
    #[getter]
    fn condition(&self) -> String {
        self.test.condition()
    }

    /// Whether the condition is met.
    #[getter]
    fn is_met(&self) -> bool {
        self.outcomes.satisfies(self.test.condition.quantifier)
    }

    /// In how many states the condition's proposition holds: `Never`, `Sometimes` or `Always`.
    #[getter]
    fn observation(&self) -> &str {
        self.outcomes.observation().name()
    }

    /// The numbers of executions in which the proposition holds and does not hold.
    #[getter]
    fn witnesses(&self) -> (u64, u64) {
        self.outcomes.witnesses()
    }

    /// The line of a loop that was not followed to its end, so that states may be missing; `None` if there is none.
    #[getter]
    fn loop_limit(&self) -> Option<usize> {
        self.outcomes.loop_limit
    }

    /// Seconds that finding the outcomes took.
    #[getter]
    fn seconds(&self) -> f64 {
        self.seconds
    }

    fn __str__(&self) -> String {
        self.test.report(&self.outcomes)
    }

    fn __repr__(&self) -> String {
        format!(
            "<rubric.LitmusTest {}: {} under {}, {} states>",
            self.test.name,
            self.observation(),
            self.model.name(),
            self.outcomes.states.len()
        )
    }

    /// The same as `str` gives, for Jupyter.
    fn _repr_html_(&self) -> String {
        format!("<pre>{}</pre>", words::escaped(&self.test.report(&self.outcomes)))
    }
}

/// Finds all outcomes of a litmus test in herd's format, for RISC-V, AArch64 or x86-64: the path of a file, or its text. Without `model` it
/// is that of the test's architecture. A thread goes back at most `unroll` times at each branch.
///
/// >>> import rubric
/// >>> test = '''X86_64 SB
/// ... { }
/// ...  P0            | P1            ;
/// ...  movl $1,(x)   | movl $1,(y)   ;
/// ...  movl (y),%eax | movl (x),%eax ;
/// ... exists (0:rax=0 /\\ 1:rax=0)
/// ... '''
/// >>> rubric.litmus(test)
/// <rubric.LitmusTest SB: Sometimes under tso, 4 states>
/// >>> rubric.litmus(test, model="sc").observation
/// 'Never'
#[pyfunction]
#[pyo3(signature = (test, *, model = None, unroll = 2))]
pub(crate) fn litmus(
    py: Python<'_>,
    test: &Bound<'_, PyAny>,
    model: Option<&str>,
    unroll: u8,
) -> PyResult<LitmusTest> {
    let (file, text) = match test.extract::<String>() {
        // A test has several lines, and the path of a file has one.
        Ok(text) if text.contains('\n') => ("text".to_owned(), text),
        _ => {
            let path: PathBuf = test.extract()?;
            (path.display().to_string(), host::inputs::read_text(&path, LARGEST_TEXT_BYTES)?)
        }
    };
    let known: Vec<Model> =
        models::ALL.iter().copied().filter(|model| !model.uses_ticks()).collect();
    let model = model.map(|name| words::named("model", name, &known, Model::name)).transpose()?;
    let model = model.map(|model| model.with_rmw(PsoRmw::Own));
    call::run(py, move |_| {
        let begun = Instant::now();
        let test =
            Test::parse(&file, &text).map_err(|error| InputError::new_err(error.to_string()))?;
        let model = model.unwrap_or(test.architecture.model());
        let outcomes = outcomes(&test, model, usize::from(unroll));
        let outcomes = outcomes.map_err(|error| Error::new_err(error.to_string()))?;
        Ok(LitmusTest { test, model, outcomes, seconds: begun.elapsed().as_secs_f64() })
    })?
}
