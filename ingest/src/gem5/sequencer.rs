//! Rebuilding operations: requests and completions of sequencers, matched first in, first out.

use history::{Access, Kind, Unfinished};
use rustc_hash::FxHashMap;

use crate::error::Fault;
use crate::gem5::block;
use crate::gem5::fifo::{Fifo, Request};
use crate::gem5::message::{Command, DataKind};
use crate::gem5::operation::{Completed, Effect, Values, atomic_kind, effect};
use crate::gem5::raw::Begin;
use crate::gem5::sink::Sink;

/// What entered the protocol through a port.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    fetches: bool,
    others: bool,
}

impl Port {
    fn only_fetches(self) -> bool {
        self.fetches && !self.others
    }
}

/// A data line whose completion has not come yet.
#[derive(Clone, Copy, Debug)]
struct Data {
    kind: DataKind,
    line: u64,
    /// Known if a `Done` line came directly before.
    address: Option<u64>,
}

/// A packet that a CPU offers.
#[derive(Clone, Copy, Debug)]
struct Offer {
    sequencer: usize,
    port: u16,
    begin: Begin,
    tick: Option<u64>,
    line: u64,
}

/// The read half of a locked read-modify-write.
#[derive(Clone, Debug)]
struct Half {
    completed: Completed,
    size: Option<u64>,
    values: Values,
}

/// One sequencer.
#[derive(Debug, Default)]
struct Sequencer {
    path: String,
    version: Option<u32>,
    ports: Vec<Port>,
    fifo: Fifo,
    /// Outstanding requests that make operations.
    outstanding: u64,
    data: Option<Data>,
    /// Text of the blocks of the last data lines: the one before an atomic, and the last one.
    original: Vec<u8>,
    block: Vec<u8>,
    last: Option<Completed>,
    half: Option<Half>,
    /// Operations from before the version was known.
    unbound: Vec<(Access, u64)>,
    lost: Vec<Unfinished>,
    data_lines: u64,
    hits: u64,
    /// Completions that should have had data, and the first of them.
    dataless: u64,
    first_dataless: u64,
    dataless_writes: u64,
}

impl Sequencer {
    fn port(&self, port: u16) -> Port {
        self.ports
            .get(usize::from(port))
            .copied()
            .unwrap_or_default()
    }

    fn is_walker(&self, port: u16) -> bool {
        port >= 2 && self.port(0).only_fetches()
    }

    fn is_fetch(&self, begin: Begin, port: u16) -> bool {
        begin == Begin::Fetch || (begin == Begin::Coalesced && self.port(port).only_fetches())
    }

    /// The completion behind a data line is missing: its request must not stay in front of others.
    fn lose(&mut self, data: Data) {
        let address = data.address.or_else(|| {
            let mut outstanding = self.fifo.iter().map(|request| request.address);
            let first = outstanding.next();
            first.filter(|_| outstanding.next().is_none())
        });
        let Some(request) = address.and_then(|address| self.fifo.pop(address)) else {
            return;
        };
        self.outstanding -= u64::from(request.counts);
        if request.command.writes() {
            let (_, lost) = unfinished(&request, 0);
            self.lost.push(lost);
        }
    }

    /// Whether a request makes an operation of a history.
    fn counts(&self, command: Command, begin: Begin, port: u16) -> bool {
        let is_data = !matches!(
            command,
            Command::Flush | Command::MemSync | Command::Prefetch
        );
        is_data && !self.is_walker(port) && !self.is_fetch(begin, port)
    }
}

/// All sequencers of a trace.
#[derive(Debug, Default)]
pub(crate) struct Sequencers {
    all: Vec<Sequencer>,
    by_version: FxHashMap<u32, usize>,
    offer: Option<Offer>,
    done: Option<(u32, u64)>,
    accepted: u64,
    pub block_size: Option<usize>,
    pub data_lines: u64,
    pub hits: u64,
    pub unmatched: u64,
    pub overlapping: u64,
    pub refused: u64,
    pub shared_versions: bool,
    pub split: bool,
}

