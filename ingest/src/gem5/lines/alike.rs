//! Lines that look like those of debug flags and cannot be read ([`Alike`]): they were changed on their way, so what they
//! show must not be lost in silence.

use memchr::memmem;

use crate::error::excerpt;
use crate::gem5::lines::cause::cause;
use crate::gem5::lines::fault::Fault;
use crate::gem5::lines::layout;
use crate::gem5::lines::line::{self, Shape};
use crate::gem5::lines::message::Message;
use crate::gem5::lines::parse::begins_as_message;
use crate::gem5::lines::recognise::is_chatter;

/// Number of places of a line at which a line of a flag is searched for.
const PLACES: usize = 16;

/// Words that lines of debug flags have, and hardly any other line.
const WORDS: [&[u8]; 6] = [
    b", line 0x",
    b" data [ 0x",
    b"Hit callback for ",
    b"Timing request for ",
    b"schedSendTiming for ",
    b" A=0x",
];

/// Warnings of gem5, which may show addresses as lines of debug flags do.
const WARNINGS: [&[u8]; 3] = [b": warn: ", b": info: ", b": hack: "];

/// What a line that no debug flag seems to have printed looks like.
#[derive(Debug)]
pub(crate) enum Alike {
    /// Nothing that a flag prints.
    Nothing,
    /// The line of a flag, but for changes that are not understood.
    Similar,
    /// The line of a flag after other text, or the end of one.
    Part(Fault),
}

/// Compares a line that has no shape of a debug flag's with those that have.
pub(crate) fn of_chatter(text: &[u8]) -> Alike {
    if is_chatter(text) || WARNINGS.iter().any(|words| memmem::find(text, words).is_some()) {
        return Alike::Nothing;
    }
    if text.contains(&0x1b) && layout::is_understood(&layout::without_sequences(text)) {
        let found = format!("a line of a debug flag, `{}`", excerpt(text, 40));
        let why = cause(text).unwrap_or_default();
        let hint = "copy the file of the trace itself instead of what a terminal shows";
        return Alike::Part(Fault::broken(found, format!("the line alone: {why}"), hint));
    }
    if let Some(at) = embedded(text) {
        let found = format!("a line of a debug flag after `{}`", excerpt(&text[..at], 40));
        let why = cause(text).unwrap_or("text was put in front of the lines of the trace");
        let hint = "copy the file of the trace itself, or remove what is in front of its lines";
        return Alike::Part(Fault::broken(found, format!("the line alone: {why}"), hint));
    }
    if [&b" : Mem"[..], b" A=0x"].iter().all(|words| memmem::find(text, words).is_some()) {
        let found = format!("the end of a line of an instruction, `{}`", excerpt(text, 40));
        let expected = "the whole line: the text was wrapped";
        let hint = "copy the file of the trace itself instead of what a terminal or a mail shows";
        return Alike::Part(Fault::broken(found, expected, hint));
    }
    if WORDS.iter().any(|words| memmem::find(text, words).is_some()) {
        return Alike::Similar;
    }
    Alike::Nothing
}

/// Whether the message of a named line that is not known begins as one that a history needs does.
pub(crate) fn is_unread(shape: &Shape<'_>, message: Message) -> bool {
    match shape {
        Shape::Named { text, .. } => message == Message::Unknown && begins_as_message(text),
        _ => false,
    }
}

/// Where the line of a flag begins within a text.
fn embedded(text: &[u8]) -> Option<usize> {
    let is_number =
        |at: &usize| text[*at].is_ascii_digit() && (*at == 0 || !text[*at - 1].is_ascii_digit());
    (1..text.len()).filter(is_number).take(PLACES).find(|&at| match line::shape(&text[at..]) {
        Ok(Shape::Raw(columns)) => columns.rest.starts_with(b"[0x"),
        Ok(shape @ Shape::Named { .. }) => {
            has_dotted_path(&shape) && !matches!(shape.message(), Ok(Message::Unknown))
        }
        _ => false,
    })
}

fn has_dotted_path(shape: &Shape<'_>) -> bool {
    matches!(shape, Shape::Named { path, .. } if path.contains(&b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMED: &str = "  61000: system.ruby.l1_cntrl0.sequencer: Hit callback for ReadReq 0x1000";

    fn fault(text: &str) -> Option<String> {
        match of_chatter(text.as_bytes()) {
            Alike::Part(fault) => Some(fault.at("t", 1, text.as_bytes()).to_string()),
            _ => None,
        }
    }

    #[test]
    fn lines_behind_other_text_are_found_and_the_cause_is_named() {
        for (front, why) in [
            ("^[[31m", "escape sequences"),
            ("[32m", "escape sequences"),
            ("ESC[1m", "escape sequences"),
            ("x\x1b[1D", "movements of a terminal's cursor"),
            ("a.trace:", "text was put in front"),
            ("Nov 29 10:00:00 host ", "text was put in front"),
            ("12:", "text was put in front"),
        ] {
            let text = format!("{front}{NAMED}");
            let message = fault(&text).unwrap_or_else(|| panic!("{text}"));
            assert!(message.contains(why) && message.contains("after `"), "{message}");
        }
    }

    #[test]
    fn what_gem5_and_programs_print_is_no_such_line() {
        for text in [
            "warn: address [0x40, line 0x40] is odd",
            "src/mem/x.cc:5: warn: [0x40, line 0x40]",
            "12 threads: system.of: 5 things",
            "Hello world 5: done",
            "result 5: a.out: finished",
        ] {
            assert!(matches!(of_chatter(text.as_bytes()), Alike::Nothing), "{text}");
        }
        let similar = "x 0 Seq Done > [0x40, line 0x40] 5 cycles";
        assert!(matches!(of_chatter(similar.as_bytes()), Alike::Similar));
    }
}
