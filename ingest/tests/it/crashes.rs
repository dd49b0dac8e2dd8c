//! Traces of runs that gem5 aborted, with its messages between the lines.

use crate::common::{Script, compressed, operations};
use history::CrashKind;
use ingest::ending::{Ending, Stall, StepKind};
use ingest::input::Lines;
use ingest::{Live, Options, Trace};

const A: u64 = 0x1000;

/// A run of two caches, of which one waits for the other.
fn deadlock(stalls: u64) -> Script {
    let mut script = Script::new();
    script.store(0, A, &[1]);
    script.raw(0, "L1Cache", "Store", ("I", "M"), A, " ");
    script.request((1, 0), "WriteReq", A + 4, Some("ST"));
    script.raw(1, "L1Cache", "Store", ("I", "IM"), A + 4, " ");
    script.tick += 1;
    script.raw(0, "L1Cache", "Fwd_GETX", ("M", "MII"), A, " ");
    for _ in 0..stalls {
        script.tick += 1;
        script.raw(1, "L1Cache", "Store", ("IM", "IM"), A, " Protocol Stall");
        script.raw(0, "L1Cache", "Store", ("MII", "MII"), A, " Protocol Stall");
        script.raw(0, "L1Cache", "Load", ("I", "M"), A + 64, " ");
    }
    script
}

const PANIC: [&str; 6] = [
    "build/NULL/mem/ruby/system/Sequencer.cc:271: panic: Possible Deadlock detected. Aborting!",
    " version: 1 request.paddr: 0x1004 m_readRequestTable: 1 current time: 5004 issue_time: 3 difference: 5001",
    "",
    "Memory Usage: 450140 KBytes",
    "Program aborted at tick 5004",
    "--- BEGIN LIBC BACKTRACE ---",
];

fn crashed(mut script: Script) -> Script {
    for line in PANIC {
        script.line(line);
    }
    script
}

fn check(trace: &Trace) {
    let provenance = &trace.histories[0].provenance;
    let crash = provenance.crash.as_ref().unwrap();
    assert_eq!(crash.kind, CrashKind::Deadlock);
    assert_eq!((crash.address, crash.tick), (Some(A + 4), Some(5004)));
    let words = provenance.ended.as_deref().unwrap();
    assert!(
        words.starts_with(
            "crashed (deadlock: Seq 1, address 0x1004, tick 5004), 1 request outstanding, "
        ),
        "{words}"
    );
    check_ending(&trace.ending);
}

fn check_ending(ending: &Ending) {
    assert_eq!(ending.cache_line, Some(A));
    let steps: Vec<String> = ending.steps.iter().map(|step| step.to_string()).collect();
    assert_eq!(steps.len(), 5, "{steps:?}");
    assert!(steps[2].contains("L1Cache 0 Fwd_GETX: M > MII  line "), "{steps:?}");
    assert!(
        steps[3].contains("L1Cache 1 Store: IM stalls, 5000 times to tick 5004  line "),
        "{steps:?}"
    );
    let [waiting] = &ending.waiting[..] else {
        panic!("{:?}", ending.waiting);
    };
    assert_eq!((waiting.cache_line, waiting.request.thread), (A, 1));
    let lines = waiting.lines();
    assert!(
        lines[0].starts_with("L1Cache 0 in MII since tick 4 (after Fwd_GETX, line "),
        "{lines:?}"
    );
    assert!(lines[0].ends_with("where Store stalled 5000 times, ticks 5 to 5004"), "{lines:?}");
    assert!(lines[1].starts_with("L1Cache 1 in IM since tick 3 (after Store, line "), "{lines:?}");
    assert!(ending.missing[0].contains("RubyQueue"), "{:?}", ending.missing);
}

#[test]
fn who_waits_is_said_as_far_as_transitions_show_it() {
    check(&crashed(deadlock(5000)).read());
}

#[test]
fn the_same_from_a_pipe() {
    let script = crashed(deadlock(5000));
    let packed = compressed(script.text.as_bytes());
    check(&ingest::read(&packed[..], "-", &Options::default()).unwrap());
    let options = Options::default();
    let mut lines = Lines::new(script.text.as_bytes(), "-", false).unwrap();
    let mut live = Live::new(&options);
    while live.advance(&mut lines).unwrap() {
        live.fetch();
    }
    let end = live.finish(&lines).unwrap();
    assert_eq!(end.crash.unwrap().kind, CrashKind::Deadlock);
    check_ending(&end.ending);
}

