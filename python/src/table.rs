//! [`Table`]: rows that other packages read through Arrow's C stream interface.

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use tables::ArrowTable;

use crate::words;

/// Most rows that Jupyter shows.
const SHOWN: usize = 10;

/// A table of rows, which polars, pyarrow, pandas, DuckDB and others read without a copy.
///
/// >>> import rubric
/// >>> run = rubric.simulate("MI_example", operations=20, threads=2)
/// >>> table = run.history.table
/// >>> len(table), table.columns[:5]
/// (40, ['history', 'name', 'thread', 'index', 'kind'])
///
/// `polars.DataFrame(table)` and `pyarrow.table(table)` share its memory.
#[pyclass(module = "rubric", frozen)]
pub struct Table {
    arrow: ArrowTable,
}

impl Table {
    pub fn new(arrow: ArrowTable) -> Table {
        Table { arrow }
    }
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        self.arrow.columns().collect()
    }

    fn __len__(&self) -> usize {
        self.arrow.height()
    }

    fn __repr__(&self) -> String {
        let columns: Vec<&str> = self.arrow.columns().collect();
        format!("<rubric.Table of {} rows: {}>", self.arrow.height(), columns.join(", "))
    }

    /// The first rows, for Jupyter.
    fn _repr_html_(&self) -> String {
        let tag = |tag: &str, text: &str| format!("<{tag}>{}</{tag}>", words::escaped(text));
        let heads: String = self.arrow.columns().map(|column| tag("th", column)).collect();
        let rows = self.arrow.first_rows(SHOWN).into_iter().map(|row| {
            let cells: String = row.iter().map(|cell| tag("td", cell)).collect();
            format!("<tr>{cells}</tr>")
        });
        let rows: String = rows.collect();
        let height = self.arrow.height();
        let more = if height > SHOWN {
            format!(", of which the first {SHOWN} are shown")
        } else {
            String::new()
        };
        format!(
            "<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table><p>{height} rows{more}</p>"
        )
    }

    /// The table as a stream of Arrow's C interface, in a capsule. Packages call this; no value is copied.
    #[pyo3(signature = (requested_schema = None))]
    pub fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A producer may ignore the schema that the consumer requests.
        drop(requested_schema);
        PyCapsule::new_with_value(py, self.arrow.stream(), c"arrow_array_stream")
    }

    /// The table as a `pyarrow.Table` that shares its memory.
    pub fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// The table as a `polars.DataFrame` that shares its memory.
    pub fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// The table as a `pandas.DataFrame` with columns of `pandas.ArrowDtype`: numbers that may be missing stay whole and exact, also
    /// above 2**53. Needs pandas and pyarrow.
    pub fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let options = PyDict::new(py);
        options.set_item("types_mapper", py.import("pandas")?.getattr("ArrowDtype")?)?;
        Table::to_arrow(slf)?.call_method("to_pandas", (), Some(&options))
    }
}
