//! [`run()`] performs a program out of order, as a weak model allows, with a random schedule.
//!
//! In each step a thread performs one of the operations in its window that preserved program order does
//! not hold back. A load takes its value from its thread's latest earlier store of the location, if that has not
//! been performed yet, and else from memory. Two constraints depend on the run, so preserved program order of
//! the program does not have them:
//!
//! - reads of one location from different writes stay in order, so a read that overtakes others of its
//!   location takes them with it, and all return the same write;
//! - between a load-linked and its store-conditional no other operation writes their location. A load-linked is
//!   performed only when it alone holds its store-conditional back, so threads never wait for each other's
//!   store-conditionals in a cycle.

use history::random::Rng;
use history::{History, Kind, OpId, ReadsFrom};
use memory::Execution;
use memory::Model;
use memory::weak::graph::Graph;
use memory::weak::progress::Progress;

use super::super::program::Program;
use super::super::run::{Run, TICKS_PER_STEP};
use super::super::{Recipe, RecipeError};

/// Performs a program. Returns the source of each read and the tick at which each operation was performed.
pub(in super::super) fn run(
    program: &Program,
    recipe: &Recipe,
    rng: &mut Rng,
) -> Result<Run, RecipeError> {
    let whole = program.history(None, recipe.model)?;
    let parts = recipe.model.prepare(&whole);
    let mut scheduler = Scheduler::new(program, &parts, recipe);
    let mut active: Vec<usize> = (0..scheduler.threads.len()).collect();
    active.retain(|&thread| !scheduler.is_done(thread));
    while !active.is_empty() {
        let at = rng.index(active.len());
        scheduler.step(active[at], rng);
        if scheduler.is_done(active[at]) {
            active.swap_remove(at);
        }
    }
    scheduler.run.issue(program);
    Ok(scheduler.run)
}

/// The state of a thread.
struct Thread {
    /// The oldest operation that has not been performed.
    oldest: u32,
    /// One past the last operation.
    end: u32,
}

struct Scheduler<'h> {
    /// The program as the model sees it: a read-modify-write may be two operations (see [`Model::prepare`]).
    history: &'h History,
    /// Per operation of the history, the operation of the program that it is part of.
    whole: Vec<u32>,
    progress: Progress,
    window: u32,
    threads: Vec<Thread>,
    is_performed: Vec<bool>,
    /// Per location, the last write that was performed.
    memory: Vec<Option<OpId>>,
    /// Per location, whether a load-linked was performed and its store-conditional was not.
    is_reserved: Vec<bool>,
    now: u64,
    run: Run,
    /// The operations that a thread may perform in the current step, kept to reuse the memory.
    choices: Vec<OpId>,
}

impl<'h> Scheduler<'h> {
    fn new(program: &Program, history: &'h History, recipe: &Recipe) -> Scheduler<'h> {
        let whole = whole_of(history);
        let reads_from = ReadsFrom::given(history, |_| None);
        let graph = Graph::new(&Execution { history, reads_from }, recipe.model);
        let held = held_back(program, recipe.model, recipe.weak.window);
        let threads = history.threads().iter();
        Scheduler {
            history,
            whole,
            progress: Progress::new(&graph, &held),
            window: recipe.weak.window,
            threads: threads
                .map(|thread| Thread { oldest: thread.first().0, end: thread.end().0 })
                .collect(),
            is_performed: vec![false; history.len()],
            memory: vec![None; history.locations().len()],
            is_reserved: vec![false; history.locations().len()],
            now: 0,
            run: Run::new(program.kind.len()),
            choices: Vec::new(),
        }
    }

    fn is_done(&self, thread: usize) -> bool {
        self.threads[thread].oldest == self.threads[thread].end
    }

    /// Performs a random operation of a thread, if the reservations of other threads allow one.
    fn step(&mut self, thread: usize, rng: &mut Rng) {
        let Thread { oldest, end } = self.threads[thread];
        let mut choices = std::mem::take(&mut self.choices);
        choices.clear();
        // A store-conditional right after the window may be performed if its load-linked, inside the window, was.
        let inside = oldest..end.min(oldest.saturating_add(self.window));
        let behind = (inside.end < end).then_some(OpId(inside.end)).filter(|&op| self.is_open(op));
        choices.extend(inside.map(OpId).chain(behind));
        choices.retain(|&op| self.may_perform(op));
        if !choices.is_empty() {
            let op = choices[rng.index(choices.len())];
            self.perform_with_overtaken(op, oldest, rng);
        }
        self.choices = choices;
        let of = &mut self.threads[thread];
        while of.oldest < of.end && self.is_performed[of.oldest as usize] {
            of.oldest += 1;
        }
    }

    /// Whether an operation is a store-conditional whose load-linked has been performed.
    fn is_open(&self, op: OpId) -> bool {
        self.history.linked_load(op).is_some_and(|read| self.is_performed[read.at()])
    }

    fn may_perform(&mut self, op: OpId) -> bool {
        if self.is_performed[op.at()] || !self.progress.is_free(op) {
            return false;
        }
        let Some(location) = self.history.location(op) else { return true };
        let kind = self.history.kind(op);
        let is_reserved = self.is_reserved[location as usize];
        match kind {
            Kind::StoreConditional => true,
            Kind::LoadLinked if self.paired(op).is_some() => {
                !is_reserved && self.may_finish(op) && self.overtaken_are_free(op)
            }
            _ => !(kind.writes() && is_reserved) && (!kind.reads() || self.overtaken_are_free(op)),
        }
    }

    /// The store-conditional of a load-linked, which is always the next operation.
    fn paired(&self, read: OpId) -> Option<OpId> {
        let next = OpId(read.0 + 1);
        let is_pair =
            next.at() < self.history.len() && self.history.linked_load(next) == Some(read);
        is_pair.then_some(next)
    }

    /// Whether a load-linked is free, and it alone holds its store-conditional back.
    fn may_finish(&mut self, read: OpId) -> bool {
        let write = self.paired(read);
        write.is_some_and(|write| self.progress.are_free([read, write].into_iter()))
    }

    /// The reads that an operation would overtake: those of its location before it in its thread that have not
    /// been performed, back to the latest write of the location.
    fn overtaken(&self, op: OpId) -> impl Iterator<Item = OpId> + use<'_> {
        let thread = self.history.thread_of(op);
        let location = self.history.location(op);
        let earlier = (self.threads[thread].oldest..op.0).rev().map(OpId);
        earlier
            .filter(move |&other| self.history.location(other) == location)
            .take_while(|&other| !self.history.kind(other).writes())
            .filter(|&other| !self.is_performed[other.at()])
    }

