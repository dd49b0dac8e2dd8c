//! The numbers that `rubric stats` prints about a trace and its histories. The names of fields are the keys of the JSON output.

pub mod text;

use std::collections::BTreeMap;

use check::assumptions;
use history::{History, InitialMode, Isa, OpId, Source};
use ingest::{Ending, Statistics, TransitionCount};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::ending::RunEnd;
use crate::ending::json::{CrashJson, Outstanding};
use crate::load::Input;

/// A line of `rubric stats --format json`: what a trace holds. Counts of 0 are left out of `trace`, kinds that do not occur out
/// of `kinds`.
#[derive(Serialize, JsonSchema)]
pub struct Summary<'a> {
    /// The file or pipe that the history was read from, as it was given.
    file: &'a str,
    /// The format of the input.
    format: &'static str,
    /// The histories in it.
    histories: Vec<HistorySummary<'a>>,
    trace: TraceSummary<'a>,
}

/// The names of the instruction sets, or none.
fn isa_or_null() -> Vec<Option<&'static str>> {
    Isa::ALL.map(|isa| Some(isa.name())).into_iter().chain([None]).collect()
}

/// One history.
#[derive(Serialize, JsonSchema)]
pub struct HistorySummary<'a> {
    /// The name of the history in the file.
    name: Option<&'a str>,
    /// The kind of lines of the trace that the operations come from.
    #[schemars(extend("enum" = Source::ALL.map(Source::name)))]
    source: &'static str,
    /// The instruction set of executed instructions.
    #[schemars(extend("enum" = isa_or_null()))]
    isa: Option<&'static str>,
    /// The threads.
    threads: Vec<ThreadSummary>,
    /// The number of operations.
    operations: usize,
    /// The number of operations of each kind.
    kinds: Kinds,
    /// The number of locations.
    locations: usize,
    /// Lowest and highest address.
    addresses: Option<(u64, u64)>,
    /// How the sizes of accesses are known.
    sizes: String,
    /// How initial values are known.
    #[schemars(extend("enum" = InitialMode::ALL.map(InitialMode::name)))]
    initial_mode: &'static str,
    /// Whether accesses that overlap were split.
    split: bool,
    /// First and last tick of the history's operations.
    ticks: Option<(u64, u64)>,
    /// Whether the trace gives an order of completions.
    ordered: bool,
    /// The number of locations with a final value.
    final_values: usize,
    /// The coherence protocol.
    protocol: Option<&'a str>,
    /// How the run ended, in words.
    ended: Option<&'a str>,
    /// The crash, with the last steps before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    crash: Option<CrashJson<'a>>,
    /// The requests that were never answered, with the controllers that are busy with their cache lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outstanding: Vec<Outstanding<'a>>,
    /// The number of loads without a completion.
    unfinished_loads: usize,
    /// The number of stores without a completion.
    unfinished_stores: usize,
    /// The assumptions under which verdicts on the history hold, one sentence each.
    assumptions: Vec<String>,
}

/// One thread of a history.
#[derive(Serialize, JsonSchema)]
pub struct ThreadSummary {
    /// The number of the thread.
    thread: u32,
    /// The number of its operations.
    operations: usize,
    /// The number of its operations of each kind.
    kinds: Kinds,
}

/// Operations by kind; kinds that do not occur are left out.
pub type Kinds = BTreeMap<&'static str, usize>;

/// The contents of the text besides its histories. Counts of 0 are left out.
#[derive(Serialize, JsonSchema)]
pub struct TraceSummary<'a> {
    /// The smallest tick of a line.
    first_tick: Option<u64>,
    /// The largest tick of a line.
    last_tick: Option<u64>,
    /// The size of a cache line in bytes.
    block_size: Option<u32>,
    #[serde(flatten)]
    #[schemars(schema_with = "schema_of_counts")]
    counts: BTreeMap<&'static str, u64>,
    /// The types of controllers.
    machines: Vec<MachineSummary<'a>>,
    /// The transitions that were taken.
    transitions: Vec<TransitionSummary<'a>>,
}

/// The transitions of one type of controller.
#[derive(Serialize, JsonSchema)]
pub struct MachineSummary<'a> {
    /// The type of controller.
    machine: &'a str,
    /// Number of transitions that were taken.
    transitions: u64,
    /// Number of different transitions.
    different: usize,
}

/// How often a transition was taken.
#[derive(Serialize, JsonSchema)]
pub struct TransitionSummary<'a> {
    /// The type of controller.
    machine: &'a str,
    /// The state before.
    state: &'a str,
    /// The event.
    event: &'a str,
    /// The state after.
    next_state: &'a str,
    /// How often the transition was taken.
    count: u64,
}

impl<'a> Summary<'a> {
    /// What an input holds.
    pub fn of(input: &'a Input) -> Summary<'a> {
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
