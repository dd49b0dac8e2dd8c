//! Instructions that CPUs executed, as `rubric check` reads them: lines as gem5 prints them.

mod common;

use std::fs;

use common::{Folder, error, output_of};

const X: u64 = 0x8_1000;
const Y: u64 = 0x8_1040;

/// A trace of Exec lines.
#[derive(Default)]
struct Trace {
    text: String,
    lines: u64,
    /// Instructions so far; micro-operations are parts of one.
    instructions: u64,
}

impl Trace {
    /// An instruction of a CPU, each CPU in a function of its own.
    fn line(&mut self, cpu: usize, instruction: &str) {
        self.lines += 1;
        self.instructions += 1;
        let (tick, pc) = (
            500 * self.lines,
            0x1_0000 * (cpu as u64 + 1) + 4 * self.instructions,
        );
        self.text +=
            &format!("{tick:7}: system.cpu{cpu}: T0 : {pc:#x} @f{cpu}    : {instruction}\n");
    }

    fn access(&mut self, cpu: usize, instruction: &str, class: &str, data: u64, address: u64) {
        self.line(
            cpu,
            &format!("{instruction:26} : {class} :  D={data:#018x} A={address:#x}"),
        );
    }

    /// A store and a load of RISC-V.
    fn sd(&mut self, cpu: usize, address: u64, value: u64) {
        self.access(cpu, "sd a1, 0(a0)", "MemWrite", value, address);
    }

    fn ld(&mut self, cpu: usize, address: u64, value: u64) {
        self.access(cpu, "ld a2, 0(a3)", "MemRead", value, address);
    }

    fn li(&mut self, cpu: usize, register: &str, value: u64) {
        self.line(
            cpu,
            &format!(
                "{:26} : IntAlu :  D={value:#018x}",
                format!("c_li {register}, {value}")
            ),
        );
    }

    fn plain(&mut self, cpu: usize, instruction: &str) {
        self.line(cpu, &format!("{instruction:26} : No_OpClass : "));
    }

    /// A micro-operation of the instruction that the line before announced.
    fn micro(&mut self, cpu: usize, micro: u32, instruction: &str) {
        self.lines += 1;
        let tick = 500 * self.lines;
        let pc = self.text.lines().rev().find_map(|line| {
            let rest = line.split_once(&format!("system.cpu{cpu}: T0 : "))?.1;
            rest.split(' ').next().map(str::to_owned)
        });
        let pc = pc.unwrap();
        self.text +=
            &format!("{tick:7}: system.cpu{cpu}: T0 : {pc} @f{cpu}.{micro:2} : {instruction}\n");
    }

    /// An atomic operation as gem5 prints it, without micro-fences.
    fn atomic(&mut self, cpu: usize, announced: &str, micro: &str, class: &str, data: u64) {
        self.line(cpu, announced);
        self.micro(
            cpu,
            0,
            &format!("{micro:26} : {class} :  D={data:#018x} A={X:#x}"),
        );
    }
}

/// The first words of the verdicts on a trace, and all that is said.
fn check(trace: &Trace, arguments: &[&str], status: i32) -> (Vec<String>, String) {
    let folder = Folder::new();
    let file = folder.path("run.trace");
    fs::write(&file, &trace.text).unwrap();
    let arguments = [&["check", &file], arguments].concat();
    let output = output_of(&arguments, status);
    let is_verdict = |line: &&str| line.contains("run.trace");
    let verdicts = output.lines().filter(is_verdict).map(|line| {
        let mut words = line.split_ascii_whitespace();
        format!(
            "{} {}",
            words.next().unwrap_or(""),
            words.next().unwrap_or("")
        )
    });
    (verdicts.collect(), output)
}

const ALL: [&str; 2] = ["--model", "sc,tso,pso"];

fn verdicts(trace: &Trace, expected: &str, status: i32) -> String {
    let (verdicts, output) = check(trace, &ALL, status);
    let words: Vec<&str> = expected.split(' ').collect();
    let expected: Vec<String> = words
        .iter()
        .zip(["sc", "tso", "pso"])
        .map(|(word, model)| format!("{word} {model}"))
        .collect();
    assert_eq!(verdicts[..3], expected, "{}\n{output}", trace.text);
    output
}

