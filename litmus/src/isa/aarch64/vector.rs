//! The vector registers, and moves and arithmetic of vectors.
//!
//! A vector register is two registers of 64 bits, its halves. What reads any of it depends on whatever wrote the
//! register, as in herd.

use super::super::operands::{Operand, unexpected};
use super::super::{Formula, Instruction, Register};
use super::{Decoded, named};
use crate::value::{Binary, Unary};

/// The lower half of the first vector register.
const FIRST: u8 = 40;

/// A vector register, by its number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Vector(pub u8);

/// A vector register as an operand names it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Lanes {
    pub vector: Vector,
    /// The number of bits of a lane.
    pub bits: u8,
    /// The number of lanes: 1 for a scalar such as `S0`, and 0 for a name without a number, as in `V0.S[1]`.
    pub count: u8,
}

/// The number of bits that a letter stands for.
fn letter_bits(letter: &str) -> Option<u8> {
    match letter {
        "B" => Some(8),
        "H" => Some(16),
        "S" => Some(32),
        "D" => Some(64),
        _ => None,
    }
}

fn number(digits: &str) -> Option<Vector> {
    digits.parse().ok().filter(|number| *number < 32).map(Vector)
}

impl Lanes {
    /// The lanes of a name such as `V0.4S`, `V0.S`.
    pub(super) fn of(name: &str) -> Option<Lanes> {
        let name = name.to_ascii_uppercase();
        let (register, shape) = name.strip_prefix('V')?.split_once('.')?;
        let letters = shape.trim_start_matches(|one: char| one.is_ascii_digit());
        let digits = &shape[..shape.len() - letters.len()];
        let bits = letter_bits(letters)?;
        let count = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        let is_whole = matches!(u16::from(count) * u16::from(bits), 0 | 64 | 128);
        is_whole.then_some(Lanes { vector: number(register)?, bits, count })
    }

    /// The scalar of a name such as `S0`, with up to 64 bits.
    pub(super) fn scalar(name: &str) -> Option<Lanes> {
        let name = name.to_ascii_uppercase();
        let (letter, digits) = name.split_at_checked(1)?;
        Some(Lanes { vector: number(digits)?, bits: letter_bits(letter)?, count: 1 })
    }

    fn of_operand(operand: &Operand<'_>) -> Option<Lanes> {
        match operand {
            Operand::Name(name) => Lanes::of(name).filter(|lanes| lanes.count > 0),
            _ => None,
        }
    }

    fn scalar_operand(operand: &Operand<'_>) -> Option<Lanes> {
        match operand {
            Operand::Name(name) => Lanes::scalar(name),
            _ => None,
        }
    }

    /// One lane of an operand such as `V0.S[1]`: the register with the size of its lanes, and the number.
    fn element(operand: &Operand<'_>) -> Option<(Lanes, u8)> {
        let Operand::Element(name, at) = operand else {
            return None;
        };
        let lanes = Lanes::of(name)?;
        (*at < 128 / lanes.bits).then_some((lanes, *at))
    }

    /// The values of the lanes.
    pub(super) fn read(self) -> Vec<Formula> {
        (0..self.count).map(|at| self.vector.lane(self.bits, at)).collect()
    }

    /// The registers after the lanes got these values and all other bits of the vector register became zero.
    pub(super) fn written(self, values: Vec<Formula>) -> Vec<(Register, Formula)> {
        let mut halves = [Formula::number(0), Formula::number(0)];
        for (at, value) in values.into_iter().enumerate() {
            let position = at * usize::from(self.bits);
            let value = cut(value, self.bits);
            let placed = value.binary(Binary::ShiftLeft, Formula::number((position % 64) as i64));
            let half = &mut halves[position / 64];
            *half = half.clone().binary(Binary::Or, placed);
        }
        self.vector.halves().into_iter().zip(halves).collect()
    }
}

fn cut(value: Formula, bits: u8) -> Formula {
    if bits == 64 { value } else { value.unary(Unary::ZeroExtend(bits)) }
}

impl Vector {
    /// The registers that hold the lower and the upper 64 bits.
    pub(super) fn halves(self) -> [Register; 2] {
        let low = FIRST + 2 * self.0;
        [Register(low), Register(low + 1)]
    }

