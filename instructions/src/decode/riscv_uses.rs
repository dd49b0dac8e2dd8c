//! The registers that instructions of RISC-V read and write ([`uses`]).
//!
//! gem5 prints the register that an instruction writes first, then those that it reads. Of a compressed instruction
//! with an accumulator, such as `c_add a0, a1`, it prints that register once.

use crate::decode::riscv::{atomic_size, load_size, number, store_size};
use crate::flow::{RegisterSet, Uses};
use crate::instruction::{Instruction, nth};

/// Position of the first floating-point register.
const FLOATING: usize = 32;

const FLOATING_NAMES: [&[u8]; 32] = [
    b"ft0", b"ft1", b"ft2", b"ft3", b"ft4", b"ft5", b"ft6", b"ft7", b"fs0", b"fs1", b"fa0", b"fa1",
    b"fa2", b"fa3", b"fa4", b"fa5", b"fa6", b"fa7", b"fs2", b"fs3", b"fs4", b"fs5", b"fs6", b"fs7",
    b"fs8", b"fs9", b"fs10", b"fs11", b"ft8", b"ft9", b"ft10", b"ft11",
];

const RETURN_ADDRESS: usize = 1;
const ARGUMENT: usize = 10;

/// The registers that an instruction reads and writes. `name` is its name, without `c_` if it `is_compressed`.
pub(crate) fn uses(
    line: &Instruction<'_>,
    name: &[u8],
    is_compressed: bool,
    operands: &[u8],
) -> Uses {
    let first = of(nth(operands, 0));
    let all = named(operands);
    // The base register of an access is in parentheses at the end of the operands.
    let base = operands.iter().rposition(|&byte| byte == b'(').unwrap_or(operands.len());
    let address = named(&operands[base..]);
    if let Some(uses) = atomic_uses(line, name, operands, address) {
        return uses;
    }
    if load_size(name).is_some() {
        return Uses { address, loaded: first, ..Uses::default() };
    }
    if store_size(name).is_some() {
        return Uses { address, data: named(&operands[..base]), ..Uses::default() };
    }
    match name {
        b"fence" | b"fence_i" | b"fence_tso" | b"nop" | b"wfi" | b"ebreak" | b"pause" => {
            Uses::default()
        }
        b"beq" | b"bne" | b"blt" | b"bge" | b"bltu" | b"bgeu" | b"beqz" | b"bnez" => {
            Uses { branch: all, ..Uses::default() }
        }
        b"j" => Uses::default(),
        b"jal" => Uses { to: first, ..Uses::default() },
        b"jr" => Uses { branch: all, ..Uses::default() },
        b"jalr" if is_compressed => {
            Uses { branch: all, to: RegisterSet::of(RETURN_ADDRESS), ..Uses::default() }
        }
        b"jalr" => Uses { branch: address, to: first, ..Uses::default() },
        // A simulated kernel only returns a value. A real one shows its instructions like a program.
        b"ecall" => Uses { to: RegisterSet::of(ARGUMENT), ..Uses::default() },
        b"li" | b"lui" | b"auipc" => Uses { to: first, ..Uses::default() },
        _ if name.starts_with(b"csr") && is_counter(operands) => {
            Uses { to: first, ..Uses::default() }
        }
        _ if name.starts_with(b"csr") || name.starts_with(b"v") => {
            Uses { lost: first, ..Uses::default() }
        }
        _ if computes(name) => {
            let read = operands.iter().position(|&byte| byte == b',').unwrap_or(operands.len());
            let accumulator = if is_compressed && name != b"mv" && name != b"addi4spn" {
                first
            } else {
                RegisterSet::NONE
            };
            Uses { from: named(&operands[read..]) | accumulator, to: first, ..Uses::default() }
        }
        _ => Uses { lost: RegisterSet::ALL, ..Uses::default() },
    }
}

/// The uses of load-reserved, store-conditional and atomic operations, such as `amoadd_d a5, a4, (a3)`; `None` for
/// other instructions.
fn atomic_uses(
    line: &Instruction<'_>,
    name: &[u8],
    operands: &[u8],
    address: RegisterSet,
) -> Option<Uses> {
    atomic_size(name)?;
    let result = of(nth(operands, 0));
    let data = of(nth(operands, 1));
    Some(match (name.get(..3), line.data) {
        (Some(b"lr_"), _) => Uses { address, loaded: result, ..Uses::default() },
        (Some(b"sc_"), Some(0)) => Uses { address, data, loaded: result, ..Uses::default() },
        // The store-conditional failed, so there is no access.
        (Some(b"sc_"), Some(_)) => Uses { to: result, ..Uses::default() },
        (Some(b"sc_"), None) => Uses { address, data, lost: result, ..Uses::default() },
        // A compare-and-swap also reads the register that it writes.
        _ if name.starts_with(b"amocas") => {
            Uses { address, data, uncertain: result, loaded: result, ..Uses::default() }
        }
        _ => Uses { address, data, loaded: result, ..Uses::default() },
    })
}

/// Whether a CSR instruction reads a counter or a number that depends on no load.
fn is_counter(operands: &[u8]) -> bool {
    matches!(nth(operands, 1), b"cycle" | b"time" | b"instret" | b"mhartid" | b"vlenb")
}

