//! Reads a trace while it is still being written, and returns operations as they complete.

use std::sync::LazyLock;

use history::{Access, Source};

use crate::error::Error;
use crate::gem5::readers::collector::Collector;
use crate::gem5::readers::reader::Reader;
use crate::gem5::run::RunProperties;
use crate::input::{LineReader, Lines};
use crate::live_reader::{LiveEnd, LiveReader};
use crate::options::Options;

/// Number of operations of one source after which the other source is assumed to be missing, if it has shown none.
const DECIDED_AFTER: usize = 64;

/// A reader of a trace that is still being written.
///
/// A trace may hold two histories: the operations that the client printed, and those that Ruby saw. As for a whole
/// trace, the client's is taken. If the client has printed nothing when [`DECIDED_AFTER`] operations have completed,
/// the trace is assumed to have no client.
pub(crate) struct LiveTrace<'o> {
    reader: Reader<'o>,
    /// Operations that were not fetched. They wait for operations that completed before them, or until it is known
    /// whether there is a client.
    held: Vec<Access>,
    source: Option<Source>,
    /// Whether the trace has lines of Ruby, as far as that was checked.
    has_ruby: bool,
}

/// The surroundings of a trace that is read without the other files of its run.
static ALONE: LazyLock<RunProperties> = LazyLock::new(RunProperties::default);

impl<'o> LiveTrace<'o> {
    /// A reader before the first line.
    pub(crate) fn new(options: &'o Options) -> LiveTrace<'o> {
        let mut reader = Reader::new(options, &ALONE);
        reader.sink.client.collected = Collector::Live(Vec::new());
        if let Some(ruby) = &mut reader.sink.ruby {
            *ruby = Collector::Live(Vec::new());
        }
        LiveTrace {
            reader,
            held: Vec::new(),
            source: options.source.filter(|source| *source != Source::Exec),
            has_ruby: false,
        }
    }

    /// Moves the completed operations of the chosen source to `held`.
    fn take(&mut self) {
        let sink = &mut self.reader.sink;
        if self.source.is_none() && sink.client.operations > 0 {
            self.source = Some(Source::Client);
            self.held.clear();
        }
        if sink.client.operations >= DECIDED_AFTER as u64 && !self.has_ruby {
            self.has_ruby = self.reader.has(Source::Ruby);
            if !self.has_ruby {
                self.reader.sink.client.stop_waiting_for_memory(self.reader.sink.options);
            }
        }
        let sink = &mut self.reader.sink;
        let client = sink.client.collected.fetch();
        let ruby = sink.ruby.as_mut().map(Collector::fetch).unwrap_or_default();
        match self.source {
            Some(Source::Client) => self.held.extend(client),
            _ => self.held.extend(ruby),
        }
        if self.source.is_none() && self.held.len() >= DECIDED_AFTER {
            self.source = Some(Source::Ruby);
        }
    }
}

impl LiveReader for LiveTrace<'_> {
    fn advance(&mut self, lines: &mut Lines<'_>) -> Result<bool, Error> {
        if !lines.advance()? {
            return Ok(false);
        }
        let before = self.reader.last_tick;
        let read = self.reader.line(lines);
        let Reader { sequencers, sink, last_tick, .. } = &mut self.reader;
        if *last_tick > before {
            sequencers.resolve_before(*last_tick, sink);
        }
        read.map(|()| true)
    }

    fn fetch(&mut self) -> Vec<Access> {
        self.take();
        if self.source.is_none() || self.held.is_empty() {
            return Vec::new();
        }
        // An operation that is not resolved yet completed before those of later lines, so these wait for it.
        let bound = self.reader.sequencers.first_unresolved().unwrap_or(u64::MAX);
        // A store without a completion in the trace is ordered by its line.
        let when = |access: &Access| access.order.or(access.line);
        self.held.sort_by_key(when);
        let before = self.held.partition_point(|it| when(it) < Some(bound));
        let later = self.held.split_off(before);
        std::mem::replace(&mut self.held, later)
    }

    fn finish(&mut self, lines: &Lines<'_>) -> Result<LiveEnd, Error> {
        self.reader.complete_without_lines(lines);
        let sink = &mut self.reader.sink;
        let leftover = self.reader.sequencers.finish(sink);
        sink.client.finish(sink.options);
        self.reader.end.finish(lines.file());
        self.take();
        let source = *self.source.get_or_insert(Source::Ruby);
        if source == Source::Ruby && self.reader.has(Source::Ruby) {
            self.reader.check_flags(lines.file())?;
        }
        self.reader.check_abandoned(lines)?;
        self.reader.check_gaps(source, lines)?;
        // A store that memory has not performed has no rank in the order, so it comes last.
        let mut accesses = std::mem::take(&mut self.held);
        accesses.sort_by_key(|access| access.order.unwrap_or(u64::MAX));
        let reader = &mut self.reader;
        let last_tick = reader.ticks.then_some(reader.last_tick);
        let answered = reader.sequencers.accepted() > 0;
        Ok(LiveEnd {
            accesses,
            ended: reader.end.describe(&leftover.unfinished, last_tick, answered),
            ending: reader.ending(&leftover.unfinished),
            unfinished: reader.unfinished(source, leftover),
            outside_writes: reader.outside_writes(source),
            not_understood: reader.gaps(source, lines),
            crash: reader.end.crash().cloned(),
            notes: lines.notes().into_iter().chain(reader.changes.notes()).collect(),
        })
    }

    fn source(&self) -> Option<Source> {
        self.source
    }

    /// Bounds are needed for Ruby's operations, since requests of all threads are numbered together. A client's
    /// operations are numbered consecutively.
    fn completed_before(&self) -> Vec<(u32, u64)> {
        if self.source != Some(Source::Ruby) {
            return Vec::new();
        }
        let mut completed_before = self.reader.sequencers.completed_before();
        for (thread, place) in &mut completed_before {
            // The caller has not received the operations that were not fetched, so they count as outstanding.
            let held = self.held.iter().filter(|access| access.thread == *thread);
            *place = held.map(|access| access.sequence).fold(*place, u64::min);
        }
        completed_before
    }
}
