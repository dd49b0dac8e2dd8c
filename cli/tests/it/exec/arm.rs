//! AArch64: barriers, exclusives, atomics, acquire and release, sizes that gem5 does not print.

use std::fs;

use crate::common::{Folder, output_of};
use crate::exec::trace::{SC, Trace, X, Y, arm, check, lines, verdict, verdicts};

fn arm_store_buffering(store: &str, between: Option<&str>, load: &str) -> Trace {
    let mut trace = Trace::default();
    for cpu in 0..2 {
        arm(&mut trace, cpu, store, 1, [X, Y][cpu]);
        if let Some(fence) = between {
            trace.plain(cpu, fence);
        }
        arm(&mut trace, cpu, load, 0, [Y, X][cpu]);
    }
    trace
}

#[test]
fn barriers_of_arm() {
    let all = "violation violation violation";
    let none = "violation consistent consistent";
    let output = verdicts(&arm_store_buffering("str", None, "ldr"), none, 1);
    assert!(output.contains("Armv8"), "{output}");
    verdicts(&arm_store_buffering("str", Some("  dmb   ish"), "ldr"), all, 1);
    verdicts(&arm_store_buffering("str", Some("  dmb   ishst"), "ldr"), none, 1);
    verdicts(&arm_store_buffering("str", Some("  dmb   ishld"), "ldr"), none, 1);
    verdicts(&arm_store_buffering("str", Some("  isb   "), "ldr"), none, 1);
    verdicts(&arm_store_buffering("stlr", None, "ldar"), all, 1);
    verdicts(&arm_store_buffering("stlr", None, "ldapr"), none, 1);
    // gem5 does not print which accesses a barrier orders.
    let unknown = arm_store_buffering("str", Some("  dmb   "), "ldr");
    let output = verdicts(&unknown, "violation undecided undecided", 1);
    assert!(output.contains("line 2: the trace does not show"), "{output}");
}

#[test]
fn exclusives_of_arm_are_told_by_their_test() {
    let attempt = |is_taken: bool| {
        let mut trace = Trace::default();
        arm(&mut trace, 1, "ldr", 0, X);
        trace.line(0, "  movz   x1, #5, #0        : IntAlu :  D=0x0000000000000005");
        trace.access(0, "  ldxr   x0, [x2]", "MemRead", 0, X);
        trace.access(0, "  stxr   x1, x9, [x2]", "MemWrite", 0, X);
        trace.plain(0, "  cbnz   w9, 0x10004");
        let pc = if is_taken { 0x1_0004 } else { 0x1_0000 + 4 * trace.lines + 4 };
        trace.lines += 1;
        trace.text += &format!(
            "   9000: system.cpu0: T0 : {pc:#x} @f0    :   nop                     : No_OpClass : \n"
        );
        arm(&mut trace, 1, "ldr", 5, X);
        trace
    };
    let (_, output) = check(&attempt(false), &["--model", "sc"], 0);
    assert!(output.contains("4 operations"), "{output}");
    // Nothing writes 5, so this is a second value that the trace does not explain.
    let (verdicts, output) =
        check(&attempt(true), &["--model", "sc", "--addresses", "0x81000-0x81008"], 3);
    assert_eq!(verdicts, ["undecided sc"], "{output}");
}

#[test]
fn atomics_of_arm_hide_values() {
    let mut trace = Trace::default();
    trace.access(0, "  ldaddla64   x0, x1, [x2]", "MemWrite", 0, X);
    arm(&mut trace, 1, "ldr", 3, X);
    verdicts(&trace, "undecided undecided undecided", 3);
    let mut trace = arm_store_buffering("str", None, "ldr");
    trace.access(1, "  ld1   {v0.16b}, [x2]", "MemRead", 0, X);
    let output = verdicts(&trace, "violation undecided undecided", 1);
    assert!(output.contains("line 5: `ld1"), "{output}");
}

