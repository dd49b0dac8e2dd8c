//! x86-64 in AT&T syntax, as herd reads it: the source comes before the target.
//!
//! A register without a size in its name has 64 bits; the upper half becomes zero when the lower 32 bits
//! are written, and lower parts leave the rest as it was. Each flag is a register; the carry of x86 says that
//! a subtraction borrowed. Atomic instructions are those with a `lock` prefix, and `xchg` with memory.

mod operations;

use history::{Kind, Side};

use super::flags::{CARRY, NEGATIVE, OVERFLOW, ZERO, flag, greater, less, not};
use super::operands::{Operand, Parts, parts, unexpected};
use super::{Formula, Instruction, JumpTarget, Register};
use crate::value::{Binary, Location, Unary, Value};
use operations::{one_place, two_places};

/// The 64-bit names of the registers, by number.
const NAMES: [&str; 16] = [
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15",
];

/// A register, or the part of one, as an operand names it.
#[derive(Clone, Copy)]
struct Named {
    register: Register,
    bits: u8,
}

fn named(name: &str) -> Option<Named> {
    let name = name.to_ascii_lowercase();
    let at = |full: &str| NAMES.iter().position(|it| *it == full).map(|at| Register(at as u8));
    let (full, bits) = if at(&name).is_some() {
        (name, 64)
    } else if let Some(rest) = name.strip_prefix('e') {
        (format!("r{rest}"), 32)
    } else if let Some(number) = name.strip_suffix('d').filter(|it| it.starts_with('r')) {
        (number.to_owned(), 32)
    } else if let Some(number) = name.strip_suffix('w').filter(|it| it.starts_with('r')) {
        (number.to_owned(), 16)
    } else if let Some(number) = name.strip_suffix('b').filter(|it| it.starts_with('r')) {
        (number.to_owned(), 8)
    } else if let Some(letter) = name.strip_suffix('l').filter(|it| it.len() == 1) {
        (format!("r{letter}x"), 8)
    } else if let Some(pair) = name.strip_suffix('l') {
        (format!("r{pair}"), 8)
    } else {
        (format!("r{name}"), 16)
    };
    Some(Named { register: at(&full)?, bits })
}

impl Named {
    fn read(self) -> Formula {
        let full = Formula::Register(self.register);
        if self.bits == 64 { full } else { full.unary(Unary::ZeroExtend(self.bits)) }
    }

    /// The whole register after this part of it was written.
    fn written(self, value: Formula) -> (Register, Formula) {
        let whole = match self.bits {
            64 => value,
            32 => value.unary(Unary::ZeroExtend(32)),
            bits => {
                let others = Formula::number(-1 << bits);
                let kept = Formula::Register(self.register).binary(Binary::And, others);
                kept.binary(Binary::Or, value.unary(Unary::ZeroExtend(bits)))
            }
        };
        (self.register, whole)
    }
}

/// The register of a name such as `rax` or `eax`.
pub(super) fn register(name: &str) -> Option<Register> {
    named(name).map(|named| named.register)
}

/// The name of a register, such as `rax`.
pub(super) fn register_name(register: Register) -> String {
    NAMES[usize::from(register.0)].to_owned()
}

/// An operand of an instruction.
#[derive(Clone)]
enum X86Operand {
    Register(Named),
    Memory(Formula),
    Number(i64),
}

