//! Decodes micro-operations of x86.

use history::{Gap, Kind, Side};
use memchr::memmem;

use crate::decode::action::{Action, Operation};
use crate::instruction::{Instruction, split_name};

/// Decodes a line.
///
/// Returns the part that is missing from the line.
pub(crate) fn decode(line: &Instruction<'_>) -> Result<Action, &'static str> {
    match (line.class, line.micro) {
        (Some(_), Some(_)) => Ok(action(line)),
        (None, Some(_)) => Err("the operation class of the micro-operation"),
        (_, None) => Ok(Action::Nothing),
    }
}

fn action(line: &Instruction<'_>) -> Action {
    let (name, operands) = micro_operation(line.body);
    if !(line.loads() || line.stores()) {
        return fence(name);
    }
    if is_no_memory(name, operands) || is_prefetch(line.body) {
        return Action::Nothing;
    }
    if let Some(unplaced) = line.without_address() {
        return unplaced;
    }
    let gap = if line.stores() { Gap::Write } else { Gap::Read };
    let split = name.windows(5).any(|part| part == b"split");
    if split {
        return Action::Unknown(gap, 16);
    }
    if !is_register(first(operands)) {
        return Action::Unknown(gap, 8);
    }
    let (size, shows) = match operand_size(operands) {
        Some(size) => (size, !is_high_byte(operands)),
        None => match vector_size(line.body) {
            Some(size) => (size, true),
            // The size is not known: the largest possible one is assumed, with an unknown value.
            None => (8, false),
        },
    };
    let value = line.data.filter(|_| shows);
    match name {
        b"ldstl" => Action::Locked(Operation::load(size, value)),
        b"stul" => Action::Locked(Operation::store(size, value)),
        _ if line.stores() => Action::Access(Operation::store(size, value)),
        _ => Action::Access(Operation::load(size, value)),
    }
}

/// The action of a micro-operation that accesses no memory. `lfence` orders loads before everything after it, as x86
/// does anyway.
fn fence(name: &[u8]) -> Action {
    match name {
        b"mfence" => Action::Fence(Kind::Fence),
        b"lfence" => Action::Fence(Kind::fence(Side::Reads, Side::Both)),
        b"sfence" => Action::Fence(Kind::fence(Side::Writes, Side::Writes)),
        _ if FENCES.iter().any(|fence| name.starts_with(fence)) => Action::UnknownFence,
        _ => Action::Nothing,
    }
}

/// Beginnings of the names of fences.
const FENCES: [&[u8]; 3] = [b"mfence", b"lfence", b"sfence"];

/// Whether a micro-operation neither reads nor writes memory although its class is one of accesses. `cda` checks an
/// address before a store, `clflushopt` and `clwb` write a cache line back; gem5 prints a meaningless value for all of
/// them. The segments `MS` and `INTSEG` address registers of the CPU and ports of devices (`rdmsr`, `in` and the like).
fn is_no_memory(name: &[u8], operands: &[u8]) -> bool {
    let is_internal = memmem::find(operands, b":[").is_some_and(|at| {
        let segment = operands[..at].rsplit(|byte| !byte.is_ascii_alphanumeric());
        segment.into_iter().next().is_some_and(|segment| {
            segment.eq_ignore_ascii_case(b"ms") || segment.eq_ignore_ascii_case(b"intseg")
        })
    });
    is_internal || matches!(name, b"cda" | b"clflushopt" | b"clwb")
}

/// Whether an instruction is a prefetch. Its value is discarded, and it is not ordered with other accesses.
fn is_prefetch(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"PREFETCH")
}

/// Splits `MOV_R_P : ld   edx, DS:[…]` or `XCHG_M_R.mfence` into the name of the micro-operation and its operands.
fn micro_operation(body: &[u8]) -> (&[u8], &[u8]) {
    let text = match memmem::rfind(body, b" : ") {
        Some(at) => &body[at + 3..],
        None => body,
    };
    let (name, operands) = split_name(text.trim_ascii_start());
    let name = name.rsplit(|&byte| byte == b'.').next().unwrap_or(name);
    (name, operands.trim_ascii_start())
}

fn first(operands: &[u8]) -> &[u8] {
    let end = operands.iter().position(|&byte| byte == b',');
    operands[..end.unwrap_or(operands.len())].trim_ascii()
}

/// Whether a text has only characters of names of registers, such as `%st(0)`.
fn is_register(name: &[u8]) -> bool {
    name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"%()_".contains(byte))
}

fn is_high_byte(operands: &[u8]) -> bool {
    matches!(first(operands), b"ah" | b"bh" | b"ch" | b"dh")
}

/// Size in bytes of the register that is loaded or stored, which is that of the access; `None` if the name does not
/// show it.
fn operand_size(operands: &[u8]) -> Option<u8> {
    let name = first(operands);
    let size = match name {
        b"al" | b"bl" | b"cl" | b"dl" | b"spl" | b"bpl" | b"sil" | b"dil" => 1,
        b"ah" | b"bh" | b"ch" | b"dh" => 1,
        b"ax" | b"bx" | b"cx" | b"dx" | b"sp" | b"bp" | b"si" | b"di" => 2,
        b"eax" | b"ebx" | b"ecx" | b"edx" | b"esp" | b"ebp" | b"esi" | b"edi" => 4,
        b"rax" | b"rbx" | b"rcx" | b"rdx" | b"rsp" | b"rbp" | b"rsi" | b"rdi" => 8,
        _ => return numbered(name),
    };
    Some(size)
}

