//! Requests without an address: invalidations of TLBs and the syncs that complete them (CHI calls them DVM operations).
//!
//! Each has the id of a transaction instead: the number of the sequencer in the upper half, and a count of such requests, shifted
//! by the bits of a line's offset, in the lower. `unaddressedCallback` completes a request by its id. The same callback tells of
//! the sync of another core. A core answers that when everything that was outstanding when it arrived has completed, since it
//! may have used a translation that is no longer valid: gem5's out-of-order CPU does that, while its TimingSimpleCPU answers at
//! once. As in gem5, such requests don't count among those that fill the sequencer's buffer.

use super::misuse::UnaddressedMisuse;
use super::{Issue, Misuse, Sequencer, ruby_type};
use crate::request::{Refusal, TlbRequest};
use crate::trace::Trace;

/// A request without an address.
#[derive(Clone, Copy, Debug)]
struct Transaction {
    id: u64,
    kind: TlbRequest,
    accepted: u64,
}

/// The requests of one core that have no address, and the sync of another core that it has not answered.
#[derive(Debug, Default)]
pub(super) struct Unaddressed {
    /// Number of requests so far, from which ids are made.
    count: u64,
    pending: Vec<Transaction>,
    /// The id of another core's sync that waits for accesses of this core.
    unanswered: Option<u64>,
}

impl Unaddressed {
    pub(super) fn clear(&mut self) {
        *self = Unaddressed::default();
    }
}

/// The type of a request as protocols see it.
fn ruby_kind(kind: TlbRequest) -> u32 {
    match kind {
        TlbRequest::Invalidate => ruby_type::TLBI,
        TlbRequest::Sync => ruby_type::TLBI_SYNC,
    }
}

impl Sequencer {
    /// Accepts a request about translations, and returns what goes to the mandatory queue.
    ///
    /// # Errors
    /// Fails if the request is refused, as any other, because the buffer of requests with addresses is full.
    pub fn request_unaddressed(
        &mut self,
        now: u64,
        kind: TlbRequest,
        trace: Option<&mut Trace>,
    ) -> Result<Issue, Refusal> {
        let version = self.config.version;
        if self.pending.len() >= self.config.max_outstanding {
            self.refused = true;
            if let Some(trace) = trace {
                trace.unaddressed_refused(now, version, Refusal::BufferFull);
            }
            return Err(Refusal::BufferFull);
        }
        let id = self.next_id();
        self.unaddressed.pending.push(Transaction { id, kind, accepted: now });
        let issue = self.unaddressed_issue(ruby_kind(kind), id);
        if let Some(trace) = trace {
            trace.unaddressed(now, version, ruby_type::name(issue.kind), id, true);
        }
        Ok(issue)
    }

    /// The id of the next request. The count is limited so that ids have 32 bits beside the number of the sequencer.
    fn next_id(&mut self) -> u64 {
        let shift = self.config.block_bytes.trailing_zeros();
        self.unaddressed.count += 1;
        if self.unaddressed.count << shift > u64::from(u32::MAX) {
            self.unaddressed.count = 0;
        }
        u64::from(self.config.version) << 32 | self.unaddressed.count << shift
    }

    fn unaddressed_issue(&self, kind: u32, id: u64) -> Issue {
        Issue {
            kind,
            address: 0,
            line: 0,
            size: 0,
            core: self.config.core,
            swap: None,
            transaction: Some(id),
        }
    }

    /// `unaddressedCallback`: completes the request with an id, or tells of another core's sync. Returns the answer to such a sync
    /// if it goes to the mandatory queue at once.
    ///
    /// # Errors
    /// Fails if no request with the id and of the type is outstanding, or the core has not answered an earlier sync.
    pub fn unaddressed_done(
        &mut self,
        now: u64,
        id: u64,
        kind: u32,
        mut trace: Option<&mut Trace>,
    ) -> Result<Option<Issue>, Misuse> {
        if let Some(trace) = trace.as_deref_mut() {
            trace.unaddressed_callback(now, self.config.version, id, ruby_type::name(kind));
        }
        let requested = match kind {
            ruby_type::TLBI_EXT_SYNC => return self.take_sync(now, id, trace),
            ruby_type::TLBI => TlbRequest::Invalidate,
            ruby_type::TLBI_SYNC => TlbRequest::Sync,
            _ => return Err(self.unaddressed_misuse(id, UnaddressedMisuse::NoSuchType)),
        };
        let pending = &mut self.unaddressed.pending;
        let Some(at) = pending.iter().position(|one| one.id == id) else {
            return Err(self.unaddressed_misuse(id, UnaddressedMisuse::Unknown));
        };
        if pending[at].kind != requested {
            return Err(self.unaddressed_misuse(id, UnaddressedMisuse::OtherType));
        }
        pending.remove(at);
        if let Some(trace) = trace {
            trace.unaddressed_end(now, self.config.version);
            if self.refused {
                trace.retry(now, self.config.version);
            }
        }
        self.refused = false;
        Ok(None)
    }

