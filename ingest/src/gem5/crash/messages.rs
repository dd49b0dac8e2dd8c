//! Reads the messages with which gem5 stops and that name an address, a state, a machine or another object: [`read`].
//!
//! [`table`] has a row for each message. The text of a row is that of the message, on one line and with single spaces. Where a value
//! stands, it has the name of a [`Field`] in braces; `{}` stands for what is not read. A message may end early, and may have more text
//! at both ends.

mod table;

use history::{Crash, FileLine};

pub(crate) use table::WARNINGS;
use table::{MESSAGES, MessageForm};

/// A value that a message has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// A number or text that is not read.
    Other,
    /// A simulated object.
    Object,
    /// A controller, as a simulated object whose name ends with its number.
    Controller,
    /// A controller as gem5's `MachineID`, such as `L1Cache-0`.
    Id,
    /// The type of a controller.
    Machine,
    /// The type of the controller that was looked for, which is not the one that stopped.
    MachineSought,
    /// The number of a sequencer.
    Sequencer,
    /// The number of a coalescer of a GPU.
    Coalescer,
    /// A port of RubyTester.
    Processor,
    /// An address with `0x` or, in older versions, in decimal, perhaps in brackets.
    Address,
    /// An address in hexadecimal digits, with or without `0x`.
    Hex,
    State,
    Event,
    Tick,
    Cycle,
    /// Tick since which a request waits.
    Since,
    /// File and line in a protocol.
    Place,
}

impl Field {
    /// The fields with their names in texts, and in words for the documentation.
    const NAMES: [(&str, Field, &str); 17] = [
        ("", Field::Other, ""),
        ("object", Field::Object, "object"),
        ("controller", Field::Controller, "controller"),
        ("id", Field::Id, "controller"),
        ("machine", Field::Machine, "machine"),
        ("machine_sought", Field::MachineSought, "machine that was looked for"),
        ("sequencer", Field::Sequencer, "sequencer"),
        ("coalescer", Field::Coalescer, "coalescer"),
        ("processor", Field::Processor, "processor"),
        ("address", Field::Address, "address"),
        ("hex", Field::Hex, "address"),
        ("state", Field::State, "state"),
        ("event", Field::Event, "event"),
        ("tick", Field::Tick, "tick"),
        ("cycle", Field::Cycle, "cycle"),
        ("since", Field::Since, "tick since when"),
        ("place", Field::Place, "place in the protocol"),
    ];

    fn of(name: &str) -> Field {
        let found = Field::NAMES.iter().find(|(known, ..)| *known == name);
        found.map_or(Field::Other, |(_, field, _)| *field)
    }

    /// The value of a message that stands for the field goes into the crash.
    fn read(self, value: &str, crash: &mut Crash) {
        let first = value.split(' ').next().unwrap_or_default();
        let last = value.rsplit(' ').next().unwrap_or_default();
        let name = |word: &str| Some(word.to_owned()).filter(|word| !word.is_empty());
        match self {
            Field::Other | Field::MachineSought => {}
            Field::Object => crash.object = name(last),
            Field::Controller => {
                crash.version = version(last);
                crash.object = name(last);
            }
            Field::Id => {
                if let Some((machine, number)) = first.rsplit_once('-') {
                    (crash.machine, crash.version) = (name(machine), number.parse().ok());
                }
            }
            Field::Machine => crash.machine = name(last),
            Field::Sequencer => {
                (crash.machine, crash.version) = (name("Seq"), first.parse().ok());
            }
            Field::Coalescer => {
                (crash.machine, crash.version) = (name("Coal"), first.parse().ok());
            }
            Field::Processor => crash.processor = first.parse().ok(),
            Field::Address => crash.address = address(first),
            Field::Hex => crash.address = hexadecimal(first),
            Field::State => crash.state = name(first),
            Field::Event => crash.event = name(first),
            Field::Tick => crash.tick = first.parse().ok(),
            Field::Cycle => crash.cycle = first.parse().ok(),
            Field::Since => crash.waiting_since = first.parse().ok(),
            Field::Place => crash.protocol_source = place(last),
        }
    }
}

/// A row that fits a text.
struct Fit<'a> {
    form: &'static MessageForm,
    /// The number of the row's characters that the text has, without those of fields.
    found: usize,
    values: Vec<(Field, &'a str)>,
}

