//! Instructions that use the flags: condition codes, conditional selections and comparisons, and the flags as a
//! system register.

use super::super::flags::{CARRY, NEGATIVE, OVERFLOW, ZERO, flag, greater, less, not};
use super::super::operands::{Operand, unexpected};
use super::super::{Formula, Instruction, Register};
use super::data::{Operation, second_operand};
use super::{Decoded, named};
use crate::value::{Binary, Unary};

/// The formula that is nonzero if a condition code holds, of which some have another name after the comparisons of
/// scalable vectors; `None` for an unknown code.
pub(super) fn condition_holds(name: &str) -> Option<Formula> {
    let higher = || flag(CARRY).binary(Binary::And, not(flag(ZERO)));
    Some(match name.to_ascii_uppercase().as_str() {
        "EQ" | "NONE" => flag(ZERO),
        "NE" | "ANY" => not(flag(ZERO)),
        "CS" | "HS" | "NLAST" => flag(CARRY),
        "CC" | "LO" | "LAST" => not(flag(CARRY)),
        "MI" | "FIRST" => flag(NEGATIVE),
        "PL" | "NFRST" => not(flag(NEGATIVE)),
        "VS" => flag(OVERFLOW),
        "VC" => not(flag(OVERFLOW)),
        "HI" | "PMORE" => higher(),
        "LS" | "PLAST" => not(higher()),
        "LT" | "TSTOP" => less(),
        "GE" | "TCONT" => not(less()),
        "GT" => greater(),
        "LE" => not(greater()),
        "AL" | "NV" => Formula::number(1),
        _ => return None,
    })
}

/// Translates the instructions that choose a value by a condition.
pub(super) fn select(name: &str, operands: &[Operand<'_>]) -> Decoded {
    // The operation on the second value, and whether the operands are both values, one value that is used when the
    // condition fails, or none.
    let (change, values) = match name {
        "CSEL" => (Change::Nothing, 2),
        "CSINC" => (Change::Increment, 2),
        "CSINV" => (Change::Invert, 2),
        "CSNEG" => (Change::Negate, 2),
        "CINC" => (Change::Increment, 1),
        "CINV" => (Change::Invert, 1),
        "CNEG" => (Change::Negate, 1),
        "CSET" => (Change::Increment, 0),
        "CSETM" => (Change::Invert, 0),
        _ => return Ok(None),
    };
    let wrong = || unexpected(&format!("{name} REGISTER{},CONDITION", ",REGISTER".repeat(values)));
    let [Operand::Name(target), sources @ .., Operand::Name(code)] = operands else {
        return Err(wrong());
    };
    let target = named(target).ok_or_else(wrong)?;
    let condition = condition_holds(code).ok_or_else(wrong)?;
    let mut read = Vec::new();
    for source in sources {
        read.push(target.same_size(source).ok_or_else(wrong)?.read());
    }
    let zero = || Formula::number(0);
    let (first, second, condition) = match (read.as_slice(), values) {
        ([first, second], 2) => (first.clone(), second.clone(), condition),
        // These change the value if the condition holds: they are those above with the condition inverted.
        ([only], 1) => (only.clone(), only.clone(), not(condition)),
        ([], 0) => (zero(), zero(), not(condition)),
        _ => return Err(wrong()),
    };
    let second = change.apply(second);
    let Some(register) = target.target() else {
        return Ok(Some(Instruction::Nothing));
    };
    let chosen = [first, second].map(|value| vec![(register, target.cut(value))]);
    Ok(Some(Instruction::Select { condition, chosen }))
}

/// What an instruction does to the second of two values.
#[derive(Clone, Copy)]
enum Change {
    Nothing,
    Increment,
    Invert,
    Negate,
}

impl Change {
    fn apply(self, value: Formula) -> Formula {
        match self {
            Change::Nothing => value,
            Change::Increment => value.binary(Binary::Add, Formula::number(1)),
            Change::Invert => value.unary(Unary::Not),
            Change::Negate => Formula::number(0).binary(Binary::Subtract, value),
        }
    }
}

/// Translates `CCMP` and `CCMN`, which compare if a condition holds, and set given flags if not.
pub(super) fn conditional_compare(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let operation = match name {
        "CCMP" => Operation::SUBTRACT,
        "CCMN" => Operation::ADD,
        _ => return Ok(None),
    };
    let wrong = || unexpected(&format!("{name} REGISTER,REGISTER|#NUMBER,#FLAGS,CONDITION"));
    let [Operand::Name(first), second, Operand::Number(given), Operand::Name(code)] = operands
    else {
        return Err(wrong());
    };
    let first = named(first).ok_or_else(wrong)?;
    let second = second_operand(first, std::slice::from_ref(second)).ok_or_else(wrong)?;
    let condition = condition_holds(code).ok_or_else(wrong)?;
    let compared = operation.flags(first.read(), second, first.bits).set();
    let chosen = [compared, flags_of(Formula::number(*given))];
    Ok(Some(Instruction::Select { condition, chosen }))
}

/// The flags in the four lowest bits of a number.
fn flags_of(number: Formula) -> Vec<(Register, Formula)> {
    let bit = |by| {
        let shifted = number.clone().binary(Binary::ShiftRight, Formula::number(by));
        shifted.binary(Binary::And, Formula::number(1))
    };
    vec![(NEGATIVE, bit(3)), (ZERO, bit(2)), (CARRY, bit(1)), (OVERFLOW, bit(0))]
}

/// Translates `MRS` and `MSR` of the flags, which occupy bits 28 to 31.
pub(super) fn system_register(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let (register, system) = match (name, operands) {
        ("MRS", [Operand::Name(register), Operand::Name(system)])
        | ("MSR", [Operand::Name(system), Operand::Name(register)]) => (register, system),
        ("MRS" | "MSR", _) => return Err(unexpected("MRS REGISTER,NZCV or MSR NZCV,REGISTER")),
        _ => return Ok(None),
    };
    if !system.eq_ignore_ascii_case("NZCV") {
        return Err(format!("`{system}` is a system register, which is not supported"));
    }
    let wrong = || unexpected("an X register");
    let register = named(register).filter(|register| register.bits == 64).ok_or_else(wrong)?;
    Ok(Some(if name == "MSR" {
        let number = register.read().binary(Binary::ShiftRight, Formula::number(28));
        Instruction::Set(flags_of(number))
    } else {
        let places = [(NEGATIVE, 31), (ZERO, 30), (CARRY, 29), (OVERFLOW, 28)];
        let at = |(one, by)| flag(one).binary(Binary::ShiftLeft, Formula::number(by));
        let all = places.map(at).into_iter().reduce(|all, one| all.binary(Binary::Or, one));
        all.map_or(Instruction::Nothing, |all| register.set(all))
    }))
}
