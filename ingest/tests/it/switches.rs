//! CPUs that take turns on one hardware thread.

use std::fmt::Write as _;
use std::fs;

use ingest::{Options, Trace};

use crate::common::{self, operations};

/// Writes lines of RISC-V CPUs, one instruction a tick.
#[derive(Default)]
struct Run {
    text: String,
    tick: u64,
}

impl Run {
    fn line(&mut self, cpu: &str, thread: u32, pc: u64, instruction: &str) -> &mut Self {
        self.tick += 500;
        self.at_same_tick(cpu, thread, pc, instruction)
    }

    fn at_same_tick(&mut self, cpu: &str, thread: u32, pc: u64, instruction: &str) -> &mut Self {
        let tick = self.tick;
        writeln!(self.text, "{tick:7}: {cpu}: T{thread} : {pc:#x} @f+{pc} : {instruction}")
            .unwrap();
        self
    }

    fn store(&mut self, cpu: &str, pc: u64, address: u64, value: u64) -> &mut Self {
        self.line(cpu, 0, pc, &store(address, value))
    }

    fn load(&mut self, cpu: &str, pc: u64, address: u64, value: u64) -> &mut Self {
        self.line(cpu, 0, pc, &load(address, value))
    }

    fn read(&self) -> Trace {
        common::read(&self.text, &Options::default())
            .unwrap_or_else(|it| panic!("{it}\n{}", self.text))
    }

