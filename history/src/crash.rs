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
    /// All kinds.
    pub const ALL: [CrashKind; 10] = [
        CrashKind::InvalidTransition,
        CrashKind::ProtocolError,
        CrashKind::FailedAssertion,
        CrashKind::Deadlock,
        CrashKind::BadData,
        CrashKind::TesterFailure,
        CrashKind::Panic,
        CrashKind::Fatal,
        CrashKind::SegmentationFault,
        CrashKind::Abort,
    ];

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
    /// Number of the tester's port that the message is about, as gem5's RubyTester counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<u32>,
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
    /// Cycle of the object's clock at which the simulator stopped.
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
    /// File and line in which the message was found.
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
            processor: None,
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

    /// The controller that crashed, such as `L1Cache 2`. If the message does not say type and number, the name of the
    /// object, the type alone or the tester's processor; `None` if it names none of these.
    pub fn controller(&self) -> Option<String> {
        match (&self.machine, self.version, &self.object) {
            (Some(machine), Some(version), _) => Some(format!("{machine} {version}")),
            (_, _, Some(object)) => Some(object.clone()),
            (Some(machine), None, None) => Some(machine.clone()),
            (None, _, None) => self.processor.map(|number| format!("processor {number}")),
        }
    }

    /// The crash in one line, such as `invalid transition: L1Cache 2, state SM, event Inv, address
    /// 0x1040, tick 3485`, or with the first line of the message if the fields say too little.
    pub fn headline(&self) -> String {
        let when = match (self.tick, self.cycle) {
            (Some(tick), _) => format!(", tick {tick}"),
            (None, Some(cycle)) => format!(", cycle {cycle}"),
            (None, None) => String::new(),
        };
        format!("{}{when}", self.summary())
    }

    /// The crash as a sentence for a title, such as `Deadlock: Seq 1 has waited for 0x10c0 since tick 9978`.
    pub fn finding(&self) -> String {
        let mut sentence = self.sentence().unwrap_or_else(|| self.summary());
        if let Some(first) = sentence.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        sentence
    }

    /// The crash of a controller as a sentence: the request that it waits for, or the event for which it has no
    /// transition. `None` for other kinds of crashes, or if fields are missing.
    fn sentence(&self) -> Option<String> {
        let controller = self.controller()?;
        let parts = match self.kind {
            _ if self.fields().is_empty() => return None,
            CrashKind::Deadlock => {
                let since = self.waiting_since.map(|tick| format!(" since tick {tick}"));
                let since = since.unwrap_or_default();
                format!("{controller} has waited for {:#x}{since}", self.address?)
            }
            CrashKind::InvalidTransition => {
                let (state, event) = (self.state.as_ref()?, self.event.as_ref()?);
                let of = self.address.map(|address| format!(" of {address:#x}"));
                format!("{controller} in {state} has none for {event}{}", of.unwrap_or_default())
            }
            _ => return None,
        };
        Some(format!("{}: {parts}", self.kind))
    }

    /// The kind of crash with its known fields except the time, or with the first line of the message.
    fn summary(&self) -> String {
        let mut parts = self.fields();
        if parts.is_empty() {
            parts.push(self.first_line().to_owned());
        }
        format!("{}: {}", self.kind, parts.join(", "))
    }

    /// The fields that describe the crash; empty if the message itself says more than they do.
    fn fields(&self) -> Vec<String> {
        let place = self.protocol_source.as_ref();
        let is_descriptive = match self.kind {
            CrashKind::InvalidTransition => self.state.is_some() || self.event.is_some(),
            CrashKind::FailedAssertion => place.is_some() || self.address.is_some(),
            // The deadlock message of `rubric simulate` itself says which sequencer waits and since when.
            CrashKind::Deadlock => {
                (self.address.is_some() || self.processor.is_some())
                    && !self.first_line().contains(" has waited for ")
            }
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

    /// The first line of the message without the text up to `panic: ` or `fatal: `, without the kind of crash, and
    /// without the time at its end.
    fn first_line(&self) -> &str {
        let line = self.message.lines().next().unwrap_or_default();
        let behind = line.find("panic: ").or_else(|| line.find("fatal: "));
        let line = behind.map_or(line, |at| &line[at + "panic: ".len()..]);
        let kind = self.kind.name();
        let is_kind = |(before, _): &(&str, &str)| before.eq_ignore_ascii_case(kind);
        let line = line.split_once(": ").filter(is_kind).map_or(line, |(_, rest)| rest);
        let timed = self.tick.and_then(|_| line.rsplit_once("; current time: "));
        timed.map_or(line, |(before, _)| before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulated_deadlock_is_named_once_with_its_tick() {
        let message = "Deadlock: nothing happens any more, but sequencer 2 has waited for 0x1000 since tick 97; current time: 808";
        let mut crash = Crash::new(CrashKind::Deadlock, message);
        (crash.tick, crash.address) = (Some(808), Some(0x1000));
        let said = "nothing happens any more, but sequencer 2 has waited for 0x1000 since tick 97";
        assert_eq!(crash.headline(), format!("deadlock: {said}, tick 808"));
        assert_eq!(crash.finding(), format!("Deadlock: {said}"));
    }

    #[test]
    fn titles_are_sentences() {
        let mut crash = Crash::new(CrashKind::Deadlock, "panic: Possible Deadlock detected.");
        (crash.machine, crash.version) = (Some("Seq".to_owned()), Some(1));
        (crash.address, crash.waiting_since) = (Some(0x10c0), Some(9978));
        assert_eq!(crash.finding(), "Deadlock: Seq 1 has waited for 0x10c0 since tick 9978");
        let vague = Crash::new(CrashKind::Panic, "panic: it broke");
        assert_eq!(vague.finding(), "Panic: it broke");
    }
}
