//! x86-64 in AT&T syntax, as herd reads it: the source comes before the target.
//!
//! A register without a size in its name has 64 bits; the upper half becomes zero when the lower 32 bits
//! are written, and lower parts leave the rest as it was. Flags are kept as the two numbers that were
//! compared, moved to the top of 64 bits. Atomic instructions are those with a `lock` prefix, and `xchg`
//! with memory.

use history::{Annotation, Kind, Side};

use super::operands::{Operand, Parts, parts, unexpected};
use super::{Atomicity, Formula, Instruction, MemoryAccess, Register, STORED, Update, Width};
use crate::value::{Binary, Location, Unary, Value};

/// The 64-bit names of the registers, by number.
const NAMES: [&str; 16] = [
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15",
];
/// The accumulator of `cmpxchg`.
const RAX: Register = Register(0);
/// The flags: the numbers that were compared.
const LEFT: Register = Register(16);
const RIGHT: Register = Register(17);
/// Holds an operand that was loaded.
const LOADED: Register = Register(18);

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
    let Parts { mnemonic, operands } = parts(unlocked.map_or(text, |(_, rest)| rest))?;
    let name = mnemonic.to_ascii_lowercase();
    if let Some(instruction) = without_places(&name, &operands) {
        return if is_locked { Err(unlockable(mnemonic)) } else { Ok(instruction) };
    }
    let mut places = Vec::new();
    for operand in &operands {
        places.push(place(operand, symbols)?);
    }
    let (name, bits) = sized(&name, &places);
    let decoded = match places.as_slice() {
        [target] => step(name, bits, target, is_locked),
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
        ("nop", []) => Some(Instruction::Nothing),
        ("mfence", []) => fence(Kind::Fence),
        ("lfence", []) => fence(Kind::fence(Side::Reads, Side::Both)),
        ("sfence", []) => fence(Kind::fence(Side::Writes, Side::Writes)),
        (name, [Operand::Name(label)]) => {
            let condition = name.strip_prefix('j')?;
            let condition = if condition == "mp" { None } else { Some(holds(condition)?) };
            Some(Instruction::Branch { condition, label: (*label).to_owned() })
        }
        _ => None,
    }
}

