//! The table of measurements.

use std::path::Path;

use crate::TableError;
use crate::records::{Field, Record, read_records, write_records};

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

impl Record for Measurement {
    const TABLE: &'static str = "a table of measurements";
    const MADE_BY: &'static str = "make bench";

    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)> {
        use Field::{Algorithm, Number, NumberOrNull, Seconds, SecondsOrNull, Small, Text};
        vec![
            ("series", Text(&mut self.series)),
            ("version", Text(&mut self.version)),
            ("command", Text(&mut self.command)),
            ("format", Text(&mut self.format)),
            ("model", Text(&mut self.model)),
            ("algorithm", Algorithm(&mut self.algorithm)),
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
            ("decided_by", Algorithm(&mut self.decided_by)),
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
    write_records(path, rows)
}

/// Reads what [`write_measurements`] wrote.
///
/// # Errors
/// A file that cannot be read, is damaged, or lacks columns or values.
pub fn read_measurements(path: &Path) -> Result<Vec<Measurement>, TableError> {
    read_records(path)
}
