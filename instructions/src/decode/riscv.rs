//! Decodes instructions of RISC-V.
//!
//! gem5 prints an atomic operation, load-reserved or store-conditional as a line that announces it,
//! `amoadd_d_aqrl a5, a4, (a3)`, and one line for each micro-operation: `amoadd_d[l] a5, a4, (a3)` between `fence`s for
//! `.rl` and `.aq`. The annotation is that of the first line, or if that was not recorded, of these fences. The lines
//! of loads and atomic operations show the value that the register receives, those of store-conditionals 0 (success) or
//! 1. `fence.tso` is printed as `fence rw, rw`.

use history::{Annotation, Gap, Kind, Side, WeakFence};

use crate::decode::action::{Action, Operation, Update, cut};
use crate::decode::registers::{Registers, Target, Test};
use crate::decode::riscv_uses::uses;
use crate::flow::Edge;
use crate::instruction::{Class, Instruction, nth, split_name};

/// Decodes the lines of one hardware thread.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    registers: Registers,
    /// The annotation of the instruction at an address, from the line that announced it.
    announced: Option<(u64, Annotation)>,
    /// The address of an instruction whose first micro-operation was the fence of a release.
    release: Option<u64>,
}

/// A mnemonic in normal form: with `_` for `.`, without its annotation, and without the `c_` of compressed
/// instructions.
struct Mnemonic {
    text: [u8; 24],
    length: usize,
    annotation: Annotation,
    is_compressed: bool,
}

impl Mnemonic {
    fn of(word: &[u8]) -> Mnemonic {
        let word = word.strip_suffix(b"[l]").unwrap_or(word);
        let mut text = [0; 24];
        let mut length = word.len().min(24);
        text[..length].copy_from_slice(&word[..length]);
        text[..length].iter_mut().filter(|byte| **byte == b'.').for_each(|byte| *byte = b'_');
        let suffixes: [(&[u8], bool, bool); 3] =
            [(b"_aqrl", true, true), (b"_aq", true, false), (b"_rl", false, true)];
        let mut annotation = Annotation::None;
        for (suffix, acquire, release) in suffixes {
            if text[..length].ends_with(suffix) {
                length -= suffix.len();
                annotation = Annotation::of(acquire, release);
                break;
            }
        }
        let is_compressed = text[..length].starts_with(b"c_");
        if is_compressed {
            text.copy_within(2.., 0);
            length -= 2;
        }
        Mnemonic { text, length, annotation, is_compressed }
    }

    fn name(&self) -> &[u8] {
        &self.text[..self.length]
    }
}

/// An atomic operation, load-reserved or store-conditional.
#[derive(Clone, Copy)]
enum Atomic {
    LoadReserved,
    StoreConditional,
    Update(Update),
    CompareAndSwap,
}

fn atomic(name: &[u8]) -> Option<(Atomic, u8)> {
    let (base, width) = name.split_at_checked(name.len().checked_sub(2)?)?;
    let size = match width {
        b"_b" => 1,
        b"_h" => 2,
        b"_w" => 4,
        b"_d" => 8,
        _ => return None,
    };
    let update = match base {
        b"lr" => return Some((Atomic::LoadReserved, size)),
        b"sc" => return Some((Atomic::StoreConditional, size)),
        b"amocas" => return Some((Atomic::CompareAndSwap, size)),
        b"amoswap" => Update::Swap,
        b"amoadd" => Update::Add,
        b"amoxor" => Update::Xor,
        b"amoor" => Update::Or,
        b"amoand" => Update::And,
        b"amomin" => Update::Min,
        b"amomax" => Update::Max,
        b"amominu" => Update::MinUnsigned,
        b"amomaxu" => Update::MaxUnsigned,
        _ => return None,
    };
    Some((Atomic::Update(update), size))
}

/// Number of bytes of an atomic operation, load-reserved or store-conditional; `None` for other instructions.
pub(crate) fn atomic_size(name: &[u8]) -> Option<u8> {
    atomic(name).map(|(_, size)| size)
}

