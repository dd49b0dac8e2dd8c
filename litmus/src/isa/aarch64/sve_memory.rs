//! Loads and stores of scalable vectors. Each active element is an access of its own.

use history::Annotation;

use super::super::operands::{Operand, unexpected};
use super::super::{Formula, Instruction, SCRATCH};
use super::data::extended;
use super::memory::Form;
use super::sve::{Inactive, Predicate, scalable};
use super::vector::Lanes;
use super::{Decoded, ZERO, named};
use crate::value::{Binary, Unary};

/// Translates `LD1W`, `ST2D` and their like.
pub(super) fn accesses(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let Some((loads, count, bits)) = parsed(name) else {
        return Ok(None);
    };
    let predicate = if loads { "PREDICATE/Z" } else { "PREDICATE" };
    let wrong = || unexpected(&format!("{name} {{REGISTERS}},{predicate},[REGISTER{{,OFFSET}}]"));
    let [Operand::List(names, None), Operand::Name(predicate), rest @ ..] = operands else {
        return Err(wrong());
    };
    let list: Option<Vec<Lanes>> = names.iter().map(|name| scalable(name)).collect();
    let list = list.filter(|list| list.len() == count).ok_or_else(wrong)?;
    let first = list[0];
    let follows = list.iter().enumerate().all(|(number, lanes)| *lanes == first.behind(number));
    let predicate = Predicate::of(predicate).ok_or_else(wrong)?;
    let is_predicated = predicate.inactive == loads.then_some(Inactive::Zero);
    let is_size = bits == first.bits || count == 1 && bits < first.bits;
    if !follows || !is_predicated || !is_size {
        return Err(wrong());
    }
    let form = Form { loads, annotation: Annotation::None, bits, signed: false };
    let mut parts = Vec::new();
    let halves = || list.iter().flat_map(|lanes| lanes.vector.halves());
    // The offsets of a gather may be in a register that is loaded.
    let addresses = addresses(rest, first, count, bits).ok_or_else(wrong)?;
    if loads {
        let is_offset = rest.iter().any(|operand| names_vector(operand, first));
        if is_offset {
            return Err("a gather into its own offsets is not supported".to_owned());
        }
        parts.push(Instruction::Set(halves().map(|half| (half, Formula::number(0))).collect()));
    }
    for (at, address) in addresses.into_iter().enumerate() {
        for (number, lanes) in list.iter().enumerate() {
            let bytes = i64::from(bits / 8) * number as i64;
            let address = address.clone().binary(Binary::Add, Formula::number(bytes));
            let access = form.access(address);
            let at = at as u8;
            let then = if loads {
                let loaded = Formula::Register(SCRATCH);
                vec![
                    Instruction::Load { target: Some(SCRATCH), access, exclusive: false },
                    Instruction::Set(vec![lanes.vector.inserted(lanes.bits, at, loaded)]),
                ]
            } else {
                vec![Instruction::Store { value: lanes.vector.lane(lanes.bits, at), access }]
            };
            let condition = predicate.is_active(lanes.bits, at);
            parts.push(Instruction::OnlyIf { condition, then });
        }
    }
    Ok(Some(Instruction::Sequence(parts)))
}

/// Whether the instruction loads, the number of registers, and the number of bits of an access.
fn parsed(name: &str) -> Option<(bool, usize, u8)> {
    let (loads, rest) = match name.split_at_checked(2)? {
        ("LD", rest) => (true, rest),
        ("ST", rest) => (false, rest),
        _ => return None,
    };
    let (count, letter) = rest.split_at_checked(1)?;
    let count = count.parse().ok().filter(|count| (1..=4).contains(count))?;
    let bits = match letter {
        "B" => 8,
        "H" => 16,
        "W" => 32,
        "D" => 64,
        _ => return None,
    };
    Some((loads, count, bits))
}

fn names_vector(operand: &Operand<'_>, lanes: Lanes) -> bool {
    match operand {
        Operand::Memory { inner, .. } => inner.iter().any(|operand| names_vector(operand, lanes)),
        Operand::Name(name) => scalable(name).is_some_and(|other| other.vector == lanes.vector),
        _ => false,
    }
}

/// The address of the first register's part of each element.
fn addresses(place: &[Operand<'_>], lanes: Lanes, count: usize, bits: u8) -> Option<Vec<Formula>> {
    let [Operand::Memory { offset: 0, inner, updates: false }] = place else {
        return None;
    };
    let bytes = i64::from(bits / 8);
    let [Operand::Name(base), offset @ ..] = inner.as_slice() else {
        return None;
    };
    let base = named(base).filter(|base| base.bits == 64 && base.number != ZERO)?;
    if let [Operand::Name(offsets), how @ ..] = offset
        && let Some(offsets) = scalable(offsets)
    {
        let same = count == 1 && offsets.bits == lanes.bits;
        let offsets = same.then(|| offsets.read())?;
        let extend = |offset: Formula| scaled(offset, how, bytes, lanes.bits);
        let address = |offset| Some(base.read().binary(Binary::Add, extend(offset)?));
        return offsets.into_iter().map(address).collect();
    }
    let start = match offset {
        [] => base.read(),
        [Operand::Name(register)] if bytes == 1 => {
            base.read().binary(Binary::Add, extended(named(register)?, "LSL", 0)?)
        }
        [Operand::Name(register), Operand::Modifier(how, by)]
            if how.eq_ignore_ascii_case("LSL") && 1 << by == bytes =>
        {
            base.read().binary(Binary::Add, extended(named(register)?, how, *by)?)
        }
        _ => return None,
    };
    let step = bytes * count as i64;
    let address = |at: u8| start.clone().binary(Binary::Add, Formula::number(i64::from(at) * step));
    Some((0..lanes.count).map(address).collect())
}

/// The offset of an element of a gather or scatter, extended and multiplied by the size of an access.
fn scaled(offset: Formula, how: &[Operand<'_>], bytes: i64, bits: u8) -> Option<Formula> {
    let (how, by) = match how {
        [] if bits == 64 => return Some(offset),
        [Operand::Name(how)] => (how, 0),
        [Operand::Modifier(how, by)] if 1 << by == bytes => (how, *by),
        _ => return None,
    };
    let extended = match how.to_ascii_uppercase().as_str() {
        "SXTW" => offset.unary(Unary::SignExtend(32)),
        "UXTW" => offset.unary(Unary::ZeroExtend(32)),
        "LSL" if bits == 64 => offset,
        _ => return None,
    };
    Some(extended.binary(Binary::ShiftLeft, Formula::number(by)))
}