/// Number of bytes that a micro-operation of an instruction with vector registers accesses, if it is known.
fn vector_size(body: &[u8]) -> Option<u8> {
    let name = body.trim_ascii_start().split(|&byte| byte == b'_').next()?;
    match name {
        b"MOVUPS" | b"MOVAPS" | b"MOVUPD" | b"MOVAPD" | b"MOVDQU" | b"MOVDQA" | b"MOVQ"
        | b"MOVSD" | b"MOVLPS" | b"MOVHPS" | b"MOVLPD" | b"MOVHPD" | b"MOVNTPS" | b"MOVNTPD"
        | b"MOVNTDQ" | b"LDDQU" => Some(8),
        b"MOVSS" => Some(4),
        _ => None,
    }
}

/// Size in bytes of a numbered register, such as `r8d` or `t1w`.
fn numbered(name: &[u8]) -> Option<u8> {
    let rest = name.strip_prefix(b"r").or_else(|| name.strip_prefix(b"t"))?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 2 {
        return None;
    }
    match &rest[digits..] {
        b"" => Some(8),
        b"d" => Some(4),
        b"w" => Some(2),
        b"b" | b"l" => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::instruction;

    fn read(text: &str) -> Action {
        decode(&instruction(text)).unwrap()
    }

    fn access(name: &str, register: &str, class: &str, value: u64) -> Action {
        read(&format!(
            "0x4 @f. 1 :   X_M_R : {name}   {register}, DS:[rdi] : {class} :  D=0x{value:016x} A=0x8"
        ))
    }

    #[test]
    fn registers_tell_sizes() {
        let load = |size, value| Action::Access(Operation::load(size, value));
        assert_eq!(access("ld", "edx", "MemRead", 2), load(4, Some(2)));
        assert_eq!(access("ld", "r10b", "MemRead", 0x102), load(1, Some(2)));
        assert_eq!(access("ldis", "t1w", "MemRead", 2), load(2, Some(2)));
        assert_eq!(access("ldis", "t1", "MemRead", 2), load(8, Some(2)));
        assert_eq!(access("ld", "ah", "MemRead", 2), load(1, None));
        assert_eq!(access("ldfp", "%xmm0_low", "FloatMemRead", 2), load(8, None));
        assert_eq!(access("ldfp87", "%st(0)", "FloatMemRead", 2), load(8, None));
        assert_eq!(access("ld", "#rax", "MemRead", 2), Action::Unknown(Gap::Read, 8));
        let store = Action::Access(Operation::store(8, Some(2)));
        assert_eq!(access("st", "rbx", "MemWrite", 2), store);
        let locked = Action::Locked(Operation::load(4, Some(2)));
        assert_eq!(access("ldstl", "t1d", "MemRead", 2), locked);
        assert_eq!(access("ldsplitl", "t1", "MemRead", 2), Action::Unknown(Gap::Read, 16));
    }

    #[test]
    fn fences_are_micro_operations() {
        let fence = "0x41 @unlock+82. 0 : \tXCHG_M_R.mfence           : IntAlu : ";
        assert_eq!(read(fence), Action::Fence(Kind::Fence));
        let weak = Kind::fence(Side::Writes, Side::Writes);
        assert_eq!(read(&fence.replace("mfence", "sfence")), Action::Fence(weak));
        assert_eq!(read("0x41 @unlock+82    : mfence"), Action::Nothing);
        let symbol =
            "0x41 @my_mfence. 0 :   ADD_R_R : add   rax, rax, rbx : IntAlu :  D=0x0000000000000002";
        assert_eq!(read(symbol), Action::Nothing);
    }

    #[test]
    fn what_accesses_no_memory_is_nothing() {
        let nothing = [
            "WRMSR : st   t2, MS:[8*rcx + 0x1000000000] : MemWrite :  D=0x01 A=0x1000000600",
            "RDMSR : ld   t2, MS:[8*rcx + 0x1000000000] : MemRead :  D=0x01 A=0x1000000600",
            "IN_R_R : ld   t3b, INTSEG:[t2] : MemRead :  D=0x01 A=0x40000000000001f8",
            "MOVNTDQ_M_XMM : cda   DS:[rdi + 0x8] : MemWrite :  D=0x00 A=0x1008",
            "CLFLUSH_M : clflushopt   DS:[rdi] : MemWrite :  D=0x00 A=0x1000",
            "CLWB_M : clwb   DS:[rdi] : MemWrite :  D=0x00 A=0x1000",
            "PREFETCH_T0_M : ld   t0b, DS:[rdi] : MemRead :  D=0xff A=0x1000",
        ];
        for text in nothing {
            assert_eq!(read(&format!("0x4 @f. 1 :   {text}")), Action::Nothing, "{text}");
        }
        let stack = read("0x4 @f. 1 :   PUSH_R : st   rax, SS:[rsp] : MemWrite :  D=0x02 A=0x8");
        assert_eq!(stack, Action::Access(Operation::store(8, Some(2))));
    }
}