/// Translates an instruction. `symbols` returns the location of a name in brackets.
///
/// # Errors
/// Returns a description of the part that is not understood.
pub(super) fn decode(
    text: &str,
    symbols: &mut dyn FnMut(&str) -> Location,
) -> Result<Instruction, String> {
    let text = text.trim();
    let unlocked = text.split_once(char::is_whitespace);
    let unlocked = unlocked.filter(|(prefix, _)| prefix.eq_ignore_ascii_case("lock"));
    let is_locked = unlocked.is_some();
    let text = unlocked.map_or(text, |(_, rest)| rest);
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_nop = ["nop", "nopw", "nopl"].iter().any(|nop| first.eq_ignore_ascii_case(nop));
    if is_nop && !is_locked {
        // Its operand is not accessed.
        return Ok(Instruction::Nothing);
    }
    let Parts { mnemonic, operands } = parts(text)?;
    let name = mnemonic.to_ascii_lowercase();
    if let Some(instruction) = without_places(&name, &operands) {
        return if is_locked { Err(unlockable(mnemonic)) } else { Ok(instruction) };
    }
    if name == "ret" || name == "call" {
        return Err(format!("`{name}` uses a stack, which is not supported"));
    }
    let mut places = Vec::new();
    for operand in &operands {
        places.push(place(operand, symbols)?);
    }
    let (name, bits) = sized(&name, &places);
    let decoded = match places.as_slice() {
        [target] => one_place(name, bits, target, is_locked),
        [source, target] => two_places(name, bits, source, target, is_locked)?,
        _ => None,
    };
    let instruction =
        decoded.ok_or_else(|| format!("`{mnemonic}` is not known with these operands"))?;
    if is_locked && !changes_memory(&instruction) {
        return Err(unlockable(mnemonic));
    }
    Ok(instruction)
}

fn changes_memory(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Atomic { .. } | Instruction::CompareAndSwap { .. } => true,
        Instruction::Sequence(parts) => parts.iter().any(changes_memory),
        _ => false,
    }
}

fn unlockable(mnemonic: &str) -> String {
    format!("`{mnemonic}` with these operands takes no lock prefix")
}

/// Translates fences, jumps and `nop`; returns `None` for other instructions.
fn without_places(name: &str, operands: &[Operand<'_>]) -> Option<Instruction> {
    let fence = |kind| Some(Instruction::Fence(kind));
    match (name, operands) {
        ("endbr64", []) => Some(Instruction::Nothing),
        ("mfence", []) => fence(Kind::Fence),
        ("lfence", []) => fence(Kind::fence(Side::Reads, Side::Both)),
        ("sfence", []) => fence(Kind::fence(Side::Writes, Side::Writes)),
        (name, [Operand::Name(label)]) => {
            let condition = name.strip_prefix('j')?;
            let condition = if condition == "mp" { None } else { Some(holds(condition)?) };
            let target = JumpTarget::Label((*label).to_owned());
            Some(Instruction::Branch { condition, target })
        }
        _ => None,
    }
}

/// The formula that is nonzero if the condition of a jump holds; `None` for an unknown condition.
fn holds(name: &str) -> Option<Formula> {
    let above = || not(flag(CARRY).binary(Binary::Or, flag(ZERO)));
    Some(match name {
        "e" | "z" => flag(ZERO),
        "ne" | "nz" => not(flag(ZERO)),
        "b" | "c" | "nae" => flag(CARRY),
        "ae" | "nc" | "nb" => not(flag(CARRY)),
        "a" | "nbe" => above(),
        "be" | "na" => not(above()),
        "l" | "nge" => less(),
        "ge" | "nl" => not(less()),
        "g" | "nle" => greater(),
        "le" | "ng" => not(greater()),
        "s" => flag(NEGATIVE),
        "ns" => not(flag(NEGATIVE)),
        "o" => flag(OVERFLOW),
        "no" => not(flag(OVERFLOW)),
        _ => return None,
    })
}

fn place(
    operand: &Operand<'_>,
    symbols: &mut dyn FnMut(&str) -> Location,
) -> Result<X86Operand, String> {
    match operand {
        Operand::Number(number) => Ok(X86Operand::Number(*number)),
        Operand::Name(name) => named(name)
            .map(X86Operand::Register)
            .ok_or_else(|| format!("`{name}` is not a register")),
        Operand::Memory { offset, inner, updates: false } => {
            let wrong = || unexpected("OFFSET(REGISTER[,REGISTER,SCALE]) or [LOCATION]");
            let Some((Operand::Name(base), scaled)) = inner.split_first() else {
                return Err(wrong());
            };
            let base = match named(base) {
                Some(base) => base.read(),
                None => Formula::Constant(Value::Address(symbols(base), 0)),
            };
            let base = base.binary(Binary::Add, Formula::number(*offset));
            let index = match scaled {
                [] => return Ok(X86Operand::Memory(base)),
                [Operand::Name(index)] => named(index).zip(Some(1)),
                [Operand::Name(index), Operand::Number(scale @ (1 | 2 | 4 | 8))] => {
                    named(index).zip(Some(*scale))
                }
                _ => None,
            };
            let (index, scale) = index.ok_or_else(wrong)?;
            let index = index.read().binary(Binary::Multiply, Formula::number(scale));
            Ok(X86Operand::Memory(base.binary(Binary::Add, index)))
        }
        _ => Err(unexpected("a register, a number or memory")),
    }
}

/// The name without the size at its end, and the number of bits: that of the name, else that of a register
/// among the operands, else 64.
fn sized<'a>(name: &'a str, places: &[X86Operand]) -> (&'a str, u8) {
    const NAMES: [&str; 18] = [
        "mov", "add", "sub", "or", "and", "xor", "cmp", "inc", "dec", "xchg", "cmpxchg", "shl",
        "sal", "test", "neg", "not", "xadd", "nop",
    ];
    let split = |(letter, bits)| Some((name.strip_suffix(letter)?, bits));
    let by_name = [('b', 8), ('w', 16), ('l', 32), ('q', 64)].into_iter().find_map(split);
    if let Some((short, bits)) = by_name.filter(|(short, _)| NAMES.contains(short)) {
        return (short, bits);
    }
    let registers = places.iter().filter_map(|place| match place {
        X86Operand::Register(named) => Some(named.bits),
        _ => None,
    });
    (name, registers.min().unwrap_or(64))
}

