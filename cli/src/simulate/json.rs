//! Results of runs as JSON, one object a line for each protocol and client.

use lab::text::written_at;
use std::collections::BTreeMap;
use std::io::{self, Write};

use report::coverage::Reached;
use serde::Serialize;
use slicc::source::Sources;

use super::Cell;
use super::fault;
use super::kinds::Tried;
use super::score::{Failed, Score, Warned};
use super::series::Series;

/// Version of the JSON object. Version 2 has `guarantees` for the model that the client guarantees.
const VERSION: u32 = 2;

#[derive(Serialize)]
struct Line<'a> {
    version: u32,
    protocol: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mutant: Option<&'a str>,
    client: String,
    /// The model that the client guarantees.
    guarantees: &'a str,
    seed: u64,
    runs: u64,
    operations: u64,
    transitions: u64,
    stalls: u64,
    ticks: u64,
    seconds: f64,
    elapsed: f64,
    /// Whether each run has its own random program, caches and latencies.
    recipes: bool,
    coverage: Reached,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    verdicts: BTreeMap<&'a str, Verdicts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificates: Option<u64>,
    faults: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    first_faults: Vec<Faulty<'a>>,
    /// The number of runs with warnings.
    warned: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Warning<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fault_seeds: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violations: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    first_violations: Vec<Violating<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    violation_seeds: Vec<u64>,
    /// The kinds of failures of the protocol, on all clients together, that were tried with the repairs of released faults.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<Kind<'a>>,
    command: String,
}

#[derive(Serialize)]
struct Kind<'a> {
    kind: String,
    about: &'a str,
    runs: u64,
    /// Client and seed of the run that was tried.
    client: String,
    seed: u64,
    known: Option<&'a [String]>,
}

/// A mistake that gem5 accepts, at a place of the protocol.
#[derive(Serialize)]
struct Warning<'a> {
    /// Seed of the first run with the warning.
    seed: u64,
    runs: u64,
    message: &'a str,
    tick: u64,
    controller: &'a str,
    address: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    recent: &'a [String],
    command: String,
}

#[derive(Serialize)]
struct Verdicts {
    consistent: u64,
    violation: u64,
    undecided: u64,
}

#[derive(Serialize)]
struct Faulty<'a> {
    seed: u64,
    kind: &'a str,
    message: &'a str,
    tick: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    controller: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    recent: &'a [String],
    command: String,
}

#[derive(Serialize)]
struct Violating<'a> {
    seed: u64,
    models: Vec<&'a str>,
    command: String,
}

/// Prints a line for each protocol and client.
pub fn print(series: &Series<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (cell, score) in series.cells.iter().zip(&series.scores) {
        serde_json::to_writer(&mut *out, &line(series, cell, score))?;
        writeln!(out)?;
    }
    Ok(())
}

fn line<'a>(series: &'a Series<'_>, cell: &Cell, score: &'a Score) -> Line<'a> {
    let opened = series.protocol(cell);
    let models = series.models.iter().map(|model| model.name());
    let counts = score.verdicts.iter().map(|counts| Verdicts {
        consistent: counts.consistent,
        violation: counts.violation,
        undecided: counts.undecided,
    });
    let faults = score.failed.iter().map(|failed| {
        let command = series.command_of_fault(cell, failed.seed);
        faulty(failed, opened.protocol.sources(), command)
    });
    let violations = score.violated.iter().map(|violated| Violating {
        seed: violated.seed,
        models: violated.models.iter().map(|model| model.name()).collect(),
        command: series.command_of_violation(cell, violated.seed),
    });
    let warnings = score.warnings.iter().map(|warned| {
        let command = series.command_of_fault(cell, warned.seed);
        warning(warned, opened.protocol.sources(), command)
    });
    Line {
        version: VERSION,
        protocol: &opened.given,
        mutant: opened.mutant(),
        client: cell.client.to_string(),
        guarantees: cell.client.model().name(),
        seed: series.args.seed_of(0),
        runs: score.runs,
        operations: score.operations,
        transitions: score.transitions,
        stalls: score.stalls,
        ticks: score.ticks,
        seconds: score.seconds,
        elapsed: series.elapsed,
        recipes: series.has_recipes(),
        coverage: series.covered(cell, score),
        verdicts: models.zip(counts).collect(),
        certificates: (!series.models.is_empty()).then_some(score.certificates),
        faults: score.faults,
        first_faults: faults.collect(),
        warned: score.warned,
        warnings: warnings.collect(),
        fault_seeds: score.fault_seeds.values().copied().collect(),
        violations: series.args.checks().then_some(score.violation_seeds.len()),
        first_violations: violations.collect(),
        violation_seeds: score.violation_seeds.values().copied().collect(),
        kinds: kinds(series, cell),
        command: series.args.command(&opened.given, cell.client, series.args.seed_of(0)),
    }
}

fn kinds<'a>(series: &'a Series<'_>, cell: &Cell) -> Vec<Kind<'a>> {
    let own = series.tried.iter().filter(|tried| tried.protocol == cell.protocol);
    let kind = |tried: &'a Tried| Kind {
        kind: tried.signature.kind.to_string(),
        about: &tried.signature.place,
        runs: tried.failures.runs,
        client: tried.cell.client.to_string(),
        seed: tried.failures.shortest.2,
        known: tried.known.as_ref().map(|known| &known.repairs[..]),
    };
    own.map(kind).collect()
}

fn warning<'a>(warned: &'a Warned, sources: &Sources, command: String) -> Warning<'a> {
    let warning = &warned.warning;
    let place = written_at(warning.span, sources);
    Warning {
        seed: warned.seed,
        runs: warned.runs,
        message: &warning.message,
        tick: warning.tick,
        controller: &warning.controller,
        address: warning.address,
        line: place.as_ref().map(|(_, line, _)| *line),
        file: place.map(|(file, _, _)| file),
        recent: &warning.recent,
        command,
    }
}

fn faulty<'a>(failed: &'a Failed, sources: &Sources, command: String) -> Faulty<'a> {
    let fault = &failed.fault;
    let place = fault::place(fault, sources);
    Faulty {
        seed: failed.seed,
        kind: fault.kind.name(),
        message: &fault.message,
        tick: fault.tick,
        controller: fault.controller.as_deref(),
        address: fault.address,
        line: place.as_ref().map(|(_, line, _)| *line),
        file: place.map(|(file, _, _)| file),
        recent: &fault.recent,
        command,
    }
}