/// The formula that is nonzero if the condition of a jump holds; `None` for an unknown condition.
fn holds(name: &str) -> Option<Formula> {
    let left = || Formula::Register(LEFT);
    let right = || Formula::Register(RIGHT);
    let not = |formula: Formula| formula.binary(Binary::Equal, Formula::number(0));
    let negative =
        || left().binary(Binary::Subtract, right()).binary(Binary::Less, Formula::number(0));
    Some(match name {
        "e" | "z" => left().binary(Binary::Equal, right()),
        "ne" | "nz" => left().binary(Binary::NotEqual, right()),
        "l" | "lt" => left().binary(Binary::Less, right()),
        "ge" => not(left().binary(Binary::Less, right())),
        "g" | "gt" => right().binary(Binary::Less, left()),
        "le" => not(right().binary(Binary::Less, left())),
        "s" => negative(),
        "ns" => not(negative()),
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
        Operand::Memory { offset, inner, updates: false } => match inner.as_slice() {
            [Operand::Name(name)] => {
                let base = match named(name) {
                    Some(base) => base.read(),
                    None => Formula::Constant(Value::Address(symbols(name), 0)),
                };
                Ok(X86Operand::Memory(base.binary(Binary::Add, Formula::number(*offset))))
            }
            _ => Err(unexpected("OFFSET(REGISTER) or [LOCATION]")),
        },
        _ => Err(unexpected("a register, a number or memory")),
    }
}

/// The name without the size at its end, and the number of bits: that of the name, else that of a register
/// among the operands, else 64.
fn sized<'a>(name: &'a str, places: &[X86Operand]) -> (&'a str, u8) {
    const NAMES: [&str; 11] =
        ["mov", "add", "sub", "or", "and", "xor", "cmp", "inc", "dec", "xchg", "cmpxchg"];
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

fn operation(name: &str) -> Option<Binary> {
    Some(match name {
        "add" => Binary::Add,
        "sub" => Binary::Subtract,
        "or" => Binary::Or,
        "and" => Binary::And,
        "xor" => Binary::Xor,
        "shl" | "sal" => Binary::ShiftLeft,
        _ => return None,
    })
}

fn access(address: &Formula, bits: u8) -> MemoryAccess {
    let width = Width { bits, signed: false };
    MemoryAccess { address: address.clone(), width, annotation: Annotation::None }
}

/// The registers for the flags, after a comparison of two numbers.
fn compared(left: Formula, right: Formula, bits: u8) -> [(Register, Formula); 2] {
    [(LEFT, left.at_top(bits)), (RIGHT, right.at_top(bits))]
}

/// The registers for the flags, after an operation with this source and result. They are those of a comparison of the
/// operands for a subtraction and for an addition of a constant, and else of the result with 0, as if no addition
/// overflowed.
fn flags(
    operation: Binary,
    source: &Formula,
    result: Formula,
    bits: u8,
) -> [(Register, Formula); 2] {
    let subtracted = match (operation, source) {
        (Binary::Subtract, source) => source.clone(),
        (Binary::Add, Formula::Constant(Value::Number(number))) => {
            Formula::number(number.wrapping_neg())
        }
        _ => return compared(result, Formula::number(0), bits),
    };
    compared(result.binary(Binary::Add, subtracted.clone()), subtracted, bits)
}

fn locked(is_locked: bool) -> Atomicity {
    if is_locked { Atomicity::Atomic } else { Atomicity::Separate }
}

/// Translates `inc` and `dec`.
fn step(name: &str, bits: u8, target: &X86Operand, is_locked: bool) -> Option<Instruction> {
    let operation = match name {
        "inc" => Binary::Add,
        "dec" => Binary::Subtract,
        _ => return None,
    };
    change(operation, bits, Formula::number(1), target, is_locked)
}

/// Applies an operation to a register or to memory.
fn change(
    operation: Binary,
    bits: u8,
    source: Formula,
    target: &X86Operand,
    is_locked: bool,
) -> Option<Instruction> {
    // A shift amount in a register may be shorter than the target.
    let bits = if let X86Operand::Register(target) = target { target.bits } else { bits };
    let source = match operation {
        // The processor takes amounts modulo 32, or modulo 64 for 64 bits.
        Binary::ShiftLeft if bits < 64 => source.binary(Binary::And, Formula::number(31)),
        _ => source,
    };
    match target {
        X86Operand::Register(target) => {
            let result = target.read().binary(operation, source.clone());
            let mut set = vec![target.written(result.clone())];
            set.extend(flags(operation, &source, result, bits));
            Some(Instruction::Set(set))
        }
        X86Operand::Memory(address) => Some(Instruction::Atomic {
            target: None,
            then: flags(operation, &source, Formula::Register(STORED), bits).to_vec(),
            update: Update::Apply(operation, source),
            access: access(address, bits),
            atomicity: locked(is_locked),
        }),
        X86Operand::Number(_) => None,
    }
}

fn two_places(
    name: &str,
    bits: u8,
    source: &X86Operand,
    target: &X86Operand,
    is_locked: bool,
) -> Result<Option<Instruction>, String> {
    match name {
        "mov" => moved(bits, source, target),
        "xchg" => Ok(exchange(bits, source, target)),
        "cmpxchg" => Ok(compare_and_exchange(bits, source, target, is_locked)),
        _ => {
            let X86Operand::Memory(address) = source else {
                return Ok(compute(name, bits, value(source), target, is_locked));
            };
            if matches!(target, X86Operand::Memory(_)) {
                return Err("only one operand can be in memory".to_owned());
            }
            let load = Instruction::Load {
                target: Some(LOADED),
                access: access(address, bits),
                exclusive: false,
            };
            let loaded = Formula::Register(LOADED);
            let then = compute(name, bits, loaded, target, is_locked);
            Ok(then.map(|then| Instruction::Sequence(vec![load, then])))
        }
    }
}

/// The value of an operand that is not in memory, or of memory once it is loaded.
fn value(place: &X86Operand) -> Formula {
    match place {
        X86Operand::Register(named) => named.read(),
        X86Operand::Number(number) => Formula::number(*number),
        X86Operand::Memory(_) => Formula::Register(LOADED),
    }
}

/// Translates arithmetic and `cmp`.
fn compute(
    name: &str,
    bits: u8,
    source: Formula,
    target: &X86Operand,
    is_locked: bool,
) -> Option<Instruction> {
    if name != "cmp" {
        return change(operation(name)?, bits, source, target, is_locked);
    }
    let compare = Instruction::Set(compared(value(target), source, bits).to_vec());
    Some(match target {
        X86Operand::Memory(address) => {
            let access = access(address, bits);
            let load = Instruction::Load { target: Some(LOADED), access, exclusive: false };
            Instruction::Sequence(vec![load, compare])
        }
        _ => compare,
    })
}

fn moved(
    bits: u8,
    source: &X86Operand,
    target: &X86Operand,
) -> Result<Option<Instruction>, String> {
    Ok(Some(match (source, target) {
        (X86Operand::Memory(_), X86Operand::Memory(_)) => {
            return Err("only one operand can be in memory".to_owned());
        }
        (_, X86Operand::Number(_)) => return Ok(None),
        (X86Operand::Memory(address), X86Operand::Register(target)) => {
            let access = access(address, bits);
            let load = Instruction::Load { target: Some(LOADED), access, exclusive: false };
            let set = Instruction::Set(vec![target.written(Formula::Register(LOADED))]);
            Instruction::Sequence(vec![load, set])
        }
        (source, X86Operand::Register(target)) => {
            Instruction::Set(vec![target.written(value(source))])
        }
        (source, X86Operand::Memory(address)) => {
            Instruction::Store { value: value(source), access: access(address, bits) }
        }
    }))
}

fn exchange(bits: u8, first: &X86Operand, second: &X86Operand) -> Option<Instruction> {
    match (first, second) {
        (X86Operand::Register(first), X86Operand::Register(second)) => {
            Some(Instruction::Set(vec![first.written(second.read()), second.written(first.read())]))
        }
        (X86Operand::Register(register), X86Operand::Memory(address))
        | (X86Operand::Memory(address), X86Operand::Register(register)) => {
            let exchange = Instruction::Atomic {
                target: Some(LOADED),
                update: Update::Exchange(register.read()),
                access: access(address, bits),
                atomicity: Atomicity::Atomic,
                then: Vec::new(),
            };
            let set = Instruction::Set(vec![register.written(Formula::Register(LOADED))]);
            Some(Instruction::Sequence(vec![exchange, set]))
        }
        _ => None,
    }
}

fn compare_and_exchange(
    bits: u8,
    first: &X86Operand,
    second: &X86Operand,
    is_locked: bool,
) -> Option<Instruction> {
    let (register, address) = match (first, second) {
        (X86Operand::Register(register), X86Operand::Memory(address))
        | (X86Operand::Memory(address), X86Operand::Register(register)) => (register, address),
        _ => return None,
    };
    // A shorter accumulator would keep the upper part of its register.
    if bits < 32 {
        return None;
    }
    let accumulator = Named { register: RAX, bits };
    // The zero flag says whether the value was stored: the success is compared with 1.
    let compared = Instruction::Set(vec![(RIGHT, Formula::number(1))]);
    let swap = Instruction::CompareAndSwap {
        target: Some(RAX),
        expected: accumulator.read(),
        value: register.read(),
        access: access(address, bits),
        atomicity: locked(is_locked),
        success: Some(LEFT),
    };
    Some(Instruction::Sequence(vec![compared, swap]))
}

#[cfg(test)]
mod tests {
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
            Ok(Instruction::Atomic { atomicity, .. }) => atomicity,
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
