//! Exclusive loads and stores, and the atomics of LSE.

use history::Annotation;

use super::super::operands::{Operand, unexpected};
use super::super::{
    Atomicity, Formula, Instruction, MemoryAccess, Register, SCRATCH, Update, Width,
};
use super::memory::Place;
use super::{Decoded, Named, STACK, named};
use crate::value::Binary;

/// Splits `B` or `H` off a mnemonic. Returns the rest and the number of bits that are accessed; `None` for a register
/// that the size does not go with.
fn sized(name: &str, register: Named) -> Option<(&str, u8)> {
    let small = [('B', 8), ('H', 16)];
    let split = |(ending, bits)| Some((name.strip_suffix(ending)?, bits));
    match small.into_iter().find_map(split) {
        Some(sized) => (register.bits == 32).then_some(sized),
        None => Some((name, register.bits)),
    }
}

fn access(place: &Place, bits: u8, annotation: Annotation) -> MemoryAccess {
    MemoryAccess {
        address: place.address.clone(),
        width: Width { bits, signed: false },
        annotation,
    }
}

/// Translates exclusive loads and stores of one register or two.
pub(super) fn exclusive(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let is_byte_or_half = name.ends_with(['B', 'H']);
    let (loads, annotation, count) = match name.strip_suffix(['B', 'H']).unwrap_or(name) {
        "LDXR" => (true, Annotation::None, 1),
        "LDAXR" => (true, Annotation::Acquire, 1),
        "STXR" => (false, Annotation::None, 1),
        "STLXR" => (false, Annotation::Release, 1),
        "LDXP" if !is_byte_or_half => (true, Annotation::None, 2),
        "LDAXP" if !is_byte_or_half => (true, Annotation::Acquire, 2),
        "STXP" if !is_byte_or_half => (false, Annotation::None, 2),
        "STLXP" if !is_byte_or_half => (false, Annotation::Release, 2),
        _ => return Ok(None),
    };
    let wrong = || {
        let status = if loads { "" } else { "STATUS," };
        unexpected(&format!("{name} {status}{}[REGISTER]", "REGISTER,".repeat(count)))
    };
    let (status, rest) = match operands {
        rest if loads => (None, rest),
        [Operand::Name(status), rest @ ..] => (named(status).filter(|it| it.bits == 32), rest),
        _ => return Err(wrong()),
    };
    let (registers, place) = rest.split_at_checked(count).ok_or_else(wrong)?;
    let Operand::Name(first) = registers[0] else {
        return Err(wrong());
    };
    let first = named(first).ok_or_else(wrong)?;
    let registers: Option<Vec<Named>> = registers.iter().map(|it| first.same_size(it)).collect();
    let registers = registers.ok_or_else(wrong)?;
    let (_, bits) = sized(name, first).ok_or_else(wrong)?;
    let place = Place::plain(place).ok_or_else(wrong)?;
    if !loads {
        // A status in a register that is stored is unpredictable.
        let is_free = |status: &Named| registers.iter().all(|it| it.number != status.number);
        let status = status.filter(is_free).ok_or_else(wrong)?;
        return Ok(Some(Instruction::StoreConditional {
            status: status.target(),
            values: registers.into_iter().map(Named::read).collect(),
            access: access(&place, bits, annotation),
            status_depends: false,
        }));
    }
    let load = |(at, register): (usize, &Named)| {
        let bytes = Formula::number(at as i64 * i64::from(bits / 8));
        // The first load may change the register that the address is computed from.
        let base = if count == 1 { place.address.clone() } else { Formula::Register(SCRATCH) };
        let address = if at == 0 { base } else { base.binary(Binary::Add, bytes) };
        let width = Width { bits, signed: false };
        let access = MemoryAccess { address, width, annotation };
        Instruction::Load { target: register.target(), access, exclusive: true }
    };
    let mut all: Vec<Instruction> = registers.iter().enumerate().map(load).collect();
    if count == 1 {
        return Ok(Some(all.remove(0)));
    }
    if registers[0].target().is_some() && registers[0].number == registers[1].number {
        return Err(wrong());
    }
    let set = Instruction::Set(vec![(SCRATCH, place.address)]);
    Ok(Some(Instruction::Sequence(vec![set, Instruction::Unordered(all)])))
}

/// The names of the operations of atomics such as `LDADD` and `STADD`.
fn operation(name: &str) -> Option<Binary> {
    Some(match name {
        "ADD" => Binary::Add,
        "CLR" => Binary::AndNot,
        "SET" => Binary::Or,
        "EOR" => Binary::Xor,
        "SMAX" => Binary::Maximum,
        "SMIN" => Binary::Minimum,
        "UMAX" => Binary::MaximumUnsigned,
        "UMIN" => Binary::MinimumUnsigned,
        _ => return None,
    })
}

