//! [`Shape`]: the parts of a line by its layout, before its message is parsed.
//!
//! A *named* line is `<tick>: <object path>: <text>`; a *raw* one has the fixed columns of the flag ProtocolTrace.
//! Format flags may put the name of a debug flag in front, or omit the tick of named lines.

use memchr::{memchr, memchr2, memmem};

use crate::gem5::lines::fault::Fault;
use crate::gem5::lines::grammar::leading_number;
use crate::gem5::lines::message::Message;
use crate::gem5::lines::parse::message;
use crate::gem5::protocol::machine_prefix;

/// Width of the tick column of a raw line.
const TICK_WIDTH: usize = 15;

const RAW_FLAG: &[u8] = b"ProtocolTrace: ";

/// The shape of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shape<'a> {
    /// An empty line.
    Blank,
    /// `<tick>: <path>: <text>`.
    Named { tick: Option<u64>, path: &'a [u8], text: &'a [u8] },
    /// Columns: tick, version, names, `[address]` and the rest.
    Raw(Columns<'a>),
    /// Any other output of gem5, of the simulated program, or of a script.
    Chatter,
}

/// A line of the flag ProtocolTrace.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Columns<'a> {
    pub tick: u64,
    pub version: u32,
    /// Machine, event and states, with the padding between them.
    pub names: &'a [u8],
    /// Number of columns by which oversized fields shift the names to the right. It is not 0 if blanks were removed, so
    /// that columns have no meaning.
    pub shift: usize,
    /// Whether blanks of the line were removed, so that its fields are known by their words.
    pub lost_blanks: bool,
    /// The text from the address on.
    pub rest: &'a [u8],
}

impl Shape<'_> {
    /// The tick that the line shows.
    pub(crate) fn tick(&self) -> Option<u64> {
        match self {
            Shape::Named { tick, .. } => *tick,
            Shape::Raw(columns) => Some(columns.tick),
            Shape::Blank | Shape::Chatter => None,
        }
    }

    /// The message of a named line.
    pub(crate) fn message(&self) -> Result<Message, Fault> {
        match self {
            Shape::Named { text, .. } => message(text),
            _ => Ok(Message::Unknown),
        }
    }
}

/// Splits a line into tick, object and text, or into the columns of ProtocolTrace.
pub(crate) fn shape(line: &[u8]) -> Result<Shape<'_>, Fault> {
    let spaces = line.iter().take_while(|&&byte| byte == b' ').count();
    let Some(&first) = line.get(spaces) else {
        return match spaces {
            0 => Ok(Shape::Blank),
            _ => Err(Fault::Cut("a tick")),
        };
    };
    if first.is_ascii_digit() {
        return ticked(line, spaces);
    }
    if spaces == 0 && first == b'P' && line.starts_with(RAW_FLAG) {
        let line = &line[RAW_FLAG.len()..];
        let spaces = line.iter().take_while(|&&byte| byte == b' ').count();
        return raw(line, spaces);
    }
    if spaces == 0 {
        return Ok(untimed(line));
    }
    Ok(Shape::Chatter)
}

/// Splits a line that begins with a number.
fn ticked(line: &[u8], spaces: usize) -> Result<Shape<'_>, Fault> {
    let (tick, digits) = leading_number(&line[spaces..]);
    let after = spaces + digits;
    match line.get(after) {
        None => Err(Fault::Cut("`: ` and an object's path, or ProtocolTrace columns")),
        Some(b':') => match line.get(after + 1) {
            None => Err(Fault::Cut("an object's path")),
            Some(b' ') => {
                let tick = tick.ok_or(Fault::Cut("a tick of at most 64 bits"))?;
                named(&line[after + 2..], tick)
            }
            Some(_) => Ok(Shape::Chatter),
        },
        Some(b' ') if after >= TICK_WIDTH => raw(line, spaces),
        Some(b' ') => raw_by_words(line, spaces),
        Some(_) => Ok(Shape::Chatter),
    }
}

/// Splits a line of ProtocolTrace of which blanks were removed, so that its columns are not where gem5 prints them; any
/// other line that begins with a number is chatter.
fn raw_by_words(line: &[u8], spaces: usize) -> Result<Shape<'_>, Fault> {
    let mut words = line.split(|&byte| byte == b' ').filter(|word| !word.is_empty()).skip(1);
    let is_version = words.next().is_some_and(|word| word.iter().all(u8::is_ascii_digit));
    let machine = words.next().filter(|word| word[0].is_ascii_alphabetic());
    let (Some(machine), true) = (machine, is_version) else {
        return Ok(Shape::Chatter);
    };
    let has_states = words.take(2).any(|word| word.contains(&b'>'));
    let has_address = memmem::find(line, b"[0x").is_some_and(|at| line[at - 1] == b' ');
    let is_known = std::str::from_utf8(machine).is_ok_and(|word| machine_prefix(word).is_some());
    // A line of a sequencer begins like no other; other lines must show more.
    if machine != b"Seq" && !(has_states && (is_known || has_address)) {
        return Ok(Shape::Chatter);
    }
    let Shape::Raw(columns) = raw(line, spaces)? else {
        return Ok(Shape::Chatter);
    };
    Ok(Shape::Raw(Columns { shift: columns.shift.max(1), lost_blanks: true, ..columns }))
}

