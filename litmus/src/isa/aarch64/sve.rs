//! Scalable vectors and predicates, for vectors of 128 bits, which is what herd takes too.
//!
//! A `Z` register is the vector register with its number. A predicate register has a bit for each byte of a vector; the
//! lowest bit of an element decides.

use super::super::flags::{CARRY, Flags, NEGATIVE, OVERFLOW, flag, not};
use super::super::operands::{Operand, unexpected};
use super::super::{Formula, Instruction, Register};
use super::vector::{Lanes, Vector};
use super::{Decoded, Named, named};
use crate::value::{Binary, Unary};

/// The first predicate register.
const FIRST_PREDICATE: u8 = 104;
/// The number of bytes of a vector.
const BYTES: u8 = 16;

/// The lanes of a name such as `Z0.S`.
pub(super) fn scalable(name: &str) -> Option<Lanes> {
    let name = name.to_ascii_uppercase();
    let rest = name.strip_prefix('Z')?;
    let lanes = Lanes::of(&format!("V{rest}")).filter(|lanes| lanes.count == 0)?;
    Some(Lanes { count: 128 / lanes.bits, ..lanes })
}

fn scalable_operand(operand: &Operand<'_>) -> Option<Lanes> {
    match operand {
        Operand::Name(name) => scalable(name),
        _ => None,
    }
}

/// A predicate register as an operand names it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Predicate {
    register: Register,
    /// What becomes of elements that are not active.
    pub inactive: Option<Inactive>,
}

/// What becomes of the elements of a result that are not active.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Inactive {
    /// `P0/Z`: they become zero.
    Zero,
    /// `P0/M`: they stay as they were.
    Kept,
}

impl Predicate {
    /// The predicate of a name such as `P0`, `P0/Z` or `P0/M`.
    pub(super) fn of(name: &str) -> Option<Predicate> {
        let name = name.to_ascii_uppercase();
        let (rest, inactive) = match name.split_once('/') {
            Some((rest, "Z")) => (rest, Some(Inactive::Zero)),
            Some((rest, "M")) => (rest, Some(Inactive::Kept)),
            Some(_) => return None,
            None => (name.as_str(), None),
        };
        let number = rest.strip_prefix('P')?.parse::<u8>().ok().filter(|number| *number < 16)?;
        Some(Predicate { register: Register(FIRST_PREDICATE + number), inactive })
    }

    /// Whether an element of `bits` bits is active.
    pub(super) fn is_active(self, bits: u8, at: u8) -> Formula {
        let bit = Formula::number(i64::from(at * (bits / 8)));
        let shifted = Formula::Register(self.register).binary(Binary::ShiftRight, bit);
        shifted.binary(Binary::And, Formula::number(1))
    }
}

/// The predicate with the size of its elements, as in `P0.S`.
fn sized_predicate(operand: &Operand<'_>) -> Option<(Predicate, u8)> {
    let Operand::Name(name) = operand else {
        return None;
    };
    let (register, letter) = name.split_once('.')?;
    let lanes = Lanes::of(&format!("V0.{letter}")).filter(|lanes| lanes.count == 0)?;
    Some((Predicate::of(register)?, lanes.bits))
}

/// The number of elements that a pattern such as `VL4` names, of a vector with `count`.
fn pattern(name: &str, count: i64) -> Option<i64> {
    let name = name.to_ascii_uppercase();
    let largest = |step: i64| count - count % step;
    Some(match name.as_str() {
        "ALL" => count,
        // The vectors here have a power of two of elements.
        "POW2" => count,
        "MUL3" => largest(3),
        "MUL4" => largest(4),
        name => {
            let fixed: i64 = name.strip_prefix("VL")?.parse().ok()?;
            let is_pattern = matches!(fixed, 1..=8 | 16 | 32 | 64 | 128 | 256);
            let fixed = is_pattern.then_some(fixed)?;
            if fixed > count { 0 } else { fixed }
        }
    })
}

/// The bits of a predicate whose first elements are active.
fn first_active(count: i64, bits: u8) -> i64 {
    (0..count).map(|at| 1 << (at * i64::from(bits / 8))).sum()
}

