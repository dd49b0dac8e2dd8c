//! [`Sequencers`]: matches the requests and completions of sequencers, first in, first out.

use history::Unfinished;
use rustc_hash::FxHashMap;

use crate::error::or_lossy;
use crate::gem5::lines::fault::Fault;
use crate::gem5::lines::message::{Command, DataKind};
use crate::gem5::lines::raw::RequestType;
use crate::gem5::readers::block;
use crate::gem5::readers::fifo::Request;
use crate::gem5::readers::interruption::Interruption;
use crate::gem5::readers::operation::{Completed, Effect, effect, effect_without_data};
use crate::gem5::readers::sequencer::{Data, Offer, Port, Sequencer};
use crate::gem5::readers::sink::Sink;

/// All sequencers of a trace.
#[derive(Debug, Default)]
pub(crate) struct Sequencers {
    pub(crate) all: Vec<Sequencer>,
    pub(crate) by_version: FxHashMap<u32, usize>,
    pub(crate) offer: Option<Offer>,
    pub(crate) done: Option<DoneLine>,
    /// The same line, also after the data that it announced.
    answered: Option<DoneLine>,
    pub(crate) accepted: u64,
    pub block_size: Option<usize>,
    pub data_lines: u64,
    pub hits: u64,
    pub unmatched: u64,
    pub overlapping: u64,
    pub refused: u64,
    pub prefetches: u64,
    /// Line of the first data that another data line of its sequencer follows, before any completion.
    pub(crate) first_unanswered: Option<u64>,
    pub shared_versions: bool,
    pub split: bool,
    pub(crate) lossy: Interruption,
}

impl Sequencers {
    /// Adds a sequencer and returns its number.
    pub(crate) fn add(&mut self, path: &str) -> usize {
        self.all.push(Sequencer { path: path.to_owned(), ..Sequencer::default() });
        self.all.len() - 1
    }

    /// For each thread, the position in the order of acceptance below which none of its requests is outstanding.
    pub(crate) fn completed_before(&self) -> Vec<(u32, u64)> {
        let of = |sequencer: &Sequencer| {
            let outstanding = sequencer.fifo.iter().map(|request| request.sequence);
            let last = sequencer.last.as_ref().map(|completed| completed.request.sequence);
            let half = sequencer.half.as_ref().map(|half| half.completed.request.sequence);
            let first = outstanding.chain(last).chain(half).min();
            Some((sequencer.version?, first.unwrap_or(self.accepted)))
        };
        self.all.iter().filter_map(of).collect()
    }

    /// The line of the first completed operation whose size a later line may still show.
    pub(crate) fn first_unresolved(&self) -> Option<u64> {
        let last = self.all.iter().filter_map(|sequencer| sequencer.last.as_ref());
        last.map(|completed| completed.line).min()
    }

    /// Takes in `Timing request`: a CPU offers a packet.
    pub(crate) fn timing(&mut self, sequencer: usize, port: u16, tick: Option<u64>, line: u64) {
        self.all[sequencer].has_offered = true;
        self.offer = Some(Offer { sequencer, port, begin: RequestType::Coalesced, tick, line });
    }

    /// Takes in `Issuing ATOMIC …`: the offered packet is an atomic operation.
    pub(crate) fn atomic(&mut self, returns: bool) {
        if let Some(offer) = &mut self.offer {
            offer.begin =
                if returns { RequestType::AtomicReturn } else { RequestType::AtomicNoReturn };
        }
    }

    /// Takes in `Seq RequestType`: a request enters the protocol.
    pub(crate) fn begin(
        &mut self,
        version: u32,
        address: u64,
        begin: RequestType,
        tick: u64,
        sink: &mut Sink<'_>,
    ) -> Result<(), Fault> {
        (self.done, self.answered) = (None, None);
        // All lines of a request have the same tick, so an older offer is left over from a damaged request.
        let is_now = |offer: &&mut Offer| offer.tick.is_none_or(|offered| offered == tick);
        let Some(offer) = self.offer.as_mut().filter(is_now) else {
            // A coalesced request enters the protocol now.
            if let Some(&at) = self.by_version.get(&version)
                && let Some(request) = self.all[at].fifo.first_mut(address)
                && request.begin == RequestType::Coalesced
            {
                request.begin = begin;
            }
            return Ok(());
        };
        if begin != RequestType::Other || offer.begin == RequestType::Coalesced {
            offer.begin = begin;
        }
        let Offer { sequencer, port, .. } = *offer;
        let ports = &mut self.all[sequencer].ports;
        if ports.len() <= usize::from(port) {
            ports.resize(usize::from(port) + 1, Port::default());
        }
        if begin == RequestType::Fetch {
            ports[usize::from(port)].fetches = true;
        } else {
            ports[usize::from(port)].others = true;
        }
        self.bind(sequencer, version, sink)
    }

