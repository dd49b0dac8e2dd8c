//! The messages with which gem5 stops, as a table.
//!
//! `table.txt` has a row for each message of `src/mem/ruby`, of the code that SLICC generates, and of the testers of Ruby, in the
//! releases from v19.0 to v25.1. Messages that name nothing of the simulated system need no row. `docs/crashes.md` shows the table, and
//! `fixtures/crashes/messages.txt` has an example of each row.

use std::sync::LazyLock;

use history::CrashKind;

/// A message of gem5.
pub(super) struct MessageForm {
    /// The text, with fields in braces.
    pub text: &'static str,
    /// The kind of crash; none if `panic` or `fatal` says all.
    pub kind: Option<CrashKind>,
    /// What prints it: a file below `src`, or a place in the code that SLICC generates.
    #[cfg_attr(not(test), expect(dead_code, reason = "the documentation shows it"))]
    pub printed_by: &'static str,
    /// The releases that have it: the first, and the last unless later ones have it as well.
    #[cfg_attr(not(test), expect(dead_code, reason = "the documentation shows it"))]
    pub releases: (&'static str, Option<&'static str>),
}

/// The first release that was looked at. It is older than the table.
#[cfg(test)]
pub(super) const FIRST: &str = "v19.0";

/// The messages. Of several rows that fit a text, the one with the most of its words there counts, the first of these.
pub(super) static MESSAGES: LazyLock<Vec<MessageForm>> = LazyLock::new(|| {
    let lines = include_str!("table.txt").lines();
    lines.filter(|line| !line.starts_with('#')).filter_map(row).collect()
});

/// Reads a row: releases, what prints the message, the kind of crash, and the text in quotes.
fn row(line: &'static str) -> Option<MessageForm> {
    let mut cells = line.splitn(4, " | ");
    let (releases, printed_by, kind) = (cells.next()?, cells.next()?, cells.next()?);
    let text = cells.next()?.strip_prefix('"')?.strip_suffix('"')?;
    let releases = match releases.split_once(" to ") {
        Some((first, last)) => (first, Some(last)),
        None => (releases, None),
    };
    let kind = CrashKind::ALL.into_iter().find(|known| known.name() == kind);
    Some(MessageForm { text, kind, printed_by, releases })
}

/// Words of a warning that says more about the message that follows it.
pub(crate) const WARNINGS: [&str; 4] = [
    ": Loaded value is not consistent with",
    ": Atomic Op returned unexpected value",
    ": Deadlock detected",
    " Possible deadlock detected!",
];
