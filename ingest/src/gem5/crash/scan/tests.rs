use history::CrashKind;

use super::*;

/// The crash that these lines describe; if `is_cut`, the last of them has no line end.
fn read(text: &str, is_cut: bool) -> Option<Crash> {
    let mut scan = CrashScan::default();
    let lines: Vec<&str> = text.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let is_cut = is_cut && number + 1 == lines.len();
        scan.scan(line.as_bytes(), number as u64 + 1, is_cut);
    }
    scan.crash("simerr")
}

fn crash(text: &str) -> Crash {
    read(text, false).unwrap_or_else(|| panic!("no crash: {text}"))
}

#[test]
fn an_invalid_transition() {
    let crash = crash(
        "warn: x\n\
         build/NULL/mem/ruby/protocol/L1Cache_Transitions.cc:1261: panic: Invalid transition\n\
         system.ruby.l1_cntrl2 time: 3485 addr: 0x1040 event: Data_all_Acks state: SM\n\
         Memory Usage: 450140 KBytes\n\
         Program aborted at tick 6970\n\
         --- BEGIN LIBC BACKTRACE ---\n\
         build/NULL/gem5.opt(+0x12)[0x34]\n\
         --- END LIBC BACKTRACE ---\n",
    );
    assert_eq!(crash.kind, CrashKind::InvalidTransition);
    assert_eq!(crash.machine.as_deref(), Some("L1Cache"));
    assert_eq!(crash.version, Some(2));
    assert_eq!(crash.object.as_deref(), Some("system.ruby.l1_cntrl2"));
    assert_eq!(crash.state.as_deref(), Some("SM"));
    assert_eq!(crash.event.as_deref(), Some("Data_all_Acks"));
    assert_eq!(crash.address, Some(0x1040));
    assert_eq!((crash.cycle, crash.tick), (Some(3485), Some(6970)));
    let source = crash.source.as_ref().unwrap().to_string();
    assert_eq!(source, "build/NULL/mem/ruby/protocol/L1Cache_Transitions.cc:1261");
    assert_eq!(crash.found.as_ref().unwrap().to_string(), "simerr:2");
    let message = "Invalid transition\nsystem.ruby.l1_cntrl2 time: 3485 addr: 0x1040 event: Data_all_Acks state: SM";
    assert_eq!(crash.message, message);
    assert_eq!(
        crash.headline(),
        "invalid transition: L1Cache 2, state SM, event Data_all_Acks, address 0x1040, tick 6970"
    );
}

#[test]
fn older_layouts() {
    let crash = crash(
        "panic: Invalid transition\n\
         system.l1_cntrl0 time: 73 addr: [0x4400, line 0x4400] event: Load state: MI\n \
         @ tick 73500\n\
         [doTransitionWorker:build/X86/mem/protocol/L1Cache_Transitions.cc, line 477]\n\
         Memory Usage: 1 KBytes\n",
    );
    assert_eq!((crash.address, crash.tick), (Some(0x4400), Some(73500)));
    assert_eq!(crash.source.as_ref().unwrap().line, 477);
    assert_eq!(crash.version, Some(0));
    let crash = self::crash(
        "panic: Invalid transition\nsystem.l1_cntrl0 time: 73 addr: 17408 event: Load state: MI\n",
    );
    assert_eq!(crash.address, Some(0x4400));
}

#[test]
fn errors_and_assertions_of_a_protocol() {
    let text = |what: &str| {
        format!(
            "build/NULL/mem/ruby/protocol/Directory_Controller.cc:812: panic: Runtime Error at MI_example-dir.sm:325: {what}.\n\
             Memory Usage: 1 KBytes\nProgram aborted at tick 9\n"
        )
    };
    let failed = crash(&text("assert failure"));
    assert_eq!(failed.kind, CrashKind::FailedAssertion);
    assert_eq!(failed.headline(), "failed assertion: Directory, at MI_example-dir.sm:325, tick 9");
    let error = crash(&text("unexpected message"));
    assert_eq!(error.kind, CrashKind::ProtocolError);
    assert_eq!(error.protocol_source.as_ref().unwrap().line, 325);
    assert_eq!(
        error.headline(),
        "protocol error: Runtime Error at MI_example-dir.sm:325: unexpected message., tick 9"
    );
}

#[test]
fn assertions_of_the_simulator() {
    let crash = crash(
        "gem5.opt: build/NULL/mem/ruby/system/Sequencer.cc:419: void gem5::ruby::Sequencer::writeCallback(gem5::Addr): \
         Assertion `m_RequestTable.find(address) != m_RequestTable.end()' failed.\nProgram aborted at tick 88\n",
    );
    assert_eq!((crash.kind, crash.tick), (CrashKind::FailedAssertion, Some(88)));
    assert_eq!(crash.source.as_ref().unwrap().line, 419);
}

