//! Recognises the instruction set of an Exec line ([`of_line`]).

use history::Isa;
use memchr::memmem;

use crate::decode::riscv::number;
use crate::instruction::Instruction;

/// Returns the instruction set of a line, if it is certain.
///
/// gem5 prints x86 micro-operations as `  MOV_R_P : ld   edx, DS:[…]`, Arm's instructions with two
/// spaces before them and RISC-V's with none.
pub(crate) fn of_line(line: &Instruction<'_>) -> Option<Isa> {
    line.class?;
    let body = line.body;
    let is_x86 = memmem::find(body, b" : ").is_some()
        || (line.micro.is_some() && body.starts_with(b"\t"))
        || memmem::find(body, b"S:[").is_some();
    if is_x86 {
        return Some(Isa::X86);
    }
    let (operands, is_access) = (body.trim_ascii_start(), line.loads() || line.stores());
    let first = *operands.first()?;
    if !first.is_ascii_lowercase() && first != b'0' {
        return None;
    }
    if body.starts_with(b"  ")
        || (is_access && memmem::find(body, b"[").is_some_and(|at| is_base(&body[at..])))
    {
        return Some(Isa::Arm);
    }
    if body.starts_with(b" ") || body.contains(&b'\t') || (is_access && !has_riscv_base(body)) {
        return None;
    }
    Some(Isa::Riscv)
}

/// Whether a line ends with a register of RISC-V in parentheses.
fn has_riscv_base(body: &[u8]) -> bool {
    let base = body.strip_suffix(b")");
    let base = base.and_then(|text| text.rsplit(|&byte| byte == b'(').next());
    base.is_some_and(|name| number(name).is_some())
}

/// Whether a text begins with `[` and a base register of Arm.
fn is_base(text: &[u8]) -> bool {
    [&b"[x"[..], b"[w", b"[sp", b"[ureg"].iter().any(|base| text.starts_with(base))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::instruction;

    fn isa(text: &str) -> Option<Isa> {
        of_line(&instruction(text))
    }

    #[test]
    fn lines_show_their_instruction_set() {
        let x86 = Some(Isa::X86);
        assert_eq!(
            isa(
                "0x4 @f. 1 :   MOV_R_P : ld   edx, DS:[rdi] : MemRead :  D=0x0000000000000002 A=0x8"
            ),
            x86
        );
        assert_eq!(isa("0x4 @f. 0 : \tMFENCE.mfence           : No_OpClass : "), x86);
        assert_eq!(isa("0x4 @f    : mov\tedx, DS:[rip + 0xbba78]"), None);
        let riscv = Some(Isa::Riscv);
        assert_eq!(
            isa("0x4 @f    : c_ld a5, 0(a4)             : MemRead :  D=0x0000000000000002 A=0x8"),
            riscv
        );
        assert_eq!(isa("0x4 @f. 0 : 0x0f50000f fence           : No_OpClass : "), riscv);
        assert_eq!(
            isa("0x4 @f. 1 : amoadd_d[l] a5, a4, (a3)   : MemRead :  D=0x0000000000000002 A=0x8"),
            riscv
        );
        let arm = Some(Isa::Arm);
        assert_eq!(
            isa("0x4 @f    :   ldr   x0, [x1]           : MemRead :  D=0x0000000000000002 A=0x8"),
            arm
        );
        assert_eq!(isa("0x4 @f    : str   x0, [x1] : MemWrite :  D=0x0000000000000002 A=0x8"), arm);
        assert_eq!(isa("0x4 @f    :   dmb                     : No_OpClass : "), arm);
    }
}
