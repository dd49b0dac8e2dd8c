//! Lines of each log, whole and damaged. The real tools' own logs are in `fixtures/logs`, which `cli/tests/it/logs.rs` reads.

use std::fs;

use crate::{Error, Options, Trace, read, read_path};

const SPIKE: &str = "\
core   0: 3 0x0000000080000000 (0x4505) x10 0x0000000000000001
core   0: 3 0x0000000080000002 (0x00a5b023) mem 0x0000000080004000 0x0000000000000001
core   0: 3 0x0000000080000006 (0x0330000f)
core   0: 3 0x000000008000000a (0x0005b603) x12 0x0000000000000001 mem 0x0000000080004000
core   1: 3 0x0000000080000000 (0x4505) x10 0x0000000000000001
core   1: 3 0x0000000080000002 (0x00a5b62f) x12 0x0000000000000001 mem 0x0000000080004000 mem 0x0000000080004000 0x0000000000000002
core   1: 3 0x0000000080000006 (0x1005b62f) x12 0x0000000000000002 mem 0x0000000080004000
core   1: 3 0x000000008000000a (0x1aa5b62f) x12 0x0000000000000000 mem 0x0000000080004000 0x0000000000000001
core   1: 3 0x000000008000000e (0x1aa5b62f) x12 0x0000000000000001
core   1: 3 0x0000000080000012 (0x00a59023) mem 0x0000000080004008 0x0001
";

/// As the tracer of August 2026 prints them.
const CVA6: &str = "\
core   0: 0x0000000080000000 (0x00a5b023) DASM(00a5b023)
3 0x0000000080000000 (0x00a5b023) mem 0x0000000080004000 0x0000000000000001
core   0: 0x0000000080000004 (0x00a5b62f) DASM(00a5b62f)
3 0x0000000080000004 (0x00a5b62f) x12 0x0000000000000001 mem 0x0000000080004000 0x0000000000000006
LD_ACCESS_FAULT exception @ 0x0000000080000008 (0x0005b603)
core   0: 0x0000000080000100 (0x0005b603) DASM(0005b603)
3 0x0000000080000100 (0x0005b603) x12 0x0000000000000006 mem 0x0000000080004000
";

const IBEX: &str = "\
Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents
             20\t         5\t00100080\t00a12023\tsw\tx10,0(x2)\t  x2:0x00100400 x10:0x00000001 PA:0x00100400 store:0x00000001
             22\t         6\t00100084\t00a10223\tsb\tx10,4(x2)\t  x2:0x00100400 x10:0x00000102 PA:0x00100404 store:0x??????02
             24\t         8\t00100088\t    4210\tc.lw\tx12,0(x12)\t x12:0x00100400 x12=0x00000001 PA:0x00100400 load:0x00000001
             26\t         9\t0010008a\t0000000f\tfence\t\t
             28\t        11\t0010008e\t00062603\t-->lw\tx12,0(x12)\t x12:0x00000001 x12=0x00000000
";

/// All operations of all addresses, on memory that is 0 at first.
fn everything(lossy: bool) -> Options {
    let addresses = Some(crate::Addresses::Range(0..u64::MAX));
    Options { addresses, lossy, initial: Some(history::Initial::Zero), ..Options::default() }
}

fn operations(trace: &Trace) -> Vec<String> {
    let history = &trace.histories[0];
    let thread = |op| history.operation(op).thread;
    history.ops().map(|op| format!("{}: {}", thread(op), history.describe(op))).collect()
}

fn strict(text: &str, file: &str) -> Result<Vec<String>, Error> {
    read(text.as_bytes(), file, &everything(false)).map(|trace| operations(&trace))
}

#[test]
fn lines_of_spike() {
    let expected = [
        "0: store 0x80004000 := 0x1",
        "0: fence",
        "0: load 0x80004000 == 0x1",
        "1: rmw 0x80004000 == 0x1, := 0x2",
        "1: load-linked 0x80004000 == 0x2",
        "1: store-conditional (release) 0x80004000 := 0x1",
        "1: store 0x80004008 := 0x1",
    ];
    let trace = read(SPIKE.as_bytes(), "log", &everything(false)).unwrap();
    assert_eq!(trace.format.name(), "spike");
    assert_eq!(operations(&trace), expected);
    assert!(trace.histories[0].provenance.not_understood.is_empty());
}

