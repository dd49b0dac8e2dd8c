//! [`ArmWords`]: what encoded instructions of AArch64 do, as far as memory, branches and integer registers are concerned.
//!
//! Logs print encodings beside texts, whose spelling depends on the disassembler. So the text is made anew of the encoding, in the spelling
//! of gem5, which `decode` understands: the register that is written first, no aliases, and no immediate operands except in addresses.

mod access;
mod compute;
mod jump;

use rustc_hash::FxHashMap;

use crate::instruction::{Class, Encoded, Instruction};
use crate::next::Next;

/// Decodes instructions, and keeps the results: a log repeats few instructions many times.
#[derive(Debug, Default)]
pub struct ArmWords {
    known: FxHashMap<(u64, u32), ArmWord>,
}

/// An instruction of AArch64. Registers are integer registers by number; 31 is the one that is always zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArmWord {
    /// The instruction in the spelling of gem5, such as `  ldr   x0, [x1, #8]`. The target of a branch is an address.
    pub text: Vec<u8>,
    /// Whether it reads and writes memory.
    pub class: Class,
    /// Number of bytes of an access, of each of the two accesses of a pair; 0 if it is not known.
    pub size: u8,
    /// The register that receives the loaded value, the value before an atomic operation, the status of a store-exclusive, or the computed
    /// result.
    pub result: Option<u8>,
    /// The register of the second access of a pair.
    pub second: Option<u8>,
    /// The register that is stored.
    pub stored: Option<u8>,
    /// The register that an atomic operation combines with memory, that a compare-and-swap stores, or that holds the target of a branch or the
    /// address of `dc zva`.
    pub operand: Option<u8>,
    /// Whether it is a compare-and-swap, which compares memory with the register that receives its old value.
    pub compares: bool,
    /// Whether the thread goes on behind the instruction, perhaps after a call of the system, unless there is an exception.
    pub goes_on: bool,
    /// Where the hart goes on.
    pub next: Next,
    /// Whether it may write memory without a line or a word in the log that shows it.
    pub hides_writes: bool,
}

/// The values that a log shows of a thread's registers; `None` stands for a value that is not known.
pub trait RegisterValues {
    /// The value of a register before an instruction.
    fn before(&self, register: u8) -> Option<u64>;
    /// The value of a register after an instruction.
    fn after(&self, register: u8) -> Option<u64>;
}

impl ArmWords {
    /// The instruction at `pc` that `word` encodes.
    pub fn decode(&mut self, pc: u64, word: u32) -> &ArmWord {
        self.known.entry((pc, word)).or_insert_with(|| ArmWord::of(pc, word))
    }
}

/// Number of the register that is always zero.
const ZERO: u8 = 31;

impl ArmWord {
    fn of(pc: u64, word: u32) -> ArmWord {
        match word >> 25 & 0xf {
            0b1000 | 0b1001 => compute::immediate(word),
            0b1010 | 0b1011 => jump::jump(pc, word),
            0b0100 | 0b0110 | 0b1100 | 0b1110 => access::access(word),
            0b0101 | 0b1101 => compute::registers(word),
            0b0111 | 0b1111 => compute::vector(word),
            _ => ArmWord::unknown(),
        }
    }

    /// An instruction that neither accesses memory nor branches.
    fn plain(text: impl AsRef<str>) -> ArmWord {
        // gem5 puts two spaces before instructions of Arm, by which they are recognised.
        let text = format!("  {}", text.as_ref()).into_bytes();
        ArmWord { text, goes_on: true, ..ArmWord::default() }
    }

    /// An instruction that is not known. It may write any register.
    fn unknown() -> ArmWord {
        ArmWord::plain("unknown   ")
    }

    /// Whether it writes all of a register by writing its lower 4 bytes.
    pub fn writes_half(&self, register: u8) -> bool {
        let name = general(register, false).into_bytes();
        let words =
            self.text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.skip(1).any(|word| *word == name)
    }

    /// Whether it is a store-exclusive.
    pub fn is_conditional(&self) -> bool {
        self.result.is_some() && self.stored.is_some()
    }

    /// The instruction at `pc`, which accesses memory at `address`, with what its registers hold before and after it. `class` says how it
    /// accesses memory.
    pub fn executed<'a>(
        &'a self,
        pc: u64,
        address: Option<u64>,
        class: Class,
        registers: &impl RegisterValues,
    ) -> Instruction<'a> {
        let before = |register: u8| match register {
            ZERO => Some(0),
            register => registers.before(register),
        };
        let after = |register: u8| registers.after(register).filter(|_| register != ZERO);
        let is_store = self.class.writes && !self.class.reads && self.result.is_none();
        let operand = self.operand.and_then(before);
        let second =
            if is_store { self.second.and_then(before) } else { self.second.and_then(after) };
        let stored = self.stored.and_then(before);
        Instruction {
            pc: Some(pc),
            body: &self.text,
            class: Some(class),
            data: if is_store { stored } else { self.result.and_then(after) },
            stored: stored.filter(|_| !is_store),
            address: address.or(operand.filter(|_| self.text.starts_with(b"  dc "))),
            encoded: Some(Encoded {
                size: self.size,
                second,
                operand,
                expected: self.result.filter(|_| self.compares).and_then(before),
            }),
            ..Instruction::default()
        }
    }
}

/// The bits of a word from `low` to `high`.
fn bits(word: u32, high: u32, low: u32) -> u32 {
    word >> low & ((1 << (high - low + 1)) - 1)
}

fn bit(word: u32, at: u32) -> bool {
    bits(word, at, at) != 0
}

/// The number of a register in a field of five bits.
fn number(word: u32, low: u32) -> u8 {
    bits(word, low + 4, low) as u8
}

/// The bits of a word from `low` to `high`, as a number with a sign.
fn signed(word: u32, high: u32, low: u32) -> i64 {
    let width = high - low + 1;
    i64::from((bits(word, high, low) << (32 - width)) as i32 >> (32 - width))
}

/// The name of a register of 8 bytes, or of its lower 4. Number 31 is zero.
fn general(number: u8, wide: bool) -> String {
    let letter = if wide { 'x' } else { 'w' };
    if number == ZERO { format!("{letter}zr") } else { format!("{letter}{number}") }
}

/// The name of a register where number 31 is the stack pointer.
fn or_stack(number: u8, wide: bool) -> String {
    match (number, wide) {
        (ZERO, true) => "sp".to_owned(),
        (ZERO, false) => "wsp".to_owned(),
        _ => general(number, wide),
    }
}

#[cfg(test)]
mod tests;
