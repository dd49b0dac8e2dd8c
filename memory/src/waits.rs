//! The stores that operations wait for because of weak fences, acquires and releases.
//!
//! [`Waits`] has these stores for each operation, and [`Oldest`] tracks the stores that are still pending in a run.
//! Stores that an operation waits for by its kind alone, such as those before a full fence, are not included: see
//! [`Model::drains_all`] and [`Model::drains_own`].

use history::{History, OpId};

use crate::fence::FenceEffect;
use crate::label::Label;
use crate::model::Model;

/// For each operation, the stores that must have reached memory before the operation takes effect: a
/// store when it reaches memory, any other operation when it executes. Memory: 4 bytes an operation.
#[derive(Debug)]
pub struct Waits {
    /// Per operation, the first one of its thread that it does not wait for: it waits for all plain
    /// stores before that.
    until: Vec<u32>,
}

impl Waits {
    /// The stores that the operations of a history wait for; `None` if no operation waits for any. Cost:
    /// linear.
    pub fn of(history: &History, model: Model) -> Option<Waits> {
        if !model.has_refined(history) {
            return None;
        }
        let mut until = vec![0; history.len()];
        for thread in 0..history.threads().len() {
            // The values of `until` for later reads, acquires and writes of the thread.
            let (mut reads, mut acquires, mut writes) = (0, 0, 0);
            for op in history.thread_ops(thread) {
                let label = Label::of(history, op);
                match model.fence_effect(label.kind) {
                    Some(FenceEffect::StoreLoad) => reads = op.0,
                    Some(FenceEffect::StoreStore) => writes = op.0,
                    Some(FenceEffect::Nothing | FenceEffect::Full) => {}
                    None => {
                        let until = &mut until[op.at()];
                        if label.kind.reads() {
                            *until = reads;
                        }
                        if label.is_ordered_acquire() {
                            *until = acquires.max(*until);
                        }
                        if label.kind.is_ordered_as_write() {
                            *until = writes.max(*until);
                        }
                        if label.is_release_store() {
                            *until = op.0;
                            acquires = op.0 + 1;
                        }
                    }
                }
            }
        }
        Some(Waits { until })
    }

    /// The first operation of the thread that this one does not wait for.
    pub fn until(&self, op: OpId) -> u32 {
        self.until[op.at()]
    }
}

/// The oldest plain store of each thread that has not reached memory, executed or not. All updates of a run
/// together take linear time.
#[derive(Clone, Debug)]
pub struct Oldest {
    /// Per thread, the store; the thread's end if all stores have reached memory.
    stores: Vec<u32>,
}

impl Oldest {
    /// The oldest stores before the first step of a run, when no store has reached memory.
    pub fn new(history: &History) -> Oldest {
        let threads = history.threads().iter();
        let mut oldest = Oldest { stores: threads.map(|thread| thread.first().0).collect() };
        for thread in 0..oldest.stores.len() {
            oldest.advance(history, thread, |_| false);
        }
        oldest
    }

    /// Updates the oldest store of a thread after one of its stores has reached memory; `done` says which
    /// stores have.
    pub fn advance(&mut self, history: &History, thread: usize, done: impl Fn(OpId) -> bool) {
        let end = history.threads()[thread].end().0;
        let at = &mut self.stores[thread];
        while *at < end && (!history.kind(OpId(*at)).may_be_buffered() || done(OpId(*at))) {
            *at += 1;
        }
    }

    /// Whether all stores that an operation waits for have reached memory.
    pub fn allows(&self, thread: usize, op: OpId, waits: &Waits) -> bool {
        self.stores[thread] >= waits.until(op)
    }
}
