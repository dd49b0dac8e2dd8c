//! What of an input is damaged, skipped or removed, and the words for it.

use std::io;

use super::Lines;
use super::gzip::describe;
use crate::error::Error;

/// The number of lines with some property, and the first of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineCount {
    pub count: u64,
    pub first: u64,
}

impl LineCount {
    /// Counts a line. Lines come in ascending order.
    pub(crate) fn add(&mut self, line: u64) {
        if self.count == 0 {
            self.first = line;
        }
        self.count += 1;
    }

    /// The lines in words, such as `1 line (line 7)` or `12 lines (the first is line 7)`; `None` if there are none.
    pub(crate) fn words(&self) -> Option<String> {
        match self.count {
            0 => None,
            1 => Some(format!("1 line (line {})", self.first)),
            count => Some(format!("{count} lines (the first is line {})", self.first)),
        }
    }
}

impl Lines<'_> {
    /// Lines that were skipped because they were too long.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Notes that the reader of the format skips a line, the current one or an earlier one.
    pub(crate) fn note_skipped(&self, line: u64) {
        let first = self.first_skipped.get().map_or(line, |first| first.min(line));
        self.first_skipped.set(Some(first));
    }

    /// The first line that was skipped, for its length or by the reader of the format.
    pub fn first_skipped(&self) -> Option<u64> {
        self.first_skipped.get()
    }

    /// The first line that was lost for its length, or with the rest of the text since compressed data are corrupt; `None` if the text
    /// only ends early.
    pub(crate) fn first_lost(&self) -> Option<u64> {
        if self.is_corrupt {
            let line = self.damage.as_ref().map(|(_, last)| last + 1);
            return line.min(self.first_skipped()).or(line);
        }
        (self.skipped > 0 && self.damage.is_none()).then(|| self.first_skipped()).flatten()
    }

    /// Description of the damage of compressed data that was skipped. Wrong bytes are detected only at the end of the
    /// data, so the text is good up to the line before the first that was skipped.
    pub fn damage(&self) -> Option<String> {
        let (what, noticed) = self.damage.as_ref()?;
        let good = self.first_skipped().map_or(*noticed, |line| (*noticed).min(line - 1));
        Some(format!("the gzip data {what} up to line {good}"))
    }

    /// Remarks on what was removed from the text, for the user, one sentence each.
    pub(crate) fn notes(&self) -> Vec<String> {
        let removed = [
            (
                self.escapes,
                "escape sequences of a terminal (colours and the like) were removed from",
            ),
            (self.marks, "a byte order mark was removed from"),
        ];
        let removed = removed.into_iter();
        let removed = removed.filter_map(|(of, what)| Some(format!("{what} {}.", of.words()?)));
        removed.chain(self.joined.note()).collect()
    }

    /// Whether reading has met damaged data.
    pub(crate) fn is_damaged(&self) -> bool {
        self.failure.is_some() || self.damage.is_some()
    }

    /// Reads the rest of the input, to find out whether compressed data are undamaged to their end. Other errors are
    /// ignored. `wrong` is the number of the line that is known to be wrong, if it is not the current one.
    pub(crate) fn check_rest(&mut self, wrong: Option<u64>) -> Option<Error> {
        if !self.compressed {
            return None;
        }
        let good = wrong.unwrap_or(self.number).saturating_sub(1);
        self.scanned = 0;
        while !self.ended {
            self.text.start = self.text.end;
            self.fill();
        }
        let error = self.failure.take()?;
        Some(Error::Damaged { file: self.file.clone(), line: good, what: describe(&error) })
    }

    /// Skips or refuses the current line, which is too long.
    pub(super) fn refuse_long(&mut self) -> Result<(), Error> {
        self.line = (self.text.end, self.text.end);
        if self.lossy {
            self.skipped += 1;
            self.note_skipped(self.number);
            return Ok(());
        }
        Err(Error::LongLine { file: self.file.clone(), line: self.number, limit: self.limit })
    }

    /// Handles a failure of the input after its last whole line: returns the error, or skips the rest.
    pub(super) fn fail(&mut self) -> Result<bool, Error> {
        let Some(error) = self.failure.take() else {
            return Ok(false);
        };
        self.line = (self.text.end, self.text.end);
        if !self.compressed {
            let file = self.file.clone();
            return Err(Error::Io { file, error });
        }
        let what = describe(&error);
        let is_allowed = self.truncated && error.kind() == io::ErrorKind::UnexpectedEof;
        if !self.lossy && !is_allowed {
            return Err(Error::Damaged { file: self.file.clone(), line: self.number, what });
        }
        if self.text.len() > 0 {
            self.skipped += 1;
            self.note_skipped(self.number + 1);
        }
        self.damage = Some((what, self.number));
        self.is_corrupt = error.kind() != io::ErrorKind::UnexpectedEof;
        self.text.start = self.text.end;
        self.scanned = 0;
        Ok(false)
    }
}