/// Whether an instruction accesses memory, as far as its name says so: loads, stores and atomic operations do.
pub(crate) fn class(body: &[u8]) -> Class {
    let (word, _) = split_name(body);
    let mnemonic = Mnemonic::of(word);
    let name = mnemonic.name();
    match atomic(name) {
        Some((Atomic::LoadReserved, _)) => Class { reads: true, writes: false },
        Some((Atomic::StoreConditional, _)) => Class { reads: false, writes: true },
        Some(_) => Class { reads: true, writes: true },
        None => Class { reads: load_size(name).is_some(), writes: store_size(name).is_some() },
    }
}

/// Number of bytes that a load, a store or an atomic operation accesses; `None` for other instructions.
pub(crate) fn size(body: &[u8]) -> Option<u64> {
    let (word, _) = split_name(body);
    let mnemonic = Mnemonic::of(word);
    let name = mnemonic.name();
    let size = atomic_size(name).or_else(|| load_size(name)).or_else(|| store_size(name));
    size.map(u64::from)
}

/// Whether an instruction that is not known may write, although its operation class is one of loads.
fn is_unknown_atomic(body: &[u8], name: &[u8]) -> bool {
    let begins = |prefix: &[u8]| name.starts_with(prefix);
    let word = body.split(u8::is_ascii_whitespace).next();
    begins(b"amo")
        || begins(b"ssamo")
        || begins(b"sc")
        || word.is_some_and(|word| word.ends_with(b"[l]"))
}

/// Number of bytes of a plain load; `None` for other instructions.
pub(crate) fn load_size(name: &[u8]) -> Option<u8> {
    Some(match name {
        b"lb" | b"lbu" => 1,
        b"lh" | b"lhu" | b"flh" => 2,
        b"lw" | b"lwu" | b"flw" | b"lwsp" | b"flwsp" => 4,
        b"ld" | b"fld" | b"ldsp" | b"fldsp" => 8,
        _ => return None,
    })
}

/// Number of bytes of a plain store; `None` for other instructions.
pub(crate) fn store_size(name: &[u8]) -> Option<u8> {
    Some(match name {
        b"sb" => 1,
        b"sh" | b"fsh" => 2,
        b"sw" | b"fsw" | b"swsp" | b"fswsp" => 4,
        b"sd" | b"fsd" | b"sdsp" | b"fsdsp" => 8,
        _ => return None,
    })
}