#[test]
fn instructions_that_are_announced_are_executed_or_trap() {
    let announced = "\
core   0: >>>>  main
core   0: 0x80000000 (0x00a5a023) sw      a0, 0(a1)
core   0: 3 0x80000000 (0x00a5a023) mem 0x80004000 0x00000001
core   0: 0x80000004 (0x00000000) c.unimp
core   0: exception trap_illegal_instruction, epc 0x80000004
core   0:           tval 0x00000000
core   0: 0x80000100 (0x0005a603) lw      a2, 0(a1)
core   0: 3 0x80000100 (0x0005a603) x12 0x00000001 mem 0x80004000
";
    let expected = ["0: store 0x80004000 := 0x1", "0: load 0x80004000 == 0x1"];
    assert_eq!(strict(announced, "log").unwrap(), expected);
    for lost in [2, 4, 6, 7] {
        let without: String = announced
            .lines()
            .enumerate()
            .filter(|(at, _)| *at != lost)
            .map(|(_, line)| format!("{line}\n"))
            .collect();
        // The last commit may be missing where the log ends.
        assert_eq!(strict(&without, "log").is_err(), lost != 7, "without line {}", lost + 1);
    }
    let texts = announced.lines().filter(|line| !line.contains(": 3 "));
    let error = strict(&texts.collect::<Vec<_>>().join("\n"), "log").unwrap_err().to_string();
    assert!(error.contains("what its instruction at 0x80000000 did"), "{error}");
    let error = strict("core   0: 0x80000000 (0x00a5a023) sw      a0, 0(a1)\n", "log").unwrap_err();
    assert!(error.to_string().contains("--log-commits"), "{error}");
}

/// The lines of CVA6 for instructions in this order, each behind the one before it.
fn lines_of_cva6(instructions: &[(u32, &str)]) -> String {
    let line = |(at, (word, effects)): (usize, &(u32, &str))| {
        let pc = 0x8000_0000 + 4 * at;
        let effects = if effects.is_empty() { String::new() } else { format!(" {effects}") };
        format!(
            "core   0: 0x{pc:016x} (0x{word:08x}) DASM({word:08x})\n3 0x{pc:016x} (0x{word:08x}){effects}\n"
        )
    };
    instructions.iter().enumerate().map(line).collect()
}

#[test]
fn lines_of_cva6_show_what_atomic_operations_stored() {
    let expected = [
        "1: store 0x80004000 := 0x1",
        "1: rmw 0x80004000 == 0x1, := 0x6",
        "1: load 0x80004000 == 0x6",
    ];
    assert_eq!(strict(CVA6, "trace_rvfi_hart_01.dasm").unwrap(), expected);
    // An interrupt behind another exception, the first exception of a log, and one of releases up to 5.1.
    for trap in [
        "ILLEGAL_INSTR exception @ 0x0000000080000008 (0xfee59be3)",
        " exception @ 0x0000000080000008 (0x4585)",
        "LD_ACCESS_FAULT exception @ 0x0000000080000008",
    ] {
        let text =
            CVA6.replace("LD_ACCESS_FAULT exception @ 0x0000000080000008 (0x0005b603)", trap);
        assert_ne!(text, CVA6);
        assert_eq!(strict(&text, "trace_rvfi_hart_01.dasm").unwrap(), expected);
    }
    // A load-reserved looks like a store of 0, and a store-conditional that failed like one that succeeded.
    let text = lines_of_cva6(&[
        (0x00e4_b72f, "x14 0x0000000000000014 mem 0x0000000080100080 0x0000000000000020"),
        (0x1004_b72f, "x14 0xddbb9977553310f0 mem 0x0000000080100080 0x0000000000000000"),
        (0x18d4_b7af, "x15 0x0000000000000000 mem 0x0000000080100080 0xeeddccbbaa998878"),
        (0x18d4_b7af, "x15 0x0000000000000001 mem 0x0000000080100080 0xeeddccbbaa998879"),
        // `amoor.d zero,a1,(s1)`
        (0x40b4_b02f, "mem 0x0000000080100080 0xffddccbbaa998878"),
        // `sh a1,10(s0)`
        (0x00b4_1523, "mem 0x000000008010004a 0x1122334455667788"),
    ]);
    let expected = [
        "0: rmw 0x80100080 == 0x14, := 0x20",
        "0: load-linked 0x80100080 == 0xddbb9977553310f0",
        "0: store-conditional 0x80100080 := 0xeeddccbbaa998878",
        "0: rmw 0x80100080 == ?, := 0xffddccbbaa998878",
        "0: store 0x8010004a := 0x7788",
    ];
    assert_eq!(strict(&text, "log").unwrap(), expected);
}

