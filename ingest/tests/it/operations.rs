//! The operations that are rebuilt from the lines of sequencers, kind by kind.

use crate::common;
use crate::common::{BLOCK, Script, kinds, operations};
use history::{AssumedSize, Kind, OpId, Sizes};
use ingest::{Addresses, Options};

const A: u64 = 0x1000;

#[test]
fn loads_and_stores() {
    let mut script = Script::new();
    script.store(1, A, &[1, 2, 3, 4, 5, 6, 7, 8]).load(0, A, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let trace = script.read();
    assert_eq!(trace.format.name(), "gem5");
    assert_eq!(
        operations(&trace),
        ["0: load 0x1000 == 0x807060504030201", "1: store 0x1000 := 0x807060504030201"]
    );
    let history = &trace.histories[0];
    let store = history.operation(OpId(1));
    assert_eq!((store.issued, store.completed), (Some(1), Some(2)));
    // The line of an operation is the one that shows its value.
    assert_eq!(store.line, Some(5));
    assert_eq!(history.order(OpId(1)), Some(0));
    assert_eq!(history.provenance.sizes, Sizes::Assumed(8));
    let words = history.provenance.ended.as_deref();
    assert_eq!(words, Some("all requests answered"));
}

#[test]
fn an_assumed_size_cuts_values() {
    let mut script = Script::new();
    script.store(0, A, &[1, 2, 3, 4, 5]).load(0, A + 4, &[1, 2, 3, 4, 5]);
    let expected = ["0: store 0x1000 := 0x4030201", "0: load 0x1004 == 0x5"];
    assert_eq!(operations(&script.read()), expected);
    let options = Options { access_size: AssumedSize::Exactly(1), ..Options::default() };
    let expected = ["0: store 0x1000 := 0x1", "0: load 0x1004 == 0x5"];
    assert_eq!(operations(&script.read_with(&options)), expected);
}

#[test]
fn accesses_near_the_end_of_a_block_have_fewer_bytes() {
    let mut script = Script::new();
    let mut bytes = [0; BLOCK as usize];
    bytes[14] = 7;
    script.load(0, A + 14, &bytes);
    let trace = script.read();
    assert_eq!(operations(&trace), ["0: load 0x100e == 0x7"]);
    assert_eq!(trace.histories[0].provenance.sizes, Sizes::Assumed(2));
}

#[test]
fn recorded_sizes_and_mixed_ones() {
    let mut script = Script::new();
    script.store(0, A, &[1, 2, 3, 4]).response((0, 0), A, 4);
    script.store(0, A + 2, &[1, 2, 9, 9]).response((0, 0), A + 2, 1);
    script.load(1, A, &[1, 2, 9, 4]).response((1, 0), A, 4);
    let trace = script.read();
    let history = &trace.histories[0];
    assert_eq!(history.provenance.sizes, Sizes::Recorded);
    assert!(history.provenance.split);
    assert_eq!(history.operations(), 3);
    assert_eq!(
        operations(&trace),
        [
            "0: store 0x1000 := 0x4030201 (its 2 bytes at 0x1000)",
            "0: store 0x1000 := 0x4030201 (its byte at 0x1002)",
            "0: store 0x1000 := 0x4030201 (its byte at 0x1003)",
            "0: store 0x1002 := 0x9",
            "1: load 0x1000 == 0x4090201 (its 2 bytes at 0x1000)",
            "1: load 0x1000 == 0x4090201 (its byte at 0x1002)",
            "1: load 0x1000 == 0x4090201 (its byte at 0x1003)",
        ]
    );
}

#[test]
fn accesses_longer_than_eight_bytes_have_parts() {
    let mut script = Script::new();
    let bytes = [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3];
    script.store(0, A, &bytes).response((0, 0), A, 13);
    let trace = script.read();
    let history = &trace.histories[0];
    assert_eq!(history.operations(), 1);
    assert!(history.provenance.split);
    let expected = ["0: store 0x1000 := 0x1", "0: store 0x1008 := 0x300000002"];
    assert_eq!(operations(&trace), expected);
    assert!(history.continues(OpId(1)));
    let script = script.response((0, 0), A, 17).clone();
    assert!(script.read_with(&common::lossy()).histories[0].operations() == 1);
}

#[test]
fn load_linked_and_store_conditional() {
    let at = (0, 0);
    let mut script = Script::new();
    script.request(at, "LoadLockedReq", A, Some("LD"));
    script.complete(at, "LoadLockedReq", A, Some("Done"), &[("read", &[0])]);
    script.request(at, "StoreCondReq", A, Some("ST"));
    script.complete(at, "StoreCondReq", A, Some("SC_Failed"), &[]);
    script.request(at, "StoreCondReq", A, Some("ST"));
    script.complete(at, "StoreCondReq", A, Some("Done"), &[("set", &[1])]);
    let trace = script.read();
    let history = &trace.histories[0];
    assert_eq!(kinds(history), [Kind::LoadLinked, Kind::StoreConditional]);
    assert_eq!(history.linked_load(OpId(1)), Some(OpId(0)));
    assert_eq!(trace.statistics.failed_store_conditionals, 1);
}

fn locked(script: &mut Script, old: u8, new: u8) {
    let at = (0, 1);
    script.request(at, "LockedRMWReadReq", A, Some("ST"));
    script.complete(at, "LockedRMWReadReq", A, Some("Done"), &[("read", &[old])]);
    script.request(at, "LockedRMWWriteReq", A, Some("ST"));
    script.complete(at, "LockedRMWWriteReq", A, Some("Done"), &[("set", &[new])]);
}

#[test]
fn locked_halves_are_one_operation() {
    let mut script = Script::new();
    locked(&mut script, 3, 4);
    locked(&mut script, 4, 4);
    let trace = script.read();
    let expected = ["0: rmw 0x1000 == 0x3, := 0x4", "0: silent-rmw 0x1000 == 0x4"];
    assert_eq!(operations(&trace), expected);
    let rmw = trace.histories[0].operation(OpId(0));
    assert_eq!((rmw.issued, rmw.completed), (Some(1), Some(4)));
}

#[test]
fn a_read_half_alone() {
    let mut script = Script::new();
    locked(&mut script, 3, 4);
    script.request((0, 1), "LockedRMWReadReq", A, Some("ST"));
    script.complete((0, 1), "LockedRMWReadReq", A, Some("Done"), &[("read", &[4])]);
    let trace = script.read();
    // The value read counts, although the write never came.
    let expected = ["0: rmw 0x1000 == 0x3, := 0x4", "0: failed-cas 0x1000 == 0x4"];
    assert_eq!(operations(&trace), expected);
    assert!(trace.histories[0].provenance.unfinished.is_empty());
}

#[test]
fn requests_of_one_line_complete_in_order() {
    let mut script = Script::new();
    script.request((0, 0), "ReadReq", A, Some("LD"));
    script.complete((0, 0), "ReadReq", A, Some("Done"), &[("read", &[0])]);
    script.request((0, 0), "ReadReq", A, Some("LD"));
    script.request((0, 0), "ReadReq", A + 8, None);
    script.complete((0, 0), "ReadReq", A + 8, Some("Done"), &[("read", &[0])]);
    let message = script.error().to_string();
    assert!(message.contains("requested earlier at line"), "{message}");
}

#[test]
fn swaps_and_atomics() {
    let at = (0, 0);
    let mut script = Script::new();
    script.request(at, "SwapReq", A, Some("ST"));
    script.complete(at, "SwapReq", A, Some("Done"), &[("swap", &[7])]);
    for (old, new) in [(7, 8), (8, 8)] {
        script.request(at, "WriteReq", A, Some("ST"));
        let data: [(&str, &[u8]); 2] = [("AMO original", &[old]), ("AMO new", &[new])];
        script.complete(at, "WriteReq", A, Some("Done"), &data);
    }
    script.request(at, "SwapReq", A, Some("ATOMIC_RETURN"));
    script.complete(at, "SwapReq", A, Some("Done"), &[("ATOMIC RETURN", &[8])]);
    script.request(at, "WriteReq", A, Some("ATOMIC_NO_RETURN"));
    script.complete(at, "WriteReq", A, Some("Done"), &[]);
    assert_eq!(
        operations(&script.read()),
        [
            "0: rmw 0x1000 == ?, := 0x7",
            "0: rmw 0x1000 == 0x7, := 0x8",
            "0: silent-rmw 0x1000 == 0x8",
            "0: rmw 0x1000 == 0x8, := ?",
            "0: rmw 0x1000 == ?, := ?",
        ]
    );
}

#[test]
fn what_makes_no_operation() {
    let at = (0, 1);
    let mut script = Script::new();
    script.request(at, "SoftPFReq", A, Some("LD"));
    script.complete(at, "SoftPFReq", A, Some("Done"), &[("read", &[0])]);
    script.request(at, "FlushReq", A, Some("FLUSH"));
    script.complete(at, "FlushReq", A, Some("Done"), &[]);
    script.request(at, "MemSyncReq", A, None);
    script.store(0, A, &[1]);
    let trace = script.read();
    assert_eq!(operations(&trace), ["0: store 0x1000 := 0x1"]);
    assert_eq!(trace.statistics.prefetches, 1);
    assert_eq!(trace.statistics.flushes, 1);
    assert!(trace.histories[0].provenance.unfinished.is_empty());
}

/// A CPU with fetches on port 0, data on port 1 and page-table walks on port 2, as a stock CPU has them.
fn stock_cpu() -> Script {
    let mut script = Script::new();
    script.request((0, 0), "ReadReq", A, Some("IFETCH"));
    // This request is coalesced with the one before, so it has no type of its own.
    script.request((0, 0), "ReadReq", A + 4, None);
    script.request((0, 1), "WriteReq", A + 64, Some("ST"));
    script.request((0, 2), "ReadReq", A + 128, Some("LD"));
    script.complete((0, 0), "ReadReq", A, Some("Done"), &[("read", &[9])]);
    script.complete((0, 0), "ReadReq", A + 4, None, &[("read", &[9])]);
    script.complete((0, 1), "WriteReq", A + 64, Some("Done"), &[("set", &[1])]);
    script.complete((0, 2), "ReadReq", A + 128, Some("Done"), &[("read", &[5])]);
    script
}

#[test]
fn fetches_and_page_table_walks() {
    let trace = stock_cpu().read();
    assert_eq!(operations(&trace), ["0: store 0x1040 := 0x1"]);
    assert_eq!((trace.statistics.fetches, trace.statistics.walks), (2, 1));
    assert_eq!(trace.statistics.overlapping, 0);
    assert!(trace.histories[0].provenance.notes.is_empty());
    let options = Options { fetches: true, ..Options::default() };
    let trace = stock_cpu().read_with(&options);
    let expected = ["0: load 0x1000 == 0x9", "0: load 0x1004 == 0x0", "0: store 0x1040 := 0x1"];
    assert_eq!(operations(&trace), expected);
    // An unfinished fetch is not listed as an unanswered request.
    let mut script = stock_cpu();
    script.request((0, 0), "ReadReq", A, Some("IFETCH"));
    assert!(script.read().histories[0].provenance.unfinished.is_empty());
}

#[test]
fn testers_fetch_and_load_on_one_port() {
    let mut script = Script::new();
    script.load(0, A, &[1]);
    script.request((0, 0), "ReadReq", A, Some("IFETCH"));
    script.complete((0, 0), "ReadReq", A, Some("Done"), &[("read", &[1])]);
    script.request((0, 0), "ReadReq", A, Some("LD"));
    script.request((0, 0), "ReadReq", A, None);
    script.complete((0, 0), "ReadReq", A, Some("Done"), &[("read", &[1])]);
    script.complete((0, 0), "ReadReq", A, None, &[("read", &[1])]);
    let trace = script.read();
    assert_eq!(trace.statistics.fetches, 1);
    assert_eq!(trace.histories[0].operations(), 3);
}

#[test]
fn coalesced_requests_complete_in_the_order_of_acceptance() {
    let at = (0, 0);
    let mut script = Script::new();
    script.request(at, "WriteReq", A, Some("ST"));
    script.request(at, "ReadReq", A, None);
    script.request(at, "WriteReq", A, None);
    script.request(at, "ReadReq", A + 8, None);
    // A store conditional that was coalesced and failed shows nothing at all.
    script.request(at, "StoreCondReq", A, None);
    script.complete(at, "WriteReq", A, Some("Done"), &[("set", &[1])]);
    script.complete(at, "ReadReq", A, None, &[("read", &[1])]);
    script.complete(at, "WriteReq", A, None, &[("set", &[2])]);
    script.complete(at, "ReadReq", A + 8, None, &[("read", &[2])]);
    script.complete(at, "StoreCondReq", A, None, &[]);
    let trace = script.read();
    assert_eq!(
        operations(&trace),
        [
            "0: store 0x1000 := 0x1",
            "0: load 0x1000 == 0x1",
            "0: store 0x1000 := 0x2",
            "0: load 0x1008 == 0x0",
        ]
    );
    assert_eq!(trace.statistics.overlapping, 4);
    assert_eq!(trace.statistics.failed_store_conditionals, 1);
    let notes = &trace.histories[0].provenance.notes;
    assert!(notes[0].starts_with("4 requests of one sequencer overlapped in time"), "{notes:?}");
}

#[test]
fn program_order_is_the_order_of_acceptance() {
    let mut script = Script::new();
    script.request((0, 0), "ReadReq", A, Some("LD"));
    script.request((0, 0), "WriteReq", A + 64, Some("ST"));
    script.complete((0, 0), "WriteReq", A + 64, Some("Done"), &[("set", &[1])]);
    script.complete((0, 0), "ReadReq", A, Some("Done"), &[("read", &[0])]);
    let trace = script.read();
    let history = &trace.histories[0];
    assert_eq!(operations(&trace), ["0: load 0x1000 == 0x0", "0: store 0x1040 := 0x1"]);
    assert_eq!((history.order(OpId(0)), history.order(OpId(1))), (Some(1), Some(0)));
}

#[test]
fn retries_nested_in_a_completion() {
    let at = (0, 0);
    let mut script = Script::new();
    script.request(at, "WriteReq", A, Some("ST"));
    script.request(at, "ReadReq", A, None);
    script.tick += 1;
    script.port(0, 0, "Timing request for address 0x1040 on port 0");
    script.port(0, 0, "Request ReadReq for address 0x1040 did not issue because BufferFull");
    script.complete(at, "WriteReq", A, Some("Done"), &[("set", &[1])]);
    script.sequencer(0, "Sequencer may now be free. SendRetry to port system.cpu0.port");
    script.tick -= 1;
    script.request(at, "ReadReq", A, None);
    script.complete(at, "ReadReq", A, None, &[("read", &[1])]);
    script.complete(at, "ReadReq", A, None, &[("read", &[1])]);
    script.raw(0, "L1Cache", "Data", ("IM", "M"), A, " ");
    let trace = script.read();
    assert_eq!(trace.histories[0].operations(), 3);
    assert_eq!(trace.statistics.refused, 1);
}

#[test]
fn a_late_begin_inside_a_completion() {
    let at = (0, 0);
    let mut script = Script::new();
    script.request(at, "ReadReq", A, Some("LD"));
    script.request(at, "WriteReq", A, None);
    script.complete(at, "ReadReq", A, Some("Done"), &[("read", &[0])]);
    script.seq(0, "Begin", A, " ST");
    script.complete(at, "WriteReq", A, Some("Done"), &[("set", &[1])]);
    assert_eq!(script.read().histories[0].operations(), 2);
}

#[test]
fn requests_to_devices_are_not_requests_to_memory() {
    let mut script = Script::new();
    script.port(0, 1, "Timing request for address 0xf000 on port 1");
    script.port(0, 1, "Request address 0xf000 assumed to be a pio address");
    script.store(0, A, &[1]);
    // A device's own requests have neither versions nor data.
    for message in [
        "response_ports0: Timing request for address 0x1000 on port 0",
        "response_ports0: Request WriteReq 0x1000 issued",
    ] {
        script.line(format!("      9: system.dma_cntrl0.dma_sequencer.{message}"));
    }
    script.line("     19: system.dma_cntrl0.dma_sequencer: Hit callback for WriteReq 0x1000");
    let trace = script.read();
    assert_eq!(operations(&trace), ["0: store 0x1000 := 0x1"]);
    assert_eq!(trace.statistics.device_requests, 1);
    let notes = &trace.histories[0].provenance.notes;
    assert!(notes[0].starts_with("Writes of devices such as system.dma_cntrl0"), "{notes:?}");
}

#[test]
fn threads_are_learnt_from_begin_and_done() {
    // MOESI_AMD_Base: two sequencers share a controller, so paths do not show the version.
    let rename = |text: &str| {
        text.replace("l1_cntrl3.sequencer", "cp_cntrl1.sequencer1")
            .replace("system.ruby.cp", "system.cp")
    };
    let mut script = Script::new();
    script.store(3, A, &[1]);
    let trace = common::read(&rename(&script.text), &Options::default()).unwrap();
    assert_eq!(operations(&trace), ["3: store 0x1000 := 0x1"]);
    // Without its Begin line, the version comes from the Done line before the data line.
    let mut script = Script::new();
    script.request((3, 0), "WriteReq", A, None);
    script.complete((3, 0), "WriteReq", A, Some("Done"), &[("set", &[1])]);
    let trace = common::read(&rename(&script.text), &Options::default()).unwrap();
    assert_eq!(operations(&trace), ["3: store 0x1000 := 0x1"]);
}

#[test]
fn operations_from_before_the_version_is_known() {
    let mut script = Script::new();
    script.request((2, 0), "ReadReq", A, None);
    script.complete((2, 0), "ReadReq", A, None, &[("read", &[0])]);
    script.store(2, A, &[1]);
    let expected = ["2: load 0x1000 == 0x0", "2: store 0x1000 := 0x1"];
    assert_eq!(operations(&script.read()), expected);
}

#[test]
fn selections() {
    let mut script = Script::new();
    script.store(0, A, &[1]).store(0, A + 64, &[2]).store(0, A, &[3]);
    let select = |options: Options| operations(&script.read_with(&options));
    let addresses = Options { addresses: Some(Addresses::Range(A..A + 64)), ..Options::default() };
    let expected = ["0: store 0x1000 := 0x1", "0: store 0x1000 := 0x3"];
    assert_eq!(select(addresses), expected);
    // They complete at ticks 2, 4 and 6.
    let ticks = Options { from_tick: Some(4), to_tick: Some(6), ..Options::default() };
    assert_eq!(select(ticks), ["0: store 0x1040 := 0x2"]);
}

#[test]
fn requests_without_an_answer() {
    let mut script = Script::new();
    script.store(0, A, &[1]);
    script.request((1, 0), "ReadReq", A, Some("LD"));
    script.request((0, 0), "WriteReq", A + 64, Some("ST"));
    script.tick = 500;
    script.raw(0, "L1Cache", "Store", ("MII", "MII"), A + 64, " Protocol Stall");
    let trace = script.read();
    let provenance = &trace.histories[0].provenance;
    let unfinished: Vec<(u32, u64, bool, Option<u64>)> = provenance
        .unfinished
        .iter()
        .map(|request| (request.thread, request.address, request.writes, request.issued))
        .collect();
    assert_eq!(unfinished, [(1, A, false, Some(3)), (0, A + 64, true, Some(4))]);
    let words = "trace incomplete: 2 requests outstanding, the oldest (line 10, tick 3, load of 0x1000 by thread 1) \
                 for 497 ticks";
    assert_eq!(provenance.ended.as_deref(), Some(words));
    let statistics = &trace.statistics;
    assert_eq!((statistics.unfinished_loads, statistics.unfinished_stores), (1, 1));
    assert_eq!(statistics.stalls, 1);
}

#[test]
fn how_gem5_says_that_it_stopped() {
    let mut script = Script::new();
    script.line("gem5 Simulator System.  https://www.gem5.org").line("").line("warn: x: y");
    script.store(0, A, &[1]);
    script
        .line("src/mem/ruby/system/Sequencer.cc:270: panic: Possible Deadlock detected. Aborting!");
    script.line(" version: 0 request.paddr: 0x1000 current time: 60002");
    script.line("Memory Usage: 12 KBytes").line("Program aborted at tick 60002");
    script.line("--- BEGIN LIBC BACKTRACE ---").line("gem5.opt(+0x12)[0x34]");
    let trace = script.read();
    let words = "crashed (deadlock: address 0x1000, tick 60002), all requests answered";
    assert_eq!(trace.statistics.ended.as_deref(), Some(words));
}
