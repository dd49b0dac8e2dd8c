//! The report of a test as JSON.

use ingest::axe;
use schemars::JsonSchema;
use serde::Serialize;
use tables::reached::Reached;

use super::options::Options;
use super::text::{self, Explain};
use super::{Evidence, Explored, Finding, Known, Tested};

/// Version of the JSON object.
pub const VERSION: u32 = 1;

/// What `rubric test --format json` prints: one object.
#[derive(Serialize, JsonSchema)]
pub struct Document<'a> {
    /// The version of this object.
    version: u32,
    /// The protocol, as it was given.
    protocol: &'a str,
    /// The seed of the first run.
    seed: u64,
    /// The number of programs that ran on each kind of core.
    runs: u32,
    /// The kinds of cores.
    clients: Vec<String>,
    /// The number of runs that were given up because time ran out. Nothing is concluded from them.
    given_up: u32,
    /// The number of operations of all runs.
    operations: u64,
    /// The seconds that passed.
    seconds: f64,
    /// The repairs that were applied to the protocol.
    repaired: &'a [String],
    /// The repairs of known faults that fit the tested protocol, without those that were applied.
    repairs: &'a [String],
    /// The number of warnings of reading the protocol.
    warnings: usize,
    /// How much of the protocol's table the programs took.
    coverage: Reached,
    /// The small systems that were explored.
    explored: Vec<ExploredJson>,
    /// The seconds after which the first finding was seen that is not known; `None` if there is none.
    first_found: Option<f64>,
    /// The findings, the worst kind first; known ones after the others.
    findings: Vec<FindingJson<'a>>,
}

/// The exploration of a small system.
#[derive(Serialize, JsonSchema)]
pub struct ExploredJson {
    /// The number of threads.
    threads: u32,
    /// The number of locations, each on a line of its own.
    locations: u32,
    /// Whether a cache has room for one line only.
    tiny: bool,
    /// The number of DMA devices.
    dma: u32,
    /// Whether cores have atomic instructions.
    atomics: bool,
    /// Whether cores flush lines.
    flushes: bool,
    /// What else cores do beside loads and stores, as `rubric explore protocol --also` names it; `None` if nothing.
    also: Option<&'static str>,
    /// The number of states.
    states: usize,
    /// Whether all states were explored, without a finding.
    complete: bool,
    /// Whether something was found.
    found: bool,
    /// The number of states of the repaired protocol; `None` if it was not explored.
    repaired_states: Option<usize>,
}

/// A finding: what is wrong with the protocol, and the run that shows it.
#[derive(Serialize, JsonSchema)]
pub struct FindingJson<'a> {
    /// The kind of finding.
    kind: String,
    /// The place of the protocol that it is about.
    about: &'a str,
    /// What happened in the run that represents the finding.
    message: &'a str,
    /// The file of the protocol, if it is known.
    file: Option<&'a str>,
    /// The line in that file.
    line: Option<usize>,
    /// The kinds of cores on which it was seen; none if only exploration found it.
    clients: &'a [String],
    /// The number of runs that showed it.
    seen: u32,
    /// Other findings that are considered the same fault.
    also: Vec<String>,
    /// The changed transition that comes nearest before it, as `L1Cache/M.Inv`, or the declaration that is all that differs, as
    /// `L1Cache function getState`, if versions are compared and one is known.
    change: Option<String>,
    /// The names of all repairs of released faults that explain it; `None` if none do.
    known: Option<Vec<&'a str>>,
    /// The same, as sets of repairs of which each explains it.
    known_sets: Option<Vec<&'a [String]>>,
    /// The command that reproduces it.
    command: &'a str,
    /// The smallest part of a violation as axe text; `None` if axe text cannot express it.
    part: Option<String>,
    /// The operations of that part, in its order.
    operations: Option<Vec<OperationJson>>,
    /// What shows the finding, in lines of text.
    evidence: Vec<String>,
}

/// An operation.
#[derive(Serialize, JsonSchema)]
struct OperationJson {
    /// The thread.
    thread: u32,
    /// The index in program order in the whole run.
    index: u32,
}

/// The report as one object. `explain` shows the violation of a part.
pub fn document<'a>(tested: &'a Tested, options: &Options, explain: Explain<'_>) -> Document<'a> {
    Document {
        version: VERSION,
        protocol: &tested.opened.given,
        seed: options.seed,
        runs: tested.runs,
        clients: options.clients.iter().map(ToString::to_string).collect(),
        given_up: tested.given_up,
        operations: tested.operations,
        seconds: tested.elapsed.as_secs_f64(),
        repaired: &tested.opened.protocol.loaded.repairs,
        repairs: &tested.repairs,
        warnings: tested.warnings.len(),
        coverage: text::coverage(tested),
        explored: tested.explored.iter().map(explored).collect(),
        first_found: tested.first_found.map(|first| first.as_secs_f64()),
        findings: tested.findings.iter().map(|one| finding(one, explain)).collect(),
    }
}

/// The exploration of a small system as JSON.
pub(super) fn explored(explored: &Explored) -> ExploredJson {
    ExploredJson {
        threads: explored.system.threads,
        locations: explored.system.locations,
        tiny: explored.system.tiny,
        dma: explored.system.devices,
        atomics: explored.system.atomics,
        flushes: explored.system.flushes,
        also: explored.system.part,
        states: explored.progress.states,
        complete: explored.stopped.is_none() && !explored.is_found,
        found: explored.is_found,
        repaired_states: explored.repaired.map(|progress| progress.states),
    }
}

/// A finding as JSON.
pub(super) fn finding<'a>(finding: &'a Finding, explain: Explain<'_>) -> FindingJson<'a> {
    let source = finding.source.as_ref();
    let sets = |known| Known::sets(known).map(Vec::as_slice).collect();
    FindingJson {
        kind: finding.signature.kind.to_string(),
        about: &finding.signature.place,
        message: &finding.message,
        file: source.map(|source| source.file.as_str()),
        line: source.map(|source| source.line),
        clients: &finding.clients,
        seen: finding.seen,
        also: finding.also.iter().map(ToString::to_string).collect(),
        change: finding.change.as_ref().map(ToString::to_string),
        known: finding.known.as_ref().map(Known::all),
        known_sets: finding.known.as_ref().map(sets),
        command: &finding.command,
        part: part(&finding.evidence),
        operations: operations(&finding.evidence),
        evidence: text::evidence(finding, explain),
    }
}

/// The operations of the smallest part of a violation, with their threads and indices in the whole run, in the order of the part.
fn operations(evidence: &Evidence) -> Option<Vec<OperationJson>> {
    let Evidence::Part(part) = evidence else {
        return None;
    };
    let operation = |op| {
        let operation = part.whole.operation(op);
        OperationJson { thread: operation.thread, index: operation.index }
    };
    let accesses = part.shrunk.kept.iter().filter(|&&op| !part.whole.is_further_part(op));
    Some(accesses.map(|&op| operation(op)).collect())
}

/// The smallest part of a violation as axe text; `None` if axe text cannot express it.
fn part(evidence: &Evidence) -> Option<String> {
    let Evidence::Part(part) = evidence else {
        return None;
    };
    let mut text = Vec::new();
    axe::write_small(&part.shrunk.history, &mut text).ok()?;
    String::from_utf8(text).ok()
}
