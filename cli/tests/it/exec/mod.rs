//! `rubric check` on instructions that CPUs executed, in lines as gem5 prints them.

mod arm;
mod initial;
mod repeated;
mod riscv;
pub(crate) mod trace;
mod weak;
mod x86;

use std::fs;

use crate::common::{Folder, error, output_of};
use trace::{Trace, X, Y, arm, store_buffering, verdict, verdicts};

#[test]
fn what_is_not_understood_is_named_with_its_line() {
    let mut trace = store_buffering(None);
    trace.line(1, &format!("cbo_zero 0(a0)             : MemWrite :  A={X:#x}"));
    let output = verdicts(&trace, "undecided undecided undecided", 3);
    assert!(output.contains("line 5: `cbo_zero 0(a0)` writes shared memory"), "{output}");
    // If no other thread accesses the location, the unknown instruction does not matter.
    let mut trace = store_buffering(None);
    trace.line(1, "cbo_zero 0(a0)             : MemWrite :  A=0x90000");
    verdicts(&trace, "violation consistent consistent", 1);
}

#[test]
fn the_instruction_set_can_be_given() {
    let folder = Folder::new();
    let file = folder.path("run.trace");
    fs::write(&file, store_buffering(None).text).unwrap();
    let message = error(&["check", "--isa", "arm", &file]);
    assert!(message.contains("run.trace:1: found an instruction of RISC-V"), "{message}");
    let output = output_of(&["stats", &file], 0);
    assert!(output.contains("isa           riscv"), "{output}");
    let json = output_of(&["check", "--isa", "riscv", "--format", "json", &file], 0);
    assert!(json.contains("\"isa\":\"riscv\""), "{json}");
}

#[test]
fn an_access_that_crosses_a_cache_line_is_not_one() {
    let mut trace = Trace::default();
    trace.ld(1, X, 0);
    trace.sd(0, X + 0x3c, 0x1111_1111_2222_2222);
    trace.access(1, "lw a2, 0(a3)", "MemRead", 0x1111_1111, X + 0x40);
    trace.access(1, "lw a2, 0(a3)", "MemRead", 0, X + 0x3c);
    let output = verdicts(&trace, "undecided undecided undecided", 3);
    let expected = "line 2: `sd a1, 0(a0)` crosses a cache line, so it is not one access";
    assert!(output.contains(expected), "{output}");
}

#[test]
fn an_access_without_an_address_may_be_any() {
    let mut trace = store_buffering(Some("fence rw, rw"));
    trace.line(0, "frobnicate a5, (a4)        : MemWrite : ");
    let output = verdicts(&trace, "undecided undecided undecided", 3);
    assert!(output.contains("shows no address"), "{output}");
}

#[test]
fn an_unknown_fence_may_order_anything() {
    let output =
        verdicts(&store_buffering(Some("fence_foo rw")), "violation undecided undecided", 1);
    assert!(output.contains("fence_foo rw"), "{output}");
}

#[test]
fn a_trace_of_two_instruction_sets_is_refused() {
    let mut trace = Trace::default();
    arm(&mut trace, 0, "str", 1, X);
    trace.sd(1, X, 2);
    let folder = Folder::new();
    fs::write(folder.path("run.trace"), &trace.text).unwrap();
    let message = error(&["check", &folder.path("run.trace")]);
    assert!(message.contains("run.trace:2:"), "{message}");
    assert!(message.contains("mixes instruction sets"), "{message}");
    // The configuration in a folder names the instruction set.
    fs::remove_file(folder.path("run.trace")).unwrap();
    let config =
        r#"{"system": {"cpu": [{"type": "BaseTimingSimpleCPU", "isa": [{"type": "ArmISA"}]}]}}"#;
    fs::write(folder.path("config.json"), config).unwrap();
    let mut riscv = Trace::default();
    riscv.sd(0, X, 1);
    fs::write(folder.path("trace.out"), &riscv.text).unwrap();
    let message = error(&["check", &folder.path("")]);
    assert!(message.contains("which config.json says"), "{message}");
}

#[test]
fn a_trace_that_shares_nothing_says_so() {
    let mut trace = Trace::default();
    trace.sd(0, X, 1);
    trace.sd(1, Y, 1);
    let output = verdicts(&trace, "undecided undecided undecided", 3);
    let expected = "no location is written by one thread and accessed by another";
    assert!(output.contains(expected), "{output}");
    assert!(output.contains("2 accesses were read"), "{output}");
}

