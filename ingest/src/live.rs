//! Reads a trace while it is still being written, and returns operations as they complete.
//!
//! [`Live`] detects the format and reads with the [`LiveReader`] of that format.

use history::{Access, Crash, Source, Unfinished};

use crate::ending::Ending;
use crate::error::Error;
use crate::format::{Detector, TraceFormat};
use crate::input::Lines;
use crate::options::Options;

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
}

/// Reads a trace of any format line by line while it is still being written.
///
/// ```
/// use ingest::Live;
/// use ingest::input::Lines;
///
/// let trace = "1: system.client: T0 op 0 fence\n2: system.client: T0 op 1 load 0x40 0x0\n";
/// let options = ingest::Options::default();
/// let mut lines = Lines::new(trace.as_bytes(), "example", false)?;
/// let mut live = Live::new(&options);
/// let mut kinds = Vec::new();
/// while live.advance(&mut lines)? {
///     kinds.extend(live.fetch().iter().map(|access| access.kind));
/// }
/// assert_eq!(kinds, [history::Kind::Fence, history::Kind::Load]);
/// # Ok::<(), ingest::Error>(())
/// ```
pub struct Live<'o> {
    options: &'o Options,
    detector: Detector,
    reader: Option<Box<dyn LiveReader + 'o>>,
}

impl<'o> Live<'o> {
    /// A reader before the first line.
    pub fn new(options: &'o Options) -> Live<'o> {
        Live { options, detector: Detector::default(), reader: None }
    }

    /// Reads the next line or record; false at the end.
    ///
    /// # Errors
    /// Returns an error if the line or record cannot be read, breaks its format's rules, or is of a format that cannot be watched.
    pub fn advance(&mut self, lines: &mut Lines<'_>) -> Result<bool, Error> {
        if self.reader.is_none() {
            let file = lines.file().to_owned();
            if let Some(format) = self.detector.line(lines.peek(), &file)? {
                self.reader = Some(self.begin(format, lines)?);
            }
        }
        match &mut self.reader {
            Some(reader) => reader.advance(lines),
            None => lines.advance(),
        }
    }

    /// Whether [`Live::advance`] can read on without waiting for input.
    pub fn is_at_hand(&self, lines: &Lines<'_>) -> bool {
        match &self.reader {
            Some(reader) => reader.is_at_hand(lines),
            None => lines.is_at_hand(),
        }
    }

    fn begin(
        &self,
        format: &'static dyn TraceFormat,
        lines: &mut Lines<'_>,
    ) -> Result<Box<dyn LiveReader + 'o>, Error> {
        lines.set_limit(format.info().line_limit);
        format
            .watch(self.options)
            .ok_or_else(|| Error::Unwatchable { file: lines.file().to_owned(), format })
    }

    /// The operations that have completed since the last call, in the order of their completion.
    pub fn fetch(&mut self) -> Vec<Access> {
        self.reader.as_mut().map(|reader| reader.fetch()).unwrap_or_default()
    }

    /// Ends the trace: returns the operations that were not fetched, and how the run ended.
    ///
    /// # Errors
    /// Returns an error if the text is of no known format, or lines are missing.
    pub fn finish(&mut self, lines: &Lines<'_>) -> Result<LiveEnd, Error> {
        match &mut self.reader {
            Some(reader) => reader.finish(lines),
            None => Err(std::mem::take(&mut self.detector).finish(lines.file())),
        }
    }

    /// The source of the operations, or `None` as long as it is not known.
    pub fn source(&self) -> Option<Source> {
        self.reader.as_ref()?.source()
    }

    /// Whether all operations are in memory at once: [`LiveReader::holds_all`].
    pub fn holds_all(&self) -> bool {
        self.reader.as_ref().is_some_and(|reader| reader.holds_all())
    }

    /// The bounds of [`LiveReader::completed_before`].
    pub fn completed_before(&self) -> Vec<(u32, u64)> {
        self.reader.as_ref().map(|reader| reader.completed_before()).unwrap_or_default()
    }
}
