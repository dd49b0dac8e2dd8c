//! AArch64: loads and stores with acquire and release, exclusives, the atomics of LSE, barriers,
//! arithmetic and branches.
//!
//! `W` registers are the lower halves of `X` registers. Flags are kept as the two numbers that were
//! compared, moved to the top of 64 bits, and the carry. Addresses have a base register and an offset; the
//! forms that update the base register, and pairs of registers, are not supported.

use history::{Annotation, Kind, Side, WeakFence};

use super::operands::{Operand, Parts, parts, unexpected};
use super::{Atomicity, Formula, Instruction, MemoryAccess, Register, Update, Width};
use crate::value::{Binary, Unary};

/// The zero register.
const ZERO: u8 = 31;
/// The flags: the numbers that were compared, and whether the first is not below the second.
const LEFT: Register = Register(32);
const RIGHT: Register = Register(33);
const CARRY: Register = Register(34);

/// A register as an operand names it.
#[derive(Clone, Copy)]
struct Named {
    number: u8,
    /// 32 for `W` registers, 64 for `X` registers.
    bits: u8,
}

fn named(name: &str) -> Option<Named> {
    let (bits, rest) = match name.split_at_checked(1)? {
        ("X" | "x", rest) => (64, rest),
        ("W" | "w", rest) => (32, rest),
        _ => return None,
    };
    let number = match rest {
        "ZR" | "zr" => ZERO,
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

    fn target(self) -> Option<Register> {
        (self.number != ZERO).then_some(Register(self.number))
    }

    /// The instruction that sets the register.
    fn set(self, value: Formula) -> Instruction {
        let value = if self.bits == 64 { value } else { value.unary(Unary::ZeroExtend(32)) };
        match self.target() {
            Some(register) => Instruction::Set(vec![(register, value)]),
            None => Instruction::Nothing,
        }
    }
}

/// The register of a name such as `X1` or `W1`.
pub(super) fn register(name: &str) -> Option<Register> {
    named(name)?.target()
}

/// The name of a register, such as `X1`.
pub(super) fn register_name(register: Register) -> String {
    format!("X{}", register.0)
}

/// Translates an instruction.
///
/// # Errors
/// Returns a description of the part that is not understood.
pub(super) fn decode(text: &str) -> Result<Instruction, String> {
    let Parts { mnemonic, operands } = parts(text)?;
    let name = mnemonic.to_ascii_uppercase();
    let decoders = [barrier, branch, arithmetic, flags, access, exclusive, atomic];
    let mut found = decoders.into_iter().map(|decoder| decoder(&name, &operands));
    match found.find(|found| !matches!(found, Ok(None))) {
        Some(Ok(Some(instruction))) => Ok(instruction),
        Some(Err(error)) => Err(error),
        _ => Err(format!("`{mnemonic}` is not known with these operands")),
    }
}

/// An instruction if the name is one of the decoder's, and an error if its operands are wrong.
type Decoded = Result<Option<Instruction>, String>;

fn barrier(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let option = match (name, operands) {
        ("NOP", []) => return Ok(Some(Instruction::Nothing)),
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

fn branch(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let (condition, label) = match (name, operands) {
        ("B", [Operand::Name(label)]) => (None, label),
        ("CBZ" | "CBNZ", [Operand::Name(register), Operand::Name(label)]) => {
            let register = named(register).ok_or_else(|| unexpected("REGISTER,LABEL"))?;
            let operation = if name == "CBZ" { Binary::Equal } else { Binary::NotEqual };
            (Some(register.read().binary(operation, Formula::number(0))), label)
        }
        ("TBZ" | "TBNZ", [Operand::Name(register), Operand::Number(bit), Operand::Name(label)]) => {
            let register = named(register).ok_or_else(|| unexpected("REGISTER,#BIT,LABEL"))?;
            let bit = register.read().binary(Binary::ShiftRight, Formula::number(*bit));
            let bit = bit.binary(Binary::And, Formula::number(1));
            let operation = if name == "TBZ" { Binary::Equal } else { Binary::NotEqual };
            (Some(bit.binary(operation, Formula::number(0))), label)
        }
        (name, [Operand::Name(label)]) => {
            let condition = name.strip_prefix("B.").or_else(|| name.strip_prefix('B'));
            let Some(condition) = condition.and_then(condition_holds) else {
                return Ok(None);
            };
            (Some(condition), label)
        }
        _ => return Ok(None),
    };
    Ok(Some(Instruction::Branch { condition, label: (*label).to_owned() }))
}

/// The formula that is nonzero if a condition code holds; `None` for an unknown code.
fn condition_holds(name: &str) -> Option<Formula> {
    let compared = |operation| Formula::Register(LEFT).binary(operation, Formula::Register(RIGHT));
    let swapped = |operation| Formula::Register(RIGHT).binary(operation, Formula::Register(LEFT));
    let not = |formula: Formula| formula.binary(Binary::Equal, Formula::number(0));
    let carry = || Formula::Register(CARRY);
    let negative = || {
        let difference = compared(Binary::Subtract);
        difference.binary(Binary::Less, Formula::number(0))
    };
    Some(match name {
        "EQ" => compared(Binary::Equal),
        "NE" => compared(Binary::NotEqual),
        "LT" => compared(Binary::Less),
        "GE" => not(compared(Binary::Less)),
        "GT" => swapped(Binary::Less),
        "LE" => not(swapped(Binary::Less)),
        "CS" | "HS" => carry(),
        "CC" | "LO" => not(carry()),
        "HI" => carry().binary(Binary::And, compared(Binary::NotEqual)),
        "LS" => not(carry().binary(Binary::And, compared(Binary::NotEqual))),
        "MI" => negative(),
        "PL" => not(negative()),
        _ => return None,
    })
}

/// The value of an operand that is a register or a number, perhaps shifted or extended.
fn value(operands: &[Operand<'_>]) -> Option<Formula> {
    match operands {
        [Operand::Number(number)] => Some(Formula::number(*number)),
        [Operand::Number(number), Operand::Modifier(shift, by)] if is_shift(shift) => {
            Some(Formula::number(number.checked_shl(u32::try_from(*by).ok()?)?))
        }
        [Operand::Name(register)] => Some(named(register)?.read()),
        [Operand::Name(register), Operand::Modifier(how, by)] => {
            let register = named(register)?;
            if is_shift(how) {
                Some(register.read().binary(Binary::ShiftLeft, Formula::number(*by)))
            } else {
                let extended = extended(register, how)?;
                Some(extended.binary(Binary::ShiftLeft, Formula::number(*by)))
            }
        }
        [Operand::Name(register), Operand::Name(how)] => extended(named(register)?, how),
        _ => None,
    }
}

fn is_shift(name: &str) -> bool {
    name.eq_ignore_ascii_case("LSL")
}

/// A register extended to 64 bits.
fn extended(register: Named, how: &str) -> Option<Formula> {
    let full = register.read();
    Some(match how.to_ascii_uppercase().as_str() {
        "SXTW" => full.unary(Unary::SignExtend(32)),
        "UXTW" => full.unary(Unary::ZeroExtend(32)),
        "SXTB" => full.unary(Unary::SignExtend(8)),
        "UXTB" => full.unary(Unary::ZeroExtend(8)),
        "SXTH" => full.unary(Unary::SignExtend(16)),
        "UXTH" => full.unary(Unary::ZeroExtend(16)),
        "SXTX" | "UXTX" => full,
        _ => return None,
    })
}

fn arithmetic(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let [Operand::Name(target), rest @ ..] = operands else {
        return Ok(None);
    };
    let operation = match name {
        "ADD" => Binary::Add,
        "SUB" => Binary::Subtract,
        "AND" => Binary::And,
        "ORR" => Binary::Or,
        "EOR" => Binary::Xor,
        "BIC" => Binary::AndNot,
        "LSL" => Binary::ShiftLeft,
        "LSR" => Binary::ShiftRight,
        "ASR" => Binary::ShiftRightSigned,
        "MUL" => Binary::Multiply,
        "MOV" | "MOVZ" | "MVN" | "NEG" | "SXTW" | "UXTW" => return unary(name, target, rest),
        "CSEL" | "CSINC" | "CSINV" | "CSNEG" | "CSET" => return select(name, target, rest),
        _ => return Ok(None),
    };
    let wrong = || unexpected(&format!("{name} REGISTER,REGISTER,REGISTER|#NUMBER"));
    let target = named(target).ok_or_else(wrong)?;
    let [Operand::Name(first), second @ ..] = rest else {
        return Err(wrong());
    };
    let first = named(first).ok_or_else(wrong)?;
    let second = value(second).ok_or_else(wrong)?;
    let first = match operation {
        Binary::ShiftRightSigned => first.read().unary(Unary::SignExtend(first.bits)),
        _ => first.read(),
    };
    let second = match operation {
        // The processor takes shift amounts modulo the width.
        Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightSigned if target.bits == 32 => {
            second.binary(Binary::And, Formula::number(31))
        }
        _ => second,
    };
    Ok(Some(target.set(first.binary(operation, second))))
}

fn unary(name: &str, target: &str, operands: &[Operand<'_>]) -> Decoded {
    let operand = named(target).zip(value(operands));
    let (target, operand) = operand.ok_or_else(|| unexpected("REGISTER,REGISTER|#NUMBER"))?;
    Ok(Some(target.set(match name {
        "MVN" => operand.unary(Unary::Not),
        "NEG" => Formula::number(0).binary(Binary::Subtract, operand),
        "SXTW" => operand.unary(Unary::SignExtend(32)),
        "UXTW" => operand.unary(Unary::ZeroExtend(32)),
        _ => operand,
    })))
}

/// Instructions that choose between two values by a condition.
fn select(name: &str, target: &str, operands: &[Operand<'_>]) -> Decoded {
    let wrong = || unexpected("REGISTER[,REGISTER,REGISTER],CONDITION");
    let to = named(target).ok_or_else(wrong)?;
    let (first, second, condition) = match operands {
        [Operand::Name(condition)] if name == "CSET" => {
            (Formula::number(1), Formula::number(0), condition)
        }
        [Operand::Name(first), Operand::Name(second), Operand::Name(condition)] => {
            let first = named(first).ok_or_else(wrong)?.read();
            let second = named(second).ok_or_else(wrong)?.read();
            let second = match name {
                "CSINC" => second.binary(Binary::Add, Formula::number(1)),
                "CSINV" => second.unary(Unary::Not),
                "CSNEG" => Formula::number(0).binary(Binary::Subtract, second),
                _ => second,
            };
            (first, second, condition)
        }
        _ => return Err(wrong()),
    };
    let condition = condition_holds(&condition.to_ascii_uppercase()).ok_or_else(wrong)?;
    let Some(register) = to.target() else {
        return Ok(Some(Instruction::Nothing));
    };
    let cut = |formula: Formula| formula.unary(Unary::ZeroExtend(to.bits));
    let values = [cut(first), cut(second)];
    Ok(Some(Instruction::Select { target: register, condition, values }))
}

/// Instructions that set the flags.
fn flags(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let (target, first, second) = match (name, operands) {
        ("CMP" | "TST", [Operand::Name(first), second @ ..]) => (None, first, second),
        ("SUBS" | "ANDS", [Operand::Name(target), Operand::Name(first), second @ ..]) => {
            (Some(target), first, second)
        }
        _ => return Ok(None),
    };
    let wrong = || unexpected("REGISTER,REGISTER|#NUMBER");
    let first = named(first).ok_or_else(wrong)?;
    let second = value(second).ok_or_else(wrong)?;
    let at_top = |formula: Formula| formula.at_top(first.bits);
    let result = |operation| first.read().binary(operation, second.clone());
    let (result, left, right, carry) = if matches!(name, "CMP" | "SUBS") {
        let (left, right) = (at_top(first.read()), at_top(second.clone()));
        let below = left.clone().binary(Binary::LessUnsigned, right.clone());
        let carry = below.binary(Binary::Equal, Formula::number(0));
        (result(Binary::Subtract), left, right, carry)
    } else {
        let both = result(Binary::And);
        (both.clone(), at_top(both), Formula::number(0), Formula::number(0))
    };
    let mut set = vec![(LEFT, left), (RIGHT, right), (CARRY, carry)];
    if let Some(target) = target {
        let target = named(target).ok_or_else(wrong)?;
        let result = result.unary(Unary::ZeroExtend(target.bits));
        set.extend(target.target().map(|register| (register, result)));
    }
    Ok(Some(Instruction::Set(set)))
}

/// The address in an operand such as `[X1,#8]` or `[X1,W2,SXTW]`.
fn address(operand: &Operand<'_>) -> Option<Formula> {
    match operand {
        Operand::Memory { offset: 0, inner, updates: false } => match inner.as_slice() {
            [Operand::Name(base)] => Some(named(base)?.read()),
            [Operand::Name(base), offset @ ..] => {
                Some(named(base)?.read().binary(Binary::Add, value(offset)?))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Splits `B` or `H` off a mnemonic. Returns the rest and the number of bits that are accessed.
fn sized(name: &str, register: Named) -> (&str, u8) {
    match (name.strip_suffix('B'), name.strip_suffix('H')) {
        (Some(name), _) => (name, 8),
        (_, Some(name)) => (name, 16),
        _ => (name, register.bits),
    }
}

/// Translates loads and stores: plain, acquire, release, and exclusive loads.
fn access(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let [Operand::Name(register), place] = operands else {
        return Ok(None);
    };
    let Some(register) = named(register) else {
        return Ok(None);
    };
    let signed = name == "LDRSW";
    let (name, bits) = if signed { ("LDR", 32) } else { sized(name, register) };
    let (loads, annotation, exclusive) = match name {
        "LDR" | "LDUR" => (true, Annotation::None, false),
        "LDAR" => (true, Annotation::Acquire, false),
        "LDAPR" | "LDAPUR" => (true, Annotation::AcquirePc, false),
        "LDXR" => (true, Annotation::None, true),
        "LDAXR" => (true, Annotation::Acquire, true),
        "STR" | "STUR" => (false, Annotation::None, false),
        "STLR" | "STLUR" => (false, Annotation::Release, false),
        _ => return Ok(None),
    };
    let address = address(place).ok_or_else(|| unexpected("REGISTER,[REGISTER{,OFFSET}]"))?;
    let access = MemoryAccess { address, width: Width { bits, signed }, annotation };
    Ok(Some(if loads {
        Instruction::Load { target: register.target(), access, exclusive }
    } else {
        Instruction::Store { value: register.read(), access }
    }))
}

fn exclusive(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let [Operand::Name(status), Operand::Name(register), place] = operands else {
        return Ok(None);
    };
    let Some((status, register)) = named(status).zip(named(register)) else {
        return Ok(None);
    };
    let (name, bits) = sized(name, register);
    let annotation = match name {
        "STXR" => Annotation::None,
        "STLXR" => Annotation::Release,
        _ => return Ok(None),
    };
    let address = address(place).ok_or_else(|| unexpected("REGISTER,REGISTER,[REGISTER]"))?;
    Ok(Some(Instruction::StoreConditional {
        status: status.target(),
        value: register.read(),
        access: MemoryAccess { address, width: Width { bits, signed: false }, annotation },
        status_depends: false,
    }))
}

/// Splits `A`, `L` or `AL` off the name of an atomic instruction.
fn ordered(name: &str) -> (&str, Annotation) {
    let endings = [
        ("AL", Annotation::AcquireRelease),
        ("A", Annotation::Acquire),
        ("L", Annotation::Release),
    ];
    let split = |(ending, annotation)| Some((name.strip_suffix(ending)?, annotation));
    endings.into_iter().find_map(split).unwrap_or((name, Annotation::None))
}

/// The operation of an instruction such as `LDADD` or `STADD`, by its name without `LD` or `ST`.
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

/// The atomics of LSE.
fn atomic(name: &str, operands: &[Operand<'_>]) -> Decoded {
    let (first, second, place) = match operands {
        [Operand::Name(first), Operand::Name(second), place] => (first, Some(second), place),
        [Operand::Name(first), place] => (first, None, place),
        _ => return Ok(None),
    };
    let Some(first) = named(first) else {
        return Ok(None);
    };
    let (name, bits) = sized(name, first);
    let Some((name, annotation)) = atomic_name(name) else {
        return Ok(None);
    };
    let wrong = || unexpected("REGISTER[,REGISTER],[REGISTER]");
    let second = second.map(|name| named(name).ok_or_else(wrong)).transpose()?;
    let address = address(place).ok_or_else(wrong)?;
    let access = MemoryAccess { address, width: Width { bits, signed: false }, annotation };
    let atomicity = Atomicity::Atomic;
    let plain = |target: Option<Register>, update| Instruction::Atomic {
        target,
        update,
        access: access.clone(),
        atomicity,
        then: Vec::new(),
    };
    Ok(Some(match (name, second) {
        ("SWP", Some(target)) => plain(target.target(), Update::Exchange(first.read())),
        ("CAS", Some(value)) => Instruction::CompareAndSwap {
            target: first.target(),
            expected: first.read(),
            value: value.read(),
            access,
            atomicity,
            success: None,
        },
        (name, target) => {
            let loads = target.is_some();
            let operation = name.strip_prefix(if loads { "LD" } else { "ST" }).and_then(operation);
            let operation = operation.ok_or_else(wrong)?;
            plain(target.and_then(Named::target), Update::Apply(operation, first.read()))
        }
    }))
}

/// The name of an atomic instruction without the letters for acquire and release.
fn atomic_name(name: &str) -> Option<(&str, Annotation)> {
    let is_known = |name: &str| {
        matches!(name, "SWP" | "CAS")
            || name
                .strip_prefix("LD")
                .or_else(|| name.strip_prefix("ST"))
                .and_then(operation)
                .is_some()
    };
    // The longest name first: `LDADDL` is `LDADD` with a release, but no name ends in `A` or `L`.
    let (short, annotation) = ordered(name);
    [(name, Annotation::None), (short, annotation)].into_iter().find(|(name, _)| is_known(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotation(text: &str) -> Annotation {
        match decode(text).unwrap() {
            Instruction::Load { access, .. }
            | Instruction::Store { access, .. }
            | Instruction::StoreConditional { access, .. }
            | Instruction::Atomic { access, .. }
            | Instruction::CompareAndSwap { access, .. } => access.annotation,
            other => panic!("{other:?} is no access"),
        }
    }

    #[test]
    fn acquire_and_release_come_from_the_name() {
        assert_eq!(annotation("LDR W0,[X1]"), Annotation::None);
        assert_eq!(annotation("LDAPR W0,[X1]"), Annotation::AcquirePc);
        assert_eq!(annotation("STLXR W0,W1,[X2]"), Annotation::Release);
        assert_eq!(annotation("SWPAL W0,W1,[X2]"), Annotation::AcquireRelease);
        assert_eq!(annotation("CASA W0,W1,[X2]"), Annotation::Acquire);
        assert_eq!(annotation("LDADDL W0,W1,[X2]"), Annotation::Release);
        assert_eq!(annotation("LDSETALB W0,W1,[X2]"), Annotation::AcquireRelease);
        assert_eq!(annotation("STADDL W0,[X2]"), Annotation::Release);
    }

    #[test]
    fn atomics_without_a_result_keep_no_register() {
        for text in ["STADD W0,[X1]", "LDADD W0,WZR,[X1]", "SWP W0,WZR,[X1]"] {
            let Instruction::Atomic { target, .. } = decode(text).unwrap() else {
                panic!("{text} is atomic");
            };
            assert_eq!(target, None, "{text}");
        }
    }

    #[test]
    fn addresses_have_offsets() {
        let Instruction::Load { access, target, .. } = decode("LDR W4,[X5,W3,SXTW]").unwrap()
        else {
            panic!("a load");
        };
        assert_eq!(target, Some(Register(4)));
        let Formula::Binary(Binary::Add, base, _) = access.address else {
            panic!("a sum");
        };
        assert_eq!(*base, Formula::Register(Register(5)));
    }

    #[test]
    fn what_is_unknown_is_an_error() {
        let unknown = "`LDP` is not known with these operands";
        assert_eq!(decode("LDP X0,X1,[X2]"), Err(unknown.to_owned()));
        assert!(decode("LDR W0,[X1],#4").is_err());
        assert!(decode("ADDS W0,W1,W2").is_err());
        assert!(decode("MOV X0,#1,LSL #64").is_err());
        assert!(decode("DMB XY").unwrap_err().contains("`XY` is not an option of DMB"));
    }
}
