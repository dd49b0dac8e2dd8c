//! Turns completed requests of sequencers into operations: joins the halves of locked read-modify-writes, labels
//! threads, and collects the requests that are left at the end.

use history::{Kind, Unfinished};
use settings::Setting;

use crate::gem5::lines::fault::Fault;
use crate::gem5::readers::fifo::Request;
use crate::gem5::readers::matching::Sequencers;
use crate::gem5::readers::operation::{Completed, Effect, Values, atomic_kind};
use crate::gem5::readers::sequencer::{Half, Sequencer, trailing_number, unfinished};
use crate::gem5::readers::sink::Sink;

/// Requests that are left at the end of a trace.
pub(crate) struct Leftover {
    /// Requests without a completion.
    pub unfinished: Vec<Unfinished>,
    /// Requests to write whose completions were damaged, so that their values are not known.
    pub lost: Vec<Unfinished>,
}

/// A sequencer that shows completions without data.
pub(crate) struct DatalessSequencer<'a> {
    pub path: &'a str,
    /// Whether `Seq` lines show its version, as those of a CPU's sequencer do.
    pub bound: bool,
    pub line: u64,
    pub requests: u64,
    pub writes: u64,
}

impl Sequencers {
    /// Turns the last completed request of a sequencer into operations of a history. `size` is the number of bytes, if
    /// a line showed it.
    pub(crate) fn resolve_last(&mut self, at: usize, size: Option<u64>, sink: &mut Sink<'_>) {
        let sequencer = &mut self.all[at];
        let Some(completed) = sequencer.last.take() else {
            return;
        };
        let port = completed.request.port;
        let counts = &mut sink.statistics;
        if sequencer.is_walker(port) {
            counts.walks += 1;
            return;
        }
        let is_fetch = sequencer.is_fetch(completed.request.begin, port)
            && completed.effect == Effect::Operation(Kind::Load);
        if is_fetch {
            counts.fetches += 1;
            if !sink.options.fetches {
                return;
            }
        }
        let before =
            if sequencer.original.is_empty() { &sequencer.block } else { &sequencer.original };
        let values = completed.values(size, before, &sequencer.block);
        self.split |= !values.more.is_empty();
        match completed.effect {
            Effect::Operation(kind) => self.emit(at, &completed, kind, size, &values, sink),
            Effect::Atomic => {
                self.emit(at, &completed, atomic_kind(&values), size, &values, sink);
            }
            Effect::LockedRead => {
                let half = Half { completed, size, values };
                if let Some(alone) = self.all[at].half.replace(half) {
                    self.emit_half(at, &alone, sink);
                }
            }
            Effect::LockedWrite => self.locked_write(at, &completed, size, values, sink),
            Effect::FailedStoreConditional => counts.failed_store_conditionals += 1,
            Effect::Flush => counts.flushes += 1,
            Effect::Other => counts.other_requests += 1,
            Effect::NoAccess | Effect::DataMissing => {}
        }
    }

    /// Turns the requests that completed before a tick into operations of a history, in the order of their lines. No
    /// later line can add to them.
    pub(crate) fn resolve_before(&mut self, tick: u64, sink: &mut Sink<'_>) {
        let is_over = |sequencer: &Sequencer| {
            let last = sequencer.last.as_ref()?;
            last.tick.is_some_and(|completed| completed < tick).then_some(last.line)
        };
        let over = self
            .all
            .iter()
            .enumerate()
            .filter_map(|(at, sequencer)| Some((is_over(sequencer)?, at)));
        let mut over: Vec<(u64, usize)> = over.collect();
        over.sort_unstable();
        for (_, at) in over {
            self.resolve_last(at, None, sink);
        }
    }

    /// The write half of a locked read-modify-write, joined with its read half.
    fn locked_write(
        &mut self,
        at: usize,
        write: &Completed,
        size: Option<u64>,
        mut values: Values,
        sink: &mut Sink<'_>,
    ) {
        let half = self.all[at].half.take();
        let half = match half {
            Some(half) if half.completed.request.address != write.request.address => {
                self.emit_half(at, &half, sink);
                None
            }
            half => half,
        };
        let mut whole = *write;
        if let Some(half) = half {
            whole.request.sequence = half.completed.request.sequence;
            whole.request.issued = half.completed.request.issued;
            values.old = half.values.old;
            for (more, read) in values.more.iter_mut().zip(&half.values.more) {
                more.0 = read.0;
            }
        }
        self.emit(at, &whole, atomic_kind(&values), size, &values, sink);
    }

    /// Emits a read half whose write half never came. It reads, and orders like a read-modify-write.
    fn emit_half(&mut self, at: usize, half: &Half, sink: &mut Sink<'_>) {
        self.emit(at, &half.completed, Kind::FailedCas, half.size, &half.values, sink);
    }

