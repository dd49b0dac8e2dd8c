//! Results of runs as JSON, one object a line for each protocol and client.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use slicc::source::Sources;
use tables::reached::Reached;

use super::{Cell, Failed, Score, Series, Tried, Warned};
use crate::text::written_at;

/// Version of the JSON object. Version 2 has `guarantees` for the model that the client guarantees.
pub const VERSION: u32 = 2;

/// A line of `rubric simulate --format json`: one for each protocol and client. Of a single run, lines of `check` come before it.
#[derive(Serialize, JsonSchema)]
pub struct Line<'a> {
    /// The version of this object.
    version: u32,
    /// The protocol, as it was given.
    protocol: &'a str,
    /// The name of the mutant that the protocol is; absent if it is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    mutant: Option<&'a str>,
    /// The kind of cores.
    client: String,
    /// The model that the client guarantees.
    guarantees: &'a str,
    /// The seed of the first run.
    seed: u64,
    /// The number of runs.
    runs: u64,
    /// The number of operations of all runs.
    operations: u64,
    /// The number of transitions that were taken.
    transitions: u64,
    /// The number of events that were stalled.
    stalls: u64,
    /// The simulated time, in ticks.
    ticks: u64,
    /// The seconds that the runs took, added up.
    seconds: f64,
    /// The seconds that passed, for all protocols and clients.
    elapsed: f64,
    /// Whether each run has its own random program, caches and latencies.
    recipes: bool,
    /// How much of the protocol's table was taken.
    coverage: Reached,
    /// The number of runs with each verdict, by model.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    verdicts: BTreeMap<&'a str, Verdicts>,
    /// The number of certificates that were verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificates: Option<u64>,
    /// The number of runs in which the protocol failed.
    faults: u64,
    /// The first of these runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    first_faults: Vec<Faulty<'a>>,
    /// The number of runs with warnings.
    warned: u64,
    /// The warnings, one for each place of the protocol.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Warning<'a>>,
    /// The seeds of the runs in which the protocol failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fault_seeds: Vec<u64>,
    /// The number of runs that violate a model that was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    violations: Option<usize>,
    /// The first of these runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    first_violations: Vec<Violating<'a>>,
    /// The seeds of all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    violation_seeds: Vec<u64>,
    /// The kinds of failures of the protocol, on all clients together, that were tried with the repairs of released faults.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<Kind<'a>>,
    /// The command that repeats the runs.
    command: String,
}

/// A kind of failures.
#[derive(Serialize, JsonSchema)]
struct Kind<'a> {
    /// The kind.
    kind: String,
    /// The place of the protocol that it is about.
    about: &'a str,
    /// The number of runs that failed so.
    runs: u64,
    /// Client of the run that was tried.
    client: String,
    /// Seed of that run.
    seed: u64,
    /// The repairs of released faults with which it does not fail; `None` if it does with all.
    known: Option<&'a [String]>,
}

/// A mistake that gem5 accepts, at a place of the protocol.
#[derive(Serialize, JsonSchema)]
struct Warning<'a> {
    /// Seed of the first run with the warning.
    seed: u64,
    /// The number of runs with it.
    runs: u64,
    /// What the protocol does wrong and gem5 accepts, in words.
    message: &'a str,
    /// The tick at which it happened, in cycles from the start of the run.
    tick: u64,
    /// The controller at which it happened, as machine and number.
    controller: &'a str,
    /// The address.
    address: u64,
    /// The file of the protocol that the mistake is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The last transitions before it, in words.
    recent: &'a [String],
    /// The command that repeats the run.
    command: String,
}

/// The number of runs with each verdict.
#[derive(Serialize, JsonSchema)]
struct Verdicts {
    consistent: u64,
    violation: u64,
    undecided: u64,
}

/// A run in which the protocol failed.
#[derive(Serialize, JsonSchema)]
struct Faulty<'a> {
    /// The seed of the run.
    seed: u64,
    /// The kind of fault.
    kind: &'a str,
    /// What went wrong, in words, as gem5 says it where it stops, too.
    message: &'a str,
    /// The tick at which it happened, in cycles from the start of the run.
    tick: u64,
    /// The controller at which it happened, as machine and number.
    #[serde(skip_serializing_if = "Option::is_none")]
    controller: Option<&'a str>,
    /// The address.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<u64>,
    /// The file of the protocol that the fault is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The last transitions before it, in words.
    recent: &'a [String],
    /// The command that repeats the run.
    command: String,
}

/// A run that violates models.
#[derive(Serialize, JsonSchema)]
struct Violating<'a> {
    /// The seed of the run.
    seed: u64,
    /// The models that it violates.
    models: Vec<&'a str>,
    /// The command that repeats the run.
    command: String,
}

/// A line for each protocol and client.
pub fn lines<'a>(series: &'a Series<'_>) -> impl Iterator<Item = Line<'a>> {
    series.scored().map(|(cell, score)| line(series, cell, score))
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
        seed: series.plan.seed,
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
        violations: series.plan.check.is_some().then_some(score.violation_seeds.len()),
        first_violations: violations.collect(),
        violation_seeds: score.violation_seeds.values().copied().collect(),
        kinds: kinds(series, cell),
        command: series.plan.command(&opened.given, cell.client, series.plan.seed),
    }
}

fn kinds<'a>(series: &'a Series<'_>, cell: &Cell) -> Vec<Kind<'a>> {
    let own = series.tried.iter().filter(|tried| tried.protocol == cell.protocol);
    let kind = |tried: &'a Tried| Kind {
        kind: tried.signature.kind.to_string(),
        about: &tried.signature.place,
        runs: tried.failures.runs,
        client: series.cells[tried.failures.shortest.cell].client.to_string(),
        seed: tried.failures.shortest.seed,
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
    let place = written_at(fault.span, sources);
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
