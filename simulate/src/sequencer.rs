//! The sequencer between a core and its first-level cache.
//!
//! It keeps the requests of a core, first in, first out for each cache line. Only the head of a
//! line goes to the protocol; those behind it are coalesced. When the protocol calls back with the
//! line's block, the head completes, and with it what may complete with the same block.

use std::fmt;

use crate::request::{Refusal, Request, RequestKind, Response};
use crate::trace::{Data, Trace};

/// Types of requests as protocols see them (`RubyRequestType`), by their numbers.
pub mod ruby_type {
    /// Load.
    pub const LD: u32 = 0;
    /// Store.
    pub const ST: u32 = 1;
    /// Atomic operation performed elsewhere that returns the old value.
    pub const ATOMIC_RETURN: u32 = 3;
    /// Instruction fetch.
    pub const IFETCH: u32 = 5;
    /// Load linked; protocols never see it.
    pub const LOAD_LINKED: u32 = 8;
    /// Store conditional, in the protocols that tell it from a store.
    pub const STORE_CONDITIONAL: u32 = 9;
    /// Flush of a line.
    pub const FLUSH: u32 = 16;

    /// The name that a `Begin` line shows.
    pub fn name(number: u32) -> &'static str {
        match number {
            LD => "LD",
            ST => "ST",
            ATOMIC_RETURN => "ATOMIC_RETURN",
            IFETCH => "IFETCH",
            LOAD_LINKED => "Load_Linked",
            STORE_CONDITIONAL => "Store_Conditional",
            FLUSH => "FLUSH",
            _ => "NULL",
        }
    }
}

/// How a sequencer is set up.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Its number among all sequencers; the thread's number.
    pub version: u32,
    /// Its number among those of its controller, which protocols see as `contextId`.
    pub core: u32,
    /// Bytes of a cache line, a power of two.
    pub block_bytes: u64,
    /// Most requests that may be outstanding, coalesced ones included.
    pub max_outstanding: usize,
    /// Whether the protocol tells a store-conditional from a store (MESI_Three_Level).
    pub tells_conditional: bool,
    /// Whether swaps go to the protocol as atomics, to be performed elsewhere (CHI).
    pub sends_atomics: bool,
}

impl Config {
    /// The usual set-up: 64-byte lines and 16 outstanding requests.
    pub fn new(version: u32, core: u32) -> Config {
        Config {
            version,
            core,
            block_bytes: 64,
            max_outstanding: 16,
            tells_conditional: false,
            sends_atomics: false,
        }
    }
}

/// What goes into the mandatory queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    /// `RubyRequestType`, by number.
    pub kind: u32,
    /// Address of the first byte.
    pub address: u64,
    /// Address of the line.
    pub line: u64,
    /// Number of bytes.
    pub size: u8,
    /// `contextId`.
    pub core: u32,
}

/// What a callback has caused. The caller clears it before and carries it out after.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Answers, in the order in which memory performed the requests; cores get them a tick later.
    pub responses: Vec<Response>,
    /// A coalesced request that goes to the mandatory queue now.
    pub issue: Option<Issue>,
    /// Whether the controller must block the line (true) or unblock it.
    pub lock: Option<bool>,
}

impl Effects {
    /// Forgets everything, and keeps the memory.
    pub fn clear(&mut self) {
        self.responses.clear();
        self.issue = None;
        self.lock = None;
    }
}

/// The line that a callback is about.
#[derive(Debug)]
pub struct Line<'a> {
    /// The present tick.
    pub now: u64,
    /// Address of the line.
    pub address: u64,
    /// The block that the protocol passed, words little-endian; writes go into it. Empty if a
    /// store-conditional fails whose line is not in the cache.
    pub block: &'a mut [u64],
    /// The reservation in the line's entry of the data cache (the sequencer that holds it), if
    /// there is an entry.
    pub monitor: Option<&'a mut Option<u32>>,
}