/// Whether an instruction computes its first operand from the others, and does nothing else.
#[rustfmt::skip]
fn computes(name: &[u8]) -> bool {
    const FLOATING: [&[u8]; 17] = [
        b"fadd_", b"fsub_", b"fmul_", b"fdiv_", b"fsqrt_", b"fmadd_", b"fmsub_", b"fnmsub_",
        b"fnmadd_", b"fsgnj", b"fmin_", b"fmax_", b"fcvt_", b"fmv_", b"feq_", b"flt_", b"fle_",
    ];
    crate::decode::riscv::shows_result(name)
        || FLOATING.iter().any(|prefix| name.starts_with(prefix))
        || matches!(
            name,
            b"fclass_s" | b"fclass_d" | b"fclass_h" | b"rol" | b"rolw" | b"ror" | b"rorw"
            | b"rori" | b"roriw" | b"rev8" | b"brev8" | b"orc_b" | b"clz" | b"ctz" | b"cpop"
            | b"clzw" | b"ctzw" | b"cpopw" | b"zext_b" | b"zext_h" | b"zext_w" | b"not"
            | b"bset" | b"bclr" | b"binv" | b"bext" | b"bseti" | b"bclri" | b"binvi" | b"bexti"
            | b"pack" | b"packh" | b"packw" | b"clmul" | b"clmulh" | b"clmulr" | b"xperm4"
            | b"xperm8" | b"czero_eqz" | b"czero_nez" | b"sh1add_uw" | b"sh2add_uw"
            | b"sh3add_uw"
        )
}

/// The registers that a text names.
fn named(text: &[u8]) -> RegisterSet {
    let words = text.split(|byte| !byte.is_ascii_alphanumeric());
    words.filter_map(register).collect()
}

fn of(name: &[u8]) -> RegisterSet {
    register(name).into_iter().collect()
}

/// The number of a register in sets; the register that is always zero has none.
fn register(name: &[u8]) -> Option<usize> {
    let floating = FLOATING_NAMES.iter().position(|known| *known == name);
    number(name).filter(|&number| number > 0).or(floating.map(|number| FLOATING + number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::split_name;
    use crate::sample::instruction;

    fn read(text: &str) -> Uses {
        let line = format!("0x4 @f    : {text} : IntAlu :  D=0x0000000000000000");
        let line = instruction(&line);
        let (name, operands) = split_name(line.body);
        let plain = name.strip_prefix(b"c_");
        uses(&line, plain.unwrap_or(name), plain.is_some(), operands)
    }

    fn set(names: &str) -> RegisterSet {
        named(names.as_bytes())
    }

    #[test]
    fn operands_tell_what_is_read_and_written() {
        let computed = |from, to| Uses { from: set(from), to: set(to), ..Uses::default() };
        assert_eq!(read("add a0, a1, a2"), computed("a1 a2", "a0"));
        assert_eq!(read("c_add a0, a1"), computed("a0 a1", "a0"));
        assert_eq!(read("c_addi a0, 4"), computed("a0", "a0"));
        assert_eq!(read("c_mv a0, a1"), computed("a1", "a0"));
        assert_eq!(read("c_addi4spn a0, sp, 16"), computed("sp", "a0"));
        assert_eq!(read("addi a0, zero, 1"), computed("", "a0"));
        assert_eq!(read("c_li a0, 1"), computed("", "a0"));
        assert_eq!(read("fcvt_d_w fa5, a5"), computed("a5", "fa5"));
        assert_eq!(read("csrrs a0, time, zero"), computed("", "a0"));
        assert_eq!(read("csrrs a0, fcsr, zero"), Uses { lost: set("a0"), ..Uses::default() });
        assert_eq!(read("frobnicate a0").lost, RegisterSet::ALL);
    }

    #[test]
    fn accesses_have_addresses_and_data() {
        let load = Uses { address: set("a1"), loaded: set("a0"), ..Uses::default() };
        assert_eq!(read("ld a0, 8(a1)"), load);
        assert_eq!(read("lr_d a0, (a1)"), load);
        let store = Uses { address: set("a1"), data: set("a0"), ..Uses::default() };
        assert_eq!(read("c_sdsp a0, 8(a1)"), store);
        assert_eq!(read("fsd fa0, 8(a1)"), Uses { data: set("fa0"), ..store });
        assert_eq!(read("amoadd_w a2, a0, (a1)"), Uses { loaded: set("a2"), ..store });
        assert_eq!(read("sc_w a2, a0, (a1)"), Uses { loaded: set("a2"), ..store });
    }

    #[test]
    fn branches_depend_on_registers() {
        let branch = |on| Uses { branch: set(on), ..Uses::default() };
        assert_eq!(read("bne a0, a1, -8"), branch("a0 a1"));
        assert_eq!(read("c_beqz a0, 8"), branch("a0"));
        assert_eq!(read("c_jr ra"), branch("ra"));
        assert_eq!(read("jalr ra, 0(a5)"), Uses { to: set("ra"), ..branch("a5") });
        assert_eq!(read("c_jalr a5"), Uses { to: set("ra"), ..branch("a5") });
    }
}
