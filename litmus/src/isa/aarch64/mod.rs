//! AArch64: loads and stores of all sizes and in pairs, with acquire and release, exclusives, the atomics of LSE,
//! barriers, moves, arithmetic, bit fields, conditional selections and branches.
//!
//! `W` registers are the lower halves of `X` registers. Each flag is a register of its own.
//!
//! - `data`: moves, arithmetic, shifts and bit fields;
//! - `flags`: what uses the flags, other than branches;
//! - `memory`: loads, stores, their addresses, and barriers;
//! - `atomic`: exclusives and the atomics of LSE;
//! - `branch`: jumps and calls;
//! - `vector`, `vector_memory`: moves, arithmetic, loads and stores of vector registers;
//! - `sve`, `sve_memory`: the same for scalable vectors, and predicates.

mod atomic;
mod branch;
mod data;
mod flags;
mod memory;
mod sve;
mod sve_memory;
mod vector;
mod vector_memory;

pub(super) use vector::lanes;

use super::operands::{Operand, Parts, parts};
use super::{Formula, Instruction, Register};
use crate::value::Unary;

/// The number of the zero register.
const ZERO: u8 = 31;
/// The number of the stack pointer.
const STACK: u8 = 32;

/// A register as an operand names it.
#[derive(Clone, Copy)]
struct Named {
    number: u8,
    /// 32 for `W` registers, 64 for `X` registers.
    bits: u8,
}

fn named(name: &str) -> Option<Named> {
    let name = name.to_ascii_uppercase();
    let (bits, rest) = match name.as_str() {
        "SP" => return Some(Named { number: STACK, bits: 64 }),
        "WSP" => return Some(Named { number: STACK, bits: 32 }),
        name => match name.split_at_checked(1)? {
            ("X", rest) => (64, rest),
            ("W", rest) => (32, rest),
            _ => return None,
        },
    };
    let number = match rest {
        "ZR" => ZERO,
        digits => digits.parse().ok().filter(|number| *number < ZERO)?,
    };
    Some(Named { number, bits })
}

impl Named {
    fn read(self) -> Formula {
        match (self.number, self.bits) {
            (ZERO, _) => Formula::number(0),
            (number, 64) => Formula::Register(Register(number)),
            (number, bits) => Formula::Register(Register(number)).unary(Unary::ZeroExtend(bits)),
        }
    }

    /// The register that a write to this one changes, if it changes any.
    fn target(self) -> Option<Register> {
        (self.number != ZERO).then_some(Register(self.number))
    }

    /// The instruction that sets the register.
    fn set(self, value: Formula) -> Instruction {
        match self.target() {
            Some(register) => Instruction::Set(vec![(register, self.cut(value))]),
            None => Instruction::Nothing,
        }
    }

    /// The value that the register holds after `value` is written to it.
    fn cut(self, value: Formula) -> Formula {
        if self.bits == 64 { value } else { value.unary(Unary::ZeroExtend(self.bits)) }
    }

    /// The register in an operand, if it has the size of this one.
    fn same_size(self, operand: &Operand<'_>) -> Option<Named> {
        match operand {
            Operand::Name(name) => named(name).filter(|other| other.bits == self.bits),
            _ => None,
        }
    }
}

/// The register of a name such as `X1` or `W1`.
pub(super) fn register(name: &str) -> Option<Register> {
    named(name).map(|named| Register(named.number))
}

/// The name of a register, such as `X1`.
pub(super) fn register_name(register: Register) -> String {
    match register.0 {
        ZERO => "XZR".to_owned(),
        STACK => "SP".to_owned(),
        number => match vector::number_of_half(register) {
            Some(vector) => format!("V{vector}"),
            None => format!("X{number}"),
        },
    }
}

/// An instruction if the name is one of the decoder's, and an error if its operands are wrong.
type Decoded = Result<Option<Instruction>, String>;

/// The decoders, each for a family of instructions.
const DECODERS: [fn(&str, &[Operand<'_>]) -> Decoded; 24] = [
    memory::barrier,
    sve::predicates,
    sve::arithmetic,
    sve_memory::accesses,
    branch::branch,
    vector::moves,
    vector::immediate,
    vector::arithmetic,
    vector_memory::scalars,
    vector_memory::structures,
    data::arithmetic,
    data::shift,
    data::moves,
    data::bit_field,
    data::one_source,
    data::multiply,
    data::extract,
    flags::select,
    flags::conditional_compare,
    flags::system_register,
    memory::access,
    memory::pair,
    atomic::exclusive,
    atomic::atomic,
];

/// Translates an instruction.
///
/// # Errors
/// Returns a description of the part that is not understood.
pub(super) fn decode(text: &str) -> Result<Instruction, String> {
    let end = text.find(|one: char| one.is_whitespace() || one == '{').unwrap_or(text.len());
    let name = text[..end].to_ascii_uppercase();
    if let Some(feature) = unsupported_feature(&name) {
        return Err(format!("`{name}` belongs to {feature}, which is not supported"));
    }
    let Parts { mnemonic, operands } = parts(text)?;
    let mut found = DECODERS.into_iter().map(|decoder| decoder(&name, &operands));
    match found.find(|found| !matches!(found, Ok(None))) {
        Some(Ok(Some(instruction))) => Ok(instruction),
        Some(Err(error)) => Err(error),
        _ => Err(format!("`{mnemonic}` is not known with these operands")),
    }
}

/// The part of the architecture that an instruction belongs to, if nothing of that part is supported.
fn unsupported_feature(name: &str) -> Option<&'static str> {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    Some(match name {
        "UDF" | "SVC" | "HVC" | "SMC" | "BRK" | "ERET" => "exceptions",
        "IC" | "DC" => "cache maintenance",
        "TLBI" | "AT" => "address translation",
        "STG" | "ST2G" | "STZG" | "STZ2G" | "STGP" | "LDG" | "STGM" | "STZGM" | "LDGM" | "IRG"
        | "GMI" | "ADDG" | "SUBG" | "SUBP" | "SUBPS" => "memory tagging",
        name if name.starts_with("GCS") => "guarded control stacks",
        _ if starts(&["PAC", "AUT", "XPAC", "BRA", "BLRA", "RETA"]) => "pointer authentication",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
