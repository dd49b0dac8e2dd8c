use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use flate2::read::GzDecoder;
use history::Kind;

use super::*;
use crate::sequencer::{Config, Effects, Line, Sequencer};

/// The lines after those about the creation of ports.
fn lines_of(trace: Trace) -> Vec<String> {
    let text = String::from_utf8(trace.finish().unwrap()).unwrap();
    let lines = text.lines().filter(|line| !line.contains(": Created "));
    lines.map(str::to_owned).collect()
}

fn request(kind: RequestKind, address: u64, value: u64) -> Request {
    Request { tag: 0, kind, address, size: 8, value }
}

fn transition<'a>(machine: &'a str, event: &'a str, from: &'a str, to: &'a str) -> Transition<'a> {
    Transition { version: 0, machine, event, from, to, key: None, address: 0x1040, comment: "" }
}

const ZEROS: &str = "0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 \
                     0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 \
                     0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 ]";

/// As gem5 printed it for MI_example.
#[test]
fn a_store_looks_like_gem5s() {
    let mut trace = Trace::new(Options::new(1, Layout::Single), Output::Memory);
    let mut sequencer = Sequencer::new(Config::new(0, 0));
    let mut block = [0; 8];
    let store = request(RequestKind::Store, 0x1040, 0x1_0000_0001);
    sequencer.request(10, store, false, Some(&mut trace)).unwrap();
    trace.transition(13, &transition("L1Cache", "Store", "I", "IM"));
    trace.transition(399, &transition("Directory", "Memory_Data", "IM", "M"));
    let line = Line { now: 440, address: 0x1040, block: &mut block, monitor: None };
    let mut effects = Effects::default();
    sequencer.write_done(line, Some(&mut trace), &mut effects).unwrap();
    trace.transition(440, &transition("L1Cache", "Data", "IM", "M"));
    let data = format!(
        "    440: system.ruby.l1_cntrl0.sequencer: set data [ 0x1 0x0 0x0 0x0 0x1 0x0 0x0 0x0 {ZEROS}"
    );
    let expected = [
        "     10: system.ruby.l1_cntrl0.sequencer.response_ports0: Timing request for address 0x1040 on port 0",
        "             10   0        Seq               Begin       >       [0x1040, line 0x1040] ST",
        "     10: system.ruby.l1_cntrl0.sequencer.response_ports0: Request WriteReq 0x1040 issued",
        "             13   0    L1Cache               Store      I>IM     [0x1040, line 0x1040] ",
        "            399   0  Directory         Memory_Data     IM>M      [0x1040, line 0x1040] ",
        "            440   0        Seq                Done       >       [0x1040, line 0x1040] 430 cycles",
        &data,
        "    440: system.ruby.l1_cntrl0.sequencer: Hit callback for WriteReq 0x1040",
        "    440: system.ruby.l1_cntrl0.sequencer.response_ports0: Hit callback needs response 1",
        "    440: system.ruby.l1_cntrl0.sequencer.response_ports0: Sending packet back over port",
        "    440: system.ruby.l1_cntrl0.sequencer.response_ports0: Hit callback done!",
        "            440   0    L1Cache                Data     IM>M      [0x1040, line 0x1040] ",
    ];
    assert_eq!(lines_of(trace), expected);
}

#[test]
fn ports_are_set_up_as_gem5_does() {
    let trace = Trace::new(Options::new(2, Layout::Pairs), Output::Memory);
    let text = String::from_utf8(trace.finish().unwrap()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 15);
    assert_eq!(
        lines[5],
        "      0: system.cp_cntrl0.sequencer1.pio-request-port: Created request pioport on \
         sequencer system.cp_cntrl0.sequencer1.pio-request-port"
    );
    assert_eq!(
        lines[13],
        "      0: system.sys_port_proxy-mem-response-port: Created response memport on ruby \
         sequencer system.sys_port_proxy-mem-response-port"
    );
}

