//! RISC-V: the 64-bit base instructions, atomics (`A`) and fences.
//!
//! Loads and stores take `.aq` and `.rl` as the litmus tests of the RISC-V memory model task group write
//! them, although only atomic instructions have them in hardware. `fence.i` orders no data accesses and
//! is skipped, as in herd.

use history::{Annotation, Kind, Side, WeakFence};

use super::operands::{Operand, parts, unexpected};
use super::{Atomicity, Formula, Instruction, JumpTarget, MemoryAccess, Register, Update, Width};
use crate::value::{Binary, Unary};

/// The names of the registers in the calling convention, by number.
const CALLING: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

/// The register of a name such as `x5` or `t0`.
pub(super) fn register(name: &str) -> Option<Register> {
    let numbered = name.strip_prefix('x').and_then(|digits| digits.parse::<u8>().ok());
    let by_convention = || CALLING.iter().position(|it| *it == name).map(|at| at as u8);
    let by_name = || if name == "fp" { Some(8) } else { by_convention() };
    numbered.or_else(by_name).filter(|number| *number < 32).map(Register)
}

/// The name of a register, such as `x5`.
pub(super) fn register_name(register: Register) -> String {
    format!("x{}", register.0)
}

/// Translates an instruction.
///
/// # Errors
/// Returns a description of the part that is not understood.
pub(super) fn decode(text: &str) -> Result<Instruction, String> {
    let parts = parts(text)?;
    let operands = parts.operands.as_slice();
    let mnemonic = parts.mnemonic.to_ascii_lowercase();
    let (name, annotation) = split_annotation(&mnemonic);
    if let Some(fence) = fence(name, operands)? {
        return Ok(fence);
    }
    let decoders = [access, atomic, arithmetic, branch];
    let mut found = decoders.into_iter().map(|decoder| decoder(name, annotation, operands));
    match found.find(|found| !matches!(found, Ok(None))) {
        Some(Ok(Some(instruction))) => Ok(instruction),
        Some(Err(error)) => Err(error),
        _ => Err(format!("`{}` is not known", parts.mnemonic)),
    }
}

/// An instruction if the name is one of the decoder's, and an error if its operands are wrong.
type Decoded = Result<Option<Instruction>, String>;

/// Splits `.aq`, `.rl` or both off a mnemonic.
fn split_annotation(mnemonic: &str) -> (&str, Annotation) {
    let endings = [
        (".aq.rl", Annotation::AcquireRelease),
        (".aqrl", Annotation::AcquireRelease),
        (".aq", Annotation::Acquire),
        (".rl", Annotation::Release),
    ];
    let split = |(ending, annotation)| Some((mnemonic.strip_suffix(ending)?, annotation));
    endings.into_iter().find_map(split).unwrap_or((mnemonic, Annotation::None))
}

fn fence(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let kind = match (name, operands) {
        ("fence.i", []) => return Ok(Some(Instruction::Nothing)),
        ("fence.tso", []) => Kind::WeakFence(WeakFence::Tso),
        ("fence", []) => Kind::Fence,
        ("fence", [Operand::Name(before), Operand::Name(after)]) => {
            let sides = side(before).zip(side(after));
            let (before, after) = sides.ok_or_else(|| unexpected("fence r|w|rw,r|w|rw"))?;
            Kind::fence(before, after)
        }
        ("fence" | "fence.i" | "fence.tso", _) => return Err(unexpected("fence [r|w|rw,r|w|rw]")),
        _ => return Ok(None),
    };
    Ok(Some(Instruction::Fence(kind)))
}

/// The accesses that a fence orders on one side. Device input and output (`i`, `o`) do not occur.
fn side(letters: &str) -> Option<Side> {
    let is_known = !letters.is_empty() && letters.chars().all(|one| "iorw".contains(one));
    is_known.then(|| Side::of(letters.contains('r'), letters.contains('w'))).flatten()
}

/// The value of a register that is read, by its name.
fn source(name: &str) -> Option<Formula> {
    let register = register(name)?;
    Some(if register.0 == 0 { Formula::number(0) } else { Formula::Register(register) })
}