    fn emit(
        &mut self,
        at: usize,
        completed: &Completed,
        kind: Kind,
        size: Option<u64>,
        values: &Values,
        sink: &mut Sink<'_>,
    ) {
        let sequencer = &mut self.all[at];
        let kind = sequencer.with_reservation(kind);
        let address = completed.request.address;
        for mut access in completed.accesses(kind, size, values) {
            match sequencer.version {
                Some(version) => {
                    access.thread = version;
                    sink.ruby(access, address);
                }
                None => sequencer.unbound.push((access, address)),
            }
        }
    }

    /// Learns the version of a sequencer.
    pub(crate) fn bind(
        &mut self,
        at: usize,
        version: u32,
        sink: &mut Sink<'_>,
    ) -> Result<(), Fault> {
        let sequencer = &mut self.all[at];
        match sequencer.version {
            Some(known) if self.by_version.get(&version) == Some(&at) || known == version => {
                return Ok(());
            }
            Some(known) if !self.shared_versions => {
                return Err(Fault::broken(
                    format!("a request of {} with version {version}", sequencer.path),
                    format!("version {known} as before"),
                    format!(
                        "lines are missing or two traces are mixed: record the trace again, or use {}",
                        Setting::Lossy
                    ),
                ));
            }
            Some(_) => return Ok(()),
            None => {}
        }
        self.label(at, version, sink);
        Ok(())
    }

    /// Labels a sequencer's thread with `version`, or with the next free number.
    fn label(&mut self, at: usize, version: u32, sink: &mut Sink<'_>) {
        let mut label = version;
        while self.by_version.contains_key(&label) {
            self.shared_versions = true;
            label = label.wrapping_add(1);
        }
        self.by_version.insert(label, at);
        let sequencer = &mut self.all[at];
        sequencer.version = Some(label);
        for (mut access, address) in std::mem::take(&mut sequencer.unbound) {
            access.thread = label;
            sink.ruby(access, address);
        }
    }

    /// Ends the trace: turns the last completed requests into operations, and returns the requests that never complete,
    /// in the order in which they were accepted, and the writes whose completions were damaged.
    pub(crate) fn finish(&mut self, sink: &mut Sink<'_>) -> Leftover {
        for at in 0..self.all.len() {
            self.resolve_last(at, None, sink);
            if let Some(half) = self.all[at].half.take() {
                self.emit_half(at, &half, sink);
            }
            if self.all[at].version.is_none() && !self.all[at].unbound.is_empty() {
                let number = trailing_number(&self.all[at].path);
                self.label(at, number, sink);
            }
        }
        let mut left: Vec<(u64, Unfinished)> = Vec::new();
        let mut lost_writes = Vec::new();
        for sequencer in &mut self.all {
            let thread = sequencer.version.unwrap_or(0);
            for mut lost in sequencer.lost.drain(..) {
                lost.thread = thread;
                lost_writes.push(lost);
            }
            let sequencer = &*sequencer;
            let fetch = |request: &&Request| {
                sequencer.counts(request.command, request.begin, request.port)
                    || (sink.options.fetches && sequencer.is_fetch(request.begin, request.port))
            };
            let requests = sequencer.fifo.iter().filter(fetch);
            left.extend(requests.map(|request| unfinished(request, thread)));
        }
        left.sort_by_key(|&(sequence, _)| sequence);
        Leftover {
            unfinished: left.into_iter().map(|(_, request)| request).collect(),
            lost: lost_writes,
        }
    }

    /// The first data line without a completion.
    pub(crate) fn abandoned(&self) -> Option<u64> {
        let pending = self.all.iter().filter_map(|sequencer| sequencer.data.map(|data| data.line));
        pending.chain(self.first_unanswered).min()
    }

    /// Number of sequencers that accepted or completed requests.
    pub(crate) fn active(&self) -> u64 {
        let is_active = |s: &&Sequencer| s.version.is_some() || s.hits > 0 || s.data_lines > 0;
        self.all.iter().filter(is_active).count() as u64
    }

    /// Number of requests that sequencers accepted.
    pub(crate) fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Sequencers with completions that should have had data and had none.
    pub(crate) fn silent(&self) -> impl Iterator<Item = DatalessSequencer<'_>> {
        self.all.iter().filter(|sequencer| sequencer.dataless > 0).map(|sequencer| {
            DatalessSequencer {
                path: &sequencer.path,
                bound: sequencer.version.is_some(),
                line: sequencer.first_dataless,
                requests: sequencer.dataless,
                writes: sequencer.dataless_writes,
            }
        })
    }
}