/// Releases up to 5.3 show either the register that an atomic operation writes or its access with the operand. No version shows the address of a
/// load into `x0`.
#[test]
fn addresses_that_cva6_does_not_show_are_those_of_registers() {
    let text = lines_of_cva6(&[
        // `auipc s1,0x100`, `li a3,5`
        (0x0010_0497, "x 9 0x0000000080100000"),
        (0x0050_0693, "x13 0x0000000000000005"),
        // `amoadd.d a4,a3,(s1)`, `amoadd.d zero,a3,(s1)`, `lr.d a4,(s1)`, `sc.d a5,a3,(s1)`, `sc.d a5,a3,(s1)`
        (0x00d4_b72f, "x14 0x0000000000000007"),
        (0x00d4_b02f, "mem 0x0000000080100000 0x0000000000000005"),
        (0x1004_b72f, "x14 0x0000000000000011"),
        (0x18d4_b7af, "x15 0x0000000000000000"),
        (0x18d4_b7af, "x15 0x0000000000000001"),
        // `ld zero,8(s1)`, `ld s1,-8(s1)`, `ld s1,8(s1)`
        (0x0084_b003, ""),
        (0xff84_b483, "x 9 0x0000000080100040 mem 0x00000000800ffff8"),
        (0x0084_b483, "x 9 0x0000000000000001 mem 0x0000000080100048"),
    ]);
    let expected = [
        "0: rmw 0x80100000 == 0x7, := 0xc",
        "0: rmw 0x80100000 == ?, := ?",
        "0: load-linked 0x80100000 == 0x11",
        "0: store-conditional 0x80100000 := 0x5",
        "0: load 0x80100008 == ?",
        "0: load 0x800ffff8 == 0x80100040",
        "0: load 0x80100048 == 0x1",
    ];
    assert_eq!(strict(&text, "log").unwrap(), expected);
    // Without the line that shows the register, the address is not known.
    let without = text.replace(" x 9 0x0000000080100000", "");
    let trace = read(without.as_bytes(), "log", &everything(false)).unwrap();
    assert_eq!(trace.histories[0].provenance.not_understood[0].line, 6);
    // Nor behind instructions that are missing.
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let without = [&lines[..2], &lines[4..]].concat().concat();
    let trace = read(without.as_bytes(), "log", &everything(false)).unwrap();
    assert_eq!(trace.histories[0].provenance.not_understood[0].line, 4);
}

#[test]
fn lines_of_ibex() {
    let expected =
        ["3: store 0x100400 := 0x1", "3: store 0x100404 := 0x2", "3: load 0x100400 == 0x1"];
    assert_eq!(strict(IBEX, "trace_core_00000003.log").unwrap(), expected);
}

#[test]
fn harts_of_one_run_are_one_history() {
    let folder = tempfile::tempdir().unwrap();
    let second = IBEX
        .replace("x12=0x00000001", "x12=0x00000007")
        .replace("load:0x00000001", "load:0x00000007");
    fs::write(folder.path().join("trace_core_00000000.log"), IBEX).unwrap();
    fs::write(folder.path().join("trace_core_0000000a.log"), second).unwrap();
    let trace = read_path(folder.path(), &Options::default()).unwrap();
    assert_eq!(operations(&trace).len(), 6);
    assert!(operations(&trace).contains(&"10: load 0x100400 == 0x7".to_owned()));
    assert_eq!(trace.statistics.lines, 12);
    let history = &trace.histories[0];
    let lines: Vec<_> = history.ops().map(|op| history.line(op)).collect();
    assert_eq!(lines, [2, 3, 4, 8, 9, 10].map(Some));
    let notes = history.provenance.notes.join("\n");
    assert!(notes.contains("no log of harts 1, 2, 3, 4, 5, 6, 7, 8, …, so"), "{notes}");
}

/// Two lines for each instruction of Spike's `-l`: a store, a load, a branch that is taken, a store, and a jump to itself.
const ANNOUNCED: [&str; 5] = [
    "core   0: 0x80000000 (0x00a5a023) sw a0, 0(a1)\ncore   0: 3 0x80000000 (0x00a5a023) mem 0x80004000 0x00000001\n",
    "core   0: 0x80000004 (0x0005a603) lw a2, 0(a1)\ncore   0: 3 0x80000004 (0x0005a603) x12 0x00000001 mem 0x80004000\n",
    "core   0: 0x80000008 (0x00000463) beqz zero, pc + 8\ncore   0: 3 0x80000008 (0x00000463)\n",
    "core   0: 0x80000010 (0x00a5a223) sw a0, 4(a1)\ncore   0: 3 0x80000010 (0x00a5a223) mem 0x80004004 0x00000001\n",
    "core   0: 0x80000014 (0x0000006f) j pc + 0x0\ncore   0: 3 0x80000014 (0x0000006f)\ncore   0: 3 0x80000014 (0x0000006f)\n",
];