#[test]
fn a_run_that_just_stops_has_requests_outstanding_and_no_crash() {
    let trace = deadlock(5).read();
    let provenance = &trace.histories[0].provenance;
    assert_eq!(provenance.crash, None);
    let words = provenance.ended.as_deref().unwrap();
    assert!(words.starts_with("trace incomplete: 1 request outstanding, "), "{words}");
    assert!(trace.ending.steps.is_empty());
    assert_eq!(trace.ending.waiting.len(), 1);
}

#[test]
fn messages_are_shown_where_they_were_recorded() {
    let mut script = Script::new();
    script.store(0, A, &[1]);
    script.line(
        "      9: system.ruby.l1_cntrl0.requestFromCache: Enqueue arrival_time: 12, Message: [RequestMsg: \
         addr = [0x1000, line 0x1000] Type = GETX Requestor = L1Cache-0 Destination = [NetDest (4) 0 - ] ]",
    );
    script.line(
        "     10: system.ruby.network.int_links0.buffers0: Enqueue arrival_time: 13, Message: [RequestMsg: \
         addr = [0x1000, line 0x1000] Type = GETX Requestor = L1Cache-0 Destination = [NetDest (4) 0 - ] ]",
    );
    script.raw(0, "L1Cache", "Data", ("IS", "I"), A + 64, " ");
    script.line("build/L1Cache_Transitions.cc:1: panic: Invalid transition");
    script.line("system.ruby.l1_cntrl0 time: 9 addr: 0x1000 event: Data state: I");
    let ending = script.read().ending;
    let StepKind::Message { buffer, message } = &ending.steps.last().unwrap().what else {
        panic!("{:?}", ending.steps);
    };
    assert_eq!(buffer, "system.ruby.l1_cntrl0.requestFromCache");
    assert_eq!(message, "RequestMsg GETX for L1Cache-0");
    assert_eq!(ending.title(), "the last transitions and messages for 0x1000");
    assert!(ending.missing.is_empty(), "{:?}", ending.missing);
}

#[test]
fn a_message_without_an_address_has_the_last_transitions_of_all_lines() {
    let mut script = Script::new();
    script.store(0, A, &[1]);
    script.raw(0, "L1Cache", "Store", ("I", "M"), A, " ");
    script.raw(0, "L1Cache", "Store", ("M", "M"), A, " Resource Stall");
    script.line("build/L1Cache_Controller.cc:8: panic: Runtime Error at a.sm:3: assert failure.");
    let ending = script.read().ending;
    assert_eq!(ending.cache_line, None);
    let [step] = &ending.steps[..] else {
        panic!("{:?}", ending.steps);
    };
    assert!(matches!(&step.what, StepKind::Transition { stall: None, .. }));
    assert!(
        ending.missing.iter().any(|it| it.contains("which controller")),
        "{:?}",
        ending.missing
    );
}

#[test]
fn a_message_that_is_cut_off_is_a_crash_and_no_damage() {
    let whole = crashed(deadlock(5)).text;
    let start = whole.find("panic: ").unwrap() + "panic: ".len();
    for end in start..whole.len() {
        let trace = ingest::read(&whole.as_bytes()[..end], "t", &Options::default());
        let trace = trace.unwrap_or_else(|error| panic!("{error}: {}", &whole[start..end]));
        let crash = trace.histories[0].provenance.crash.as_ref().unwrap();
        assert!(crash.address.is_none_or(|address| address == A + 4), "{}", &whole[start..end]);
        assert!(crash.tick.is_none_or(|tick| tick == 5004), "{}", &whole[start..end]);
        // Without the end of its message it may be any panic.
        assert!(matches!(crash.kind, CrashKind::Deadlock | CrashKind::Panic));
    }
    // A line of the trace itself that is cut off still is damage.
    let cut = deadlock(5).text;
    let cut = cut.trim_end().as_bytes();
    assert!(ingest::read(&cut[..cut.len() - 12], "t", &Options::default()).is_err());
}

#[test]
fn operations_that_completed_are_the_history() {
    let trace = crashed(deadlock(5000)).read();
    assert_eq!(operations(&trace), ["0: store 0x1000 := 0x1"]);
    let mut only_message = Script::new();
    for line in PANIC {
        only_message.line(line);
    }
    let trace = only_message.read();
    assert_eq!(operations(&trace), [""; 0]);
    assert!(trace.histories[0].provenance.crash.is_some());
}

#[test]
fn resource_stalls_are_told_apart() {
    let mut script = Script::new();
    script.request((0, 0), "WriteReq", A, Some("ST"));
    script.raw(0, "Directory", "GETX", ("I", "IM"), A, " Resource Stall");
    let ending = script.read().ending;
    let controllers = &ending.waiting[0].controllers;
    assert_eq!(controllers[0].stalled[0].stall, Stall::Resource);
    assert_eq!(controllers[0].state, "I");
}