impl MessageForm {
    /// The words of the text, each with the field that follows; the last ones have none.
    fn parts(&self) -> impl Iterator<Item = (&'static str, Option<Field>)> + use<> {
        let mut rest = Some(self.text);
        std::iter::from_fn(move || {
            let text = rest?;
            let (words, behind) = match text.split_once('{') {
                Some((words, behind)) => (words, Some(behind)),
                None => (text, None),
            };
            let field = behind.and_then(|behind| behind.split_once('}'));
            rest = field.map(|(_, rest)| rest);
            Some((words, field.map(|(name, _)| Field::of(name))))
        })
    }

    /// What a message names, in words, for the documentation.
    #[cfg(test)]
    fn names(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for field in self.parts().filter_map(|(_, field)| field) {
            let row = Field::NAMES.iter().find(|(_, known, _)| *known == field);
            let words = row.map_or("", |(.., words)| *words);
            if !words.is_empty() && !names.contains(&words) {
                names.push(words);
            }
        }
        names.join(", ")
    }

    /// Reads a text, which ends with a space; `is_cut` if its end is missing. `None` if the text is not of this form. It may end early, if
    /// its beginning is certain.
    fn fit<'a>(&'static self, text: &'a str, is_cut: bool) -> Option<Fit<'a>> {
        let mut fit = Fit { form: self, found: 0, values: Vec::new() };
        let mut at = 0;
        // The field between the words that were found last and the next.
        let mut open: Option<Field> = None;
        let mut is_whole = true;
        for (words, field) in self.parts() {
            if words.is_empty() && open.is_some() {
                // The text ends with this field.
                break;
            }
            // At the end of a text, the space after the words may be missing.
            let (rest, last) = (&text[at..], words.trim_end());
            let is_word = last.contains(char::is_alphanumeric);
            let at_end = || is_word.then(|| rest.strip_suffix(last)).flatten();
            let Some(start) = rest.find(words).or_else(|| at_end().map(str::len)) else {
                is_whole = false;
                break;
            };
            if let Some(open) = open {
                fit.values.push((open, rest[..start].trim()));
            }
            at = text.len().min(at + start + words.len());
            fit.found += words.len();
            open = field;
        }
        if let Some(open) = open.filter(|_| !is_cut) {
            fit.values.push((open, text[at..].trim()));
        }
        let begins_with_words = !self.text.starts_with('{');
        (is_whole || begins_with_words && fit.found >= CERTAIN).then_some(fit)
    }
}

/// The number of characters at the beginning of a message by which it is recognised if the rest is missing.
const CERTAIN: usize = 16;

/// Reads the message with which gem5 stopped into `crash`; `is_cut` says that its end is missing. Returns whether a row of the table fits.
pub(crate) fn read(message: &str, is_cut: bool, crash: &mut Crash) -> bool {
    let text = normal(message, is_cut);
    let Some(fit) = best(&text, is_cut) else { return false };
    crash.kind = fit.form.kind.unwrap_or(crash.kind);
    fit.values.iter().for_each(|(field, value)| field.read(value, crash));
    true
}

/// A message on one line with single spaces, also at its end unless that is missing.
fn normal(message: &str, is_cut: bool) -> String {
    let words = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if is_cut { words } else { words + " " }
}

/// The row that fits a text best.
fn best(text: &str, is_cut: bool) -> Option<Fit<'_>> {
    let mut best: Option<Fit<'_>> = None;
    for fit in MESSAGES.iter().filter_map(|form| form.fit(text, is_cut)) {
        if best.as_ref().is_none_or(|best| fit.found > best.found) {
            best = Some(fit);
        }
    }
    best
}

/// Parses an address: `0x400`, `[0x400`, or 1024 as older versions print it.
pub(crate) fn address(word: &str) -> Option<u64> {
    let word = word.trim_start_matches('[').trim_end_matches([',', ']', '.', ':']);
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// Parses hexadecimal digits, with or without `0x`.
fn hexadecimal(word: &str) -> Option<u64> {
    let word = word.trim_end_matches([',', ']', '.', ':']);
    u64::from_str_radix(word.strip_prefix("0x").unwrap_or(word), 16).ok()
}

/// Parses `<file>:<line>`.
fn place(word: &str) -> Option<FileLine> {
    let (file, line) = word.rsplit_once(':')?;
    Some(FileLine { file: file.to_owned(), line: line.parse().ok()? })
}

/// The number at the end of an object's path.
fn version(object: &str) -> Option<u32> {
    let part = object.rsplit('.').next()?;
    let name = part.trim_end_matches(|c: char| c.is_ascii_digit());
    part[name.len()..].parse().ok()
}

#[cfg(test)]
mod tests;
