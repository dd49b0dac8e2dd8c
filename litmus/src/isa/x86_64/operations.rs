//! Moves, arithmetic, comparisons and atomic operations, on registers and on memory.

use history::Annotation;

use super::super::flags::{CARRY, Flags, ZERO, not};
use super::super::{
    Atomicity, Formula, Instruction, MemoryAccess, Register, SCRATCH, STORED, Update, Width,
};
use super::{Named, X86Operand, holds};
use crate::value::Binary;

/// The accumulator of `cmpxchg`.
const RAX: Register = Register(0);
/// The register that holds the amount of a shift.
const RCX: Register = Register(2);

fn operation(name: &str) -> Option<Binary> {
    Some(match name {
        "add" => Binary::Add,
        "sub" => Binary::Subtract,
        "or" => Binary::Or,
        "and" => Binary::And,
        "xor" => Binary::Xor,
        _ => return None,
    })
}

fn access(address: &Formula, bits: u8) -> MemoryAccess {
    let width = Width { bits, signed: false };
    MemoryAccess { address: address.clone(), width, annotation: Annotation::None }
}

/// The flags after a comparison of two numbers.
fn compared(first: Formula, second: Formula, bits: u8) -> Flags {
    let flags = Flags::of_difference(first, second, bits);
    Flags { carry: not(flags.carry), ..flags }
}

/// The flags after an operation with this source and result. An increment and a decrement keep the carry.
fn flags(
    operation: Operation,
    source: &Formula,
    result: Formula,
    bits: u8,
) -> Vec<(Register, Formula)> {
    let source = source.clone();
    let mut set = match operation.binary {
        Binary::Add => Flags::of_sum(result.binary(Binary::Subtract, source.clone()), source, bits),
        Binary::Subtract => compared(result.binary(Binary::Add, source.clone()), source, bits),
        _ => Flags::of_result(result, bits),
    }
    .set();
    set.retain(|(register, _)| !(operation.keeps_carry && *register == CARRY));
    set
}

/// An operation that changes a register or memory.
#[derive(Clone, Copy)]
struct Operation {
    binary: Binary,
    keeps_carry: bool,
}

/// Translates instructions with one operand.
pub(super) fn one_place(
    name: &str,
    bits: u8,
    target: &X86Operand,
    is_locked: bool,
) -> Option<Instruction> {
    let (binary, source, keeps_carry) = match name {
        "inc" => (Binary::Add, 1, true),
        "dec" => (Binary::Subtract, 1, true),
        "neg" => return negate(target),
        // Sets no flags.
        "not" => return invert(bits, target, is_locked),
        _ => return None,
    };
    let operation = Operation { binary, keeps_carry };
    change(operation, bits, Formula::number(source), target, is_locked)
}

/// Translates `neg` of a register.
fn negate(target: &X86Operand) -> Option<Instruction> {
    let X86Operand::Register(target) = target else {
        return None;
    };
    let zero = Formula::number(0);
    let mut set = vec![target.written(zero.clone().binary(Binary::Subtract, target.read()))];
    set.extend(compared(zero, target.read(), target.bits).set());
    Some(Instruction::Set(set))
}

fn invert(bits: u8, target: &X86Operand, is_locked: bool) -> Option<Instruction> {
    let ones = Formula::number(-1);
    match target {
        X86Operand::Register(target) => {
            let value = target.read().binary(Binary::Xor, ones);
            Some(Instruction::Set(vec![target.written(value)]))
        }
        X86Operand::Memory(address) => {
            Some(update(Update::Apply(Binary::Xor, ones), access(address, bits), is_locked))
        }
        X86Operand::Number(_) => None,
    }
}

/// An update of memory that sets no register.
fn update(update: Update, access: MemoryAccess, is_locked: bool) -> Instruction {
    let atomicity = if is_locked { Atomicity::Atomic } else { Atomicity::Separate };
    Instruction::Atomic { target: None, update, access, atomicity }
}

/// Applies an operation to a register or to memory.
fn change(
    operation: Operation,
    bits: u8,
    source: Formula,
    target: &X86Operand,
    is_locked: bool,
) -> Option<Instruction> {
    match target {
        X86Operand::Register(target) => {
            let result = target.read().binary(operation.binary, source.clone());
            let mut set = vec![target.written(result.clone())];
            set.extend(flags(operation, &source, result, bits));
            Some(Instruction::Set(set))
        }
        X86Operand::Memory(address) => {
            let stored = Formula::Register(STORED);
            let set = flags(operation, &source, stored, bits);
            let apply = Update::Apply(operation.binary, source);
            let update = update(apply, access(address, bits), is_locked);
            Some(Instruction::Sequence(vec![update, Instruction::Set(set)]))
        }
        X86Operand::Number(_) => None,
    }
}

