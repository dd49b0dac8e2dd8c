//! The numbers that `rubric stats` prints about a trace and its histories. The names of fields are the keys of the JSON output.

use std::collections::BTreeMap;

use history::{History, InitialMode, Isa, OpId, Source};
use ingest::{Ending, Statistics, TransitionCount};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::ending::RunEnd;
use crate::ending::json::{CrashJson, Outstanding};
use crate::json;
use check::assumptions;
use lab::load::Input;

/// A line of `rubric stats --format json`: what a trace holds. Counts of 0 are left out of `trace`, kinds that do not occur out
/// of `kinds`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Summary<'a> {
    /// The file or pipe that the history was read from, as it was given.
    pub file: &'a str,
    /// The format of the input.
    pub format: &'static str,
    /// The histories in it.
    pub histories: Vec<HistorySummary<'a>>,
    pub trace: TraceSummary<'a>,
}

/// One history.
#[derive(Serialize, JsonSchema)]
pub(crate) struct HistorySummary<'a> {
    /// The name of the history in the file.
    pub name: Option<&'a str>,
    /// The kind of lines of the trace that the operations come from.
    #[schemars(extend("enum" = Source::ALL.map(Source::name)))]
    pub source: &'static str,
    /// The instruction set of executed instructions.
    #[schemars(extend("enum" = json::or_null(&Isa::ALL.map(Isa::name))))]
    pub isa: Option<&'static str>,
    /// The threads.
    pub threads: Vec<ThreadSummary>,
    /// The number of operations.
    pub operations: usize,
    /// The number of operations of each kind.
    pub kinds: Kinds,
    /// The number of locations.
    pub locations: usize,
    /// Lowest and highest address.
    pub addresses: Option<(u64, u64)>,
    /// How the sizes of accesses are known.
    pub sizes: String,
    /// How initial values are known.
    #[schemars(extend("enum" = InitialMode::ALL.map(InitialMode::name)))]
    pub initial_mode: &'static str,
    /// Whether accesses that overlap were split.
    pub split: bool,
    /// First and last tick of the history's operations.
    pub ticks: Option<(u64, u64)>,
    /// Whether the trace gives an order of completions.
    pub ordered: bool,
    /// The number of locations with a final value.
    pub final_values: usize,
    /// The coherence protocol.
    pub protocol: Option<&'a str>,
    /// How the run ended, in words.
    pub ended: Option<&'a str>,
    /// The crash, with the last steps before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crash: Option<CrashJson<'a>>,
    /// The requests that were never answered, with the controllers that are busy with their cache lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outstanding: Vec<Outstanding<'a>>,
    /// The number of loads without a completion.
    pub unfinished_loads: usize,
    /// The number of stores without a completion.
    pub unfinished_stores: usize,
    /// The assumptions under which verdicts on the history hold, one sentence each.
    pub assumptions: Vec<String>,
}

/// One thread of a history.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ThreadSummary {
    /// The number of the thread.
    pub thread: u32,
    /// The number of its operations.
    pub operations: usize,
    /// The number of its operations of each kind.
    pub kinds: Kinds,
}

/// Operations by kind; kinds that do not occur are left out.
pub(crate) type Kinds = BTreeMap<&'static str, usize>;

/// The contents of the text besides its histories. Counts of 0 are left out.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TraceSummary<'a> {
    /// The smallest tick of a line.
    pub first_tick: Option<u64>,
    /// The largest tick of a line.
    pub last_tick: Option<u64>,
    /// The size of a cache line in bytes.
    pub block_size: Option<u32>,
    #[serde(flatten)]
    #[schemars(schema_with = "schema_of_counts")]
    pub counts: BTreeMap<&'static str, u64>,
    /// The types of controllers.
    pub machines: Vec<MachineSummary<'a>>,
    /// The transitions that were taken.
    pub transitions: Vec<TransitionSummary<'a>>,
}

/// The transitions of one type of controller.
#[derive(Serialize, JsonSchema)]
pub(crate) struct MachineSummary<'a> {
    /// The type of controller.
    pub machine: &'a str,
    /// Number of transitions that were taken.
    pub transitions: u64,
    /// Number of different transitions.
    pub different: usize,
}

/// How often a transition was taken.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TransitionSummary<'a> {
    /// The type of controller.
    pub machine: &'a str,
    /// The state before.
    pub state: &'a str,
    /// The event.
    pub event: &'a str,
    /// The state after.
    pub next_state: &'a str,
    /// How often the transition was taken.
    pub count: u64,
}

