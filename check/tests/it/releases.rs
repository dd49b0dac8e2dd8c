//! Verdicts on traces with what gem5 prints since v24.0.0.1: message passing with a software prefetch in between, and across a change of CPUs.

use std::fmt::Write as _;

use check::{Model, Options, Verdict, check};
use history::{Ambiguity, ReadsFrom};

fn is_consistent(text: &str, lossy: bool) -> bool {
    let options = ingest::Options { lossy, ..ingest::Options::default() };
    let trace = ingest::read(text.as_bytes(), "t", &options).unwrap();
    let history = &trace.histories[0];
    let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).unwrap();
    match check(history, &reads_from, Model::SC, &Options::default()).verdict {
        Verdict::Consistent(_) => true,
        Verdict::Violation(_) => false,
        other => panic!("{other:?}\n{text}"),
    }
}

/// The lines of a request of thread 0 or 1 at its tick, and of its completion with this value; a prefetch has none.
fn lines(text: &mut String, tick: u64, thread: u32, command: &str, address: u64, value: u64) {
    let sequencer = format!("board.cache_hierarchy.ruby_system.l1_controllers{thread}.sequencer");
    let port = format!("{sequencer}.response_ports1");
    let data = if command == "WriteReq" { "set" } else { "read" };
    let block = format!("[ {value:#x} {}]", "0x0 ".repeat(15));
    let raw = |tick: u64, event: &str, rest: &str| {
        format!(
            "{tick:15} {thread:3} {:>10}{event:>20} {:>6}>{:<6} [{address:#x}, line {address:#x}] {rest}",
            "Seq", "", ""
        )
    };
    writeln!(text, "{tick:7}: {port}: Timing request for address {address:#x} on port 1").unwrap();
    writeln!(text, "{}", raw(tick, "Begin", "LD")).unwrap();
    writeln!(text, "{tick:7}: {port}: Request {command} {address:#x} issued").unwrap();
    let tick = tick + 5;
    writeln!(text, "{}", raw(tick, "Done", "5 cycles")).unwrap();
    if command != "SoftPFReq" {
        writeln!(text, "{tick:7}: {sequencer}: {data} data {block}").unwrap();
        writeln!(text, "{tick:7}: {sequencer}: Hit callback for {command} {address:#x}").unwrap();
    }
}

#[test]
fn a_prefetch_hides_no_violation_and_makes_none() {
    for (last, expected) in [(0, false), (1, true)] {
        let mut text = String::new();
        lines(&mut text, 10, 1, "SoftPFReq", 0x1000, 0);
        lines(&mut text, 20, 0, "WriteReq", 0x1000, 1);
        lines(&mut text, 30, 0, "WriteReq", 0x2000, 2);
        lines(&mut text, 40, 1, "ReadReq", 0x2000, 2);
        lines(&mut text, 50, 1, "ReadReq", 0x1000, last);
        for lossy in [false, true] {
            assert_eq!(is_consistent(&text, lossy), expected, "{text}");
        }
    }
}

#[test]
fn a_violation_across_a_change_of_cpus_is_one() {
    let access = |tick: u64, cpu: &str, pc: u64, what: &str, address: u64, value: u64| {
        format!(
            "{tick:7}: {cpu}: T0 : {pc:#x} @main+{pc} : {what} :  D={value:#018x} A={address:#x}\n"
        )
    };
    let (store, load) = ("sd a0, 0(a1) : MemWrite", "ld a0, 0(a1) : MemRead");
    let names = [
        [
            "board.processor.start0.core",
            "board.processor.switch0.core",
            "board.processor.start1.core",
            "board.processor.switch1.core",
        ],
        ["system.cpu0", "system.switch_cpus0", "system.cpu1", "system.switch_cpus1"],
    ];
    for [start0, switch0, start1, switch1] in names {
        let run = |last| {
            [
                access(1000, start0, 0x110, store, 0x8000_1000, 1),
                access(2000, switch0, 0x114, store, 0x8000_2000, 2),
                access(3000, start1, 0x210, load, 0x8000_2000, 2),
                access(4000, switch1, 0x214, load, 0x8000_1000, last),
            ]
            .concat()
        };
        assert!(!is_consistent(&run(0), false) && is_consistent(&run(1), false), "{start0}");
    }
}