#[cfg(test)]
mod tests {
    use super::super::Atomicity;
    use super::*;

    fn read(text: &str) -> Result<Instruction, String> {
        decode(text, &mut |_| Location(3))
    }

    #[test]
    fn registers_have_names_for_their_parts() {
        for name in ["rbx", "ebx", "bx", "bl"] {
            assert_eq!(register(name), Some(Register(1)), "{name}");
        }
        for name in ["r10", "r10d", "r10w", "r10b"] {
            assert_eq!(register(name), Some(Register(10)), "{name}");
        }
        assert_eq!(register("sil"), register("rsi"));
        assert_eq!(register("x"), None);
    }

    #[test]
    fn moves_load_store_and_set() {
        let store = read("movl $1,(x)").unwrap();
        let Instruction::Store { value, access } = store else {
            panic!("a store");
        };
        assert_eq!((value, access.width.bits), (Formula::number(1), 32));
        assert!(matches!(read("movl [x],%eax"), Ok(Instruction::Sequence(_))));
        assert!(matches!(read("mov $2,%rcx"), Ok(Instruction::Set(_))));
        assert!(read("mov (x),(y)").is_err());
    }

    #[test]
    fn only_changes_of_memory_take_a_lock_prefix() {
        let atomicity = |text| match read(text) {
            Ok(Instruction::Sequence(parts)) => match parts[0] {
                Instruction::Atomic { atomicity, .. } => atomicity,
                ref other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        assert_eq!(atomicity("lock addl $1,(x)"), Atomicity::Atomic);
        assert_eq!(atomicity("addl $1,(x)"), Atomicity::Separate);
        assert!(read("lock cmpxchg %rbx,(x)").is_ok());
        assert!(read("lock xchg %rbx,(x)").is_ok());
        let message = "`mov` with these operands takes no lock prefix";
        assert_eq!(read("lock mov $1,(x)"), Err(message.to_owned()));
        assert!(read("lock mfence").is_err());
    }
}
