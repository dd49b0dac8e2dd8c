//! The registers that instructions of AArch64 read and write ([`uses`]).
//!
//! gem5 prints the register that an instruction writes first, then those that it reads, and omits a register that is
//! always zero: `subs   x0, x1` compares or negates. Accesses of vector registers have the names of integer registers.
//! A dependency that is not certain is recorded as unknown. All vector registers are tracked as if they were one.

use crate::decode::action::cut;
use crate::decode::arm::{atomic, sized};
use crate::flow::{RegisterSet, Uses};
use crate::instruction::{Instruction, nth};

const STACK_POINTER: usize = 31;
/// Position of the first of gem5's three internal registers.
const TEMPORARY: usize = 32;
const FLAGS: usize = 35;
const VECTORS: usize = 36;
/// A register that is never written.
const CONSTANT: usize = 37;
const LINK: usize = 30;

/// The registers that an instruction reads and writes. `value` returns the known value of the integer register with
/// this number, to be compared with the value that the line of a store shows.
pub(crate) fn uses(
    line: &Instruction<'_>,
    name: &[u8],
    operands: &[u8],
    value: impl Fn(usize) -> Option<u64>,
) -> Uses {
    let first = named(nth(operands, 0));
    let branch = |branch| Uses { branch, ..Uses::default() };
    match name {
        b"dc" if line.stores() => Uses { address: named(nth(operands, 1)), ..Uses::default() },
        b"b" | b"nop" | b"isb" | b"dmb" | b"dsb" | b"dmb.st" | b"dsb.st" | b"clrex" | b"yield"
        | b"wfe" | b"wfi" | b"sev" | b"sevl" | b"dc" | b"ic" | b"at" | b"tlbi" | b"hint" => {
            Uses::default()
        }
        b"bl" => Uses { to: RegisterSet::of(LINK), ..Uses::default() },
        b"cbz" | b"cbnz" | b"tbz" | b"tbnz" | b"br" => branch(first),
        b"blr" => Uses { to: RegisterSet::of(LINK), ..branch(first) },
        b"ret" if first.is_empty() => branch(RegisterSet::of(LINK)),
        b"ret" => branch(first),
        // A simulated kernel only returns a value. A real one shows its instructions like a program.
        b"svc" => Uses { to: RegisterSet::of(0), ..Uses::default() },
        // The base of thread-local memory and counters depend on no load.
        b"mrs"
            if [&b"tpidr"[..], b"cntvct", b"cntfrq"]
                .iter()
                .any(|it| nth(operands, 1).starts_with(it)) =>
        {
            Uses { to: first, ..Uses::default() }
        }
        _ if name.starts_with(b"b.") => branch(RegisterSet::of(FLAGS)),
        _ if name.starts_with(b"prf") => Uses::default(),
        _ if line.loads() || line.stores() => access(line, name, operands, value),
        _ => computation(name, operands).unwrap_or_else(|| not_understood(name, operands)),
    }
}

fn access(
    line: &Instruction<'_>,
    name: &[u8],
    operands: &[u8],
    value: impl Fn(usize) -> Option<u64>,
) -> Uses {
    let base = operands.iter().position(|&byte| byte == b'[').unwrap_or(operands.len());
    let (before, address) = (&operands[..base], named(&operands[base..]));
    let [first, second] = [0, 1].map(|n| named(nth(before, n)));
    if atomic(name).is_some() {
        return if name.starts_with(b"cas") {
            // A comparison with this register decides whether it writes.
            Uses { address, data: first, uncertain: second, loaded: second, ..Uses::default() }
        } else {
            let updates = !name.starts_with(b"swp");
            Uses { address, data: second, loaded: first, updates, ..Uses::default() }
        };
    }
    let vectors = RegisterSet::of(VECTORS);
    let is_vector = name.windows(2).any(|part| part == b"fp");
    match sized(name).0 {
        // A status carries no dependency, since it shows nothing that memory returned.
        b"stxr" | b"stlxr" => Uses { address, data: first, to: second, ..Uses::default() },
        _ if is_vector && line.stores() => Uses { address, data: vectors, ..Uses::default() },
        b"ldp" | b"ldpsw" | b"ldp_uop" | b"ldrduxi_uop" | b"ldrdsxi_uop" | b"ldrdxi_uop" => {
            Uses { address, loaded: first, loaded_second: second, ..Uses::default() }
        }
        _ if line.loads() && !line.stores() => {
            let is_shown =
                (line.data.is_some() || line.encoded.is_some()) && second.is_empty() && !is_vector;
            if is_shown && is_plain(name) {
                return Uses { address, loaded: first, ..Uses::default() };
            }
            Uses { address, lost: named(before) | vectors, ..Uses::default() }
        }
        // The name says that it stores an integer register.
        _ if is_plain(name) && line.encoded.is_some() => {
            Uses { address, data: first, ..Uses::default() }
        }
        _ if is_plain(name) => Uses { address, ..stored(line, nth(before, 0), value) },
        _ => Uses { address, data: named(before) | vectors, ..Uses::default() }.without_certainty(),
    }
}