    /// Takes in `Seq Done`: the protocol answers a request.
    pub(crate) fn done(&mut self, version: u32, address: u64, is_failed: bool) {
        let sequencer = self.by_version.get(&version).map(|&at| &mut self.all[at]);
        // A request that was coalesced with a prefetch completes after the `Done` of the prefetch, and has another address.
        let is_prefetch = sequencer.is_some_and(|sequencer| sequencer.end_prefetch(address));
        let address = (!is_prefetch).then_some(address);
        self.done = Some(DoneLine { version, address, is_failed });
        self.answered = self.done;
    }

    /// Takes in a request without an address, which is answered by `Unaddressed callback` and not by a completion.
    pub(crate) fn unaddressed(&mut self) {
        (self.done, self.answered) = (None, None);
        if let Some(offer) = &mut self.offer {
            offer.begin = RequestType::Unaddressed;
        }
    }

    /// Takes in a transition, which ends the completion that a `Done` line began.
    pub(crate) fn transition(&mut self) {
        (self.done, self.answered) = (None, None);
    }

    /// Takes in `Request … issued`: a sequencer accepts a request.
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
        let begin = offer.map_or(RequestType::Coalesced, |offer| offer.begin);
        self.prefetches += u64::from(command == Command::Prefetch);
        // Since release 25.1, RubyPort answers a prefetch at once, and its completion shows no more than `Done`, or nothing
        // at all if the line was already requested. So prefetches never wait for a completion here.
        let is_awaited = !matches!(command, Command::MemSync | Command::Prefetch)
            && begin != RequestType::Unaddressed;
        if !is_awaited {
            if command == Command::Prefetch && begin != RequestType::Coalesced {
                self.all[at].note_prefetch(address);
            }
            return;
        }
        let sequencer = &mut self.all[at];
        let counts = sequencer.counts(command, begin, port);
        if self.lossy.is_interrupted && sequencer.fifo.iter().any(|it| it.address == address) {
            sequencer.mixed.push(address);
        }
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

    /// Takes in a request that was not accepted: it was refused, or it goes to a device.
    pub(crate) fn dropped(&mut self, refused: bool) {
        self.refused += u64::from(refused);
        self.offer = None;
    }

    /// Takes in a data line.
    pub(crate) fn data(
        &mut self,
        at: usize,
        kind: DataKind,
        text: &[u8],
        line: u64,
        sink: &mut Sink<'_>,
    ) -> Result<(), Fault> {
        self.data_lines += 1;
        self.resolve_last(at, None, sink);
        let continues_atomic = kind == DataKind::AmoNew;
        if sink.options.lossy && !continues_atomic {
            self.lossy.is_made_up |= self.complete_without_line(at, sink);
            self.all[at].end_hidden_store(false);
        }
        let done = self.done.take();
        if let Some(done) = done
            && self.all[at].version.is_none()
        {
            self.bind(at, done.version, sink)?;
        }
        let sequencer = &mut self.all[at];
        sequencer.data_lines += 1;
        let address = done.and_then(|done| done.address);
        let data = Data { kind, line, address };
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
        if continues_atomic && !continues {
            return Err(Fault::broken(
                "`AMO new data` without the data before the operation",
                "`AMO original data […]` on the line before",
                or_lossy("a line is missing: record the trace again", "skip it"),
            ));
        }
        match previous {
            Some(previous) if !continues && self.hits == 0 => {
                // Whether completions are printed is not known yet.
                self.first_unanswered.get_or_insert(previous.line);
                Ok(())
            }
            Some(previous) if !continues => {
                sequencer.lose(previous);
                self.lossy.lost = Some(previous.line);
                Err(not_completed("a data line", previous.line))
            }
            _ => Ok(()),
        }
    }

    /// Takes in `Hit callback for …`: a request completes.
    pub(crate) fn hit(
        &mut self,
        at: usize,
        command: Command,
        address: u64,
        tick: Option<u64>,
        line: u64,
        sink: &mut Sink<'_>,
    ) -> Result<(), Fault> {
        self.resolve_last(at, None, sink);
        let unanswered = match command.has_data() {
            true => Ok(()),
            false => self.unanswered_data(at, sink),
        };
        self.hit_alone(at, command, address, tick, line, sink).and(unanswered)
    }

