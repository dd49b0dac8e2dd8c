//! [`Changes`]: counts the lines of a trace that were changed after gem5 printed them.

use crate::error::excerpt;
use crate::gem5::lines::layout::Change;
use crate::input::LineCount;

/// The lines that were read although they were changed, and those that could not be read.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    blanks: LineCount,
    quotations: LineCount,
    unread: LineCount,
    /// The first line that could not be read.
    first_unread: String,
}

impl Changes {
    /// Counts a line that was read.
    pub(crate) fn note(&mut self, change: Change, line: u64) {
        match change {
            Change::Blanks => self.blanks.add(line),
            Change::Quotation => self.quotations.add(line),
        }
    }

    /// Whether lines of the trace are quoted as in a mail.
    pub(crate) fn is_quoted(&self) -> bool {
        self.quotations.count > 0
    }

    /// Counts a line that looks like one of a debug flag and was not read.
    pub(crate) fn unread(&mut self, text: &[u8], line: u64) {
        if self.unread.count == 0 {
            self.first_unread = excerpt(text, 80);
        }
        self.unread.add(line);
    }

    /// Remarks on the lines for the user, one sentence each.
    pub(crate) fn notes(&self) -> Vec<String> {
        let what = |lines: LineCount, what: &str| Some(format!("{} {what}.", lines.words()?));
        let unread = format!(
            "look like those of a debug flag, but cannot be read and were left out: `{}`",
            self.first_unread
        );
        let all = [
            what(self.blanks, "had other blanks than gem5 prints and were read by their words"),
            what(self.quotations, "were quoted as in a mail and read without the marks"),
            what(self.unread, &unread),
        ];
        all.into_iter().flatten().collect()
    }
}
