//! [`ParsedLine`]: a line that another thread parsed, with positions in place of texts.

use std::ops::Range;

use crate::gem5::lines::line::{self, Columns, Shape};
use crate::gem5::lines::message::Message;
use crate::gem5::lines::{alike, layout};

/// A line whose shape and message are known. Positions count the bytes of the line, from 0.
#[derive(Debug)]
pub(crate) enum ParsedLine {
    Raw { tick: u64, version: u32, names: Range<u32>, shift: u32, lost_blanks: bool, rest: u32 },
    Named { tick: Option<u64>, path: Range<u32>, text: u32, message: Message },
}

impl ParsedLine {
    /// Parses a line; `None` for a line that is neither named nor raw, or that has a fault.
    pub(crate) fn of(line: &[u8]) -> Option<ParsedLine> {
        let at = |part: &[u8]| (part.as_ptr().addr() - line.as_ptr().addr()) as u32;
        let range = |part: &[u8]| at(part)..at(part) + part.len() as u32;
        let shape = line::shape(line).ok()?;
        Some(match shape {
            Shape::Raw(Columns { tick, version, names, shift, lost_blanks, rest }) => {
                ParsedLine::Raw {
                    tick,
                    version,
                    names: range(names),
                    shift: shift as u32,
                    lost_blanks,
                    rest: at(rest),
                }
            }
            Shape::Named { tick, path, text } => {
                let message = shape.message().ok()?;
                let is_changed = alike::is_unread(&shape, message)
                    || (tick.is_none() && message == Message::Unknown)
                    || (matches!(message, Message::Exec { .. })
                        && layout::has_other_blanks(&shape, message, text));
                if is_changed {
                    return None;
                }
                ParsedLine::Named { tick, path: range(path), text: at(text), message }
            }
            Shape::Blank | Shape::Chatter => return None,
        })
    }

    /// The shape and message of the line, whose text is `line`.
    pub(crate) fn in_line(self, line: &[u8]) -> (Shape<'_>, Message) {
        let part = |range: Range<u32>| &line[range.start as usize..range.end as usize];
        match self {
            ParsedLine::Raw { tick, version, names, shift, lost_blanks, rest } => {
                let names = part(names);
                let (shift, rest) = (shift as usize, &line[rest as usize..]);
                let columns = Columns { tick, version, names, shift, lost_blanks, rest };
                (Shape::Raw(columns), Message::Unknown)
            }
            ParsedLine::Named { tick, path, text, message } => {
                let (path, text) = (part(path), &line[text as usize..]);
                (Shape::Named { tick, path, text }, message)
            }
        }
    }
}