    /// The fault of a data line that the completion after it does not belong to, since that one has no data: its own completion
    /// is missing. If damage is skipped, it is made up for where it is certain which request it answers.
    fn unanswered_data(&mut self, at: usize, sink: &mut Sink<'_>) -> Result<(), Fault> {
        if sink.options.lossy {
            self.lossy.is_made_up |= self.complete_without_line(at, sink);
        }
        let sequencer = &mut self.all[at];
        let Some(data) = sequencer.data.take() else { return Ok(()) };
        sequencer.lose(data);
        self.lossy.lost = Some(data.line);
        Err(not_completed("a completion that has no data line", data.line))
    }

    /// Takes in a completion, when it is certain that the last data line, if one is left, is its own.
    fn hit_alone(
        &mut self,
        at: usize,
        command: Command,
        address: u64,
        tick: Option<u64>,
        line: u64,
        sink: &mut Sink<'_>,
    ) -> Result<(), Fault> {
        let sequencer = &mut self.all[at];
        let data = sequencer.data.take();
        if command == Command::MemSync {
            return Ok(());
        }
        self.hits += 1;
        sequencer.hits += 1;
        sequencer.end_hidden_store(command.writes() && data.is_none());
        if command == Command::Prefetch {
            return Ok(());
        }
        let request = sequencer.fifo.pop(address);
        self.lossy.hit(sequencer, request.as_ref(), address);
        if let Some(request) = &request {
            sequencer.outstanding -= u64::from(request.counts);
            let earlier = self
                .block_size
                .and_then(|block| sequencer.fifo.earlier_in_line(request, block as u64));
            if let Some(earlier) = earlier.filter(|_| !sink.options.lossy) {
                return Err(Fault::broken(
                    format!(
                        "a completion of {} {address:#x} before that of {:#x}, requested earlier at line {}",
                        command.name(),
                        earlier.address,
                        earlier.line
                    ),
                    "the requests to one cache line to complete in the order in which they were accepted",
                    or_lossy("a line is missing: record the trace again", "go on"),
                ));
            }
        }
        let completed = if self.all[at].end_mixed(address) {
            Err(mixed_up(command, address))
        } else {
            let loss = (sink.options.lossy, sink.statistics.skipped > 0);
            self.complete(at, request, (command, address), (tick, line), data, loss)
        };
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

    /// Matches a completion with its request, before the size of the access is known. `None` if its data line is
    /// missing.
    fn complete(
        &mut self,
        at: usize,
        request: Option<Request>,
        (command, address): (Command, u64),
        (tick, line): (Option<u64>, u64),
        data: Option<Data>,
        (is_lossy, has_skipped): (bool, bool),
    ) -> Result<Option<Completed>, Fault> {
        let Some(request) = request else {
            self.unmatched += 1;
            self.lossy.is_earlier = !self.lossy.is_interrupted && !self.all[at].has_offered;
            if self.lossy.is_earlier {
                self.all[at].first_earlier.get_or_insert(line);
            }
            return Err(Fault::broken(
                format!("a completion of {} {address:#x} without a request", command.name()),
                "`Request … issued` for it on a line before",
                or_lossy(
                    "if the trace was recorded with --debug-start, begin earlier",
                    "skip such completions",
                ),
            ));
        };
        if request.command != command {
            return Err(Fault::broken(
                format!("a completion of {} {address:#x}", command.name()),
                format!("one of {}, requested at line {}", request.command.name(), request.line),
                or_lossy("the trace is damaged: record it again", "skip the operation"),
            ));
        }
        let mut effect = effect(&request, data.map(|data| data.kind))?;
        if effect == Effect::FailedStoreConditional {
            // If lines were skipped, only `SC_Failed` shows that there was no data line.
            let outcome = self.outcome(at, address);
            let has_data = outcome.unwrap_or(has_skipped);
            effect = if has_data { Effect::DataMissing } else { effect };
        }
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
            let shown = self.all[at].version.and(effect_without_data(command));
            completed.effect = shown.filter(|_| is_lossy).unwrap_or(effect);
            return Ok(Some(self.placed(completed)).filter(|it| it.effect != effect));
        }
        if let Some(data) = data {
            self.read_block(at, data.kind, &mut completed)?;
        }
        Ok(Some(completed))
    }

    /// Whether a store-conditional to an address succeeded, if the line before its completion says so.
    fn outcome(&self, at: usize, address: u64) -> Option<bool> {
        let version = self.all[at].version.filter(|_| !self.shared_versions);
        let of_request =
            |done: &DoneLine| Some(done.version) == version && done.address == Some(address);
        // Where several sequencers seem to have a version, the data may have been taken for that of another one.
        let is_near = |done: &DoneLine| self.shared_versions && done.address == Some(address);
        let line = self.done.filter(of_request).or(self.answered.filter(is_near));
        line.map(|done| !done.is_failed)
    }

