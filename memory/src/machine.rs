//! The operational machine of a memory model (Burnim, Sen & Stergiou 2011, Figs. 1-3).
//!
//! A [`Machine`] executes a history's operations, those of each thread in program order. If the model has
//! store buffers, a plain store first enters its thread's buffer; a later step commits it to memory. Only
//! the oldest store of a buffer can be committed. For the order that weak fences, acquires and releases
//! add, operations wait ([`crate::waits`]). The machine refuses a step that the model does not allow, and
//! one whose value is not the recorded one, so a history is consistent exactly if some sequence of steps
//! executes all of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use history::{History, Kind, OpId};
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use crate::label::Label;
use crate::model::Model;
use crate::waits::{Oldest, Waits};

/// One step of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The next operation of a thread executes. With store buffers, a plain store enters the buffer.
    Execute(OpId),
    /// A buffered store reaches memory.
    Commit(OpId),
}

/// Why a machine refuses a step.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// The operation is not the next of its thread.
    #[error("it is not the next operation of its thread")]
    NotNext,
    /// The store is not in a buffer, or others must be committed before it.
    #[error("the model does not let this store reach memory now")]
    NotCommittable,
    /// The operation waits for stores that are still buffered.
    #[error("it must wait for stores that are still buffered")]
    NotDrained,
    /// The read would return another value than the recorded one: that of this write, or the initial
    /// value (`None`).
    #[error("it would read {}", .0.map_or("the initial value".to_owned(), |op| format!("the value of operation {}", op.0)))]
    WrongValue(Option<OpId>),
    /// The reservation of a store-conditional was lost.
    #[error("another write came between the load-linked and this store-conditional")]
    ReservationLost,
    /// Operations or buffered stores are left at the end.
    #[error("operations or buffered stores are left at the end")]
    Unfinished,
    /// Memory ends with another value than the recorded one.
    #[error("memory ends with another value than the recorded one")]
    WrongFinal,
}

/// A machine in the middle of a run. Memory: 17 bytes an operation, 4 more if weak fences or
/// annotations matter, and a word for each location and thread. A step takes constant time, amortised over a
/// run if weak fences or annotations matter.
#[derive(Clone, Debug)]
pub struct Machine<'h> {
    history: &'h History,
    model: Model,
    /// Per location, whether reads of it may return any value ([`History::hidden_writes`]).
    free: Vec<bool>,
    /// The values written to each location, if reads of other values are not checked.
    seen: Option<FxHashSet<(u32, u64)>>,
    earlier: Arc<EarlierStores>,
    /// The stores that weak fences, acquires and releases make operations wait for, and the oldest
    /// pending store of each thread; `None` if they make no operation wait.
    waits: Option<(Arc<Waits>, Oldest)>,
    state: State,
}

/// For each operation, the plain stores before it in program order that matter to it.
#[derive(Debug)]
struct EarlierStores {
    /// Per operation, the last plain store before it of its thread and location.
    own: Vec<Option<OpId>>,
    /// Per plain store, the store that must be committed before it: the last one before it of its
    /// thread, and of its location if each location has a buffer.
    predecessor: Vec<Option<OpId>>,
}

impl EarlierStores {
    fn new(history: &History, model: Model) -> EarlierStores {
        let none = vec![None; history.len()];
        let mut earlier = EarlierStores { own: none.clone(), predecessor: none };
        let mut own: FxHashMap<u32, OpId> = FxHashMap::default();
        for thread in 0..history.threads().len() {
            own.clear();
            let mut last = None;
            for op in history.thread_ops(thread) {
                let Some(location) = history.location(op) else {
                    continue;
                };
                earlier.own[op.at()] = own.get(&location).copied();
                if history.kind(op).may_be_buffered() {
                    own.insert(location, op);
                    let before = last.replace(op);
                    earlier.predecessor[op.at()] =
                        if model.buffers_by_location() { earlier.own[op.at()] } else { before };
                }
            }
        }
        earlier
    }
}

/// The state of a machine: the next operations, memory, buffers and reservations. Runs that reach the
/// same state can continue in the same ways.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Per thread, the operation that executes next.
    next: Vec<u32>,
    /// Per location, the write whose value memory holds; `None` for the initial value.
    memory: Vec<Option<OpId>>,
    /// Per thread, how many stores are in its buffer.
    buffered: Vec<u32>,
    /// Per operation, whether it is a plain store that has left its buffer.
    committed: Vec<bool>,
    /// The write each load-linked read from; `None` for the initial value.
    reservations: BTreeMap<OpId, Option<OpId>>,
    /// Initial values that were not known, and that reads have returned, by location.
    shown: BTreeMap<u32, u64>,
}

