//! Loads and stores, alone and in pairs, their addresses, and barriers.

use history::{Annotation, Kind, Side, WeakFence};

use super::super::operands::{Operand, unexpected};
use super::super::{Formula, Instruction, MemoryAccess, Register, SCRATCH, Width};
use super::data::extended;
use super::{Decoded, Named, STACK, ZERO, named};
use crate::value::{Binary, Unary};

/// Translates barriers, and hints that order nothing.
pub(super) fn barrier(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let option = match (name, operands) {
        ("NOP" | "YIELD", []) => return Ok(Some(Instruction::Nothing)),
        ("ISB", [] | [Operand::Name(_)]) => {
            return Ok(Some(Instruction::Fence(Kind::WeakFence(WeakFence::Instruction))));
        }
        ("DMB" | "DSB", [Operand::Name(option)]) => option.to_ascii_uppercase(),
        ("DMB" | "DSB" | "ISB", _) => return Err(unexpected("DMB|DSB SY|LD|ST|ISH|…")),
        _ => return Ok(None),
    };
    let kind = match option.as_str() {
        "SY" | "ISH" | "OSH" => Kind::Fence,
        // Of the non-shareable domain: promises nothing to other processors.
        "NSH" | "NSHLD" | "NSHST" => Kind::WeakFence(WeakFence::Unknown),
        "LD" | "ISHLD" | "OSHLD" => Kind::fence(Side::Reads, Side::Both),
        // What follows a DSB waits until it has completed, loads included.
        "ST" | "ISHST" | "OSHST" if name == "DSB" => Kind::fence(Side::Writes, Side::Both),
        "ST" | "ISHST" | "OSHST" => Kind::fence(Side::Writes, Side::Writes),
        _ => return Err(format!("`{option}` is not an option of {name}")),
    };
    Ok(Some(Instruction::Fence(kind)))
}

/// The address of an access, and what becomes of the register that it is computed from.
pub(super) struct Place {
    pub address: Formula,
    /// The register that is updated, and its new value.
    pub update: Option<(Register, Formula)>,
}

