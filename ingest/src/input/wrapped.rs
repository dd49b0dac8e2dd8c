//! Joins the lines of a text that was wrapped at a width, as terminals, `fold` and programs for mail do.

use super::Lines;
use crate::error::Error;

/// How a text was wrapped.
#[derive(Clone, Copy)]
pub(crate) struct Wrap {
    /// Width of the longest line, in columns.
    pub width: usize,
    /// Whether lines were broken at blanks only, and not at the width wherever that is.
    pub at_blanks: bool,
    /// Whether a line is the first or the only part of a line of the format.
    pub is_start: fn(&[u8]) -> bool,
}

impl Wrap {
    /// Whether `next` continues the line of which `part` is the last part so far.
    pub(crate) fn continues(&self, part: &[u8], next: &[u8]) -> bool {
        if next.is_empty() || (self.is_start)(next) {
            return false;
        }
        if !self.at_blanks {
            return columns(part) == self.width;
        }
        // A line is broken only if its next word does not fit. Some programs count the blank that follows the word.
        let word = next.iter().take_while(|&&byte| byte != b' ').count();
        let blank = usize::from(!part.ends_with(b" "));
        columns(part) + blank + word + 1 > self.width
    }

    /// Appends the next part of a line to the parts before.
    pub(crate) fn join(&self, line: &mut Vec<u8>, next: &[u8]) {
        if self.at_blanks && !line.ends_with(b" ") {
            line.push(b' ');
        }
        line.extend_from_slice(next);
    }
}

/// The number of columns that a line takes. A tab moves to the next multiple of eight columns.
pub(crate) fn columns(line: &[u8]) -> usize {
    line.iter()
        .fold(0, |column, &byte| if byte == b'\t' { (column / 8 + 1) * 8 } else { column + 1 })
}

/// Joins the parts of wrapped lines, and counts the lines that it joined.
#[derive(Default)]
pub(super) struct Joined {
    /// The current line; `None` if lines are not joined.
    line: Option<Vec<u8>>,
    /// Number of its first part.
    number: u64,
    /// Number of lines that had several parts, and the first of them.
    count: super::LineCount,
    width: usize,
}

impl Joined {
    pub(super) fn line(&self) -> Option<&[u8]> {
        self.line.as_deref()
    }

    /// The number of the first part of the current line, if lines are joined.
    pub(super) fn number(&self) -> Option<u64> {
        self.line.as_ref().map(|_| self.number)
    }

    /// A remark on the lines that were joined, for the user.
    pub(super) fn note(&self) -> Option<String> {
        let (lines, width) = (self.count.words()?, self.width);
        Some(format!(
            "the text was wrapped at {width} columns; the parts of {lines} were put together."
        ))
    }
}

impl Lines<'_> {
    /// Joins the lines that follow as `wrap` says.
    pub(crate) fn set_wrap(&mut self, wrap: Option<Wrap>) {
        self.wrap = wrap;
    }

    /// Moves to the next line, joined from its parts; false at the end.
    pub(super) fn advance_joined(&mut self) -> Result<bool, Error> {
        self.joined.line = None;
        if !self.advance_one()? {
            return Ok(false);
        }
        let Some(wrap) = self.wrap else {
            return Ok(true);
        };
        // Looking ahead may move the buffer, so the line is kept apart.
        let mut line = self.line().to_vec();
        let (mut part, number, mut parts) = (line.clone(), self.number, 1);
        while self.complete && wrap.continues(&part, &super::cleaned(self.peek())) {
            if !self.advance_one()? {
                break;
            }
            part = self.line().to_vec();
            wrap.join(&mut line, &part);
            parts += 1;
        }
        if parts > 1 {
            self.joined.count.add(number);
        }
        (self.joined.line, self.joined.number, self.joined.width) =
            (Some(line), number, wrap.width);
        Ok(true)
    }
}
