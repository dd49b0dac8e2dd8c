//! The results of `rubric run` as JSON.

use std::io::{self, Write};

use lab::hardware::{ProgramRow, Results, Series, Stopped, Tally};
use schemars::JsonSchema;
use serde::Serialize;

use super::evidence::Evidence;
use crate::json;

/// The sums over the programs of a series.
#[derive(Debug, Default)]
pub(super) struct Sums {
    pub(super) programs: u64,
    pub(super) runs: u64,
    pub(super) operations: u64,
    pub(super) outcomes: u64,
    pub(super) nanoseconds: u64,
    /// Seconds of compiling, running and deciding.
    pub(super) seconds: f64,
    pub(super) certificates: u64,
    /// The median of the programs' medians.
    pub(super) spread: u64,
    pub(super) verdicts: Vec<Tally>,
}

impl Sums {
    pub(super) fn of(results: &Results) -> Sums {
        let mut sums = Sums::default();
        for row in &results.rows {
            sums.programs += 1;
            sums.runs += row.runs;
            sums.operations += row.runs * row.operations;
            sums.outcomes += row.outcomes;
            sums.nanoseconds += row.nanoseconds;
            sums.seconds += row.compiling + row.deciding + row.nanoseconds as f64 / 1e9;
            sums.certificates += row.certificates;
            if sums.verdicts.is_empty() {
                sums.verdicts.clone_from(&row.verdicts);
            } else {
                sums.verdicts.iter_mut().zip(&row.verdicts).for_each(|(sum, one)| sum.merge(one));
            }
        }
        let mut spreads: Vec<u64> = results.rows.iter().map(|row| row.spread).collect();
        spreads.sort_unstable();
        sums.spread = spreads.get(spreads.len() / 2).copied().unwrap_or(0);
        sums
    }

    /// Operations a second while programs ran.
    pub(super) fn operations_a_second(&self) -> f64 {
        self.operations as f64 / (self.nanoseconds as f64 / 1e9).max(1e-9)
    }
}

/// The results of a series.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    /// The command without its bounds.
    command: &'a str,
    /// The instruction set of the programs.
    isa: &'static str,
    /// The number of runs.
    runs: u64,
    /// The number of operations of all runs.
    operations: u64,
    /// Operations a second while programs ran.
    operations_a_second: f64,
    /// Seconds of compiling, running and deciding.
    seconds: f64,
    /// The number of different outcomes, added up over programs.
    outcomes: u64,
    /// How many certificates were verified.
    certificates: u64,
    /// The verdicts under each model; the machine should keep the last one.
    verdicts: Vec<Tally>,
    /// The programs, by seed.
    programs: &'a [ProgramRow],
    /// The first violation, if there is one, also if an earlier process of the series has found it.
    violation: Option<ViolationJson<'a>>,
    /// Why the series ended before its bounds, if it did.
    stopped: Option<String>,
}

/// A violation of what the machine should keep.
#[derive(Serialize, JsonSchema)]
struct ViolationJson<'a> {
    /// The seed of the program.
    seed: u64,
    /// The name of the memory model that the outcome violates.
    model: &'static str,
    /// The operations of the smallest part; empty if the outcome is not there any more.
    operations: &'a [String],
    /// Why they violate the model.
    explanation: &'a str,
    /// The command that runs the program again.
    command: &'a str,
    /// The files that were written.
    files: Vec<String>,
}

/// Prints the results of a series as one object.
pub(super) fn print(
    series: &Series,
    results: &Results,
    evidence: Option<&Evidence>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let sums = Sums::of(results);
    let document = Document {
        command: &series.command,
        isa: series.plan.isa.name(),
        runs: sums.runs,
        operations: sums.operations,
        operations_a_second: sums.operations_a_second(),
        seconds: sums.seconds,
        outcomes: sums.outcomes,
        certificates: sums.certificates,
        verdicts: sums.verdicts,
        programs: &results.rows,
        violation: evidence.map(|evidence| ViolationJson {
            seed: evidence.seed,
            model: evidence.model.name(),
            operations: &evidence.operations,
            explanation: &evidence.explanation,
            command: &evidence.command,
            files: evidence.files.iter().map(|path| path.display().to_string()).collect(),
        }),
        stopped: results.stopped.as_ref().map(Stopped::to_string),
    };
    json::line(&document, out)
}