    /// Reads the run as gem5's output folder, with these CPUs in its `config.json`: path, number, and whether it begins switched out.
    fn read_with(&self, cpus: &[(&str, i64, bool)]) -> Trace {
        let cpus = cpus.iter().enumerate().map(|(at, (path, number, out))| {
            format!(
                r#""c{at}": [{{"type": "BaseTimingSimpleCPU", "path": "{path}", "cpu_id": {number}, "switched_out": {out}, "system": "board"}}]"#
            )
        });
        let config = format!(r#"{{"board": {{{}}}}}"#, cpus.collect::<Vec<_>>().join(", "));
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config.json"), config).unwrap();
        fs::write(folder.path().join("exec.trace"), &self.text).unwrap();
        ingest::read_path(folder.path(), &Options::default()).unwrap()
    }
}

fn store(address: u64, value: u64) -> String {
    format!(
        "sd a0, 0(a1) : MemWrite :  D={value:#018x} A={address:#x}  flags=(IsInteger|IsMemRef|IsStore)"
    )
}

fn load(address: u64, value: u64) -> String {
    format!(
        "ld a0, 0(a1) : MemRead :  D={value:#018x} A={address:#x}  flags=(IsInteger|IsMemRef|IsLoad)"
    )
}

const X: u64 = 0x8000_1000;
const Y: u64 = 0x8000_2000;

/// Message passing: the first thread changes from `first.0` to `first.1` between its stores, the second between its loads.
fn message_passing(first: (&str, &str), second: (&str, &str)) -> Run {
    let mut run = Run::default();
    run.store(first.0, 0x110, X, 1).store(first.1, 0x114, Y, 2);
    run.load(second.0, 0x210, Y, 2).load(second.1, 0x214, X, 0);
    run
}

const PASSED: [&str; 4] = [
    "0: store 0x80001000 := 0x1",
    "0: store 0x80002000 := 0x2",
    "1: load 0x80002000 == 0x2",
    "1: load 0x80001000 == 0x0",
];

fn says(trace: &Trace, words: &str) -> bool {
    trace.histories[0].provenance.notes.iter().any(|note| note.contains(words))
}

const START: [&str; 2] = ["board.processor.start0.core", "board.processor.start1.core"];
const SWITCH: [&str; 2] = ["board.processor.switch0.core", "board.processor.switch1.core"];

#[test]
fn names_of_cpus_that_take_turns() {
    let standard = message_passing((START[0], SWITCH[0]), (START[1], SWITCH[1]));
    let classic = message_passing(
        ("system.cpu0", "system.switch_cpus0"),
        ("system.switch_cpus1", "system.switch_cpus_11"),
    );
    for run in [standard, classic] {
        let trace = run.read();
        assert_eq!(operations(&trace), PASSED);
        assert!(says(
            &trace,
            "are one hardware thread, which changed CPUs (and so are those of 1 more"
        ));
        assert!(!says(&trace, "numbered anew"));
    }
}

#[test]
fn the_configuration_says_which_cpus_take_turns() {
    let all =
        [(START[0], 0, false), (SWITCH[0], 0, true), (START[1], 1, false), (SWITCH[1], 1, true)];
    let run = message_passing((START[0], SWITCH[0]), (START[1], SWITCH[1]));
    let trace = run.read_with(&all);
    assert_eq!(operations(&trace), PASSED);
    assert!(says(&trace, "as config.json says"));
    // Three kinds of cores, with names that only the configuration explains.
    let names = ["boot0", "warm0", "o30"].map(|name| format!("board.processor.{name}.core"));
    let [boot, warm, detailed] = names.each_ref().map(String::as_str);
    let mut run = Run::default();
    run.store(boot, 0x110, X, 1).store(warm, 0x114, Y, 2).store(detailed, 0x118, X, 3);
    run.load(START[1], 0x210, Y, 2).load(START[1], 0x214, X, 1);
    let cpus = [(boot, 0, false), (warm, 0, true), (detailed, 0, true), (START[1], 1, false)];
    let threads = |trace: &Trace| trace.histories[0].threads().len();
    assert_eq!(threads(&run.read_with(&cpus)), 2);
    let apart = run.read();
    assert_eq!(threads(&apart), 4);
    assert!(
        says(
            &apart,
            "threads of their own: board.processor.boot0.core is thread 0, board.processor.warm0.core is thread"
        ),
        "{:?}",
        apart.histories[0].provenance.notes
    );
    assert!(says(&apart, "config.json, in the folder of the trace, would show if they take turns"));
}

#[test]
fn cpus_change_back_and_forth() {
    let [start, switch] = [START[0], SWITCH[0]];
    let mut run = Run::default();
    let mut expected = Vec::new();
    for at in 0..40 {
        // Each stay has some instructions, of which not all are accesses.
        let cpu = if at / 5 % 2 == 0 { start } else { switch };
        let value = at + 1;
        run.store(cpu, 0x110 + 4 * at, X, value);
        expected.push(format!("0: store 0x80001000 := {value:#x}"));
    }
    run.load(START[1], 0x210, X, 40);
    expected.push("1: load 0x80001000 == 0x28".to_owned());
    let trace = run.read();
    assert_eq!(operations(&trace), expected);
    assert!(says(&trace, "(7 changes in all)"));
}

#[test]
fn cpus_that_run_at_once_are_threads_of_their_own() {
    let [start, switch] = [START[0], SWITCH[0]];
    let run_of = |pc: u64| {
        let mut run = Run::default();
        run.store(start, 0x110, X, 1).load(switch, pc, Y, 0);
        run.store(start, 0x114, Y, 2).load(switch, pc + 4, X, 1);
        run
    };
    let expected = [
        "0: store 0x80001000 := 0x1",
        "0: store 0x80002000 := 0x2",
        "1: load 0x80002000 == 0x0",
        "1: load 0x80001000 == 0x1",
    ];
    // They execute other code, or the same code in step.
    for pc in [0x4210, 0x110] {
        let trace = run_of(pc).read();
        assert_eq!(operations(&trace), expected, "{pc:#x}");
        assert!(says(&trace, "run at once, so each is a thread of its own"));
        assert!(!says(&trace, "one hardware thread"));
    }
    // Within one tick, no CPU is drained twice.
    let mut run = Run::default();
    run.store(start, 0x110, X, 1).at_same_tick(switch, 0, 0x210, &load(Y, 0));
    run.at_same_tick(start, 0, 0x310, &store(Y, 2)).at_same_tick(switch, 0, 0x410, &load(X, 1));
    assert_eq!(operations(&run.read()), expected);
    // The configuration may say so.
    let run = message_passing((start, switch), (START[1], SWITCH[1]));
    let both = [(start, 0, false), (switch, 0, false), (START[1], 1, false), (SWITCH[1], 1, false)];
    assert_eq!(run.read_with(&both).histories[0].threads().len(), 4);
}

#[test]
fn hardware_threads_of_one_core_stay_apart() {
    let [start, switch] = [START[0], SWITCH[0]];
    let mut run = Run::default();
    run.line(start, 0, 0x110, &store(X, 1)).line(start, 1, 0x210, &load(X, 1));
    run.line(switch, 1, 0x214, &load(Y, 0)).line(switch, 0, 0x114, &store(Y, 2));
    let trace = run.read();
    let expected = [
        "0: store 0x80001000 := 0x1",
        "0: store 0x80002000 := 0x2",
        "10000: load 0x80001000 == 0x1",
        "10000: load 0x80002000 == 0x0",
    ];
    assert_eq!(operations(&trace), expected);
}

/// A register that was loaded on one CPU is the address of an access on the other.
#[test]
fn dependencies_go_on_across_a_change() {
    let mut run = Run::default();
    run.store(START[1], 0x310, X, 1).store(START[1], 0x314, Y, X);
    let pointer = format!("ld a3, 0(a1) : MemRead :  D={X:#018x} A={Y:#x}");
    let through = format!("ld a2, 0(a3) : MemRead :  D=0x0000000000000000 A={X:#x}");
    run.line(START[0], 0, 0x110, &pointer).line(SWITCH[0], 0, 0x114, &through);
    let trace = run.read();
    let history = &trace.histories[0];
    assert_eq!(history.threads().len(), 2);
    assert_eq!(history.all_dependencies().len(), 1);
}