impl<'h> Machine<'h> {
    /// Creates a machine before the first step.
    pub fn new(history: &'h History, model: Model) -> Machine<'h> {
        let threads = history.threads().len();
        Machine {
            history,
            model,
            free: history.hidden_writes(),
            seen: may_lack_writes(history).then(|| written_values(history)),
            earlier: Arc::new(EarlierStores::new(history, model)),
            waits: Waits::of(history, model).map(|waits| (Arc::new(waits), Oldest::new(history))),
            state: State {
                next: (0..threads)
                    .map(|thread| history.thread_ops(thread).next().map_or(0, |op| op.0))
                    .collect(),
                memory: vec![None; history.locations().len()],
                buffered: vec![0; threads],
                committed: vec![false; history.len()],
                reservations: BTreeMap::new(),
                shown: BTreeMap::new(),
            },
        }
    }

    /// The state, for searches that remember the states they have visited.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes a step.
    ///
    /// # Errors
    /// Returns a [`Refusal`] if the model or a recorded value forbids the step. The machine is then
    /// unchanged.
    pub fn step(&mut self, step: Step) -> Result<(), Refusal> {
        match step {
            Step::Execute(op) => self.execute(op),
            Step::Commit(op) => self.commit(op),
        }
    }

    /// The steps that may come next: the next operation of each thread, and the stores that the model
    /// allows to reach memory. [`Machine::step`] may still refuse one. Cost: linear in the history.
    pub fn candidates(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for thread in 0..self.state.next.len() {
            if let Some(op) = self.next_of(thread) {
                steps.push(Step::Execute(op));
            }
            let executed = self.history.thread_ops(thread);
            let stores = executed.filter(|&op| self.may_commit(thread, op));
            steps.extend(stores.map(Step::Commit));
        }
        steps
    }

    /// Checks that everything has been executed and committed, and that memory has the final values.
    ///
    /// # Errors
    /// Returns [`Refusal::Unfinished`] or [`Refusal::WrongFinal`].
    pub fn finish(&self) -> Result<(), Refusal> {
        let left = (0..self.state.next.len())
            .any(|t| self.next_of(t).is_some() || self.state.buffered[t] > 0);
        if left {
            return Err(Refusal::Unfinished);
        }
        let right = self.history.finals().iter().all(|last| {
            let value = self.value_in_memory(last.location);
            // A write whose value the trace does not show may have written the final value.
            let may_be_right = self.free[last.location as usize] && value.is_none();
            may_be_right || value == Some(last.value)
        });
        if right { Ok(()) } else { Err(Refusal::WrongFinal) }
    }

    fn next_of(&self, thread: usize) -> Option<OpId> {
        let next = OpId(self.state.next[thread]);
        let last = self.history.thread_ops(thread).next_back()?;
        (next <= last).then_some(next)
    }

    fn execute(&mut self, op: OpId) -> Result<(), Refusal> {
        let thread = self.history.thread_of(op);
        if self.next_of(thread) != Some(op) {
            return Err(Refusal::NotNext);
        }
        let kind = self.history.kind(op);
        self.check_drained(thread, op, kind)?;
        if kind.reads() {
            self.check_read(op, kind)?;
        }
        if kind.writes() {
            if kind.may_be_buffered() && self.model.buffers() {
                self.state.buffered[thread] += 1;
            } else {
                self.write(op)?;
            }
        }
        self.state.next[thread] += 1;
        Ok(())
    }

    fn check_drained(&self, thread: usize, op: OpId, kind: Kind) -> Result<(), Refusal> {
        let waits = if self.model.drains_all(Label::of(self.history, op)) {
            self.state.buffered[thread] > 0
        } else {
            self.model.drains_own(kind) && self.newest_own(op).is_some()
        };
        // A plain store can execute: it waits in the buffer.
        let waits = waits || !(kind.may_be_buffered() || self.may_reach_memory(thread, op));
        if waits { Err(Refusal::NotDrained) } else { Ok(()) }
    }

    fn check_read(&mut self, op: OpId, kind: Kind) -> Result<(), Refusal> {
        let Some(location) = self.history.location(op) else {
            return Ok(());
        };
        let source = self.visible(op);
        let held = match source {
            Some(write) => self.history.written(write),
            None => self.initial(location),
        };
        let read = self.history.read(op);
        let is_free = self.free[location as usize] || read.is_none() || self.is_outside(op);
        if !is_free && held != read {
            let shows =
                source.is_none() && held.is_none() && self.history.is_initial_open(location);
            match read.filter(|_| shows) {
                Some(value) => self.state.shown.insert(location, value),
                None => return Err(Refusal::WrongValue(source)),
            };
        }
        if kind == Kind::LoadLinked {
            self.state.reservations.insert(op, source);
        }
        Ok(())
    }

    /// Whether only a write that the history does not record can have supplied the value that a read returned.
    fn is_outside(&self, op: OpId) -> bool {
        let (Some(seen), Some(location), Some(value)) =
            (&self.seen, self.history.location(op), self.history.read(op))
        else {
            return false;
        };
        !seen.contains(&(location, value)) && self.history.initial(location) != Some(value)
    }

    fn commit(&mut self, op: OpId) -> Result<(), Refusal> {
        let thread = self.history.thread_of(op);
        if !self.may_commit(thread, op) {
            return Err(Refusal::NotCommittable);
        }
        self.write(op)?;
        self.state.buffered[thread] -= 1;
        self.state.committed[op.at()] = true;
        if let Some((_, oldest)) = &mut self.waits {
            let committed = &self.state.committed;
            oldest.advance(self.history, thread, |store| committed[store.at()]);
        }
        Ok(())
    }

    /// Whether all stores that an operation waits for because of weak fences, acquires and releases
    /// have reached memory.
    fn may_reach_memory(&self, thread: usize, op: OpId) -> bool {
        let waits = self.waits.as_ref();
        waits.is_none_or(|(waits, oldest)| oldest.allows(thread, op, waits))
    }

    /// Whether a store is buffered and no other must be committed before it.
    fn may_commit(&self, thread: usize, op: OpId) -> bool {
        let is_done = |store: OpId| self.state.committed[store.at()];
        self.model.buffers()
            && self.history.kind(op).may_be_buffered()
            && op.0 < self.state.next[thread]
            && !is_done(op)
            && self.earlier.predecessor[op.at()].is_none_or(is_done)
            && self.may_reach_memory(thread, op)
    }

    /// The newest buffered store of an operation's thread to its location. The operation must be the
    /// next of its thread.
    fn newest_own(&self, op: OpId) -> Option<OpId> {
        let own = self.earlier.own[op.at()].filter(|_| self.model.buffers());
        own.filter(|store| !self.state.committed[store.at()])
    }

    fn write(&mut self, op: OpId) -> Result<(), Refusal> {
        let Some(location) = self.history.location(op) else {
            return Ok(());
        };
        let memory = self.state.memory[location as usize];
        if let Some(load) = self.history.linked_load(op)
            && !self.free[location as usize]
            && self.history.read(load).is_some()
            && !self.is_outside(load)
            && self.state.reservations.get(&load) != Some(&memory)
        {
            return Err(Refusal::ReservationLost);
        }
        self.state.memory[location as usize] = Some(op);
        Ok(())
    }

    /// The write that a location's value in memory comes from; `None` for the initial value.
    pub fn memory(&self, location: u32) -> Option<OpId> {
        self.state.memory[location as usize]
    }

    fn value_in_memory(&self, location: u32) -> Option<u64> {
        match self.state.memory[location as usize] {
            Some(write) => self.history.written(write),
            None => self.initial(location),
        }
    }

    /// The initial value of a location, if it is known or a read has returned it.
    fn initial(&self, location: u32) -> Option<u64> {
        self.history.initial(location).or_else(|| self.state.shown.get(&location).copied())
    }

    /// The write that an operation would read if it executed now: the newest buffered store of its
    /// thread to the location, else memory; `None` for the initial value. The operation must be the next
    /// of its thread.
    pub fn visible(&self, op: OpId) -> Option<OpId> {
        let location = self.history.location(op)?;
        let own = self.newest_own(op);
        own.or(self.state.memory[location as usize])
    }
}

/// Whether a read may return a value that no recorded write has.
pub(crate) fn may_lack_writes(history: &History) -> bool {
    history.provenance.outside_writes || history.provenance.unrecorded_writes
}

/// The values that are written to each location.
pub(crate) fn written_values(history: &History) -> FxHashSet<(u32, u64)> {
    history.ops().filter_map(|op| Some((history.location(op)?, history.written(op)?))).collect()
}

/// Runs a whole sequence of steps. Cost: linear.
///
/// # Errors
/// Returns the position of the first refused step and the reason. If the steps leave the run
/// unfinished, the position is the number of steps.
pub fn run(history: &History, model: Model, steps: &[Step]) -> Result<(), (usize, Refusal)> {
    let mut machine = Machine::new(history, model);
    for (at, &step) in steps.iter().enumerate() {
        machine.step(step).map_err(|refusal| (at, refusal))?;
    }
    machine.finish().map_err(|refusal| (steps.len(), refusal))
}

/// Decides a small history by trying every run of the machine; it remembers the states it has visited.
/// Returns the steps of a consistent run, `Some(None)` if there is none, and `None` if more than
/// `limit` states were visited. The cost is exponential: this is for tests.
pub fn explore(history: &History, model: Model, limit: usize) -> Option<Option<Vec<Step>>> {
    let mut seen = FxHashSet::default();
    let mut path = Vec::new();
    let mut stack = vec![(Machine::new(history, model), None)];
    let mut depths = vec![0];
    while let (Some((machine, step)), Some(depth)) = (stack.pop(), depths.pop()) {
        path.truncate(usize::saturating_sub(depth, 1));
        path.extend(step);
        if machine.finish().is_ok() {
            return Some(Some(path));
        }
        if !seen.insert(machine.state().clone()) {
            continue;
        }
        if seen.len() > limit {
            return None;
        }
        for step in machine.candidates() {
            let mut next = machine.clone();
            if next.step(step).is_ok() {
                stack.push((next, Some(step)));
                depths.push(depth + 1);
            }
        }
    }
    Some(None)
}
