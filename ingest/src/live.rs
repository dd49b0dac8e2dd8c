//! Reads a trace while it is still being written, and returns operations as they complete.
//!
//! [`Live`] detects the format and reads with the [`LiveReader`] of that format.

use history::{Access, Source};

use crate::error::Error;
use crate::format::TraceFormat;
use crate::formats::{Detector, or_mixed};
use crate::input::Lines;
use crate::live_reader::{LiveEnd, LiveReader};
use crate::options::Options;

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
    chosen: Option<Chosen<'o>>,
}

/// The format of a trace, once it is known.
struct Chosen<'o> {
    format: &'static dyn TraceFormat,
    reader: Box<dyn LiveReader + 'o>,
}

impl<'o> Live<'o> {
    /// A reader before the first line.
    pub fn new(options: &'o Options) -> Live<'o> {
        Live { options, detector: Detector::default(), chosen: None }
    }

    /// Reads the next line or record; false at the end.
    ///
    /// # Errors
    /// Returns an error if the line or record cannot be read, breaks its format's rules, or is of a format that cannot be watched.
    pub fn advance(&mut self, lines: &mut Lines<'_>) -> Result<bool, Error> {
        if self.chosen.is_none() {
            let file = lines.file().to_owned();
            if let Some(format) = self.detector.line(lines.peek(), &file)? {
                let reader = self.begin(format, lines)?;
                self.chosen = Some(Chosen { format, reader });
            }
        }
        match &mut self.chosen {
            Some(Chosen { format, reader }) => {
                reader.advance(lines).map_err(|error| or_mixed(error, lines, *format))
            }
            None => lines.advance(),
        }
    }

    /// Whether [`Live::advance`] can read on without waiting for input.
    pub fn is_at_hand(&self, lines: &Lines<'_>) -> bool {
        match &self.chosen {
            Some(chosen) => chosen.reader.is_at_hand(lines),
            None => lines.is_at_hand(),
        }
    }

    fn begin(
        &self,
        format: &'static dyn TraceFormat,
        lines: &mut Lines<'_>,
    ) -> Result<Box<dyn LiveReader + 'o>, Error> {
        lines.set_limit(format.info().line_limit);
        format.watch(self.options).ok_or_else(|| Error::Unwatchable {
            file: lines.file().to_owned(),
            format: format.title(),
        })
    }

    /// The operations that have completed since the last call, in the order of their completion.
    pub fn fetch(&mut self) -> Vec<Access> {
        self.chosen.as_mut().map(|chosen| chosen.reader.fetch()).unwrap_or_default()
    }

    /// Ends the trace: returns the operations that were not fetched, and how the run ended.
    ///
    /// # Errors
    /// Returns an error if the text is of no known format, or lines are missing.
    pub fn finish(&mut self, lines: &Lines<'_>) -> Result<LiveEnd, Error> {
        match &mut self.chosen {
            Some(chosen) => chosen.reader.finish(lines),
            None => Err(std::mem::take(&mut self.detector).finish(lines.file())),
        }
    }

    /// The source of the operations, or `None` as long as it is not known.
    pub fn source(&self) -> Option<Source> {
        self.chosen.as_ref()?.reader.source()
    }

    /// Whether all operations are in memory at once: [`LiveReader::holds_all`].
    pub fn holds_all(&self) -> bool {
        self.chosen.as_ref().is_some_and(|chosen| chosen.reader.holds_all())
    }

    /// The bounds of [`LiveReader::completed_before`].
    pub fn completed_before(&self) -> Vec<(u32, u64)> {
        self.chosen.as_ref().map(|chosen| chosen.reader.completed_before()).unwrap_or_default()
    }
}
