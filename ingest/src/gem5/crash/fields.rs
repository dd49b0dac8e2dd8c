//! The crash that a message describes. [`messages`] has gem5's messages; those of `rubric simulate` are read here.

use history::{Crash, CrashKind, FileLine};

use crate::gem5::crash::messages;

/// Beginnings of the faults that `rubric simulate` reports.
pub(crate) const SIMULATED: [&str; 7] = [
    "Invalid transition: ",
    "Runtime Error: ",
    "assert failure: ",
    "a null pointer was followed: ",
    "Possible Deadlock detected. Aborting! version: ",
    "Deadlock: ",
    "Livelock: ",
];

/// The text of a message.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    pub lines: &'a [String],
    /// Whether the end of the text is missing, so that its last word may be cut off.
    pub is_cut: bool,
}

impl<'a> Text<'a> {
    fn first(self) -> &'a str {
        self.lines.first().map_or("", String::as_str)
    }

    /// The lines, joined by line ends.
    pub(super) fn whole(self) -> String {
        self.lines.join("\n")
    }

    /// The word after `key`, where `key` is a word of its own; `None` if the end of the word may be missing.
    fn word(self, key: &str) -> Option<&'a str> {
        let last = self.lines.len().saturating_sub(1);
        self.lines.iter().enumerate().find_map(|(number, line)| {
            let at = find_key(line, key)?;
            let rest = line[at + key.len()..].trim_start();
            let word = rest.split(char::is_whitespace).next()?;
            let may_be_cut = self.is_cut && number == last && word.len() == rest.len();
            (!may_be_cut && !word.is_empty()).then(|| word.trim_end_matches(','))
        })
    }

    fn number(self, key: &str) -> Option<u64> {
        self.word(key)?.parse().ok()
    }

    fn name(self, key: &str) -> Option<String> {
        self.word(key).map(str::to_owned)
    }

    fn address(self, key: &str) -> Option<u64> {
        self.word(key).and_then(messages::address)
    }
}

/// The position of `key` at the beginning of a word.
fn find_key(line: &str, key: &str) -> Option<usize> {
    let mut places = line.match_indices(key).map(|(at, _)| at);
    places.find(|&at| line[..at].chars().next_back().is_none_or(char::is_whitespace))
}

/// The crash that the text after `panic: ` or `fatal: ` describes. `otherwise` is the kind of a message that the table of gem5's messages does not
/// have, and `source` is the line of gem5's source that printed it.
pub(crate) fn of_message(text: Text<'_>, otherwise: CrashKind, source: Option<&FileLine>) -> Crash {
    if SIMULATED.iter().any(|words| text.first().starts_with(words)) {
        return of_simulated(text);
    }
    let mut crash = Crash::new(otherwise, text.whole());
    let is_known = messages::read(&crash.message.clone(), text.is_cut, &mut crash);
    if !is_known && text.first().starts_with("assert(") {
        crash.kind = CrashKind::FailedAssertion;
    }
    crash.machine = crash.machine.take().or_else(|| source.and_then(machine));
    crash
}

/// The crash of a failed assertion of C++, whose function shows the machine if it is that of a controller.
pub(crate) fn of_assertion(text: Text<'_>) -> Crash {
    let (function, _) = text.first().split_once("_Controller::").unwrap_or_default();
    let machine = function.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
    let machine = machine.filter(|name| !name.is_empty() && *name != "Abstract").map(str::to_owned);
    Crash { machine, ..Crash::new(CrashKind::FailedAssertion, text.whole()) }
}

/// Parses messages of `rubric simulate`, such as
/// `Invalid transition: L1Cache 0 time: 7 addr: 0x40 event: Inv state: M`.
pub(crate) fn of_simulated(text: Text<'_>) -> Crash {
    let first = text.first();
    let kind = SIMULATED.iter().position(|words| first.starts_with(words));
    let kind = match kind {
        Some(0) => CrashKind::InvalidTransition,
        Some(1) => CrashKind::ProtocolError,
        Some(2) => CrashKind::FailedAssertion,
        Some(4..) => CrashKind::Deadlock,
        _ => CrashKind::Panic,
    };
    let named = first.split_once(": ").and_then(|(_, rest)| rest.split_once(" time: "));
    let sequencer = kind == CrashKind::Deadlock && first.contains("request.paddr:");
    let controller = named.filter(|_| !sequencer).and_then(|(name, _)| name.rsplit_once(' '));
    let version = if sequencer {
        text.number("version:").and_then(|version| version.try_into().ok())
    } else {
        controller.and_then(|(_, version)| version.parse().ok())
    };
    let controller = if sequencer { Some(("Seq", "")) } else { controller };
    Crash {
        machine: controller.map(|(machine, _)| machine.to_owned()),
        version,
        state: text.name("state:"),
        event: text.name("event:"),
        address: text.address("addr:").or_else(|| text.address("request.paddr:")),
        tick: text.number("time:"),
        waiting_since: text.number("issue_time:"),
        ..Crash::new(kind, text.whole())
    }
}

/// The type of the controller whose code a source file holds: `L1Cache` for
/// `build/NULL/mem/ruby/protocol/L1Cache_Transitions.cc`.
fn machine(source: &FileLine) -> Option<String> {
    let file = source.file.rsplit('/').next()?;
    let stems = ["_Transitions.cc", "_Controller.cc", "_Wakeup.cc"];
    let machine = stems.iter().find_map(|stem| file.strip_suffix(stem))?;
    Some(machine.to_owned())
}