/// What an atomic instruction does.
#[derive(Clone, Copy)]
enum Kind {
    Swap,
    CompareAndSwap,
    CompareAndSwapPair,
    /// An operation that returns the value it found.
    Load(Binary),
    /// An operation that returns nothing.
    Store(Binary),
}

fn kind(name: &str) -> Option<Kind> {
    Some(match name {
        "SWP" => Kind::Swap,
        "CAS" => Kind::CompareAndSwap,
        "CASP" => Kind::CompareAndSwapPair,
        _ => match name.split_at_checked(2)? {
            ("LD", rest) => Kind::Load(operation(rest)?),
            ("ST", rest) => Kind::Store(operation(rest)?),
            _ => return None,
        },
    })
}

/// The kind of an atomic instruction by its name without a size, and whether it acquires or releases.
fn kind_and_order(name: &str) -> Option<(Kind, Annotation)> {
    let endings = [
        ("", Annotation::None),
        ("AL", Annotation::AcquireRelease),
        ("A", Annotation::Acquire),
        ("L", Annotation::Release),
    ];
    endings
        .into_iter()
        .find_map(|(ending, annotation)| Some((kind(name.strip_suffix(ending)?)?, annotation)))
}

/// Translates the atomics of LSE.
pub(super) fn atomic(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let unsized_name = name.strip_suffix(['B', 'H']).unwrap_or(name);
    let Some((kind, annotation)) = kind_and_order(unsized_name) else {
        return Ok(None);
    };
    let wrong = || {
        let registers =
            if matches!(kind, Kind::Store(_)) { "REGISTER" } else { "REGISTER,REGISTER" };
        unexpected(&format!("{name} {registers},[REGISTER], all of one size"))
    };
    if matches!(kind, Kind::CompareAndSwapPair) {
        return pair(name, annotation, operands);
    }
    let (registers, place) = match (kind, operands) {
        (Kind::Store(_), [register, place @ ..]) => ([register, register], place),
        (_, [first, second, place @ ..]) => ([first, second], place),
        _ => return Err(wrong()),
    };
    let Operand::Name(first) = registers[0] else {
        return Err(wrong());
    };
    let first = named(first).filter(|first| first.number != STACK).ok_or_else(wrong)?;
    let second = first.same_size(registers[1]).ok_or_else(wrong)?;
    let (_, bits) = sized(name, first).ok_or_else(wrong)?;
    let place = Place::plain(place).ok_or_else(wrong)?;
    let access = access(&place, bits, annotation);
    let atomicity = Atomicity::Atomic;
    let update = |target: Option<Register>, update, access| Instruction::Atomic {
        target,
        update,
        access,
        atomicity,
    };
    Ok(Some(match kind {
        Kind::Swap => update(second.target(), Update::Exchange(first.read()), access),
        Kind::Load(operation) => {
            update(second.target(), Update::Apply(operation, first.read()), access)
        }
        Kind::Store(operation) => update(None, Update::Apply(operation, first.read()), access),
        Kind::CompareAndSwap | Kind::CompareAndSwapPair => Instruction::CompareAndSwap {
            target: first.target(),
            expected: first.read(),
            value: second.read(),
            access,
            atomicity,
            success: None,
        },
    }))
}

/// Translates `CASP`.
fn pair(name: &str, annotation: Annotation, operands: &[Operand<'_>]) -> Decoded {
    let wrong = || {
        let pairs = "REGISTER,REGISTER,REGISTER,REGISTER";
        unexpected(&format!("{name} {pairs},[REGISTER], each pair with an even first number"))
    };
    let [Operand::Name(first), registers @ .., _] = operands else {
        return Err(wrong());
    };
    let first = named(first).ok_or_else(wrong)?;
    let rest: Option<Vec<Named>> = registers.iter().map(|it| first.same_size(it)).collect();
    let Some([second, third, fourth]) = rest.as_deref() else {
        return Err(wrong());
    };
    let is_pair =
        |one: Named, two: Named| one.number.is_multiple_of(2) && two.number == one.number + 1;
    let place = Place::plain(&operands[4..]).ok_or_else(wrong)?;
    if !is_pair(first, *second) || !is_pair(*third, *fourth) || name.ends_with(['B', 'H']) {
        return Err(wrong());
    }
    Ok(Some(Instruction::CompareAndSwapPair {
        targets: [first.target(), second.target()],
        expected: [first.read(), second.read()],
        values: [third.read(), fourth.read()],
        access: access(&place, first.bits, annotation),
    }))
}
