//! RISC-V: fences, atomics, LR and SC, sizes and vectors.

use crate::common::output_of;
use crate::exec::trace::{SC, Trace, X, Y, check, store_buffering, verdict, verdicts};

#[test]
fn fences_of_riscv_order_their_sets() {
    let plain = store_buffering(None);
    let output = verdicts(&plain, "violation consistent consistent", 1);
    assert!(output.contains("the instructions are those of RISC-V"), "{output}");
    assert!(output.contains("RVWMO"), "{output}");
    let all = "violation violation violation";
    verdicts(&store_buffering(Some("fence rw, rw")), all, 1);
    verdicts(&store_buffering(Some("fence iorw, iorw")), all, 1);
    verdicts(&store_buffering(Some("fence w, r")), all, 1);
    let none = "violation consistent consistent";
    verdicts(&store_buffering(Some("fence r, rw")), none, 1);
    verdicts(&store_buffering(Some("fence w, w")), none, 1);
    verdicts(&store_buffering(Some("fence.tso")), none, 1);
    verdicts(&store_buffering(Some("fence_i")), none, 1);
}

/// The trace was recorded with gem5's O3CPU, whose cache does not tell it of the lines that it loses.
#[test]
fn a_recorded_violation_of_rvwmo_is_found_and_shrunk() {
    let trace = "fixtures/exec/riscv-o3-corr.trace.gz";
    let output = output_of(&["check", trace], 1);
    assert!(output.starts_with("violation  rvwmo"), "{output}");
    let output = output_of(&["shrink", trace], 1);
    assert!(output.contains("CoRR (two reads of one location out of order)"), "{output}");
    assert!(output.contains("violation  rvwmo"), "{output}");
}

/// A trace that begins in the middle of a run has reads of earlier writes. Nothing is known of these writes, so the reads do not
/// order the reads around them.
#[test]
fn reads_of_writes_before_the_beginning_constrain_nothing() {
    let trace = "fixtures/exec/riscv-o3-corr.trace.gz";
    for from in ["20842500", "20845000"] {
        let output = output_of(&["check", "--from-tick", from, trace], 0);
        assert!(output.contains("reads constrain nothing"), "{output}");
    }
}

/// A read of the value that an unknown instruction wrote matches no recorded write. The message names the instruction, which is
/// the cause.
#[test]
fn an_instruction_that_is_not_understood_is_named_before_the_read_of_its_value() {
    let mut trace = Trace::default();
    trace.sd(0, X, 1);
    trace.ld(1, X, 1);
    trace.access(0, "vse64_v a4, 0(a0)", "MemWrite", 2, X);
    trace.ld(1, X, 2);
    let (_, output) = check(&trace, &["--model", "rvwmo"], 3);
    assert!(output.contains("line 3: `vse64_v a4, 0(a0)` writes shared memory"), "{output}");
}

#[test]
fn stores_of_a_message_are_ordered_by_a_fence() {
    let message = |fence: Option<&str>| {
        let mut trace = Trace::default();
        trace.sd(0, X, 7);
        if let Some(fence) = fence {
            trace.plain(0, fence);
        }
        trace.sd(0, Y, 1);
        trace.ld(1, Y, 1);
        trace.plain(1, "fence r, r");
        trace.ld(1, X, 0);
        // Both locations are read as 0 first.
        trace.ld(1, Y, 1);
        trace
    };
    verdicts(&message(None), "violation violation consistent", 1);
    verdicts(&message(Some("fence r, w")), "violation violation consistent", 1);
    verdicts(&message(Some("fence w, w")), "violation violation violation", 1);
}

#[test]
fn atomics_of_riscv_write_what_their_registers_say() {
    let count = |second: u64| {
        let mut trace = Trace::default();
        for (cpu, old) in [(0, 0), (1, second)] {
            trace.li(cpu, "a4", 1);
            trace.atomic(cpu, "amoadd_d a5, a4, (a3)", "amoadd_d[l] a5, a4, (a3)", "MemRead", old);
        }
        trace
    };
    let mut counted = count(1);
    counted.ld(0, X, 2);
    verdicts(&counted, "consistent consistent consistent", 0);
    // Two read-modify-writes that read the same write cannot both be atomic.
    let lost = count(0);
    let (_, output) = check(&lost, &["--model", "sc"], 1);
    assert!(!output.contains("thin-air"), "{output}");
}

