//! [`run()`] executes a program on a model's machine with a random schedule. [`Program::history`] makes a history
//! of such a [`Run`].

use history::random::Rng;
use history::{
    Access, AssumedSize, BuildError, History, HistoryBuilder, Initial, Kind, OpId, Provenance,
};

use super::program::Program;
use super::{Recipe, RecipeError};
use memory::buffer::StoreBuffer;
use memory::machine::{Machine, Refusal, Step};
use memory::{Label, Model};

/// Ticks between two steps: room for the lines that a trace prints in between.
pub(super) const TICKS_PER_STEP: u64 = 4;

/// The results of a run, per operation of the program.
pub(super) struct Run {
    /// The write that a read took its value from; `None` for the initial value.
    pub source: Vec<Option<OpId>>,
    /// The tick at which the thread issued the operation.
    issued: Vec<u64>,
    /// The tick at which memory performed the operation: for a buffered store, when it was committed. No
    /// two are equal.
    pub completed: Vec<u64>,
}

impl Run {
    /// Creates a run of this many operations, none of which has been performed.
    pub(super) fn new(operations: usize) -> Run {
        Run {
            source: vec![None; operations],
            issued: vec![0; operations],
            completed: vec![0; operations],
        }
    }

    /// Sets the ticks of issue: each thread issues its operations in program order, and each operation as early as
    /// possible after the reads that it depends on have returned.
    pub(super) fn issue(&mut self, program: &Program) {
        let mut dependencies = program.dependencies.iter().peekable();
        let mut starts = program.starts.iter().peekable();
        let mut tick = 0;
        for op in 0..self.issued.len() {
            if starts.next_if(|&&start| start <= op).is_some() {
                tick = 1;
            }
            while let Some(&(_, _, on)) = dependencies.next_if(|it| it.0 as usize == op) {
                tick = tick.max(self.completed[on as usize] + 1);
            }
            self.issued[op] = tick;
        }
    }

    /// Returns `access`, the operation `op`, with the value that it read and its ticks. `written` are the values that
    /// the program writes.
    pub(super) fn observed(&self, op: usize, access: Access, written: &[u64]) -> Access {
        let read = self.source[op].map_or(0, |write| written[write.at()]);
        Access {
            read: access.kind.reads().then_some(read),
            issued: Some(self.issued[op]),
            completed: Some(self.completed[op]),
            order: Some(self.completed[op]),
            ..access
        }
    }
}

impl Program {
    /// The history of a run under a model. Without a run, the values of reads are unknown.
    pub(super) fn history(&self, run: Option<&Run>, model: Model) -> Result<History, BuildError> {
        let mut builder = HistoryBuilder::new();
        // Under a model where ticks stand for dependencies, dependencies are not recorded.
        let mut dependencies = if model.uses_ticks() { &[][..] } else { &self.dependencies[..] };
        for (thread, &start) in self.starts.iter().enumerate() {
            let end = self.starts.get(thread + 1).copied();
            for op in start..end.unwrap_or(self.kind.len()) {
                let access = self.access(thread as u32, op);
                builder.push(match run {
                    Some(run) => run.observed(op, access, &self.written),
                    None => access,
                });
                while let Some((&(_, kind, on), rest)) =
                    dependencies.split_first().filter(|(first, _)| first.0 as usize == op)
                {
                    builder.depend(kind, on as usize);
                    dependencies = rest;
                }
            }
        }
        builder.finish(AssumedSize::default(), &Initial::Zero, Provenance::made())
    }
}

/// Runs a program: in each step a random thread executes its next operation or commits a store.
pub(super) fn run(program: &Program, recipe: &Recipe, rng: &mut Rng) -> Result<Run, RecipeError> {
    let history = program.history(None, recipe.model)?;
    let mut scheduler = Scheduler::new(&history, recipe);
    let mut active: Vec<usize> = (0..scheduler.threads.len()).collect();
    while !active.is_empty() {
        let at = rng.index(active.len());
        let step = scheduler.choose(active[at], rng);
        scheduler.step(active[at], step, rng)?;
        if scheduler.is_done(active[at]) {
            active.swap_remove(at);
        }
    }
    scheduler.machine.finish()?;
    Ok(scheduler.run)
}

