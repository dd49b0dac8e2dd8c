//! Which stores operations wait for because of weak fences, acquires and releases.
//!
//! What a kind waits for by itself (a full fence for all stores of its thread) is not here:
//! [`Model::drains_all`] says that.

use history::{History, OpId};

use crate::fence::FenceEffect;
use crate::label::Label;
use crate::model::Model;

/// Per operation, up to where in its thread all plain stores must have reached memory before the
/// operation may: a store reach memory, anything else execute. Memory: 4 bytes an operation.
#[derive(Debug)]
pub struct Waits {
    until: Vec<u32>,
}

impl Waits {
    /// What the operations of a history wait for; `None` if no operation waits for anything. Cost:
    /// linear.
    pub fn of(history: &History, model: Model) -> Option<Waits> {
        let refined = |op: OpId| model.refines(Label::of(history, op));
        if !model.buffers() || !history.ops().any(refined) {
            return None;
        }
        let mut until = vec![0; history.len()];
        for thread in 0..history.threads().len() {
            // What reads, acquires and writes wait for.
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
                        if label.kind.writes() {
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

    /// The first operation of the thread that need not have reached memory before this one.
    pub fn until(&self, op: OpId) -> u32 {
        self.until[op.at()]
    }
}

/// The oldest plain store of each thread that has not reached memory. All steps of a run together
/// take linear time.
#[derive(Clone, Debug)]
pub struct Oldest {
    /// Per thread; the thread's end if there is none.
    stores: Vec<u32>,
}

impl Oldest {
    /// Before the first step.
    pub fn new(history: &History) -> Oldest {
        let threads = history.threads().iter();
        let mut oldest = Oldest { stores: threads.map(|thread| thread.first().0).collect() };
        for thread in 0..oldest.stores.len() {
            oldest.go_on(history, thread, |_| false);
        }
        oldest
    }

    /// Takes note that a store of a thread has reached memory; `done` says which have.
    pub fn go_on(&mut self, history: &History, thread: usize, done: impl Fn(OpId) -> bool) {
        let end = history.threads()[thread].end().0;
        let at = &mut self.stores[thread];
        while *at < end && (!history.kind(OpId(*at)).may_be_buffered() || done(OpId(*at))) {
            *at += 1;
        }
    }

    /// Whether all that an operation waits for has reached memory.
    pub fn allows(&self, thread: usize, op: OpId, waits: &Waits) -> bool {
        self.stores[thread] >= waits.until(op)
    }
}