impl Uses {
    /// These uses, without the certainty that the data come from these registers.
    fn without_certainty(self) -> Uses {
        Uses { data: RegisterSet::of(CONSTANT), uncertain: self.data, ..self }
    }
}

/// The register that a plain store stores: an integer register, or the vector register with the same number.
fn stored(line: &Instruction<'_>, name: &[u8], value: impl Fn(usize) -> Option<u64>) -> Uses {
    let vectors = RegisterSet::of(VECTORS);
    let data = Uses { data: named(name), ..Uses::default() };
    let either = || Uses { data: named(name) | vectors, ..Uses::default() }.without_certainty();
    let (Some(register), Some(shown)) = (register(name), line.data) else {
        return either();
    };
    let size = if shown <= u64::from(u32::MAX) { 4 } else { 8 };
    match value(register).map(|value| cut(value, size) == shown) {
        // A value of zero proves nothing, since many registers hold it.
        Some(true) if shown != 0 => data,
        Some(false) => Uses { data: vectors, ..Uses::default() },
        _ => either(),
    }
}

/// Whether an access has one register besides its address.
fn is_plain(name: &[u8]) -> bool {
    let (base, _) = sized(name);
    [&b"ldr"[..], b"ldur", b"ldtr", b"ldar", b"ldapr", b"ldapur", b"ldxr", b"ldaxr", b"ldrs"]
        .iter()
        .chain(&[&b"ldurs"[..], b"ldtrs", b"str", b"stur", b"sttr", b"stlr", b"stlur"])
        .any(|known| base == *known)
        || matches!(name, b"ldrsw" | b"ldursw" | b"ldtrsw")
        || (name.ends_with(b"_uop") && (name.starts_with(b"ldrx") || name.starts_with(b"strx")))
}

/// Arithmetic on integer registers.
#[rustfmt::skip]
fn computation(name: &[u8], operands: &[u8]) -> Option<Uses> {
    let flags = RegisterSet::of(FLAGS);
    let first = named(nth(operands, 0));
    let read = operands.iter().position(|&byte| byte == b',').unwrap_or(operands.len());
    let rest = named(&operands[read..]);
    let computed = |from| Some(Uses { from, to: first, ..Uses::default() });
    match name {
        b"add" | b"sub" | b"and" | b"orr" | b"eor" | b"bic" | b"orn" | b"eon" | b"lslv" | b"lsrv"
        | b"asrv" | b"rorv" | b"lsl" | b"lsr" | b"asr" | b"ror" | b"mul" | b"madd" | b"msub"
        | b"smaddl" | b"smsubl" | b"umaddl" | b"umsubl" | b"smulh" | b"umulh" | b"udiv" | b"sdiv"
        | b"ubfm" | b"sbfm" | b"extr" | b"rbit" | b"rev" | b"rev16" | b"rev32" | b"clz" | b"cls"
        | b"adr" | b"adrp" | b"mov" | b"movz" | b"movn" => computed(rest),
        b"movk" | b"bfm" => computed(first | rest),
        b"adc" | b"sbc" => computed(rest | flags),
        b"adds" | b"subs" | b"ands" | b"bics" => Some(with_flags(name, operands)),
        // The flags decide which of the operands is the result.
        b"csel" | b"csinc" | b"csinv" | b"csneg" => {
            let operands = operands.split(|&byte| byte == b',').collect::<Vec<_>>();
            let [_, one, other, _] = operands[..] else {
                return Some(Uses { to: first, uncertain: rest | flags, ..Uses::default() });
            };
            let either = [named(one), named(other)];
            Some(Uses { to: first, either, condition: flags, ..Uses::default() })
        }
        b"ccmp" | b"ccmn" => {
            Some(Uses { to: flags, uncertain: first | rest | flags, ..Uses::default() })
        }
        _ if name.ends_with(b"_uop") && (name.starts_with(b"add") || name.starts_with(b"sub")) => {
            computed(rest)
        }
        _ => None,
    }
}

