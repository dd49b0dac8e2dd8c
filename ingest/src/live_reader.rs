//! [`LiveReader`]: reads a trace of one format while it is still being written.

use history::{Access, Crash, NotUnderstood, Source, Unfinished};

use crate::ending::Ending;
use crate::error::Error;
use crate::input::Lines;

/// A format's reader of a trace that is still being written. The memory of operations that were fetched is freed.
pub trait LiveReader {
    /// Reads the next line or record; false at the end.
    ///
    /// # Errors
    /// Returns an error if the line or record cannot be read or breaks the format's rules.
    fn advance(&mut self, lines: &mut Lines<'_>) -> Result<bool, Error>;

    /// Whether [`LiveReader::advance`] can read on without waiting for input.
    fn is_at_hand(&self, lines: &Lines<'_>) -> bool {
        lines.is_at_hand()
    }

    /// The operations that have completed since the last call, in the order of their completion.
    fn fetch(&mut self) -> Vec<Access>;

    /// Ends the trace: returns the operations that were not fetched, and how the run ended.
    ///
    /// # Errors
    /// Returns an error if lines are missing, so that operations may be missing as well.
    fn finish(&mut self, lines: &Lines<'_>) -> Result<LiveEnd, Error>;

    /// The source of the operations, or `None` as long as it is not known.
    fn source(&self) -> Option<Source>;

    /// Whether the reader has all operations in memory at once. The caller then need not forget those that were checked, whose
    /// memory is about as much again while the order of completions explains them, and several times as much otherwise.
    fn holds_all(&self) -> bool {
        false
    }

    /// For each thread whose operations are not numbered consecutively: the thread, and the number in program order
    /// below which none of its operations is outstanding.
    fn completed_before(&self) -> Vec<(u32, u64)> {
        Vec::new()
    }
}

/// The end of a trace: the operations that were not fetched, and how the run ended.
#[derive(Clone, Debug, Default)]
pub struct LiveEnd {
    /// The operations that were not fetched.
    pub accesses: Vec<Access>,
    /// Requests that were not answered. The values that they would have written are not known.
    pub unfinished: Vec<Unfinished>,
    /// Whether values may come from writes that are no operations of the history.
    pub outside_writes: bool,
    /// How the run ended, in words; `None` if nothing is known.
    pub ended: Option<String>,
    /// The message with which gem5 crashed, if it did.
    pub crash: Option<Crash>,
    /// The last steps and the states of the controllers at the end.
    pub ending: Ending,
    /// Operations that the trace may lack, since lines were skipped.
    pub not_understood: Vec<NotUnderstood>,
    /// Remarks on lines that were changed or could not be read, one sentence each.
    pub notes: Vec<String>,
}
