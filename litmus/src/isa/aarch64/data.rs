//! Moves, arithmetic, shifts and bit fields.

use super::super::flags::Flags;
use super::super::operands::{Operand, unexpected};
use super::super::{Formula, Instruction};
use super::{Decoded, Named, named};
use crate::value::{Binary, Unary};

/// An operation on two operands, of which the second may be shifted or extended.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    operation: Binary,
    /// Whether the second operand is inverted.
    inverts: bool,
    /// The flags that the instruction sets, if it sets any.
    sets: Option<Sets>,
}

/// How an operation sets the flags.
#[derive(Clone, Copy)]
enum Sets {
    Sum,
    Difference,
    Result,
}

impl Operation {
    pub(super) const ADD: Operation = Operation::new(Binary::Add, Some(Sets::Sum));
    pub(super) const SUBTRACT: Operation = Operation::new(Binary::Subtract, Some(Sets::Difference));

    const fn new(operation: Binary, sets: Option<Sets>) -> Operation {
        Operation { operation, inverts: false, sets }
    }

    const fn inverted(operation: Binary) -> Operation {
        Operation { operation, inverts: true, sets: None }
    }

    fn result(self, first: Formula, second: Formula) -> Formula {
        let second = if self.inverts { second.unary(Unary::Not) } else { second };
        first.binary(self.operation, second)
    }

    /// The flags after the operation on two operands of `bits` bits.
    pub(super) fn flags(self, first: Formula, second: Formula, bits: u8) -> Flags {
        match self.sets {
            Some(Sets::Sum) => Flags::of_sum(first, second, bits),
            Some(Sets::Difference) => Flags::of_difference(first, second, bits),
            _ => Flags::of_result(self.result(first, second), bits),
        }
    }
}

/// The operands that an instruction states; the others are the zero register.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stated {
    All,
    /// The result is discarded: `CMP X1,X2`.
    NoTarget,
    /// The first operand is zero: `NEG X0,X1`.
    NoFirst,
}

/// The operation of a mnemonic, and the operands that it states.
fn operation(name: &str) -> Option<(Operation, Stated)> {
    let plain = |operation| (Operation::new(operation, None), Stated::All);
    let logic = Operation::new(Binary::And, Some(Sets::Result));
    Some(match name {
        "ADD" => plain(Binary::Add),
        "ADDS" => (Operation::ADD, Stated::All),
        "CMN" => (Operation::ADD, Stated::NoTarget),
        "SUB" => plain(Binary::Subtract),
        "SUBS" => (Operation::SUBTRACT, Stated::All),
        "CMP" => (Operation::SUBTRACT, Stated::NoTarget),
        "NEG" => (Operation::new(Binary::Subtract, None), Stated::NoFirst),
        "NEGS" => (Operation::SUBTRACT, Stated::NoFirst),
        "AND" => plain(Binary::And),
        "ANDS" => (logic, Stated::All),
        "TST" => (logic, Stated::NoTarget),
        "BIC" => plain(Binary::AndNot),
        "BICS" => (Operation::new(Binary::AndNot, Some(Sets::Result)), Stated::All),
        "ORR" => plain(Binary::Or),
        "ORN" => (Operation::inverted(Binary::Or), Stated::All),
        "MVN" => (Operation::inverted(Binary::Or), Stated::NoFirst),
        "EOR" => plain(Binary::Xor),
        "EON" => (Operation::inverted(Binary::Xor), Stated::All),
        _ => return None,
    })
}

/// Translates arithmetic and logic.
pub(super) fn arithmetic(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let Some((operation, stated)) = operation(name) else {
        return Ok(None);
    };
    let wrong = || {
        let places = if stated == Stated::All { "REGISTER,REGISTER" } else { "REGISTER" };
        unexpected(&format!("{name} {places},REGISTER|#NUMBER, all of one size"))
    };
    let [Operand::Name(leading), rest @ ..] = operands else {
        return Err(wrong());
    };
    let leading = named(leading).ok_or_else(wrong)?;
    let zero = Named { number: super::ZERO, bits: leading.bits };
    let (target, first, second) = match (stated, rest) {
        (Stated::NoTarget, second) => (zero, leading, second),
        (Stated::NoFirst, second) => (leading, zero, second),
        (Stated::All, [first, second @ ..]) => {
            (leading, leading.same_size(first).ok_or_else(wrong)?, second)
        }
        (Stated::All, []) => return Err(wrong()),
    };
    let second = second_operand(leading, second).ok_or_else(wrong)?;
    let result = operation.result(first.read(), second.clone());
    let mut set = Vec::new();
    set.extend(target.target().map(|register| (register, target.cut(result))));
    if operation.sets.is_some() {
        set.extend(operation.flags(first.read(), second, leading.bits).set());
    }
    Ok(Some(Instruction::Set(set)))
}