/// The log with one instruction left out, printed twice, or printed before the one before it.
fn disturbed(at: usize) -> [(&'static str, String); 3] {
    let mut left_out = ANNOUNCED.to_vec();
    left_out.remove(at);
    let mut doubled = ANNOUNCED.to_vec();
    doubled.insert(at, ANNOUNCED[at]);
    let mut swapped = ANNOUNCED.to_vec();
    swapped.swap(at - 1, at);
    [("without", left_out), ("twice", doubled), ("before", swapped)]
        .map(|(what, lines)| (what, lines.concat()))
}

fn notes(text: &str) -> String {
    read(text.as_bytes(), "log", &everything(false)).unwrap().histories[0]
        .provenance
        .notes
        .join("\n")
}

/// Where each trap has a line, an instruction that does not follow the one before it is damage.
#[test]
fn instructions_follow_each_other() {
    let whole = ANNOUNCED.concat();
    assert_eq!(strict(&whole, "log").unwrap().len(), 3);
    assert!(!notes(&whole).contains("does not follow"), "{}", notes(&whole));
    for at in 1..4 {
        for (what, text) in disturbed(at) {
            let error = strict(&text, "log").unwrap_err().to_string();
            assert!(error.contains("found an instruction at 0x8000"), "{what} {at}: {error}");
            assert!(error.contains("or a line with a trap"), "{what} {at}: {error}");
            let kept = read(text.as_bytes(), "log", &everything(true)).unwrap();
            assert!(!kept.histories[0].provenance.not_understood.is_empty(), "{what} {at}");
        }
    }
}

/// Where traps are not shown, the answer says what does not follow. No instruction is executed twice.
#[test]
fn instructions_that_do_not_follow_are_mentioned() {
    let commits = |text: &str| -> String {
        text.split_inclusive('\n').filter(|line| line.contains(": 3 ")).collect()
    };
    assert!(!notes(&commits(&ANNOUNCED.concat())).contains("does not follow"));
    for at in 1..4 {
        for (what, text) in disturbed(at) {
            let text = commits(&text);
            if what == "twice" {
                assert!(strict(&text, "log").is_err(), "{at}");
            } else {
                assert!(
                    notes(&text).contains("does not follow the one before it at"),
                    "{what} {at}"
                );
            }
        }
    }
    let trap = "\
core   0: 3 0x80000000 (0x30529073) c773_mtvec 0x80000101
core   0: 3 0x80000004 (0x00a5a023) mem 0x80004000 0x00000001
core   0: 3 0x8000011c (0x0005a603) x12 0x00000001 mem 0x80004000
";
    assert!(!notes(trap).contains("does not follow"));
    let said = notes(&trap.replace("c773_mtvec 0x80000101", ""));
    let expected = "The instruction at 0x8000011c (line 3) does not follow the one before it at 0x80000004 (line 2): there was a trap";
    assert!(said.contains(expected), "{said}");
    // A step of an instruction of Ibex is at the address of the step before.
    let fence = IBEX.lines().find(|line| line.contains("fence")).unwrap();
    let twice = IBEX.replace(fence, &format!("{fence}\n{fence}"));
    assert!(strict(&twice, "log").unwrap_err().to_string().contains("log:6: "));
    assert!(strict(&twice.replace("fence\t\t", "fence\t\texpand_insn: 0"), "log").is_ok());
}

/// The old value follows from the new one and the operand, whose register the log has shown.
#[test]
fn what_an_atomic_operation_returns_to_the_zero_register() {
    let read = |word: &str, stored: &str| {
        let text = format!(
            "core   0: 3 0x80000000 (0x4505) x10 0x00000003\n\
             core   0: 3 0x80000002 ({word}) mem 0x80004000 mem 0x80004000 {stored}\n"
        );
        strict(&text, "log").unwrap().remove(0)
    };
    assert_eq!(read("0x00a5a02f", "0x00000008"), "0: rmw 0x80004000 == 0x5, := 0x8");
    assert_eq!(read("0x00a5a02f", "0x00000001"), "0: rmw 0x80004000 == 0xfffffffe, := 0x1");
    assert_eq!(read("0x20a5a02f", "0x00000006"), "0: rmw 0x80004000 == 0x5, := 0x6");
    // `amoswap` and `amoor` forget it.
    assert_eq!(read("0x08a5a02f", "0x00000003"), "0: rmw 0x80004000 == ?, := 0x3");
    assert_eq!(read("0x40a5a02f", "0x00000007"), "0: rmw 0x80004000 == ?, := 0x7");
}

/// A file that is cut off anywhere is read up to there, or refused at its last line. Nothing that it shows changes.
#[test]
fn logs_that_are_cut_off() {
    for (text, file) in [(SPIKE, "log"), (CVA6, "log"), (IBEX, "log")] {
        let whole = strict(text, file).unwrap();
        for end in 60..text.len() {
            let options = everything(false);
            let part = match read(&text.as_bytes()[..end], file, &options) {
                Ok(trace) => operations(&trace),
                Err(Error::Syntax { line, .. }) => {
                    let lines = text[..end].lines().count() as u64;
                    assert!(line >= lines.saturating_sub(1), "{file} up to {end}: line {line}");
                    continue;
                }
                Err(Error::NothingSelected { .. } | Error::Unknown { .. }) => continue,
                Err(error) => panic!("{file} up to {end}: {error}"),
            };
            // Values of harts that the rest of the log would show are not known yet.
            assert!(part.len() <= whole.len(), "{file} up to {end}: {part:?}");
            assert!(part.iter().all(|it| whole.contains(it)), "{file} up to {end}: {part:?}");
        }
    }
}

#[test]
fn damaged_lines_are_errors_or_leave_a_gap() {
    for (from, to, at) in [
        ("(0x00a5b023) mem", "(0x00a5b023) mom", 2),
        (
            "(0x00a5b023) mem 0x0000000080004000 0x0000000000000001",
            "(0x00a5b023) mem 0x0000000080004000",
            2,
        ),
        ("(0x0005b603) x12 0x0000000000000001 mem", "(0x0005b603) x12 0x0000000000000001 # mem", 4),
        ("mem 0x0000000080004008 0x0001", "mem 0x0000000080004008 0x00", 10),
        (
            "(0x4505) x10 0x0000000000000001\ncore   1",
            "(0x4505) x10 0x00000000000~0001\ncore   1",
            5,
        ),
        ("core   1: 3 0x0000000080000006", "core   1: 3 0x000000008000000", 7),
        ("core   0: 3 0x0000000080000006 (0x0330000f)", "Hello from the program", 3),
    ] {
        let text = SPIKE.replace(from, to);
        let text = if at == 5 {
            SPIKE.replacen(
                "core   1: 3 0x0000000080000000 (0x4505) x10 0x0000000000000001",
                "core   1: 3 0x0000000080000000 (0x4505) x10 0x00000000000~0001",
                1,
            )
        } else {
            text
        };
        match read(text.as_bytes(), "log", &everything(false)) {
            Err(Error::Syntax { line, .. }) => assert_eq!(line, at, "{to}"),
            other => panic!("{to}: {other:?}"),
        }
        let trace = read(text.as_bytes(), "log", &everything(true)).unwrap();
        let provenance = &trace.histories[0].provenance;
        assert_eq!(provenance.not_understood[0].line, at, "{to}");
        assert_eq!(trace.statistics.skipped, 1, "{to}");
    }
}

#[test]
fn two_runs_are_not_one() {
    let begin = "core   0: 3 0x0000000000001000 (0x00000297) x5  0x0000000000001000\n";
    let text = [begin, SPIKE, begin, SPIKE].concat();
    let error = strict(&text, "log").unwrap_err().to_string();
    assert!(error.contains("log:12: found hart 0 at 0x1000 again"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    for name in ["trace_core_00000001.log", "trace_core_1.log"] {
        fs::write(folder.path().join(name), IBEX).unwrap();
    }
    let error = read_path(folder.path(), &Options::default()).unwrap_err().to_string();
    assert!(error.contains("are both of one hart"), "{error}");
}

/// An atomic operation loads and stores, so a line without one of the two is cut.
#[test]
fn an_atomic_operation_without_its_store_is_cut() {
    let store = " mem 0x0000000080004000 0x0000000000000002";
    for cut in [store.to_owned(), format!(" mem 0x0000000080004000{store}")] {
        let error = strict(&SPIKE.replace(&cut, ""), "log").unwrap_err().to_string();
        assert!(error.contains("log:6:"), "{error}");
    }
}

#[test]
fn options_that_these_logs_do_not_have_are_refused() {
    let ruby = Options { source: Some(history::Source::Ruby), ..Options::default() };
    assert!(read(SPIKE.as_bytes(), "log", &ruby).unwrap_err().to_string().contains("Spike"));
    let arm = Options { isa: Some(history::Isa::Arm), ..Options::default() };
    assert!(read(SPIKE.as_bytes(), "log", &arm).unwrap_err().to_string().contains("RISC-V"));
}