/// Arithmetic that sets the flags. Without a register for the result it compares or tests; `subs   x0, x1` may negate
/// instead.
fn with_flags(name: &[u8], operands: &[u8]) -> Uses {
    let flags = RegisterSet::of(FLAGS);
    let [first, second, third] = [0, 1, 2].map(|n| nth(operands, n));
    let is_shift = |operand: &[u8]| !operand.starts_with(b"#") && register(operand).is_none();
    let has_result = !third.is_empty() && !is_shift(third);
    let from = named(second) | named(third);
    if has_result {
        Uses { from, to: named(first) | flags, ..Uses::default() }
    } else if name == b"subs" && !second.starts_with(b"#") {
        let (to, uncertain) = (flags, named(first));
        Uses { from, to, uncertain, lost: named(first), ..Uses::default() }
    } else {
        Uses { from: named(first) | from, to: flags, ..Uses::default() }
    }
}

/// The uses of an instruction whose results are not tracked: vector instructions, and all unknown ones.
fn not_understood(name: &[u8], operands: &[u8]) -> Uses {
    const VECTOR_RESULTS: [&[u8]; 12] = [
        b"fadd", b"fsub", b"fmul", b"fdiv", b"fmadd", b"fmsub", b"fnmadd", b"fnmsub", b"fsqrt",
        b"fneg", b"scvtf", b"ucvtf",
    ];
    let vectors = RegisterSet::of(VECTORS);
    if VECTOR_RESULTS.contains(&name) {
        return Uses { lost: vectors, ..Uses::default() };
    }
    // The name that `ArmWord` gives to instructions that write vector registers or flags only.
    if name == b"vector" {
        return Uses { lost: vectors | RegisterSet::of(FLAGS), ..Uses::default() };
    }
    let is_signed = |prefix: &[u8]| name.starts_with(prefix);
    if is_signed(b"pac") || is_signed(b"aut") || is_signed(b"xpac") {
        let lost = named(operands) | [16, 17, LINK].into_iter().collect();
        return Uses { lost, ..Uses::default() };
    }
    // The registers are named as integer registers, or as vector registers of the same number.
    let words = operands.split(|byte| !byte.is_ascii_alphanumeric());
    let number = |word: &[u8]| register(word).or_else(|| digits(word.get(1..)?));
    let mentioned: RegisterSet = words.filter_map(number).collect();
    if mentioned.is_empty() {
        return Uses { lost: RegisterSet::ALL, ..Uses::default() };
    }
    Uses { lost: mentioned | vectors | RegisterSet::of(FLAGS), ..Uses::default() }
}

/// The registers that a text names.
fn named(text: &[u8]) -> RegisterSet {
    let words = text.split(|byte| !byte.is_ascii_alphanumeric());
    words.filter_map(register).collect()
}

/// The number of an integer register in sets; the register that is always zero has none.
fn register(name: &[u8]) -> Option<usize> {
    match name {
        b"sp" | b"wsp" => Some(STACK_POINTER),
        [b'x' | b'w', number @ ..] => digits(number),
        _ => {
            let number = name.strip_prefix(b"ureg")?;
            digits(number).filter(|&number| number < 3).map(|number| TEMPORARY + number)
        }
    }
}