/// A sequencer that shows completions and no data.
pub(crate) struct Silent<'a> {
    pub path: &'a str,
    /// Whether CPUs use it: its requests have versions.
    pub bound: bool,
    pub line: u64,
    pub requests: u64,
    pub writes: u64,
}

impl Sequencers {
    /// The number of a new sequencer.
    pub(crate) fn add(&mut self, path: &str) -> usize {
        self.all.push(Sequencer {
            path: path.to_owned(),
            ..Sequencer::default()
        });
        self.all.len() - 1
    }

    /// `Timing request`.
    pub(crate) fn timing(&mut self, sequencer: usize, port: u16, tick: Option<u64>, line: u64) {
        self.offer = Some(Offer {
            sequencer,
            port,
            begin: Begin::Coalesced,
            tick,
            line,
        });
    }

    /// `Issuing ATOMIC …`.
    pub(crate) fn atomic(&mut self, returns: bool) {
        if let Some(offer) = &mut self.offer {
            offer.begin = if returns {
                Begin::AtomicReturn
            } else {
                Begin::AtomicNoReturn
            };
        }
    }

    /// `Seq Begin`.
    pub(crate) fn begin(
        &mut self,
        version: u32,
        address: u64,
        begin: Begin,
        tick: u64,
        sink: &mut Sink<'_>,
    ) -> Result<(), Fault> {
        self.done = None;
        // All lines of a request have one tick; an older offer was left behind by a lost line.
        let is_now = |offer: &&mut Offer| offer.tick.is_none_or(|offered| offered == tick);
        let Some(offer) = self.offer.as_mut().filter(is_now) else {
            // A request that was coalesced and is sent to the protocol now.
            if let Some(&at) = self.by_version.get(&version)
                && let Some(request) = self.all[at].fifo.first_mut(address)
                && request.begin == Begin::Coalesced
            {
                request.begin = begin;
            }
            return Ok(());
        };
        if begin != Begin::Other || offer.begin == Begin::Coalesced {
            offer.begin = begin;
        }
        let Offer {
            sequencer, port, ..
        } = *offer;
        let ports = &mut self.all[sequencer].ports;
        if ports.len() <= usize::from(port) {
            ports.resize(usize::from(port) + 1, Port::default());
        }
        if begin == Begin::Fetch {
            ports[usize::from(port)].fetches = true;
        } else {
            ports[usize::from(port)].others = true;
        }
        self.bind(sequencer, version, sink)
    }

    /// `Seq Done`.
    pub(crate) fn done(&mut self, version: u32, address: u64) {
        self.done = Some((version, address));
    }

    /// A transition: nothing of a sequencer continues across it.
    pub(crate) fn transition(&mut self) {
        self.done = None;
    }

    /// `Request … issued`.
    pub(crate) fn issued(
        &mut self,
        at: usize,
        port: u16,
        command: Command,
        address: u64,
        tick: Option<u64>,
        line: u64,
    ) {
        let offer = self.offer.take().filter(|offer| offer.sequencer == at);
        if command == Command::MemSync {
            return;
        }
        let begin = offer.map_or(Begin::Coalesced, |offer| offer.begin);
        let sequencer = &mut self.all[at];
        let counts = sequencer.counts(command, begin, port);
        if counts {
            self.overlapping += u64::from(sequencer.outstanding > 0);
            sequencer.outstanding += 1;
        }
        sequencer.fifo.push(Request {
            command,
            address,
            port,
            begin,
            sequence: self.accepted,
            issued: tick,
            line: offer.map_or(line, |offer| offer.line),
            counts,
        });
        self.accepted += 1;
    }

    /// `did not issue`, or a device's address.
    pub(crate) fn dropped(&mut self, refused: bool) {
        self.refused += u64::from(refused);
        self.offer = None;
    }

