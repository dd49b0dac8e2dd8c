//! The flags that AArch64 and x86 share: negative, zero, carry and overflow.
//!
//! Each flag is a register that holds 0 or 1, so a condition depends on the flags it names only, as in herd.

use super::{Formula, Register};
use crate::value::{Binary, Unary};

/// The flags, as registers of both instruction sets.
pub(super) const NEGATIVE: Register = Register(34);
pub(super) const ZERO: Register = Register(35);
pub(super) const CARRY: Register = Register(36);
pub(super) const OVERFLOW: Register = Register(37);

/// The values of the flags after an operation.
#[derive(Clone, Debug)]
pub(super) struct Flags {
    pub negative: Formula,
    pub zero: Formula,
    pub carry: Formula,
    pub overflow: Formula,
}

impl Flags {
    /// The flags after an addition of numbers with `bits` bits.
    pub(super) fn of_sum(first: Formula, second: Formula, bits: u8) -> Flags {
        let (first, second) = (first.at_top(bits), second.at_top(bits));
        let sum = first.clone().binary(Binary::Add, second.clone());
        let changes = first.clone().binary(Binary::Xor, sum.clone());
        let overflow = changes.binary(Binary::And, second.binary(Binary::Xor, sum.clone()));
        Flags {
            negative: is_negative(sum.clone()),
            zero: not(sum.clone()),
            carry: sum.binary(Binary::LessUnsigned, first),
            overflow: is_negative(overflow),
        }
    }

    /// The flags after a subtraction of numbers with `bits` bits. The carry says that the first is not below the
    /// second, both without a sign.
    pub(super) fn of_difference(first: Formula, second: Formula, bits: u8) -> Flags {
        // Addresses and instructions can be compared but not subtracted.
        let cut = |formula: &Formula| match bits {
            64 => formula.clone(),
            bits => formula.clone().unary(Unary::ZeroExtend(bits)),
        };
        let zero = cut(&first).binary(Binary::Equal, cut(&second));
        let (first, second) = (first.at_top(bits), second.at_top(bits));
        let difference = first.clone().binary(Binary::Subtract, second.clone());
        let changes = first.clone().binary(Binary::Xor, difference.clone());
        let differs = first.clone().binary(Binary::Xor, second.clone());
        Flags {
            negative: is_negative(difference),
            zero,
            carry: not(first.binary(Binary::LessUnsigned, second)),
            overflow: is_negative(changes.binary(Binary::And, differs)),
        }
    }

    /// The flags after an operation that has neither a carry nor an overflow, by its result.
    pub(super) fn of_result(result: Formula, bits: u8) -> Flags {
        let result = result.at_top(bits);
        Flags {
            negative: is_negative(result.clone()),
            zero: not(result),
            carry: Formula::number(0),
            overflow: Formula::number(0),
        }
    }

    /// The flags as registers with their values.
    pub(super) fn set(self) -> Vec<(Register, Formula)> {
        vec![
            (NEGATIVE, self.negative),
            (ZERO, self.zero),
            (CARRY, self.carry),
            (OVERFLOW, self.overflow),
        ]
    }
}

fn is_negative(formula: Formula) -> Formula {
    formula.binary(Binary::Less, Formula::number(0))
}

/// 1 if the formula is 0, else 0.
pub(super) fn not(formula: Formula) -> Formula {
    formula.binary(Binary::Equal, Formula::number(0))
}

/// The value of a flag.
pub(super) fn flag(register: Register) -> Formula {
    Formula::Register(register)
}

/// Whether the first number of a comparison was less than the second, both with a sign.
pub(super) fn less() -> Formula {
    flag(NEGATIVE).binary(Binary::NotEqual, flag(OVERFLOW))
}

/// Whether the first number of a comparison was greater than the second, both with a sign.
pub(super) fn greater() -> Formula {
    not(less()).binary(Binary::And, not(flag(ZERO)))
}