/// The state of a thread.
struct Thread {
    next: u32,
    end: u32,
    /// The stores in its buffer with their locations, the oldest first.
    buffer: StoreBuffer<(Option<u32>, OpId)>,
    /// The tick of its last step.
    last: u64,
}

struct Scheduler<'h> {
    history: &'h History,
    model: Model,
    depth: usize,
    machine: Machine<'h>,
    threads: Vec<Thread>,
    now: u64,
    run: Run,
}

impl<'h> Scheduler<'h> {
    fn new(history: &'h History, recipe: &Recipe) -> Scheduler<'h> {
        let threads = history.threads().iter().map(|thread| Thread {
            next: thread.first().0,
            end: thread.end().0,
            buffer: StoreBuffer::default(),
            last: 0,
        });
        Scheduler {
            history,
            model: recipe.model,
            depth: recipe.buffer as usize,
            machine: Machine::new(history, recipe.model),
            threads: threads.collect(),
            now: 0,
            run: Run::new(history.len()),
        }
    }

    fn is_done(&self, thread: usize) -> bool {
        let thread = &self.threads[thread];
        thread.next == thread.end && thread.buffer.is_empty()
    }

    /// The next step of a thread that is not done. The fuller its buffer, the more likely it commits a
    /// store, so that deep buffers are used and none overflows.
    fn choose(&self, at: usize, rng: &mut Rng) -> Step {
        let thread = &self.threads[at];
        let waiting = thread.buffer.len();
        if waiting == 0 {
            return Step::Execute(OpId(thread.next));
        }
        let must_commit =
            thread.next == thread.end || waiting >= self.depth || self.must_wait(thread);
        if must_commit || rng.index(self.depth) < waiting {
            return Step::Commit(self.committable(&thread.buffer, rng));
        }
        Step::Execute(OpId(thread.next))
    }

    /// Whether a thread's next operation waits for stores in its buffer.
    fn must_wait(&self, thread: &Thread) -> bool {
        let op = OpId(thread.next);
        let own = thread.buffer.newest(self.history.location(op));
        self.model.drains_all(Label::of(self.history, op))
            || (self.model.drains_own(self.history.kind(op)) && own.is_some())
    }

    /// A store that may reach memory now: the oldest, or the oldest of some location.
    fn committable(&self, buffer: &[(Option<u32>, OpId)], rng: &mut Rng) -> OpId {
        if !self.model.buffers_by_location() {
            return buffer[0].1;
        }
        let any = buffer[rng.index(buffer.len())];
        buffer.iter().find(|store| store.0 == any.0).unwrap_or(&any).1
    }

    fn step(&mut self, at: usize, step: Step, rng: &mut Rng) -> Result<(), Refusal> {
        self.now += TICKS_PER_STEP;
        match step {
            Step::Execute(op) => self.execute(at, op, rng)?,
            Step::Commit(op) => {
                self.machine.step(step)?;
                let buffer = &mut self.threads[at].buffer;
                if let Some(place) = buffer.iter().position(|store| store.1 == op) {
                    buffer.remove(place);
                }
                self.run.completed[op.at()] = self.now;
            }
        }
        self.threads[at].last = self.now;
        Ok(())
    }

    fn execute(&mut self, at: usize, op: OpId, rng: &mut Rng) -> Result<(), Refusal> {
        let kind = self.history.kind(op);
        if kind.reads() {
            self.run.source[op.at()] = self.machine.visible(op);
        }
        self.machine.step(Step::Execute(op))?;
        let thread = &mut self.threads[at];
        thread.next += 1;
        self.run.completed[op.at()] = self.now;
        if kind == Kind::Store && self.model.buffers() {
            thread.buffer.push((self.history.location(op), op));
            self.run.issued[op.at()] = self.now;
        } else {
            // A random tick after the thread's previous step, at least two ticks before this one.
            let wait = self.now - 2 - thread.last;
            self.run.issued[op.at()] = thread.last + 1 + rng.below(wait);
        }
        Ok(())
    }
}