/// Splits what follows the tick of a named line.
fn named(body: &[u8], tick: u64) -> Result<Shape<'_>, Fault> {
    let Some((path, text)) = split_path(body) else {
        return Err(Fault::Cut("an object's path, `: ` and a message"));
    };
    let (path, text) = without_flag(path, text);
    Ok(Shape::Named { tick: Some(tick), path, text })
}

/// Splits a line that begins with a word: a named line of a trace without ticks, or chatter.
fn untimed(line: &[u8]) -> Shape<'_> {
    let Some((path, text)) = split_path(line) else {
        return Shape::Chatter;
    };
    let (path, text) = without_flag(path, text);
    let is_object = path.contains(&b'.')
        && path[0].is_ascii_lowercase()
        && !path.starts_with(b"gem5.")
        && !path.contains(&b'/');
    if !is_object {
        return Shape::Chatter;
    }
    Shape::Named { tick: None, path, text }
}

/// Splits `<path>: <text>`; a path has no spaces.
fn split_path(body: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr2(b':', b' ', body)?;
    if end == 0 || body[end] != b':' || body.get(end + 1) != Some(&b' ') {
        return None;
    }
    Some((&body[..end], &body[end + 2..]))
}

/// Drops the name of a debug flag in front of the path. Flags begin with a capital and have no
/// dots; objects do not.
fn without_flag<'a>(path: &'a [u8], text: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    if path[0].is_ascii_uppercase()
        && !path.contains(&b'.')
        && let Some(inner) = split_path(text)
    {
        return inner;
    }
    (path, text)
}

/// The fault of a line of ProtocolTrace with incomplete columns.
pub(crate) const COLUMNS: Fault = Fault::Cut(
    "the columns of ProtocolTrace: tick, version, machine, event, states, [address, line address]",
);

fn raw(line: &[u8], spaces: usize) -> Result<Shape<'_>, Fault> {
    let (tick, digits) = leading_number(&line[spaces..]);
    let tick = tick.ok_or(COLUMNS)?;
    let rest = &line[spaces + digits..];
    let pad = rest.iter().take_while(|&&byte| byte == b' ').count();
    let (version, width) = leading_number(&rest[pad..]);
    let version = version.and_then(|v| u32::try_from(v).ok()).ok_or(COLUMNS)?;
    let names_at = spaces + digits + pad + width;
    // The columns are fixed if no field is oversized. Otherwise the address begins at the first bracket.
    let rest_at = match line.get(65) {
        Some(b'[') if line[57] == b'>' && names_at <= 57 => 65,
        _ => names_at + memchr(b'[', &line[names_at..]).unwrap_or(line.len() - names_at),
    };
    Ok(Shape::Raw(Columns {
        tick,
        version,
        names: &line[names_at..rest_at],
        shift: names_at.saturating_sub(TICK_WIDTH + 4),
        lost_blanks: false,
        rest: &line[rest_at..],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(tick: Option<u64>, path: &'static str, text: &'static str) -> Shape<'static> {
        let (path, text) = (path.as_bytes(), text.as_bytes());
        Shape::Named { tick, path, text }
    }

    #[test]
    fn flags_and_ticks_are_optional() {
        let expect = |line: &'static str, tick| {
            let shape = shape(line.as_bytes()).unwrap();
            assert_eq!(shape, named(tick, "system.a", "text: more"), "{line}");
        };
        expect("  61000: system.a: text: more", Some(61000));
        expect("  61000: RubyPort: system.a: text: more", Some(61000));
        expect("RubyPort: system.a: text: more", None);
        expect("system.a: text: more", None);
    }

    #[test]
    fn columns_may_be_shifted() {
        let lines = [
            "          79000   0  L2CacheL2_Replacement_clean     SS>I_I    [0x800, line 0x800] ",
            "          74041  10  DirectoryAll_acks_and_data_no_sharers    O_X>S      [0x800, line 0x800] x",
            "ProtocolTrace:           79000   0        Seq               Begin       >       [0x4, line 0x0] LD",
            "1234567890123456789   0    L1Cache                Load      I>IS     [0x400, line 0x400] ",
        ];
        for line in lines {
            let Ok(Shape::Raw(columns)) = shape(line.as_bytes()) else {
                panic!("{line}");
            };
            assert!(columns.rest.starts_with(b"[0x"), "{line}");
            assert!(columns.names.contains(&b'>'), "{line}");
        }
    }

    #[test]
    fn cut_lines_and_chatter() {
        for cut in ["    440", "    440:", "    440: ", "    440: system.ruby.l1_c"] {
            assert!(matches!(shape(cut.as_bytes()), Err(Fault::Cut(_))), "{cut}");
        }
        for noise in ["warn: x", "src/a.cc:12: warn: b", "00000000  00 01", "**** R ****"] {
            assert_eq!(shape(noise.as_bytes()).unwrap(), Shape::Chatter, "{noise}");
        }
    }
}
