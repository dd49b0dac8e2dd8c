//! What a trace shows of how its run ended ([`Ending`]): the last steps for the address that a crash is about, and the
//! state of the controllers for the cache lines of requests that were never answered.

use std::fmt;

use history::Unfinished;
use schemars::JsonSchema;
use serde::Serialize;

/// A transition or a message for a cache line, with its repetitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LastStep {
    /// Tick of the first occurrence.
    pub tick: u64,
    /// Trace line of the first occurrence.
    pub line: u64,
    /// Address of the cache line.
    pub address: u64,
    /// The kind of the step.
    #[serde(flatten)]
    pub what: StepKind,
    /// Number of occurrences in a row, with nothing else from the same controller in between.
    pub count: u64,
    /// Tick of the last occurrence.
    pub last_tick: u64,
}

/// The kind of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum StepKind {
    /// A controller took a transition, or could not take it yet.
    Transition {
        /// Type of the controller.
        machine: String,
        /// Number of the controller among those of its type.
        version: u32,
        /// The event that triggered it.
        event: String,
        /// State before.
        state: String,
        /// State after; for a stall, the next state that the trace line shows.
        next_state: String,
        /// The reason of a stall; `None` if the transition was taken.
        #[serde(skip_serializing_if = "Option::is_none")]
        stall: Option<Stall>,
    },
    /// A message entered a buffer.
    Message {
        /// The buffer, as the simulator names it.
        buffer: String,
        /// Type of the message, the request or response that it carries, and its sender or requestor, such as
        /// `RequestMsg GETX for L1Cache-0`.
        message: String,
    },
}

/// Why a transition was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Stall {
    /// The protocol stalls the event in this state.
    Protocol,
    /// A buffer, table or bank is full.
    Resource,
}

impl fmt::Display for LastStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>10}: {}", self.tick, self.what)?;
        if self.count > 1 {
            write!(f, ", {} times to tick {}", self.count, self.last_tick)?;
        }
        write!(f, "  line {}", self.line)
    }
}

impl fmt::Display for StepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepKind::Message { buffer, message } => write!(f, "{buffer} receives {message}"),
            StepKind::Transition { machine, version, event, state, next_state, stall } => {
                write!(f, "{machine} {version} {event}: {state}")?;
                match stall {
                    None => write!(f, " > {next_state}"),
                    Some(Stall::Protocol) => f.write_str(" stalls"),
                    Some(Stall::Resource) => f.write_str(" waits for room"),
                }
            }
        }
    }
}

/// The state of a controller for a cache line, as far as its transitions show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ControllerStatus {
    /// Type of the controller.
    pub machine: String,
    /// Number of the controller among those of its type.
    pub version: u32,
    /// State after the controller's last transition for the line.
    pub state: String,
    /// Tick of the transition into that state; `None` if the trace shows only stalls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Trace line of the transition into that state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The event that triggered that transition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Events that have been stalled since that transition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stalled: Vec<StalledEvent>,
}

/// An event that a controller has stalled and not handled since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StalledEvent {
    /// The event that is stalled.
    pub event: String,
    /// The reason of the stalls.
    pub stall: Stall,
    /// Number of stalls in the trace.
    pub count: u64,
    /// Tick of the first stall.
    pub first_tick: u64,
    /// Tick of the last stall.
    pub last_tick: u64,
}

impl fmt::Display for ControllerStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} in {}", self.machine, self.version, self.state)?;
        if let (Some(since), Some(after), Some(line)) = (self.since, &self.after, self.line) {
            write!(f, " since tick {since} (after {after}, line {line})")?;
        }
        for (number, it) in self.stalled.iter().enumerate() {
            let link = if number == 0 { ", where" } else { " and" };
            let (event, count) = (&it.event, it.count);
            let times = if count == 1 { "time" } else { "times" };
            let (first, last) = (it.first_tick, it.last_tick);
            let why = match it.stall {
                Stall::Protocol => "stalled",
                Stall::Resource => "found no room",
            };
            write!(f, "{link} {event} {why} {count} {times}, ticks {first} to {last}")?;
        }
        Ok(())
    }
}

/// A request that was never answered, with the controllers that are busy with its cache line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutstandingRequest {
    /// The unanswered request.
    pub request: Unfinished,
    /// Address of the request's cache line.
    pub cache_line: u64,
    /// The controllers that hold the line or have a transaction for it, as far as the trace shows; controllers with
    /// stalled events come first.
    pub controllers: Vec<ControllerStatus>,
    /// Number of further controllers that have had transitions for the line and do not hold it.
    pub idle: usize,
}

impl OutstandingRequest {
    /// A description in one line: `thread 0: store to 0x10c0, outstanding since tick 9978 (line 512)`.
    pub fn headline(&self) -> String {
        let Unfinished { thread, address, writes, .. } = self.request;
        let what = if writes { "store to" } else { "load of" };
        let since = self.request.issued;
        let since = since.map_or(String::new(), |tick| format!(", outstanding since tick {tick}"));
        let line = self.request.line;
        let line = line.map_or(String::new(), |line| format!(" (line {line})"));
        format!("thread {thread}: {what} {address:#x}{since}{line}")
    }

    /// The state of each controller for the line, one sentence each.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.controllers.iter().map(ControllerStatus::to_string).collect();
        match (lines.is_empty(), self.idle) {
            (true, 0) => lines.push(format!(
                "no transition for line {:#x} among the last that were kept",
                self.cache_line
            )),
            (_, 0) => {}
            (_, 1) => lines.push("1 more controller does not hold the line".to_owned()),
            (_, more) => lines.push(format!("{more} more controllers do not hold the line")),
        }
        lines
    }
}

/// The end of a run, as far as the trace shows it. Empty if nothing is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// The cache line that the crash is about, where the message names an address.
    pub cache_line: Option<u64>,
    /// The last transitions and messages for that line; if it is not known, the last transitions for all lines.
    pub steps: Vec<LastStep>,
    /// What the processor that the message names did for that line, one sentence each; empty if it names none.
    pub processor: Vec<String>,
    /// The requests that were never answered, the oldest first.
    pub waiting: Vec<OutstandingRequest>,
    /// Information that the trace does not record, and how to record it, one sentence each.
    pub missing: Vec<String>,
    /// How to find out whether the run crashed or was stopped, as a sentence, if that is not known.
    pub unexplained: Option<String>,
}

impl Ending {
    /// A title for the steps, such as `the last transitions for 0x1040`.
    pub fn title(&self) -> String {
        let is_message = |step: &LastStep| matches!(step.what, StepKind::Message { .. });
        let what = if self.steps.iter().any(is_message) {
            "transitions and messages"
        } else {
            "transitions"
        };
        match self.cache_line {
            Some(address) => format!("the last {what} for {address:#x}"),
            None => format!("the last {what} (the message names no address)"),
        }
    }
}
