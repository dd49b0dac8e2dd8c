//! [`cause`]: what changed a line on its way, such as a terminal or a mail.

use memchr::memmem;

/// What changed a line, if it shows.
pub(crate) fn cause(text: &[u8]) -> Option<&'static str> {
    let has = |words: &[u8]| memmem::find(text, words).is_some();
    let is_quoted = text.trim_ascii_start().starts_with(b">");
    // A line of Exec may be cut after `A=` or `D=`.
    let is_soft_break =
        text.strip_suffix(b"=").is_some_and(|rest| !rest.ends_with(b"A") && !rest.ends_with(b"D"));
    let signs = [
        (has(b"\x1b"), "it has movements of a terminal's cursor"),
        (has(b"^[[") || has(b"ESC[") || has(b"\\033[") || has(b"\\e["), ESCAPES),
        (has_colour(text), ESCAPES),
        (has(b"\r"), "it has carriage returns within the line"),
        (has(b"\x08"), "it has backspaces, with which terminals print bold text"),
        (is_soft_break || has(b"=3D") || has(b"=20"), "it is encoded for mail (quoted-printable)"),
        (is_quoted, "it is quoted as in a mail"),
        (!text.is_ascii(), "it has characters that gem5 does not print"),
    ];
    signs.into_iter().find(|(is_there, _)| *is_there).map(|(_, why)| why)
}

const ESCAPES: &str =
    "it has the remains of a terminal's escape sequences, such as those of colours";

/// Whether a text has a colour's sequence that lost its escape character, such as `[31m` or `[m`.
fn has_colour(text: &[u8]) -> bool {
    memchr::memchr_iter(b'[', text).any(|at| {
        let rest = &text[at + 1..];
        let length = rest.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b';')).count();
        rest.get(length) == Some(&b'm')
    })
}
