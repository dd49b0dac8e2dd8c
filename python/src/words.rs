//! Names as arguments, and values of rubric as Python's objects.

use std::time::Duration;

use check::{Algorithm, Model};
use memory::{PsoRmw, models};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;

/// The value with a name in any case, or a `ValueError` that lists the names.
pub(crate) fn named<T: Copy>(
    what: &str,
    word: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> PyResult<T> {
    all.iter().copied().find(|&one| name(one).eq_ignore_ascii_case(word)).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&one| name(one)).collect();
        PyValueError::new_err(format!("{what} {word:?}: one of {} was expected", names.join(", ")))
    })
}

/// The model with a name. `pso_rmw` says what a read-modify-write waits for under PSO.
pub(crate) fn model(name: &str, pso_rmw: &str) -> PyResult<Model> {
    let rmw = named("pso_rmw", pso_rmw, &PsoRmw::ALL, PsoRmw::name)?;
    Ok(named("model", name, models::ALL, Model::name)?.with_rmw(rmw))
}

/// The algorithm with a name, which must be about the model.
pub(crate) fn algorithm(name: &str, model: Model) -> PyResult<Algorithm> {
    let algorithm = named("algorithm", name, &papers::ALL, Algorithm::name)?;
    if algorithm.applies_to(model) {
        return Ok(algorithm);
    }
    let own = algorithm.default_model().name();
    Err(PyValueError::new_err(format!(
        "algorithm {name:?} says nothing about {model}: it is for {own}"
    )))
}

/// Parses a time limit in seconds, or raises a `ValueError`.
pub(crate) fn seconds(option: &str, seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let duration = seconds.map(Duration::try_from_secs_f64).transpose();
    duration.map_err(|_| {
        PyValueError::new_err(format!(
            "{option}: a number of seconds was expected, such as 10 or 0.5"
        ))
    })
}

/// Converts a value to Python's dictionaries, lists, strings and numbers. Integers are exact.
pub(crate) fn object<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value);
    let text = text.map_err(|error| PyValueError::new_err(error.to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}

/// Escapes a text so that HTML shows it as it is.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
