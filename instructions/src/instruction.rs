//! [`Instruction`]: what a log shows of one executed instruction or micro-operation, which the decoders of the instruction sets take.

use history::Gap;
use memchr::memmem;

use crate::decode::action::Action;

/// An executed instruction or micro-operation, as its line in a log shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instruction<'a> {
    /// Address of the instruction.
    pub pc: Option<u64>,
    /// Number of the micro-operation.
    pub micro: Option<u32>,
    /// Name of the function, where the log shows symbols.
    pub function: Option<&'a [u8]>,
    /// The symbol and the distance from it, such as `main+4`; `None` for a micro-operation.
    pub symbol: Option<&'a [u8]>,
    /// The disassembly: name and operands, without spaces at the end.
    pub body: &'a [u8],
    /// Whether the instruction reads and writes memory; `None` in a line that announces the micro-operations of an instruction.
    pub class: Option<Class>,
    /// The value that the instruction computed, loaded or stored, if the line shows a number.
    pub data: Option<u64>,
    /// The value that memory holds after an atomic operation, if the line shows it.
    pub stored: Option<u64>,
    /// Address of the memory access.
    pub address: Option<u64>,
    /// Size in bytes of the vector register that the line shows; 0 if it shows none.
    pub vector: usize,
    /// Whether a false predicate kept the instruction from executing.
    pub predicated: bool,
    /// What is known of the instruction because the log shows its encoding; `None` for other logs.
    pub encoded: Option<Encoded>,
}

/// What an encoding of AArch64 and the values of registers tell of an instruction, but the lines of gem5 do not. Then `data` is the value
/// that a load returns, that a plain store writes, or that memory held before an atomic operation, or the status of a store-exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    /// Number of bytes of the access, of each of the two accesses of a pair; 0 if it is not known.
    pub size: u8,
    /// The value of the second access of a pair.
    pub second: Option<u64>,
    /// The value that an atomic operation combines with memory, that a compare-and-swap stores, or the target of a branch.
    pub operand: Option<u64>,
    /// The value that a compare-and-swap compares with memory.
    pub expected: Option<u64>,
}

/// Whether an instruction reads and writes memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// Whether it reads memory.
    pub reads: bool,
    /// Whether it writes memory.
    pub writes: bool,
}

impl Instruction<'_> {
    /// Whether the instruction reads memory.
    pub fn loads(&self) -> bool {
        self.class.is_some_and(|class| class.reads)
    }

    /// Whether the instruction writes memory.
    pub fn stores(&self) -> bool {
        self.class.is_some_and(|class| class.writes)
    }

    /// Whether the instruction begins, ends or tests an Arm transaction, which accesses nothing itself.
    pub fn is_transaction(&self) -> bool {
        let (name, _) = split_name(self.body.trim_ascii_start());
        matches!(name, b"tstart" | b"ttest" | b"tcancel" | b"tcommit" | b"utcommit")
    }

    /// The action of a line without an address: none, unless the instruction is an access, whose address is then
    /// unknown. `None` for a line with an address.
    pub(crate) fn without_address(&self) -> Option<Action> {
        if self.address.is_some() && !self.predicated {
            return None;
        }
        Some(match (self.predicated, self.loads(), self.stores()) {
            (false, _, true) => Action::NoAddress(Gap::Write),
            (false, true, false) => Action::NoAddress(Gap::Read),
            _ => Action::Nothing,
        })
    }

    /// Whether the instruction may order memory, by its name.
    pub(crate) fn is_fence(&self) -> bool {
        let name = self.body.trim_ascii_start();
        memmem::find(self.body, b"fence").is_some()
            || [&b"dmb"[..], b"dsb", b"isb"].iter().any(|fence| name.starts_with(fence))
    }

    /// The instruction as messages show it: printable, and at most 60 characters.
    pub fn shown(&self) -> String {
        let text = String::from_utf8_lossy(self.body);
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = words.join(" ");
        words.chars().filter(|c| !c.is_control()).take(60).collect()
    }
}

/// Splits an instruction's text, which begins with its name, into the name and the operands.
pub(crate) fn split_name(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(u8::is_ascii_whitespace);
    text.split_at(end.unwrap_or(text.len()))
}

/// The `n`-th operand; empty if there are fewer.
pub(crate) fn nth(operands: &[u8], n: usize) -> &[u8] {
    let operand = operands.split(|&byte| byte == b',').nth(n);
    operand.unwrap_or_default().trim_ascii()
}