impl<'a> Summary<'a> {
    pub(crate) fn of(input: &'a Input) -> Summary<'a> {
        Summary {
            file: &input.file,
            format: input.format,
            histories: input
                .histories
                .iter()
                .map(|history| HistorySummary::of(history, &input.ending))
                .collect(),
            trace: TraceSummary::of(&input.statistics),
        }
    }
}

impl<'a> HistorySummary<'a> {
    fn of(history: &'a History, ending: &'a Ending) -> HistorySummary<'a> {
        let threads: Vec<ThreadSummary> =
            (0..history.threads().len()).map(|thread| ThreadSummary::of(history, thread)).collect();
        let mut kinds = Kinds::new();
        for (&kind, &count) in threads.iter().flat_map(|thread| &thread.kinds) {
            *kinds.entry(kind).or_default() += count;
        }
        let provenance = &history.provenance;
        let addresses = || history.locations().iter().map(|location| location.address);
        let unfinished = |writes: bool| {
            let requests = provenance.unfinished.iter();
            requests.filter(|request| request.writes == writes).count()
        };
        let end = RunEnd::of(history, ending);
        HistorySummary {
            name: history.name.as_deref(),
            source: provenance.source.name(),
            isa: provenance.isa.map(history::Isa::name),
            operations: history.operations(),
            threads,
            kinds,
            locations: history.locations().len(),
            addresses: addresses().min().zip(addresses().max()),
            sizes: provenance.sizes.to_string(),
            initial_mode: provenance.initial.name(),
            split: provenance.split,
            ticks: ticks(history),
            ordered: history.has_order(),
            final_values: history.finals().len(),
            protocol: provenance.protocol.as_deref(),
            ended: provenance.ended.as_deref(),
            crash: end.crash_json(),
            outstanding: end.outstanding_json(),
            unfinished_loads: unfinished(false),
            unfinished_stores: unfinished(true),
            assumptions: assumptions::of(&history.provenance),
        }
    }
}

impl ThreadSummary {
    fn of(history: &History, thread: usize) -> ThreadSummary {
        let whole = |op: &OpId| !history.continues(*op);
        let mut kinds = Kinds::new();
        for op in history.thread_ops(thread).filter(whole) {
            *kinds.entry(history.kind(op).name()).or_default() += 1;
        }
        ThreadSummary {
            thread: history.threads()[thread].label,
            operations: kinds.values().sum(),
            kinds,
        }
    }
}

/// First and last tick of a history's operations.
fn ticks(history: &History) -> Option<(u64, u64)> {
    let all = || {
        history.ops().flat_map(|op| {
            let operation = history.operation(op);
            [operation.issued, operation.completed].into_iter().flatten()
        })
    };
    all().min().zip(all().max())
}

impl<'a> TraceSummary<'a> {
    fn of(statistics: &'a Statistics) -> TraceSummary<'a> {
        let counts = counts(statistics).into_iter().filter(|&(_, count)| count > 0);
        TraceSummary {
            first_tick: statistics.first_tick,
            last_tick: statistics.last_tick,
            block_size: statistics.block_size,
            counts: counts.collect(),
            machines: machines(&statistics.transitions),
            transitions: statistics.transitions.iter().map(transition).collect(),
        }
    }
}

/// Every count by its name.
fn counts(statistics: &Statistics) -> [(&'static str, u64); 24] {
    [
        ("lines", statistics.lines),
        ("bytes", statistics.bytes),
        ("sequencers", statistics.sequencers),
        ("skipped_lines", statistics.skipped),
        ("ignored_lines", statistics.ignored),
        ("stalls", statistics.stalls),
        ("unfinished_loads", statistics.unfinished_loads),
        ("unfinished_stores", statistics.unfinished_stores),
        ("fetches", statistics.fetches),
        ("page_table_walks", statistics.walks),
        ("prefetches", statistics.prefetches),
        ("flushes", statistics.flushes),
        ("other_requests", statistics.other_requests),
        ("device_requests", statistics.device_requests),
        ("refused_requests", statistics.refused),
        ("failed_store_conditionals", statistics.failed_store_conditionals),
        ("weak_fences", statistics.weak_fences),
        ("forwarded_loads", statistics.forwarded_loads),
        ("uncommitted_stores", statistics.uncommitted_stores),
        ("overlapping_requests", statistics.overlapping),
        ("unmatched_completions", statistics.unmatched),
        ("ruby_operations", statistics.ruby_operations),
        ("client_operations", statistics.client_operations),
        ("exec_operations", statistics.exec_operations),
    ]
}

/// The schema of the counts: the name of each is a key.
fn schema_of_counts(generator: &mut SchemaGenerator) -> Schema {
    let count = |(name, _)| (name, generator.subschema_for::<u64>());
    let properties: BTreeMap<&str, Schema> =
        counts(&Statistics::default()).into_iter().map(count).collect();
    json_schema!({ "type": "object", "properties": properties })
}

fn transition(count: &TransitionCount) -> TransitionSummary<'_> {
    TransitionSummary {
        machine: &count.machine,
        state: &count.state,
        event: &count.event,
        next_state: &count.next_state,
        count: count.count,
    }
}

fn machines(transitions: &[TransitionCount]) -> Vec<MachineSummary<'_>> {
    let mut machines: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
    for transition in transitions {
        let (count, different) = machines.entry(&transition.machine).or_default();
        *count += transition.count;
        *different += 1;
    }
    machines
        .into_iter()
        .map(|(machine, (transitions, different))| MachineSummary {
            machine,
            transitions,
            different,
        })
        .collect()
}
