//! Finds out whether a gem5 trace was wrapped at a width, by its beginning.

use crate::gem5::exec;
use crate::gem5::lines::grammar;
use crate::gem5::lines::line::{self, Shape};
use crate::gem5::lines::message::Message;
use crate::gem5::lines::recognise::is_chatter;
use crate::input::{Lines, Wrap, cleaned, columns};

/// Narrower texts are not taken for wrapped ones.
const LEAST_WIDTH: usize = 20;

/// How the text of which `head` is the beginning was wrapped; `None` if it was not, or not for certain: all lines of the
/// beginning must be whole when they are joined, and some of them must not be when they are not.
pub(crate) fn wrap(head: &[u8]) -> Option<Wrap> {
    let text = cleaned(head);
    // The last line may be incomplete.
    let whole = &text[..memchr::memrchr(b'\n', &text)?];
    let lines: Vec<&[u8]> = whole.split(|&byte| byte == b'\n').collect();
    let width =
        lines.iter().map(|line| columns(line)).max().filter(|&width| width >= LEAST_WIDTH)?;
    let is_start = if lines.iter().any(|line| has_tick(line)) { is_timed_start } else { is_start };
    let candidates = [false, true].map(|at_blanks| Wrap { width, at_blanks, is_start });
    candidates.into_iter().find(|wrap| explains(*wrap, &lines))
}

/// Whether the line after the current one, whose end is missing, seems to be its end.
pub(crate) fn rest_follows(lines: &Lines<'_>) -> bool {
    let next = lines.buffered().split(|&byte| byte == b'\n').next().unwrap_or_default();
    !next.trim_ascii().is_empty() && !is_timed_start(next)
}

/// Whether a line is the first or the only part of a line of a trace whose named lines have ticks.
fn is_timed_start(text: &[u8]) -> bool {
    match line::shape(text) {
        Ok(Shape::Named { tick: None, .. }) => false,
        _ => is_start(text),
    }
}

/// Whether a line is the first or the only part of a line that gem5 prints.
fn is_start(text: &[u8]) -> bool {
    match line::shape(text) {
        Ok(Shape::Named { .. } | Shape::Raw(_)) => true,
        Err(_) => has_tick(text),
        Ok(Shape::Blank | Shape::Chatter) => is_chatter(text),
    }
}

/// Whether a text begins with a tick and a colon.
fn has_tick(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let (tick, digits) = grammar::leading_number(text);
    tick.is_some() && text[digits..].starts_with(b": ")
}

/// Whether the text was wrapped in this way.
fn explains(wrap: Wrap, lines: &[&[u8]]) -> bool {
    let (mut completed, mut at) = (0, 0);
    while at < lines.len() {
        let first = lines[at];
        let mut joined = first.to_vec();
        let mut last = at;
        while lines.get(last + 1).is_some_and(|next| wrap.continues(lines[last], next)) {
            last += 1;
            wrap.join(&mut joined, lines[last]);
        }
        // The rest of the last line may not be in the beginning of the text.
        if last + 1 == lines.len() {
            break;
        }
        if (wrap.is_start)(first) {
            let (before, after) = (State::of(first), State::of(&joined));
            if after == State::Cut {
                return false;
            }
            // Other output that happens to make a whole line is possible once, but not for a line that was cut.
            completed += match (before, after) {
                (State::Cut, _) => 2,
                (_, State::Whole) if last > at => 1,
                _ => 0,
            };
        }
        at = last + 1;
    }
    completed > 1
}

/// Whether a line lacks its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// A part of the line is missing.
    Cut,
    /// Nothing is missing, and nothing can follow.
    Whole,
    /// Nothing is missing, but more may follow, or the line is of a kind that is not known.
    Open,
}

impl State {
    fn of(text: &[u8]) -> State {
        let Ok(shape) = line::shape(text) else {
            return State::Cut;
        };
        match &shape {
            Shape::Raw(columns) if grammar::address(columns.rest).is_err() => State::Cut,
            Shape::Raw(_) | Shape::Blank | Shape::Chatter => State::Open,
            Shape::Named { text, .. } => match shape.message() {
                Ok(Message::Exec { instruction, .. }) => {
                    match exec::shows_results(&text[instruction..]) {
                        None => State::Cut,
                        Some(true) => State::Whole,
                        Some(false) => State::Open,
                    }
                }
                Ok(Message::Known | Message::Unknown) => State::Open,
                Ok(_) => State::Whole,
                Err(_) => State::Cut,
            },
        }
    }
}
