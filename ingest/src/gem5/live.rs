//! A trace that still grows: operations as they complete.

use std::sync::LazyLock;

use history::{Access, Crash, Source, Unfinished};

use super::taken::Taken;
use super::{Reader, Surroundings};
use crate::ending::Ending;
use crate::error::Error;
use crate::input::Lines;
use crate::options::Options;

/// Operations of sequencers after which a client that has not printed anything is none.
const SILENT: usize = 64;

/// Reads a trace line by line, and gives operations away as soon as they have completed; nothing is kept of them.
///
/// Of two histories that a trace may hold, what the client printed and what Ruby saw, the client's is taken as in a whole trace: if
/// it has printed nothing when some operations have completed, there is none.
///
/// ```
/// use ingest::gem5::Live;
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
    reader: Reader<'o>,
    /// Operations that nobody has fetched: they wait for others that completed before, or until it is known whether there is a client.
    held: Vec<Access>,
    source: Option<Source>,
    unfinished: Vec<Unfinished>,
    ended: Option<String>,
    ending: Ending,
    /// Whether something shows what memory does, as far as that was asked.
    has_ruby: bool,
}

/// A trace alone has no other files.
static ALONE: LazyLock<Surroundings> = LazyLock::new(Surroundings::default);

impl<'o> Live<'o> {
    /// Before the first line.
    pub fn new(options: &'o Options) -> Live<'o> {
        let mut reader = Reader::new(options, &ALONE);
        reader.sink.client.taken = Taken::Live(Vec::new());
        if let Some(ruby) = &mut reader.sink.ruby {
            *ruby = Taken::Live(Vec::new());
        }
        let source = options.source.filter(|source| *source != Source::Exec);
        Live {
            reader,
            held: Vec::new(),
            source,
            unfinished: Vec::new(),
            ended: None,
            ending: Ending::default(),
            has_ruby: false,
        }
    }

    /// Reads a line; false at the end.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn advance(&mut self, lines: &mut Lines<'_>) -> Result<bool, Error> {
        if !lines.advance()? {
            return Ok(false);
        }
        let (line, number) = (lines.line(), lines.number());
        let before = self.reader.last_tick;
        let read = self.reader.take(line, number, lines.complete());
        let Reader {
            sequencers,
            sink,
            last_tick,
            ..
        } = &mut self.reader;
        if *last_tick > before {
            sequencers.settle_before(*last_tick, sink);
        }
        match read {
            Err(fault) if !self.reader.sink.options.lossy => {
                Err(fault.at(lines.file(), number, line))
            }
            Err(_) => {
                self.reader.sink.statistics.skipped += 1;
                Ok(true)
            }
            Ok(()) => Ok(true),
        }
    }

    /// Which lines make the history; nothing as long as that is not known.
    pub fn source(&self) -> Option<Source> {
        self.source
    }

    /// The operations that have completed since, in that order.
    pub fn fetch(&mut self) -> Vec<Access> {
        self.take();
        if self.source.is_none() || self.held.is_empty() {
            return Vec::new();
        }
        // What completed before something that is not settled yet comes before it.
        let bound = self.reader.sequencers.first_unsettled().unwrap_or(u64::MAX);
        // A store of which the trace does not show more counts where it is printed.
        let when = |access: &Access| access.order.or(access.line);
        self.held.sort_by_key(when);
        let before = self.held.partition_point(|it| when(it) < Some(bound));
        let later = self.held.split_off(before);
        std::mem::replace(&mut self.held, later)
    }

    /// Holds what was taken in since of the source that makes the history.
    fn take(&mut self) {
        let sink = &mut self.reader.sink;
        if self.source.is_none() && sink.client.operations > 0 {
            self.source = Some(Source::Client);
            self.held.clear();
        }
        if sink.client.operations >= SILENT as u64 && !self.has_ruby {
            self.has_ruby = self.reader.has(Source::Ruby);
            if !self.has_ruby {
                self.reader.sink.client.go_alone(self.reader.sink.options);
            }
        }
        let sink = &mut self.reader.sink;
        let client = sink.client.taken.fetch();
        let ruby = sink.ruby.as_mut().map(Taken::fetch).unwrap_or_default();
        match self.source {
            Some(Source::Client) => self.held.extend(client),
            _ => self.held.extend(ruby),
        }
        if self.source.is_none() && self.held.len() >= SILENT {
            self.source = Some(Source::Ruby);
        }
    }

    /// The end of the trace: what completes with it, writes of the client that memory has not seen included.
    ///
    /// # Errors
    /// Lines are missing, so that what was given away is not all there was.
    pub fn finish(&mut self, lines: &Lines<'_>) -> Result<Vec<Access>, Error> {
        let sink = &mut self.reader.sink;
        let leftover = self.reader.sequencers.finish(sink);
        sink.client.finish(sink.options);
        self.reader.end.finish(lines.file());
        self.describe(&leftover.unfinished);
        self.unfinished = [leftover.unfinished, leftover.lost].concat();
        self.take();
        let source = *self.source.get_or_insert(Source::Ruby);
        if source == Source::Ruby && self.reader.has(Source::Ruby) {
            self.reader.check_flags(lines.file())?;
        }
        self.reader.check_abandoned(lines)?;
        self.reader.check_gaps(source, lines)?;
        // A store that memory has not seen has no place in the order: it comes last.
        self.held
            .sort_by_key(|access| access.order.unwrap_or(u64::MAX));
        Ok(std::mem::take(&mut self.held))
    }

    /// For each thread of Ruby's a place in its program order before which nothing is outstanding. A client's operations are numbered
    /// one after the other, so that whoever has them knows.
    pub fn settled(&self) -> Vec<(u32, u64)> {
        let mut settled = self.reader.sequencers.settled();
        for (thread, place) in &mut settled {
            // What nobody has fetched has not arrived.
            let held = self.held.iter().filter(|access| access.thread == *thread);
            *place = held.map(|access| access.sequence).fold(*place, u64::min);
        }
        settled
    }

    /// Requests that were not answered when the trace ended: the values that they would have written are not known.
    pub fn unfinished(&self) -> &[Unfinished] {
        &self.unfinished
    }

    /// Notes how the run ended.
    fn describe(&mut self, outstanding: &[Unfinished]) {
        let reader = &self.reader;
        let last_tick = reader.ticks.then_some(reader.last_tick);
        let answered = reader.sequencers.accepted() > 0;
        self.ended = reader.end.describe(outstanding, last_tick, answered);
        self.ending = reader.ending(outstanding);
    }

    /// How the run ended, in words, when the trace was read to its end; `None` if nothing is known.
    pub fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// The message with which gem5 crashed, when the trace was read to its end.
    pub fn crash(&self) -> Option<&Crash> {
        self.reader.end.crash()
    }

    /// What the trace shows of the end of the run, when it was read to its end.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// Whether the trace may show values that nothing in it writes.
    pub fn outside_writes(&self) -> bool {
        self.reader.sink.outside_writes
    }
}