#[test]
fn long_names_push_and_stalls_say_so() {
    let mut trace = Trace::new(Options::new(1, Layout::Single), Output::Memory);
    trace.transition(456, &transition("L2Cache", "L2_Replacement_clean", "MT_MB", "MT_MB"));
    trace.transition(9, &transition("Directory", "All_acks_and_data_no_sharers", "O_X", "S"));
    trace.resource_stall(1, &transition("L1Cache", "Load", "I", "IS"));
    trace.protocol_stall(1 << 50, &transition("L1Cache", "Load", "IS", "IS"));
    let expected = [
        "            456   0    L2CacheL2_Replacement_clean  MT_MB>MT_MB  [0x1040, line 0x1040] ",
        "              9   0  DirectoryAll_acks_and_data_no_sharers    O_X>S      [0x1040, line 0x1040] ",
        "              1   0    L1Cache                Load      I>IS     [0x1040, line 0x1040] Resource Stall",
        "1125899906842624   0    L1Cache                Load     IS>IS     [0x1040, line 0x1040] Protocol Stall",
    ];
    assert_eq!(lines_of(trace), expected);
}

#[test]
fn sizes_and_reservations_are_printed_if_wanted() {
    let options =
        Options { packets: true, links: true, fetch_port: true, ..Options::new(4, Layout::Pairs) };
    let mut trace = Trace::new(options, Output::Memory);
    let mut sequencer = Sequencer::new(Config::new(3, 1));
    let (mut block, mut monitor, mut effects) = ([0; 8], None, Effects::default());
    let linked = request(RequestKind::LoadLinked, 0x1000, 0);
    let conditional = request(RequestKind::StoreConditional, 0x1000, 0);
    sequencer.request(1, linked, false, Some(&mut trace)).unwrap();
    sequencer.request(1, conditional, false, Some(&mut trace)).unwrap();
    let blocked = sequencer.request(2, linked, true, Some(&mut trace));
    assert_eq!(blocked, Err(Refusal::Aliased));
    let mut line = |now, is_read| {
        let line = Line { now, address: 0x1000, block: &mut block, monitor: Some(&mut monitor) };
        if is_read {
            sequencer.read_done(line, Some(&mut trace), &mut effects)
        } else {
            sequencer.write_failed(line, Some(&mut trace), &mut effects)
        }
        .unwrap();
    };
    line(5, true);
    line(8, false);
    let s = "system.cp_cntrl1.sequencer1";
    let expected = format!(
        "      1: {s}.response_ports1: Timing request for address 0x1000 on port 1
      1: {s}: Issuing LL
              1   3        Seq               Begin       >       [0x1000, line 0x1000] LD
      1: {s}.response_ports1: Request LoadLockedReq 0x1000 issued
      1: {s}.response_ports1: Timing request for address 0x1000 on port 1
      1: {s}: Issuing SC
      1: {s}.response_ports1: Request StoreCondReq 0x1000 issued
      2: {s}.response_ports1: Timing request for address 0x1000 on port 1
      2: {s}: Issuing LL
      2: {s}.response_ports1: Request LoadLockedReq for address 0x1000 did not issue because Aliased
              5   3        Seq                Done       >       [0x1000, line 0x1000] 4 cycles
      5: {s}: LLSC Monitor - inserting load linked - addr=0x1000 - cpu=3
      5: {s}: read data [ 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 {ZEROS}
      5: {s}: Hit callback for LoadLockedReq 0x1000
      5: {s}.response_ports1: Hit callback needs response 1
      5: {s}.response_ports1: Sending packet back over port
      5: {s}.response_ports1-RespPacketQueue: schedSendTiming for ReadResp address 1000 size 8 when 5 ord: 0
      5: {s}.response_ports1: Hit callback done!
      5: {s}: Sequencer may now be free. SendRetry to port {s}.response_ports1
              5   3        Seq               Begin       >       [0x1000, line 0x1000] ST
      8: {s}: LLSC Monitor - clearing due to store conditional - addr=0x1000 - cpu=3
              8   3        Seq           SC_Failed       >       [0x1000, line 0x1000] 7 cycles
      8: {s}: Hit callback for StoreCondReq 0x1000
      8: {s}.response_ports1: Hit callback needs response 1
      8: {s}.response_ports1: Sending packet back over port
      8: {s}.response_ports1-RespPacketQueue: schedSendTiming for StoreCondResp address 1000 size 8 when 8 ord: 0
      8: {s}.response_ports1: Hit callback done!"
    );
    let lines = lines_of(trace);
    let expected: Vec<&str> = expected.lines().collect();
    assert_eq!(lines, expected);
}

#[test]
fn clients_print_their_operations() {
    let mut trace = Trace::new(Options::new(3, Layout::Single), Output::Memory);
    let load = ClientLine {
        thread: 2,
        index: 5,
        kind: Kind::Load,
        address: 0x1040,
        size: 8,
        read: 0,
        written: 0,
        forwarded: false,
    };
    let store = ClientLine { kind: Kind::Store, written: 0x3_0000_0001, ..load };
    let rmw = ClientLine { kind: Kind::Rmw, ..store };
    let forwarded = ClientLine { read: 7, forwarded: true, ..load };
    let kind = Kind::Fence;
    for line in [load, store, rmw, forwarded, ClientLine { kind, ..load }] {
        trace.client(364, &line);
    }
    let expected = [
        "    364: system.cpu2: T2 op 5 load 0x1040 0",
        "    364: system.cpu2: T2 op 5 store 0x1040 0x300000001",
        "    364: system.cpu2: T2 op 5 rmw 0x1040 0 0x300000001",
        "    364: system.cpu2: T2 op 5 load 0x1040 0x7 forwarded",
        "    364: system.cpu2: T2 op 5 fence",
    ];
    assert_eq!(lines_of(trace), expected);
}

/// A destination that can be read afterwards.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Broken;

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Prints `count` loads and transitions of various kinds.
fn print(trace: &mut Trace, count: u64) {
    for now in 0..count {
        let mixed = now.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let address = 0x1000 + 64 * (mixed >> 59);
        let block = [0, mixed >> 40, 0, 0x3_0000_0000 + now, 0, 0, mixed, 0];
        let load = request(RequestKind::Load, address, 0);
        trace.data(now, 0, Data::Read, &block);
        trace.hit(now, 0, &load, true);
        for (shift, event) in [(3, "Load"), (5, "Data"), (7, "Fwd_GETX"), (9, "Replacement")] {
            let address = 0x1000 + 64 * (mixed >> shift & 31);
            let transition = transition("L1Cache", event, "I", "IS");
            trace.transition(7 * now, &Transition { address, ..transition });
        }
    }
}

#[test]
fn compressed_text_is_the_same_text() {
    let options = Options::new(1, Layout::Single);
    let write = |gzip: bool| {
        let to = Shared::default();
        let target = Box::new(to.clone());
        let output = if gzip { Output::Gzip(target) } else { Output::Plain(target) };
        let mut trace = Trace::new(options, output);
        print(&mut trace, 2000);
        assert!(trace.error().is_none());
        assert!(trace.finish().unwrap().is_empty());
        to.0.lock().unwrap().clone()
    };
    let mut trace = Trace::new(options, Output::Memory);
    print(&mut trace, 2000);
    let kept = trace.finish().unwrap();
    assert!(kept.len() > 1 << 20);
    assert!(write(false) == kept);
    let compressed = write(true);
    assert!(compressed == write(true));
    let mut text = Vec::new();
    GzDecoder::new(&compressed[..]).read_to_end(&mut text).unwrap();
    assert!(text == kept);
}

#[test]
fn a_broken_pipe_is_an_error() {
    let options = Options::new(1, Layout::Single);
    for output in [Output::Plain(Box::new(Broken)), Output::Gzip(Box::new(Broken))] {
        let mut trace = Trace::new(options, output);
        print(&mut trace, 20_000);
        let error = trace.finish().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
    let mut trace = Trace::new(options, Output::Plain(Box::new(Broken)));
    print(&mut trace, 20_000);
    assert!(trace.error().is_some(), "the error is known before the end");
    print(&mut trace, 2000);
    assert!(trace.finish().is_err());
}

/// Measures the output, with `cargo test --release -p rubric-simulate -- --ignored --nocapture speed`.
#[test]
#[ignore = "measures"]
fn speed() {
    let mut trace = Trace::new(Options::new(1, Layout::Single), Output::Memory);
    print(&mut trace, 1000);
    let megabytes = 200.0 * trace.finish().unwrap().len() as f64 / 1e6;
    for gzip in [false, true] {
        let to = Box::new(io::sink());
        let output = if gzip { Output::Gzip(to) } else { Output::Plain(to) };
        let mut trace = Trace::new(Options::new(1, Layout::Single), output);
        let start = Instant::now();
        print(&mut trace, 200_000);
        trace.finish().unwrap();
        let seconds = start.elapsed().as_secs_f64();
        eprintln!("gzip {gzip}: {:.0} MB/s", megabytes / seconds);
    }
}