impl Place {
    /// The place in operands such as `[X1]`, `[X1,#8]`, `[X1,W2,SXTW]`, `[X1,#8]!` and `[X1],#8`.
    pub(super) fn of(operands: &[Operand<'_>]) -> Option<Place> {
        let (Operand::Memory { offset: 0, inner, updates }, after) = operands.split_first()? else {
            return None;
        };
        let (Operand::Name(base), offset) = inner.split_first()? else {
            return None;
        };
        let base = named(base).filter(|base| base.bits == 64 && base.number != ZERO)?;
        let moved = |by| base.read().binary(Binary::Add, by);
        let update = |to| Some((Register(base.number), to));
        Some(match (offset, after, updates) {
            ([], [], false) => Place { address: base.read(), update: None },
            ([], [Operand::Number(by)], false) => {
                Place { address: base.read(), update: update(moved(Formula::number(*by))) }
            }
            ([Operand::Number(by)], [], true) => {
                let address = moved(Formula::number(*by));
                Place { address: address.clone(), update: update(address) }
            }
            (offset, [], false) => Place { address: moved(index(offset)?), update: None },
            _ => return None,
        })
    }

    /// The place in operands such as `[X1]`, `[X1],#8` and `[X1],X2`.
    pub(super) fn indexed(operands: &[Operand<'_>]) -> Option<Place> {
        match operands {
            [memory, Operand::Name(by)] => {
                let place = Place::plain(std::slice::from_ref(memory))?;
                let by = named(by).filter(|by| by.bits == 64)?;
                let Formula::Register(base) = place.address else {
                    return None;
                };
                let moved = place.address.clone().binary(Binary::Add, by.read());
                Some(Place { update: Some((base, moved)), ..place })
            }
            [memory, ..] => {
                Place::plain(std::slice::from_ref(memory))?;
                Place::of(operands)
            }
            [] => None,
        }
    }

    /// The place in an operand that is a register in brackets and nothing more, as for acquire and release.
    pub(super) fn plain(operands: &[Operand<'_>]) -> Option<Place> {
        match operands {
            [Operand::Memory { inner, .. }]
                if matches!(inner.as_slice(), [_] | [_, Operand::Number(0)]) =>
            {
                Place::of(operands).filter(|place| place.update.is_none())
            }
            _ => None,
        }
    }

    /// Whether an instruction with these registers is predictable: one that updates the address register neither loads
    /// nor stores it.
    pub(super) fn allows(&self, registers: &[Named]) -> bool {
        let Some((base, _)) = &self.update else {
            return true;
        };
        registers.iter().all(|register| register.target() != Some(*base))
    }

    /// The instructions followed by the update of the address register.
    pub(super) fn followed(self, mut parts: Vec<Instruction>) -> Instruction {
        parts.extend(self.update.map(|update| Instruction::Set(vec![update])));
        if parts.len() == 1 { parts.remove(0) } else { Instruction::Sequence(parts) }
    }
}

/// The distance from the base register: a number, or a register, perhaps extended and shifted.
fn index(operands: &[Operand<'_>]) -> Option<Formula> {
    match operands {
        [Operand::Number(number)] => Some(Formula::number(*number)),
        [Operand::Name(register)] => {
            let register = named(register).filter(|register| register.bits == 64)?;
            Some(register.read())
        }
        [Operand::Name(register), Operand::Name(how)] => extended(named(register)?, how, 0),
        [Operand::Name(register), Operand::Modifier(how, by)] => {
            extended(named(register)?, how, *by)
        }
        _ => None,
    }
}

/// What is loaded or stored by one access of an instruction.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub loads: bool,
    pub annotation: Annotation,
    pub bits: u8,
    /// Whether a load copies the sign to the bits above.
    pub signed: bool,
}

impl Form {
    pub(super) fn access(self, address: Formula) -> MemoryAccess {
        let width = Width { bits: self.bits, signed: self.signed };
        MemoryAccess { address, width, annotation: self.annotation }
    }

    /// The instructions that load a register or store it.
    pub(super) fn instructions(self, register: Named, address: Formula) -> Vec<Instruction> {
        let access = self.access(address);
        if !self.loads {
            return vec![Instruction::Store { value: register.read(), access }];
        }
        let load = Instruction::Load { target: register.target(), access, exclusive: false };
        // The sign is copied to the register's own bits only.
        let cuts = self.signed && register.bits < 64;
        let cut = register.target().filter(|_| cuts).map(|target| {
            Instruction::Set(vec![(target, Formula::Register(target).unary(Unary::ZeroExtend(32)))])
        });
        std::iter::once(load).chain(cut).collect()
    }
}

/// The size at the end of the name of a load or store, such as `B` in `LDRB`: the rest of the name, the number of bits,
/// and whether a load copies the sign.
fn sized(name: &str, register: Named) -> (&str, u8, bool) {
    let endings =
        [("SB", 8, true), ("SH", 16, true), ("SW", 32, true), ("B", 8, false), ("H", 16, false)];
    let split = |(ending, bits, signed)| Some((name.strip_suffix(ending)?, bits, signed));
    endings.into_iter().find_map(split).unwrap_or((name, register.bits, false))
}

/// Translates loads and stores of one register that are not exclusive.
pub(super) fn access(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let Some((Operand::Name(register), rest)) = operands.split_first() else {
        return Ok(None);
    };
    let Some(register) = named(register) else {
        return Ok(None);
    };
    let (short, bits, signed) = sized(name, register);
    // Whether it loads, its annotation, and whether the address is that in a register.
    let (loads, annotation, is_plain) = match short {
        "LDR" | "LDUR" => (true, Annotation::None, false),
        "LDAR" => (true, Annotation::Acquire, true),
        "LDAPR" | "LDAPUR" => (true, Annotation::AcquirePc, false),
        "STR" | "STUR" => (false, Annotation::None, false),
        "STLR" | "STLUR" => (false, Annotation::Release, false),
        _ => return Ok(None),
    };
    let place = if is_plain { Place::plain(rest) } else { Place::of(rest) };
    let form = Form { loads, annotation, bits, signed };
    let is_valid = |place: &Place| {
        let is_size = match (signed, bits) {
            // Only loads copy a sign, to a register with room for it.
            (true, bits) => loads && bits < register.bits,
            (false, 8 | 16) => register.bits == 32,
            _ => true,
        };
        is_size && place.allows(&[register])
    };
    let place = place.filter(is_valid).filter(|_| register.number != STACK);
    let place =
        place.ok_or_else(|| unexpected(&format!("{name} REGISTER,[REGISTER{{,OFFSET}}]")))?;
    let parts = form.instructions(register, place.address.clone());
    Ok(Some(place.followed(parts)))
}

/// Translates loads and stores of two registers.
pub(super) fn pair(name: &str, operands: &[Operand<'_>]) -> Decoded {
    // Whether it loads, the annotation of both accesses, and whether they are in order.
    let (loads, annotation, is_ordered) = match name {
        "LDP" | "LDNP" | "LDPSW" => (true, Annotation::None, false),
        "STP" | "STNP" => (false, Annotation::None, false),
        "LDAP" => (true, Annotation::Acquire, false),
        "STLP" => (false, Annotation::Release, false),
        "LDIAPP" => (true, Annotation::AcquirePc, true),
        "STILP" => (false, Annotation::Release, true),
        _ => return Ok(None),
    };
    let wrong = || unexpected(&format!("{name} REGISTER,REGISTER,[REGISTER{{,#NUMBER}}]"));
    let [Operand::Name(first), second, rest @ ..] = operands else {
        return Err(wrong());
    };
    let first = named(first).ok_or_else(wrong)?;
    let second = first.same_size(second).ok_or_else(wrong)?;
    let place = Place::of(rest).filter(|place| place.allows(&[first, second]));
    let place = place.ok_or_else(wrong)?;
    let is_signed = name == "LDPSW";
    if loads && first.target().is_some() && first.number == second.number
        || is_signed && first.bits == 32
    {
        return Err(wrong());
    }
    let bits = if is_signed { 32 } else { first.bits };
    let form = Form { loads, annotation, bits, signed: is_signed };
    // The first load may change the register that the address is computed from.
    let base = || Formula::Register(SCRATCH);
    let behind = base().binary(Binary::Add, Formula::number(i64::from(bits / 8)));
    let mut accesses = vec![form.instructions(first, base()), form.instructions(second, behind)];
    // A store that moves the address down before it stores at it begins with the higher address.
    let descends = matches!(rest, [Operand::Memory { updates: true, .. }]);
    if is_ordered && !loads && descends {
        accesses.reverse();
    }
    let accesses = accesses.into_iter().flatten().collect();
    let set = Instruction::Set(vec![(SCRATCH, place.address.clone())]);
    let accesses =
        if is_ordered { Instruction::Sequence(accesses) } else { Instruction::Unordered(accesses) };
    let parts = vec![set, accesses];
    Ok(Some(place.followed(parts)))
}
