//! [`Requirements`]: the operations that must be kept with an operation, so that leaving out the others never
//! causes a violation.
//!
//! - All parts of a split access: they are performed by one operation.
//! - The source of a read, even if it completes later: a load may be served from its own thread's store
//!   buffer, or by a write that memory has performed and whose completion the trace shows late or
//!   never. Without its source the read would return a value that no write has. If a value was written
//!   several times and the source is not known, all writes of the value: the fewer candidates, the more
//!   is forced.
//! - For a store-conditional, the last load-linked or write of its thread to its location before it. That is
//!   its load-linked, with which it forms a constraint; or, if the thread wrote in between, the write because
//!   of which it has none. Without it the store-conditional would be paired with an earlier load-linked
//!   ([`History::linked_load`]). For the models that pair across writes of the same thread
//!   ([`Model::pairs_across_own_writes`]) only store-conditionals count as writes here, since no other
//!   write ends a reservation ([`History::linked_load_across_writes`]).
//! - Under a weak model for a read, the last write of its thread to its location before it: rules of
//!   preserved program order ask which one that is ([`memory::weak`]).
//!
//! These operations have requirements in turn. A read-modify-write is one event, which is kept or not.
//!
//! # Why leaving out operations causes no violation
//!
//! *SC, TSO, PSO.* Take a run of the machine that performs the whole history, and leave out the steps of
//! all operations outside of a set that is closed as above. Buffers hold fewer stores, so an operation that
//! waits for an empty buffer, or for older stores, waits no longer than before. A read found its source in
//! its thread's buffer as the newest store to the location, or in memory as its last write; the source is
//! still there, and no write was added in between. Reads of the initial value found a location that had
//! not been written. For a store-conditional with a constraint, the source of its load-linked is still
//! there, and no other write is between them; a store-conditional without one still has none. So the rest
//! is a run as well.
//!
//! *Weak models.* Take the memory order of the whole history, and leave out the operations outside of
//! such a set. The values stay right for the same reason. Every rule of preserved program order that
//! holds for two of the remaining operations held before: fences and dependencies are fewer, and the last
//! write of the location by a thread before a read is still there; if a thread wrote a location between two of its reads, so is
//! the last of those writes.
//!
//! *The criteria.* Everything they derive (saturation, `co`, `cf`, `hb_o`, `pww`, `wpww`, `rw`) follows
//! from program order, preserved program order and reads-from by rules whose only negative premise is that
//! two operations differ. Between the remaining operations these three relations are the same as before, or
//! smaller: two operations may have been ordered only through a third, such as a fence, that was left out.
//! So less is derived, and any cycle in it existed before.
//!
//! *Values.* Reads-from is determined for the whole history ([`ReadsFrom::restrict`]), so a thin-air read is
//! one in every part that has it, and no other read becomes one. A read with an unknown value is
//! unconstrained in every part. A final value is kept in the parts that have every write of it, if all
//! writes of its location have known values ([`History::restrict`]): its write is the last one among
//! fewer, too. A final value without a write is kept only in the whole history.

use history::{History, Kind, OpId, ReadSource, ReadsFrom};
use memory::Model;
use rustc_hash::FxHashMap;

use crate::engine::csr::Csr;

/// The operations that each operation of a history requires: a part that has it must have them too.
#[derive(Debug)]
pub struct Requirements<'a> {
    history: &'a History,
    reads_from: &'a ReadsFrom,
    /// By location and value, its writes, if reads have several candidates.
    candidates: FxHashMap<(u32, u64), Vec<OpId>>,
    /// By store-conditional, the last load-linked or write before it; under a weak model also by read, the
    /// last write of the location by its thread.
    before: FxHashMap<OpId, OpId>,
}

impl<'a> Requirements<'a> {
    /// Finds the requirements of a history. Cost: linear.
    pub fn of(history: &'a History, reads_from: &'a ReadsFrom, model: Model) -> Requirements<'a> {
        Requirements {
            history,
            reads_from,
            candidates: candidates(history, reads_from),
            before: before(history, model),
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

    /// For each operation, those that require it and are left out with it. Cost: linear in the
    /// requirements.
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

fn before(history: &History, model: Model) -> FxHashMap<OpId, OpId> {
    let mut found = FxHashMap::default();
    for thread in 0..history.threads().len() {
        let mut ends_pairs: FxHashMap<Option<u32>, OpId> = FxHashMap::default();
        let mut last_write: FxHashMap<Option<u32>, OpId> = FxHashMap::default();
        for op in history.thread_ops(thread) {
            let (kind, location) = (history.kind(op), history.location(op));
            if let (true, true, Some(&write)) =
                (model.is_weak(), kind.reads(), last_write.get(&location))
            {
                found.insert(op, write);
            }
            if kind.writes() {
                last_write.insert(location, op);
            }
            let is_own_write = kind.writes() && !model.pairs_across_own_writes();
            if !is_own_write && !matches!(kind, Kind::LoadLinked | Kind::StoreConditional) {
                continue;
            }
            let before = ends_pairs.insert(location, op);
            if let Some(before) = before.filter(|_| kind == Kind::StoreConditional) {
                found.insert(op, before);
            }
        }
    }
    found
}
