//! RISC-V and AArch64 under their own models: dependencies, and those that the trace does not show.

use crate::exec::trace::{SC, Trace, X, Y, arm, check, store_buffering, verdict};

/// Load buffering: each thread loads the location that the other one stores to afterwards. `between` computes the stored value
/// from `a5`.
fn load_buffering(between: &str) -> Trace {
    let mut trace = Trace::default();
    for (cpu, [read, written]) in [[X, Y], [Y, X]].into_iter().enumerate() {
        // Both locations are 0 at the start.
        trace.ld(cpu, written, 0);
        trace.access(cpu, "ld a5, 0(a3)", "MemRead", 1, read);
        trace.line(cpu, &format!("{between:26} : IntAlu :  D=0x0000000000000001"));
        trace.access(cpu, "sd a4, 0(a0)", "MemWrite", 1, written);
    }
    trace
}

#[test]
fn the_model_is_that_of_the_instruction_set() {
    let (verdicts, output) = check(&store_buffering(None), &[], 0);
    assert_eq!(verdicts, ["consistent rvwmo"], "{output}");
    assert!(!output.contains("unknown"), "{output}");
    let (verdicts, output) = check(&store_buffering(Some("fence rw, rw")), &[], 1);
    assert_eq!(verdicts, ["violation rvwmo"], "{output}");
    let mut trace = Trace::default();
    for cpu in 0..2 {
        arm(&mut trace, cpu, "str", 1, [X, Y][cpu]);
        arm(&mut trace, cpu, "ldr", 0, [Y, X][cpu]);
    }
    let (verdicts, output) = check(&trace, &[], 0);
    assert_eq!(verdicts, ["consistent armv8"], "{output}");
    let output = verdict(&trace, &SC, "violation");
    assert!(output.contains("is weaker (--model armv8)"), "{output}");
}

#[test]
fn dependencies_order_loads_and_stores() {
    let (verdicts, output) = check(&load_buffering("addi a4, a5, 0"), &[], 1);
    assert_eq!(verdicts, ["violation rvwmo"], "{output}");
    let (verdicts, output) = check(&load_buffering("addi a4, a6, 1"), &[], 0);
    assert_eq!(verdicts, ["consistent rvwmo"], "{output}");
}

#[test]
fn dependencies_that_are_not_shown_are_counted() {
    let unknown = load_buffering("csrrs a4, fcsr, zero");
    let output = verdict(&unknown, &[], "consistent");
    assert!(output.contains("2 dependencies unknown"), "{output}");
    // The violation does not depend on unknown dependencies, because SC preserves all program order.
    let output = verdict(&unknown, &SC, "violation");
    assert!(!output.contains("unknown"), "{output}");
}

/// Message passing in which the reader's branch orders its loads only together with an `isb` after it.
#[test]
fn an_instruction_barrier_orders_loads_behind_a_branch() {
    let message = |barrier: Option<&str>| {
        let mut trace = Trace::default();
        arm(&mut trace, 1, "ldr", 0, Y);
        arm(&mut trace, 0, "str", 7, X);
        trace.plain(0, "  dmb   ish");
        arm(&mut trace, 0, "str", 1, Y);
        trace.access(1, "  ldr   x2, [x1]", "MemRead", 1, Y);
        let next = 0x2_0000 + 4 * (trace.instructions + 2);
        trace.plain(1, &format!("  cbnz   w2, {next:#x}"));
        if let Some(barrier) = barrier {
            trace.plain(1, barrier);
        }
        arm(&mut trace, 1, "ldr", 0, X);
        trace
    };
    verdict(&message(None), &[], "consistent");
    verdict(&message(Some("  isb   ")), &[], "violation");
}
