//! Report of an exploration as JSON Lines.

use explore::protocol::{LiveVariables, PartialOrder, Verdict, Violation, WarningRun};
use schemars::JsonSchema;
use serde::Serialize;
use simulate::stepper::Order;
use tables::reached::Reached;

use super::fair::{self, FairJson};
use super::memory_system::{SearchJson, search_json};
use super::moves::{Step, steps};
use super::unreached::{self, UnreachedJson};
use super::{Explored, Plan, Subject, Warned};

/// Version of the JSON object. Version 2 calls the findings `SWMR violation` and `stale value`.
pub const VERSION: u32 = 2;

/// The limits of a search of states.
pub const STATE_LIMITS: [&str; 4] = ["time", "memory", "states", "interrupted"];

/// A line of `rubric explore protocol --format json`: one for each protocol, or, with --mutants, for each mutant. `rubric report
/// --format json` prints the same lines for a folder of explorations.
#[derive(Serialize, JsonSchema)]
pub struct Line<'a> {
    /// The version of this object.
    version: u32,
    /// The protocol, as it was given.
    protocol: &'a str,
    /// The mutant; `None` for the protocol as it is.
    mutant: Option<&'a str>,
    /// The number of threads.
    threads: u32,
    /// The number of locations.
    locations: u32,
    /// Whether a cache has room for one line only.
    tiny: bool,
    /// The number of requests that a core may have at a time.
    requests: u32,
    /// The number of threads that share a first-level cache.
    threads_per_cache: u32,
    /// The number of banks of the second level.
    l2_banks: u32,
    /// The number of directories.
    directories: u32,
    /// Which messages keep their order.
    order: KeptOrder,
    /// What cores do beside loads and stores.
    also: Vec<&'static str>,
    /// The number of DMA devices.
    dma: u32,
    /// The number of states that were found.
    states: usize,
    /// The number of those states whose moves were not explored.
    open: usize,
    /// The number of moves, including those to known states.
    moves: u64,
    /// The number of moves on a shortest run to the last explored state.
    depth: u32,
    /// The bytes that the states and their parents occupy.
    bytes: usize,
    /// The part of `bytes` for the parts of states, each of which is stored once.
    bytes_of_parts: usize,
    /// The part of `bytes` for learnt effects of moves.
    bytes_of_moves: usize,
    /// The seconds that the search took.
    seconds: f64,
    states_per_second: f64,
    /// How much of the protocol's table was taken.
    coverage: Reached,
    /// The command that repeats the exploration.
    command: String,
    /// The symmetries that reduced the number of states: the names of what is interchangeable.
    symmetries: Vec<&'static str>,
    /// What is not interchangeable.
    asymmetries: Vec<Asymmetry>,
    /// Whether partial order reduced the number of moves.
    partial_order: Reduction,
    /// Whether variables that are not read were left out of states.
    live_variables: Reduction,
    /// The mistakes that gem5 accepts.
    warnings: Vec<Warning<'a>>,
    #[serde(flatten)]
    outcome: Outcome<'a>,
    /// The transitions of the table that no run takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreached: Option<UnreachedJson<'a>>,
    /// The result of the search for starvation.
    #[serde(skip_serializing_if = "Option::is_none")]
    fair: Option<FairJson<'a>>,
    /// The searches for nice cycles.
    #[serde(skip_serializing_if = "Option::is_none")]
    searches: Option<Vec<SearchJson<'a>>>,
    #[serde(flatten)]
    change: Change,
}

/// Which messages keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum KeptOrder {
    Buffers,
    Vnets,
}

/// Whether runs come to what a mutant changes.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Change {
    /// The line is not one of many mutants.
    NotAsked {},
    /// The line is one of many mutants.
    Asked {
        /// Whether a run comes to what the mutant changes; `None` if it is not known.
        change_reached: Option<bool>,
    },
}

/// What is not interchangeable, and why.
#[derive(Serialize, JsonSchema)]
struct Asymmetry {
    /// What is not interchangeable.
    of: &'static str,
    /// The reason.
    reason: String,
}

/// Whether a reduction of the search was used, or refused since it would not be sound.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Reduction {
    Off,
    On,
    Refused,
}

/// A mistake that gem5 accepts.
#[derive(Serialize, JsonSchema)]
struct Warning<'a> {
    /// What the protocol does wrong and gem5 accepts, in words.
    message: &'a str,
    /// The repairs of released faults that explain it; `None` if none do.
    known: Option<&'a [String]>,
    /// A run that shows it.
    steps: Vec<Step<'a>>,
    /// The file of the protocol that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// The line in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

/// How the exploration ended.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "lowercase")]
enum Outcome<'a> {
    /// Nothing was found in all states.
    Clean,
    /// Nothing was found among fingerprints of states.
    Unproved {
        /// An upper bound of the probability that states were missed.
        missed: f64,
    },
    /// Something was found.
    Found {
        /// What was found.
        found: FoundJson<'a>,
        /// The repairs of released faults that explain it; `None` if none do.
        known: Option<&'a [String]>,
    },
    /// A limit came first.
    Stopped {
        /// The limit.
        #[schemars(extend("enum" = STATE_LIMITS))]
        stopped: &'static str,
    },
}

