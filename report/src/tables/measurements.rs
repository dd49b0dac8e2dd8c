//! The table of measurements.

use std::fs::File;
use std::path::Path;

use polars::prelude::{
    AnyValue, Column, DataFrame, DataType, ParquetReader, PolarsResult, SerReader, Series,
};

use super::TableError;
use super::guard::guarded;
use super::write::create;

/// How long one history and model took, and how much memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    /// The series that the row belongs to: what is varied in it.
    pub series: String,
    /// Version of the program that was measured.
    pub version: String,
    /// The command that generated the trace.
    pub command: String,
    /// Format of the trace, as the extension of its file.
    pub format: String,
    /// The model it was checked against.
    pub model: String,
    /// What was to decide.
    pub algorithm: String,
    /// Number of operations, fences too.
    pub operations: u64,
    /// Number of threads.
    pub threads: u32,
    /// Number of locations.
    pub locations: u32,
    /// Weight of loads among the operations.
    pub loads: u32,
    /// Weight of stores.
    pub stores: u32,
    /// Weight of read-modify-writes.
    pub rmws: u32,
    /// Weight of fences.
    pub fences: u32,
    /// How many reads were re-pointed.
    pub violations: u32,
    /// Seed of the generator.
    pub seed: u64,
    /// Size of the file with the trace, in bytes.
    pub trace_bytes: u64,
    /// The verdict, or `timeout`.
    pub verdict: String,
    /// The stage that decided or gave up.
    pub decided_by: String,
    /// Number of runs; of what follows the median is given.
    pub runs: u32,
    /// Seconds that the program ran to check the trace, reading and writing included.
    pub check_seconds: f64,
    /// Seconds of it that it took to decide.
    pub decide_seconds: f64,
    /// The most memory that it held meanwhile, in bytes.
    pub check_peak: u64,
    /// Edges that saturation derived.
    pub edges: u64,
    /// Contradictions that the search met.
    pub backtracks: u64,
    /// Size of the certificate, in bytes; none without a verdict.
    pub certificate_bytes: Option<u64>,
    /// Seconds that the program ran to verify the certificate.
    pub verify_seconds: Option<f64>,
    /// The most memory that it held meanwhile, in bytes.
    pub verify_peak: Option<u64>,
}