/// Message passing, with a barrier of unknown kind between the accesses of both threads.
#[test]
fn a_violation_that_needs_no_unknown_fence_is_one() {
    let mut trace = Trace::default();
    for (cpu, name, value) in [(0, "str", 1), (1, "ldr", 0)] {
        let places = if cpu == 0 { [X, Y] } else { [Y, X] };
        arm(&mut trace, cpu, name, 1, places[0]);
        trace.plain(cpu, "  dmb");
        arm(&mut trace, cpu, name, value, places[1]);
    }
    let folder = Folder::new();
    let certificates = folder.path("certificates");
    verdicts(&trace, "violation violation undecided", 1);
    // Armv8 reorders loads, too, so a barrier that may order stores alone proves nothing.
    verdict(&trace, &[], "undecided");
    let file = folder.path("run.trace");
    fs::write(&file, &trace.text).unwrap();
    output_of(&["check", &file, "--model", "tso,tso", "--certificate", &certificates], 1);
    let certificate = folder.path("certificates/run.trace.tso.cert");
    output_of(&["verify", &file, &certificate], 0);
}

/// If an interrupt follows the branch, the next line does not show whether the branch was taken.
#[test]
fn an_interrupt_hides_the_outcome_of_an_exclusive() {
    let attempt = |next: &str| {
        let next = format!("{next} @f    :   nop : No_OpClass : ");
        lines(&[
            (1, "0x1fc @f    :   ldr   x1, [x2] : MemRead :  D=0x0000000000000000 A=0x3000"),
            (0, "0x104 @f    :   add   x1, x3, #1 : IntAlu :  D=0x0000000000000001"),
            (0, "0x108 @f    :   stxr   x1, x9, [x2] : MemWrite :  D=0x0000000000000000 A=0x3000"),
            (0, "0x10c @f+12    :   cbnz   w9, <f+0> : IntAlu : "),
            (0, &next),
            (1, "0x204 @f    :   ldr   x1, [x2] : MemRead :  D=0x0000000000000001 A=0x3000"),
            (1, "0x208 @f    :   ldr   x1, [x2] : MemRead :  D=0x0000000000000000 A=0x3000"),
        ])
    };
    verdict(&attempt("0x110"), &SC, "violation");
    verdict(&attempt("0xffff0480"), &SC, "undecided");
    // Nothing was stored, so the value 1 comes from a write that was not recorded, and the location is not shared.
    let range = ["--model", "sc", "--addresses", "0x3000-0x3008"];
    verdict(&attempt("0x100"), &range, "undecided");
}

/// A store of 4 bytes leaves the other 4 as they were, and gem5 does not print that it has 4.
#[test]
fn small_values_of_arm_may_have_4_bytes() {
    let mut trace = Trace::default();
    arm(&mut trace, 0, "ldr", 0, X);
    arm(&mut trace, 1, "str", 0x5_0000_0000, X);
    arm(&mut trace, 1, "str", 1, Y);
    arm(&mut trace, 0, "ldr", 1, Y);
    arm(&mut trace, 0, "str", 0, X);
    arm(&mut trace, 0, "ldr", 0x5_0000_0000, X);
    verdict(&trace, &SC, "undecided");
}

#[test]
fn accesses_of_unknown_size_may_cross_a_line() {
    let mut trace = Trace::default();
    let (before, line) = (X + 0x3c, X + 0x40);
    arm(&mut trace, 0, "str", 1, line);
    arm(&mut trace, 0, "str", 0x2_0000_0009, before);
    arm(&mut trace, 1, "ldr", 2, line);
    arm(&mut trace, 1, "str", 1, X + 0x1000);
    arm(&mut trace, 0, "ldr", 1, X + 0x1000);
    arm(&mut trace, 0, "str", 2, line);
    arm(&mut trace, 0, "ldr", 2, line);
    let output = verdict(&trace, &SC, "undecided");
    assert!(output.contains("line 2"), "{output}");
}
