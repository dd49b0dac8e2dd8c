//! Unfolds the program of a thread: [`Run`] keeps the unfinished paths, each a [`PartialPath`], and executes one
//! instruction of a path at a time.

use history::{Annotation, Kind};
use host::Bounds;

use super::code::{Code, Unfolding};
use super::{Constraint, End, Event, EventKind, Pairing, Path, Unfolded};
use crate::error::Error;
use crate::expression::{Expression, Expressions};
use crate::isa::{Formula, Instruction, REGISTERS, Register, Width};
use crate::test::LitmusTest;
use crate::value::{CodeAddress, Location, Value};

/// Largest number of paths of a thread.
const MOST_PATHS: usize = 100_000;

/// Unfolds the program of a thread.
///
/// # Errors
/// Returns [`Error::Run`] for a label that does not exist or an address that is not that of a location,
/// and [`Error::TooLarge`] for a thread with too many paths or events.
pub(crate) fn unfold(
    test: &LitmusTest,
    thread: usize,
    options: Unfolding,
    bounds: &Bounds,
) -> Result<Unfolded, Error> {
    let code = Code::of(test)?;
    let mut expressions = Expressions::default();
    let start = PartialPath::new(test, thread, &code, &mut expressions);
    let mut run =
        Run { test, code: &code, options, expressions, unfinished: vec![start], paths: Vec::new() };
    while let Some(state) = run.unfinished.pop() {
        run.step(state)?;
        if bounds.passed() {
            return Err(Error::stopped(&test.file, bounds));
        }
        if run.paths.len() + run.unfinished.len() > MOST_PATHS {
            return Err(Error::TooLarge {
                file: test.file.clone(),
                what: format!("P{thread} has more than {MOST_PATHS} paths"),
            });
        }
    }
    Ok(Unfolded { paths: run.paths, expressions: run.expressions })
}

/// The events that a value comes from, as bits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sources {
    /// The events that the value comes from through registers and arithmetic.
    pub data: u64,
    /// The events that the value comes from through a choice between values.
    pub picked: u64,
}

impl Sources {
    pub(super) fn and(self, other: Sources) -> Sources {
        Sources { data: self.data | other.data, picked: self.picked | other.picked }
    }

    pub(super) fn all(self) -> u64 {
        self.data | self.picked
    }
}

/// A value, and the events that it comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrackedValue {
    pub value: Expression,
    pub sources: Sources,
}

/// A path that has not ended.
#[derive(Clone)]
pub(super) struct PartialPath {
    pub next: usize,
    pub registers: [Option<TrackedValue>; REGISTERS],
    pub events: Vec<Event>,
    pub constraints: Vec<Constraint>,
    /// The events that earlier branches depend on.
    pub control: u64,
    /// The events that the addresses of earlier accesses come from through a choice.
    pub picked_addresses: u64,
    /// The loads that opened the reservation: one, or two of one instruction.
    pub reservation: Vec<u8>,
    /// The first event of the instruction, while one runs whose accesses are in no order.
    pub group: Option<u8>,
    /// The locations that a compare-and-swap of a pair wrote.
    pub written_pairs: Vec<Location>,
    /// Whether the path forked since it last jumped backwards.
    pub has_forked: bool,
    /// Per operation, the number of times that it jumped backwards.
    pub returns: Vec<u16>,
}

impl PartialPath {
    fn new(
        test: &LitmusTest,
        thread: usize,
        code: &Code<'_>,
        expressions: &mut Expressions,
    ) -> PartialPath {
        let mut registers = [None; REGISTERS];
        for (register, value) in test.registers.iter().filter(|(it, _)| it.thread == thread) {
            let known =
                TrackedValue { value: expressions.constant(*value), sources: Sources::default() };
            registers[usize::from(register.register.0)] = Some(known);
        }
        PartialPath {
            next: code.start(thread),
            registers,
            events: Vec::new(),
            constraints: Vec::new(),
            control: 0,
            picked_addresses: 0,
            reservation: Vec::new(),
            group: None,
            written_pairs: Vec::new(),
            has_forked: false,
            returns: vec![0; code.operations.len()],
        }
    }

    pub(super) fn set(&mut self, register: Register, known: TrackedValue) {
        self.registers[usize::from(register.0)] = Some(known);
    }
}

/// The event of a fence on a line of the test.
fn fence(kind: Kind, line: usize) -> Event {
    Event {
        kind: EventKind::Fence(kind),
        location: None,
        offset: 0,
        width: Width { bits: 0, signed: false },
        annotation: Annotation::None,
        pairing: Pairing::Alone,
        pair: None,
        group: None,
        address: 0,
        data: 0,
        control: 0,
        choice: 0,
        written: None,
        line,
    }
}

/// The state of the unfolding of a thread.
pub(super) struct Run<'t> {
    pub test: &'t LitmusTest,
    pub code: &'t Code<'t>,
    pub options: Unfolding,
    pub expressions: Expressions,
    pub unfinished: Vec<PartialPath>,
    paths: Vec<Path>,
}

