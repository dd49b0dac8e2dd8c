//! Unfolds the program of a thread: [`Run`] keeps the unfinished paths, each a [`PartialPath`], and executes one
//! instruction of a path at a time.

use history::{Annotation, Kind};

use super::atomic;
use super::code::{self, Operation, Unfolding};
use super::{Constraint, End, Event, EventKind, Pairing, Path, Unfolded};
use crate::error::Error;
use crate::expression::{Expression, Expressions};
use crate::isa::{Formula, Instruction, MemoryAccess, REGISTERS, Register, Width};
use crate::test::LitmusTest;
use crate::value::{Binary, Location, Unary, Value};

/// Largest number of events of a thread, which is the number of bits of a set of events.
const MOST_EVENTS: usize = 64;
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
) -> Result<Unfolded, Error> {
    let operations = code::operations(test, &test.threads[thread])?;
    let mut expressions = Expressions::default();
    let start = PartialPath::new(test, thread, operations.len(), &mut expressions);
    let mut run = Run {
        test,
        operations: &operations,
        options,
        expressions,
        unfinished: vec![start],
        paths: Vec::new(),
    };
    while let Some(state) = run.unfinished.pop() {
        run.step(state)?;
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
    pub fn and(self, other: Sources) -> Sources {
        Sources { data: self.data | other.data, picked: self.picked | other.picked }
    }

    pub fn all(self) -> u64 {
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
    next: usize,
    registers: [Option<TrackedValue>; REGISTERS],
    pub events: Vec<Event>,
    constraints: Vec<Constraint>,
    /// The events that earlier branches depend on.
    control: u64,
    /// The events that the addresses of earlier accesses come from through a choice.
    picked_addresses: u64,
    /// The load that opened the reservation.
    reservation: Option<u8>,
    /// Per operation, the number of times that it jumped backwards.
    returns: Vec<u8>,
}

impl PartialPath {
    fn new(
        test: &LitmusTest,
        thread: usize,
        operations: usize,
        expressions: &mut Expressions,
    ) -> PartialPath {
        let mut registers = [None; REGISTERS];
        for (register, value) in test.registers.iter().filter(|(it, _)| it.thread == thread) {
            let known =
                TrackedValue { value: expressions.constant(*value), sources: Sources::default() };
            registers[usize::from(register.register.0)] = Some(known);
        }
        PartialPath {
            next: 0,
            registers,
            events: Vec::new(),
            constraints: Vec::new(),
            control: 0,
            picked_addresses: 0,
            reservation: None,
            returns: vec![0; operations],
        }
    }

    pub fn set(&mut self, register: Register, known: TrackedValue) {
        self.registers[usize::from(register.0)] = Some(known);
    }
}

/// The parts of an access that are known before its event is added.
#[derive(Clone, Copy)]
pub(super) struct Target {
    location: Location,
    pub width: Width,
    sources: Sources,
    pub line: usize,
}

impl Target {
    /// An event of this access that has no annotation, value or pair, and no dependency but that of the address.
    pub fn event(&self, kind: EventKind) -> Event {
        Event {
            kind,
            location: Some(self.location),
            width: self.width,
            annotation: Annotation::None,
            pairing: Pairing::Alone,
            pair: None,
            address: self.sources.data,
            data: 0,
            control: 0,
            choice: 0,
            written: None,
            line: self.line,
        }
    }
}

/// The event of a fence on a line of the test.
fn fence(kind: Kind, line: usize) -> Event {
    Event {
        kind: EventKind::Fence(kind),
        location: None,
        width: Width { bits: 0, signed: false },
        annotation: Annotation::None,
        pairing: Pairing::Alone,
        pair: None,
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
    operations: &'t [Operation<'t>],
    pub options: Unfolding,
    pub expressions: Expressions,
    pub unfinished: Vec<PartialPath>,
    paths: Vec<Path>,
}

impl Run<'_> {
    /// Runs the next instruction of a path.
    fn step(&mut self, mut state: PartialPath) -> Result<(), Error> {
        let Some(operation) = self.operations.get(state.next) else {
            self.finish(state, End::Program);
            return Ok(());
        };
        let line = operation.line;
        state.next += 1;
        match operation.instruction {
            // Sequences are flattened before.
            Instruction::Nothing | Instruction::Sequence(_) => self.unfinished.push(state),
            Instruction::Set(set) => {
                self.set_all(&mut state, set);
                self.unfinished.push(state);
            }
            Instruction::Select { target, condition, values } => {
                let condition = self.evaluate(&state, condition);
                for (mut state, holds) in self.fork(state, condition.value, line) {
                    let mut known = self.evaluate(&state, &values[usize::from(!holds)]);
                    known.sources.picked |= condition.sources.all();
                    state.set(*target, known);
                    self.unfinished.push(state);
                }
            }
            Instruction::Branch { condition, .. } => {
                self.branch(state, condition.as_ref(), operation)
            }
            Instruction::Fence(kind) => {
                let control = state.control | state.picked_addresses;
                let event = Event { control, ..fence(*kind, line) };
                self.add(&mut state, event)?;
                self.unfinished.push(state);
            }
            Instruction::Load { access, .. }
            | Instruction::Store { access, .. }
            | Instruction::StoreConditional { access, .. }
            | Instruction::Atomic { access, .. }
            | Instruction::CompareAndSwap { access, .. } => {
                for (state, target) in self.targets(state, access, line)? {
                    self.access(state, operation.instruction, target)?;
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self, state: PartialPath, end: End) {
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
                state.constraints.push(Constraint { condition, holds, line });
                (state, holds)
            })
            .into()
    }

    fn branch(
        &mut self,
        state: PartialPath,
        condition: Option<&Formula>,
        operation: &Operation<'_>,
    ) {
        let at = state.next - 1;
        let Some(condition) = condition else {
            self.jump(state, at, operation);
            return;
        };
        let condition = self.evaluate(&state, condition);
        for (mut state, is_taken) in self.fork(state, condition.value, operation.line) {
            state.control |= condition.sources.all();
            if is_taken {
                self.jump(state, at, operation);
            } else {
                self.unfinished.push(state);
            }
        }
    }

    fn jump(&mut self, mut state: PartialPath, at: usize, operation: &Operation<'_>) {
        if operation.target <= at {
            if usize::from(state.returns[at]) >= self.options.unroll {
                self.finish(state, End::LoopLimit(operation.line));
                return;
            }
            state.returns[at] += 1;
        }
        state.next = operation.target;
        self.unfinished.push(state);
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

    /// Sets registers all at once: every formula uses the values that registers had before.
    fn set_all(&mut self, state: &mut PartialPath, set: &[(Register, Formula)]) {
        let known =
            set.iter().map(|(register, formula)| (*register, self.evaluate(state, formula)));
        let known: Vec<_> = known.collect();
        known.into_iter().for_each(|(register, known)| state.set(register, known));
    }

    pub(super) fn constant(&mut self, value: Value) -> TrackedValue {
        TrackedValue { value: self.expressions.constant(value), sources: Sources::default() }
    }

    /// Forks a path by the location that an access addresses. A path on which the address is that of no location is
    /// finished with [`End::UnknownAddress`].
    ///
    /// # Errors
    /// Returns [`Error::Run`] if the address is a constant that is not the address of a location.
    fn targets(
        &mut self,
        state: PartialPath,
        access: &MemoryAccess,
        line: usize,
    ) -> Result<Vec<(PartialPath, Target)>, Error> {
        let address = self.evaluate(&state, &access.address);
        let target =
            |location| Target { location, width: access.width, sources: address.sources, line };
        if let Some(value) = self.expressions.as_constant(address.value) {
            let location = value.location().ok_or_else(|| Error::Run {
                file: self.test.file.clone(),
                line,
                what: format!("the address is {}, which is no location", self.test.show(value)),
            })?;
            return Ok(vec![(state, target(location))]);
        }
        let mut found = Vec::new();
        let mut elsewhere = state.clone();
        for location in 0..self.test.locations.len() {
            let location = Location(location as u16);
            let place = self.expressions.constant(Value::Address(location, 0));
            let condition = self.expressions.binary(Binary::Equal, address.value, place);
            let constraint = |holds| Constraint { condition, holds, line };
            elsewhere.constraints.push(constraint(false));
            let mut state = state.clone();
            state.constraints.push(constraint(true));
            found.push((state, target(location)));
        }
        self.finish(elsewhere, End::UnknownAddress(line));
        Ok(found)
    }

    /// The number of the next event of a path.
    ///
    /// # Errors
    /// Returns [`Error::TooLarge`] if the path has as many events as a set can hold.
    pub(super) fn next_event(&self, state: &PartialPath) -> Result<u8, Error> {
        let number = state.events.len();
        if number == MOST_EVENTS {
            return Err(Error::TooLarge {
                file: self.test.file.clone(),
                what: format!("a thread has more than {MOST_EVENTS} accesses and fences"),
            });
        }
        Ok(number as u8)
    }

    /// Adds an event, and returns its number.
    fn add(&mut self, state: &mut PartialPath, event: Event) -> Result<u8, Error> {
        let number = self.next_event(state)?;
        state.events.push(event);
        Ok(number)
    }

    /// Adds a read, and returns its number and the value read, extended to a register.
    pub(super) fn read(
        &mut self,
        state: &mut PartialPath,
        kind: EventKind,
        target: Target,
        annotation: Annotation,
    ) -> Result<(u8, TrackedValue), Error> {
        state.picked_addresses |= target.sources.picked;
        let control = state.control | state.picked_addresses;
        let event = Event { annotation, control, ..target.event(kind) };
        let number = self.add(state, event)?;
        let value = self.expressions.read(number);
        let value = self.extended(value, target.width);
        Ok((number, TrackedValue { value, sources: Sources { data: 1 << number, picked: 0 } }))
    }

    pub(super) fn extended(&mut self, value: Expression, width: Width) -> Expression {
        match width {
            Width { bits: 64, .. } => value,
            Width { bits, signed: true } => self.expressions.unary(Unary::SignExtend(bits), value),
            Width { bits, signed: false } => self.expressions.unary(Unary::ZeroExtend(bits), value),
        }
    }

    /// The value that memory holds after `value` was written with a width.
    fn stored(&mut self, value: Expression, width: Width) -> Expression {
        self.extended(value, Width { signed: false, ..width })
    }

    /// Adds a write, and returns its number.
    pub(super) fn write(
        &mut self,
        state: &mut PartialPath,
        target: Target,
        value: TrackedValue,
        event: Event,
    ) -> Result<u8, Error> {
        state.picked_addresses |= target.sources.picked;
        let event = Event {
            data: value.sources.data,
            control: state.control | state.picked_addresses,
            choice: value.sources.picked,
            written: Some(self.stored(value.value, target.width)),
            ..event
        };
        self.add(state, event)
    }

    fn access(
        &mut self,
        mut state: PartialPath,
        instruction: &Instruction,
        target: Target,
    ) -> Result<(), Error> {
        match instruction {
            Instruction::Load { target: register, access, exclusive } => {
                let read = self.read(&mut state, EventKind::Read, target, access.annotation)?;
                if *exclusive {
                    state.events[usize::from(read.0)].pairing = Pairing::Exclusive;
                    state.reservation = Some(read.0);
                }
                register.iter().for_each(|register| state.set(*register, read.1));
            }
            Instruction::Store { value, access } => {
                let value = self.evaluate(&state, value);
                let event =
                    Event { annotation: access.annotation, ..target.event(EventKind::Write) };
                self.write(&mut state, target, value, event)?;
            }
            Instruction::StoreConditional { status, value, access, status_depends } => {
                let mut failed = state.clone();
                failed.reservation = None;
                let one = self.constant(Value::Number(1));
                status.iter().for_each(|status| failed.set(*status, one));
                self.unfinished.push(failed);
                let opened = state.reservation.take();
                let is_same =
                    |load: &u8| state.events[usize::from(*load)].location == Some(target.location);
                let Some(load) = opened.filter(is_same) else {
                    return Ok(());
                };
                let value = self.evaluate(&state, value);
                let event = Event {
                    annotation: access.annotation,
                    pairing: Pairing::Exclusive,
                    pair: Some(load),
                    ..target.event(EventKind::Write)
                };
                let store = self.write(&mut state, target, value, event)?;
                let mut zero = self.constant(Value::ZERO);
                zero.sources.data = if *status_depends { 1 << store } else { 0 };
                status.iter().for_each(|status| state.set(*status, zero));
            }
            Instruction::Atomic { target: register, update, access, atomicity, then } => {
                let annotation = access.annotation;
                let access = atomic::Access {
                    target,
                    annotation,
                    atomicity: *atomicity,
                    register: *register,
                };
                self.atomic(&mut state, access, update)?;
                self.set_all(&mut state, then);
            }
            Instruction::CompareAndSwap {
                target: register,
                expected,
                value,
                access,
                atomicity,
                success,
            } => {
                let annotation = access.annotation;
                let access = atomic::Access {
                    target,
                    annotation,
                    atomicity: *atomicity,
                    register: *register,
                };
                let swap = atomic::Swap { expected, value, success: *success };
                return self.compare_and_swap(state, access, &swap);
            }
            _ => {}
        }
        self.unfinished.push(state);
        Ok(())
    }
}