/// The number of a register.
fn digits(text: &[u8]) -> Option<usize> {
    let number = std::str::from_utf8(text).ok()?.parse().ok()?;
    (number < STACK_POINTER).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::split_name;
    use crate::sample::instruction;

    fn read_with(text: &str, value: Option<u64>) -> Uses {
        let line = format!("0x4 @f    :   {text} :  D=0x0000000000000007 A=0x40");
        let line = instruction(&line);
        let (name, operands) = split_name(line.body.trim_ascii_start());
        uses(&line, name, operands, |_| value)
    }

    fn read(text: &str) -> Uses {
        read_with(&format!("{text} : IntAlu"), None)
    }

    fn set(names: &str) -> RegisterSet {
        let flags =
            if names.contains("flags") { RegisterSet::of(FLAGS) } else { RegisterSet::NONE };
        named(names.as_bytes()) | flags
    }

    #[test]
    fn operands_tell_what_is_read_and_written() {
        let computed = |from, to| Uses { from: set(from), to: set(to), ..Uses::default() };
        assert_eq!(read("add   x0, x1, x2, LSL #3"), computed("x1 x2", "x0"));
        assert_eq!(read("orr   w0, w1"), computed("x1", "x0"));
        assert_eq!(read("movz   x0, #5, #0"), computed("", "x0"));
        assert_eq!(read("movk   x0, #5, #16"), computed("x0", "x0"));
        assert_eq!(read("sub   sp, sp, #16"), computed("sp", "sp"));
        assert_eq!(read("subs   x0, #1"), computed("x0", "flags"));
        assert_eq!(read("ands   x0, x1"), computed("x0 x1", "flags"));
        assert_eq!(read("subs   x0, x1, #1"), computed("x1", "x0 flags"));
        let either = Uses { uncertain: set("x0"), lost: set("x0"), ..computed("x1", "flags") };
        assert_eq!(read("subs   x0, x1, LSL #2"), either);
        let either = [set("x1"), set("x2")];
        let chosen = Uses { either, condition: set("flags"), ..computed("", "x0") };
        assert_eq!(read("csel   x0, x1, x2, ne"), chosen);
        assert_eq!(read("paciasp   ").lost, [16, 17, 30].into_iter().collect());
        assert_eq!(read("unheard   ").lost, RegisterSet::ALL);
        let moved = set("x0 x1 flags") | RegisterSet::of(VECTORS);
        assert_eq!(read("fmov   f0, f1"), Uses { lost: moved, ..Uses::default() });
    }

    #[test]
    fn accesses_have_addresses_and_data() {
        let load = Uses { address: set("x1 x2"), loaded: set("x0"), ..Uses::default() };
        assert_eq!(read_with("ldr   x0, [x1, x2, LSL #3] : MemRead", None), load);
        let store = Uses { address: set("x2"), data: set("x0"), ..Uses::default() };
        assert_eq!(read_with("str   x0, [x2] : MemWrite", Some(7)), store);
        let vector = Uses { data: RegisterSet::of(VECTORS), ..store };
        assert_eq!(read_with("str   x0, [x2] : MemWrite", Some(8)), vector);
        let unknown = read_with("str   x0, [x2] : MemWrite", None);
        assert_eq!(unknown.data, RegisterSet::of(CONSTANT));
        assert_eq!(
            read_with("stlxr   x0, x9, [x2] : MemWrite", None),
            Uses { to: set("x9"), ..store }
        );
        let swap = Uses { loaded: set("x3"), ..store };
        assert_eq!(read_with("swpal   x3, x0, [x2] : MemWrite", None), swap);
        let update = Uses { updates: true, ..swap };
        assert_eq!(read_with("ldaddal   x3, x0, [x2] : MemWrite", None), update);
        let compared = Uses { loaded: set("x3"), uncertain: set("x3"), ..store };
        assert_eq!(read_with("casal   x0, x3, [x2] : MemWrite", None), compared);
        let pair = Uses {
            loaded: set("x0"),
            loaded_second: set("x1"),
            address: set("sp"),
            ..Uses::default()
        };
        assert_eq!(read_with("ldp_uop   x0,x1, [sp, #16] : MemRead", None), pair);
    }

    #[test]
    fn branches_depend_on_registers_or_flags() {
        let branch = |on| Uses { branch: set(on), ..Uses::default() };
        assert_eq!(read("cbnz   w0, <f+4>"), branch("x0"));
        assert_eq!(read("b.ne   <f+4>"), branch("flags"));
        assert_eq!(read("ret   "), branch("x30"));
        assert_eq!(read("blr   x3"), Uses { to: set("x30"), ..branch("x3") });
    }
}