/// Translates what sets predicates and counts elements.
pub(super) fn predicates(name: &str, operands: &[Operand<'_>]) -> Decoded {
    match name {
        "PTRUE" => {
            let wrong = || unexpected("PTRUE PREDICATE.SIZE[,PATTERN]");
            let (predicate, bits) = operands.first().and_then(sized_predicate).ok_or_else(wrong)?;
            let count = i64::from(128 / bits);
            let active = match operands {
                [_] => Some(count),
                [_, Operand::Name(named)] => pattern(named, count),
                _ => None,
            };
            let mask = first_active(active.ok_or_else(wrong)?, bits);
            Ok(Some(Instruction::Set(vec![(predicate.register, Formula::number(mask))])))
        }
        "WHILELT" | "WHILELE" | "WHILELO" | "WHILELS" => compare_while(name, operands),
        "CTERMEQ" | "CTERMNE" => terminate(name, operands),
        "RDVL" | "ADDVL" => vector_length(name, operands),
        _ => count(name, operands),
    }
}

/// Translates `WHILELT` and its like: elements are active as long as a counter that goes up is less than a limit.
fn compare_while(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let wrong = || unexpected(&format!("{name} PREDICATE.SIZE,REGISTER,REGISTER"));
    let [target, Operand::Name(first), second] = operands else {
        return Err(wrong());
    };
    let (predicate, bits) = sized_predicate(target).ok_or_else(wrong)?;
    let first = named(first).ok_or_else(wrong)?;
    let second = first.same_size(second).ok_or_else(wrong)?;
    let is_signed = matches!(name, "WHILELT" | "WHILELE");
    let extended = |register: Named| {
        let value = register.read();
        if is_signed { value.unary(Unary::SignExtend(register.bits)) } else { value }
    };
    let less = if is_signed { Binary::Less } else { Binary::LessUnsigned };
    // An element is active if all before it are, since a counter that wraps around ends the loop.
    let mut all_before = Formula::number(1);
    let mut mask = Formula::number(0);
    let count = 128 / bits;
    let mut is_first = Formula::number(0);
    for at in 0..count {
        let counter = Named { ..first };
        let moved = counter.read().binary(Binary::Add, Formula::number(i64::from(at)));
        let moved =
            if is_signed { moved.unary(Unary::SignExtend(first.bits)) } else { first.cut(moved) };
        let (limit, moved) = (extended(second), moved);
        let holds = match name {
            "WHILELT" | "WHILELO" => moved.binary(less, limit),
            _ => not(limit.binary(less, moved)),
        };
        let active = all_before.binary(Binary::And, holds);
        if at == 0 {
            is_first = active.clone();
        }
        let bit = i64::from(at * (bits / 8));
        let placed = active.clone().binary(Binary::ShiftLeft, Formula::number(bit));
        mask = mask.binary(Binary::Or, placed);
        all_before = active;
    }
    let flags = Flags {
        negative: is_first,
        zero: not(mask.clone()),
        carry: not(all_before),
        overflow: Formula::number(0),
    };
    let mut set = flags.set();
    set.push((predicate.register, mask));
    Ok(Some(Instruction::Set(set)))
}

/// Translates `CTERMEQ` and `CTERMNE`.
fn terminate(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let wrong = || unexpected(&format!("{name} REGISTER,REGISTER"));
    let [Operand::Name(first), second] = operands else {
        return Err(wrong());
    };
    let first = named(first).ok_or_else(wrong)?;
    let second = first.same_size(second).ok_or_else(wrong)?;
    let operation = if name == "CTERMEQ" { Binary::Equal } else { Binary::NotEqual };
    let ends = first.read().binary(operation, second.read());
    let overflow = not(ends.clone()).binary(Binary::And, not(flag(CARRY)));
    Ok(Some(Instruction::Set(vec![(NEGATIVE, ends), (OVERFLOW, overflow)])))
}

/// Translates `RDVL` and `ADDVL`, which count whole vectors in bytes.
fn vector_length(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let wrong = || unexpected("RDVL REGISTER,#NUMBER or ADDVL REGISTER,REGISTER,#NUMBER");
    let (target, base, number) = match (name, operands) {
        ("RDVL", [Operand::Name(target), Operand::Number(number)]) => {
            (target, Formula::number(0), number)
        }
        ("ADDVL", [Operand::Name(target), Operand::Name(base), Operand::Number(number)]) => {
            let base = named(base).filter(|base| base.bits == 64).ok_or_else(wrong)?;
            (target, base.read(), number)
        }
        _ => return Err(wrong()),
    };
    let target = named(target).filter(|target| target.bits == 64).ok_or_else(wrong)?;
    let bytes = Formula::number(number * i64::from(BYTES));
    Ok(Some(target.set(base.binary(Binary::Add, bytes))))
}

/// Translates `CNTW`, `INCW`, `DECW` and their like.
fn count(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let Some((operation, letter)) = name.split_at_checked(3) else {
        return Ok(None);
    };
    // Here a word is a `W`.
    let letter = if letter == "W" { "S" } else { letter };
    let Some(lanes) = Lanes::of(&format!("V0.{letter}")).filter(|lanes| lanes.count == 0) else {
        return Ok(None);
    };
    let wrong = || unexpected(&format!("{name} REGISTER[,PATTERN[,MUL #NUMBER]]"));
    let Some((Operand::Name(target), rest)) = operands.split_first() else {
        return Ok(None);
    };
    if !matches!(operation, "CNT" | "INC" | "DEC") {
        return Ok(None);
    }
    let target = named(target).filter(|target| target.bits == 64).ok_or_else(wrong)?;
    let all = i64::from(128 / lanes.bits);
    let elements = match rest {
        [] => Some(all),
        [Operand::Name(named)] => pattern(named, all),
        [Operand::Name(named), Operand::Modifier(times, by @ 1..=16)]
            if times.eq_ignore_ascii_case("MUL") =>
        {
            pattern(named, all).map(|elements| elements * by)
        }
        _ => None,
    };
    let elements = Formula::number(elements.ok_or_else(wrong)?);
    Ok(Some(target.set(match operation {
        "CNT" => elements,
        "INC" => target.read().binary(Binary::Add, elements),
        _ => target.read().binary(Binary::Subtract, elements),
    })))
}

/// Translates moves and arithmetic of scalable vectors.
pub(super) fn arithmetic(name: &str, operands: &[Operand<'_>]) -> Decoded {
    if name == "UADDV" {
        return sum_of_active(operands);
    }
    let Some(target) = operands.first().and_then(scalable_operand) else {
        return Ok(None);
    };
    let wrong = || unexpected(&format!("{name} with scalable vectors of one size"));
    let vector = |operand| {
        scalable_operand(operand).filter(|other| other.bits == target.bits).ok_or_else(wrong)
    };
    let values: Vec<Formula> = match (name, &operands[1..]) {
        ("MOV" | "DUP", [Operand::Number(number)]) => target.all(Formula::number(*number)),
        ("MOV" | "DUP", [Operand::Name(source)]) if named(source).is_some() => {
            let source = named(source).ok_or_else(wrong)?;
            if (target.bits == 64) != (source.bits == 64) {
                return Err(wrong());
            }
            target.all(source.read())
        }
        ("ADD" | "SUB" | "AND" | "ORR" | "EOR", [first, second]) => {
            let operation = match name {
                "ADD" => Binary::Add,
                "SUB" => Binary::Subtract,
                "AND" => Binary::And,
                "ORR" => Binary::Or,
                _ => Binary::Xor,
            };
            let pairs = vector(first)?.read().into_iter().zip(vector(second)?.read());
            pairs.map(|(first, second)| first.binary(operation, second)).collect()
        }
        ("INDEX", [start, step]) => {
            let value = |operand: &Operand<'_>| match operand {
                Operand::Number(number) => Some(Formula::number(*number)),
                Operand::Name(register) => {
                    let register = named(register)?;
                    ((target.bits == 64) == (register.bits == 64)).then(|| register.read())
                }
                _ => None,
            };
            let (start, step) = value(start).zip(value(step)).ok_or_else(wrong)?;
            let at = |number: u8| {
                let distance =
                    step.clone().binary(Binary::Multiply, Formula::number(i64::from(number)));
                start.clone().binary(Binary::Add, distance)
            };
            (0..target.count).map(at).collect()
        }
        ("NEG" | "MOVPRFX", [Operand::Name(predicate), source]) => {
            let predicate = Predicate::of(predicate).ok_or_else(wrong)?;
            let inactive = predicate.inactive.ok_or_else(wrong)?;
            if name == "NEG" && inactive == Inactive::Zero {
                return Err(wrong());
            }
            let source = vector(source)?;
            let zero = || Formula::number(0);
            let results = source.read().into_iter().map(|value| match name {
                "NEG" => zero().binary(Binary::Subtract, value),
                _ => value,
            });
            let others = match inactive {
                Inactive::Zero => target.all(zero()),
                Inactive::Kept => target.read(),
            };
            let lanes = results.zip(others).enumerate();
            let choose = |(at, (result, other))| {
                chosen(predicate.is_active(target.bits, at as u8), result, other)
            };
            lanes.map(choose).collect()
        }
        _ => return Ok(None),
    };
    Ok(Some(Instruction::Set(target.written(values))))
}

/// The first value if a formula that is 0 or 1 is 1, else the second.
fn chosen(condition: Formula, first: Formula, second: Formula) -> Formula {
    let mask = Formula::number(0).binary(Binary::Subtract, condition);
    let kept = second.binary(Binary::AndNot, mask.clone());
    first.binary(Binary::And, mask).binary(Binary::Or, kept)
}

/// Translates `UADDV`, the sum of the active elements.
fn sum_of_active(operands: &[Operand<'_>]) -> Decoded {
    let wrong = || unexpected("UADDV SCALAR,PREDICATE,REGISTER");
    let [Operand::Name(target), Operand::Name(predicate), source] = operands else {
        return Err(wrong());
    };
    let target = Lanes::scalar(target).filter(|target| target.bits == 64).ok_or_else(wrong)?;
    let predicate = Predicate::of(predicate).ok_or_else(wrong)?;
    let source = scalable_operand(source).ok_or_else(wrong)?;
    let lanes = source.read().into_iter().enumerate();
    let active = lanes.map(|(at, value)| {
        chosen(predicate.is_active(source.bits, at as u8), value, Formula::number(0))
    });
    let sum = active.reduce(|sum, value| sum.binary(Binary::Add, value));
    Ok(sum.map(|sum| Instruction::Set(target.written(vec![sum]))))
}

impl Lanes {
    fn all(self, value: Formula) -> Vec<Formula> {
        vec![value; usize::from(self.count)]
    }

    /// The same lanes of the vector register that is `by` after this one.
    pub(super) fn behind(self, by: usize) -> Lanes {
        Lanes { vector: Vector(((usize::from(self.vector.0) + by) % 32) as u8), ..self }
    }
}