    /// A completed operation whose values no line shows, with its place in the block.
    fn placed(&self, completed: Completed) -> Completed {
        let block = self.block_size.unwrap_or(64);
        let offset = (completed.request.address % block as u64) as usize;
        Completed { offset, available: (block - offset).min(8) as u8, ..completed }
    }

    /// Completes the request of a data line whose completion is missing, if it is certain which request that is. The data line shows
    /// all of the operation but its tick. Returns whether it was completed.
    pub(crate) fn complete_without_line(&mut self, at: usize, sink: &mut Sink<'_>) -> bool {
        let sequencer = &mut self.all[at];
        let Some(data) = sequencer.data else {
            return false;
        };
        let is_certain = !self.lossy.is_interrupted;
        let single = sequencer.fifo.single().filter(|_| is_certain).map(|request| request.address);
        let address = data.address.or(single);
        let Some(address) = address.filter(|address| !sequencer.mixed.contains(address)) else {
            return false;
        };
        let Some(request) = sequencer.fifo.first_mut(address).copied() else {
            return false;
        };
        let (command, kind) = (request.command, data.kind);
        let mut completed = Completed {
            effect: match effect(&request, Some(kind)) {
                Ok(effect) => effect,
                Err(_) => return false,
            },
            request,
            line: data.line,
            tick: None,
            offset: 0,
            available: 8,
            old: None,
            new: None,
        };
        if !command.accesses() || self.read_block(at, kind, &mut completed).is_err() {
            return false;
        }
        let sequencer = &mut self.all[at];
        sequencer.fifo.pop(address);
        sequencer.outstanding -= u64::from(request.counts);
        sequencer.data = None;
        sequencer.last = Some(completed);
        self.resolve_last(at, None, sink);
        sink.statistics.skipped += 1;
        true
    }

    /// Completes the requests of data lines before the `last` one whose completions are missing.
    pub(crate) fn complete_without_lines(&mut self, last: u64, sink: &mut Sink<'_>) {
        for at in 0..self.all.len() {
            if self.all[at].data.is_some_and(|data| data.line < last) {
                self.complete_without_line(at, sink);
            }
        }
    }

    fn without_data(&mut self, at: usize, line: u64, command: Command) {
        let sequencer = &mut self.all[at];
        if sequencer.dataless == 0 {
            sequencer.first_dataless = line;
        }
        sequencer.dataless += 1;
        sequencer.dataless_writes += u64::from(command.writes());
        if !matches!(command, Command::Write | Command::StoreCond) {
            sequencer.first_unshown.get_or_insert(line);
        }
    }

    /// Reads the values of an access from its data block.
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
            let hint = or_lossy("the trace is damaged: record it again", "skip the operation");
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
                    format!("a completion whose data block (line {}) is malformed", completed.line),
                    "`[ ` and for each byte `0x`, one or two digits and a space".to_owned(),
                )
            })
        };
        let shown = Some(value(&sequencer.block)?);
        let original =
            if sequencer.original.is_empty() { None } else { Some(value(&sequencer.original)?) };
        (completed.old, completed.new) = match kind {
            DataKind::Read | DataKind::AtomicReturn | DataKind::AmoOriginal => (shown, None),
            DataKind::Set | DataKind::Swap => (None, shown),
            DataKind::AmoNew => (original, shown),
            DataKind::AtomicNoReturn => (None, None),
        };
        Ok(())
    }

    /// Takes in a response of `size` bytes, which shows the size of the operation that completed last.
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
            self.resolve_last(at, None, sink);
            return Ok(());
        }
        if size > block - last.offset as u64 % block {
            return Err(Fault::broken(
                format!("a response of {size} bytes at {address:#x}"),
                format!("one that ends in its block of {block} bytes"),
                or_lossy("the trace is damaged: record it again", "skip the line"),
            ));
        }
        self.resolve_last(at, Some(size), sink);
        Ok(())
    }
}

/// A line `Seq Done` or `Seq SC_Failed`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DoneLine {
    version: u32,
    /// The address, unless a prefetch was answered.
    address: Option<u64>,
    is_failed: bool,
}

/// The fault of a line before which the completion of the data of another line is missing.
fn not_completed(found: &str, data: u64) -> Fault {
    Fault::broken(
        format!("{found}, though that of line {data} was not completed"),
        "`Hit callback for …` after each data line",
        or_lossy("a line is missing: record the trace again", "skip the operation"),
    )
}

/// The fault of a completion of which it is not certain which request it answers, since a line was skipped.
fn mixed_up(command: Command, address: u64) -> Fault {
    Fault::broken(
        format!(
            "a completion of {} {address:#x}, to which there were several requests",
            command.name()
        ),
        "no line that was skipped before",
        "record the trace again",
    )
}