impl Decoder {
    /// Decodes a line, the `at`-th of the trace.
    ///
    /// Returns the part that is missing from the line.
    pub(crate) fn decode(
        &mut self,
        line: &Instruction<'_>,
        at: u64,
    ) -> Result<Action, &'static str> {
        let (word, operands) = split_name(line.body);
        let mnemonic = Mnemonic::of(word);
        if line.class.is_none() {
            return self.announce(line, &mnemonic);
        }
        self.registers.arrive(line);
        if word.starts_with(b"0x") && operands.trim_ascii_start() == b"fence" {
            self.release = line.pc.filter(|_| line.micro == Some(0));
            return Ok(Action::Nothing);
        }
        let action = self.access(line, &mnemonic, operands);
        let uses = uses(line, mnemonic.name(), mnemonic.is_compressed, operands);
        self.registers.flow.step(at, &uses);
        self.write_back(line, &mnemonic, operands);
        Ok(action)
    }

    /// The dependencies of lines on loads, in the order of lines.
    pub(crate) fn edges(&self) -> &[Edge] {
        self.registers.flow.edges()
    }

    /// Notes that any register may have been written.
    pub(crate) fn lose(&mut self) {
        self.registers.forget();
        self.registers.flow.lose_all();
        self.announced = None;
        self.release = None;
    }

    /// Whether a line is the fence of an acquire, which follows the access that it belongs to.
    pub(crate) fn is_acquire(line: &Instruction<'_>) -> bool {
        line.body.starts_with(b"0x")
            && line.body.ends_with(b" fence")
            && line.micro.is_some_and(|micro| micro > 0)
    }

    /// Takes in a line without results, which announces the micro-operations of an instruction.
    fn announce(
        &mut self,
        line: &Instruction<'_>,
        mnemonic: &Mnemonic,
    ) -> Result<Action, &'static str> {
        let name = mnemonic.name();
        if line.micro.is_some() || load_size(name).is_some() || store_size(name).is_some() {
            return Err("the operation class of the instruction");
        }
        if let (Some(pc), Some(_)) = (line.pc, atomic(name)) {
            self.announced = Some((pc, mnemonic.annotation));
        }
        Ok(Action::Nothing)
    }

    fn access(&self, line: &Instruction<'_>, mnemonic: &Mnemonic, operands: &[u8]) -> Action {
        let name = mnemonic.name();
        if name == b"fence" || name == b"fence_tso" {
            return fence(name, operands);
        }
        if name.starts_with(b"fence") && name != b"fence_i" {
            return Action::UnknownFence;
        }
        if let Some(unplaced) = line.without_address() {
            let is_hint = name.starts_with(b"prefetch") || name.starts_with(b"cbo_");
            return if is_hint { Action::Nothing } else { unplaced };
        }
        if let Some((atomic, size)) = atomic(name) {
            let annotation = self.annotation(line, mnemonic);
            return self.atomic(atomic, size, annotation, line, operands);
        }
        if let Some(size) = load_size(name) {
            return Action::Access(Operation::load(size, line.data).with(mnemonic.annotation));
        }
        if let Some(size) = store_size(name) {
            return Action::Access(Operation::store(size, line.data).with(mnemonic.annotation));
        }
        match name {
            // These write a cache line back and change no value.
            b"cbo_clean" | b"cbo_flush" => Action::Nothing,
            b"cbo_zero" => Action::UnknownBlock(Gap::Write, 256),
            _ => {
                // gem5 gives atomic operations the operation class of loads.
                let reads = line.loads() && !is_unknown_atomic(line.body, name);
                let gap = if reads { Gap::Read } else { Gap::Write };
                if name.starts_with(b"v") {
                    Action::UnknownVector(gap)
                } else {
                    Action::Unknown(gap, 256)
                }
            }
        }
    }

    fn annotation(&self, line: &Instruction<'_>, mnemonic: &Mnemonic) -> Annotation {
        match self.announced {
            Some((pc, annotation)) if line.pc == Some(pc) => annotation,
            _ if !mnemonic.annotation.is_none() => mnemonic.annotation,
            _ => Annotation::of(false, self.release.is_some() && self.release == line.pc),
        }
    }

    fn atomic(
        &self,
        what: Atomic,
        size: u8,
        annotation: Annotation,
        line: &Instruction<'_>,
        operands: &[u8],
    ) -> Action {
        let operand = line.encoded.and_then(|encoded| encoded.operand);
        let operand = operand.or_else(|| self.value(nth(operands, 1)));
        let operation = match what {
            Atomic::LoadReserved => Operation::load(size, line.data).of_kind(Kind::LoadLinked),
            Atomic::StoreConditional => {
                let written = line.stored.or(operand);
                let store = Operation::store(size, written).of_kind(Kind::StoreConditional);
                return match line.data {
                    Some(0) => Action::Access(store.with(annotation)),
                    Some(_) => Action::Nothing,
                    None => {
                        let status = line.encoded.and(number(nth(operands, 0)));
                        let status = status.filter(|&status| status != 0);
                        let tested = status.map(|status| (status, written));
                        Action::Attempt(store.with(annotation), tested)
                    }
                };
            }
            Atomic::Update(update) => {
                let written = line.stored.or_else(|| update.written(line.data, operand, size));
                // A result that goes to `zero` is not shown.
                let read = line.data.or_else(|| update.read(line.stored?, operand?, size));
                Operation::rmw(size, read, written)
            }
            Atomic::CompareAndSwap => {
                let expected = line.encoded.and_then(|encoded| encoded.expected);
                let expected = expected.or_else(|| self.value(nth(operands, 0)));
                let expected = expected.map(|value| cut(value, size));
                let old = line.data.map(|value| cut(value, size));
                match (old, expected) {
                    _ if line.stored.is_some() => Operation::rmw(size, old, line.stored),
                    (Some(old), Some(expected)) if old != expected => {
                        Operation::load(size, Some(old)).of_kind(Kind::FailedCas)
                    }
                    (Some(_), Some(_)) => Operation::rmw(size, old, operand),
                    _ => Operation::rmw(size, old, None),
                }
            }
        };
        Action::Access(operation.with(annotation))
    }

    /// The register that a branch compares with zero, for equality; `None` for anything but such a branch.
    pub(crate) fn tests(line: &Instruction<'_>) -> Option<Test> {
        let (word, operands) = split_name(line.body);
        let mnemonic = Mnemonic::of(word);
        let if_zero = match mnemonic.name() {
            b"beqz" => true,
            b"bnez" => false,
            b"beq" if nth(operands, 1) == b"zero" => true,
            b"bne" if nth(operands, 1) == b"zero" => false,
            _ => return None,
        };
        let offset = operands.rsplit(|&byte| byte == b',').next().and_then(immediate);
        Some(Test {
            register: number(nth(operands, 0))?,
            if_zero,
            length: if mnemonic.is_compressed { 2 } else { 4 },
            target: line.pc.zip(offset).map(|(pc, offset)| pc.wrapping_add_signed(offset)),
        })
    }

    /// Whether a line names a register among its operands, so that it may read or write the register.
    pub(crate) fn mentions(line: &Instruction<'_>, register: usize) -> bool {
        let (_, operands) = split_name(line.body);
        let words = operands.split(|byte| !byte.is_ascii_alphanumeric());
        words.filter_map(number).any(|it| it == register)
    }

    fn value(&self, register: &[u8]) -> Option<u64> {
        match number(register)? {
            0 => Some(0),
            register => self.registers.get(register),
        }
    }

    /// Notes the values that an instruction writes to registers.
    fn write_back(&mut self, line: &Instruction<'_>, mnemonic: &Mnemonic, operands: &[u8]) {
        let last = operands.rsplit(|&byte| byte == b' ' || byte == b',').next();
        let offset = last.and_then(immediate);
        match effect(mnemonic.name()) {
            RegisterEffect::None => {}
            RegisterEffect::Branch => self.registers.branch(offset),
            RegisterEffect::Call => {
                self.registers.branch(offset);
                self.registers.call(line.data);
                self.registers.set(RETURN_ADDRESS, None);
                self.result(nth(operands, 0), line.data);
            }
            RegisterEffect::Jump => self.jump(line, mnemonic, operands),
            RegisterEffect::Result => self.result(nth(operands, 0), line.data),
            RegisterEffect::Forget => self.registers.forget(),
        }
    }

    /// Notes a jump to the address in a register: `jalr ra, 8(a5)`, `c_jr ra` or `c_jalr a5`.
    fn jump(&mut self, line: &Instruction<'_>, mnemonic: &Mnemonic, operands: &[u8]) {
        let base = operands.split(|&byte| byte == b'(').nth(1);
        let base = base.map_or(operands, |base| base.strip_suffix(b")").unwrap_or(base));
        let offset = operands.split(|&byte| byte == b'(').next().unwrap_or_default();
        let offset = offset.rsplit(|&byte| byte == b' ' || byte == b',').next();
        let offset = offset.and_then(immediate).unwrap_or(0);
        let target = self.value(base.trim_ascii());
        let target = target.map(|base| base.wrapping_add_signed(offset) & !1);
        self.registers.jump(target.map_or(Target::Return, Target::Address));
        let link: &[u8] = match (mnemonic.name(), mnemonic.is_compressed) {
            (b"jr", _) => return,
            (_, true) => b"ra",
            _ => nth(operands, 0),
        };
        self.registers.call(line.data);
        self.result(link, line.data);
    }

    fn result(&mut self, register: &[u8], value: Option<u64>) {
        if let Some(register) = number(register) {
            self.registers.set(register, value);
        }
    }
}

