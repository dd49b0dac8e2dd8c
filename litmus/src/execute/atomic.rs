//! Atomic instructions: exchanges, updates, and compare-and-swap.

use history::{Annotation, Isa};

use super::access::Target;
use super::run::{PartialPath, Run, Sources, TrackedValue};
use super::{Constraint, Event, EventKind, Pairing};
use crate::error::Error;
use crate::expression::Expression;
use crate::isa::{Atomicity, Formula, Register, SCRATCH, STORED, Update};
use crate::value::{Binary, Unary, Value};

/// The acquire part of an annotation, which the read of a split instruction keeps.
fn acquire(annotation: Annotation) -> Annotation {
    match annotation {
        Annotation::AcquireRelease => Annotation::Acquire,
        Annotation::Release => Annotation::None,
        other => other,
    }
}

/// The release part of an annotation, which the write of a split instruction keeps.
fn release(annotation: Annotation) -> Annotation {
    if annotation.releases() { Annotation::Release } else { Annotation::None }
}

/// An instruction that reads and perhaps writes.
#[derive(Clone, Copy)]
pub(super) struct Access {
    /// The location, the width and the line of the access.
    pub target: Target,
    /// Whether the instruction acquires, releases or both.
    pub annotation: Annotation,
    /// Whether writes of other threads may come between the read and the write.
    pub atomicity: Atomicity,
    /// The register that takes the value loaded.
    pub register: Option<Register>,
}

/// The operands of a compare-and-swap.
pub(super) struct Swap<'i> {
    /// The value that memory has to hold.
    pub expected: &'i Formula,
    /// The value to store.
    pub value: &'i Formula,
    /// The register that becomes 1 if the value was stored and 0 if not.
    pub success: Option<Register>,
}

/// The operands of a compare-and-swap of two places that follow each other.
pub(super) struct PairSwap<'i> {
    /// The registers that take the values loaded.
    pub targets: &'i [Option<Register>; 2],
    /// The values that memory has to hold.
    pub expected: &'i [Formula; 2],
    /// The values to store.
    pub values: &'i [Formula; 2],
}

/// How a compare-and-swap of a pair ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PairEnd {
    /// It stores the new values.
    Stores,
    /// It stores nothing.
    Fails,
    /// It stores what it loaded.
    WritesBack,
}