/// The value of an operand that is a register or a number, perhaps shifted or extended, for an instruction that
/// computes with the size of `like`.
pub(super) fn second_operand(like: Named, operands: &[Operand<'_>]) -> Option<Formula> {
    match operands {
        [Operand::Number(number)] => Some(Formula::number(*number)),
        [Operand::Number(number), Operand::Modifier(how, by)] => {
            shifted(like.bits, Formula::number(*number), how, Formula::number(*by))
        }
        [name @ Operand::Name(_)] => Some(like.same_size(name)?.read()),
        [Operand::Name(register), Operand::Name(how)] => extended(named(register)?, how, 0),
        [name @ Operand::Name(register), Operand::Modifier(how, by)] => {
            if let Some(same) = like.same_size(name)
                && let Some(shifted) = shifted(like.bits, same.read(), how, Formula::number(*by))
            {
                return Some(shifted);
            }
            extended(named(register)?, how, *by)
        }
        _ => None,
    }
}

/// A value of `bits` bits shifted by an amount, which the processor takes modulo that size. The bits above are
/// arbitrary.
fn shifted(bits: u8, value: Formula, how: &str, by: Formula) -> Option<Formula> {
    let size = Formula::number(i64::from(bits));
    let by = by.binary(Binary::And, Formula::number(i64::from(bits) - 1));
    Some(match how.to_ascii_uppercase().as_str() {
        "LSL" => value.binary(Binary::ShiftLeft, by),
        "LSR" => value.binary(Binary::ShiftRight, by),
        "ASR" => value.unary(Unary::SignExtend(bits)).binary(Binary::ShiftRightSigned, by),
        "ROR" => {
            let right = value.clone().binary(Binary::ShiftRight, by.clone());
            let left = value.binary(Binary::ShiftLeft, size.binary(Binary::Subtract, by));
            right.binary(Binary::Or, left)
        }
        _ => return None,
    })
}

/// A register extended to 64 bits and then shifted to the left, as in `W1,SXTB #2`. Addresses have `LSL` here too,
/// for a register of 64 bits.
pub(super) fn extended(register: Named, how: &str, by: i64) -> Option<Formula> {
    let full = register.read();
    let extended = match how.to_ascii_uppercase().as_str() {
        "SXTB" => full.unary(Unary::SignExtend(8)),
        "UXTB" => full.unary(Unary::ZeroExtend(8)),
        "SXTH" => full.unary(Unary::SignExtend(16)),
        "UXTH" => full.unary(Unary::ZeroExtend(16)),
        "SXTW" => full.unary(Unary::SignExtend(32)),
        "UXTW" => full.unary(Unary::ZeroExtend(32)),
        "SXTX" | "UXTX" | "LSL" if register.bits == 64 => full,
        _ => return None,
    };
    (0..=4).contains(&by).then(|| extended.binary(Binary::ShiftLeft, Formula::number(by)))
}

/// Translates shifts, by a number or by a register.
pub(super) fn shift(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let how = match name.strip_suffix('V').unwrap_or(name) {
        how @ ("LSL" | "LSR" | "ASR" | "ROR") => how,
        _ => return Ok(None),
    };
    let wrong = || unexpected(&format!("{name} REGISTER,REGISTER,REGISTER|#NUMBER"));
    let [Operand::Name(target), first, by] = operands else {
        return Err(wrong());
    };
    let target = named(target).ok_or_else(wrong)?;
    let first = target.same_size(first).ok_or_else(wrong)?;
    let by = match by {
        Operand::Number(by) if (0..i64::from(target.bits)).contains(by) => Formula::number(*by),
        by => target.same_size(by).ok_or_else(wrong)?.read(),
    };
    let value = shifted(target.bits, first.read(), how, by).ok_or_else(wrong)?;
    Ok(Some(target.set(value)))
}

/// Translates moves of registers and numbers.
pub(super) fn moves(name: &str, operands: &[Operand<'_>]) -> Decoded {
    if !matches!(name, "MOV" | "MOVZ" | "MOVN" | "MOVK") {
        return Ok(None);
    }
    let wrong = || unexpected(&format!("{name} REGISTER,REGISTER|#NUMBER[,LSL #16|#32|#48]"));
    let [Operand::Name(target), rest @ ..] = operands else {
        return Err(wrong());
    };
    let target = named(target).ok_or_else(wrong)?;
    let by = match rest {
        [_] => 0,
        [Operand::Number(_), Operand::Modifier(how, by)] if how.eq_ignore_ascii_case("LSL") => *by,
        _ => return Err(wrong()),
    };
    let is_shift = by % 16 == 0 && (0..i64::from(target.bits)).contains(&by);
    let is_half = |number: &i64| is_shift && (0..1 << 16).contains(number);
    let value = match (name, &rest[0]) {
        ("MOV", Operand::Number(number)) if by == 0 => Formula::number(*number),
        ("MOV", source @ Operand::Name(_)) => target.same_size(source).ok_or_else(wrong)?.read(),
        ("MOVZ", Operand::Number(number)) if is_half(number) => Formula::number(number << by),
        ("MOVN", Operand::Number(number)) if is_half(number) => Formula::number(!(number << by)),
        ("MOVK", Operand::Number(number)) if is_half(number) => {
            let kept = target.read().binary(Binary::AndNot, Formula::number(0xffff << by));
            kept.binary(Binary::Or, Formula::number(number << by))
        }
        _ => return Err(wrong()),
    };
    Ok(Some(target.set(value)))
}

/// How an instruction places a field of bits.
struct Field {
    /// The lowest bit of the field in the source.
    from: i64,
    /// Number of bits.
    width: i64,
    /// The lowest bit of the field in the target.
    to: i64,
}

/// Translates the moves of bit fields: `UBFM`, `SBFM`, `BFM` and their other names.
pub(super) fn bit_field(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let fill = match name {
        "UBFM" | "UBFX" | "UBFIZ" => Fill::Zeros,
        "SBFM" | "SBFX" | "SBFIZ" => Fill::Sign,
        "BFM" | "BFXIL" | "BFI" => Fill::Target,
        _ => return Ok(None),
    };
    let wrong = || unexpected(&format!("{name} REGISTER,REGISTER,#NUMBER,#NUMBER"));
    let [Operand::Name(target), source, Operand::Number(one), Operand::Number(two)] = operands
    else {
        return Err(wrong());
    };
    let target = named(target).ok_or_else(wrong)?;
    let source = target.same_size(source).ok_or_else(wrong)?;
    let bits = i64::from(target.bits);
    let field = match name {
        "UBFX" | "SBFX" | "BFXIL" => Field { from: *one, width: *two, to: 0 },
        "UBFIZ" | "SBFIZ" | "BFI" => Field { from: 0, width: *two, to: *one },
        _ if two >= one => Field { from: *one, width: two - one + 1, to: 0 },
        _ => Field { from: 0, width: two + 1, to: bits - one },
    };
    let starts = 0..bits;
    let fits = starts.contains(&field.from)
        && starts.contains(&field.to)
        && field.width > 0
        && field.from + field.width <= bits
        && field.to + field.width <= bits;
    if !fits {
        return Err(format!("the field is not within {bits} bits"));
    }
    Ok(Some(target.set(field.moved(source.read(), target.read(), fill))))
}

/// The bits of the target around a field.
#[derive(Clone, Copy)]
enum Fill {
    Zeros,
    /// Zeros below, and copies of the field's highest bit above.
    Sign,
    /// The target's own bits.
    Target,
}

impl Field {
    fn moved(&self, source: Formula, target: Formula, fill: Fill) -> Formula {
        let width = self.width as u8;
        let low = source.binary(Binary::ShiftRight, Formula::number(self.from));
        let low = low.unary(match fill {
            Fill::Sign => Unary::SignExtend(width),
            _ => Unary::ZeroExtend(width),
        });
        let placed = low.binary(Binary::ShiftLeft, Formula::number(self.to));
        match fill {
            Fill::Target => {
                let mask = u64::MAX >> (64 - self.width) << self.to;
                let kept = target.binary(Binary::AndNot, Formula::number(mask as i64));
                kept.binary(Binary::Or, placed)
            }
            _ => placed,
        }
    }
}

/// Translates instructions with one source register.
pub(super) fn one_source(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let Some(apply) = unary(name) else {
        return Ok(None);
    };
    let wrong = || unexpected(&format!("{name} REGISTER,REGISTER"));
    let [Operand::Name(target), Operand::Name(source)] = operands else {
        return Err(wrong());
    };
    let (target, source) = named(target).zip(named(source)).ok_or_else(wrong)?;
    let bits = target.bits;
    let of = source.read();
    let is_extension = matches!(apply, Apply::Extend(_));
    if !is_extension && source.bits != bits || source.bits > bits {
        return Err(wrong());
    }
    Ok(Some(target.set(match apply {
        Apply::Extend(how) => of.unary(how),
        Apply::Absolute => {
            // The sign as a number that is all ones or zero.
            let signed = of.unary(Unary::SignExtend(bits));
            let sign = signed.clone().binary(Binary::ShiftRightSigned, Formula::number(63));
            let changed = signed.binary(Binary::Xor, sign.clone());
            changed.binary(Binary::Subtract, sign)
        }
        Apply::ReverseBits => of.unary(Unary::ReverseBits(bits)),
        Apply::ReverseBytes(group) if group <= bits => of.unary(Unary::ReverseBytes(group)),
        Apply::ReverseBytes(_) => return Err(wrong()),
        Apply::ReverseAllBytes => of.unary(Unary::ReverseBytes(bits)),
    })))
}

/// An operation on one register.
#[derive(Clone, Copy)]
enum Apply {
    Extend(Unary),
    Absolute,
    ReverseBits,
    /// Reverses the bytes in each group of so many bits.
    ReverseBytes(u8),
    ReverseAllBytes,
}

fn unary(name: &str) -> Option<Apply> {
    Some(match name {
        "SXTB" => Apply::Extend(Unary::SignExtend(8)),
        "UXTB" => Apply::Extend(Unary::ZeroExtend(8)),
        "SXTH" => Apply::Extend(Unary::SignExtend(16)),
        "UXTH" => Apply::Extend(Unary::ZeroExtend(16)),
        "SXTW" => Apply::Extend(Unary::SignExtend(32)),
        "UXTW" => Apply::Extend(Unary::ZeroExtend(32)),
        "ABS" => Apply::Absolute,
        "RBIT" => Apply::ReverseBits,
        "REV" => Apply::ReverseAllBytes,
        "REV16" => Apply::ReverseBytes(16),
        "REV32" => Apply::ReverseBytes(32),
        "REV64" => Apply::ReverseBytes(64),
        _ => return None,
    })
}

/// Translates multiplications, and additions of a product.
pub(super) fn multiply(name: &str, operands: &[Operand<'_>]) -> Decoded {
    // The extension of the factors, how the product is added to the last register, and whether there is one.
    let (extension, operation, has_addend) = match name {
        "MUL" => (None, Binary::Add, false),
        "MNEG" => (None, Binary::Subtract, false),
        "MADD" => (None, Binary::Add, true),
        "MSUB" => (None, Binary::Subtract, true),
        "SMULL" => (Some(Unary::SignExtend(32)), Binary::Add, false),
        "SMNEGL" => (Some(Unary::SignExtend(32)), Binary::Subtract, false),
        "SMADDL" => (Some(Unary::SignExtend(32)), Binary::Add, true),
        "SMSUBL" => (Some(Unary::SignExtend(32)), Binary::Subtract, true),
        "UMULL" => (Some(Unary::ZeroExtend(32)), Binary::Add, false),
        "UMNEGL" => (Some(Unary::ZeroExtend(32)), Binary::Subtract, false),
        "UMADDL" => (Some(Unary::ZeroExtend(32)), Binary::Add, true),
        "UMSUBL" => (Some(Unary::ZeroExtend(32)), Binary::Subtract, true),
        _ => return Ok(None),
    };
    let count = if has_addend { 4 } else { 3 };
    let wrong = || unexpected(&format!("{name} with {count} registers"));
    let [Operand::Name(target), first, second, addend @ ..] = operands else {
        return Err(wrong());
    };
    let target = named(target).ok_or_else(wrong)?;
    let factor_bits = if extension.is_some() { 32 } else { target.bits };
    if extension.is_some() && target.bits != 64 {
        return Err(wrong());
    }
    let factor = |operand| {
        let value = Named { bits: factor_bits, ..target }.same_size(operand)?.read();
        Some(extension.map_or(value.clone(), |extension| value.unary(extension)))
    };
    let product = factor(first).zip(factor(second)).ok_or_else(wrong)?;
    let product = product.0.binary(Binary::Multiply, product.1);
    let addend = match (has_addend, addend) {
        (false, []) => Formula::number(0),
        (true, [addend]) => target.same_size(addend).ok_or_else(wrong)?.read(),
        _ => return Err(wrong()),
    };
    Ok(Some(target.set(addend.binary(operation, product))))
}

/// Translates `EXTR`, which takes a register's worth of bits out of two registers, from a given bit on.
pub(super) fn extract(name: &str, operands: &[Operand<'_>]) -> Decoded {
    if name != "EXTR" {
        return Ok(None);
    }
    let wrong = || unexpected("EXTR REGISTER,REGISTER,REGISTER,#BIT");
    let [Operand::Name(target), high, low, Operand::Number(bit)] = operands else {
        return Err(wrong());
    };
    let target = named(target).ok_or_else(wrong)?;
    let registers = target.same_size(high).zip(target.same_size(low)).ok_or_else(wrong)?;
    let bits = i64::from(target.bits);
    let (high, low) = (registers.0.read(), registers.1.read());
    Ok(Some(target.set(match *bit {
        0 => low,
        bit if (1..bits).contains(&bit) => {
            let low = low.binary(Binary::ShiftRight, Formula::number(bit));
            let high = high.binary(Binary::ShiftLeft, Formula::number(bits - bit));
            low.binary(Binary::Or, high)
        }
        _ => return Err(wrong()),
    })))
}
