//! Finds the message with which gem5 aborts among the lines that no debug flag printed ([`CrashScan`]).
//!
//! A panic or a fatal error is `<file>:<line>: panic: <text>`, often of several lines, then `Memory Usage: …`, and for
//! a panic `Program aborted at tick <tick>` and a backtrace. Older versions begin with `panic: ` and print
//! ` @ tick <tick>` and `[<function>:<file>, line <line>]` after the text. Assertions of the C library, segmentation
//! faults and the messages of `rubric simulate` on standard error are read too. `crash_fields` parses the text.

use std::borrow::Cow;

use history::{Crash, CrashKind, FileLine};

use crate::error::excerpt;
use crate::gem5::crash::fields::{self, Text};
use crate::gem5::crash::messages::WARNINGS;

/// Largest number of lines of a message that are kept.
const MOST_LINES: usize = 16;
/// Largest number of characters of a line that are kept.
const MOST_CHARACTERS: usize = 400;

/// Beginnings of the lines that end a message.
const BEHIND: [&str; 12] = [
    "Memory Usage: ",
    "Program aborted",
    "--- BEGIN LIBC BACKTRACE",
    "--- END LIBC BACKTRACE",
    "For more info on how to address this issue",
    "Exiting @ tick",
    "warn: ",
    "info: ",
    "hack: ",
    "rubric: ",
    "Aborted",
    "gem5 ",
];

/// The beginning of a message, which shows its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opening {
    Panic,
    Fatal,
    Assertion,
    SegmentationFault,
    /// A fault that `rubric simulate` reports.
    Simulated,
    /// Text that only panics have, on a line without `panic: `.
    Text,
    /// A line that says that gem5 aborted, without a reason.
    Vague,
}

/// Searches lines for the message of a crash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CrashScan {
    found: Option<Message>,
    /// The last warning of a tester that says more about the message that follows it.
    warning: Vec<String>,
    /// Whether more lines may belong to the warning.
    warns: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Message {
    opening: Opening,
    /// The lines; of the first one, the text from the reason on.
    lines: Vec<String>,
    /// Number of the line that it begins in.
    number: u64,
    source: Option<FileLine>,
    tick: Option<u64>,
    /// Whether more lines may belong to it.
    is_open: bool,
    /// Whether gem5 itself certainly printed it, and not the simulated program.
    is_certain: bool,
    /// Whether the end of its last line is missing.
    is_cut: bool,
}

impl CrashScan {
    /// Whether a message was found.
    pub(crate) fn is_found(&self) -> bool {
        self.found.is_some()
    }

    /// Whether gem5 itself certainly printed the message, and not the simulated program.
    pub(crate) fn is_certain(&self) -> bool {
        let mut found = self.found.iter();
        found.any(|message| message.is_certain)
    }

    /// Takes in a line; `is_cut` if its end is missing.
    pub(crate) fn scan(&mut self, line: &[u8], number: u64, is_cut: bool) {
        let mut text = excerpt(&without_colours(line), MOST_CHARACTERS);
        if text.ends_with("panic:") || text.ends_with("fatal:") {
            // `excerpt` removed the space at the end.
            text.push(' ');
        }
        if text.starts_with("Exiting @ tick ") {
            // The run ended normally, so a message that is not certain was output of the simulated program.
            self.found.take_if(|message| !message.is_certain);
        }
        if let Some(message) = &mut self.found {
            message.more(&text, is_cut);
            if message.opening != Opening::Vague {
                return;
            }
        }
        let Some(mut message) = Message::begin(&text, number) else {
            self.note_warning(&text);
            return;
        };
        if message.lines[0].starts_with("GPU Ruby Tester: Failed")
            || message.lines[0].starts_with("Aborting due to deadlock")
        {
            message.lines.append(&mut self.warning);
        }
        if message.opening == Opening::Vague && self.found.is_some() {
            return;
        }
        message.is_cut = is_cut;
        if let Some(vague) = &self.found {
            message.tick = message.tick.or(vague.tick);
        }
        self.found = Some(message);
    }