/// A protocol called a sequencer in a way that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misuse {
    version: u32,
    callback: &'static str,
    line: u64,
    head: Option<(RequestKind, u64)>,
    /// Whether the callback came without a block that the request needs.
    lacks_block: bool,
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Misuse { version, callback, line, .. } = self;
        write!(f, "sequencer {version}: {callback} for line {line:#x}: ")?;
        match self.head {
            None => f.write_str("assertion failed: no request to the line is outstanding"),
            Some((kind, address)) if self.lacks_block => {
                let command = kind.command();
                write!(
                    f,
                    "a null pointer was followed: the line is not in the cache, and {command} {address:#x} needs \
                     its data"
                )
            }
            Some((kind, address)) => {
                let command = kind.command();
                write!(
                    f,
                    "assertion failed: the oldest request is {command} {address:#x}, which it cannot complete"
                )
            }
        }
    }
}

impl std::error::Error for Misuse {}

/// An accepted request.
#[derive(Clone, Copy, Debug)]
struct Pending {
    request: Request,
    line: u64,
    /// The type that the protocol sees.
    secondary: u32,
    accepted: u64,
}

/// How a callback goes on behind the head of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Reads complete with it; the first other request is issued.
    Reads,
    /// All complete with it.
    All,
    /// The next one is issued.
    Issue,
}

/// The requests of one core.
#[derive(Debug)]
pub struct Sequencer {
    config: Config,
    /// All lines' requests in the order of acceptance: so few that searching beats hashing.
    pending: Vec<Pending>,
    /// Whether a request was refused since the last completion.
    refused: bool,
}

impl Sequencer {
    /// A sequencer without requests.
    pub fn new(config: Config) -> Sequencer {
        Sequencer { config, pending: Vec::with_capacity(config.max_outstanding), refused: false }
    }

    /// Forgets all requests.
    pub fn clear(&mut self) {
        self.pending.clear();
        self.refused = false;
    }

    /// Adds a request to those that are outstanding, as if it had been accepted at tick 0.
    pub fn hold(&mut self, request: Request) {
        self.pending.push(Pending {
            request,
            line: self.line_of(request.address),
            secondary: self.secondary(request.kind),
            accepted: 0,
        });
    }

    /// The oldest request that is outstanding for a line.
    pub fn head(&self, line: u64) -> Option<Request> {
        let head = self.pending.iter().find(|pending| pending.line == line);
        head.map(|pending| pending.request)
    }

    /// Its number among all sequencers.
    pub fn version(&self) -> u32 {
        self.config.version
    }

    /// Number of requests that are not completed.
    pub fn outstanding(&self) -> usize {
        self.pending.len()
    }

    /// The line that a byte is in.
    pub fn line_of(&self, address: u64) -> u64 {
        address & !(self.config.block_bytes - 1)
    }

    /// Takes a request in. `line_blocked` says whether the controller has blocked its line.
    /// Returns what goes to the mandatory queue; `None` if the request was coalesced.
    ///
    /// # Errors
    /// If the request is refused, and must be made again later.
    pub fn request(
        &mut self,
        now: u64,
        request: Request,
        line_blocked: bool,
        mut trace: Option<&mut Trace>,
    ) -> Result<Option<Issue>, Refusal> {
        let version = self.config.version;
        let Request { kind, address, .. } = request;
        if let Some(trace) = trace.as_deref_mut() {
            trace.timing_request(now, version, kind, address);
        }
        let refusal = self.refusal(kind, line_blocked);
        if let Some(trace) = trace.as_deref_mut()
            && refusal != Some(Refusal::BufferFull)
        {
            trace.issuing(now, version, kind);
        }
        if let Some(refusal) = refusal {
            self.refused = true;
            if let Some(trace) = trace {
                trace.refused(now, version, kind, address, refusal);
            }
            return Err(refusal);
        }
        let line = self.line_of(address);
        let pending = Pending { request, line, secondary: self.secondary(kind), accepted: now };
        let is_first = !self.pending.iter().any(|other| other.line == line);
        self.pending.push(pending);
        if let Some(trace) = trace {
            if is_first {
                let name = ruby_type::name(pending.secondary);
                trace.begin(now, version, address, line, name);
            }
            trace.issued(now, version, kind, address);
        }
        Ok(is_first.then(|| self.issue(&pending)))
    }