/// Store buffering, with `between` in both threads.
fn store_buffering(between: Option<&str>) -> Trace {
    let mut trace = Trace::default();
    for cpu in 0..2 {
        trace.sd(cpu, [X, Y][cpu], 1);
        if let Some(fence) = between {
            trace.plain(cpu, fence);
        }
        trace.ld(cpu, [Y, X][cpu], 0);
    }
    trace
}

#[test]
fn fences_of_riscv_order_their_sets() {
    let plain = store_buffering(None);
    let output = verdicts(&plain, "violation consistent consistent", 1);
    assert!(
        output.contains("the instructions are those of RISC-V"),
        "{output}"
    );
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
        // Both memories are seen to begin with 0.
        trace.ld(1, Y, 1);
        trace
    };
    verdicts(&message(None), "violation violation consistent", 1);
    verdicts(
        &message(Some("fence r, w")),
        "violation violation consistent",
        1,
    );
    verdicts(
        &message(Some("fence w, w")),
        "violation violation violation",
        1,
    );
}

#[test]
fn atomics_of_riscv_write_what_their_registers_say() {
    let count = |second: u64| {
        let mut trace = Trace::default();
        for (cpu, old) in [(0, 0), (1, second)] {
            trace.li(cpu, "a4", 1);
            trace.atomic(
                cpu,
                "amoadd_d a5, a4, (a3)",
                "amoadd_d[l] a5, a4, (a3)",
                "MemRead",
                old,
            );
        }
        trace
    };
    let mut counted = count(1);
    counted.ld(0, X, 2);
    verdicts(&counted, "consistent consistent consistent", 0);
    // Two that read the same cannot both be atomic.
    let lost = count(0);
    let (_, output) = check(&lost, &["--model", "sc"], 1);
    assert!(!output.contains("thin-air"), "{output}");
}

#[test]
fn an_unknown_operand_proves_nothing() {
    let mut trace = Trace::default();
    trace.atomic(
        0,
        "amoadd_d a5, a4, (a3)",
        "amoadd_d[l] a5, a4, (a3)",
        "MemRead",
        0,
    );
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
fn what_is_not_understood_is_named_with_its_line() {
    let mut trace = store_buffering(None);
    trace.line(
        1,
        &format!("cbo_zero 0(a0)             : MemWrite :  A={X:#x}"),
    );
    let output = verdicts(&trace, "undecided undecided undecided", 3);
    assert!(
        output.contains("line 5: `cbo_zero 0(a0)` writes shared memory"),
        "{output}"
    );
    // Where no other thread looks it does not matter.
    let mut trace = store_buffering(None);
    trace.line(1, "cbo_zero 0(a0)             : MemWrite :  A=0x90000");
    verdicts(&trace, "violation consistent consistent", 1);
}

#[test]
fn what_nobody_recorded_may_have_been_written_all_the_same() {
    let mut trace = Trace::default();
    trace.sd(0, X, 1);
    for value in [0, 77, 1] {
        trace.ld(1, X, value);
    }
    let output = verdicts(&trace, "undecided undecided undecided", 3);
    assert!(output.contains("not recorded"), "{output}");
    assert!(!output.contains("thin-air"), "{output}");
}

/// A store that faults is printed, and printed again when it is executed again.
#[test]
fn a_store_that_faulted_is_one_store() {
    let mut trace = Trace::default();
    trace.ld(1, X, 0);
    trace.li(0, "a1", 1);
    trace.sd(0, X, 1);
    let again = trace.text.lines().last().unwrap().to_owned() + "\n";
    trace.text += &again;
    trace.lines += 1;
    trace.ld(1, X, 1);
    trace.plain(0, "fence rw, rw");
    let (_, output) = check(&trace, &["--model", "sc"], 0);
    assert!(output.contains("3 operations"), "{output}");
}

fn arm(trace: &mut Trace, cpu: usize, name: &str, value: u64, address: u64) {
    let class = if name.starts_with("st") {
        "MemWrite"
    } else {
        "MemRead"
    };
    trace.access(cpu, &format!("  {name}   x0, [x1]"), class, value, address);
}

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
    verdicts(
        &arm_store_buffering("str", Some("  dmb   ish"), "ldr"),
        all,
        1,
    );
    verdicts(
        &arm_store_buffering("str", Some("  dmb   ishst"), "ldr"),
        none,
        1,
    );
    verdicts(
        &arm_store_buffering("str", Some("  dmb   ishld"), "ldr"),
        none,
        1,
    );
    verdicts(
        &arm_store_buffering("str", Some("  isb   "), "ldr"),
        none,
        1,
    );
    verdicts(&arm_store_buffering("stlr", None, "ldar"), all, 1);
    verdicts(&arm_store_buffering("stlr", None, "ldapr"), none, 1);
    // gem5 does not print which accesses a barrier orders.
    let unknown = arm_store_buffering("str", Some("  dmb   "), "ldr");
    let output = verdicts(&unknown, "violation undecided undecided", 1);
    assert!(
        output.contains("line 2: the trace does not show"),
        "{output}"
    );
}

