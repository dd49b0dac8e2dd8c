//! The table of verdicts on many traces.

use schemars::JsonSchema;
use serde::Serialize;

use crate::records::{Cell, Record, fields, table};

/// A verdict on a history under a model, or a file without one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct VerdictRow {
    /// The file, or gem5's output folder.
    pub file: String,
    /// The folder of the file; empty for the current folder and for standard input.
    pub folder: String,
    /// The name of the history in the file; `None` if it has none.
    pub history: Option<String>,
    /// The model; `None` if the file cannot be checked.
    pub model: Option<String>,
    /// `consistent`, `violation` or `undecided`; `error` if the file cannot be checked.
    #[schemars(extend("enum" = ["consistent", "violation", "undecided", "error"]))]
    pub verdict: String,
    /// The algorithm that was asked to decide.
    pub algorithm: Option<String>,
    /// The stage or algorithm that decided.
    pub decided_by: Option<String>,
    /// The number of threads.
    pub threads: Option<u32>,
    /// The number of operations.
    pub operations: Option<u64>,
    /// The number of locations.
    pub locations: Option<u64>,
    /// Seconds that deciding took. Other histories may have been decided at the same time.
    pub seconds: Option<f64>,
    /// The coherence protocol, if the trace names it.
    pub protocol: Option<String>,
    /// The mutant of the protocol, if the trace names one.
    pub mutant: Option<String>,
    /// How the run ended, if it is known.
    pub ended: Option<String>,
    /// Whether the run crashed.
    pub crashed: bool,
    /// The length of the cycle of the proof; `None` if there is none.
    pub cycle: Option<u32>,
    /// The line of the trace that shows the first operation of the proof.
    pub line: Option<u64>,
    /// Why the history is undecided, or why the file cannot be checked.
    pub reason: Option<String>,
    /// The certificate that was written.
    pub certificate: Option<String>,
}

impl Record for VerdictRow {
    const TABLE: &'static str = "a table of verdicts";
    const MADE_BY: &'static str = "rubric check -o FILE.parquet";

    const NEWER: &'static [&'static str] = &["mutant"];

    fn fields(&mut self) -> Vec<(&'static str, &mut dyn Cell)> {
        fields!(self:
            file folder history model verdict algorithm decided_by threads operations locations seconds protocol mutant ended crashed
            cycle line reason certificate
        )
    }
}

table!(VerdictRow: write_verdicts read_verdicts);