/// Translates shifts of a register to the left by a number or by `cl`. A shift by 0 bits leaves the flags as they were;
/// the overflow means something after a shift by 1 bit only.
fn shift_left(by: &X86Operand, target: &X86Operand) -> Option<Instruction> {
    let X86Operand::Register(target) = target else {
        return None;
    };
    let by = match by {
        X86Operand::Number(by) => Formula::number(*by),
        X86Operand::Register(Named { register: RCX, bits: 8 }) => Formula::Register(RCX),
        _ => return None,
    };
    // The processor takes amounts modulo 32, or modulo 64 for 64 bits.
    let amounts = if target.bits == 64 { 63 } else { 31 };
    let by = by.binary(Binary::And, Formula::number(amounts));
    let bits = Formula::number(i64::from(target.bits));
    let result = target.read().binary(Binary::ShiftLeft, by.clone());
    let last = if target.bits == 64 {
        target.read().binary(Binary::ShiftRight, bits.binary(Binary::Subtract, by.clone()))
    } else {
        result.clone().binary(Binary::ShiftRight, bits)
    };
    let carry = last.binary(Binary::And, Formula::number(1));
    let flags = Flags::of_result(result.clone(), target.bits);
    let overflow = flags.negative.clone().binary(Binary::Xor, carry.clone());
    let written = target.written(result);
    let mut shifted = Flags { carry, overflow, ..flags }.set();
    shifted.push(written.clone());
    Some(Instruction::Select { condition: by, chosen: [shifted, vec![written]] })
}

pub(super) fn two_places(
    name: &str,
    bits: u8,
    source: &X86Operand,
    target: &X86Operand,
    is_locked: bool,
) -> Result<Option<Instruction>, String> {
    match name {
        "mov" => moved(bits, source, target),
        "shl" | "sal" => Ok(shift_left(source, target)),
        "xadd" => Ok(exchange_and_add(bits, source, target, is_locked)),
        name if name.starts_with("cmov") => conditional_move(&name[4..], source, target),
        "xchg" => Ok(exchange(bits, source, target)),
        "cmpxchg" => Ok(compare_and_exchange(bits, source, target, is_locked)),
        _ => {
            let X86Operand::Memory(address) = source else {
                return Ok(compute(name, bits, value(source), target, is_locked));
            };
            if matches!(target, X86Operand::Memory(_)) {
                return Err("only one operand can be in memory".to_owned());
            }
            let load = Instruction::Load {
                target: Some(SCRATCH),
                access: access(address, bits),
                exclusive: false,
            };
            let loaded = Formula::Register(SCRATCH);
            let then = compute(name, bits, loaded, target, is_locked);
            Ok(then.map(|then| Instruction::Sequence(vec![load, then])))
        }
    }
}

/// The value of an operand that is not in memory, or of memory once it is loaded.
fn value(place: &X86Operand) -> Formula {
    match place {
        X86Operand::Register(named) => named.read(),
        X86Operand::Number(number) => Formula::number(*number),
        X86Operand::Memory(_) => Formula::Register(SCRATCH),
    }
}

/// Translates arithmetic, `cmp` and `test`.
fn compute(
    name: &str,
    bits: u8,
    source: Formula,
    target: &X86Operand,
    is_locked: bool,
) -> Option<Instruction> {
    let flags = match name {
        "cmp" => compared(value(target), source, bits),
        "test" => Flags::of_result(value(target).binary(Binary::And, source), bits),
        name => {
            let operation = Operation { binary: operation(name)?, keeps_carry: false };
            return change(operation, bits, source, target, is_locked);
        }
    };
    let compare = Instruction::Set(flags.set());
    Some(match target {
        X86Operand::Memory(address) => {
            let access = access(address, bits);
            let load = Instruction::Load { target: Some(SCRATCH), access, exclusive: false };
            Instruction::Sequence(vec![load, compare])
        }
        _ => compare,
    })
}

