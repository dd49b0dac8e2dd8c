//! Turns a memory order into a run of the operational machine.
//!
//! A memory order lists events: loads where they read, plain stores where they reach memory. The machine
//! also needs the points at which stores enter their buffers. They do so as late as possible, just before
//! the next operation of their thread or their own commit. Operations that the engines left out (see
//! `projection`) are put back: they execute in program order, and are committed as soon as the model
//! allows. Fences that do not wait themselves but make others wait are treated in the same way, since
//! their position in memory order has no meaning for the machine.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::mpsc::channel;
use std::thread;

use history::{History, OpId};

use super::both::MINIMUM;
use memory::machine::{self, Machine, Step};
use memory::waits::{Oldest, Waits};
use memory::{Buffering, FenceEffect, Model};

/// Number of steps that the machine gets at a time.
const STEPS_AT_A_TIME: usize = 1 << 14;

/// Turns a memory order into a run that the machine accepts, or returns `None`. `order` and `left_out` are as
/// for [`schedule`]. In a long history the machine performs the steps on another thread while later steps are
/// computed. Cost: linear.
pub fn run_of(
    history: &History,
    model: Model,
    order: &[OpId],
    left_out: impl Fn(OpId) -> bool,
) -> Option<Vec<Step>> {
    if order.len() < MINIMUM {
        let steps = schedule(history, model, order, left_out)?;
        return machine::run(history, model, &steps).is_ok().then_some(steps);
    }
    thread::scope(|scope| {
        let (chunks, to_machine) = channel::<Vec<Step>>();
        let machine = scope.spawn(move || {
            let mut machine = Machine::new(history, model);
            let mut steps = to_machine.into_iter().flatten();
            steps.all(|step| machine.step(step).is_ok()) && machine.finish().is_ok()
        });
        let steps = schedule_with(history, model, order, left_out, |steps| {
            // Sending fails only after the machine has refused a step and stopped.
            let _ = chunks.send(steps.to_vec());
        });
        drop(chunks);
        match machine.join() {
            Ok(is_accepted) => steps.filter(|_| is_accepted),
            Err(panic) => resume_unwind(panic),
        }
    })
}

/// Turns a memory order into machine steps. `order` has the events of every operation that
/// `left_out` does not select, each once; the rest is filled in.
///
/// Returns `None` if the order breaks preserved program order, so that it is no memory order. Values are
/// not checked, nor, under PSO, whether a thread's stores to a location are in order; the machine
/// refuses such a run. Cost: linear.
pub fn schedule(
    history: &History,
    model: Model,
    order: &[OpId],
    left_out: impl Fn(OpId) -> bool,
) -> Option<Vec<Step>> {
    schedule_with(history, model, order, left_out, |_| {})
}

/// As [`schedule`]. Calls `made` with all steps, in pieces of at least [`STEPS_AT_A_TIME`] steps but for the
/// last.
fn schedule_with(
    history: &History,
    model: Model,
    order: &[OpId],
    left_out: impl Fn(OpId) -> bool,
    mut made: impl FnMut(&[Step]),
) -> Option<Vec<Step>> {
    let threads = history.threads().len();
    let mut scheduler = Scheduler {
        history,
        model,
        left_out,
        next: (0..threads).map(|thread| history.threads()[thread].first().0).collect(),
        buffers: vec![VecDeque::new(); threads],
        waiting: 0,
        waits: if model.buffers_by_location() { WaitingStores::of(history, model) } else { None },
        steps: Vec::with_capacity(history.len() * 2),
    };
    let mut known = 0;
    for &op in order {
        scheduler.place(op)?;
        if scheduler.steps.len() - known >= STEPS_AT_A_TIME {
            made(&scheduler.steps[known..]);
            known = scheduler.steps.len();
        }
    }
    for thread in 0..threads {
        let end = history.threads()[thread].end();
        scheduler.execute_until(thread, end)?;
    }
    made(&scheduler.steps[known..]);
    let none_waits = |waits: &WaitingStores| waits.left_out.iter().all(VecDeque::is_empty);
    let all_done = scheduler.waiting == 0
        && scheduler.buffers.iter().all(VecDeque::is_empty)
        && scheduler.waits.as_ref().is_none_or(none_waits);
    all_done.then_some(scheduler.steps)
}

struct Scheduler<'h, F> {
    history: &'h History,
    model: Model,
    left_out: F,
    next: Vec<u32>,
    /// For models with one buffer a thread: the stores in each buffer.
    buffers: Vec<VecDeque<OpId>>,
    /// For models with a buffer for each location: the number of stores in buffers, without those that
    /// were left out.
    waiting: usize,
    /// For models with a buffer for each location: the left-out stores that wait for other stores, if any
    /// can.
    waits: Option<WaitingStores>,
    steps: Vec<Step>,
}