const RETURN_ADDRESS: usize = 1;

/// A number among operands, decimal or hexadecimal. A distance in hexadecimal is as wide as a register.
pub(crate) fn immediate(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    match text.strip_prefix("0x") {
        Some(digits) => {
            let value = u64::from_str_radix(digits, 16).ok()?;
            let narrow = u32::try_from(value).ok().filter(|value| value >> 31 == 1);
            Some(narrow.map_or(value as i64, |value| i64::from(value as i32)))
        }
        None => text.parse().ok(),
    }
}

/// The effect of an instruction on integer registers.
enum RegisterEffect {
    None,
    /// The instruction writes the value that its line shows to its first operand.
    Result,
    Branch,
    /// A jump to an address that its line shows; it may write the return address.
    Call,
    /// A jump to the address in a register; it may write the return address.
    Jump,
    /// The effect is not known, so the values of all registers are forgotten.
    Forget,
}

fn effect(name: &[u8]) -> RegisterEffect {
    if load_size(name).is_some() || atomic(name).is_some() || shows_result(name) {
        return RegisterEffect::Result;
    }
    if store_size(name).is_some() {
        return RegisterEffect::None;
    }
    match name {
        b"fence" | b"fence_i" | b"fence_tso" | b"nop" => RegisterEffect::None,
        b"beq" | b"bne" | b"blt" | b"bge" | b"bltu" | b"bgeu" | b"beqz" | b"bnez" | b"j" => {
            RegisterEffect::Branch
        }
        b"jal" => RegisterEffect::Call,
        b"jr" | b"jalr" => RegisterEffect::Jump,
        _ => RegisterEffect::Forget,
    }
}

