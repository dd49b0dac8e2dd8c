//! Which format a text is in, told by its first lines.

use std::fmt;

use memchr::memchr;

use crate::error::{Error, excerpt};
use crate::gem5;
use crate::input::Lines;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Text printed by gem5's debug flags.
    Gem5,
    /// The text format of the axe checker.
    Axe,
    /// A history written as JSON.
    Json,
}

impl Format {
    /// The name used in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Format::Gem5 => "gem5",
            Format::Axe => "axe",
            Format::Json => "json",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Gem5 => "a gem5 trace",
            Format::Axe => "axe text",
            Format::Json => "JSON",
        })
    }
}

/// The format of an input, told by its first lines. gem5 traces may begin with what gem5 prints
/// besides, so lines of no format are passed over; if nothing but such lines come, the first is
/// named.
pub(crate) fn detect(lines: &mut Lines<'_>) -> Result<Format, Error> {
    let file = lines.file().to_owned();
    let head = lines.head();
    if head.is_empty() {
        return if lines.is_damaged() {
            Ok(Format::Gem5)
        } else {
            Err(Error::Empty { file })
        };
    }
    if head.trim_ascii_start().first() == Some(&b'{') {
        return Ok(Format::Json);
    }
    let mut number = 0;
    let mut unknown = None;
    for line in head.split(|&byte| byte == b'\n') {
        number += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if is_binary(line) {
            let line = number;
            return Err(Error::Binary { file, line });
        }
        match kind(line) {
            Kind::Gem5 => return Ok(Format::Gem5),
            Kind::Axe => return Ok(Format::Axe),
            Kind::Blank => {}
            Kind::Chatter => return Ok(Format::Gem5),
            Kind::Unknown if unknown.is_none() => unknown = Some((number, excerpt(line, 60))),
            Kind::Unknown => {}
        }
    }
    match unknown {
        Some((line, found)) => Err(Error::Unknown { file, line, found }),
        None => Err(Error::Empty { file }),
    }
}

/// The format that a line is certainly of.
pub(crate) fn of_line(line: &[u8]) -> Option<Format> {
    let trimmed = line.trim_ascii();
    if trimmed.starts_with(b"{\"") {
        return Some(Format::Json);
    }
    if trimmed == b"check" || is_axe(trimmed) {
        return Some(Format::Axe);
    }
    gem5::is_object_line(line).then_some(Format::Gem5)
}

/// Whether a text holds a line that a debug flag of gem5 printed.
pub(crate) fn has_trace_line(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n')
        .any(|line| kind(line) == Kind::Gem5)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Blank,
    Gem5,
    /// What gem5 prints besides its debug flags.
    Chatter,
    Axe,
    Unknown,
}

const CHATTER: [&[u8]; 8] = [
    b"gem5 ",
    b"warn: ",
    b"info: ",
    b"hack: ",
    b"Global frequency set at ",
    b"**** REAL SIMULATION ****",
    b"command line: ",
    b"Redirecting ",
];

fn kind(line: &[u8]) -> Kind {
    let trimmed = line.trim_ascii();
    if trimmed.is_empty() {
        return Kind::Blank;
    }
    if trimmed.starts_with(b"#") || trimmed == b"check" || is_axe(trimmed) {
        return Kind::Axe;
    }
    if CHATTER.iter().any(|words| line.starts_with(words)) {
        return Kind::Chatter;
    }
    if gem5::is_trace_line(line) {
        return Kind::Gem5;
    }
    if gem5::begins_message(line) {
        return Kind::Chatter;
    }
    Kind::Unknown
}

fn is_axe(line: &[u8]) -> bool {
    if line.starts_with(b"final ") {
        return looks_like_axe(line);
    }
    let Some(colon) = memchr(b':', line) else {
        return false;
    };
    let thread = line[..colon].trim_ascii();
    !thread.is_empty()
        && thread.iter().all(u8::is_ascii_digit)
        && looks_like_axe(&line[colon + 1..])
}

/// Whether a line holds bytes that text does not have.
fn is_binary(line: &[u8]) -> bool {
    let is_odd = |&&byte: &&u8| byte == 0 || (byte < b' ' && !matches!(byte, b'\t' | b'\r' | 0x1b));
    line.iter().find(is_odd).is_some() || std::str::from_utf8(line).is_err()
}

/// Whether a line, without the number and colon it may begin with, can be one of axe text.
pub(crate) fn looks_like_axe(body: &[u8]) -> bool {
    let body = body.trim_ascii_start();
    let rest = match body.split_first() {
        Some((b'<' | b'{', rest)) => rest.trim_ascii_start(),
        _ => body,
    };
    let rest = rest.strip_prefix(b"final ").unwrap_or(rest).trim_ascii();
    rest.starts_with(b"M[")
        || rest.starts_with(b"sync")
        || (rest.first() == Some(&b'v') && rest.get(1).is_some_and(u8::is_ascii_digit))
}
