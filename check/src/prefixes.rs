//! The beginnings of a history: what of it had completed when the first so many operations had.
//!
//! The operations of a history are sorted by the trace's order of completions
//! ([`History::order`]), as the trace has them: a split access counts once, and so does a fence. The
//! n-th prefix has the first n of them, and what they *take along*. A prefix must promise two things,
//! for every model and criterion: what a whole history satisfies all its prefixes satisfy (to leave
//! operations out never makes a violation), and what violates in one prefix violates in every longer
//! one. The second follows from the first, since a prefix is also one of any longer prefix.
//!
//! # What has no place
//!
//! The order may leave operations out. A write without a place was not seen to reach memory: it comes
//! last, as [`History::order`] says. Anything else without a place, such as a fence of which a trace
//! shows no completion, has completed at the latest when something after it in its thread has; it comes
//! right before the first such operation, or last if there is none. Ties are broken by thread and
//! program order.
//!
//! # What is taken along
//!
//! - All parts of a split access: they are performed by one operation.
//! - The source of a read, which may complete later: a load is served from its own thread's store
//!   buffer, or by a write that memory has performed and whose completion the trace shows late or
//!   never. Without its source the read would return the value of nobody. Where a value was written
//!   several times and the source is not known, all writes of the value: the fewer candidates, the more
//!   is forced.
//! - For a store-conditional, the last load-linked or write of its thread to its location before it.
//!   That is its load-linked, with which it makes a constraint; or, if the thread wrote in between, the
//!   write because of which it has none. Without it the store-conditional would belong to an earlier
//!   load-linked ([`History::linked_load`]), or to one that was broken off.
//!
//! What is taken along takes along in turn. A read-modify-write is one event, which is there or not;
//! if only its first half has been performed it is a read (a failed compare-and-swap) in the history
//! already.
//!
//! # Why to leave operations out makes no violation
//!
//! *SC, TSO, PSO.* Take a run of the machine that performs the whole history, and leave out the steps of
//! all operations but a set that is closed as above. Buffers hold fewer stores, so that whatever waits
//! for an empty buffer, or for older stores, waits no longer. A read found its source in its thread's
//! buffer as the newest store to the location, or in memory as its last write; the source is still
//! there, and nothing that came between has been added. Reads of the initial value found a location
//! that nobody had written. For a store-conditional with a constraint, the source of its load-linked is
//! still there, and no other write is between them; without one, it has none now. So the rest is a run
//! as well.
//!
//! *The criteria.* Everything they derive (saturation, `co`, `cf`, `hb_o`, `pww`, `wpww`, `rw`) follows
//! from program order, preserved program order and reads-from by rules that have no negative
//! premises but that two operations differ. Between the operations that are left these three relations are
//! what they were, or less: two operations that were kept in order only by a third that is gone (a fence)
//! are not any more. So less is derived, and a cycle in it was there before.
//!
//! *Values.* Where reads come from is settled for the whole history ([`ReadsFrom::restrict`]), so that a
//! read of a value that nobody writes is a thin-air read in every prefix that has it, and no other
//! is. A read about whose value nothing is known is free in all of them. A final value counts from the
//! prefix on that has every write of it, if all writes of its location show their values
//! ([`History::restrict`]): that write is the last one of fewer, too. A final value that nobody writes
//! counts in the whole history only.

use history::{History, Kind, OpId, ReadSource, ReadsFrom};
use rustc_hash::FxHashMap;

/// The prefixes of a history. Memory: 8 bytes an operation.
#[derive(Debug)]
pub struct Prefixes<'a> {
    history: &'a History,
    reads_from: &'a ReadsFrom,
    /// The operations in the order of completions; of a split access the first part.
    sequence: Vec<OpId>,
    /// By operation, the length of the first prefix that has it.
    since: Vec<u32>,
}

/// The beginning of a history.
#[derive(Clone, Debug)]
pub struct Prefix {
    /// What of the history it has.
    pub history: History,
    /// Where that reads from.
    pub reads_from: ReadsFrom,
    /// What each of its operations is in the whole history.
    pub kept: Vec<OpId>,
}

/// What no prefix has yet.
const NEVER: u32 = u32::MAX;

