//! Loads and stores of vector registers. Each element is an access of its own, and a register of 128 bits is two.

use history::Annotation;

use super::super::operands::{Operand, unexpected};
use super::super::{Formula, Instruction, SCRATCH};
use super::Decoded;
use super::memory::{Form, Place};
use super::vector::{Lanes, Vector};
use crate::value::Binary;

/// A scalar as loads and stores name it: the register and the number of bits, up to 128.
fn scalar(operand: &Operand<'_>) -> Option<(Vector, u8)> {
    let Operand::Name(name) = operand else {
        return None;
    };
    match name.strip_prefix(['Q', 'q']) {
        Some(digits) => {
            let number = digits.parse().ok().filter(|number| *number < 32)?;
            Some((Vector(number), 128))
        }
        None => Lanes::scalar(name).map(|lanes| (lanes.vector, lanes.bits)),
    }
}

/// The address `bytes` after another.
fn behind(address: Formula, bytes: i64) -> Formula {
    address.binary(Binary::Add, Formula::number(bytes))
}

/// The instructions that load a whole register, or store its lowest bits.
fn whole(
    vector: Vector,
    bits: u8,
    loads: bool,
    annotation: Annotation,
    address: &Formula,
) -> Vec<Instruction> {
    let [low, high] = vector.halves();
    let form = Form { loads, annotation, bits: bits.min(64), signed: false };
    let part = |at: u8| {
        let access = form.access(behind(address.clone(), i64::from(8 * at)));
        if loads {
            let target = Some(if at == 0 { low } else { high });
            Instruction::Load { target, access, exclusive: false }
        } else {
            Instruction::Store { value: vector.lane(form.bits, at), access }
        }
    };
    match (bits, loads) {
        (128, _) => vec![part(0), part(1)],
        (_, true) => vec![part(0), Instruction::Set(vec![(high, Formula::number(0))])],
        (_, false) => vec![part(0)],
    }
}

/// Translates loads and stores of one scalar or two.
pub(super) fn scalars(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let (loads, annotation, is_pair) = match name {
        "LDR" | "LDUR" => (true, Annotation::None, false),
        "STR" | "STUR" => (false, Annotation::None, false),
        "LDAPUR" => (true, Annotation::AcquirePc, false),
        "STLUR" => (false, Annotation::Release, false),
        "LDP" | "LDNP" => (true, Annotation::None, true),
        "STP" | "STNP" => (false, Annotation::None, true),
        _ => return Ok(None),
    };
    let Some((first, bits)) = operands.first().and_then(scalar) else {
        return Ok(None);
    };
    let wrong = || unexpected(&format!("{name} REGISTER,[REGISTER{{,OFFSET}}]"));
    let (second, rest) = match operands {
        [_, second, rest @ ..] if is_pair => {
            let second = scalar(second).filter(|second| second.1 == bits && bits >= 32);
            (Some(second.ok_or_else(wrong)?.0), rest)
        }
        operands => (None, &operands[1..]),
    };
    if second == Some(first) && loads {
        return Err(wrong());
    }
    if bits == 128 && annotation != Annotation::None {
        return Err("an ordered access of 128 bits is not supported".to_owned());
    }
    let place = Place::of(rest).ok_or_else(wrong)?;
    let mut parts = whole(first, bits, loads, annotation, &place.address);
    if let Some(second) = second {
        let address = behind(place.address.clone(), i64::from(bits / 8));
        parts.extend(whole(second, bits, loads, annotation, &address));
    }
    Ok(Some(place.followed(parts)))
}

/// How an instruction such as `LD2` arranges elements in memory.
struct Structure {
    loads: bool,
    annotation: Annotation,
    /// The number of elements that stand together, one of each register.
    count: usize,
    /// Whether a load copies one element to all lanes.
    replicates: bool,
}

