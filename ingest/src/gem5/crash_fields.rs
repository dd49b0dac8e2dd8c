//! Parses the fields of the message with which gem5 aborts: controller, state, event, address and tick.

use history::{Crash, CrashKind, FileLine};

/// Beginnings of the faults that `rubric simulate` reports.
pub(super) const SIMULATED: [&str; 7] = [
    "Invalid transition: ",
    "Runtime Error: ",
    "assert failure: ",
    "a null pointer was followed: ",
    "Possible Deadlock detected. Aborting! version: ",
    "Deadlock: ",
    "Livelock: ",
];

/// Phrases that only deadlock messages have.
const DEADLOCKS: [&str; 6] = [
    "Possible Deadlock detected",
    "Deadlock detected",
    "Possible network deadlock",
    "Possible deadlock",
    "did not see a response for",
    "did not send a request for",
];

/// Phrases that only gem5's testers print.
const TESTERS: [&str; 4] = [
    "Action/check failure",
    "Unexpected TesterStatus",
    "GPU Ruby Tester: Failed",
    " access failed at ",
];

/// The text of a message.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub lines: &'a [String],
    /// Whether the end of the text is missing, so that its last word may be cut off.
    pub is_cut: bool,
}

impl<'a> Text<'a> {
    fn first(self) -> &'a str {
        self.lines.first().map_or("", String::as_str)
    }

    /// The lines, joined by line ends.
    pub fn whole(self) -> String {
        self.lines.join("\n")
    }

    fn has(self, words: &[&str]) -> bool {
        let mut lines = self.lines.iter();
        lines.any(|line| words.iter().any(|words| line.contains(words)))
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
        self.word(key).and_then(address)
    }
}

/// The position of `key` at the beginning of a word.
fn find_key(line: &str, key: &str) -> Option<usize> {
    let mut places = line.match_indices(key).map(|(at, _)| at);
    places.find(|&at| line[..at].chars().next_back().is_none_or(char::is_whitespace))
}

/// Parses an address: `0x400`, `[0x400`, or 1024 as older versions print it.
fn address(word: &str) -> Option<u64> {
    let word = word.trim_start_matches('[').trim_end_matches([',', ']', '.', ':']);
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// The crash that the text after `panic: ` describes; `source` is the line of gem5's source that printed it.
pub(super) fn of_panic(text: Text<'_>, source: Option<&FileLine>) -> Crash {
    let crash = |kind| Crash::new(kind, text.whole());
    let is_simulated = |words: &&str| text.first().starts_with(*words);
    if SIMULATED.iter().any(is_simulated) {
        return of_simulated(text);
    }
    if text.first().contains("Invalid transition") {
        return Crash { machine: source.and_then(machine), ..invalid_transition(text) };
    }
    if text.first().contains("Runtime Error at ") {
        return Crash { machine: source.and_then(machine), ..runtime_error(text) };
    }
    if text.has(&DEADLOCKS) {
        return deadlock(text);
    }
    if text.has(&["returns "]) && text.has(&["expected "]) && text.has(&["read of "]) {
        return bad_data(text);
    }
    if text.has(&TESTERS) {
        return Crash {
            address: text.address("address:").or_else(|| text.address("failed at")),
            cycle: text.number("Time:"),
            ..crash(CrashKind::TesterFailure)
        };
    }
    crash(CrashKind::Panic)
}

/// Parses `<object> time: <cycle> addr: <address> event: <event> state: <state>`.
fn invalid_transition(text: Text<'_>) -> Crash {
    let named = text.lines.iter().find_map(|line| line.split_once(" time: "));
    let object = named.and_then(|(before, _)| before.rsplit(char::is_whitespace).next());
    let object = object.filter(|object| !object.is_empty());
    Crash {
        version: object.and_then(version),
        object: object.map(str::to_owned),
        state: text.name("state:"),
        event: text.name("event:"),
        address: text.address("addr:"),
        cycle: text.number("time:"),
        ..Crash::new(CrashKind::InvalidTransition, text.whole())
    }
}

/// Parses `Runtime Error at <file>.sm:<line>: <text>.`
fn runtime_error(text: Text<'_>) -> Crash {
    let (_, rest) = text.first().split_once("Runtime Error at ").unwrap_or_default();
    let (place, what) = rest.split_once(": ").unwrap_or((rest, ""));
    let kind = if what.starts_with("assert failure") {
        CrashKind::FailedAssertion
    } else {
        CrashKind::ProtocolError
    };
    let protocol_source = place.rsplit_once(':').and_then(|(file, line)| {
        let line = line.parse().ok().filter(|_| !what.is_empty())?;
        let file = file.to_owned();
        Some(FileLine { file, line })
    });
    Crash { protocol_source, ..Crash::new(kind, text.whole()) }
}

/// Parses `version: <n> request.paddr: <address> … current time: <tick> issue_time: <tick> difference: <ticks>`.
fn deadlock(text: Text<'_>) -> Crash {
    let version = text.number("version:").and_then(|version| u32::try_from(version).ok());
    let is_sequencer = text.has(&["m_readRequestTable:", "m_htmCmdRequestTable:"]);
    let machine =
        if is_sequencer { Some("Seq") } else { text.has(&["uncoalescedTable:"]).then_some("Coal") };
    Crash {
        machine: machine.map(str::to_owned),
        version,
        address: text.address("request.paddr:"),
        tick: text.number("current time:"),
        waiting_since: text.number("issue_time:"),
        ..Crash::new(CrashKind::Deadlock, text.whole())
    }
}

/// Parses `<object>: read of <address> (blk <line>) @ cycle <tick> returns <value>, expected <value>`; the address has
/// no `0x`.
fn bad_data(text: Text<'_>) -> Crash {
    let object = text.first().split_once(": read of ").map(|(object, _)| object);
    let address = text.word("read of");
    Crash {
        object: object.map(str::to_owned),
        address: address.and_then(|digits| u64::from_str_radix(digits, 16).ok()),
        tick: text.number("cycle"),
        ..Crash::new(CrashKind::BadData, text.whole())
    }
}

/// Parses messages of `rubric simulate`, such as
/// `Invalid transition: L1Cache 0 time: 7 addr: 0x40 event: Inv state: M`.
pub(super) fn of_simulated(text: Text<'_>) -> Crash {
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

/// The number at the end of an object's path.
fn version(object: &str) -> Option<u32> {
    let part = object.rsplit('.').next()?;
    let name = part.trim_end_matches(|c: char| c.is_ascii_digit());
    part[name.len()..].parse().ok()
}
