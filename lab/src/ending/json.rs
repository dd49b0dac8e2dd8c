//! The end of a run as JSON: the crash, and the requests that were never answered.

use history::{Crash, CrashKind, FileLine};
use ingest::ending::{ControllerStatus, LastStep, OutstandingRequest};
use schemars::JsonSchema;
use serde::Serialize;

use super::RunEnd;

/// What is known of the end of a run.
#[derive(Serialize, JsonSchema)]
pub struct EndJson<'a> {
    /// How the run ended, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crash: Option<CrashJson<'a>>,
    /// The number of requests that were never answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<usize>,
    /// The requests that were never answered, with the controllers that are busy with their cache lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    outstanding: Option<Vec<Outstanding<'a>>>,
}

/// The crash, with what the trace shows of it.
#[derive(Serialize, JsonSchema)]
pub struct CrashJson<'a> {
    /// The kind of crash.
    #[schemars(extend("enum" = CrashKind::ALL.map(CrashKind::name)))]
    kind: &'static str,
    /// The simulator's message as it was printed, with its line breaks.
    message: &'a str,
    /// The simulated object that printed it, as the simulator names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<&'a str>,
    /// Type of the controller, or `Seq` for a sequencer.
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'a str>,
    /// Number of the controller among those of its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    /// Number of the tester's port that the message is about, as gem5's RubyTester counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    processor: Option<u32>,
    /// State of the controller.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'a str>,
    /// Event that the controller met.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a str>,
    /// Address that the message is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<u64>,
    /// Tick at which the simulator stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    tick: Option<u64>,
    /// Cycle of the object's clock at which the simulator stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle: Option<u64>,
    /// Tick since which the request of a deadlock has waited.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_since: Option<u64>,
    /// Line of the simulator's source that printed the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Place<'a>>,
    /// Line of the protocol's source that the message names.
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol_source: Option<Place<'a>>,
    /// File and line in which the message was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<Place<'a>>,
    /// The cache line that the steps are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_line: Option<u64>,
    /// The last transitions and messages for that line; if it is not known, the last transitions for all lines.
    recent: &'a [LastStep],
    /// What the tester's processor that the message names did for that line, one sentence each.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    of_processor: &'a [String],
    /// Information that the trace does not record, and how to record it, one sentence each.
    missing: &'a [String],
    /// The known faults of gem5's released protocols that the message shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    known: Vec<&'static str>,
    /// Known faults that cause such a crash, as others may.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    perhaps_known: Vec<&'static str>,
}

/// A line of a file.
#[derive(Serialize, JsonSchema)]
struct Place<'a> {
    /// The file, as it was named.
    file: &'a str,
    /// The line, from 1.
    line: u64,
}

/// A request that was never answered.
#[derive(Serialize, JsonSchema)]
pub struct Outstanding<'a> {
    /// Thread that issued the request.
    thread: u32,
    /// Byte address.
    address: u64,
    /// Whether the request writes. Its value is not in the trace.
    writes: bool,
    /// Tick of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    issued: Option<u64>,
    /// Trace line of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    /// Address of the request's cache line.
    cache_line: u64,
    /// The controllers that hold the line or have a transaction for it, as far as the trace shows; controllers with
    /// stalled events come first.
    controllers: &'a [ControllerStatus],
    /// Number of further controllers that have had transitions for the line and do not hold it.
    idle: usize,
}

impl<'a> RunEnd<'a> {
    /// The end as JSON; what is not known is left out.
    pub fn json(&self) -> EndJson<'a> {
        let is_whole = self.unfinished == 0;
        EndJson {
            ended: self.ended,
            crash: self.crash_json(),
            unfinished: (!is_whole).then_some(self.unfinished),
            outstanding: (!is_whole).then(|| self.outstanding_json()),
        }
    }

    /// The crash as JSON.
    pub fn crash_json(&self) -> Option<CrashJson<'a>> {
        let crash: &'a Crash = self.crash?;
        Some(CrashJson {
            kind: crash.kind.name(),
            message: &crash.message,
            object: crash.object.as_deref(),
            machine: crash.machine.as_deref(),
            version: crash.version,
            processor: crash.processor,
            state: crash.state.as_deref(),
            event: crash.event.as_deref(),
            address: crash.address,
            tick: crash.tick,
            cycle: crash.cycle,
            waiting_since: crash.waiting_since,
            source: crash.source.as_ref().map(place),
            protocol_source: crash.protocol_source.as_ref().map(place),
            found: crash.found.as_ref().map(place),
            cache_line: self.ending.cache_line,
            recent: &self.ending.steps,
            of_processor: &self.ending.processor,
            missing: &self.ending.missing,
            known: self.names(true),
            perhaps_known: self.names(false),
        })
    }

    /// The requests that were never answered, as JSON.
    pub fn outstanding_json(&self) -> Vec<Outstanding<'a>> {
        self.ending.waiting.iter().map(outstanding).collect()
    }
}

fn place(line: &FileLine) -> Place<'_> {
    Place { file: &line.file, line: line.line }
}

fn outstanding(waiting: &OutstandingRequest) -> Outstanding<'_> {
    let request = &waiting.request;
    Outstanding {
        thread: request.thread,
        address: request.address,
        writes: request.writes,
        issued: request.issued,
        line: request.line,
        cache_line: waiting.cache_line,
        controllers: &waiting.controllers,
        idle: waiting.idle,
    }
}