    /// The value of a lane of `bits` bits.
    pub(super) fn lane(self, bits: u8, at: u8) -> Formula {
        let position = u16::from(at) * u16::from(bits);
        let halves = self.halves();
        let (own, other) = (halves[usize::from(position / 64)], halves[usize::from(position < 64)]);
        let shifted = Formula::Register(own)
            .binary(Binary::ShiftRight, Formula::number(i64::from(position % 64)));
        // The other half is a part of the same register, and so of the dependency.
        let depends = Formula::Register(other).binary(Binary::And, Formula::number(0));
        cut(shifted, bits).binary(Binary::Or, depends)
    }

    /// The half that holds a lane, after the lane got a value and all others kept theirs.
    pub(super) fn inserted(self, bits: u8, at: u8, value: Formula) -> (Register, Formula) {
        let position = u16::from(at) * u16::from(bits);
        let half = self.halves()[usize::from(position / 64)];
        if bits == 64 {
            return (half, value);
        }
        let by = i64::from(position % 64);
        let mask = ((1_i64 << bits) - 1) << by;
        let kept = Formula::Register(half).binary(Binary::AndNot, Formula::number(mask));
        let placed = cut(value, bits).binary(Binary::ShiftLeft, Formula::number(by));
        (half, kept.binary(Binary::Or, placed))
    }
}

/// The lower half, the number of bits of a lane, and the number of lanes of a vector register such as `V0.4S`.
pub(crate) fn lanes(name: &str) -> Option<(Register, u8, u8)> {
    let lanes = Lanes::of(name).filter(|lanes| lanes.count > 0)?;
    Some((lanes.vector.halves()[0], lanes.bits, lanes.count))
}

/// The number of the vector register that a register is a half of.
pub(super) fn number_of_half(register: Register) -> Option<u8> {
    register.0.checked_sub(FIRST).map(|number| number / 2)
}