/// A field of a measurement: its column holds values of this type.
enum Field<'a> {
    Text(&'a mut String),
    Small(&'a mut u32),
    Number(&'a mut u64),
    Seconds(&'a mut f64),
    NumberOrNull(&'a mut Option<u64>),
    SecondsOrNull(&'a mut Option<f64>),
}

impl Measurement {
    /// The columns, in order: reading and writing go by this alone.
    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)> {
        use Field::{Number, NumberOrNull, Seconds, SecondsOrNull, Small, Text};
        vec![
            ("series", Text(&mut self.series)),
            ("version", Text(&mut self.version)),
            ("command", Text(&mut self.command)),
            ("format", Text(&mut self.format)),
            ("model", Text(&mut self.model)),
            ("algorithm", Text(&mut self.algorithm)),
            ("operations", Number(&mut self.operations)),
            ("threads", Small(&mut self.threads)),
            ("locations", Small(&mut self.locations)),
            ("loads", Small(&mut self.loads)),
            ("stores", Small(&mut self.stores)),
            ("rmws", Small(&mut self.rmws)),
            ("fences", Small(&mut self.fences)),
            ("violations", Small(&mut self.violations)),
            ("seed", Number(&mut self.seed)),
            ("trace_bytes", Number(&mut self.trace_bytes)),
            ("verdict", Text(&mut self.verdict)),
            ("decided_by", Text(&mut self.decided_by)),
            ("runs", Small(&mut self.runs)),
            ("check_seconds", Seconds(&mut self.check_seconds)),
            ("decide_seconds", Seconds(&mut self.decide_seconds)),
            ("check_peak", Number(&mut self.check_peak)),
            ("edges", Number(&mut self.edges)),
            ("backtracks", Number(&mut self.backtracks)),
            (
                "certificate_bytes",
                NumberOrNull(&mut self.certificate_bytes),
            ),
            ("verify_seconds", SecondsOrNull(&mut self.verify_seconds)),
            ("verify_peak", NumberOrNull(&mut self.verify_peak)),
        ]
    }
}

/// Writes measurements as a table, in the order given.
///
/// # Errors
/// If the file cannot be written; what was written of it is removed.
pub fn write_measurements(path: &Path, rows: &[Measurement]) -> Result<(), TableError> {
    create(path, None, std::iter::once(frame(rows)))
}

fn frame(rows: &[Measurement]) -> PolarsResult<DataFrame> {
    let mut rows = rows.to_vec();
    let mut empty = Measurement::default();
    let fields = empty.fields();
    let columns = fields.iter().enumerate().map(|(at, (name, field))| {
        let values: Vec<AnyValue<'static>> = rows
            .iter_mut()
            .map(|row| value(&row.fields()[at].1))
            .collect();
        let name = (*name).into();
        Series::from_any_values_and_dtype(name, &values, &dtype(field), true).map(Column::from)
    });
    let columns: PolarsResult<Vec<Column>> = columns.collect();
    DataFrame::new_infer_height(columns?)
}

fn dtype(field: &Field<'_>) -> DataType {
    match field {
        Field::Text(_) => DataType::String,
        Field::Small(_) => DataType::UInt32,
        Field::Number(_) | Field::NumberOrNull(_) => DataType::UInt64,
        Field::Seconds(_) | Field::SecondsOrNull(_) => DataType::Float64,
    }
}

fn value(field: &Field<'_>) -> AnyValue<'static> {
    match field {
        Field::Text(text) => AnyValue::StringOwned(text.as_str().into()),
        Field::Small(number) => AnyValue::UInt32(**number),
        Field::Number(number) => AnyValue::UInt64(**number),
        Field::Seconds(seconds) => AnyValue::Float64(**seconds),
        Field::NumberOrNull(number) => number.map_or(AnyValue::Null, AnyValue::UInt64),
        Field::SecondsOrNull(seconds) => seconds.map_or(AnyValue::Null, AnyValue::Float64),
    }
}

/// Reads what [`write_measurements`] wrote.
///
/// # Errors
/// A file that cannot be read, is damaged, or lacks columns or values.
pub fn read_measurements(path: &Path) -> Result<Vec<Measurement>, TableError> {
    let file = File::open(path).map_err(TableError::io(path))?;
    let frame = guarded(path, || ParquetReader::new(file).finish())?;
    let mut rows = vec![Measurement::default(); frame.height()];
    let mut empty = Measurement::default();
    for (at, (name, field)) in empty.fields().iter().enumerate() {
        let wrong = |what: &str| schema(path, format!("the column `{name}` {what}"));
        let column = frame.column(name).map_err(|_| wrong("is missing"))?;
        let (found, expected) = (column.dtype(), dtype(field));
        if *found != expected {
            return Err(wrong(&format!("holds {found}, not {expected}")));
        }
        for (number, row) in rows.iter_mut().enumerate() {
            let value = column.get(number).unwrap_or(AnyValue::Null);
            if !set(&mut row.fields()[at].1, &value) {
                return Err(wrong(&format!("has no value in row {number}")));
            }
        }
    }
    Ok(rows)
}

fn schema(path: &Path, what: String) -> TableError {
    TableError::Measurements {
        path: path.to_owned(),
        what,
    }
}

/// Sets a field to a value of its type. False if there must be a value and is none.
fn set(field: &mut Field<'_>, value: &AnyValue<'_>) -> bool {
    match (field, value) {
        (Field::Text(field), AnyValue::String(text)) => **field = (*text).to_owned(),
        (Field::Small(field), AnyValue::UInt32(number)) => **field = *number,
        (Field::Number(field), AnyValue::UInt64(number)) => **field = *number,
        (Field::Seconds(field), AnyValue::Float64(seconds)) => **field = *seconds,
        (Field::NumberOrNull(field), AnyValue::UInt64(number)) => **field = Some(*number),
        (Field::SecondsOrNull(field), AnyValue::Float64(seconds)) => **field = Some(*seconds),
        (Field::NumberOrNull(_) | Field::SecondsOrNull(_), AnyValue::Null) => {}
        _ => return false,
    }
    true
}
