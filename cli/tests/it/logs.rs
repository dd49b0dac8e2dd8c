//! Logs of instructions that real tools printed, and what is said of them.

use std::fs;
use std::io::Read;

use flate2::read::GzDecoder;

use crate::common::{Folder, error, output, output_of, rubric};

const SPIKE: &str = "fixtures/logs/spike.log.gz";
const IBEX: &str = "fixtures/logs/ibex";
const CVA6: &str = "fixtures/logs/cva6";

fn text(path: &str) -> String {
    let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// Without the lines that announce instructions, the log shows the same operations.
#[test]
fn spike_is_sc() {
    let folder = Folder::new();
    let whole = text(SPIKE);
    let commits = whole.lines().filter(|line| line.contains(": 3 0x"));
    let commits = folder.file("commits.log", commits.collect::<Vec<_>>().join("\n"));
    for log in [SPIKE, &commits] {
        let said = output(&["check", log, "--model", "sc,tso,rvwmo"]);
        assert_eq!(said.matches("(4 threads, 2011 operations").count(), 3, "{said}");
        assert_eq!(said.matches("consistent ").count(), 3, "{said}");
        assert!(said.contains("Spike executes harts in turns"), "{said}");
    }
    // The counter under `lr.w` and `sc.w`: hart 1 increments a value that hart 0 has incremented before.
    let wrong =
        whole.replace("(0x1407262f) x12 0x0000000000000003", "(0x1407262f) x12 0x0000000000000001");
    assert_ne!(wrong, whole);
    let wrong = folder.file("wrong.log", wrong);
    let said = output_of(&["check", &wrong], 1);
    assert!(said.contains("violation  rvwmo"), "{said}");
}

/// The store buffers of the testbench are not emptied by fences.
#[test]
fn stores_that_fences_do_not_wait_for() {
    let folder = Folder::new();
    let said = output_of(&["check", IBEX, "--certificate", &folder.path("proofs")], 1);
    let certificate = folder.path("proofs/ibex.rvwmo.cert");
    assert!(said.contains("violation  rvwmo"), "{said}");
    assert!(said.contains("a fence between them orders them"), "{said}");
    assert!(output(&["verify", IBEX, &certificate]).contains("violates RVWMO"));
    // One hart alone shares nothing.
    let alone = output_of(&["check", &format!("{IBEX}/trace_core_00000001.log.gz")], 3);
    assert!(alone.contains("give the folder that has the logs of all harts"), "{alone}");
    let history = folder.path("ibex.jsonl");
    output(&["convert", IBEX, "-o", &history]);
    assert!(output_of(&["check", &history], 1).contains("violation  rvwmo"));
}

/// Two CVA6 cores whose write buffers pass stores on out of order, with variables that are not cached.
#[test]
fn cva6_is_weaker_than_tso() {
    let folder = Folder::new();
    let models = ["check", CVA6, "--addresses", "auto", "--model", "sc,tso,rvwmo"];
    let said = output_of(&models, 1);
    assert_eq!(said.matches("(2 threads, 86 operations").count(), 3, "{said}");
    for verdict in ["violation  sc", "violation  tso", "consistent rvwmo"] {
        assert!(said.contains(verdict), "{said}");
    }
    // A load that returns what its own thread has overwritten.
    let logs = ["trace_rvfi_hart_00.dasm", "trace_rvfi_hart_01.dasm"];
    for (log, has_changed) in logs.iter().zip([true, false]) {
        let whole = text(&format!("{CVA6}/{log}.gz"));
        let loaded = "x16 0x000000020000000a mem 0x0000000080100100";
        let changed = whole.replace(loaded, &loaded.replace("20000000a", "100000008"));
        assert_eq!(changed != whole, has_changed);
        folder.file(log, changed);
    }
    let said = output_of(&["check", &folder.path(""), "--addresses", "auto"], 1);
    assert!(said.contains("violation  rvwmo"), "{said}");
}

/// Two CVA6 cores, each with a cache of its own and nothing that keeps the caches coherent.
#[test]
fn caches_of_cva6_that_are_not_coherent() {
    let folder = Folder::new();
    let log = "fixtures/logs/cva6-incoherent";
    let said = output_of(
        &["check", log, "--addresses", "auto", "--certificate", &folder.path("proofs")],
        1,
    );
    assert!(said.contains("violation  rvwmo"), "{said}");
    let certificate = folder.path("proofs/cva6-incoherent.rvwmo.cert");
    let said = output(&["verify", log, &certificate, "--addresses", "auto"]);
    assert!(said.contains("violates RVWMO"), "{said}");
}

/// Atomic operations, accesses of all sizes, loads into `x0`, exceptions, and an interrupt that CVA6 prints under an exception's name.
#[test]
fn a_hart_of_cva6_with_traps() {
    let log = "fixtures/logs/cva6-traps";
    let lines = text(&format!("{log}/trace_rvfi_hart_00.dasm.gz"));
    assert!(lines.contains("ILLEGAL_INSTR exception @ 0x0000000080000148 (0x10500073)"));
    let said = output(&["check", log, "--addresses", "0x80100040-0x80100140"]);
    assert!(said.starts_with("consistent rvwmo"), "{said}");
    assert!(!said.contains("does not follow"), "{said}");
    // The load behind an atomic operation returns what an earlier one stored.
    let wrong = lines.replace("x14 0xeeddccbcaa9988db", "x14 0x0000000000000014");
    assert_ne!(wrong, lines);
    let folder = Folder::new();
    let wrong = folder.file("trace_rvfi_hart_00.dasm", wrong);
    let said = output_of(&["check", &wrong, "--addresses", "0x80100040-0x80100140"], 1);
    assert!(said.contains("violation  rvwmo"), "{said}");
}

#[test]
fn a_line_of_something_else_is_an_error_with_its_number() {
    let folder = Folder::new();
    let mut lines: Vec<String> = text(SPIKE).lines().map(str::to_owned).collect();
    lines.insert(100, "Hello from the program".to_owned());
    let log = folder.file("mixed.log", lines.join("\n"));
    let said = error(&["check", &log]);
    assert!(said.contains("mixed.log:101: found `Hello from the program`"), "{said}");
    assert!(said.contains("--lossy"), "{said}");
    assert!(output_of(&["check", &log, "--lossy"], 3).contains("undecided"));
}

/// Atomic operations on other addresses order those that are selected, but are none of them.
#[test]
fn what_is_not_selected_is_not_listed() {
    let location = ["explain", SPIKE, "--addresses", "0x80002098-0x800020a0"];
    let said = output(&location);
    let others =
        |line: &&str| line.contains("  load") || line.contains("rmw") || line.contains("store");
    let accesses: Vec<&str> = said.lines().filter(others).collect();
    assert!(accesses.iter().all(|line| line.contains(" 0x8000209")), "{said}");
    assert!(accesses.iter().any(|line| line.contains("store 0x80002098 := 0x1")), "{said}");
    assert!(!said.contains("0x80002090") && !said.contains("0x80002094"), "{said}");
    assert!(
        said.contains("steps of accesses are not listed: the addresses are not selected"),
        "{said}"
    );
}

/// The variables that a program announces are the ones to check: the others include locks and what libraries write.
#[test]
fn announced_variables_are_suggested() {
    for isa in ["arm", "riscv"] {
        let log = format!("fixtures/logs/qemu-{isa}-4x40.log.gz");
        let suggestion = "announces its shared variables: --addresses auto checks those alone";
        let said = rubric(&["check", &log]).output().unwrap().stdout;
        let said = String::from_utf8(said).unwrap();
        assert!(said.contains(suggestion), "{said}");
        assert!(!output(&["check", &log, "--addresses", "auto"]).contains(suggestion));
    }
    assert!(!output(&["check", SPIKE]).contains("--addresses auto"));
}

/// Lines that were deleted from a log that does not show traps are mentioned in the answer.
#[test]
fn lines_that_do_not_follow_each_other_are_mentioned() {
    let folder = Folder::new();
    let whole = text(SPIKE);
    let mut commits: Vec<&str> = whole.lines().filter(|line| line.contains(": 3 0x")).collect();
    // A load, behind which nothing depends on it.
    let at = commits.iter().rposition(|line| line.contains("mem 0x00000000800020a0")).unwrap();
    let deleted = commits.remove(at);
    let log = folder.file("commits.log", commits.join("\n") + "\n");
    let said = output(&["check", &log]);
    assert!(said.contains(&format!("(line {})", at + 1)), "{deleted}: {said}");
    assert!(said.contains("does not follow the one before it at"), "{said}");
    // Where traps are shown, too, the log is refused.
    let lines: Vec<&str> = whole.lines().collect();
    let at = lines.iter().position(|line| *line == deleted).unwrap();
    let log =
        folder.file("cut.log", [&lines[..at - 1], &lines[at + 1..]].concat().join("\n") + "\n");
    let said = error(&["check", &log]);
    assert!(said.contains(&format!("cut.log:{}: found an instruction at", at + 1)), "{said}");
}

/// What QEMU's execlog printed for programs of `rubric generate c`. The operations are those of the threads, with two for an exclusive pair, the
/// loads of the final values, and what orders those.
#[test]
fn programs_in_qemu_keep_their_model() {
    for (isa, model, threads, operations) in [
        ("arm", "armv8", 2, 93),
        ("arm", "armv8", 4, 185),
        ("riscv", "rvwmo", 2, 93),
        ("riscv", "rvwmo", 4, 184),
    ] {
        let log = format!("fixtures/logs/qemu-{isa}-{threads}x40.log.gz");
        let said = output(&["check", &log, "--addresses", "auto"]);
        let expected =
            format!("consistent {model} {log}  ({threads} threads, {operations} operations");
        assert!(said.starts_with(&expected), "{said}");
    }
    let said = error(&["check", "fixtures/logs/qemu-7.2-arm-2x40.log.gz"]);
    assert!(said.contains("shows no registers") && said.contains("QEMU 9"), "{said}");
}

/// A value that was overwritten before, by a store that a fence precedes, and damage.
#[test]
fn a_log_of_execlog_that_was_changed() {
    let folder = Folder::new();
    let log = folder.file("mp.log", message(1));
    let said = output(&["check", &log]);
    assert!(said.starts_with("consistent rvwmo"), "{said}");
    let log = folder.file("mp.log", message(0));
    let said = output_of(&["check", &log], 1);
    assert!(said.starts_with("violation  rvwmo"), "{said}");
    // Whatever is cut out of the log, it is refused, and nothing is called consistent.
    let cut = message(1).replacen("load, 0x00020000", "load, 0x00", 1);
    let log = folder.file("mp.log", &cut);
    assert!(error(&["check", &log]).contains("mp.log:10: found"), "{cut}");
    output_of(&["check", &log, "--lossy"], 3);
}

/// A message: one thread writes 1 to a variable and then to a flag, and the other finds the flag set and `value` in the variable.
fn message(value: u32) -> String {
    format!(
        "0, 0x1000, 0x4585, \"c.li a1,1\", a1 -> 0x0000000000000001
0, 0x1002, 0xc10c, \"c.sw a1,0(a0)\", store, 0x00020000
0, 0x1004, 0x330000f, \"fence rw,rw\"
0, 0x1008, 0xc20c, \"c.sw a1,0(a2)\", store, 0x00020040
0, 0x100a, 0x1, \"c.nop\"
1, 0x2000, 0x56fd, \"c.li a3,-1\", a3 -> 0xffffffffffffffff
1, 0x2002, 0x577d, \"c.li a4,-1\", a4 -> 0xffffffffffffffff
1, 0x2004, 0x4214, \"c.lw a3,0(a2)\", load, 0x00020040, a3 -> 0x0000000000000001
1, 0x2006, 0x330000f, \"fence rw,rw\"
1, 0x200a, 0x4118, \"c.lw a4,0(a0)\", load, 0x00020000, a4 -> 0x000000000000000{value}
1, 0x200c, 0x1, \"c.nop\"
"
    )
}

/// What gem5's TarmacTracer printed for two CPUs, and for one that makes accesses of all kinds. It prints store-exclusives, failed or not, as
/// stores of 0.
#[test]
fn gem5_keeps_armv8() {
    let log = "fixtures/logs/gem5-arm-2x40.tarmac.gz";
    let said = output(&["check", log, "--addresses", "auto", "--model", "sc,armv8"]);
    assert_eq!(said.matches("(2 threads, 96 operations").count(), 2, "{said}");
    for model in ["consistent sc ", "consistent armv8 "] {
        assert!(said.contains(model), "{said}");
    }
    let log = "fixtures/logs/gem5-arm-accesses.tarmac.gz";
    let said = output(&["check", log, "--addresses", "0x410200-0x410400"]);
    assert!(said.starts_with("consistent armv8"), "{said}");
    assert!(said.contains("(1 thread, 63 operations"), "{said}");
    // A load behind a compare-and-swap that failed, which returns what an earlier operation stored.
    let whole = text(log);
    let place = "MR8 00410280:000000410280";
    let wrong =
        whole.replace(&format!("{place} 000000000000000f"), &format!("{place} 0000000000000005"));
    assert_ne!(wrong, whole);
    let folder = Folder::new();
    let wrong = folder.file("wrong.tarmac", wrong);
    let said = output_of(&["check", &wrong, "--addresses", "0x410200-0x410400"], 1);
    assert!(said.contains("violation  armv8"), "{said}");
}

/// Tarmac text in which two CPUs both take a lock that a store-exclusive protects.
#[test]
fn exclusives_in_tarmac_are_atomic() {
    let folder = Folder::new();
    let text = |status: u32| {
        let mut text = String::new();
        for (time, cpu, status) in [(10, 0, 0), (20, 1, status)] {
            let line = |at: u32, what: &str| format!("{} ps cpu{cpu} {what}\n", time + at);
            text += &line(0, &format!("R X1 000000000000000{}", cpu + 1));
            text += &line(1, "IT (1) 00001000:000000001000 c85ffc09 O EL0t_ns : LDAXR x9,[x0]");
            text += &line(1, "MR8 00020000:000000020000 0000000000000000");
            text += &line(1, "R X9 0000000000000000");
            text += &line(2, "IT (2) 00001004:000000001004 c80afc01 O EL0t_ns : STLXR w10,x1,[x0]");
            if status == 0 {
                text += &line(2, &format!("MW8 00020000:000000020000 000000000000000{}", cpu + 1));
            }
            text += &line(2, &format!("R X10 000000000000000{status}"));
        }
        text
    };
    let log = folder.file("lock.tarmac", text(1));
    let said = output(&["check", &log]);
    assert!(said.starts_with("consistent armv8"), "{said}");
    let log = folder.file("lock.tarmac", text(0));
    let said = output_of(&["check", &log], 1);
    assert!(said.starts_with("violation  armv8"), "{said}");
}