fn moved(
    bits: u8,
    source: &X86Operand,
    target: &X86Operand,
) -> Result<Option<Instruction>, String> {
    Ok(Some(match (source, target) {
        (X86Operand::Memory(_), X86Operand::Memory(_)) => {
            return Err("only one operand can be in memory".to_owned());
        }
        (_, X86Operand::Number(_)) => return Ok(None),
        (X86Operand::Memory(address), X86Operand::Register(target)) => {
            let access = access(address, bits);
            let load = Instruction::Load { target: Some(SCRATCH), access, exclusive: false };
            let set = Instruction::Set(vec![target.written(Formula::Register(SCRATCH))]);
            Instruction::Sequence(vec![load, set])
        }
        (source, X86Operand::Register(target)) => {
            Instruction::Set(vec![target.written(value(source))])
        }
        (source, X86Operand::Memory(address)) => {
            Instruction::Store { value: value(source), access: access(address, bits) }
        }
    }))
}

fn exchange(bits: u8, first: &X86Operand, second: &X86Operand) -> Option<Instruction> {
    match (first, second) {
        (X86Operand::Register(first), X86Operand::Register(second)) => {
            Some(Instruction::Set(vec![first.written(second.read()), second.written(first.read())]))
        }
        (X86Operand::Register(register), X86Operand::Memory(address))
        | (X86Operand::Memory(address), X86Operand::Register(register)) => {
            let exchange = Instruction::Atomic {
                target: Some(SCRATCH),
                update: Update::Exchange(register.read()),
                access: access(address, bits),
                atomicity: Atomicity::Atomic,
            };
            let set = Instruction::Set(vec![register.written(Formula::Register(SCRATCH))]);
            Some(Instruction::Sequence(vec![exchange, set]))
        }
        _ => None,
    }
}

/// Translates `xadd`, which leaves in the register what the target held.
fn exchange_and_add(
    bits: u8,
    source: &X86Operand,
    target: &X86Operand,
    is_locked: bool,
) -> Option<Instruction> {
    let (X86Operand::Register(register), X86Operand::Memory(_)) = (source, target) else {
        return None;
    };
    let operation = Operation { binary: Binary::Add, keeps_carry: false };
    let found = Formula::Register(STORED).binary(Binary::Subtract, register.read());
    let change = change(operation, bits, register.read(), target, is_locked)?;
    Some(Instruction::Sequence(vec![change, Instruction::Set(vec![register.written(found)])]))
}

/// Translates moves that happen if a condition holds. They load from memory whether it holds or not.
fn conditional_move(
    condition: &str,
    source: &X86Operand,
    target: &X86Operand,
) -> Result<Option<Instruction>, String> {
    let (Some(condition), X86Operand::Register(target)) = (holds(condition), target) else {
        return Ok(None);
    };
    let chosen = [value(source), target.read()].map(|value| vec![target.written(value)]);
    let select = Instruction::Select { condition, chosen };
    Ok((target.bits > 8).then_some(match source {
        X86Operand::Memory(address) => {
            let access = access(address, target.bits);
            let load = Instruction::Load { target: Some(SCRATCH), access, exclusive: false };
            Instruction::Sequence(vec![load, select])
        }
        _ => select,
    }))
}

fn compare_and_exchange(
    bits: u8,
    first: &X86Operand,
    second: &X86Operand,
    is_locked: bool,
) -> Option<Instruction> {
    let (register, address) = match (first, second) {
        (X86Operand::Register(register), X86Operand::Memory(address))
        | (X86Operand::Memory(address), X86Operand::Register(register)) => (register, address),
        _ => return None,
    };
    // A shorter accumulator would keep the upper part of its register.
    if bits < 32 {
        return None;
    }
    let accumulator = Named { register: RAX, bits };
    let expected = Instruction::Set(vec![(SCRATCH, accumulator.read())]);
    let swap = Instruction::CompareAndSwap {
        target: Some(RAX),
        expected: accumulator.read(),
        value: register.read(),
        access: access(address, bits),
        atomicity: if is_locked { Atomicity::Atomic } else { Atomicity::Separate },
        success: Some(ZERO),
    };
    let mut flags = compared(Formula::Register(SCRATCH), accumulator.read(), bits).set();
    flags.retain(|(register, _)| *register != ZERO);
    Some(Instruction::Sequence(vec![expected, swap, Instruction::Set(flags)]))
}
