//! Removes what a terminal or an editor added to text: escape sequences such as those of colours, and byte order marks.

use memchr::{memchr, memchr3};

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// What was removed from a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Removed {
    pub escapes: bool,
    pub mark: bool,
}

/// Whether a line has an escape character, a tab or the first byte of a space that does not break. Such bytes are rare in
/// text, so one search for all of them keeps the cost for other lines low.
pub(super) fn has_odd_bytes(line: &[u8]) -> bool {
    memchr3(ESCAPE, b'\t', 0xc2, line).is_some()
}

/// Whether a line begins with a byte order mark.
pub(super) fn has_mark(line: &[u8]) -> bool {
    line.starts_with(MARK)
}

/// Removes escape sequences, and a byte order mark at the beginning of the line. Returns the number of bytes that are
/// left, at the front of `line`, and what was removed. Movements of the cursor within the line stay, since the text
/// that the terminal showed cannot be known without the lines around it.
pub(super) fn clean(line: &mut [u8]) -> (usize, Removed) {
    let mut removed = Removed::default();
    let (mut from, mut to) = (0, 0);
    while from < line.len() {
        if to == 0 && line[from..].starts_with(MARK) {
            removed.mark = true;
            from += MARK.len();
        } else if let Some(length) = sequence(&line[from..], to == 0) {
            removed.escapes = true;
            from += length;
        } else {
            line[to] = line[from];
            to += 1;
            from += 1;
        }
    }
    (to, removed)
}

/// The line without escape sequences and byte order mark, as [`clean`] leaves it.
pub(crate) fn cleaned(line: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    if memchr(ESCAPE, line).is_none() && !has_mark(line) {
        return line.into();
    }
    let mut line = line.to_vec();
    let (length, _) = clean(&mut line);
    line.truncate(length);
    line.into()
}

/// The length of the escape sequence that a text begins with, if it begins with one that does not change where the rest
/// of the line is shown. At the start of a line, a movement of the cursor does not either.
fn sequence(text: &[u8], is_start: bool) -> Option<usize> {
    let [ESCAPE, rest @ ..] = text else {
        return None;
    };
    match rest {
        // A sequence that the end of the line cuts off.
        [] => Some(1),
        [b'[', body @ ..] => control(body, is_start).map(|length| 2 + length),
        // Commands with a text, such as a title or the address of a link, up to BEL or ESC \.
        [b']' | b'P' | b'X' | b'^' | b'_', body @ ..] => Some(2 + text_length(body)),
        [b' '..=b'/', ..] => {
            let length = rest.iter().take_while(|byte| matches!(byte, b' '..=b'/')).count();
            Some((1 + length + 1).min(text.len()))
        }
        [b'0'..=b'~', ..] => Some(2),
        _ => None,
    }
}

/// The length of a control sequence after `ESC [`: parameters, intermediate bytes, and a final byte.
fn control(body: &[u8], is_start: bool) -> Option<usize> {
    let length = body.iter().take_while(|byte| matches!(byte, b' '..=b'?')).count();
    match body.get(length) {
        None => Some(length),
        // The cursor moves, or characters are inserted, deleted or erased.
        Some(b'@'..=b'H' | b'L' | b'M' | b'P' | b'S' | b'T' | b'X' | b'`' | b'a' | b'd'..=b'f') => {
            is_start.then_some(length + 1)
        }
        Some(b'@'..=b'~') => Some(length + 1),
        Some(_) => None,
    }
}

/// The length of the text of a command, with what ends it.
fn text_length(body: &[u8]) -> usize {
    let end = body.iter().position(|&byte| byte == BELL || byte == ESCAPE);
    match end {
        None => body.len(),
        Some(at) if body[at] == BELL => at + 1,
        Some(at) => at + if body.get(at + 1) == Some(&b'\\') { 2 } else { 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(line: &str) -> (String, Removed) {
        let mut bytes = line.as_bytes().to_vec();
        let (length, removed) = clean(&mut bytes);
        bytes.truncate(length);
        (String::from_utf8(bytes).unwrap(), removed)
    }

    #[test]
    fn sequences_of_a_terminal_are_removed() {
        for line in [
            "\x1b[31mab c\x1b[0m",
            "\x1b[01;31m\x1b[Kab\x1b[m\x1b[K c",
            "a\x1b[38;5;200mb\x1b[38:2:1:2:3m c",
            "\x1b]8;;file://x\x1b\\ab\x1b]8;;\x07 c",
            "\x1b(Bab\x1b=\x1b> c\x1b",
            "\x1b[?2004hab c\x1b[0",
            "\x1b[H\x1b[2Jab c\x1b[K",
            "\x1b]0;title\x07ab c",
        ] {
            let (text, removed) = cleaned(line);
            assert_eq!((text.as_str(), removed.escapes), ("ab c", true), "{line:?}");
        }
    }

    #[test]
    fn movements_within_a_line_stay() {
        for line in ["a\x1b[5Cb", "ab\x1b[2Dc", "a\x1b[1;1Hb"] {
            assert_eq!(cleaned(line), (line.to_owned(), Removed::default()));
        }
    }

    #[test]
    fn a_byte_order_mark_is_removed_at_the_start_alone() {
        let mark = Removed { escapes: false, mark: true };
        assert_eq!(cleaned("\u{feff}ab"), ("ab".to_owned(), mark));
        assert_eq!(cleaned("a\u{feff}b"), ("a\u{feff}b".to_owned(), Removed::default()));
        let both = Removed { escapes: true, mark: true };
        assert_eq!(cleaned("\x1b[1m\u{feff}\x1b[31mab"), ("ab".to_owned(), both));
    }
}