impl Run<'_> {
    /// Runs the next instruction of a path.
    fn step(&mut self, mut state: PartialPath) -> Result<(), Error> {
        let operation = &self.code.operations[state.next];
        let Some(instruction) = operation.instruction else {
            self.finish(state, End::Program);
            return Ok(());
        };
        let line = operation.line;
        match operation.group {
            Some(first) if first == state.next => state.group = Some(self.next_event(&state)?),
            Some(_) => {}
            None => state.group = None,
        }
        state.next += 1;
        match instruction {
            // Sequences are flattened before.
            Instruction::Nothing | Instruction::Sequence(_) | Instruction::Unordered(_) => {
                self.unfinished.push(state)
            }
            Instruction::Set(set) => {
                self.set_all(&mut state, set, 0);
                self.unfinished.push(state);
            }
            Instruction::Select { condition, chosen } => {
                let condition = self.evaluate(&state, condition);
                for (mut state, holds) in self.fork(state, condition.value, line) {
                    self.set_all(&mut state, &chosen[usize::from(!holds)], condition.sources.all());
                    self.unfinished.push(state);
                }
            }
            Instruction::Branch { condition: None, target } => {
                let target = self.jump_target(&state, operation, target);
                self.jump(state, operation, target, true)?;
            }
            Instruction::Branch { condition: Some(condition), target } => {
                let condition = self.evaluate(&state, condition);
                // A loop whose rounds are known is followed to its end.
                let is_known = self.expressions.as_constant(condition.value).is_some();
                let counts = !is_known || state.has_forked;
                for (mut state, is_taken) in self.fork(state, condition.value, line) {
                    state.control |= condition.sources.all();
                    if is_taken {
                        let target = self.jump_target(&state, operation, target);
                        self.jump(state, operation, target, counts)?;
                    } else {
                        self.unfinished.push(state);
                    }
                }
            }
            Instruction::Call { link, target } => {
                let target = self.jump_target(&state, operation, target);
                let CodeAddress { thread, step } = operation.address;
                let next = CodeAddress { thread, step: step + 1 };
                state.set(*link, self.constant(Value::Code(next)));
                self.jump(state, operation, target, true)?;
            }
            Instruction::LabelAddress { target, .. } => {
                let address = self.label(operation);
                state.set(*target, address);
                self.unfinished.push(state);
            }
            Instruction::OnlyIf { condition, .. } => {
                let condition = self.evaluate(&state, condition);
                let known = self.expressions.as_constant(condition.value);
                let Some(known) = known.filter(|_| condition.sources.all() == 0) else {
                    let what = "a predicate that depends on a load is not supported".to_owned();
                    return Err(self.error(line, what));
                };
                if known == Value::ZERO {
                    state.next += operation.then;
                }
                self.unfinished.push(state);
            }
            Instruction::Fence(kind) => {
                let control = state.control | state.picked_addresses;
                let event = Event { control, ..fence(*kind, line) };
                self.add(&mut state, event)?;
                self.unfinished.push(state);
            }
            Instruction::Load { target, access, .. } if self.loads_code(&state, access) => {
                let value = self.code_at(&state, access, line)?;
                target.iter().for_each(|target| state.set(*target, value));
                self.unfinished.push(state);
            }
            Instruction::Load { access, .. }
            | Instruction::Store { access, .. }
            | Instruction::StoreConditional { access, .. }
            | Instruction::Atomic { access, .. }
            | Instruction::CompareAndSwap { access, .. }
            | Instruction::CompareAndSwapPair { access, .. } => {
                for (state, target) in self.targets(state, access, line)? {
                    self.access(state, instruction, target)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, state: PartialPath, end: End) {
        let registers = state.registers.iter().enumerate();
        let registers =
            registers.filter_map(|(at, known)| Some((Register(at as u8), known.as_ref()?.value)));
        self.paths.push(Path {
            registers: registers.collect(),
            events: state.events,
            constraints: state.constraints,
            end,
        });
    }

    /// Forks a path by whether an expression is nonzero. Returns the two paths, each with whether the expression is
    /// nonzero on it; one path if the expression is a constant.
    pub(super) fn fork(
        &self,
        state: PartialPath,
        condition: Expression,
        line: usize,
    ) -> Vec<(PartialPath, bool)> {
        if let Some(value) = self.expressions.as_constant(condition) {
            return vec![(state, value != Value::ZERO)];
        }
        [true, false]
            .map(|holds| {
                let mut state = state.clone();
                state.has_forked = true;
                state.constraints.push(Constraint { condition, holds, line });
                (state, holds)
            })
            .into()
    }

    pub(super) fn error(&self, line: usize, what: String) -> Error {
        Error::Run { file: self.test.file.clone(), line, what }
    }

    pub(super) fn evaluate(&mut self, state: &PartialPath, formula: &Formula) -> TrackedValue {
        match formula {
            Formula::Constant(value) => self.constant(*value),
            Formula::Register(register) => state.registers[usize::from(register.0)]
                .unwrap_or_else(|| self.constant(Value::ZERO)),
            Formula::Unary(operation, of) => {
                let of = self.evaluate(state, of);
                TrackedValue { value: self.expressions.unary(*operation, of.value), ..of }
            }
            Formula::Binary(operation, first, second) => {
                let (first, second) = (self.evaluate(state, first), self.evaluate(state, second));
                let value = self.expressions.binary(*operation, first.value, second.value);
                TrackedValue { value, sources: first.sources.and(second.sources) }
            }
        }
    }

    /// Sets registers all at once: every formula uses the values that registers had before. The choice of these values
    /// depended on the events `picked`.
    fn set_all(&mut self, state: &mut PartialPath, set: &[(Register, Formula)], picked: u64) {
        let known = set.iter().map(|(register, formula)| {
            let mut known = self.evaluate(state, formula);
            known.sources.picked |= picked;
            (*register, known)
        });
        let known: Vec<_> = known.collect();
        known.into_iter().for_each(|(register, known)| state.set(register, known));
    }

    pub(super) fn constant(&mut self, value: Value) -> TrackedValue {
        TrackedValue { value: self.expressions.constant(value), sources: Sources::default() }
    }
}
