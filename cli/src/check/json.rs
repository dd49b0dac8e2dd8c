//! Verdicts as JSON, one object a line.

use std::io::{self, Write};

use check::verdict::SatStatistics;
use check::{Algorithm, assumptions};
use history::History;
use ingest::ending::OutstandingRequest;
use serde::Serialize;
use serde_json::json;
use tables::VerdictRow;

use super::comparison::Comparison;
use super::{Decided, Printer};
use crate::ending::{CrashJson, RunEnd};
use lab::load::Input;
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

    fn verdict(&mut self, decided: &Decided<'_>, out: &mut dyn Write) -> io::Result<()> {
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

fn line<'a>(decided: &'a Decided<'_>) -> Line<'a> {
    let answer = &decided.answer;
    let history = answer.history();
    let provenance = &history.provenance;
    let statistics = &answer.outcome.statistics;
    let certificate = decided.certificate.as_ref();
    Line {
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
        crash: RunEnd::of(history, &decided.input.ending).json(),
        unfinished: provenance.unfinished.len(),
        outstanding: &decided.input.ending.waiting,
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