    fn refusal(&self, kind: RequestKind, line_blocked: bool) -> Option<Refusal> {
        if self.pending.len() >= self.config.max_outstanding {
            return Some(Refusal::BufferFull);
        }
        (line_blocked && kind != RequestKind::LockedWrite).then_some(Refusal::Aliased)
    }

    fn secondary(&self, kind: RequestKind) -> u32 {
        match kind {
            RequestKind::Load | RequestKind::LoadLinked => ruby_type::LD,
            RequestKind::Ifetch => ruby_type::IFETCH,
            RequestKind::Flush => ruby_type::FLUSH,
            RequestKind::StoreConditional if self.config.tells_conditional => {
                ruby_type::STORE_CONDITIONAL
            }
            RequestKind::Swap if self.config.sends_atomics => ruby_type::ATOMIC_RETURN,
            _ => ruby_type::ST,
        }
    }

    fn issue(&self, pending: &Pending) -> Issue {
        Issue {
            kind: pending.secondary,
            address: pending.request.address,
            line: pending.line,
            size: pending.request.size,
            core: self.config.core,
        }
    }

    /// `readCallback`: the head of the line and the reads behind it complete.
    ///
    /// # Errors
    /// If no request to the line is outstanding, or the oldest is no read.
    pub fn read_done(
        &mut self,
        line: Line<'_>,
        trace: Option<&mut Trace>,
        effects: &mut Effects,
    ) -> Result<(), Misuse> {
        let is_read = |pending: &Pending| pending.request.kind.is_read();
        self.done("readCallback", line, Rest::Reads, is_read, trace, effects)
    }

    /// `writeCallback`: everything outstanding for the line completes.
    ///
    /// # Errors
    /// If no request to the line is outstanding, or the oldest is a read.
    pub fn write_done(
        &mut self,
        line: Line<'_>,
        trace: Option<&mut Trace>,
        effects: &mut Effects,
    ) -> Result<(), Misuse> {
        let is_write = |pending: &Pending| !pending.request.kind.is_read();
        self.done("writeCallback", line, Rest::All, is_write, trace, effects)
    }

    /// `writeUniqueCallback`: the head completes alone.
    ///
    /// # Errors
    /// As for [`Sequencer::write_done`].
    pub fn write_unique_done(
        &mut self,
        line: Line<'_>,
        trace: Option<&mut Trace>,
        effects: &mut Effects,
    ) -> Result<(), Misuse> {
        let is_write = |pending: &Pending| !pending.request.kind.is_read();
        let name = "writeUniqueCallback";
        self.done(name, line, Rest::Issue, is_write, trace, effects)
    }

    /// `writeCallbackScFail`: as `writeCallback`, with the reservation lost before.
    ///
    /// So everything outstanding for the line completes behind the failed store-conditional, stores
    /// included. gem5's sequencer (v24.0.0.1) does that: its `writeCallbackScFail` clears the
    /// reservation and calls `writeCallback`, which takes any callback of a write for proof that the
    /// cache may write the line. MESI_Three_Level makes the call in shared states too, and without an
    /// entry. There a store behind the failed store-conditional is performed in a copy that other
    /// caches share, a fault of gem5's that shows as a violation; and where there is no entry, gem5
    /// follows a null pointer as soon as a request behind needs data.
    ///
    /// # Errors
    /// As for [`Sequencer::write_done`]; or there is no block, and a request behind needs it.
    pub fn write_failed(
        &mut self,
        mut line: Line<'_>,
        trace: Option<&mut Trace>,
        effects: &mut Effects,
    ) -> Result<(), Misuse> {
        if let Some(monitor) = line.monitor.as_deref_mut() {
            *monitor = None;
        }
        let is_write = |pending: &Pending| !pending.request.kind.is_read();
        let name = "writeCallbackScFail";
        self.done(name, line, Rest::All, is_write, trace, effects)
    }

    /// `atomicCallback`: the head, an atomic that was performed elsewhere, completes alone; the
    /// block is the one from before.
    ///
    /// # Errors
    /// If no request to the line is outstanding, or the oldest is no atomic.
    pub fn atomic_done(
        &mut self,
        line: Line<'_>,
        trace: Option<&mut Trace>,
        effects: &mut Effects,
    ) -> Result<(), Misuse> {
        let is_atomic = |pending: &Pending| pending.secondary == ruby_type::ATOMIC_RETURN;
        let name = "atomicCallback";
        self.done(name, line, Rest::Issue, is_atomic, trace, effects)
    }