    /// A data line.
    pub(crate) fn data(
        &mut self,
        at: usize,
        kind: DataKind,
        text: &[u8],
        line: u64,
        sink: &mut Sink<'_>,
    ) -> Result<(), Fault> {
        self.data_lines += 1;
        self.settle(at, None, sink);
        let done = self.done.take();
        if let Some((version, _)) = done
            && self.all[at].version.is_none()
        {
            self.bind(at, version, sink)?;
        }
        let sequencer = &mut self.all[at];
        sequencer.data_lines += 1;
        let address = done.map(|(_, address)| address);
        let data = Data {
            kind,
            line,
            address,
        };
        let previous = sequencer.data.replace(data);
        let continues = kind == DataKind::AmoNew
            && previous.is_some_and(|data| data.kind == DataKind::AmoOriginal);
        if continues {
            std::mem::swap(&mut sequencer.original, &mut sequencer.block);
        } else {
            sequencer.original.clear();
        }
        sequencer.block.clear();
        sequencer.block.extend_from_slice(text);
        match previous {
            Some(previous) if !continues && self.hits > 0 => {
                sequencer.lose(previous);
                Err(Fault::broken(
                    format!(
                        "a data line, though that of line {} was not completed",
                        previous.line
                    ),
                    "`Hit callback for …` behind each data line",
                    "a line is missing: record the trace again, or use --lossy to skip the operation",
                ))
            }
            _ => Ok(()),
        }
    }

    /// `Hit callback for …`.
    pub(crate) fn hit(
        &mut self,
        at: usize,
        command: Command,
        address: u64,
        tick: Option<u64>,
        line: u64,
        sink: &mut Sink<'_>,
    ) -> Result<(), Fault> {
        self.settle(at, None, sink);
        let sequencer = &mut self.all[at];
        let data = sequencer.data.take();
        if command == Command::MemSync {
            return Ok(());
        }
        self.hits += 1;
        sequencer.hits += 1;
        let request = sequencer.fifo.pop(address);
        if let Some(request) = &request {
            sequencer.outstanding -= u64::from(request.counts);
        }
        let completed = self.complete(at, request, command, address, tick, line, data);
        if completed.is_err() && command.writes() {
            self.all[at].lost.push(Unfinished {
                thread: 0,
                address,
                writes: true,
                issued: None,
                line: Some(line),
            });
        }
        let Some(completed) = completed? else {
            return Ok(());
        };
        self.all[at].last = Some(completed);
        Ok(())
    }

    /// What a completion means, before its size is known.
    #[allow(clippy::too_many_arguments)]
    fn complete(
        &mut self,
        at: usize,
        request: Option<Request>,
        command: Command,
        address: u64,
        tick: Option<u64>,
        line: u64,
        data: Option<Data>,
    ) -> Result<Option<Completed>, Fault> {
        let Some(request) = request else {
            self.unmatched += 1;
            return Err(Fault::broken(
                format!(
                    "a completion of {} {address:#x} without a request",
                    command.name()
                ),
                "`Request … issued` for it on a line before",
                "if the trace was recorded with --debug-start, begin earlier, or use --lossy to skip \
                 such completions",
            ));
        };
        if request.command != command {
            return Err(Fault::broken(
                format!("a completion of {} {address:#x}", command.name()),
                format!(
                    "one of {}, requested at line {}",
                    request.command.name(),
                    request.line
                ),
                "the trace is damaged: record it again, or use --lossy to skip the operation",
            ));
        }
        let effect = effect(&request, data.map(|data| data.kind))?;
        let mut completed = Completed {
            request,
            effect,
            line: data.map_or(line, |data| data.line),
            tick,
            offset: 0,
            available: 8,
            old: None,
            new: None,
        };
        if effect == Effect::DataMissing {
            self.without_data(at, line, command);
            return Ok(None);
        }
        if let Some(data) = data
            && effect != Effect::Prefetch
        {
            self.read_block(at, data.kind, &mut completed)?;
        }
        Ok(Some(completed))
    }

