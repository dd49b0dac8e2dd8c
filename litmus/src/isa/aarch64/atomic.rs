//! Exclusive loads and stores, and the atomics of LSE.

use history::Annotation;

use super::super::operands::{Operand, unexpected};
use super::super::{Atomicity, Instruction, MemoryAccess, Register, Update, Width};
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

/// Translates exclusive loads and stores of one register.
pub(super) fn exclusive(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let rest = name.strip_prefix("LD").or_else(|| name.strip_prefix("ST"));
    let Some(rest) = rest else {
        return Ok(None);
    };
    let short = rest.strip_suffix(['B', 'H']).unwrap_or(rest);
    match (&name[..2], short) {
        ("LD", "XR" | "AXR") | ("ST", "XR" | "LXR") => {}
        ("LD", "XP" | "AXP") | ("ST", "XP" | "LXP") => {
            return Err("exclusive pairs are not supported".to_owned());
        }
        _ => return Ok(None),
    }
    let loads = name.starts_with("LD");
    let wrong = || {
        let status = if loads { "" } else { "STATUS," };
        unexpected(&format!("{name} {status}REGISTER,[REGISTER]"))
    };
    let (status, rest) = match operands {
        rest if loads => (None, rest),
        [Operand::Name(status), rest @ ..] => (named(status).filter(|it| it.bits == 32), rest),
        _ => return Err(wrong()),
    };
    let [Operand::Name(register), rest @ ..] = rest else {
        return Err(wrong());
    };
    let register = named(register).ok_or_else(wrong)?;
    let (_, bits) = sized(name, register).ok_or_else(wrong)?;
    let place = Place::plain(rest).ok_or_else(wrong)?;
    let annotation = match short {
        "AXR" => Annotation::Acquire,
        "LXR" => Annotation::Release,
        _ => Annotation::None,
    };
    let access = access(&place, bits, annotation);
    if loads {
        let target = register.target();
        return Ok(Some(Instruction::Load { target, access, exclusive: true }));
    }
    // A status in the register that is stored or is the address is unpredictable.
    let status = status.filter(|status| status.number != register.number).ok_or_else(wrong)?;
    Ok(Some(Instruction::StoreConditional {
        status: status.target(),
        value: register.read(),
        access,
        status_depends: false,
    }))
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
        return Err("compare-and-swap of pairs is not supported".to_owned());
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
