//! [`Prefixes`]: the prefixes of a history in the order of completions.
//!
//! The operations of a history are sorted by the trace's order of completions ([`History::order`]); a split
//! access counts once. The n-th prefix has the first n of them, and the operations that these require
//! ([`crate::shrink::closure`]). For every model and criterion, if a history satisfies it, all prefixes do,
//! since leaving out operations never causes a violation. So if a prefix violates it, every longer prefix
//! does.
//!
//! # Operations without a position
//!
//! The order may lack operations. A write without a position was not seen to reach memory, so it comes
//! last, as [`History::order`] says. Any other operation without a position, such as a fence, completed at
//! the latest when a later operation of its thread did; it comes right before the first such operation, or
//! last if there is none. Ties are broken by thread and program order.

use history::{History, OpId, ReadsFrom};
use memory::Model;

use crate::shrink::closure::Requirements;

/// The prefixes of a history. Memory: 8 bytes an operation.
#[derive(Debug)]
pub struct Prefixes<'a> {
    history: &'a History,
    reads_from: &'a ReadsFrom,
    /// The operations in the order of completions; for a split access, its first part.
    sequence: Vec<OpId>,
    /// Per operation, the length of the first prefix that has it.
    since: Vec<u32>,
}

/// A prefix of a history.
#[derive(Clone, Debug)]
pub struct Prefix {
    /// The operations of the prefix, as a history.
    pub history: History,
    /// The reads-from of that history.
    pub reads_from: ReadsFrom,
    /// Per operation of the prefix, the operation of the whole history.
    pub kept: Vec<OpId>,
}

/// Marks an operation that no prefix has yet.
const NEVER: u32 = u32::MAX;

impl<'a> Prefixes<'a> {
    /// The prefixes of a history; `None` if the trace does not show the order of completions. Cost:
    /// sorting, then linear.
    pub fn of(
        history: &'a History,
        reads_from: &'a ReadsFrom,
        model: Model,
    ) -> Option<Prefixes<'a>> {
        if !history.has_order() {
            return None;
        }
        let sequence = sequence(history);
        let requirements = Requirements::of(history, reads_from, model);
        let mut since = vec![NEVER; history.len()];
        for (length, &op) in (1..).zip(&sequence) {
            add(&requirements, op, length, &mut since);
        }
        Some(Prefixes { history, reads_from, sequence, since })
    }

    /// The length of the longest prefix, which is the whole history.
    pub fn longest(&self) -> usize {
        self.sequence.len()
    }

    /// The operation that completes the prefix of this length; `None` for length 0.
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
        Prefix { history, reads_from, kept }
    }
}

/// The operations, split accesses as one, in the order of completions.
fn sequence(history: &History) -> Vec<OpId> {
    let mut places = vec![u64::MAX; history.len()];
    for thread in 0..history.threads().len() {
        // The earliest completion of any later operation of the thread.
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

/// Adds an operation and its requirements to the prefix of a length, unless a shorter prefix has them.
fn add(requirements: &Requirements<'_>, op: OpId, length: u32, since: &mut [u32]) {
    let mut open = vec![op];
    while let Some(op) = open.pop() {
        if since[op.at()] == NEVER {
            since[op.at()] = length;
            requirements.needs(op, &mut open);
        }
    }
}
