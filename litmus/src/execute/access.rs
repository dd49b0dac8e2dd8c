//! Loads and stores: where they go, and the events that they add to a path.

use history::Annotation;

use super::atomic;
use super::run::{PartialPath, Run, Sources, TrackedValue};
use super::{Constraint, End, Event, EventKind, Pairing};
use crate::error::Error;
use crate::expression::Expression;
use crate::isa::{Architecture, Instruction, MemoryAccess, Width};
use crate::value::{Binary, Location, Unary, Value};

/// Largest number of events of a thread, which is the number of bits of a set of events.
const MOST_EVENTS: usize = 64;

/// The parts of an access that are known before its event is added.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub location: Location,
    /// The number of bytes of the location before those that are accessed.
    offset: u16,
    pub width: Width,
    sources: Sources,
    pub line: usize,
}

impl Target {
    /// An event of this access that has no annotation, value or pair, and no dependency but that of the address.
    pub(super) fn event(&self, kind: EventKind) -> Event {
        Event {
            kind,
            location: Some(self.location),
            offset: self.offset,
            width: self.width,
            annotation: Annotation::None,
            pairing: Pairing::Alone,
            pair: None,
            group: None,
            address: self.sources.data,
            data: 0,
            control: 0,
            choice: 0,
            written: None,
            line: self.line,
        }
    }
}

impl Run<'_> {
    /// Forks a path by the bytes that an access addresses. A path on which the address is that of no location is
    /// finished with [`End::UnknownAddress`].
    ///
    /// # Errors
    /// Returns [`Error::Run`] if the address is a constant that is not one in a location.
    pub(super) fn targets(
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
    pub(super) fn add(&mut self, state: &mut PartialPath, event: Event) -> Result<u8, Error> {
        let number = self.next_event(state)?;
        state.events.push(Event { group: state.group, ..event });
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
        if state.written_pairs.contains(&target.location) {
            let what =
                "reading what a compare-and-swap of a pair wrote in this thread is not supported";
            return Err(self.error(target.line, what.to_owned()));
        }
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

    pub(super) fn access(
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
                    if state.group.is_none_or(|first| first == read.0) {
                        state.reservation.clear();
                    }
                    state.reservation.push(read.0);
                }
                register.iter().for_each(|register| state.set(*register, read.1));
            }
            Instruction::Store { value, access } => {
                let value = self.evaluate(&state, value);
                let event =
                    Event { annotation: access.annotation, ..target.event(EventKind::Write) };
                self.write(&mut state, target, value, event)?;
            }
            Instruction::StoreConditional { status, values, access, status_depends } => {
                state.has_forked = true;
                let mut failed = state.clone();
                failed.reservation.clear();
                let one = self.constant(Value::Number(1));
                status.iter().for_each(|status| failed.set(*status, one));
                self.unfinished.push(failed);
                let opened = std::mem::take(&mut state.reservation);
                let mut targets = vec![target];
                for _ in 1..values.len() {
                    targets.push(self.following(targets[targets.len() - 1])?);
                }
                let reserved = opened.iter().zip(&targets);
                let all_reserved = reserved.clone().all(|(load, target)| {
                    self.is_reserved(&state.events[usize::from(*load)], target)
                });
                if opened.len() != values.len() || !all_reserved {
                    return Ok(());
                }
                let mut stores = 0;
                for ((load, target), value) in reserved.zip(values) {
                    let value = self.evaluate(&state, value);
                    let event = Event {
                        annotation: access.annotation,
                        pairing: Pairing::Exclusive,
                        pair: Some(*load),
                        ..target.event(EventKind::Write)
                    };
                    stores |= 1 << self.write(&mut state, *target, value, event)?;
                }
                let mut zero = self.constant(Value::ZERO);
                zero.sources.data = if *status_depends { stores } else { 0 };
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
            Instruction::CompareAndSwapPair { targets, expected, values, access } => {
                let places = [target, self.following(target)?];
                let swap = atomic::PairSwap { targets, expected, values };
                return self.compare_and_swap_pair(state, places, access.annotation, &swap);
            }
            _ => {}
        }
        self.unfinished.push(state);
        Ok(())
    }

    /// The access of the same size directly after another one.
    ///
    /// # Errors
    /// Returns [`Error::Run`] if it is not within the location.
    fn following(&self, target: Target) -> Result<Target, Error> {
        let bytes = u16::from(target.width.bits / 8);
        let address = Value::Address(target.location, i64::from(target.offset + bytes));
        let (_, offset) = self.place(address, bytes).map_err(|what| {
            let address = self.test.show(address);
            self.error(target.line, format!("the second address is {address}, {what}"))
        })?;
        Ok(Target { offset, ..target })
    }

    /// Whether an exclusive load reserved the place of a store.
    fn is_reserved(&self, load: &Event, target: &Target) -> bool {
        let is_wide = match self.test.architecture {
            Architecture::RiscV => load.width.bits >= target.width.bits,
            _ => load.width.bits == target.width.bits,
        };
        load.location == Some(target.location) && load.offset == target.offset && is_wide
    }
}
