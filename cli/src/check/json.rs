//! Verdicts as JSON, one object a line.

use std::io::{self, Write};

use check::verdict::SatStatistics;
use check::{Algorithm, assumptions};
use history::History;
use schemars::JsonSchema;
use serde::Serialize;
use tables::VerdictRow;

use super::comparison::Comparison;
use super::{Decided, Printer};
use crate::json;
use lab::ending::RunEnd;
use lab::ending::json::{CrashJson, Outstanding};
use lab::load::Input;
use report::explain::reasoning::Reasoning;

/// Prints JSON.
pub(crate) struct Json;

/// A line of `rubric check --format json`: a verdict on a history under a model, or an input that cannot be read.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Line<'a> {
    /// A verdict on a history under a model.
    Verdict(Box<Verdict<'a>>),
    /// An input that cannot be read.
    Unreadable(Unreadable<'a>),
}

/// An input that cannot be read.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Unreadable<'a> {
    /// The file or pipe that the history was read from, as it was given.
    file: &'a str,
    /// Why it cannot be read.
    reason: Option<&'a str>,
    /// The word `error`.
    #[schemars(extend("enum" = ["error"]))]
    verdict: &'a str,
}

/// A verdict on a history under a model.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Verdict<'a> {
    /// The file or pipe that the history was read from, as it was given.
    file: &'a str,
    /// The name of the history in the file.
    history: Option<&'a str>,
    /// The name of the memory model, such as `tso`.
    model: &'a str,
    /// What a read-modify-write waits for under PSO.
    #[serde(skip_serializing_if = "Option::is_none")]
    pso_rmw: Option<&'a str>,
    /// The criterion that the verdict is about, if weaker than the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    criterion: Option<&'a str>,
    /// The verdict.
    #[schemars(extend("enum" = ["consistent", "violation", "undecided"]))]
    verdict: &'a str,
    /// The algorithm that was asked to decide.
    algorithm: &'a str,
    /// The stage or algorithm that decided.
    decided_by: String,
    /// The number of threads.
    threads: usize,
    /// The number of operations.
    operations: usize,
    /// The number of locations.
    locations: usize,
    /// Seconds that deciding took.
    seconds: f64,
    /// The kind of lines of the trace that the operations come from.
    source: &'a str,
    /// The instruction set of executed instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    isa: Option<&'static str>,
    /// How the sizes of accesses are known.
    sizes: String,
    /// How initial values are known.
    initial: &'a str,
    /// The coherence protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<&'a str>,
    /// How the run ended, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<&'a str>,
    /// The crash, with the last steps before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    crash: Option<CrashJson<'a>>,
    /// The number of requests without a completion.
    unfinished: usize,
    /// The requests that were never answered, with the controllers that are busy with their cache lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outstanding: Vec<Outstanding<'a>>,
    /// Assumptions and caveats, one sentence each.
    notes: Vec<String>,
    /// Whether accesses that overlap were split. The verdict `consistent` then holds only for the parts.
    split: bool,
    /// Why the history is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<Reasoning>,
    /// Number of edges that saturation derived.
    edges: usize,
    /// Number of contradictions that the search met.
    backtracks: u64,
    /// Number of choices that the deepest backtrack undid.
    depth: u64,
    /// Number of states or choices that a search visited.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    /// Unordered pairs of writes of one location that were ordered before any search.
    #[serde(skip_serializing_if = "Option::is_none")]
    ordered: Option<u64>,
    /// The weaker criterion that refuted the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    fired: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sat: Option<Sat>,
    /// The file of the certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<String>,
    /// Steps of the certificate's run or proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate_steps: Option<usize>,
    /// Size of the certificate's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate_bytes: Option<u64>,
}

/// Size of a SAT problem, and the work of the solver.
#[derive(Serialize, JsonSchema)]
struct Sat {
    /// Number of variables.
    variables: u64,
    /// Number of clauses.
    clauses: u64,
    /// Number of clauses that the solver learned.
    learned: u64,
    /// Number of calls of the solver.
    calls: u64,
}

impl From<SatStatistics> for Sat {
    fn from(sat: SatStatistics) -> Sat {
        Sat {
            variables: sat.variables,
            clauses: sat.clauses,
            learned: sat.learned,
            calls: sat.calls,
        }
    }
}

impl Printer for Json {
    fn crash(&mut self, _: &Input, _: &History, _: &mut dyn Write) -> io::Result<()> {
        // Each line of JSON has the crash.
        Ok(())
    }

    fn verdict(&mut self, decided: &Decided<'_>, out: &mut dyn Write) -> io::Result<()> {
        json::line(&Line::Verdict(Box::new(verdict(decided))), out)
    }

    fn unreadable(&mut self, row: &VerdictRow, out: &mut dyn Write) -> io::Result<()> {
        let unreadable =
            Unreadable { file: &row.file, reason: row.reason.as_deref(), verdict: &row.verdict };
        json::line(&Line::Unreadable(unreadable), out)
    }

    fn comparison(&mut self, compared: &Comparison<'_>, out: &mut dyn Write) -> io::Result<()> {
        let mut all = compared.decided.iter();
        all.try_for_each(|decided| self.verdict(decided, out))
    }

    fn file(&mut self, _: &Input, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

fn verdict<'a>(decided: &'a Decided<'_>) -> Verdict<'a> {
    let answer = &decided.answer;
    let history = answer.history();
    let provenance = &history.provenance;
    let statistics = &answer.outcome.statistics;
    let certificate = decided.certificate.as_ref();
    let end = RunEnd::of(history, &decided.input.ending);
    Verdict {
        file: &decided.input.file,
        history: history.name.as_deref(),
        model: answer.model.name(),
        pso_rmw: answer.model.rmw().map(|rmw| rmw.name()),
        criterion: answer.criterion(),
        verdict: answer.verdict().word(),
        algorithm: answer.algorithm.name(),
        decided_by: answer.outcome.decided_by.to_string(),
        threads: history.threads().len(),
        operations: history.operations(),
        locations: history.locations().len(),
        seconds: answer.seconds,
        source: provenance.source.name(),
        isa: provenance.isa.map(history::Isa::name),
        sizes: provenance.sizes.to_string(),
        initial: provenance.initial.name(),
        protocol: provenance.protocol.as_deref(),
        ended: provenance.ended.as_deref(),
        crash: end.crash_json(),
        unfinished: provenance.unfinished.len(),
        outstanding: end.outstanding_json(),
        notes: assumptions::of(provenance).into_iter().chain(answer.caveats()).collect(),
        split: provenance.split,
        reason: answer.undecided().map(|reason| reason.describe(history)),
        violation: Reasoning::of_answer(answer),
        edges: statistics.edges,
        backtracks: statistics.backtracks,
        depth: statistics.depth,
        nodes: statistics.nodes,
        ordered: statistics.ordered,
        fired: statistics.fired.map(Algorithm::name),
        sat: statistics.sat.map(Sat::from),
        certificate: certificate.map(|written| written.path.display().to_string()),
        certificate_steps: certificate.map(|written| written.steps),
        certificate_bytes: certificate.map(|written| written.bytes),
    }
}