    /// Takes the sync of another core, which everything that is outstanding now delays.
    fn take_sync(
        &mut self,
        now: u64,
        id: u64,
        mut trace: Option<&mut Trace>,
    ) -> Result<Option<Issue>, Misuse> {
        if self.unaddressed.unanswered.is_some() {
            return Err(self.unaddressed_misuse(id, UnaddressedMisuse::WaitsAlready));
        }
        if let Some(trace) = trace.as_deref_mut() {
            trace.stale_translations(now, self.config.version);
        }
        self.unaddressed.unanswered = Some(id);
        self.pending.iter_mut().for_each(|one| one.is_stale = true);
        Ok(self.answer_sync(now, trace))
    }

    /// The answer to another core's sync, once nothing is left that was outstanding when it arrived.
    pub(super) fn answer_sync(&mut self, now: u64, trace: Option<&mut Trace>) -> Option<Issue> {
        if self.pending.iter().any(|one| one.is_stale) {
            return None;
        }
        let id = self.unaddressed.unanswered.take()?;
        let issue = self.unaddressed_issue(ruby_type::TLBI_EXT_SYNC_COMP, id);
        if let Some(trace) = trace {
            let name = ruby_type::name(issue.kind);
            trace.unaddressed(now, self.config.version, name, id, false);
        }
        Some(issue)
    }

    fn unaddressed_misuse(&self, id: u64, what: UnaddressedMisuse) -> Misuse {
        Misuse {
            kind: "sequencer",
            version: self.config.version,
            callback: "unaddressedCallback",
            line: id,
            head: None,
            unaddressed: Some(what),
            lacks_block: false,
        }
    }

    /// Number of requests without an address that have not completed.
    pub fn outstanding_unaddressed(&self) -> usize {
        self.unaddressed.pending.len()
    }

    /// The oldest request without an address: the tick at which it was accepted, and its id.
    pub(super) fn oldest_unaddressed(&self) -> Option<(u64, u64)> {
        self.unaddressed.pending.first().map(|first| (first.accepted, first.id))
    }

