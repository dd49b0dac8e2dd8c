//! What an operation takes along where some operations of a history are kept, so that leaving out the
//! others never makes a violation.
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

use crate::engine::csr::Csr;

/// The operations that each operation of a history requires: they are kept where it is kept.
#[derive(Debug)]
pub struct Requirements<'a> {
    history: &'a History,
    reads_from: &'a ReadsFrom,
    /// By location and value its writes, where reads have several candidates.
    candidates: FxHashMap<(u32, u64), Vec<OpId>>,
    /// By store-conditional the last load-linked or write before it.
    before: FxHashMap<OpId, OpId>,
}

impl<'a> Requirements<'a> {
    /// Finds the requirements of a history. Cost: linear.
    pub fn of(history: &'a History, reads_from: &'a ReadsFrom) -> Requirements<'a> {
        Requirements {
            history,
            reads_from,
            candidates: candidates(history, reads_from),
            before: before_conditionals(history),
        }
    }

    /// Appends the operations that an operation requires directly.
    pub fn needs(&self, op: OpId, needed: &mut Vec<OpId>) {
        self.parts(op, needed);
        match self.reads_from.source(op) {
            Some(ReadSource::Write(write)) => needed.push(write),
            Some(ReadSource::Ambiguous) => {
                let read = self.history.location(op).zip(self.history.read(op));
                let writes = read.and_then(|read| self.candidates.get(&read));
                needed.extend(writes.into_iter().flatten());
            }
            _ => {}
        }
        needed.extend(self.before.get(&op));
    }

    /// For each operation, those that require it: they are left out where it is left out. Cost: linear in the requirements.
    pub fn dependents(&self) -> Csr {
        let mut pairs = Vec::new();
        let mut needed = Vec::new();
        for op in self.history.ops() {
            self.needs(op, &mut needed);
            pairs.extend(needed.drain(..).map(|it| (it.0, op.0)));
        }
        Csr::new(self.history.len(), pairs.iter().copied())
    }

    /// The parts of a split access next to this one.
    fn parts(&self, op: OpId, needed: &mut Vec<OpId>) {
        if self.history.continues(op) {
            needed.push(OpId(op.0 - 1));
        }
        let next = OpId(op.0 + 1);
        if next.at() < self.history.len() && self.history.continues(next) {
            needed.push(next);
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