    fn without_data(&mut self, at: usize, line: u64, command: Command) {
        let sequencer = &mut self.all[at];
        if sequencer.dataless == 0 {
            sequencer.first_dataless = line;
        }
        sequencer.dataless += 1;
        sequencer.dataless_writes += u64::from(command.writes());
    }

    /// Reads the bytes of an access off its block.
    fn read_block(
        &mut self,
        at: usize,
        kind: DataKind,
        completed: &mut Completed,
    ) -> Result<(), Fault> {
        let sequencer = &self.all[at];
        let length = block::length(&sequencer.block);
        let expected = *self.block_size.get_or_insert(length);
        let wrong = |found: String, expected: String| {
            let hint =
                "the trace is damaged: record it again, or use --lossy to skip the operation";
            Fault::broken(found, expected, hint)
        };
        if length != expected || !length.is_power_of_two() {
            return Err(wrong(
                format!(
                    "a completion whose data block (line {}) has {length} bytes",
                    completed.line
                ),
                format!("{expected} bytes as in the blocks before, a power of two"),
            ));
        }
        completed.offset = (completed.request.address % length as u64) as usize;
        let count = (length - completed.offset).min(8);
        completed.available = count as u8;
        let value = |text: &[u8]| {
            block::value(text, completed.offset, count).ok_or_else(|| {
                wrong(
                    format!(
                        "a completion whose data block (line {}) is malformed",
                        completed.line
                    ),
                    "`[ ` and for each byte `0x`, one or two digits and a space".to_owned(),
                )
            })
        };
        let shown = Some(value(&sequencer.block)?);
        let original = match sequencer.original.is_empty() {
            true => None,
            false => Some(value(&sequencer.original)?),
        };
        (completed.old, completed.new) = match kind {
            DataKind::Read | DataKind::AtomicReturn | DataKind::AmoOriginal => (shown, None),
            DataKind::Set | DataKind::Swap => (None, shown),
            DataKind::AmoNew => (original, shown),
            DataKind::AtomicNoReturn => (None, None),
        };
        Ok(())
    }

    /// A response of `size` bytes: it belongs to the operation that completed last.
    pub(crate) fn response(
        &mut self,
        at: usize,
        address: u64,
        size: u64,
        sink: &mut Sink<'_>,
    ) -> Result<(), Fault> {
        let block = self.block_size.unwrap_or(64) as u64;
        let Some(last) = &self.all[at].last else {
            return Ok(());
        };
        if last.request.address != address {
            return Ok(());
        }
        if size == 0 {
            self.settle(at, None, sink);
            return Ok(());
        }
        if size > block - last.offset as u64 % block {
            return Err(Fault::broken(
                format!("a response of {size} bytes at {address:#x}"),
                format!("one that ends in its block of {block} bytes"),
                "the trace is damaged: record it again, or use --lossy to skip the line",
            ));
        }
        self.settle(at, Some(size), sink);
        Ok(())
    }

