//! Unfolds the program of a thread: [`Run`] keeps the unfinished paths, each a [`PartialPath`], and executes one
//! instruction of a path at a time.

use history::{Annotation, Kind};

use super::atomic;
use super::code::{Code, Operation, Unfolding};
use super::{Constraint, End, Event, EventKind, Pairing, Path, Unfolded};
use crate::error::Error;
use crate::expression::{Expression, Expressions};
use crate::isa::{
    Architecture, Formula, Instruction, JumpTarget, MemoryAccess, REGISTERS, Register, Width,
};
use crate::test::LitmusTest;
use crate::value::{Binary, CodeAddress, Location, Unary, Value};

/// Largest number of events of a thread, which is the number of bits of a set of events.
const MOST_EVENTS: usize = 64;
/// Largest number of rounds of a loop whose condition depends on no load.
const MOST_KNOWN_ROUNDS: usize = 10_000;
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
    let code = Code::of(test)?;
    let mut expressions = Expressions::default();
    let start = PartialPath::new(test, thread, &code, &mut expressions);
    let mut run =
        Run { test, code: &code, options, expressions, unfinished: vec![start], paths: Vec::new() };
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
    /// Whether the path forked since it last jumped backwards.
    has_forked: bool,
    /// Per operation, the number of times that it jumped backwards.
    returns: Vec<u16>,
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
            reservation: None,
            has_forked: false,
            returns: vec![0; code.operations.len()],
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
    /// The number of bytes of the location before those that are accessed.
    offset: u16,
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
            offset: self.offset,
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
        offset: 0,
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
    code: &'t Code<'t>,
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
        state.next += 1;
        match instruction {
            // Sequences are flattened before.
            Instruction::Nothing | Instruction::Sequence(_) => self.unfinished.push(state),
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
            | Instruction::CompareAndSwap { access, .. } => {
                for (state, target) in self.targets(state, access, line)? {
                    self.access(state, instruction, target)?;
                }
            }
        }
        Ok(())
    }

    fn loads_code(&mut self, state: &PartialPath, access: &MemoryAccess) -> bool {
        let address = self.evaluate(state, &access.address);
        let known = self.expressions.as_constant(address.value);
        known.is_some_and(|value| value.code().is_some())
    }

    /// The instruction that a load of code returns. Such a load is no event: as nothing changes code, it takes part in
    /// no order that its dependencies do not state.
    ///
    /// # Errors
    /// Returns [`Error::Run`] if the address depends on a load, or is that of no instruction.
    fn code_at(
        &mut self,
        state: &PartialPath,
        access: &MemoryAccess,
        line: usize,
    ) -> Result<TrackedValue, Error> {
        let address = self.evaluate(state, &access.address);
        let place = self.expressions.as_constant(address.value).and_then(Value::code);
        let is_plain = access.width.bits == 32 && access.annotation == Annotation::None;
        let step = place.filter(|_| is_plain && address.sources.all() == 0).and_then(|place| {
            self.test.threads[usize::from(place.thread)].steps.get(usize::from(place.step))
        });
        match step {
            Some(step) => Ok(self.constant(step.value)),
            None => {
                let what =
                    "only plain loads of 32 bits from a fixed place in the code are supported";
                Err(self.error(line, what.to_owned()))
            }
        }
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
                state.has_forked = true;
                state.constraints.push(Constraint { condition, holds, line });
                (state, holds)
            })
            .into()
    }

    /// The address of the label that an instruction names.
    fn label(&mut self, operation: &Operation<'_>) -> TrackedValue {
        self.constant(Value::Code(operation.label.unwrap_or(operation.address)))
    }

    fn jump_target(
        &mut self,
        state: &PartialPath,
        operation: &Operation<'_>,
        target: &JumpTarget,
    ) -> TrackedValue {
        match target {
            JumpTarget::Label(_) => self.label(operation),
            JumpTarget::Address(target) => self.evaluate(state, target),
        }
    }

    /// Continues a path at the target of a jump. A path whose target is not known forks by where it goes. `counts` says
    /// whether the jump is one of those that [`Unfolding::unroll`] limits.
    ///
    /// # Errors
    /// Returns [`Error::Run`] if the target is a constant that is not the address of an instruction.
    fn jump(
        &mut self,
        mut state: PartialPath,
        operation: &Operation<'_>,
        target: TrackedValue,
        counts: bool,
    ) -> Result<(), Error> {
        let line = operation.line;
        state.control |= target.sources.all();
        if let Some(value) = self.expressions.as_constant(target.value) {
            let is_inside = |address: &CodeAddress| self.code.index(*address).is_some();
            let Some(address) = value.code().filter(is_inside) else {
                let what =
                    format!("the jump goes to {}, where no instruction is", self.test.show(value));
                return Err(self.error(line, what));
            };
            self.jump_to(state, operation, address, counts);
            return Ok(());
        }
        let code = self.code;
        let mut elsewhere = state.clone();
        for address in &code.entries {
            let entry = self.expressions.constant(Value::Code(*address));
            let condition = self.expressions.binary(Binary::Equal, target.value, entry);
            let constraint = |holds| Constraint { condition, holds, line };
            elsewhere.constraints.push(constraint(false));
            let mut state = state.clone();
            state.constraints.push(constraint(true));
            self.jump_to(state, operation, *address, counts);
        }
        self.finish(elsewhere, End::UnknownAddress(line));
        Ok(())
    }

    /// Continues a path at an address. A jump backwards within a program may make a loop, whose rounds are limited.
    fn jump_to(
        &mut self,
        mut state: PartialPath,
        operation: &Operation<'_>,
        address: CodeAddress,
        counts: bool,
    ) {
        let from = operation.address;
        if address.thread == from.thread && address <= from {
            let count = &mut state.returns[state.next - 1];
            let limit = if counts { self.options.unroll } else { MOST_KNOWN_ROUNDS };
            if usize::from(*count) >= limit {
                self.finish(state, End::LoopLimit(operation.line));
                return;
            }
            *count += 1;
            state.has_forked = false;
        }
        state.next = self.code.index(address).unwrap_or(state.next);
        self.unfinished.push(state);
    }

    fn error(&self, line: usize, what: String) -> Error {
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

    /// Forks a path by the bytes that an access addresses. A path on which the address is that of no location is
    /// finished with [`End::UnknownAddress`].
    ///
    /// # Errors
    /// Returns [`Error::Run`] if the address is a constant that is not one in a location.
    fn targets(
        &mut self,
        state: PartialPath,
        access: &MemoryAccess,
        line: usize,
    ) -> Result<Vec<(PartialPath, Target)>, Error> {
        let address = self.evaluate(&state, &access.address);
        let target = |location, offset| Target {
            location,
            offset,
            width: access.width,
            sources: address.sources,
            line,
        };
        let bytes = u16::from(access.width.bits / 8);
        if let Some(value) = self.expressions.as_constant(address.value) {
            let place = match self.place(value, bytes) {
                Ok(place) => place,
                // The path may be impossible.
                Err(_) if !state.constraints.is_empty() => {
                    self.finish(state, End::UnknownAddress(line));
                    return Ok(Vec::new());
                }
                Err(what) => {
                    let what = format!("the address is {}, {what}", self.test.show(value));
                    return Err(self.error(line, what));
                }
            };
            return Ok(vec![(state, target(place.0, place.1))]);
        }
        let mut found = Vec::new();
        let mut elsewhere = state.clone();
        for (location, of_type) in self.test.types.iter().enumerate() {
            let location = Location(location as u16);
            let last = of_type.size().saturating_sub(usize::from(bytes));
            for offset in (0..=last).step_by(usize::from(bytes)) {
                let place = self.expressions.constant(Value::Address(location, offset as i64));
                let condition = self.expressions.binary(Binary::Equal, address.value, place);
                let constraint = |holds| Constraint { condition, holds, line };
                elsewhere.constraints.push(constraint(false));
                let mut state = state.clone();
                state.constraints.push(constraint(true));
                found.push((state, target(location, offset as u16)));
            }
        }
        self.finish(elsewhere, End::UnknownAddress(line));
        Ok(found)
    }

    /// The location at an address, and the number of its bytes before the address. The error is the end of a message.
    fn place(&self, address: Value, bytes: u16) -> Result<(Location, u16), String> {
        let (location, offset) = match address {
            Value::Address(location, offset) => (location, offset),
            Value::Number(_) | Value::Instruction(_) => {
                return Err("which is no location".to_owned());
            }
            Value::Code(_) => return Err("and changing code is not supported".to_owned()),
        };
        let of_type = &self.test.types[usize::from(location.0)];
        // A location that is not declared has the size of its accesses.
        let size = if of_type.is_declared { of_type.size() } else { of_type.size().max(8) };
        let end = usize::try_from(offset).ok().map(|offset| offset + usize::from(bytes));
        let (Some(_), Ok(offset)) = (end.filter(|end| *end <= size), u16::try_from(offset)) else {
            let name = self.test.location_name(location);
            return Err(format!(
                "and {bytes} bytes from there are not all in `{name}`, which has {size}"
            ));
        };
        if !offset.is_multiple_of(bytes) && self.test.architecture != Architecture::RiscV {
            return Err(format!(
                "which is not a multiple of {bytes}: such accesses are not supported"
            ));
        }
        Ok((location, offset))
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
                state.has_forked = true;
                let mut failed = state.clone();
                failed.reservation = None;
                let one = self.constant(Value::Number(1));
                status.iter().for_each(|status| failed.set(*status, one));
                self.unfinished.push(failed);
                let opened = state.reservation.take();
                let is_same = |load: &u8| {
                    let load = &state.events[usize::from(*load)];
                    let is_wide = match self.test.architecture {
                        Architecture::RiscV => load.width.bits >= target.width.bits,
                        _ => load.width.bits == target.width.bits,
                    };
                    load.location == Some(target.location)
                        && load.offset == target.offset
                        && is_wide
                };
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
            Instruction::Atomic { target: register, update, access, atomicity } => {
                let annotation = access.annotation;
                let access = atomic::Access {
                    target,
                    annotation,
                    atomicity: *atomicity,
                    register: *register,
                };
                self.atomic(&mut state, access, update)?;
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
