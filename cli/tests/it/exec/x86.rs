//! x86: its own model, and micro-operations that access no memory.

use crate::exec::trace::{Trace, X, Y, check, verdict};

#[test]
fn x86_is_checked_against_its_own_model() {
    let mut trace = Trace::default();
    for cpu in 0..2 {
        let (own, other) = ([X, Y][cpu], [Y, X][cpu]);
        trace.line(cpu, "mov\tDS:[rdi], rax");
        trace.micro(
            cpu,
            0,
            &format!(
                "  MOV_M_R : st   rax, DS:[rdi] : MemWrite :  D=0x0000000000000001 A={own:#x}"
            ),
        );
        trace.line(cpu, "mov\trbx, DS:[rsi]");
        trace.micro(
            cpu,
            0,
            &format!(
                "  MOV_R_M : ld   rbx, DS:[rsi] : MemRead :  D=0x0000000000000000 A={other:#x}"
            ),
        );
    }
    let (verdicts, output) = check(&trace, &[], 0);
    assert_eq!(verdicts, ["consistent tso"], "{output}");
    assert!(output.contains("16 bytes of memory"), "{output}");
    check(&trace, &["--model", "sc"], 1);
}

/// x86 accesses of one CPU each: `(cpu, "st", value, address)`.
fn x86(accesses: &[(usize, &str, u64, u64)]) -> Trace {
    let mut trace = Trace::default();
    for &(cpu, name, value, address) in accesses {
        let class = if name == "ld" { "MemRead" } else { "MemWrite" };
        trace.line(cpu, "mov\tDS:[rdi], rax");
        let text =
            format!("  MOV : {name}   rax, DS:[rdi] : {class} :  D={value:#018x} A={address:#x}");
        trace.micro(cpu, 0, &text);
    }
    trace
}

#[test]
fn micro_operations_without_memory_store_nothing() {
    let mut trace = x86(&[(0, "st", 7, X + 8), (1, "ld", 7, X + 8)]);
    for (cpu, text) in [
        (0, "MOVNTDQ_M_XMM : cda   DS:[rdi + 0x8] : MemWrite :  D=0x0000000000000000 A=0x81008"),
        (0, "CLWB_M : clwb   DS:[rdi + 0x8] : MemWrite :  D=0x0000000000000000 A=0x81008"),
        (0, "WRMSR : st   t2, MS:[8*rcx] : MemWrite :  D=0x0000000000000000 A=0x81008"),
        (1, "PREFETCH_M : ld   t0b, DS:[rdi] : MemRead :  D=0x00000000000000ff A=0x81008"),
    ] {
        trace.line(cpu, "something");
        trace.micro(cpu, 0, &format!("  {text}"));
    }
    trace.line(1, "mov");
    trace.micro(1, 0, "  MOV : ld   rax, DS:[rdi] : MemRead :  D=0x0000000000000007 A=0x81008");
    let output = verdict(&trace, &[], "consistent");
    assert!(output.contains("3 operations"), "{output}");
}