/// Whether the first operand of an instruction, other than a load or an atomic operation, receives the value that its line
/// shows.
#[rustfmt::skip]
pub(crate) fn shows_result(name: &[u8]) -> bool {
    matches!(
        name,
        b"add" | b"add_uw" | b"addi" | b"addi16sp" | b"addi4spn" | b"addiw" | b"addw"
        | b"and" | b"andi" | b"andn" | b"auipc" | b"div" | b"divu" | b"divuw" | b"divw"
        | b"li" | b"lui" | b"max" | b"maxu" | b"min" | b"minu" | b"mul" | b"mulh" | b"mulhsu"
        | b"mulhu" | b"mulw" | b"mv" | b"or" | b"ori" | b"orn" | b"rem" | b"remu" | b"remuw"
        | b"remw" | b"sext_b" | b"sext_h" | b"sh1add" | b"sh2add" | b"sh3add" | b"sll"
        | b"slli" | b"slli_uw" | b"slliw" | b"sllw" | b"slt" | b"slti" | b"sltiu" | b"sltu"
        | b"sra" | b"srai" | b"sraiw" | b"sraw" | b"srl" | b"srli" | b"srliw" | b"srlw"
        | b"sub" | b"subw" | b"xnor" | b"xor" | b"xori"
    )
}

/// The action of a fence such as `fence rw, w`, whose device accesses are ignored, or `fence.tso`.
fn fence(name: &[u8], operands: &[u8]) -> Action {
    if name == b"fence_tso" {
        return Action::Fence(Kind::WeakFence(WeakFence::Tso));
    }
    let has = |set: &[u8], what: u8| set.contains(&what);
    let mut sets = operands.splitn(2, |&byte| byte == b',');
    let (Some(before), Some(after)) = (sets.next(), sets.next()) else {
        // A fence without sets orders everything.
        return if operands.trim_ascii().is_empty() {
            Action::Fence(Kind::Fence)
        } else {
            Action::UnknownFence
        };
    };
    let side = |set: &[u8]| Side::of(has(set, b'r'), has(set, b'w'));
    match (side(before), side(after)) {
        (Some(before), Some(after)) => Action::Fence(Kind::fence(before, after)),
        // A fence of devices alone, or `pause`.
        _ => Action::Nothing,
    }
}

/// The number of an integer register by its name.
pub(crate) fn number(name: &[u8]) -> Option<usize> {
    NAMES.iter().position(|known| *known == name)
}

const NAMES: [&[u8]; 32] = [
    b"zero", b"ra", b"sp", b"gp", b"tp", b"t0", b"t1", b"t2", b"s0", b"s1", b"a0", b"a1", b"a2",
    b"a3", b"a4", b"a5", b"a6", b"a7", b"s2", b"s3", b"s4", b"s5", b"s6", b"s7", b"s8", b"s9",
    b"s10", b"s11", b"t3", b"t4", b"t5", b"t6",
];

#[cfg(test)]
mod tests;
