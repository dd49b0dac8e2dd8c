//! Jumps, and the addresses of instructions as values.

use history::Annotation;

use super::code::Operation;
use super::run::{PartialPath, Run, TrackedValue};
use super::{Constraint, End};
use crate::error::Error;
use crate::isa::{JumpTarget, MemoryAccess};
use crate::value::{Binary, CodeAddress, Value};

/// Largest number of rounds of a loop whose condition depends on no load.
const MOST_KNOWN_ROUNDS: usize = 10_000;

impl Run<'_> {
    pub(super) fn loads_code(&mut self, state: &PartialPath, access: &MemoryAccess) -> bool {
        let address = self.evaluate(state, &access.address);
        let known = self.expressions.as_constant(address.value);
        known.is_some_and(|value| value.code().is_some())
    }

    /// The instruction that a load of code returns. Such a load is no event: as nothing changes code, it takes part in
    /// no order that its dependencies do not state.
    ///
    /// # Errors
    /// Returns [`Error::Run`] if the address depends on a load, or is that of no instruction.
    pub(super) fn code_at(
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

    /// The address of the label that an instruction names.
    pub(super) fn label(&mut self, operation: &Operation<'_>) -> TrackedValue {
        self.constant(Value::Code(operation.label.unwrap_or(operation.address)))
    }

    pub(super) fn jump_target(
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
    pub(super) fn jump(
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
    pub(super) fn jump_to(
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
}