/// Left-out stores that wait until other stores have reached memory.
struct WaitingStores {
    waits: Waits,
    oldest: Oldest,
    committed: Vec<bool>,
    /// Per thread, the left-out stores in its buffer, the oldest first. Later stores wait for everything that
    /// earlier ones wait for.
    left_out: Vec<VecDeque<OpId>>,
}

impl WaitingStores {
    fn of(history: &History, model: Model) -> Option<WaitingStores> {
        Some(WaitingStores {
            waits: Waits::of(history, model)?,
            oldest: Oldest::new(history),
            committed: vec![false; history.len()],
            left_out: vec![VecDeque::new(); history.threads().len()],
        })
    }

    /// Records that a store has reached memory.
    fn commit(&mut self, history: &History, thread: usize, op: OpId) {
        self.committed[op.at()] = true;
        let committed = &self.committed;
        let done = |store: OpId| committed[store.at()];
        self.oldest.advance(history, thread, done);
    }

    /// Removes and returns the oldest store of a thread, if it waits no longer.
    fn next(&mut self, thread: usize) -> Option<OpId> {
        let left_out = &mut self.left_out[thread];
        let first = *left_out.front()?;
        let is_free = self.oldest.allows(thread, first, &self.waits);
        is_free.then(|| left_out.pop_front())?
    }
}

impl<F: Fn(OpId) -> bool> Scheduler<'_, F> {
    /// Whether an operation is not in the order, or its position there has no meaning.
    fn is_filled_in(&self, op: OpId) -> bool {
        let effect = self.model.fence_effect(self.history.kind(op));
        let waits_itself =
            !matches!(effect, Some(FenceEffect::StoreLoad | FenceEffect::StoreStore));
        !waits_itself || (self.left_out)(op)
    }

    /// Appends the steps for the next event of the order.
    fn place(&mut self, op: OpId) -> Option<()> {
        if self.is_filled_in(op) {
            return Some(());
        }
        let thread = self.history.thread_of(op);
        let waits_in_buffer = self.model.buffers() && self.history.kind(op).may_be_buffered();
        if waits_in_buffer {
            if self.next[thread] <= op.0 {
                self.execute_until(thread, op)?;
                self.execute(thread, op);
            }
            return self.commit(thread, op);
        }
        self.execute_until(thread, op)?;
        self.execute(thread, op);
        Some(())
    }

    /// Executes the operations of a thread before `end`. They must be stores, which may wait in the
    /// buffer, or operations that are filled in; otherwise the order is no memory order.
    fn execute_until(&mut self, thread: usize, end: OpId) -> Option<()> {
        if self.next[thread] > end.0 {
            return None;
        }
        while self.next[thread] < end.0 {
            let op = OpId(self.next[thread]);
            let may_wait = self.model.buffers() && self.history.kind(op).may_be_buffered();
            if !may_wait && !self.is_filled_in(op) {
                return None;
            }
            self.execute(thread, op);
        }
        Some(())
    }

    fn execute(&mut self, thread: usize, op: OpId) {
        self.steps.push(Step::Execute(op));
        self.next[thread] = op.0 + 1;
        if !self.history.kind(op).may_be_buffered() {
            return;
        }
        match self.model.buffering() {
            Buffering::None => {}
            Buffering::Weak => unreachable!("a weak model has no machine to schedule steps for"),
            Buffering::InOrder => {
                self.buffers[thread].push_back(op);
                self.commit_left_out(thread);
            }
            Buffering::PerLocation if !(self.left_out)(op) => self.waiting += 1,
            Buffering::PerLocation => match &mut self.waits {
                None => self.steps.push(Step::Commit(op)),
                Some(waits) => {
                    waits.left_out[thread].push_back(op);
                    self.commit_waiting(thread);
                }
            },
        }
    }

    /// Commits the left-out stores that wait no longer (PSO).
    fn commit_waiting(&mut self, thread: usize) {
        let Some(waits) = &mut self.waits else {
            return;
        };
        while let Some(store) = waits.next(thread) {
            self.steps.push(Step::Commit(store));
            waits.commit(self.history, thread, store);
        }
    }

    fn commit(&mut self, thread: usize, op: OpId) -> Option<()> {
        if self.model.buffers_by_location() {
            // Each location has a buffer of its own, so the order of a thread's commits is free.
            self.waiting = self.waiting.checked_sub(1)?;
        } else if self.buffers[thread].front() == Some(&op) {
            self.buffers[thread].pop_front();
        } else {
            return None;
        }
        self.steps.push(Step::Commit(op));
        self.commit_left_out(thread);
        if let Some(waits) = &mut self.waits {
            waits.commit(self.history, thread, op);
            self.commit_waiting(thread);
        }
        Some(())
    }

    /// Commits left-out stores while they are the oldest of a first-in first-out buffer.
    fn commit_left_out(&mut self, thread: usize) {
        while let Some(&front) = self.buffers[thread].front()
            && (self.left_out)(front)
        {
            self.buffers[thread].pop_front();
            self.steps.push(Step::Commit(front));
        }
    }
}
