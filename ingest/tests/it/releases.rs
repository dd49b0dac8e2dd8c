//! What gem5 prints since its releases 24.1 to 25.1, as far as it is not printed by v24.0.0.1.

use crate::common::{self, Script, operations};

const A: u64 = 0x1000;

/// The port of a CPU's data requests.
const DATA: u32 = 1;

/// A prefetch as gem5 25.1 prints it: RubyPort answers it at once, and only its line's arrival is shown.
fn prefetch(script: &mut Script, thread: u32, command: &str, address: u64) {
    script.request((thread, DATA), command, address, Some("LD"));
}

fn arrives(script: &mut Script, thread: u32, address: u64) {
    script.tick += 1;
    script.seq(thread, "Done", address, " 12 cycles");
}

/// Thread 0 writes 1 to the first and 2 to the second line, and thread 1 reads the second.
fn messages() -> Script {
    let mut script = Script::new();
    script.store(0, A, &[1]).store(0, A + 64, &[2]);
    script.load(1, A + 64, &[2]);
    script
}

fn reads(script: &Script) -> Vec<String> {
    let trace = script.read();
    let provenance = &trace.histories[0].provenance;
    assert_eq!(provenance.ended.as_deref(), Some("all requests answered"));
    assert!(provenance.notes.is_empty(), "{:?}", provenance.notes);
    assert!(!provenance.outside_writes);
    operations(&trace)
}

#[test]
fn a_prefetch_that_is_answered_at_once_changes_nothing() {
    let mut plain = messages();
    plain.load(1, A, &[0]);
    let expected = reads(&plain);
    for command in ["SoftPFReq", "SoftPFExReq"] {
        let mut script = Script::new();
        prefetch(&mut script, 1, command, A);
        script.store(0, A, &[1]);
        arrives(&mut script, 1, A);
        script.store(0, A + 64, &[2]).load(1, A + 64, &[2]).load(1, A, &[0]);
        assert_eq!(reads(&script), expected, "{command}");
        assert_eq!(script.read().statistics.prefetches, 1);
        assert_eq!(script.read().statistics.overlapping, 0);
    }
}

#[test]
fn prefetched_lines_need_not_be_used() {
    let mut script = messages();
    prefetch(&mut script, 1, "SoftPFReq", A);
    arrives(&mut script, 1, A);
    // The trace may end before the line arrives.
    prefetch(&mut script, 1, "SoftPFReq", A + 128);
    assert_eq!(reads(&script), reads(&messages()));
}

#[test]
fn prefetches_and_demands_of_one_line_are_coalesced() {
    let at = (1, DATA);
    let mut script = Script::new();
    script.store(0, A, &[1]);
    // A load, then a prefetch that joins it, then one that is dropped, since two requests already wait for the line.
    script.request(at, "ReadReq", A, Some("LD"));
    script.request(at, "SoftPFReq", A + 8, None);
    script.request(at, "SoftPFReq", A, None);
    script.complete(at, "ReadReq", A, Some("Done"), &[("read", &[1])]);
    // A prefetch first: the load and the store that join it complete after its `Done`.
    prefetch(&mut script, 1, "SoftPFReq", A + 64);
    script.request(at, "SoftPFReq", A + 64, None);
    script.request(at, "ReadReq", A + 72, None);
    script.request(at, "WriteReq", A + 64, None);
    arrives(&mut script, 1, A + 64);
    script.complete(at, "ReadReq", A + 72, None, &[("read", &[0; 9])]);
    script.seq(1, "Begin", A + 64, " ST");
    script.complete(at, "WriteReq", A + 64, Some("Done"), &[("set", &[7])]);
    let trace = script.read();
    let expected = [
        "0: store 0x1000 := 0x1",
        "1: load 0x1000 == 0x1",
        "1: load 0x1048 == 0x0",
        "1: store 0x1040 := 0x7",
    ];
    assert_eq!(operations(&trace), expected);
    assert_eq!(trace.statistics.prefetches, 4);
    assert!(trace.histories[0].provenance.unfinished.is_empty());
}

#[test]
fn a_refused_prefetch_is_offered_again() {
    let mut script = messages();
    script.port(1, DATA, "Timing request for address 0x1000 on port 1");
    script.port(1, DATA, "Request SoftPFReq for address 0x1000 did not issue because Aliased");
    prefetch(&mut script, 1, "SoftPFReq", A);
    arrives(&mut script, 1, A);
    assert_eq!(reads(&script), reads(&messages()));
    assert_eq!(script.read().statistics.refused, 1);
}

#[test]
fn the_answer_of_a_prefetch_is_no_size_of_an_access() {
    let mut script = Script::new();
    script.load(1, A, &[1, 2, 3]);
    script.port(1, DATA, "Timing request for address 0x1000 on port 1");
    let queue = "system.ruby.l1_cntrl1.sequencer.response_ports1-RespPacketQueue";
    let answer = "schedSendTiming for SoftPFResp address 1000 size 2 when 3 ord: 0";
    script.line(format!("      3: {queue}: {answer}"));
    script.port(1, DATA, "Request SoftPFReq 0x1000 issued");
    assert_eq!(operations(&script.read()), ["1: load 0x1000 == 0x30201"]);
}

#[test]
fn cache_maintenance_is_understood() {
    let at = (0, DATA);
    for command in ["FlushReq", "CleanSharedReq", "CleanInvalidReq", "InvalidateReq"] {
        let mut script = messages();
        script.request(at, command, A, Some("FLUSH"));
        script.complete(at, command, A, Some("Done"), &[]);
        assert_eq!(reads(&script), reads(&messages()), "{command}");
        let statistics = script.read().statistics;
        assert_eq!((statistics.flushes, statistics.other_requests), (1, 0), "{command}");
        // Without `supports_flushes`, RubyPort answers it at once and prints no more than the offer.
        let mut script = messages();
        script.port(0, DATA, "Timing request for address 0x1000 on port 1");
        script.load(1, A, &[1]);
        assert_eq!(script.read().statistics.flushes, 0);
    }
}

#[test]
fn requests_without_an_address_are_no_operations() {
    let mut script = messages();
    // A GPU asks its sequencer for the time.
    script.request((2, 0), "ReadReq", 0, Some("hasNoAddr"));
    script.sequencer(2, "Setting hasNoAddr ticks");
    script.complete((2, 0), "ReadReq", 0, Some("Done"), &[]);
    // A core invalidates a TLB, which `Unaddressed callback` ends.
    script.port(1, DATA, "Timing request for address 0 on port 1");
    script.sequencer(1, "Issuing TLBI");
    script.line("              9   1        Seq               Begin       >       TLBI_SYNC");
    script.port(1, DATA, "Request ReadReq 0x0 issued");
    script.sequencer(1, "Unaddressed callback for ReadReq");
    assert_eq!(reads(&script), reads(&messages()));
}

#[test]
fn boards_of_the_standard_library_have_other_paths() {
    let mut script = messages();
    prefetch(&mut script, 1, "SoftPFReq", A);
    arrives(&mut script, 1, A);
    script.load(1, A, &[1]);
    let board = script.text.replace("system.ruby.", "board.cache_hierarchy.ruby_system.");
    let board = board.replace("l1_cntrl", "l1_controllers");
    let expected = operations(&script.read());
    let trace = common::read(&board, &ingest::Options::default()).unwrap();
    assert_eq!(operations(&trace), expected);
}
