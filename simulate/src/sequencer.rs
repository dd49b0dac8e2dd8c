//! The sequencer between a core and its first-level cache.
//!
//! A [`Sequencer`] holds the requests of a core, first in, first out for each cache line. Only the head of a line goes to
//! the protocol; the requests after it are coalesced. When the protocol calls back with the line's block, the head
//! completes, together with others that may complete with the same block.

mod block;
pub mod dma;
mod functional;
mod interface;
mod misuse;
pub mod ruby_type;
mod unaddressed;

use crate::request::{Refusal, Request, RequestKind, Response};
use crate::trace::{Data, Trace};
use block::move_data;
pub use interface::{Config, Effects, Issue, Line};
pub use misuse::Misuse;
use unaddressed::Unaddressed;

/// An accepted request.
#[derive(Clone, Copy, Debug)]
struct Pending {
    request: Request,
    line: u64,
    /// The type that the protocol sees.
    secondary: u32,
    accepted: u64,
    /// Whether it was outstanding when another core's sync arrived, which is answered only after it.
    is_stale: bool,
}

impl Pending {
    /// Whether the protocol sees it as an atomic, which may be performed elsewhere.
    fn is_sent_as_atomic(&self) -> bool {
        matches!(self.secondary, ruby_type::ATOMIC_RETURN | ruby_type::ATOMIC_NO_RETURN)
    }

    fn is_flush(&self) -> bool {
        self.request.kind == RequestKind::Flush
    }

    /// Whether a `writeCallback` completes it.
    fn is_write(&self) -> bool {
        !self.request.kind.is_read() && !self.is_sent_as_atomic()
    }
}

/// The handling of the requests after the head of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Reads complete with the head; the first other request is issued.
    Reads,
    /// All complete with the head.
    All,
    /// The next one is issued.
    Issue,
}

/// The requests of one core.
#[derive(Debug)]
pub struct Sequencer {
    config: Config,
    /// The requests for all lines in the order of acceptance: so few that a linear search is fastest.
    pending: Vec<Pending>,
    /// Whether a request was refused since the last completion.
    refused: bool,
    /// The requests about translations, and the sync of another core that waits for an answer.
    unaddressed: Unaddressed,
}

impl Sequencer {
    /// Creates a sequencer without requests.
    pub fn new(config: Config) -> Sequencer {
        Sequencer {
            config,
            pending: Vec::with_capacity(config.max_outstanding),
            refused: false,
            unaddressed: Unaddressed::default(),
        }
    }

    /// Removes all requests.
    pub fn clear(&mut self) {
        self.pending.clear();
        self.refused = false;
        self.unaddressed.clear();
    }

    /// Adds an outstanding request, as if it had been accepted at tick 0.
    pub fn hold(&mut self, request: Request) {
        self.pending.push(Pending {
            request,
            line: self.line_of(request.address),
            secondary: self.secondary(request.kind),
            accepted: 0,
            is_stale: false,
        });
    }

    /// The oldest outstanding request for a line.
    pub fn head(&self, line: u64) -> Option<Request> {
        let head = self.pending.iter().find(|pending| pending.line == line);
        head.map(|pending| pending.request)
    }

    /// The number among all sequencers.
    pub fn version(&self) -> u32 {
        self.config.version
    }

    /// Number of outstanding requests.
    pub fn outstanding(&self) -> usize {
        self.pending.len()
    }

    /// The line that contains an address.
    pub fn line_of(&self, address: u64) -> u64 {
        address & !(self.config.block_bytes - 1)
    }

