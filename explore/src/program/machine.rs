//! A program on an abstract machine: SC, or TSO and PSO with store buffers (Burnim, Sen & Stergiou, Figures 1 to 3).

mod local;

use history::Kind;
use memory::buffer::StoreBuffer;
use memory::{Buffering, Model};
use serde::{Deserialize, Serialize};
use slicc::source::Span;

use super::code::{Access, Code, FaultKind, Instruction, Place};
use super::compile::{self, Program};
use super::language::Operation;
use local::{MOST_LOCAL, advance, begin, stop};

/// The machine that a program runs on.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    program: &'a Program,
    model: Model,
}

/// The state of memory and threads between two steps of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramState {
    /// The value of each location.
    pub memory: Vec<i64>,
    /// The threads.
    pub threads: Vec<Thread>,
}

/// A thread between two steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// The index of the next instruction, an access or a fence, or of the one at which the thread has stopped.
    at: u32,
    /// Whether the thread has further steps.
    status: Status,
    locals: Vec<i64>,
    /// The pending stores, each a location and a value. Under PSO they are ordered by location.
    buffer: StoreBuffer<(u32, i64)>,
}

/// Whether a thread has further steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// The thread has a next statement.
    Ready,
    /// The thread has executed its last statement.
    Done,
    /// A loop has reached its bound.
    CutOff,
    /// The thread has failed.
    Fault(FaultKind),
}

/// The reason why a run ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EarlyEnd {
    /// A loop has reached its bound.
    CutOff(Span),
    /// A thread, `init` or `finally` has failed.
    Fault(Fault),
}

/// A failure of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The statement.
    pub span: Span,
    /// The kind of fault.
    pub kind: FaultKind,
}

/// An event of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The thread.
    pub thread: u32,
    /// The statement of the event, an index into [`Program::sites`](super::compile::Program::sites).
    pub site: u32,
    /// The kind of operation.
    pub kind: Kind,
    /// The location that is accessed; fences have none.
    pub location: Option<u32>,
    /// The value that was read.
    pub read: Option<i64>,
    /// The value that was written.
    pub written: Option<i64>,
}

/// The outcome of a run: the values of the threads' outermost locals at its end, then those of all locations.
pub type Outcome = Vec<i64>;