    /// Whether this sequencer holds the reservation of a line (`llscCheckMonitor`).
    pub fn holds(&self, monitor: Option<u32>) -> bool {
        monitor == Some(self.config.version)
    }

    fn done(
        &mut self,
        callback: &'static str,
        mut line: Line<'_>,
        rest: Rest,
        fits: impl Fn(&Pending) -> bool,
        mut trace: Option<&mut Trace>,
        effects: &mut Effects,
    ) -> Result<(), Misuse> {
        let (version, address) = (self.config.version, line.address);
        let misuse = |head: Option<&Pending>| Misuse {
            version,
            callback,
            line: address,
            head: head.map(|pending| (pending.request.kind, pending.request.address)),
            lacks_block: false,
        };
        let head = self.pending.iter().position(|p| p.line == line.address);
        let mut at = head.ok_or_else(|| misuse(None))?;
        if !fits(&self.pending[at]) {
            return Err(misuse(Some(&self.pending[at])));
        }
        let mut is_first = true;
        while at < self.pending.len() {
            let next = self.pending[at];
            if next.line != line.address {
                at += 1;
                continue;
            }
            let goes_on = match rest {
                Rest::Reads => next.request.kind.is_read(),
                Rest::All => next.secondary != ruby_type::ATOMIC_RETURN,
                Rest::Issue => false,
            };
            if !is_first && !goes_on {
                self.issue_late(&next, &line, trace.as_deref_mut(), effects);
                break;
            }
            if line.block.is_empty() && next.request.kind.moves_data() {
                return Err(Misuse { lacks_block: true, ..misuse(Some(&next)) });
            }
            self.pending.remove(at);
            self.complete(&next, is_first, &mut line, trace.as_deref_mut(), effects);
            is_first = false;
        }
        Ok(())
    }

    /// Sends a coalesced request to the protocol.
    fn issue_late(
        &self,
        pending: &Pending,
        line: &Line<'_>,
        trace: Option<&mut Trace>,
        effects: &mut Effects,
    ) {
        effects.issue = Some(self.issue(pending));
        if let Some(trace) = trace {
            let name = ruby_type::name(pending.secondary);
            let address = pending.request.address;
            trace.begin(line.now, self.config.version, address, pending.line, name);
        }
    }

    /// Completes one request.
    fn complete(
        &mut self,
        pending: &Pending,
        is_first: bool,
        line: &mut Line<'_>,
        trace: Option<&mut Trace>,
        effects: &mut Effects,
    ) {
        let request = &pending.request;
        let version = self.config.version;
        let mut trace = trace;
        let success = self.settle_monitor(request.kind, line, trace.as_deref_mut());
        match request.kind {
            RequestKind::LockedRead => effects.lock = Some(true),
            RequestKind::LockedWrite => effects.lock = Some(false),
            _ => {}
        }
        if let Some(trace) = trace.as_deref_mut()
            && is_first
        {
            let cycles = line.now - pending.accepted;
            trace.done(line.now, version, request.address, pending.line, cycles, success);
        }
        if request.kind == RequestKind::LoadLinked
            && let Some(monitor) = line.monitor.as_deref_mut()
        {
            *monitor = Some(version);
            if let Some(trace) = trace.as_deref_mut() {
                trace.link(line.now, version, pending.line, "inserting load linked");
            }
        }
        let (value, data) = move_data(pending, success, line);
        if let Some(trace) = trace {
            if let Some(data) = data {
                trace.data(line.now, version, data, line.block);
            }
            trace.hit(line.now, version, request, success);
            if self.refused {
                trace.retry(line.now, version);
            }
        }
        self.refused = false;
        if request.kind.is_answered() {
            effects.responses.push(Response {
                tag: request.tag,
                kind: request.kind,
                address: request.address,
                value,
                success,
            });
        }
    }