    /// Accepts a request. `line_blocked` says whether the controller has blocked its line. Returns the request that
    /// goes to the mandatory queue; `None` if the request was coalesced.
    ///
    /// # Errors
    /// Fails if the request is refused; it has to be made again later.
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
        let secondary = self.secondary(kind);
        let pending = Pending { request, line, secondary, accepted: now, is_stale: false };
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
            RequestKind::LoadLinked if self.config.tells_linked => ruby_type::LOAD_LINKED,
            RequestKind::Load | RequestKind::LoadLinked => ruby_type::LD,
            RequestKind::Ifetch => ruby_type::IFETCH,
            RequestKind::Flush => ruby_type::FLUSH,
            RequestKind::StoreConditional if self.config.tells_conditional => {
                ruby_type::STORE_CONDITIONAL
            }
            RequestKind::Atomic if self.config.sends_atomics => ruby_type::ATOMIC_RETURN,
            RequestKind::AtomicNoReturn if self.config.sends_atomics => ruby_type::ATOMIC_NO_RETURN,
            _ => ruby_type::ST,
        }
    }

    fn issue(&self, pending: &Pending) -> Issue {
        Issue {
            kind: pending.secondary,
            address: pending.request.address,
            line: pending.line,
            size: pending.request.size.into(),
            core: self.config.core,
            swap: pending.is_sent_as_atomic().then_some(pending.request.value),
            transaction: None,
        }
    }

    /// `readCallback`: completes the head of the line and the reads that follow it.
    ///
    /// # Errors
    /// Fails if no request to the line is outstanding, or the oldest is not a read.
    pub fn read_done(
        &mut self,
        line: Line<'_>,
        trace: Option<&mut Trace>,
        effects: &mut Effects,
    ) -> Result<(), Misuse> {
        let is_read = |pending: &Pending| pending.request.kind.is_read();
        self.done("readCallback", line, Rest::Reads, is_read, trace, effects)
    }

    /// `writeCallback`: completes all outstanding requests for the line.
    ///
    /// # Errors
    /// Fails if no request to the line is outstanding, or the oldest is a read or an atomic.
    pub fn write_done(
        &mut self,
        line: Line<'_>,
        trace: Option<&mut Trace>,
        effects: &mut Effects,
    ) -> Result<(), Misuse> {
        self.done("writeCallback", line, Rest::All, Pending::is_write, trace, effects)
    }

    /// `writeUniqueCallback`: completes the head alone.
    ///
    /// # Errors
    /// Fails as [`Sequencer::write_done`] does.
    pub fn write_unique_done(
        &mut self,
        line: Line<'_>,
        trace: Option<&mut Trace>,
        effects: &mut Effects,
    ) -> Result<(), Misuse> {
        self.done("writeUniqueCallback", line, Rest::Issue, Pending::is_write, trace, effects)
    }

    /// `writeCallbackScFail`: like `writeCallback`, but the reservation is lost first.
    ///
    /// So all outstanding requests for the line complete after the failed store-conditional, including stores. gem5's
    /// sequencer (v24.0.0.1) does this: its `writeCallbackScFail` clears the reservation and calls `writeCallback`, which
    /// assumes that the cache may write the line. MESI_Three_Level makes the call in shared states as well, and without
    /// an entry. There, a store after the failed store-conditional is performed in a copy that other caches share, a
    /// fault of gem5 that shows as a violation. Without an entry, gem5 follows a null pointer as soon as a later request
    /// needs data.
    ///
    /// # Errors
    /// Fails as [`Sequencer::write_done`] does, or if there is no block and a later request needs it.
    pub fn write_failed(
        &mut self,
        mut line: Line<'_>,
        trace: Option<&mut Trace>,
        effects: &mut Effects,
    ) -> Result<(), Misuse> {
        if let Some(monitor) = line.monitor.as_deref_mut() {
            *monitor = None;
        }
        self.done("writeCallbackScFail", line, Rest::All, Pending::is_write, trace, effects)
    }

    /// `atomicCallback`: completes the head alone, which is an atomic that was performed elsewhere. The block holds the
    /// old value.
    ///
    /// # Errors
    /// Fails if no request to the line is outstanding, or the oldest is not an atomic.
    pub fn atomic_done(
        &mut self,
        line: Line<'_>,
        trace: Option<&mut Trace>,
        effects: &mut Effects,
    ) -> Result<(), Misuse> {
        let is_atomic = Pending::is_sent_as_atomic;
        self.done("atomicCallback", line, Rest::Issue, is_atomic, trace, effects)
    }

    /// Whether a flush of a line is outstanding.
    pub fn is_flushing(&self, line: u64) -> bool {
        self.pending.iter().any(|one| one.line == line && one.is_flush())
    }

    /// Whether any flush is outstanding.
    pub fn has_flushes(&self) -> bool {
        self.pending.iter().any(Pending::is_flush)
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
            kind: "sequencer",
            version,
            callback,
            line: address,
            head: head.map(|pending| (pending.request.kind, pending.request.address)),
            lacks_block: false,
            unaddressed: None,
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
                Rest::All => !next.is_sent_as_atomic(),
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
        effects.answer = self.answer_sync(line.now, trace);
        Ok(())
    }

    /// Issues a coalesced request to the protocol.
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
        if let Some(trace) = trace.as_deref_mut()
            && request.kind.is_atomic()
            && pending.secondary != ruby_type::ATOMIC_RETURN
        {
            trace.data(line.now, version, Data::AtomicBefore, line.block);
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

    /// Updates the reservation at a completion. Returns whether the request succeeds.
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
        if !kind.is_read()
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
    ///
    /// A request about translations has the id of its transaction for an address.
    pub fn oldest(&self) -> Option<(u64, u64)> {
        let first = self.pending.first().map(|first| (first.accepted, first.request.address));
        [first, self.oldest_unaddressed()].into_iter().flatten().min()
    }

    /// gem5's message about a request that is older than `threshold` ticks, if there is one. Requests about translations may
    /// wait for accesses of all cores, of which there are `cores`.
    pub fn deadlock(&self, now: u64, threshold: u64, cores: u64) -> Option<String> {
        if let Some(message) = self.unaddressed_deadlock(now, threshold.saturating_mul(cores)) {
            return Some(message);
        }
        let first = self.pending.first()?;
        let (accepted, address) = (first.accepted, first.request.address);
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

#[cfg(test)]
mod tests;
