//! Verdicts as JSON, one object a line.

use std::io::{self, Write};

use check::verdict::SatStatistics;
use check::{Algorithm, Verdict};
use history::History;
use ingest::ending::OutstandingRequest;
use serde::Serialize;
use serde_json::json;
use tables::VerdictRow;

use super::comparison::Comparison;
use super::{HistoryVerdict, Printer};
use crate::ending::{CrashJson, RunEnd};
use lab::load::Input;
use report::assumptions;
use report::explain::reasoning::Reasoning;

/// Prints JSON.
pub struct Json;

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    history: Option<&'a str>,
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pso_rmw: Option<&'a str>,
    /// The criterion that the verdict is about, if weaker than the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    criterion: Option<&'a str>,
    verdict: &'a str,
    /// The algorithm that was asked to decide.
    algorithm: &'a str,
    decided_by: String,
    threads: usize,
    operations: usize,
    locations: usize,
    seconds: f64,
    source: &'a str,
    /// The instruction set of executed instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    isa: Option<&'static str>,
    sizes: String,
    initial: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<&'a str>,
    /// The crash, with the last steps before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    crash: Option<CrashJson<'a>>,
    unfinished: usize,
    /// The requests that were never answered, with the controllers that are busy with their cache lines.
    #[serde(skip_serializing_if = "<[OutstandingRequest]>::is_empty")]
    outstanding: &'a [OutstandingRequest],
    notes: Vec<String>,
    split: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<Reasoning>,
    edges: usize,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<String>,
    /// Steps of the certificate's run or proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate_steps: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate_bytes: Option<u64>,
}

/// Size of a SAT problem, and the work of the solver.
#[derive(Serialize)]
struct Sat {
    variables: u64,
    clauses: u64,
    learned: u64,
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

    fn verdict(&mut self, decided: &HistoryVerdict<'_>, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, &line(decided))?;
        writeln!(out)
    }

    fn unreadable(&mut self, row: &VerdictRow, out: &mut dyn Write) -> io::Result<()> {
        let line = json!({ "file": row.file, "verdict": row.verdict, "reason": row.reason });
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)
    }

    fn comparison(&mut self, compared: &Comparison<'_>, out: &mut dyn Write) -> io::Result<()> {
        let mut all = compared.decided.iter();
        all.try_for_each(|decided| self.verdict(decided, out))
    }

    fn file(&mut self, _: &Input, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

fn line<'a>(decided: &'a HistoryVerdict<'_>) -> Line<'a> {
    let history = decided.history;
    let provenance = &history.provenance;
    let certificate = decided.certificate.as_ref();
    let (reason, violation) = match &decided.outcome.verdict {
        Verdict::Consistent(_) | Verdict::Satisfied | Verdict::Unproved => (None, None),
        Verdict::CriterionViolation(violation) => {
            (None, Some(Reasoning::of_criterion(history, violation)))
        }
        Verdict::Violation(violation) => (None, Some(Reasoning::of(history, violation))),
        Verdict::Undecided(reason) => (Some(reason.describe(history)), None),
    };
    Line {
        file: &decided.input.file,
        history: history.name.as_deref(),
        model: decided.model.name(),
        pso_rmw: decided.model.rmw().map(|rmw| rmw.name()),
        criterion: decided.criterion(),
        verdict: decided.outcome.verdict.word(),
        algorithm: decided.algorithm.name(),
        decided_by: decided.outcome.decided_by.to_string(),
        threads: history.threads().len(),
        operations: history.operations(),
        locations: history.locations().len(),
        seconds: decided.seconds,
        source: provenance.source.name(),
        isa: provenance.isa.map(history::Isa::name),
        sizes: provenance.sizes.to_string(),
        initial: provenance.initial.name(),
        protocol: provenance.protocol.as_deref(),
        ended: provenance.ended.as_deref(),
        crash: RunEnd::of(history, &decided.input.ending).json(),
        unfinished: provenance.unfinished.len(),
        outstanding: &decided.input.ending.waiting,
        notes: assumptions::of(&history.provenance)
            .into_iter()
            .chain(decided.caveats.clone())
            .collect(),
        split: provenance.split,
        reason,
        violation,
        edges: decided.outcome.statistics.edges,
        backtracks: decided.outcome.statistics.backtracks,
        depth: decided.outcome.statistics.depth,
        nodes: decided.outcome.statistics.nodes,
        ordered: decided.outcome.statistics.ordered,
        fired: decided.outcome.statistics.fired.map(Algorithm::name),
        sat: decided.outcome.statistics.sat.map(Sat::from),
        certificate: certificate.map(|written| written.path.display().to_string()),
        certificate_steps: certificate.map(|written| written.steps),
        certificate_bytes: certificate.map(|written| written.bytes),
    }
}