impl Structure {
    fn of(name: &str) -> Option<Structure> {
        let (loads, annotation, rest) = if let Some(rest) = name.strip_prefix("LDAP") {
            (true, Annotation::AcquirePc, rest)
        } else if let Some(rest) = name.strip_prefix("STL") {
            (false, Annotation::Release, rest)
        } else if let Some(rest) = name.strip_prefix("LD") {
            (true, Annotation::None, rest)
        } else {
            (false, Annotation::None, name.strip_prefix("ST")?)
        };
        let (digit, replicates) = match rest.strip_suffix('R') {
            Some(digit) if loads => (digit, true),
            _ => (rest, false),
        };
        let count = digit.parse().ok().filter(|count| (1..=4).contains(count))?;
        let is_ordered = annotation != Annotation::None;
        (!is_ordered || count == 1 && !replicates).then_some(Structure {
            loads,
            annotation,
            count,
            replicates,
        })
    }

    /// The accesses of one element of each register, at consecutive addresses from `from` bytes after the address on.
    fn elements(&self, list: &[Lanes], at: u8, from: i64, address: &Formula) -> Vec<Instruction> {
        let one = |(number, lanes): (usize, &Lanes)| {
            let bytes = i64::from(lanes.bits / 8);
            self.element(*lanes, at, behind(address.clone(), from + number as i64 * bytes))
        };
        list.iter().enumerate().flat_map(one).collect()
    }

    fn element(&self, lanes: Lanes, at: u8, address: Formula) -> Vec<Instruction> {
        let bits = lanes.bits;
        let form = Form { loads: self.loads, annotation: self.annotation, bits, signed: false };
        let access = form.access(address);
        if !self.loads {
            return vec![Instruction::Store { value: lanes.vector.lane(bits, at), access }];
        }
        let load = Instruction::Load { target: Some(SCRATCH), access, exclusive: false };
        let loaded = Formula::Register(SCRATCH);
        let set = if self.replicates {
            lanes.written(vec![loaded; usize::from(lanes.count)])
        } else {
            vec![lanes.vector.inserted(bits, at, loaded)]
        };
        vec![load, Instruction::Set(set)]
    }
}

/// Translates loads and stores of elements and of structures of elements.
pub(super) fn structures(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let Some(structure) = Structure::of(name) else {
        return Ok(None);
    };
    let wrong = || unexpected(&format!("{name} {{REGISTERS}},[REGISTER]{{,OFFSET}}"));
    let [Operand::List(names, index), rest @ ..] = operands else {
        return Err(wrong());
    };
    let list: Option<Vec<Lanes>> = names.iter().map(|name| Lanes::of(name)).collect();
    let list = list.filter(|list| !list.is_empty()).ok_or_else(wrong)?;
    let first = list[0];
    let follows = list.iter().enumerate().all(|(number, lanes)| *lanes == first.behind(number));
    let is_count = list.len() == structure.count
        || structure.count == 1 && index.is_none() && !structure.replicates && list.len() <= 4;
    // One element of each register has an index; all of them have a number of lanes.
    let is_form = match index {
        Some(at) => *at < 128 / first.bits && !structure.replicates,
        None => first.count > 0 && structure.annotation == Annotation::None,
    };
    let place = Place::indexed(rest).ok_or_else(wrong)?;
    if !follows || !is_count || !is_form {
        return Err(wrong());
    }
    let address = &place.address;
    let bytes = i64::from(first.bits / 8);
    let mut parts = Vec::new();
    match index {
        Some(at) => parts.extend(structure.elements(&list, *at, 0, address)),
        None if structure.replicates => parts.extend(structure.elements(&list, 0, 0, address)),
        None => {
            if structure.loads {
                let zero =
                    |lanes: &Lanes| lanes.vector.halves().map(|half| (half, Formula::number(0)));
                parts.push(Instruction::Set(list.iter().flat_map(zero).collect()));
            }
            let lanes = i64::from(first.count);
            let count = list.len() as i64;
            if structure.count == 1 {
                for (number, one) in list.iter().enumerate() {
                    for at in 0..first.count {
                        let from = (number as i64 * lanes + i64::from(at)) * bytes;
                        parts.extend(structure.elements(&[*one], at, from, address));
                    }
                }
            } else {
                for at in 0..first.count {
                    let from = i64::from(at) * count * bytes;
                    parts.extend(structure.elements(&list, at, from, address));
                }
            }
        }
    }
    Ok(Some(place.followed(parts)))
}