/// A register that is written: `Some(None)` for the one that is always zero.
fn target(name: &str) -> Option<Option<Register>> {
    register(name).map(|register| (register.0 != 0).then_some(register))
}

/// The address in an operand such as `8(x5)`.
fn address(operand: &Operand<'_>) -> Option<Formula> {
    match operand {
        Operand::Memory { offset, inner, updates: false } => match inner.as_slice() {
            [Operand::Name(base)] => {
                Some(source(base)?.binary(Binary::Add, Formula::number(*offset)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The width that the last letter of a load or store stands for.
fn width(letter: &str, signed: bool) -> Option<Width> {
    let bits = match letter {
        "b" => 8,
        "h" => 16,
        "w" => 32,
        "d" => 64,
        _ => return None,
    };
    Some(Width { bits, signed })
}

/// Plain loads and stores.
fn access(name: &str, annotation: Annotation, operands: &[Operand<'_>]) -> Decoded {
    let (loads, width) = match (name.split_at_checked(1), name.strip_suffix('u')) {
        (_, Some("lb")) => (true, width("b", false)),
        (_, Some("lh")) => (true, width("h", false)),
        (_, Some("lw")) => (true, width("w", false)),
        (Some(("l", letter)), _) => (true, width(letter, true)),
        (Some(("s", letter)), _) => (false, width(letter, true)),
        _ => return Ok(None),
    };
    let Some(width) = width else {
        return Ok(None);
    };
    let access = |place| Some(MemoryAccess { address: address(place)?, width, annotation });
    let instruction = match operands {
        [Operand::Name(register), place] if loads => access(place)
            .zip(target(register))
            .map(|(access, target)| Instruction::Load { target, access, exclusive: false }),
        [Operand::Name(register), place] => access(place)
            .zip(source(register))
            .map(|(access, value)| Instruction::Store { value, access }),
        _ => None,
    };
    instruction.map(Some).ok_or_else(|| unexpected(&format!("{name} REGISTER,OFFSET(REGISTER)")))
}

/// Load-reserved, store-conditional and atomic memory operations.
fn atomic(name: &str, annotation: Annotation, operands: &[Operand<'_>]) -> Decoded {
    let Some((name, letter)) = name.split_once('.') else {
        return Ok(None);
    };
    let Some(width) = width(letter, true).filter(|width| width.bits >= 32) else {
        return Ok(None);
    };
    let access = |place| Some(MemoryAccess { address: address(place)?, width, annotation });
    let instruction = match (name, operands) {
        ("lr", [Operand::Name(register), place]) => access(place)
            .zip(target(register))
            .map(|(access, target)| Instruction::Load { target, access, exclusive: true }),
        ("sc", [Operand::Name(status), Operand::Name(value), place]) => {
            let parts = access(place).zip(target(status)).zip(source(value));
            parts.map(|((access, status), value)| Instruction::StoreConditional {
                status,
                values: vec![value],
                access,
                status_depends: true,
            })
        }
        ("lr" | "sc", _) => None,
        (name, [Operand::Name(register), Operand::Name(operand), place]) => {
            let Some(update) = source(operand).and_then(|operand| update(name, operand)) else {
                return Ok(None);
            };
            let parts = access(place).zip(target(register));
            parts.map(|(access, target)| Instruction::Atomic {
                target,
                update,
                access,
                atomicity: Atomicity::Atomic,
            })
        }
        _ => return Ok(None),
    };
    instruction.map(Some).ok_or_else(|| unexpected("REGISTER[,REGISTER],(REGISTER)"))
}

fn update(name: &str, operand: Formula) -> Option<Update> {
    let operation = match name {
        "amoswap" => return Some(Update::Exchange(operand)),
        "amoadd" => Binary::Add,
        "amoand" => Binary::And,
        "amoor" => Binary::Or,
        "amoxor" => Binary::Xor,
        "amomin" => Binary::Minimum,
        "amomax" => Binary::Maximum,
        "amominu" => Binary::MinimumUnsigned,
        "amomaxu" => Binary::MaximumUnsigned,
        _ => return None,
    };
    Some(Update::Apply(operation, operand))
}

/// The operation of an arithmetic mnemonic without the `i` of immediate forms.
fn operation(name: &str) -> Option<Binary> {
    Some(match name {
        "add" => Binary::Add,
        "sub" => Binary::Subtract,
        "and" => Binary::And,
        "or" => Binary::Or,
        "xor" => Binary::Xor,
        "sll" => Binary::ShiftLeft,
        "srl" => Binary::ShiftRight,
        "sra" => Binary::ShiftRightSigned,
        "mul" => Binary::Multiply,
        "slt" => Binary::Less,
        "sltu" => Binary::LessUnsigned,
        _ => return None,
    })
}

/// Translates instructions that compute a register from registers and immediates.
fn arithmetic(name: &str, _: Annotation, operands: &[Operand<'_>]) -> Decoded {
    let (name, is_word) = match name.strip_suffix('w') {
        Some(short)
            if matches!(
                short.strip_suffix('i').unwrap_or(short),
                "add" | "sub" | "sll" | "srl" | "sra" | "mul"
            ) =>
        {
            (short, true)
        }
        _ => (name, false),
    };
    let (register, value) = match (name, operands) {
        ("nop", []) => return Ok(Some(Instruction::Nothing)),
        ("li", [Operand::Name(register), Operand::Number(number)]) => {
            (register, Some(Formula::number(*number)))
        }
        ("lui", [Operand::Name(register), Operand::Number(number)]) => {
            (register, Some(Formula::number(number << 12).unary(Unary::SignExtend(32))))
        }
        (name, [Operand::Name(register), Operand::Name(first)]) => {
            let Some(value) = source(first).and_then(|first| pseudo(name, first)) else {
                return Ok(None);
            };
            (register, Some(value))
        }
        (name, [Operand::Name(register), Operand::Name(first), second]) => {
            let (operation, second) = match second {
                Operand::Number(number) => {
                    (immediate_operation(name), Some(Formula::number(*number)))
                }
                Operand::Name(second) => (operation(name), source(second)),
                _ => (None, None),
            };
            let Some(operation) = operation else {
                return Ok(None);
            };
            let operands = source(first).zip(second);
            (register, operands.map(|(first, second)| combine(operation, is_word, first, second)))
        }
        _ => return Ok(None),
    };
    let set = target(register).zip(value).map(|(target, value)| match target {
        Some(register) => Instruction::Set(vec![(register, value)]),
        None => Instruction::Nothing,
    });
    set.map(Some).ok_or_else(|| "one of its operands is not a register".to_owned())
}

fn immediate_operation(name: &str) -> Option<Binary> {
    match name {
        "sltiu" => Some(Binary::LessUnsigned),
        // There is no `subi` and no `muli`.
        "subi" | "muli" => None,
        _ => operation(name.strip_suffix('i')?),
    }
}

fn combine(operation: Binary, is_word: bool, first: Formula, second: Formula) -> Formula {
    if !is_word {
        return first.binary(operation, second);
    }
    let cut = |formula: Formula| match operation {
        Binary::ShiftRight => formula.unary(Unary::ZeroExtend(32)),
        _ => formula.unary(Unary::SignExtend(32)),
    };
    let second = match operation {
        Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightSigned => {
            second.binary(Binary::And, Formula::number(31))
        }
        _ => second,
    };
    cut(first).binary(operation, second).unary(Unary::SignExtend(32))
}

/// The value of an instruction with one source register; most of these are pseudo-instructions.
fn pseudo(name: &str, first: Formula) -> Option<Formula> {
    let zero = Formula::number(0);
    Some(match name {
        "mv" => first,
        "not" => first.unary(Unary::Not),
        "neg" => zero.binary(Binary::Subtract, first),
        "seqz" => first.binary(Binary::Equal, zero),
        "snez" => first.binary(Binary::NotEqual, zero),
        "sext.b" => first.unary(Unary::SignExtend(8)),
        "sext.h" => first.unary(Unary::SignExtend(16)),
        "sext.w" => first.unary(Unary::SignExtend(32)),
        "zext.b" => first.unary(Unary::ZeroExtend(8)),
        "zext.h" => first.unary(Unary::ZeroExtend(16)),
        "zext.w" => first.unary(Unary::ZeroExtend(32)),
        _ => return None,
    })
}

fn branch(name: &str, _: Annotation, operands: &[Operand<'_>]) -> Decoded {
    if let ("j", [Operand::Name(label)]) = (name, operands) {
        let target = JumpTarget::Label((*label).to_owned());
        return Ok(Some(Instruction::Branch { condition: None, target }));
    }
    let zero = Formula::number(0);
    let (name, first, second, label) = match operands {
        [Operand::Name(first), Operand::Name(label)] => match name.strip_suffix('z') {
            Some(name) => (name, source(first), Some(zero.clone()), label),
            None => return Ok(None),
        },
        [Operand::Name(first), Operand::Name(second), Operand::Name(label)] => {
            (name, source(first), source(second), label)
        }
        _ => return Ok(None),
    };
    if comparison(name, zero.clone(), zero).is_none() {
        return Ok(None);
    }
    let operands = first.zip(second);
    let (first, second) = operands.ok_or_else(|| unexpected("REGISTER[,REGISTER],LABEL"))?;
    let condition = comparison(name, first, second);
    let target = JumpTarget::Label((*label).to_owned());
    Ok(Some(Instruction::Branch { condition, target }))
}

fn comparison(name: &str, first: Formula, second: Formula) -> Option<Formula> {
    let not = |formula: Formula| formula.binary(Binary::Equal, Formula::number(0));
    Some(match name {
        "beq" => first.binary(Binary::Equal, second),
        "bne" => first.binary(Binary::NotEqual, second),
        "blt" => first.binary(Binary::Less, second),
        "bge" => not(first.binary(Binary::Less, second)),
        "bltu" => first.binary(Binary::LessUnsigned, second),
        "bgeu" => not(first.binary(Binary::LessUnsigned, second)),
        "bgt" => second.binary(Binary::Less, first),
        "ble" => not(second.binary(Binary::Less, first)),
        "bgtu" => second.binary(Binary::LessUnsigned, first),
        "bleu" => not(second.binary(Binary::LessUnsigned, first)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_have_two_names() {
        assert_eq!(register("t0"), register("x5"));
        assert_eq!(register("s11"), Some(Register(27)));
        assert_eq!(register("x32"), None);
        assert_eq!(register_name(Register(27)), "x27");
    }

    #[test]
    fn the_zero_register_takes_nothing_and_gives_zero() {
        let Ok(Instruction::Atomic { target, update, access, .. }) =
            decode("amoswap.w.rl x0,x0,(a0)")
        else {
            panic!("an atomic instruction");
        };
        assert_eq!((target, update), (None, Update::Exchange(Formula::number(0))));
        assert_eq!(access.annotation, Annotation::Release);
        assert_eq!(access.width, Width { bits: 32, signed: true });
    }

    #[test]
    fn fences_have_their_kinds() {
        let kind = |text| match decode(text) {
            Ok(Instruction::Fence(kind)) => Some(kind),
            _ => None,
        };
        assert_eq!(kind("fence"), Some(Kind::Fence));
        assert_eq!(kind("fence rw,rw"), Some(Kind::Fence));
        assert_eq!(kind("fence r,rw"), Some(Kind::WeakFence(WeakFence::ReadBoth)));
        assert_eq!(kind("fence.tso"), Some(Kind::WeakFence(WeakFence::Tso)));
        assert_eq!(decode("fence.i"), Ok(Instruction::Nothing));
        assert_eq!(decode("fence x,y"), Err("expected `fence r|w|rw,r|w|rw`".to_owned()));
    }

    #[test]
    fn what_is_unknown_is_an_error() {
        assert_eq!(decode("fadd.s f0,f1,f2"), Err("`fadd.s` is not known".to_owned()));
        assert_eq!(decode("lw x5"), Err("expected `lw REGISTER,OFFSET(REGISTER)`".to_owned()));
        assert!(decode("subi x5,x5,1").is_err());
    }
}