impl<'a> Machine<'a> {
    /// A machine for a program.
    pub fn new(program: &'a Program, model: Model) -> Machine<'a> {
        Machine { program, model }
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// The state after `init`.
    ///
    /// # Errors
    /// Fails if `init` fails, or if one of its loops reaches its bound.
    pub fn start(&self) -> Result<ProgramState, EarlyEnd> {
        let mut memory = self.program.initial.clone();
        self.alone(&self.program.init, &mut memory)?;
        let threads = self.program.threads.iter().map(begin).collect();
        Ok(ProgramState { memory, threads })
    }

    /// Whether a thread has a next step.
    pub fn is_ready(&self, state: &ProgramState, thread: usize) -> bool {
        state.threads[thread].status == Status::Ready
    }

    /// The reason why a run ends in a state, if one of the threads has failed or reached the bound of a loop.
    pub fn stopped(&self, state: &ProgramState) -> Option<EarlyEnd> {
        let mut threads = self.program.threads.iter().zip(&state.threads);
        threads.find_map(|(code, thread)| stop(code, thread))
    }

    /// Executes a thread's next access or fence, and the local instructions that follow. Returns the event, or none if it fails, and
    /// whether the thread has yielded.
    pub fn step(&self, state: &mut ProgramState, thread: usize) -> (Option<Event>, bool) {
        let code = &self.program.threads[thread];
        let ProgramState { memory, threads } = state;
        let number = thread as u32;
        let thread = &mut threads[thread];
        match self.event(code, thread, memory) {
            Ok(event) => {
                thread.at += 1;
                let mut left = MOST_LOCAL;
                let has_yielded = advance(code, thread, &mut left);
                let thread = number;
                (Some(Event { thread, ..event }), has_yielded)
            }
            Err(fault) => {
                thread.status = Status::Fault(fault);
                (None, false)
            }
        }
    }

    /// The stores of a thread that may reach memory next, by their place in its buffer.
    pub fn committable(&self, state: &ProgramState, thread: usize) -> Vec<usize> {
        let buffer = &state.threads[thread].buffer;
        (0..buffer.len()).filter(|&at| buffer.may_leave(self.model, at)).collect()
    }

    /// Moves the store at a place of a thread's buffer to memory, and returns its location and value.
    pub fn commit(&self, state: &mut ProgramState, thread: usize, at: usize) -> (u32, i64) {
        let (location, value) = state.threads[thread].buffer.remove(at);
        state.memory[location as usize] = value;
        (location, value)
    }

    /// Executes `finally` after a state without further steps, and returns the outcome of the run.
    ///
    /// # Errors
    /// Fails if `finally` fails, or if one of its loops reaches its bound.
    pub fn finish(&self, state: &ProgramState) -> Result<Outcome, EarlyEnd> {
        let mut memory = state.memory.clone();
        self.alone(&self.program.finally, &mut memory)?;
        let threads = self.program.threads.iter().zip(&state.threads);
        let locals = threads.flat_map(|(code, thread)| {
            let value = |it: &(String, u16)| thread.locals[usize::from(it.1)];
            code.observed.iter().map(value)
        });
        Ok(locals.chain(memory.iter().copied()).collect())
    }

    /// The names of the values in an [`Outcome`].
    pub fn names(&self) -> Vec<String> {
        let locals = self.program.threads.iter().flat_map(|thread| {
            let name = |it: &(String, u16)| format!("{}.{}", thread.name, it.0);
            thread.observed.iter().map(name)
        });
        locals.chain(self.program.locations.clone()).collect()
    }

    /// Executes `init` or `finally`, while no thread runs.
    fn alone(&self, code: &compile::Thread, memory: &mut [i64]) -> Result<(), EarlyEnd> {
        let sc = Machine::new(self.program, Model::SC);
        let mut thread = begin(code);
        let mut left = MOST_LOCAL;
        while thread.status == Status::Ready {
            match sc.event(code, &mut thread, memory) {
                Ok(_) if left == 0 => thread.status = Status::Fault(FaultKind::Endless),
                Ok(_) => {
                    left -= 1;
                    thread.at += 1;
                    advance(code, &mut thread, &mut left);
                }
                Err(fault) => thread.status = Status::Fault(fault),
            }
        }
        stop(code, &thread).map_or(Ok(()), Err)
    }

    /// Executes the access or fence at which a thread is. The caller fills in the number of the event's thread.
    fn event(
        &self,
        code: &compile::Thread,
        thread: &mut Thread,
        memory: &mut [i64],
    ) -> Result<Event, FaultKind> {
        match &code.code[thread.at as usize] {
            Instruction::Access(access) => self.access(access, thread, memory),
            Instruction::Fence(site) => {
                self.drain(thread, memory, Kind::Fence, None);
                Ok(Event {
                    thread: 0,
                    site: *site,
                    kind: Kind::Fence,
                    location: None,
                    read: None,
                    written: None,
                })
            }
            _ => unreachable!("a thread waits at accesses and fences"),
        }
    }

    fn access(
        &self,
        access: &Access,
        thread: &mut Thread,
        memory: &mut [i64],
    ) -> Result<Event, FaultKind> {
        let at = location(&access.place, &thread.locals)?;
        let operand = |code: &Code| code.evaluate(&thread.locals);
        let operands = access.operands.iter().map(operand);
        let operands: Vec<i64> = operands.collect::<Result<_, _>>()?;
        let (kind, read, written, result) = match access.operation {
            Operation::Load => {
                if self.model.drains_own(Kind::Load) {
                    self.drain(thread, memory, Kind::Load, Some(at));
                }
                let value = self.load(thread, memory, at);
                (Kind::Load, Some(value), None, value)
            }
            Operation::Store => {
                self.store(thread, memory, at, operands[0]);
                (Kind::Store, None, Some(operands[0]), 0)
            }
            operation => {
                self.drain(thread, memory, Kind::Rmw, Some(at));
                let held = memory[at as usize];
                let (written, result) = atomic(operation, held, &operands)?;
                memory[at as usize] = written.unwrap_or(held);
                let kind = written.map_or(Kind::FailedCas, |_| Kind::Rmw);
                (kind, Some(held), written, result)
            }
        };
        if let Some(local) = access.result {
            thread.locals[usize::from(local)] = result;
        }
        Ok(Event { thread: 0, site: access.site, kind, location: Some(at), read, written })
    }

    fn load(&self, thread: &Thread, memory: &[i64], location: u32) -> i64 {
        let own = thread.buffer.newest(location);
        own.map_or(memory[location as usize], |store| store.1)
    }

    fn store(&self, thread: &mut Thread, memory: &mut [i64], location: u32, value: i64) {
        match self.model.buffering() {
            Buffering::None => memory[location as usize] = value,
            Buffering::Weak => unreachable!("programs run on models with a machine"),
            Buffering::InOrder => thread.buffer.push((location, value)),
            Buffering::PerLocation => thread.buffer.push_by_location((location, value)),
        }
    }

    /// Moves the pending stores for which a fence or an access of this kind waits to memory.
    fn drain(&self, thread: &mut Thread, memory: &mut [i64], kind: Kind, location: Option<u32>) {
        for (location, value) in thread.buffer.drain(self.model, kind, location) {
            memory[location as usize] = value;
        }
    }
}

/// The value that an atomic operation writes, or none if it is a failed compare-and-swap, and its result.
fn atomic(
    operation: Operation,
    held: i64,
    operands: &[i64],
) -> Result<(Option<i64>, i64), FaultKind> {
    Ok(match operation {
        Operation::Swap => (Some(operands[0]), held),
        Operation::Add => {
            let sum = held.checked_add(operands[0]);
            (Some(sum.ok_or(FaultKind::Overflow)?), held)
        }
        _ if held == operands[0] => (Some(operands[1]), 1),
        _ => (None, 0),
    })
}

fn location(place: &Place, locals: &[i64]) -> Result<u32, FaultKind> {
    let Some(index) = &place.index else {
        return Ok(place.base);
    };
    let index = index.evaluate(locals)?;
    let inside = u32::try_from(index).ok().filter(|&at| at < place.length);
    inside.map(|at| place.base + at).ok_or(FaultKind::Index(index, place.length))
}
