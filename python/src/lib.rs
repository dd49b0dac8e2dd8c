//! The compiled part of the Python package `rubric`: classes and functions around the libraries.
//!
//! - `call`: runs long work without Python's lock, so that Ctrl-C ends it;
//! - `error`: the exceptions;
//! - `history`, `verdict`, `explanation`, `kernel`, `certificate`: a trace, and results about it;
//! - `files`: checks many traces;
//! - `simulate`, `campaign`, `litmus_test`: make traces and outcomes;
//! - `probe`: keeps damaged Parquet files from ending the program;
//! - `table`: tables that other packages read through Arrow's C stream interface;
//! - `words`: names as arguments, and values as Python's objects.
//!
//! The docstrings of the package are the documentation of these items; their examples are run by `python/test.sh`.

mod call;
mod campaign;
mod certificate;
mod decided;
mod error;
mod explanation;
mod files;
mod history;
mod kernel;
mod litmus_test;
mod origin;
mod probe;
mod settings;
mod simulate;
mod table;
mod verdict;
mod words;

use pyo3::prelude::*;

/// The compiled part of the package `rubric`.
#[pymodule]
mod _rubric {
    #[pymodule_export]
    use crate::campaign::{Campaign, campaign};
    #[pymodule_export]
    use crate::certificate::{Verified, verify};
    #[pymodule_export]
    use crate::error::{CertificateError, Error, InputError, ProtocolError};
    #[pymodule_export]
    use crate::explanation::Explanation;
    #[pymodule_export]
    use crate::files::check_files;
    #[pymodule_export]
    use crate::history::{History, parse, read, read_all};
    #[pymodule_export]
    use crate::kernel::Kernel;
    #[pymodule_export]
    use crate::litmus_test::{LitmusTest, litmus};
    #[pymodule_export]
    use crate::simulate::{Simulation, simulate};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::verdict::{Shrunk, Verdict};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        ::settings::spell(crate::settings::as_keyword);
        // Only the child process of `probe` uses it, so it is not among the names that the module exports.
        module.setattr("_decode", wrap_pyfunction!(crate::probe::decode, module)?)?;
        crate::probe::install(module)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
