//! The beginnings of a history: what of it had completed when the first so many operations had.
//!
//! The operations of a history are sorted by the trace's order of completions
//! ([`History::order`]), as the trace has them: a split access counts once, and so does a fence. The
//! n-th prefix has the first n of them, and what they take along. A prefix must promise two things,
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
//! What is taken along, and why to leave operations out makes no violation, says [`crate::shrink::closure`].

use history::{History, OpId, ReadsFrom};

use crate::shrink::closure::Requirements;

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
        let requirements = Requirements::of(history, reads_from);
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
        Prefix { history, reads_from, kept }
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

/// Adds an operation with all that it takes along and that no shorter prefix has.
fn add(requirements: &Requirements<'_>, op: OpId, length: u32, since: &mut [u32]) {
    let mut open = vec![op];
    while let Some(op) = open.pop() {
        if since[op.at()] == NEVER {
            since[op.at()] = length;
            requirements.needs(op, &mut open);
        }
    }
}