    fn overtaken_are_free(&self, op: OpId) -> bool {
        self.overtaken(op).all(|other| self.progress.is_free(other))
    }

    /// Performs an operation and the reads that it overtakes, in random order.
    fn perform_with_overtaken(&mut self, op: OpId, oldest: u32, rng: &mut Rng) {
        let is_plain = !self.history.kind(op).reads() || op.0 == oldest;
        if is_plain {
            return self.perform(op);
        }
        let mut reads: Vec<OpId> = self.overtaken(op).chain([op]).collect();
        rng.shuffle(&mut reads);
        for read in reads {
            self.perform(read);
        }
    }

    fn perform(&mut self, op: OpId) {
        self.now += TICKS_PER_STEP;
        let kind = self.history.kind(op);
        let whole = self.whole[op.at()] as usize;
        self.run.completed[whole] = self.now;
        if let Some(location) = self.history.location(op) {
            if kind.reads() {
                let source = self.own_pending(op).or(self.memory[location as usize]);
                self.run.source[whole] = source.map(|write| OpId(self.whole[write.at()]));
            }
            if kind.writes() {
                self.memory[location as usize] = Some(op);
            }
        }
        self.is_performed[op.at()] = true;
        self.progress.perform(op);
        self.reserve(op);
    }

    /// Opens or closes the reservation of an operation that was just performed. If the operation is the read of a
    /// read-modify-write of two operations, performs its write.
    fn reserve(&mut self, op: OpId) {
        let Some(location) = self.history.location(op) else { return };
        match (self.history.kind(op), self.paired(op)) {
            (Kind::LoadLinked, Some(write)) if self.history.continues(write) => self.perform(write),
            (Kind::LoadLinked, Some(_)) => self.is_reserved[location as usize] = true,
            (Kind::StoreConditional, _) => self.is_reserved[location as usize] = false,
            _ => {}
        }
    }

    /// The latest write of a read's location before it in its thread, if that write has not been performed.
    fn own_pending(&self, read: OpId) -> Option<OpId> {
        let location = self.history.location(read);
        let thread = self.history.thread_of(read);
        let mut earlier = (self.threads[thread].oldest..read.0).rev().map(OpId);
        let is_write =
            |&op: &OpId| self.history.kind(op).writes() && self.history.location(op) == location;
        earlier.find(is_write).filter(|write| !self.is_performed[write.at()])
    }
}

/// Per operation of a history, the operation of the program that it is part of.
fn whole_of(history: &History) -> Vec<u32> {
    let mut next = 0;
    let number = |op| {
        next += u32::from(!history.continues(op));
        next - 1
    };
    history.ops().map(number).collect()
}

/// The pairs of operations that ticks will order under a model where ticks stand for dependencies: a read, and
/// each operation from the one that depends on the read up to the end of a window that starts at the read. Later
/// operations have to wait anyway.
fn held_back(program: &Program, model: Model, window: u32) -> Vec<(OpId, OpId)> {
    if !model.uses_ticks() {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    for &(op, _, on) in &program.dependencies {
        let behind = program.end_of_thread(op).min(on.saturating_add(window) + 1);
        pairs.extend((op..behind).map(|later| (OpId(on), OpId(later))));
    }
    pairs
}