#[test]
fn an_unknown_operand_proves_nothing() {
    let mut trace = Trace::default();
    trace.atomic(0, "amoadd_d a5, a4, (a3)", "amoadd_d[l] a5, a4, (a3)", "MemRead", 0);
    trace.ld(1, X, 5);
    let (verdicts, output) = check(&trace, &["--model", "sc"], 3);
    assert_eq!(verdicts, ["undecided sc"], "{output}");
}

/// A lock taken with `lr` and `sc`, whose values repeat, around a counter.
#[test]
fn locks_of_riscv() {
    let locked = |second_sees: u64| {
        let mut trace = Trace::default();
        for (cpu, sees) in [(0, 0), (1, second_sees)] {
            trace.li(cpu, "a4", 1);
            trace.atomic(cpu, "lr_w_aq a5, (a3)", "lr_w a5, (a3)", "MemRead", 0);
            trace.micro(cpu, 1, "0x1006a7af fence           : No_OpClass : ");
            trace.atomic(cpu, "sc_w a6, a4, (a3)", "sc_w a6, a4, (a3)", "MemWrite", 0);
            trace.ld(cpu, Y, sees);
            trace.sd(cpu, Y, sees + 1);
            trace.plain(cpu, "fence rw, w");
            trace.access(cpu, "sw zero, 0(a3)", "MemWrite", 0, X);
        }
        trace
    };
    verdicts(&locked(1), "consistent consistent consistent", 0);
    verdicts(&locked(0), "violation violation violation", 1);
}

#[test]
fn a_failed_store_conditional_stores_nothing() {
    let mut trace = Trace::default();
    trace.li(0, "a4", 9);
    trace.atomic(0, "lr_d a5, (a3)", "lr_d a5, (a3)", "MemRead", 0);
    trace.atomic(0, "sc_d a6, a4, (a3)", "sc_d a6, a4, (a3)", "MemWrite", 1);
    trace.sd(1, X, 5);
    trace.ld(0, X, 5);
    verdicts(&trace, "consistent consistent consistent", 0);
}

#[test]
fn sizes_and_signs_are_those_of_the_instruction() {
    let mut trace = Trace::default();
    trace.access(0, "c_sw a1, 0(a0)", "MemWrite", 0x8000_0001, X);
    trace.access(1, "c_lw a2, 0(a3)", "MemRead", 0xffff_ffff_8000_0001, X);
    trace.access(1, "lbu a2, 4(a3)", "MemRead", 3, X + 4);
    trace.access(0, "sb a1, 4(a0)", "MemWrite", 4, X + 4);
    let output = verdicts(&trace, "consistent consistent consistent", 0);
    assert!(!output.contains("--access-size"), "{output}");
}

#[test]
fn a_full_fence_of_riscv_may_be_a_weaker_one() {
    let output =
        verdicts(&store_buffering(Some("fence rw, rw")), "violation violation violation", 1);
    assert!(output.contains("`fence.tso`"), "{output}");
    let output =
        verdicts(&store_buffering(Some("fence iorw, iorw")), "violation violation violation", 1);
    assert!(!output.contains("`fence.tso`"), "{output}");
}

#[test]
fn vectors_reach_as_far_as_they_may() {
    let vector = |shown: &str| {
        let mut trace = Trace::default();
        trace.line(0, &format!("vs1r_v v1, (a0) : SimdWholeRegisterStore : {shown} A={X:#x}"));
        let far = X + 0x1f8;
        trace.ld(0, far, 0);
        trace.sd(1, far, 7);
        trace.ld(1, far, 0);
        trace.sd(0, far, 1);
        trace
    };
    verdict(&vector(""), &SC, "undecided");
    verdict(&vector(" D=[00000000_00000000]"), &SC, "violation");
}