    /// Keeps the lines of a warning that says more about a message that may follow.
    fn note_warning(&mut self, text: &str) {
        if let Some(at) = text.find("warn: ") {
            self.warns = WARNINGS.iter().any(|words| text.contains(words));
            self.warning = if self.warns { vec![text[at..].to_owned()] } else { Vec::new() };
        } else if self.warns && self.warning.len() < MOST_LINES {
            self.warns = !text.is_empty();
            self.warning.extend(self.warns.then(|| text.to_owned()));
        }
    }

    /// Parses the message that was found; `file` is the file that it was found in.
    pub(crate) fn crash(&self, file: &str) -> Option<Crash> {
        let message = self.found.as_ref()?;
        let text = Text { lines: &message.lines, is_cut: message.is_cut };
        let plain = |kind| Crash::new(kind, text.whole());
        let mut crash = match message.opening {
            Opening::Panic | Opening::Text => {
                fields::of_message(text, CrashKind::Panic, message.source.as_ref())
            }
            Opening::Fatal => fields::of_message(text, CrashKind::Fatal, message.source.as_ref()),
            Opening::Simulated => fields::of_simulated(text),
            Opening::Assertion => fields::of_assertion(text),
            Opening::SegmentationFault => plain(CrashKind::SegmentationFault),
            Opening::Vague => plain(CrashKind::Abort),
        };
        crash.tick = message.tick.or(crash.tick);
        crash.source = message.source.clone();
        crash.found = Some(FileLine { file: file.to_owned(), line: message.number });
        Some(crash)
    }
}

impl Message {
    fn begin(text: &str, number: u64) -> Option<Message> {
        let begin = |opening, line: &str, source, is_certain| {
            let is_open = matches!(opening, Opening::Panic | Opening::Fatal | Opening::Text);
            Some(Message {
                opening,
                lines: vec![line.to_owned()],
                number,
                source,
                tick: None,
                is_open,
                is_certain,
                is_cut: false,
            })
        };
        for (word, opening) in [("panic: ", Opening::Panic), ("fatal: ", Opening::Fatal)] {
            if let Some((source, reason)) = logged(text, word) {
                let is_certain = source.is_some();
                return begin(opening, reason, source, is_certain);
            }
        }
        if let Some(simulated) = simulated(text) {
            return begin(Opening::Simulated, simulated, None, true);
        }
        if text.contains("gem5 has encountered a segmentation fault") {
            return begin(Opening::SegmentationFault, text, None, true);
        }
        if text.contains(": Assertion `") {
            let source = assertion_source(text);
            // The source line has a field of its own.
            let place = source.as_ref().map(|source| format!("{source}: "));
            let said = place.and_then(|place| text.split_once(&place).map(|(_, said)| said));
            return begin(Opening::Assertion, said.unwrap_or(text), source.clone(), true);
        }
        let is_text = ["Invalid transition", "Possible Deadlock detected"];
        if is_text.iter().any(|words| text.starts_with(words)) {
            return begin(Opening::Text, text, None, false);
        }
        if text.starts_with("Segmentation fault (core dumped)") {
            return begin(Opening::SegmentationFault, text, None, false);
        }
        let is_vague = text.contains("Program aborted")
            || text.starts_with("terminate called after throwing")
            || text.starts_with("Aborted (core dumped)");
        if !is_vague {
            return None;
        }
        let mut message = begin(Opening::Vague, text, None, true)?;
        message.tick = aborted_at(text, false);
        Some(message)
    }