/// Translates moves between vector registers, elements, scalars and general registers.
pub(super) fn moves(name: &str, operands: &[Operand<'_>]) -> Decoded {
    if !matches!(name, "MOV" | "INS" | "UMOV" | "FMOV" | "DUP") {
        return Ok(None);
    }
    let [target, source] = operands else {
        return Ok(None);
    };
    let Some((value, bits)) = value(source) else {
        return Ok(None);
    };
    if let (Some(target), Operand::Name(source)) = (Lanes::of_operand(target), source)
        && let Some(source) = Lanes::of(source)
    {
        let is_copy = name == "MOV" && target.bits == source.bits && target.count == source.count;
        return Ok(is_copy.then(|| Instruction::Set(target.written(source.read()))));
    }
    let general = match target {
        Operand::Name(target) => named(target),
        _ => None,
    };
    let set = if let Some((lanes, at)) = Lanes::element(target) {
        let fits = matches!(name, "MOV" | "INS") && bits == register_bits(lanes.bits, source);
        fits.then(|| vec![lanes.vector.inserted(lanes.bits, at, value)])
    } else if let Some(lanes) = Lanes::of_operand(target) {
        let fits = name == "DUP" && bits == register_bits(lanes.bits, source);
        fits.then(|| lanes.written(vec![value; usize::from(lanes.count)]))
    } else if let Some(lanes) = Lanes::scalar_operand(target) {
        let from_general = matches!(source, Operand::Name(source) if named(source).is_some());
        let fits = matches!((name, from_general), ("FMOV", true) | ("MOV" | "DUP", false));
        (fits && bits == lanes.bits).then(|| lanes.written(vec![value]))
    } else if let Some(register) = general {
        let fits = match (name, source) {
            ("MOV", Operand::Element(..)) => bits >= 32 && bits == register.bits,
            ("UMOV", Operand::Element(..)) => {
                bits == register.bits || bits < 32 && register.bits == 32
            }
            ("FMOV", Operand::Name(_)) => bits == register.bits,
            _ => false,
        };
        return Ok(fits.then(|| register.set(value)));
    } else {
        None
    };
    Ok(set.map(Instruction::Set))
}

/// The value of a source of a move, and its number of bits.
fn value(operand: &Operand<'_>) -> Option<(Formula, u8)> {
    if let Some((lanes, at)) = Lanes::element(operand) {
        return Some((lanes.vector.lane(lanes.bits, at), lanes.bits));
    }
    let Operand::Name(name) = operand else {
        return None;
    };
    if let Some(register) = named(name) {
        return Some((register.read(), register.bits));
    }
    let lanes = Lanes::scalar(name).or_else(|| Lanes::of(name))?;
    Some((lanes.vector.lane(lanes.bits, 0), lanes.bits))
}

/// The size of a source for lanes of so many bits: that of the lanes, or of the general register that holds one.
fn register_bits(lane_bits: u8, source: &Operand<'_>) -> u8 {
    let is_general = matches!(source, Operand::Name(source) if named(source).is_some());
    if is_general { lane_bits.max(32) } else { lane_bits }
}

/// Translates `MOVI`, which sets every lane to a number.
pub(super) fn immediate(name: &str, operands: &[Operand<'_>]) -> Decoded {
    if name != "MOVI" {
        return Ok(None);
    }
    let wrong = || unexpected("MOVI REGISTER,#NUMBER[,LSL #NUMBER]");
    let [target, Operand::Number(number), rest @ ..] = operands else {
        return Err(wrong());
    };
    let lanes = Lanes::of_operand(target)
        .or_else(|| Lanes::scalar_operand(target).filter(|lanes| lanes.bits == 64));
    let lanes = lanes.ok_or_else(wrong)?;
    let number = match rest {
        [] => *number,
        [Operand::Modifier(how, by)] if (0..i64::from(lanes.bits)).contains(by) && by % 8 == 0 => {
            match how.to_ascii_uppercase().as_str() {
                "LSL" => number << by,
                "MSL" => ((number + 1) << by) - 1,
                _ => return Err(wrong()),
            }
        }
        _ => return Err(wrong()),
    };
    let values = vec![Formula::number(number); usize::from(lanes.count)];
    Ok(Some(Instruction::Set(lanes.written(values))))
}

/// Translates arithmetic of vectors, lane by lane.
pub(super) fn arithmetic(name: &str, operands: &[Operand<'_>]) -> Decoded {
    // Whether the lanes do not matter, so that only bytes are named.
    let (operation, is_logic) = match name {
        "ADD" => (Binary::Add, false),
        "SUB" => (Binary::Subtract, false),
        "MUL" => (Binary::Multiply, false),
        "AND" => (Binary::And, true),
        "ORR" => (Binary::Or, true),
        "EOR" => (Binary::Xor, true),
        "BIC" => (Binary::AndNot, true),
        "ADDV" => return across(operands),
        _ => return Ok(None),
    };
    let [target, first, second] = operands else {
        return Ok(None);
    };
    let scalar =
        |operand| Lanes::scalar_operand(operand).filter(|lanes| lanes.bits == 64 && !is_logic);
    let lanes = |operand| Lanes::of_operand(operand).or_else(|| scalar(operand));
    let (Some(target), Some(first), Some(second)) = (lanes(target), lanes(first), lanes(second))
    else {
        return Ok(None);
    };
    let is_same = |other: Lanes| other.bits == target.bits && other.count == target.count;
    let is_size = if is_logic { target.bits == 8 } else { name != "MUL" || target.bits < 64 };
    if !is_same(first) || !is_same(second) || !is_size {
        return Err(unexpected(&format!("{name} with three registers of the same lanes")));
    }
    let lanes = first.read().into_iter().zip(second.read());
    let results = lanes.map(|(first, second)| first.binary(operation, second)).collect();
    Ok(Some(Instruction::Set(target.written(results))))
}

/// Translates `ADDV`, the sum of all lanes.
fn across(operands: &[Operand<'_>]) -> Decoded {
    let wrong = || unexpected("ADDV SCALAR,REGISTER");
    let [target, source] = operands else {
        return Err(wrong());
    };
    let lanes = Lanes::scalar_operand(target).zip(Lanes::of_operand(source));
    let (target, source) = lanes
        .filter(|(target, source)| target.bits == source.bits && source.count > 2)
        .ok_or_else(wrong)?;
    let sum = source.read().into_iter().reduce(|sum, lane| sum.binary(Binary::Add, lane));
    Ok(sum.map(|sum| Instruction::Set(target.written(vec![sum]))))
}
