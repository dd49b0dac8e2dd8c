//! Reads lines whose blanks were changed on their way, as editors, `unexpand`, `tr -s` and programs for mail do, and
//! lines that a mail quotes ([`restore`]).

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memmem};

use crate::gem5::lines::grammar;
use crate::gem5::lines::line::{self, Shape};
use crate::gem5::lines::message::Message;

/// The distance between tab stops, in columns.
const TAB: usize = 8;
/// Begins the sequences of a terminal, of which movements of the cursor to the right are blanks.
const ESCAPE: u8 = 0x1b;
/// The widest movement of a cursor that is taken for blanks.
const MOST_COLUMNS: u64 = 200;
/// The space that programs for mail and web pages put in place of a blank, U+00A0.
const NO_BREAK_SPACE: &[u8] = b"\xc2\xa0";

/// What was done to a line to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Blanks were put in place of tabs and other spaces, or removed.
    Blanks,
    /// The marks of a quotation in a mail were removed.
    Quotation,
}

/// A line as gem5 printed it, if `text` shows it for certain: only blanks were changed, or it was quoted.
pub(crate) fn restore(text: &[u8]) -> Option<(Vec<u8>, Change)> {
    let plain = with_blanks(text);
    if plain == text && is_understood(text) {
        return None;
    }
    let inner = quoted(&plain);
    let change = if inner.is_some() { Change::Quotation } else { Change::Blanks };
    let plain = inner.unwrap_or(&plain).trim_ascii_end();
    let candidates = [Cow::Borrowed(plain), Cow::Owned(collapsed(plain))];
    let found = candidates.into_iter().find(|line| is_understood(line))?;
    Some((found.into_owned(), change))
}

/// The text after the marks `>` of a quotation; `None` if the line is not quoted.
pub(crate) fn quoted(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text;
    while let Some(inner) = rest.trim_ascii_start().strip_prefix(b">") {
        rest = inner.strip_prefix(b" ").unwrap_or(inner);
    }
    (rest.len() < text.len() && text.trim_ascii_start().starts_with(b">")).then_some(rest)
}

/// Whether a line of this shape has blanks that gem5 does not print. In instructions it prints tabs, but never next to the
/// colons between fields, nor in place of several blanks.
pub(crate) fn has_other_blanks(shape: &Shape<'_>, message: Message, line: &[u8]) -> bool {
    let is_changed = |at: usize, text: &[u8]| {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        let behind = &text[at + 1..];
        let is_between = matches!(behind.first(), Some(b' ' | b':' | b'\t'));
        before.is_none_or(|&byte| byte == b':') || (is_between && !behind.trim_ascii().is_empty())
    };
    let has_tab = match (shape, message) {
        (Shape::Named { text, .. }, Message::Exec { .. }) => {
            memchr_iter(b'\t', text).any(|at| is_changed(at, text))
        }
        _ => memchr(b'\t', line).is_some(),
    };
    let has = |byte| memchr(byte, line).is_some();
    has_tab
        || has(ESCAPE)
        || (has(NO_BREAK_SPACE[0]) && memmem::find(line, NO_BREAK_SPACE).is_some())
}

/// Whether a line is one of a debug flag and needs no more knowledge to be read.
pub(crate) fn is_understood(text: &[u8]) -> bool {
    match line::shape(text) {
        Ok(Shape::Raw(_)) => true,
        Ok(shape @ Shape::Named { .. }) => {
            shape.message().is_ok_and(|message| message != Message::Unknown)
        }
        _ => false,
    }
}

/// The text with blanks in place of tabs, up to the next tab stop, of spaces that do not break, and of movements of a
/// terminal's cursor to the right.
fn with_blanks(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len() + TAB);
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(NO_BREAK_SPACE) {
            plain.push(b' ');
            rest = behind;
            continue;
        }
        if let Some((columns, behind)) = moved_right(rest) {
            plain.resize(plain.len() + columns, b' ');
            rest = behind;
            continue;
        }
        match byte {
            b'\t' => plain.resize(plain.len() / TAB * TAB + TAB, b' '),
            byte => plain.push(byte),
        }
        rest = behind;
    }
    plain
}

/// The number of columns by which the sequence `ESC [ n C` at the start of a text moves the cursor, and the text after.
fn moved_right(text: &[u8]) -> Option<(usize, &[u8])> {
    let rest = text.strip_prefix(b"\x1b[")?;
    let (columns, digits) = grammar::leading_number(rest);
    let behind = rest[digits..].strip_prefix(b"C")?;
    let columns = columns.unwrap_or(1).clamp(1, MOST_COLUMNS);
    Some((columns as usize, behind))
}

/// The text without sequences of a terminal.
pub(crate) fn without_sequences(text: &[u8]) -> Vec<u8> {
    let mut parts = text.split(|&byte| byte == ESCAPE);
    let mut plain = parts.next().unwrap_or_default().to_vec();
    for part in parts {
        let end = part.iter().skip(1).position(|byte| matches!(byte, b'@'..=b'~'));
        plain.extend_from_slice(end.map_or(&[], |end| &part[end + 2..]));
    }
    plain
}

/// The text with one blank in place of each run of them, and none at its start.
fn collapsed(text: &[u8]) -> Vec<u8> {
    let words = text.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(&b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMED: &str = "  61000: system.ruby.l1_cntrl0.sequencer: Hit callback for ReadReq 0x1000";
    const RAW: &str =
        "          61000   0        Seq               Begin       >       [0x404, line 0x400] LD";

    fn restored(text: &str) -> Option<(String, Change)> {
        let (line, change) = restore(text.as_bytes())?;
        Some((String::from_utf8(line).unwrap(), change))
    }

    #[test]
    fn blanks_and_quotations_are_undone() {
        let blanks = |line: &str| Some((line.to_owned(), Change::Blanks));
        let quoted = |line: &str| Some((line.to_owned(), Change::Quotation));
        assert_eq!(restored(&format!("{NAMED}  \t")), blanks(NAMED));
        assert_eq!(restored(&format!("> {NAMED}")), quoted(NAMED));
        assert_eq!(restored(&format!(">> {RAW}")), quoted(RAW));
        assert_eq!(restored(&format!("> > {RAW}")), quoted(RAW));
        assert_eq!(restored(&NAMED.replace(' ', "\u{a0}")), blanks(NAMED));
        let tabs = "\t  61000   0\t   Seq\t\t     Begin\t >\t [0x404, line 0x400] LD";
        let expanded = String::from_utf8(with_blanks(tabs.as_bytes())).unwrap();
        assert_eq!(expanded, RAW);
        assert_eq!(restored(tabs), blanks(RAW));
        let doubled = NAMED.replace(' ', "  ");
        assert_eq!(restored(&doubled), blanks(NAMED.trim_start()));
    }

    #[test]
    fn other_lines_stay() {
        for text in [NAMED, RAW, "> a quotation", "\tat f (x.c:1)", "  5  words", "> 1: a"] {
            assert_eq!(restored(text), None, "{text}");
        }
    }
}
