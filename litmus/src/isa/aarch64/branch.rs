//! Jumps, calls and returns.

use super::super::operands::{Operand, unexpected};
use super::super::{Formula, Instruction, JumpTarget, Register};
use super::flags::condition_holds;
use super::{Decoded, named};
use crate::value::Binary;

/// The register that a call leaves its return address in.
const LINK: Register = Register(30);

/// Translates jumps, calls and returns, and `ADR`, which gives the address of a label.
pub(super) fn branch(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let to = |label: &str| JumpTarget::Label(label.to_owned());
    let through = |register: &str| {
        let register = named(register).filter(|register| register.bits == 64);
        register.map(|register| JumpTarget::Address(register.read()))
    };
    let jump = |condition, target| Ok(Some(Instruction::Branch { condition, target }));
    let wrong = |expected: &str| unexpected(&format!("{name} {expected}"));
    match (name, operands) {
        ("B", [Operand::Name(label)]) => jump(None, to(label)),
        ("BL", [Operand::Name(label)]) => Ok(Some(call(to(label)))),
        ("BR" | "RET", [Operand::Name(register)]) => {
            jump(None, through(register).ok_or_else(|| wrong("REGISTER"))?)
        }
        ("BLR", [Operand::Name(register)]) => {
            Ok(Some(call(through(register).ok_or_else(|| wrong("REGISTER"))?)))
        }
        ("RET", []) => jump(None, JumpTarget::Address(Formula::Register(LINK))),
        ("ADR", [Operand::Name(register), Operand::Name(label)]) => {
            let register = named(register).filter(|register| register.bits == 64);
            let register = register.ok_or_else(|| wrong("REGISTER,LABEL"))?;
            let label = (*label).to_owned();
            Ok(Some(match register.target() {
                Some(target) => Instruction::LabelAddress { target, label },
                None => Instruction::Nothing,
            }))
        }
        ("CBZ" | "CBNZ", [Operand::Name(register), Operand::Name(label)]) => {
            let register = named(register).ok_or_else(|| wrong("REGISTER,LABEL"))?;
            jump(Some(compared_with_zero(name, register.read())), to(label))
        }
        ("TBZ" | "TBNZ", [Operand::Name(register), Operand::Number(bit), Operand::Name(label)]) => {
            let register = named(register).filter(|it| (0..i64::from(it.bits)).contains(bit));
            let register = register.ok_or_else(|| wrong("REGISTER,#BIT,LABEL"))?;
            let bit = register.read().binary(Binary::ShiftRight, Formula::number(*bit));
            let bit = bit.binary(Binary::And, Formula::number(1));
            jump(Some(compared_with_zero(name, bit)), to(label))
        }
        (name, [Operand::Name(label)]) => {
            let code = name.strip_prefix("B.").or_else(|| name.strip_prefix('B'));
            match code.and_then(condition_holds) {
                Some(condition) => jump(Some(condition), to(label)),
                None => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

/// Whether the value is zero for `CBZ` and `TBZ`, and whether it is not for `CBNZ` and `TBNZ`.
fn compared_with_zero(name: &str, value: Formula) -> Formula {
    let operation = if name.ends_with("NZ") { Binary::NotEqual } else { Binary::Equal };
    value.binary(operation, Formula::number(0))
}

fn call(target: JumpTarget) -> Instruction {
    Instruction::Call { link: LINK, target }
}
