//! [`Registers`]: the values of a thread's integer registers, as far as the trace shows them.
//!
//! The line of a store-conditional or an atomic operation does not show the value that is written. It is computed from
//! a register, whose value was shown by the line of the instruction that wrote the register. A value that is no longer
//! certain is forgotten, and so are the loads that it was computed from ([`Flow`]).

use std::collections::VecDeque;

use crate::flow::Flow;
use crate::instruction::Instruction;

/// Registers of a hardware thread.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    values: [Option<u64>; 32],
    /// The address of the last instruction, and the target that it may branch to.
    next: Option<(u64, Target)>,
    /// Return addresses of the latest calls.
    returns: VecDeque<u64>,
    /// The loads that the values of registers were computed from.
    pub flow: Flow,
}

/// The target that an instruction may branch to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The instruction is no branch, or its target is not known.
    None,
    Address(u64),
    /// A symbol and a distance from it, such as `main+4`.
    Symbol(Box<[u8]>),
    /// An address that the trace does not show; it may be the return address of an earlier call.
    Return,
}

/// A branch that tests a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    pub register: usize,
    /// Whether the branch is taken if the register is 0 (`cbz`), and not if it is not 0 (`cbnz`).
    pub if_zero: bool,
    /// Size of the branch in bytes.
    pub length: u64,
    /// The target of the branch, if the line shows it.
    pub target: Option<u64>,
}

/// Size of the longest instruction, in bytes.
const LONGEST: u64 = 4;
/// Largest number of calls whose return is expected.
const MOST_CALLS: usize = 64;

impl Registers {
    /// The value of a register, if it is known.
    pub(super) fn get(&self, register: usize) -> Option<u64> {
        self.values.get(register).copied().flatten()
    }

    /// Notes the value that an instruction wrote to a register; `None` if it is not known.
    pub(super) fn set(&mut self, register: usize, value: Option<u64>) {
        if let Some(slot) = self.values.get_mut(register) {
            *slot = value;
        }
    }

    /// Forgets all values, since any register may have been written.
    pub(super) fn forget(&mut self) {
        self.values = [None; 32];
    }

    /// Notes that the instruction of a line is executed next. If the last one did not lead there, another program may
    /// have run in between, and all values are forgotten.
    pub(super) fn arrive(&mut self, line: &Instruction<'_>) {
        let last = self.next.take();
        let is_expected = line.pc.is_some_and(|pc| match &last {
            // The first instruction of the thread.
            None => true,
            Some((last, _)) if pc == *last || pc.wrapping_sub(*last) <= LONGEST => true,
            Some((_, Target::Address(target))) => pc == *target,
            Some((_, Target::Symbol(target))) => line.symbol == Some(target),
            Some((_, Target::Return)) => self.returns.contains(&pc),
            Some((_, Target::None)) => false,
        });
        if !is_expected {
            self.forget();
            self.flow.lose_all();
        }
        self.next = line.pc.map(|pc| (pc, Target::None));
    }

    /// Notes that the last instruction may branch by an offset.
    pub(super) fn branch(&mut self, offset: Option<i64>) {
        if let (Some((pc, _)), Some(offset)) = (&self.next, offset) {
            let target = pc.wrapping_add_signed(offset);
            self.jump(Target::Address(target));
        }
    }

    /// Notes the target that the last instruction may branch to.
    pub(super) fn jump(&mut self, to: Target) {
        if let Some((_, target)) = &mut self.next {
            *target = to;
        }
    }

    /// Notes that the last instruction calls a function that returns to this address.
    pub(super) fn call(&mut self, behind: Option<u64>) {
        if self.returns.len() == MOST_CALLS {
            self.returns.pop_front();
        }
        self.returns.extend(behind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::instruction;

    #[test]
    fn what_is_not_certain_is_forgotten() {
        let mut registers = Registers::default();
        let arrive = |registers: &mut Registers, place: &str| {
            let line = format!("{place}    : nop : No_OpClass : ");
            registers.arrive(&instruction(&line));
        };
        arrive(&mut registers, "0x100");
        registers.set(5, Some(7));
        arrive(&mut registers, "0x104");
        assert_eq!(registers.get(5), Some(7));
        registers.branch(Some(-0x44));
        arrive(&mut registers, "0xc0");
        registers.call(Some(0xc4));
        registers.jump(Target::Symbol((*b"g+8").into()));
        arrive(&mut registers, "0x3008 @g+8");
        registers.jump(Target::Return);
        arrive(&mut registers, "0xc4");
        assert_eq!(registers.get(5), Some(7));
        registers.jump(Target::Return);
        arrive(&mut registers, "0x2000");
        assert_eq!(registers.get(5), None);
        assert_eq!(registers.get(99), None);
    }
}