    /// A message about a request without an address that is older than `threshold` ticks, if there is one. gem5's sequencer does not
    /// look for them. A sync is no deadlock as soon as an access would be: syncs of all cores are distributed one after the other, and
    /// each waits for the accesses that are outstanding at any core.
    pub(super) fn unaddressed_deadlock(&self, now: u64, threshold: u64) -> Option<String> {
        let first = self.unaddressed.pending.first()?;
        let age = now.saturating_sub(first.accepted);
        let what = ruby_type::name(ruby_kind(first.kind));
        (age >= threshold).then(|| {
            format!(
                "Possible Deadlock detected. version: {} {what} of id {:#x} has not completed; current time: {now} issue_time: {} \
                 difference: {age}",
                self.config.version, first.id, first.accepted,
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::program::Bytes;
    use crate::request::{Request, RequestKind};
    use crate::sequencer::{Config, Effects, Line};

    use super::*;

    fn sequencer() -> Sequencer {
        Sequencer::new(Config { max_outstanding: 2, ..Config::new(3, 0) })
    }

    fn load(sequencer: &mut Sequencer, address: u64) {
        let request = Request::new(0, RequestKind::Load, Bytes::word(address), 0);
        sequencer.request(0, request, false, None).unwrap();
    }

    fn complete(sequencer: &mut Sequencer, address: u64) -> Option<Issue> {
        let mut effects = Effects::default();
        let line = Line { now: 5, address, block: &mut [0; 8], monitor: None };
        sequencer.read_done(line, None, &mut effects).unwrap();
        effects.answer
    }

    fn message(result: Result<Option<Issue>, Misuse>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn requests_complete_by_their_ids_in_any_order() {
        let mut one = sequencer();
        let first = one.request_unaddressed(0, TlbRequest::Invalidate, None).unwrap();
        let second = one.request_unaddressed(1, TlbRequest::Sync, None).unwrap();
        assert_eq!((first.kind, first.transaction), (ruby_type::TLBI, Some(0x3_0000_0040)));
        assert_eq!((second.kind, second.transaction), (ruby_type::TLBI_SYNC, Some(0x3_0000_0080)));
        assert_eq!((one.outstanding(), one.outstanding_unaddressed()), (0, 2));
        assert_eq!(one.oldest(), Some((0, 0x3_0000_0040)));
        let text = one.deadlock(100, 100, 1).unwrap();
        assert!(text.contains("TLBI of id 0x300000040 has not completed"), "{text}");
        assert_eq!(one.unaddressed_done(5, 0x3_0000_0080, ruby_type::TLBI_SYNC, None), Ok(None));
        assert_eq!(one.unaddressed_done(5, 0x3_0000_0040, ruby_type::TLBI, None), Ok(None));
        assert_eq!(one.outstanding_unaddressed(), 0);
        let third = one.request_unaddressed(6, TlbRequest::Invalidate, None).unwrap();
        assert_eq!(third.transaction, Some(0x3_0000_00c0));
    }

    #[test]
    fn unknown_ids_and_other_types_are_refused() {
        let mut one = sequencer();
        one.request_unaddressed(0, TlbRequest::Invalidate, None).unwrap();
        let other = message(one.unaddressed_done(5, 0x3_0000_0040, ruby_type::TLBI_SYNC, None));
        assert_eq!(
            other,
            "sequencer 3: unaddressedCallback for id 0x300000040: assertion failed: the request with this id is of another type"
        );
        let unknown = message(one.unaddressed_done(5, 0x40, ruby_type::TLBI, None));
        assert!(unknown.contains("id 0x40: assertion failed: no TLB invalidation"), "{unknown}");
        let wrong = message(one.unaddressed_done(5, 0x40, ruby_type::LD, None));
        assert!(wrong.ends_with("panic: unexpected TLBI RubyRequestType"), "{wrong}");
    }

    #[test]
    fn a_sync_may_wait_for_the_accesses_of_all_cores() {
        let mut one = sequencer();
        one.request_unaddressed(7, TlbRequest::Sync, None).unwrap();
        // The syncs of four cores come one after the other, and the last of them waits for accesses once for each.
        assert_eq!(one.deadlock(406, 100, 4), None);
        assert!(one.deadlock(407, 100, 4).unwrap().contains("TLBI_SYNC of id 0x300000040"));
        // An access that is as old is a deadlock.
        load(&mut one, 0x1000);
        assert!(one.deadlock(101, 100, 4).unwrap().contains("request.paddr: 0x1000"));
    }

    #[test]
    fn a_sync_of_another_core_waits_for_what_was_outstanding() {
        let mut one = sequencer();
        let sync = ruby_type::TLBI_EXT_SYNC;
        let answer = one.unaddressed_done(1, 0x40, sync, None).unwrap().unwrap();
        assert_eq!(answer.kind, ruby_type::TLBI_EXT_SYNC_COMP);
        assert_eq!(answer.transaction, Some(0x40));
        load(&mut one, 0x1000);
        one.request_unaddressed(1, TlbRequest::Sync, None).unwrap();
        assert_eq!(one.unaddressed_done(2, 0x80, sync, None), Ok(None));
        let twice = message(one.unaddressed_done(2, 0xc0, sync, None));
        assert!(twice.contains("has not yet answered"), "{twice}");
        load(&mut one, 0x2000);
        let third = one.request_unaddressed(3, TlbRequest::Invalidate, None);
        assert_eq!(third, Err(Refusal::BufferFull));
        // The load that came later delays nothing, and neither does the core's own sync.
        assert_eq!(complete(&mut one, 0x1000).unwrap().transaction, Some(0x80));
        assert_eq!(complete(&mut one, 0x2000), None);
    }
}