    /// Turns the operation that completed last into operations of a history.
    fn settle(&mut self, at: usize, size: Option<u64>, sink: &mut Sink<'_>) {
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
        let before = match sequencer.original.is_empty() {
            true => &sequencer.block,
            false => &sequencer.original,
        };
        let values = completed.values(size, before, &sequencer.block);
        self.split |= !values.more.is_empty();
        match completed.effect {
            Effect::Operation(kind) => self.emit(at, &completed, kind, size, &values, sink),
            Effect::Atomic => {
                self.emit(at, &completed, atomic_kind(&values), size, &values, sink);
            }
            Effect::LockedRead => {
                let half = Half {
                    completed,
                    size,
                    values,
                };
                if let Some(alone) = self.all[at].half.replace(half) {
                    self.emit_half(at, &alone, sink);
                }
            }
            Effect::LockedWrite => self.locked_write(at, &completed, size, values, sink),
            Effect::FailedStoreConditional => counts.failed_store_conditionals += 1,
            Effect::Prefetch => counts.prefetches += 1,
            Effect::Flush => counts.flushes += 1,
            Effect::Other => counts.other_requests += 1,
            Effect::DataMissing => {}
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

    /// A read half whose write half never came reads, and orders like a read-modify-write.
    fn emit_half(&mut self, at: usize, half: &Half, sink: &mut Sink<'_>) {
        self.emit(
            at,
            &half.completed,
            Kind::FailedCas,
            half.size,
            &half.values,
            sink,
        );
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
    fn bind(&mut self, at: usize, version: u32, sink: &mut Sink<'_>) -> Result<(), Fault> {
        let sequencer = &mut self.all[at];
        match sequencer.version {
            Some(known) if self.by_version.get(&version) == Some(&at) || known == version => {
                return Ok(());
            }
            Some(known) if !self.shared_versions => {
                return Err(Fault::broken(
                    format!("a request of {} with version {version}", sequencer.path),
                    format!("version {known} as before"),
                    "lines are missing or two traces are mixed: record the trace again, or use --lossy",
                ));
            }
            Some(_) => return Ok(()),
            None => {}
        }
        self.label(at, version, sink);
        Ok(())
    }

    /// Names a sequencer's thread, `version` if that is free.
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

    /// The end of the trace: completes what waits, and returns what will never complete, in the
    /// order in which it was requested.
    pub(crate) fn finish(&mut self, sink: &mut Sink<'_>) -> Vec<Unfinished> {
        for at in 0..self.all.len() {
            self.settle(at, None, sink);
            if self.all[at].version.is_none() && !self.all[at].unbound.is_empty() {
                let number = trailing_number(&self.all[at].path);
                self.label(at, number, sink);
            }
        }
        let mut left: Vec<(u64, Unfinished)> = Vec::new();
        for sequencer in &mut self.all {
            let thread = sequencer.version.unwrap_or(0);
            for mut lost in sequencer.lost.drain(..) {
                lost.thread = thread;
                left.push((u64::MAX, lost));
            }
            if let Some(half) = sequencer.half.take() {
                left.push(unfinished(&half.completed.request, thread));
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
        left.into_iter().map(|(_, request)| request).collect()
    }

    /// The first data line whose completion never came.
    pub(crate) fn abandoned(&self) -> Option<u64> {
        self.all
            .iter()
            .filter_map(|sequencer| sequencer.data.map(|data| data.line))
            .min()
    }

    /// Number of sequencers that accepted or completed something.
    pub(crate) fn active(&self) -> u64 {
        let is_active = |s: &&Sequencer| s.version.is_some() || s.hits > 0 || s.data_lines > 0;
        self.all.iter().filter(is_active).count() as u64
    }

    /// Requests accepted.
    pub(crate) fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Sequencers with completions that should have had data and had none.
    pub(crate) fn silent(&self) -> impl Iterator<Item = Silent<'_>> {
        self.all
            .iter()
            .filter(|sequencer| sequencer.dataless > 0)
            .map(|sequencer| Silent {
                path: &sequencer.path,
                bound: sequencer.version.is_some(),
                line: sequencer.first_dataless,
                requests: sequencer.dataless,
                writes: sequencer.dataless_writes,
            })
    }
}

fn unfinished(request: &Request, thread: u32) -> (u64, Unfinished) {
    let unfinished = Unfinished {
        thread,
        address: request.address,
        writes: request.command.writes(),
        issued: request.issued,
        line: Some(request.line),
    };
    (request.sequence, unfinished)
}

/// The number that the last numbered part of an object's path ends with.
pub(crate) fn trailing_number(path: &str) -> u32 {
    path.rsplit('.')
        .map(|part| part.trim_start_matches(|c: char| !c.is_ascii_digit()))
        .find_map(|digits| digits.parse().ok())
        .unwrap_or(0)
}