    /// What a completion does to the reservation; whether the request succeeds.
    fn settle_monitor(
        &self,
        kind: RequestKind,
        line: &mut Line<'_>,
        trace: Option<&mut Trace>,
    ) -> bool {
        let version = self.config.version;
        if kind == RequestKind::StoreConditional {
            let Some(monitor) = line.monitor.as_deref_mut() else {
                return false;
            };
            if let Some(trace) = trace {
                trace.link(line.now, version, line.address, "clearing due to store conditional");
            }
            return monitor.take() == Some(version);
        }
        let is_write = !kind.is_read() && kind != RequestKind::Flush;
        if is_write
            && let Some(monitor) = line.monitor.as_deref_mut()
            && *monitor == Some(version)
        {
            *monitor = None;
            if let Some(trace) = trace {
                trace.link(line.now, version, line.address, "clearing due to store");
            }
        }
        true
    }

    /// The oldest request: the tick at which it was accepted, and its address.
    pub fn oldest(&self) -> Option<(u64, u64)> {
        let first = self.pending.first()?;
        Some((first.accepted, first.request.address))
    }

    /// gem5's words for a request that is older than `threshold` ticks, if there is one.
    pub fn deadlock(&self, now: u64, threshold: u64) -> Option<String> {
        let (accepted, address) = self.oldest()?;
        let age = now.saturating_sub(accepted);
        (age >= threshold).then(|| {
            format!(
                "Possible Deadlock detected. Aborting! version: {} request.paddr: {address:#x} \
                 m_readRequestTable: {} current time: {now} issue_time: {accepted} difference: {age}",
                self.config.version,
                self.lines(),
            )
        })
    }

    /// Number of lines with requests.
    fn lines(&self) -> usize {
        let is_head = |&(at, pending): &(usize, &Pending)| {
            !self.pending[..at].iter().any(|p| p.line == pending.line)
        };
        self.pending.iter().enumerate().filter(is_head).count()
    }
}

/// Moves the bytes of a request from or to the block; the value read, and what to print.
fn move_data(pending: &Pending, success: bool, line: &mut Line<'_>) -> (u64, Option<Data>) {
    let Request { kind, address, size, value, .. } = pending.request;
    let offset = (address - pending.line) as usize;
    let block = &mut *line.block;
    match kind {
        RequestKind::Load
        | RequestKind::Ifetch
        | RequestKind::LoadLinked
        | RequestKind::LockedRead
        | RequestKind::RmwRead => (load(block, offset, size), Some(Data::Read)),
        RequestKind::Swap if pending.secondary == ruby_type::ATOMIC_RETURN => {
            (load(block, offset, size), Some(Data::AtomicReturn))
        }
        RequestKind::Swap => {
            let old = load(block, offset, size);
            store(block, offset, size, value);
            (old, Some(Data::Swap))
        }
        RequestKind::StoreConditional if !success => (0, None),
        RequestKind::Store | RequestKind::StoreConditional | RequestKind::LockedWrite => {
            store(block, offset, size, value);
            (0, Some(Data::Set))
        }
        RequestKind::Flush => (0, None),
    }
}

/// Reads `size` bytes at a byte offset. Bytes outside of the block are 0.
fn load(block: &[u64], offset: usize, size: u8) -> u64 {
    if size == 8 && offset.is_multiple_of(8) {
        return block.get(offset / 8).copied().unwrap_or(0);
    }
    let byte = |at: usize| block.get(at / 8).map_or(0, |word| word >> (8 * (at % 8)) & 0xff);
    (0..usize::from(size.min(8))).fold(0, |value, at| value | byte(offset + at) << (8 * at))
}

/// Writes `size` bytes at a byte offset. Bytes outside of the block go nowhere.
fn store(block: &mut [u64], offset: usize, size: u8, value: u64) {
    if size == 8 && offset.is_multiple_of(8) {
        if let Some(word) = block.get_mut(offset / 8) {
            *word = value;
        }
        return;
    }
    for at in 0..usize::from(size.min(8)) {
        let shift = 8 * ((offset + at) % 8);
        if let Some(word) = block.get_mut((offset + at) / 8) {
            *word = *word & !(0xff << shift) | (value >> (8 * at) & 0xff) << shift;
        }
    }
}

#[cfg(test)]
mod tests;