impl<'a> Prefixes<'a> {
    /// The prefixes of a history; none if the trace does not show the order of completions. Cost:
    /// sorting, then linear.
    pub fn of(history: &'a History, reads_from: &'a ReadsFrom) -> Option<Prefixes<'a>> {
        if !history.has_order() {
            return None;
        }
        let sequence = sequence(history);
        let mut along = Along::of(history, reads_from);
        let mut since = vec![NEVER; history.len()];
        for (length, &op) in (1..).zip(&sequence) {
            along.add(op, length, &mut since);
        }
        Some(Prefixes {
            history,
            reads_from,
            sequence,
            since,
        })
    }

    /// The length of the longest prefix, which is the whole history.
    pub fn longest(&self) -> usize {
        self.sequence.len()
    }

    /// The operation that completes the prefix of a length from 1 on.
    pub fn last(&self, length: usize) -> Option<OpId> {
        self.sequence.get(length.checked_sub(1)?).copied()
    }

    /// The prefix of a length. Cost: linear in the whole history.
    pub fn prefix(&self, length: usize) -> Prefix {
        if length >= self.longest() {
            return Prefix {
                history: self.history.clone(),
                reads_from: self.reads_from.clone(),
                kept: self.history.ops().collect(),
            };
        }
        let has = |op: OpId| self.since[op.at()] as usize <= length;
        let (history, kept) = self.history.restrict(has);
        let reads_from = self.reads_from.restrict(&kept);
        Prefix {
            history,
            reads_from,
            kept,
        }
    }
}

/// The operations as the trace has them, by when they completed.
fn sequence(history: &History) -> Vec<OpId> {
    let mut places = vec![u64::MAX; history.len()];
    for thread in 0..history.threads().len() {
        // The first completion of what comes later in the thread.
        let mut later = u64::MAX;
        for op in history.thread_ops(thread).rev() {
            let place = match history.order(op) {
                Some(place) => u64::from(place),
                None if history.kind(op).writes() => u64::MAX,
                None => later,
            };
            places[op.at()] = place;
            later = later.min(place);
        }
    }
    let whole = history.ops().filter(|&op| !history.continues(op));
    let mut sequence: Vec<OpId> = whole.collect();
    sequence.sort_by_key(|op| places[op.at()]);
    sequence
}

/// What operations take along.
struct Along<'a> {
    history: &'a History,
    reads_from: &'a ReadsFrom,
    /// By location and value its writes, where reads have several candidates.
    candidates: FxHashMap<(u32, u64), Vec<OpId>>,
    /// By store-conditional the last load-linked or write before it.
    before: FxHashMap<OpId, OpId>,
    /// What is to be added.
    open: Vec<OpId>,
}

impl<'a> Along<'a> {
    fn of(history: &'a History, reads_from: &'a ReadsFrom) -> Along<'a> {
        Along {
            history,
            reads_from,
            candidates: candidates(history, reads_from),
            before: before_conditionals(history),
            open: Vec::new(),
        }
    }

    /// Adds an operation with all that it takes along and that no shorter prefix has.
    fn add(&mut self, op: OpId, length: u32, since: &mut [u32]) {
        self.open.push(op);
        while let Some(op) = self.open.pop() {
            if since[op.at()] == NEVER {
                since[op.at()] = length;
                self.take(op);
            }
        }
    }

    /// Notes what an operation takes along.
    fn take(&mut self, op: OpId) {
        self.take_parts(op);
        match self.reads_from.source(op) {
            Some(ReadSource::Write(write)) => self.open.push(write),
            Some(ReadSource::Ambiguous) => {
                let read = self.history.location(op).zip(self.history.read(op));
                let writes = read.and_then(|read| self.candidates.get(&read));
                self.open.extend(writes.into_iter().flatten());
            }
            _ => {}
        }
        self.open.extend(self.before.get(&op));
    }

    /// The parts of a split access next to this one.
    fn take_parts(&mut self, op: OpId) {
        if self.history.continues(op) {
            self.open.push(OpId(op.0 - 1));
        }
        let next = OpId(op.0 + 1);
        if next.at() < self.history.len() && self.history.continues(next) {
            self.open.push(next);
        }
    }
}

fn candidates(history: &History, reads_from: &ReadsFrom) -> FxHashMap<(u32, u64), Vec<OpId>> {
    let mut candidates: FxHashMap<(u32, u64), Vec<OpId>> = FxHashMap::default();
    if reads_from.ambiguous() == 0 {
        return candidates;
    }
    for op in history.ops() {
        if let Some(write) = history.location(op).zip(history.written(op)) {
            candidates.entry(write).or_default().push(op);
        }
    }
    candidates
}

fn before_conditionals(history: &History) -> FxHashMap<OpId, OpId> {
    let mut found = FxHashMap::default();
    for thread in 0..history.threads().len() {
        let mut latest: FxHashMap<Option<u32>, OpId> = FxHashMap::default();
        for op in history.thread_ops(thread) {
            let (kind, location) = (history.kind(op), history.location(op));
            if !kind.writes() && kind != Kind::LoadLinked {
                continue;
            }
            let before = latest.insert(location, op);
            if let Some(before) = before.filter(|_| kind == Kind::StoreConditional) {
                found.insert(op, before);
            }
        }
    }
    found
}