#[test]
fn deadlocks() {
    let of_sequencer = crash(
        "build/NULL/mem/ruby/system/Sequencer.cc:271: panic: Possible Deadlock detected. Aborting!\n \
         version: 3 request.paddr: 0x1044 m_readRequestTable: 1 current time: 60002 issue_time: 9978 difference: 50024\n\n\
         Memory Usage: 1 KBytes\nProgram aborted at tick 60002\n",
    );
    assert_eq!(of_sequencer.kind, CrashKind::Deadlock);
    assert_eq!((of_sequencer.machine.as_deref(), of_sequencer.version), (Some("Seq"), Some(3)));
    assert_eq!((of_sequencer.address, of_sequencer.waiting_since), (Some(0x1044), Some(9978)));
    assert_eq!(of_sequencer.headline(), "deadlock: Seq 3, address 0x1044, tick 60002");
    let others = [
        "a.cc:1: panic: Deadlock detected: current_time: 9 last_progress_time: 1 difference:  8 processor: 2\n",
        "a.cc:1: panic: system.cpu0 did not see a response for 50000 cycles\n",
        "a.cc:1: panic: panic condition vc_busy_counter[vnet] > m_deadlock_threshold occurred: system.ni: Possible network deadlock in vnet: 1 at time: 12 \n",
    ];
    for text in others {
        assert_eq!(crash(text).kind, CrashKind::Deadlock, "{text}");
    }
}

#[test]
fn testers() {
    let read = crash(
        "build/NULL/cpu/testers/memtest/memtest.cc:154: panic: system.cpu3: read of 2fc1 (blk 2fc0) @ cycle 71300 returns 4, expected 7\n",
    );
    assert_eq!(
        (read.kind, read.address, read.tick),
        (CrashKind::BadData, Some(0x2fc1), Some(71300))
    );
    assert_eq!(read.object.as_deref(), Some("system.cpu3"));
    let check = crash(
        "a.cc:1: panic: Action/check failure: proc: 2 address: 0x1400 data: [ 0x1 ] byte_number: 0 m_value+byte_number: 5 byte: 1 \
         [[0x1400, line 0x1400], value: 5, status: Check_Pending, initiating node: 1, store_count: 4]Time: 812\n",
    );
    assert_eq!((check.kind, check.address), (CrashKind::TesterFailure, Some(0x1400)));
    let gpu = crash("a.cc:354: panic: GPU Ruby Tester: Failed!\n");
    assert_eq!(gpu.kind, CrashKind::TesterFailure);
}

#[test]
fn other_ends() {
    let fatal = crash("src/a.cc:3: fatal: Can't load checkpoint\nMemory Usage: 3 KBytes\n");
    assert_eq!((fatal.kind, fatal.message.as_str()), (CrashKind::Fatal, "Can't load checkpoint"));
    let fault =
        crash("gem5 has encountered a segmentation fault!\n\n--- BEGIN LIBC BACKTRACE ---\n");
    assert_eq!(fault.kind, CrashKind::SegmentationFault);
    let abort = crash("Program aborted at tick 7\n--- BEGIN LIBC BACKTRACE ---\n");
    assert_eq!((abort.kind, abort.tick), (CrashKind::Abort, Some(7)));
    let odd =
        crash("src/x.cc:8: panic: something nobody has seen before\nMemory Usage: 3 KBytes\n");
    assert_eq!(odd.headline(), "panic: something nobody has seen before");
}

#[test]
fn what_rubric_simulate_says() {
    let crash = crash(
        "rubric: MI_example --mutant x --seed 4: Invalid transition: L1Cache 2 time: 812 addr: 0x1000 event: Data state: I\n  at a.sm:3: x\n",
    );
    assert_eq!(
        crash.headline(),
        "invalid transition: L1Cache 2, state I, event Data, address 0x1000, tick 812"
    );
    let deadlock = self::crash(
        "rubric: MI_example: Possible Deadlock detected. Aborting! version: 3 request.paddr: 0x1008 issue_time: 4\n",
    );
    assert_eq!((deadlock.kind, deadlock.address), (CrashKind::Deadlock, Some(0x1008)));
}

#[test]
fn half_a_message_does_not_give_half_a_word() {
    let whole = "a/L1Cache_Transitions.cc:1: panic: Invalid transition\nsystem.l1_cntrl12 time: 345 addr: 0x1040 event: Data_all_Acks state: SM";
    let complete = crash(&format!("{whole}\n"));
    for end in 0..=whole.len() {
        let Some(crash) = read(&whole[..end], true) else {
            assert!(end < whole.find("Inv").unwrap(), "{end}");
            continue;
        };
        assert!(crash.address.is_none() || crash.address == complete.address, "{end}");
        assert!(crash.state.is_none(), "{end}");
        assert!(crash.event.is_none() || crash.event == complete.event, "{end}");
        assert!(crash.cycle.is_none() || crash.cycle == complete.cycle, "{end}");
        assert!(crash.version.is_none() || crash.version == complete.version, "{end}");
        assert!(!crash.headline().is_empty());
    }
}

#[test]
fn what_is_no_crash() {
    for text in [
        "warn: a panic: x\n",
        "src/a.cc:1: warn: no panic: x\n",
        "Kernel panic - not syncing\n",
        "panic: says the program\nExiting @ tick 500 because exiting with last active thread context\n",
        "Exiting @ tick 500 because user interrupt received\n",
        "info: Total completed episodes: 3\n",
    ] {
        assert_eq!(read(text, false), None, "{text}");
    }
    assert!(
        crash("src/a.cc:1: panic: x\nMemory Usage: 1 KBytes\nExiting @ tick 5 because y\n")
            .source
            .is_some()
    );
}