/// A trace of a full system, with a spin lock at the same address in the address spaces of two processes.
fn locks(spaces: [&str; 2], address: u64) -> Trace {
    let mut trace = Trace::default();
    for (cpu, space) in spaces.iter().enumerate() {
        for (name, class, value) in [("ldstl   t1", "MemRead", 0), ("stul   rax", "MemWrite", 1)] {
            trace.lines += 1;
            trace.text += &format!(
                "{:7}: system.cpu{cpu}: {space}T0 : 0x100 @f.{} :   X : {name}, DS:[rdi] : {class} :  \
                 D={value:#018x} A={address:#x}\n",
                500 * trace.lines,
                [0, 3][value],
            );
        }
    }
    trace
}

#[test]
fn processes_have_memory_of_their_own() {
    let program = 0x4b_d104;
    let kernel = 0xffff_ffff_8100_0000;
    verdict(&locks(["", ""], program), &[], "violation");
    verdict(&locks(["A0 ", "A0 "], program), &[], "violation");
    let output = verdict(&locks(["A1 ", "A2 "], program), &[], "undecided");
    assert!(output.contains("2 address spaces are distinguished"), "{output}");
    verdict(&locks(["A1 ", "A2 "], kernel), &[], "violation");
    let mut mixed = locks(["", ""], program);
    mixed.text += "   9000: system.cpu0: T0 : 0xffffffff81000000 @k. 0 :   NOP : limm   rax, 0 : IntAlu :  \
                   D=0x0000000000000000\n";
    let output = verdict(&mixed, &[], "undecided");
    assert!(output.contains("does not tell processes apart"), "{output}");
    assert!(output.contains("Addresses are virtual"), "{output}");
    let chosen = ["--addresses", "0x4bd100-0x4bd110", "--ambiguous", "search"];
    verdict(&mixed, &chosen, "violation");
}

#[test]
fn private_operations_that_empty_the_store_buffer_do_so() {
    let riscv = |instruction: &str| {
        let mut trace = Trace::default();
        for cpu in 0..2 {
            trace.sd(cpu, [X, Y][cpu], 1);
            trace.access(cpu, instruction, "MemRead", 0, 0x9_0000 + 0x40 * cpu as u64);
            trace.ld(cpu, [Y, X][cpu], 0);
        }
        trace
    };
    let swap = riscv("amoswap_d a5, zero, (a3)");
    verdicts(&swap, "violation violation consistent", 1);
    let release = riscv("amoswap_d_rl a5, zero, (a3)");
    verdicts(&release, "violation violation violation", 1);
    let plain = riscv("ld a5, 0(a3)");
    verdicts(&plain, "violation consistent consistent", 1);
    let mut trace = Trace::default();
    for cpu in 0..2 {
        arm(&mut trace, cpu, "str", 1, [X, Y][cpu]);
        arm(&mut trace, cpu, "stlr", 1, 0x9_0000 + 0x40 * cpu as u64);
        arm(&mut trace, cpu, "ldar", 0, [Y, X][cpu]);
    }
    verdicts(&trace, "violation violation violation", 1);
}

#[test]
fn the_last_bytes_of_the_address_space() {
    for address in [u64::MAX, u64::MAX - 2] {
        let mut trace = store_buffering(None);
        trace.sd(0, address, 1);
        trace.ld(1, address, 0);
        verdicts(&trace, "undecided undecided undecided", 3);
    }
}

/// Axe text cannot express the causes of an undecided verdict, so `convert` refuses histories that have them.
#[test]
fn axe_text_keeps_no_doubts() {
    let folder = Folder::new();
    let file = folder.path("run.trace");
    let mut trace = store_buffering(None);
    trace.line(1, &format!("cbo_zero 0(a0)             : MemWrite :  A={X:#x}"));
    fs::write(&file, &trace.text).unwrap();
    let message = error(&["convert", &file, "--to", "axe", "-o", "-"]);
    assert!(message.contains("line 5 of the trace: `cbo_zero 0(a0)`"), "{message}");
    assert!(message.contains("JSON or Parquet"), "{message}");
    let mut trace = Trace::default();
    trace.sd(0, X, 1);
    for value in [0, 77, 1] {
        trace.ld(1, X, value);
    }
    fs::write(&file, &trace.text).unwrap();
    let message = error(&["convert", &file, "--to", "axe", "-o", "-"]);
    assert!(message.contains("not in the history"), "{message}");
    output_of(&["convert", &file, "--to", "json", "-o", "-"], 0);
}