    /// Takes in a line after the first.
    fn more(&mut self, text: &str, is_cut: bool) {
        self.is_certain |= text.starts_with("Memory Usage: ") || text.contains("Program aborted");
        if let Some(tick) = aborted_at(text, is_cut) {
            self.tick = Some(tick);
        }
        if !self.is_open {
            return;
        }
        if let Some(tick) = text.strip_prefix("@ tick ") {
            self.tick = tick.parse().ok().filter(|_| !is_cut);
            self.is_certain = true;
            return;
        }
        if let Some(source) = old_source(text) {
            self.source = self.source.take().or(Some(source));
            self.is_certain = true;
            return;
        }
        self.is_open = self.lines.len() < MOST_LINES
            && !text.is_empty()
            && !BEHIND.iter().any(|words| text.starts_with(words));
        if self.is_open {
            self.lines.push(text.to_owned());
            self.is_cut = is_cut;
        }
    }
}

/// A line without the commands that colour it on a terminal, `ESC [ … m`.
fn without_colours(line: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(ESCAPE, line).is_none() {
        return Cow::Borrowed(line);
    }
    let mut parts = line.split(|&byte| byte == ESCAPE);
    let mut plain = parts.next().unwrap_or_default().to_vec();
    for part in parts {
        let end = part.iter().position(|byte| !matches!(byte, b'[' | b';' | b'0'..=b'9'));
        match end.filter(|&end| part[end] == b'm' && part.starts_with(b"[")) {
            Some(end) => plain.extend(&part[end + 1..]),
            None => {
                plain.push(ESCAPE);
                plain.extend(part);
            }
        }
    }
    Cow::Owned(plain)
}

const ESCAPE: u8 = 0x1b;

/// The tick of `Program aborted at tick <tick>`.
fn aborted_at(text: &str, is_cut: bool) -> Option<u64> {
    let (_, tick) = text.split_once("Program aborted at tick ")?;
    tick.trim().parse().ok().filter(|_| !is_cut)
}

/// The source line and the reason of `<file>:<line>: panic: <reason>`, or of `panic: <reason>`. Output of the simulated
/// program may precede the file, if it did not end its line.
fn logged<'a>(text: &'a str, word: &str) -> Option<(Option<FileLine>, &'a str)> {
    let at = text.find(word)?;
    let (before, reason) = (&text[..at], &text[at + word.len()..]);
    if before.is_empty() {
        return Some((None, reason));
    }
    let before = before.strip_suffix(' ')?;
    if ["warn: ", "info: ", "hack: "].iter().any(|it| before.contains(it)) {
        return None;
    }
    let source = before.strip_suffix(':').and_then(source_line);
    Some((source, reason))
}

/// `<file>:<line>` at the end of a text.
fn source_line(text: &str) -> Option<FileLine> {
    let (file, line) = text.rsplit_once(':')?;
    let file = file.rsplit(char::is_whitespace).next()?;
    let line = line.parse().ok()?;
    (!file.is_empty()).then(|| FileLine { file: file.to_owned(), line })
}

/// `<program>: <file>:<line>: <function>: Assertion …`.
fn assertion_source(text: &str) -> Option<FileLine> {
    let (before, _) = text.split_once(": Assertion `")?;
    let mut parts = before.split(": ");
    parts.find_map(source_line)
}

/// `[<function>:<file>, line <line>]`.
fn old_source(text: &str) -> Option<FileLine> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let (_, place) = inner.split_once(':')?;
    let (file, line) = place.split_once(", line ")?;
    let line = line.parse().ok()?;
    Some(FileLine { file: file.to_owned(), line })
}

/// The fault that `rubric simulate` reports; the line repeats the command before it.
fn simulated(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("rubric: ")?;
    let starts = fields::SIMULATED.iter();
    let at = starts.filter_map(|words| rest.find(&format!(": {words}")));
    at.min().map(|at| &rest[at + 2..])
}

/// Whether a line certainly begins the message with which gem5 aborts.
pub(crate) fn begins_message(line: &[u8]) -> bool {
    let mut scan = CrashScan::default();
    scan.scan(line, 1, false);
    scan.found.is_some_and(|message| message.is_certain)
}

#[cfg(test)]
mod tests;
