//! [`Execution`]: a history with its reads-from.

use history::{Ambiguity, History, OpId, ReadsFrom, WrittenTwice};

/// A history with the write that each read takes its value from.
#[derive(Debug)]
pub struct Execution<'h> {
    /// The history.
    pub history: &'h History,
    /// The source of each read.
    pub reads_from: ReadsFrom,
}

impl<'h> Execution<'h> {
    /// Derives reads-from from the values.
    ///
    /// # Errors
    /// Returns [`WrittenTwice`] if a value is written twice to a location, other than by a read-modify-write
    /// that writes back what it read.
    pub fn new(history: &'h History) -> Result<Execution<'h>, WrittenTwice> {
        let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse)?;
        Ok(Execution { history, reads_from })
    }

    /// Whether two operations access one location.
    pub fn same_location(&self, first: OpId, second: OpId) -> bool {
        let location = self.history.location(first);
        location.is_some() && location == self.history.location(second)
    }
}
