//! The table of measurements.

use crate::records::{Cell, Record, fields, table};

/// How much time and memory rubric needed to check one history against one model, and to verify its certificate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    /// The series that the row belongs to: the parameter that it varies (`operations`, `threads`, `locations`, `mix`,
    /// `violations`), or `targets` or `pipeline`.
    pub series: String,
    /// Version of the program that was measured.
    pub version: String,
    /// The command that generated the trace.
    pub command: String,
    /// Format of the trace, as the extension of its file: `axe`, `trace.gz`.
    pub format: String,
    /// The model that the history was checked against.
    pub model: String,
    /// The algorithm that was asked to decide.
    pub algorithm: String,
    /// Number of operations, including fences.
    pub operations: u64,
    /// Number of threads.
    pub threads: u32,
    /// Number of locations.
    pub locations: u32,
    /// Weight of loads among the operations.
    pub loads: u32,
    /// Weight of stores among the operations.
    pub stores: u32,
    /// Weight of read-modify-writes among the operations.
    pub rmws: u32,
    /// Weight of fences among the operations.
    pub fences: u32,
    /// Number of reads that were re-pointed to another write.
    pub violations: u32,
    /// Seed of the generator.
    pub seed: u64,
    /// Size of the file with the trace, in bytes.
    pub trace_bytes: u64,
    /// The verdict, or `timeout`.
    pub verdict: String,
    /// The stage that decided or gave up.
    pub decided_by: String,
    /// Number of runs that were measured. The columns that follow are medians over them.
    pub runs: u32,
    /// Seconds of running the program to check the trace, including reading and writing.
    pub check_seconds: f64,
    /// Seconds of `check_seconds` that deciding took.
    pub decide_seconds: f64,
    /// Peak memory of the program while checking, in bytes.
    pub check_peak: u64,
    /// Number of edges that saturation derived.
    pub edges: u64,
    /// Number of contradictions that the search met.
    pub backtracks: u64,
    /// Size of the certificate, in bytes; `None` without a verdict.
    pub certificate_bytes: Option<u64>,
    /// Seconds of running the program to verify the certificate.
    pub verify_seconds: Option<f64>,
    /// Peak memory of the program while verifying, in bytes.
    pub verify_peak: Option<u64>,
}

impl Record for Measurement {
    const TABLE: &'static str = "a table of measurements";
    const MADE_BY: &'static str = "make bench";

    fn fields(&mut self) -> Vec<(&'static str, &mut dyn Cell)> {
        fields!(self:
            series version command format model algorithm operations threads locations
            loads stores rmws fences violations seed trace_bytes verdict decided_by runs
            check_seconds decide_seconds check_peak edges backtracks certificate_bytes
            verify_seconds verify_peak
        )
    }
}

table!(Measurement: write_measurements read_measurements);