/// A finding: what is wrong with the protocol, and the run that shows it.
#[derive(Serialize, JsonSchema)]
struct FoundJson<'a> {
    /// The kind of finding.
    #[schemars(extend("enum" = [
        "fault", "SWMR violation", "stale value", "atomicity violation", "missed invalidation", "deadlock", "livelock"
    ]))]
    kind: &'static str,
    /// The finding in a sentence.
    what: String,
    /// A shortest run to it.
    steps: Vec<Step<'a>>,
    /// The last write to the line before it, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    latest: Option<String>,
    /// The requests, messages and transactions that wait in the last state, in words.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    left: &'a [String],
    /// The fault of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<FaultJson<'a>>,
}

/// A fault of the protocol.
#[derive(Serialize, JsonSchema)]
struct FaultJson<'a> {
    /// The kind of fault.
    kind: &'static str,
    /// What went wrong, in words, as gem5 says it where it stops, too.
    message: &'a str,
    /// The file of the protocol that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// The line in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

/// One exploration as JSON.
pub fn line<'a>(
    plan: &Plan,
    subject: &'a Subject<'_>,
    explored: &'a Explored,
    change: Change,
) -> Line<'a> {
    let (exploration, scope) = (&explored.exploration, &plan.scope);
    let progress = &exploration.progress;
    let asymmetries = exploration
        .asymmetries
        .iter()
        .map(|one| Asymmetry { of: one.symmetry.name(), reason: subject.why(&one.reason) });
    let warnings = exploration.warnings.iter().zip(&explored.warned);
    let unreached = explored.unreached.as_ref();
    let searches = || explored.searches.iter().map(search_json).collect();
    Line {
        version: VERSION,
        protocol: subject.given,
        mutant: subject.mutant(),
        threads: scope.caches,
        locations: scope.lines,
        tiny: scope.tiny,
        requests: scope.requests,
        threads_per_cache: scope.threads_per_cache,
        l2_banks: scope.l2_banks,
        directories: scope.directories,
        order: match scope.order {
            Order::Buffers => KeptOrder::Buffers,
            Order::VirtualNetworks => KeptOrder::Vnets,
        },
        also: scope.repertoire.also(),
        dma: scope.repertoire.devices,
        states: progress.states,
        open: progress.open,
        moves: progress.moves,
        depth: progress.depth,
        bytes: progress.bytes,
        bytes_of_parts: progress.bytes_of_parts,
        bytes_of_moves: progress.bytes_of_moves,
        seconds: progress.time.as_secs_f64(),
        states_per_second: progress.states_per_second(),
        coverage: explored.coverage,
        command: subject.command(plan),
        symmetries: exploration.symmetries.iter().map(|symmetry| symmetry.name()).collect(),
        asymmetries: asymmetries.collect(),
        partial_order: match exploration.partial_order {
            PartialOrder::Off => Reduction::Off,
            PartialOrder::On => Reduction::On,
            PartialOrder::Refused => Reduction::Refused,
        },
        live_variables: match exploration.live_variables {
            LiveVariables::Off => Reduction::Off,
            LiveVariables::On => Reduction::On,
            LiveVariables::Refused => Reduction::Refused,
        },
        warnings: warnings.map(|(run, warned)| warning(run, warned)).collect(),
        outcome: match &exploration.verdict {
            Verdict::Clean => Outcome::Clean,
            Verdict::Unproved { missed } => Outcome::Unproved { missed: *missed },
            Verdict::Found(violation) => Outcome::Found {
                found: found(violation, explored),
                known: explored.known.as_ref().map(|known| &known.repairs[..]),
            },
            Verdict::Stopped(why) => Outcome::Stopped { stopped: why.name("states") },
        },
        unreached: unreached.map(|rest| unreached::document(rest, exploration)),
        fair: explored.fair.as_ref().map(fair::document),
        searches: plan.nice_cycles.then(searches),
        change,
    }
}

fn warning<'a>(run: &'a WarningRun, warned: &'a Warned) -> Warning<'a> {
    let place = warned.place.as_ref();
    Warning {
        message: &run.warning.message,
        known: warned.known.as_ref().map(|known| &known.repairs[..]),
        steps: steps(&run.steps),
        file: place.map(|(file, _, _)| file.as_str()),
        line: place.map(|(_, line, _)| *line),
    }
}

fn found<'a>(violation: &'a Violation, explored: &'a Explored) -> FoundJson<'a> {
    let place = explored.place.as_ref();
    let fault = violation.fault.as_ref().map(|fault| FaultJson {
        kind: fault.kind.name(),
        message: &fault.message,
        file: place.map(|(file, _, _)| file.as_str()),
        line: place.map(|(_, line, _)| *line),
    });
    FoundJson {
        kind: violation.finding.name(),
        what: violation.sentence(),
        steps: steps(&violation.steps),
        latest: violation.latest_sentence(),
        left: &violation.left,
        fault,
    }
}