#[test]
fn exclusives_of_arm_are_told_by_their_test() {
    let attempt = |is_taken: bool| {
        let mut trace = Trace::default();
        arm(&mut trace, 1, "ldr", 0, X);
        trace.line(
            0,
            "  movz   x1, #5, #0        : IntAlu :  D=0x0000000000000005",
        );
        trace.access(0, "  ldxr   x0, [x2]", "MemRead", 0, X);
        trace.access(0, "  stxr   x1, x9, [x2]", "MemWrite", 0, X);
        trace.plain(0, "  cbnz   w9, 0x10004");
        let pc = if is_taken {
            0x1_0004
        } else {
            0x1_0000 + 4 * trace.lines + 4
        };
        trace.lines += 1;
        trace.text += &format!(
            "   9000: system.cpu0: T0 : {pc:#x} @f0    :   nop                     : No_OpClass : \n"
        );
        arm(&mut trace, 1, "ldr", 5, X);
        trace
    };
    let (_, output) = check(&attempt(false), &["--model", "sc"], 0);
    assert!(output.contains("4 operations"), "{output}");
    // Nothing writes 5: it is the second value that the trace does not explain.
    let (verdicts, output) = check(
        &attempt(true),
        &["--model", "sc", "--addresses", "0x81000-0x81008"],
        3,
    );
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

#[test]
fn the_instruction_set_can_be_given() {
    let folder = Folder::new();
    let file = folder.path("run.trace");
    fs::write(&file, store_buffering(None).text).unwrap();
    let message = error(&["check", "--isa", "arm", &file]);
    assert!(
        message.contains("run.trace:1: found an instruction of RISC-V"),
        "{message}"
    );
    let output = output_of(&["stats", &file], 0);
    assert!(output.contains("isa           riscv"), "{output}");
    let json = output_of(&["check", "--isa", "riscv", "--format", "json", &file], 1);
    assert!(json.contains("\"isa\":\"riscv\""), "{json}");
}

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

/// The same instruction of a CPU again, as a filtered trace shows it when a loop comes around.
fn repeat(trace: &mut Trace, line: usize) {
    let again = trace.text.lines().nth(line - 1).unwrap().to_owned() + "\n";
    trace.text += &again;
    trace.lines += 1;
}

#[test]
fn a_store_that_is_printed_again_may_be_another() {
    let mut trace = Trace::default();
    trace.sd(0, X, 1);
    trace.sd(1, X, 2);
    repeat(&mut trace, 1);
    for value in [1, 2, 1] {
        trace.ld(2, X, value);
    }
    let output = verdicts(&trace, "undecided undecided undecided", 3);
    let expected = "line 3 repeats the store of line 1 at the same place of the program; the trace shows \
                    memory accesses alone";
    assert!(output.contains(expected), "{output}");
    // A thread that shows other instructions, too, is recorded as a whole.
    trace.li(0, "a5", 7);
    verdicts(&trace, "violation violation violation", 1);
}

#[test]
fn what_follows_in_the_same_function_shows_that_a_store_was_performed() {
    let mut trace = Trace::default();
    trace.sd(0, X, 1);
    for _ in 0..5 {
        trace.sd(1, Y, 1);
    }
    trace.plain(0, "fence rw, rw");
    trace.sd(1, X, 2);
    repeat(&mut trace, 1);
    for value in [1, 2, 1] {
        trace.ld(2, X, value);
    }
    verdicts(&trace, "consistent consistent consistent", 0);
}

#[test]
fn a_value_that_shows_up_late_is_not_the_initial_one() {
    let mut trace = Trace::default();
    trace.sd(0, X, 1);
    trace.ld(0, X, 5);
    trace.ld(1, X, 5);
    let output = verdicts(&trace, "undecided undecided undecided", 3);
    assert!(output.contains("not recorded"), "{output}");
}

#[test]
fn load_buffering_rests_on_initial_values() {
    let mut trace = Trace::default();
    for cpu in 0..2 {
        trace.ld(cpu, [Y, X][cpu], [2, 1][cpu]);
        trace.sd(cpu, [X, Y][cpu], [1, 2][cpu]);
    }
    let output = verdicts(&trace, "consistent consistent consistent", 0);
    let expected = "the verdict assumes that 0x81040 held 0x2 at the start, since line 1 reads it before \
                    line 4 writes it";
    assert!(output.contains(expected), "{output}");
    let (verdicts, output) = check(&trace, &["--initial", "zero", "--model", "sc"], 1);
    assert_eq!(verdicts, ["violation sc"], "{output}");
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
    let output = verdicts(
        &store_buffering(Some("fence_foo rw")),
        "violation undecided undecided",
        1,
    );
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
    // A folder's configuration says which it is.
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

/// Message passing, with `between` in both threads.
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
    let file = folder.path("run.trace");
    fs::write(&file, &trace.text).unwrap();
    output_of(
        &[
            "check",
            &file,
            "--model",
            "tso,tso",
            "--certificate",
            &certificates,
        ],
        1,
    );
    let certificate = folder.path("certificates/run.trace.tso.cert");
    output_of(&["verify", &file, &certificate], 0);
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

/// Lines as they are, each of a CPU.
fn lines(lines: &[(usize, &str)]) -> Trace {
    let mut trace = Trace::default();
    for (cpu, line) in lines {
        trace.lines += 1;
        let tick = 500 * trace.lines;
        trace.text += &format!("{tick:7}: system.cpu{cpu}: T0 : {line}\n");
    }
    trace
}

fn verdict(trace: &Trace, arguments: &[&str], expected: &str) -> String {
    let status = match expected {
        "consistent" => 0,
        "violation" => 1,
        _ => 3,
    };
    let (verdicts, output) = check(trace, arguments, status);
    assert!(
        verdicts[0].starts_with(expected),
        "{}\n{output}",
        trace.text
    );
    output
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
        (
            0,
            "MOVNTDQ_M_XMM : cda   DS:[rdi + 0x8] : MemWrite :  D=0x0000000000000000 A=0x81008",
        ),
        (
            0,
            "CLWB_M : clwb   DS:[rdi + 0x8] : MemWrite :  D=0x0000000000000000 A=0x81008",
        ),
        (
            0,
            "WRMSR : st   t2, MS:[8*rcx] : MemWrite :  D=0x0000000000000000 A=0x81008",
        ),
        (
            1,
            "PREFETCH_M : ld   t0b, DS:[rdi] : MemRead :  D=0x00000000000000ff A=0x81008",
        ),
    ] {
        trace.line(cpu, "something");
        trace.micro(cpu, 0, &format!("  {text}"));
    }
    trace.line(1, "mov");
    trace.micro(
        1,
        0,
        "  MOV : ld   rax, DS:[rdi] : MemRead :  D=0x0000000000000007 A=0x81008",
    );
    let output = verdict(&trace, &[], "consistent");
    assert!(output.contains("3 operations"), "{output}");
}

/// Where an interrupt comes right behind the branch, the next line does not tell whether it was taken.
#[test]
fn an_interrupt_hides_the_outcome_of_an_exclusive() {
    let attempt = |next: &str| {
        let next = format!("{next} @f    :   nop : No_OpClass : ");
        lines(&[
            (
                1,
                "0x1fc @f    :   ldr   x1, [x2] : MemRead :  D=0x0000000000000000 A=0x3000",
            ),
            (
                0,
                "0x104 @f    :   add   x1, x3, #1 : IntAlu :  D=0x0000000000000001",
            ),
            (
                0,
                "0x108 @f    :   stxr   x1, x9, [x2] : MemWrite :  D=0x0000000000000000 A=0x3000",
            ),
            (0, "0x10c @f+12    :   cbnz   w9, <f+0> : IntAlu : "),
            (0, &next),
            (
                1,
                "0x204 @f    :   ldr   x1, [x2] : MemRead :  D=0x0000000000000001 A=0x3000",
            ),
            (
                1,
                "0x208 @f    :   ldr   x1, [x2] : MemRead :  D=0x0000000000000000 A=0x3000",
            ),
        ])
    };
    verdict(&attempt("0x110"), &[], "violation");
    verdict(&attempt("0xffff0480"), &[], "undecided");
    // Nothing was stored, so 1 is of a write that was not recorded, and the location not shared.
    let range = ["--addresses", "0x3000-0x3008"];
    verdict(&attempt("0x100"), &range, "undecided");
}

/// A store before an interrupt that the same instruction repeats later may be one store or two.
#[test]
fn a_store_before_an_interrupt_may_be_another_than_the_one_behind() {
    let trace = lines(&[
        (
            0,
            "0xfc @f    : ld a5, 0(a3) : MemRead :  D=0x0000000000000000 A=0x3000",
        ),
        (
            1,
            "0x1fc @f    : ld a5, 0(a3) : MemRead :  D=0x0000000000000000 A=0x3000",
        ),
        (
            0,
            "0x100 @f    : sd a5, 0(a3) : MemWrite :  D=0x0000000000000001 A=0x3000",
        ),
        (
            0,
            "0xff00 @irq    : csrrw sp, sscratch, sp : No_OpClass :  D=0x0000000000000005",
        ),
        (
            1,
            "0x200 @f    : ld a5, 0(a3) : MemRead :  D=0x0000000000000001 A=0x3000",
        ),
        (
            1,
            "0x204 @f    : sd a5, 0(a3) : MemWrite :  D=0x0000000000000002 A=0x3000",
        ),
        (
            0,
            "0xff04 @irq    : ld a5, 0(a3) : MemRead :  D=0x0000000000000002 A=0x3000",
        ),
        (
            0,
            "0x100 @f    : sd a5, 0(a3) : MemWrite :  D=0x0000000000000001 A=0x3000",
        ),
        (
            0,
            "0x104 @f    : ld a5, 0(a3) : MemRead :  D=0x0000000000000001 A=0x3000",
        ),
    ]);
    verdict(&trace, &[], "undecided");
}

/// A full system, with a spin lock that two processes have at one address.
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
    assert!(
        output.contains("2 address spaces are told apart"),
        "{output}"
    );
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
fn a_full_fence_of_riscv_may_be_a_weaker_one() {
    let output = verdicts(
        &store_buffering(Some("fence rw, rw")),
        "violation violation violation",
        1,
    );
    assert!(output.contains("`fence.tso`"), "{output}");
    let output = verdicts(
        &store_buffering(Some("fence iorw, iorw")),
        "violation violation violation",
        1,
    );
    assert!(!output.contains("`fence.tso`"), "{output}");
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
    verdict(&trace, &[], "undecided");
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
    let output = verdict(&trace, &[], "undecided");
    assert!(output.contains("line 2"), "{output}");
}

#[test]
fn vectors_reach_as_far_as_they_may() {
    let vector = |shown: &str| {
        let mut trace = Trace::default();
        trace.line(
            0,
            &format!("vs1r_v v1, (a0) : SimdWholeRegisterStore : {shown} A={X:#x}"),
        );
        let far = X + 0x1f8;
        trace.ld(0, far, 0);
        trace.sd(1, far, 7);
        trace.ld(1, far, 0);
        trace.sd(0, far, 1);
        trace
    };
    verdict(&vector(""), &[], "undecided");
    verdict(&vector(" D=[00000000_00000000]"), &[], "violation");
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

/// What withholds a verdict has no words in axe text.
#[test]
fn axe_text_keeps_no_doubts() {
    let folder = Folder::new();
    let file = folder.path("run.trace");
    let mut trace = store_buffering(None);
    trace.line(
        1,
        &format!("cbo_zero 0(a0)             : MemWrite :  A={X:#x}"),
    );
    fs::write(&file, &trace.text).unwrap();
    let message = error(&["convert", &file, "--to", "axe", "-"]);
    assert!(
        message.contains("line 5 of the trace: `cbo_zero 0(a0)`"),
        "{message}"
    );
    assert!(message.contains("JSON or Parquet"), "{message}");
    let mut trace = Trace::default();
    trace.sd(0, X, 1);
    for value in [0, 77, 1] {
        trace.ld(1, X, value);
    }
    fs::write(&file, &trace.text).unwrap();
    let message = error(&["convert", &file, "--to", "axe", "-"]);
    assert!(message.contains("not in the history"), "{message}");
    output_of(&["convert", &file, "--to", "json", "-"], 0);
}
