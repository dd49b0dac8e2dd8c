//! The crash of a simulator, with the fields of the message that it printed last.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of event that made the simulator stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CrashKind {
    /// A controller met an event for which its state has no transition.
    #[serde(rename = "invalid transition")]
    InvalidTransition,
    /// The protocol's own `error`, or a message that no port takes.
    #[serde(rename = "protocol error")]
    ProtocolError,
    /// An assertion of the protocol or of the simulator.
    #[serde(rename = "failed assertion")]
    FailedAssertion,
    /// Requests have waited for too long.
    #[serde(rename = "deadlock")]
    Deadlock,
    /// A tester read another value than it expected.
    #[serde(rename = "bad data")]
    BadData,
    /// A tester reported a failure of another kind.
    #[serde(rename = "tester failure")]
    TesterFailure,
    /// Any other panic: something that should never happen.
    #[serde(rename = "panic")]
    Panic,
    /// A fatal error: the simulation cannot continue as it was configured.
    #[serde(rename = "fatal")]
    Fatal,
    /// The simulator touched memory that is not its own.
    #[serde(rename = "segmentation fault")]
    SegmentationFault,
    /// The simulator was aborted, and no message says why.
    #[serde(rename = "abort")]
    Abort,
}

impl CrashKind {
    /// The name used in output and tables.
    pub fn name(self) -> &'static str {
        match self {
            CrashKind::InvalidTransition => "invalid transition",
            CrashKind::ProtocolError => "protocol error",
            CrashKind::FailedAssertion => "failed assertion",
            CrashKind::Deadlock => "deadlock",
            CrashKind::BadData => "bad data",
            CrashKind::TesterFailure => "tester failure",
            CrashKind::Panic => "panic",
            CrashKind::Fatal => "fatal",
            CrashKind::SegmentationFault => "segmentation fault",
            CrashKind::Abort => "abort",
        }
    }
}

impl fmt::Display for CrashKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileLine {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
}

impl fmt::Display for FileLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The last message of a simulator that crashed. Fields that the message does not have are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crash {
    /// The kind of crash.
    pub kind: CrashKind,
    /// The message as it was printed, with its line breaks.
    pub message: String,
    /// The simulated object that printed it, as the simulator names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Type of the controller, or `Seq` for a sequencer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Number of the controller among those of its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// State of the controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Event that the controller met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Address that the message is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<u64>,
    /// Tick at which the simulator stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<u64>,
    /// Cycle of the object's clock at which that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<u64>,
    /// Tick since which the request of a deadlock has waited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<u64>,
    /// Line of the simulator's source that printed the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<FileLine>,
    /// Line of the protocol's source that the message names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_source: Option<FileLine>,
    /// Where the message was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<FileLine>,
}

impl Crash {
    /// A crash of which only the message is known.
    pub fn new(kind: CrashKind, message: impl Into<String>) -> Crash {
        Crash {
            kind,
            message: message.into(),
            object: None,
            machine: None,
            version: None,
            state: None,
            event: None,
            address: None,
            tick: None,
            cycle: None,
            waiting_since: None,
            source: None,
            protocol_source: None,
            found: None,
        }
    }

    /// The controller that crashed, such as `L1Cache 2`, or what the message says of it: the name of the
    /// object, or the type alone.
    pub fn controller(&self) -> Option<String> {
        match (&self.machine, self.version, &self.object) {
            (Some(machine), Some(version), _) => Some(format!("{machine} {version}")),
            (_, _, Some(object)) => Some(object.clone()),
            (Some(machine), None, None) => Some(machine.clone()),
            (None, _, None) => None,
        }
    }

    /// The crash in one line, such as `invalid transition: L1Cache 2, state SM, event Inv, address
    /// 0x1040, tick 3485`, or with the first line of the message if the fields say too little.
    pub fn headline(&self) -> String {
        let mut parts = self.fields();
        if parts.is_empty() {
            parts.push(self.first_line().to_owned());
        }
        match (self.tick, self.cycle) {
            (Some(tick), _) => parts.push(format!("tick {tick}")),
            (None, Some(cycle)) => parts.push(format!("cycle {cycle}")),
            (None, None) => {}
        }
        format!("{}: {}", self.kind, parts.join(", "))
    }

    /// The fields that describe the crash; empty if the message itself says more than they do.
    fn fields(&self) -> Vec<String> {
        let place = self.protocol_source.as_ref();
        let is_descriptive = match self.kind {
            CrashKind::InvalidTransition => self.state.is_some() || self.event.is_some(),
            CrashKind::FailedAssertion => place.is_some() || self.address.is_some(),
            CrashKind::Deadlock => self.address.is_some(),
            _ => false,
        };
        if !is_descriptive {
            return Vec::new();
        }
        let mut parts: Vec<String> = self.controller().into_iter().collect();
        parts.extend(self.state.as_ref().map(|state| format!("state {state}")));
        parts.extend(self.event.as_ref().map(|event| format!("event {event}")));
        parts.extend(place.map(|place| format!("at {place}")));
        parts.extend(self.address.map(|address| format!("address {address:#x}")));
        parts
    }

    /// The first line of the message, without everything up to `panic: ` or `fatal: `.
    fn first_line(&self) -> &str {
        let line = self.message.lines().next().unwrap_or_default();
        let behind = line.find("panic: ").or_else(|| line.find("fatal: "));
        behind.map_or(line, |at| &line[at + "panic: ".len()..])
    }
}