impl Run<'_> {
    /// Whether the read and the write of an instruction are two events.
    fn splits(&self, access: Access) -> bool {
        access.atomicity == Atomicity::Separate || self.options.splits_atomics
    }

    /// Whether it matters that the write of an atomic instruction depends on its own read: only Armv8 counts what
    /// depends on a later read of the location as depending on that read.
    fn has_dependencies_within(&self) -> bool {
        self.test.architecture.isa() == Isa::Arm
    }

    /// Runs an instruction that loads a value and always stores one.
    pub(super) fn atomic(
        &mut self,
        state: &mut PartialPath,
        access: Access,
        update: &Update,
    ) -> Result<(), Error> {
        let (Update::Exchange(operand) | Update::Apply(_, operand)) = update;
        let operand = self.evaluate(state, operand);
        let loaded = self.loaded(state, access.target)?;
        let stored = self.updated(update, access.target, loaded, operand);
        let sources = match access.atomicity {
            Atomicity::Atomic if !self.has_dependencies_within() => operand.sources,
            Atomicity::Atomic | Atomicity::Separate => stored.sources,
        };
        let written = TrackedValue { sources, ..stored };
        if self.splits(access) {
            let read = self.first(state, access)?;
            self.second(state, access, read, written)?;
        } else {
            self.one_event(state, access, written)?;
        }
        access.register.into_iter().for_each(|register| state.set(register, loaded));
        state.set(STORED, stored);
        Ok(())
    }

    /// The value that the next event loads, extended to a register.
    fn loaded(&mut self, state: &PartialPath, target: Target) -> Result<TrackedValue, Error> {
        let number = self.next_event(state)?;
        let value = self.expressions.read(number);
        let value = self.extended(value, target.width);
        Ok(TrackedValue { value, sources: Sources { data: 1 << number, picked: 0 } })
    }

    fn one_event(
        &mut self,
        state: &mut PartialPath,
        access: Access,
        written: TrackedValue,
    ) -> Result<(), Error> {
        // As in `first`: what AArch64's instruction discards is not returned.
        let annotation = match access.register {
            None if !self.has_dependencies_within() => access.annotation,
            None if access.annotation.releases() => Annotation::NoReturnRelease,
            None => Annotation::NoReturn,
            Some(_) => access.annotation,
        };
        let event = Event {
            annotation,
            pairing: Pairing::Instruction,
            ..access.target.event(EventKind::Update)
        };
        self.write(state, access.target, written, event)?;
        Ok(())
    }

    /// Adds the read of an instruction whose write is another event, and returns the number of the read.
    fn first(&mut self, state: &mut PartialPath, access: Access) -> Result<u8, Error> {
        let is_pair = access.atomicity == Atomicity::Atomic;
        // An instruction that discards the value loaded has no acquire.
        let annotation = match access.register {
            None if is_pair => Annotation::NoReturn,
            _ => acquire(access.annotation),
        };
        let (number, _) = self.read(state, EventKind::Read, access.target, annotation)?;
        let event = &mut state.events[usize::from(number)];
        event.pairing = if is_pair { Pairing::Instruction } else { Pairing::Alone };
        Ok(number)
    }

    /// Adds the write of an instruction whose read was event number `read`.
    fn second(
        &mut self,
        state: &mut PartialPath,
        access: Access,
        read: u8,
        written: TrackedValue,
    ) -> Result<(), Error> {
        let is_pair = access.atomicity == Atomicity::Atomic;
        let event = Event {
            annotation: release(access.annotation),
            pairing: if is_pair { Pairing::Instruction } else { Pairing::Alone },
            pair: is_pair.then_some(read),
            ..access.target.event(EventKind::Write)
        };
        self.write(state, access.target, written, event)?;
        Ok(())
    }

    /// The value that an update stores.
    fn updated(
        &mut self,
        update: &Update,
        target: Target,
        loaded: TrackedValue,
        operand: TrackedValue,
    ) -> TrackedValue {
        let Update::Apply(operation, _) = update else {
            return operand;
        };
        let bits = target.width.bits;
        let cut = match operation {
            Binary::Minimum | Binary::Maximum => Unary::SignExtend(bits),
            _ => Unary::ZeroExtend(bits),
        };
        let first = self.cut(cut, loaded.value, bits);
        let second = self.cut(cut, operand.value, bits);
        let value = self.expressions.binary(*operation, first, second);
        TrackedValue { value, sources: loaded.sources.and(operand.sources) }
    }

    fn cut(&mut self, cut: Unary, value: Expression, bits: u8) -> Expression {
        if bits == 64 { value } else { self.expressions.unary(cut, value) }
    }

    /// Runs an instruction that stores only if memory holds the expected value: the path forks into success and
    /// failure.
    pub(super) fn compare_and_swap(
        &mut self,
        state: PartialPath,
        access: Access,
        swap: &Swap<'_>,
    ) -> Result<(), Error> {
        let bits = access.target.width.bits;
        let expected = self.evaluate(&state, swap.expected);
        let wanted = self.cut(Unary::ZeroExtend(bits), expected.value, bits);
        let loaded = self.loaded(&state, access.target)?;
        let found = self.cut(Unary::ZeroExtend(bits), loaded.value, bits);
        let compared = self.expressions.binary(Binary::Equal, found, wanted);
        for (mut state, is_equal) in self.fork(state, compared, access.target.line) {
            let within = if self.has_dependencies_within() { loaded.sources.data } else { 0 };
            let picked = expected.sources.all() | within;
            if is_equal {
                let mut value = self.evaluate(&state, swap.value);
                value.sources.picked |= picked;
                self.swap(&mut state, access, value)?;
            } else if self.splits(access) {
                if access.atomicity == Atomicity::Atomic {
                    self.write_back(state.clone(), access, loaded, picked)?;
                }
                self.first(&mut state, access)?;
            } else {
                let kind = EventKind::FailedUpdate;
                self.read(&mut state, kind, access.target, access.annotation)?;
            }
            if let Some(success) = swap.success {
                let known = self.constant(Value::Number(i64::from(is_equal)));
                let sources = loaded.sources.and(expected.sources);
                state.set(success, TrackedValue { sources, ..known });
            }
            self.keep(state, access, loaded, expected.sources, is_equal);
        }
        Ok(())
    }

    /// Adds the path on which AArch64's compare-and-swap fails and writes back what it loaded, which it may do.
    fn write_back(
        &mut self,
        mut state: PartialPath,
        access: Access,
        loaded: TrackedValue,
        picked: u64,
    ) -> Result<(), Error> {
        let sources = Sources { data: loaded.sources.data, picked };
        self.swap(&mut state, access, TrackedValue { sources, ..loaded })?;
        access.register.into_iter().for_each(|register| state.set(register, loaded));
        self.unfinished.push(state);
        Ok(())
    }

    /// Adds the accesses of a compare-and-swap that stores.
    fn swap(
        &mut self,
        state: &mut PartialPath,
        access: Access,
        value: TrackedValue,
    ) -> Result<(), Error> {
        if self.splits(access) {
            let read = self.first(state, access)?;
            self.second(state, access, read, value)
        } else {
            self.one_event(state, access, value)
        }
    }

    /// Sets the register that takes the value loaded. In AArch64, after a success the register may instead keep the
    /// value that was expected. The values are equal but their dependencies differ, so the path forks, as in herd.
    fn keep(
        &mut self,
        mut state: PartialPath,
        access: Access,
        loaded: TrackedValue,
        expected: Sources,
        is_equal: bool,
    ) {
        if is_equal && access.atomicity == Atomicity::Atomic && self.has_dependencies_within() {
            let picked = loaded.sources.all() | expected.all();
            let compared =
                TrackedValue { sources: Sources { data: expected.data, picked }, ..loaded };
            let mut state = state.clone();
            access.register.into_iter().for_each(|register| state.set(register, compared));
            self.unfinished.push(state);
        }
        access.register.into_iter().for_each(|register| state.set(register, loaded));
        self.unfinished.push(state);
    }

    /// Runs a compare-and-swap of two places, as two of AArch64's atomic instructions that succeed or fail together.
    ///
    /// # Errors
    /// Returns [`Error::Run`] for a model in which atomic instructions are one event, which the two places are not.
    pub(super) fn compare_and_swap_pair(
        &mut self,
        state: PartialPath,
        places: [Target; 2],
        annotation: Annotation,
        swap: &PairSwap<'_>,
    ) -> Result<(), Error> {
        if !self.options.splits_atomics {
            let what = "a compare-and-swap of a pair is supported under armv8 only";
            return Err(self.error(places[0].line, what.to_owned()));
        }
        let expected = [0, 1].map(|at| self.evaluate(&state, &swap.expected[at]));
        for end in [PairEnd::Stores, PairEnd::Fails, PairEnd::WritesBack] {
            let mut state = state.clone();
            state.has_forked = true;
            let first = self.next_event(&state)?;
            // Each write directly follows its read.
            let numbers = [first, first + if end == PairEnd::Fails { 1 } else { 2 }];
            let loaded = [0, 1].map(|at: usize| {
                let value = self.expressions.read(numbers[at]);
                let value = self.extended(value, places[at].width);
                let sources = Sources { data: 1 << numbers[at], picked: 0 };
                TrackedValue { value, sources }
            });
            let condition = self.equal_pair(places, loaded, expected);
            let line = places[0].line;
            state.constraints.push(Constraint { condition, holds: end == PairEnd::Stores, line });
            let compared = expected[0].sources.and(expected[1].sources).all();
            let all_loaded = loaded[0].sources.and(loaded[1].sources);
            let within = if self.has_dependencies_within() { all_loaded.data } else { 0 };
            for at in [0, 1] {
                let access = Access {
                    target: places[at],
                    annotation,
                    atomicity: Atomicity::Atomic,
                    register: swap.targets[at].or(Some(SCRATCH)),
                };
                let mut value = match end {
                    PairEnd::Stores => self.evaluate(&state, &swap.values[at]),
                    _ => loaded[at],
                };
                // What the first write takes from the second read is not stated, so that nothing may read the writes
                // in this thread.
                let earlier = (1 << (numbers[at] + 1)) - 1;
                value.sources.picked |= compared | within & earlier;
                if end == PairEnd::Fails {
                    self.first(&mut state, access)?;
                } else {
                    self.swap(&mut state, access, value)?;
                }
            }
            let take = |state: &mut PartialPath, values: [TrackedValue; 2]| {
                for (target, value) in swap.targets.iter().zip(values) {
                    target.iter().for_each(|target| state.set(*target, value));
                }
            };
            if end != PairEnd::Fails {
                state.written_pairs.push(places[0].location);
            }
            if end == PairEnd::Stores {
                // As for one place, the registers may keep what was expected.
                let picked = all_loaded.all() | compared;
                let kept = [0, 1].map(|at| {
                    let sources = Sources { data: expected[at].sources.data, picked };
                    TrackedValue { sources, ..loaded[at] }
                });
                let mut state = state.clone();
                take(&mut state, kept);
                self.unfinished.push(state);
            }
            take(&mut state, loaded);
            self.unfinished.push(state);
        }
        Ok(())
    }

    /// Whether both places hold what is expected.
    fn equal_pair(
        &mut self,
        places: [Target; 2],
        loaded: [TrackedValue; 2],
        expected: [TrackedValue; 2],
    ) -> Expression {
        let equal = [0, 1].map(|at: usize| {
            let bits = places[at].width.bits;
            let found = self.cut(Unary::ZeroExtend(bits), loaded[at].value, bits);
            let wanted = self.cut(Unary::ZeroExtend(bits), expected[at].value, bits);
            self.expressions.binary(Binary::Equal, found, wanted)
        });
        self.expressions.binary(Binary::And, equal[0], equal[1])
    }
}
