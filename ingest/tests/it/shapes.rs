//! The shapes of lines under format flags, oversized names and other debug flags.

use crate::common;
use crate::common::{Script, operations};
use ingest::Options;

const A: u64 = 0x1000;

fn both() -> Script {
    let mut script = Script::new();
    script.store(0, A, &[1]).load(1, A, &[1]);
    script
}

const EXPECTED: [&str; 2] = ["0: store 0x1000 := 0x1", "1: load 0x1000 == 0x1"];

/// Changes each line; the second argument of `change` is whether the line is a raw one.
fn changed(script: &Script, change: impl Fn(&str, bool) -> String) -> String {
    let is_raw = |line: &str| !line.contains("system.");
    let lines = script.text.lines();
    lines.map(|line| change(line, is_raw(line)) + "\n").collect()
}

#[test]
fn names_of_flags() {
    let text = changed(&both(), |line, raw| match (raw, line.split_once(": ")) {
        (false, Some((tick, rest))) => format!("{tick}: RubyPort: {rest}"),
        _ => format!("ProtocolTrace: {line}"),
    });
    let trace = common::read(&text, &Options::default()).unwrap();
    assert_eq!(operations(&trace), EXPECTED);
}

#[test]
fn no_ticks() {
    let text = changed(&both(), |line, raw| match (raw, line.split_once(": ")) {
        (false, Some((_, rest))) => rest.to_owned(),
        _ => line.to_owned(),
    });
    let trace = common::read(&text, &Options::default()).unwrap();
    assert_eq!(operations(&trace), EXPECTED);
    assert_eq!(trace.histories[0].operation(history::OpId(0)).completed, None);
}

#[test]
fn glued_and_shifted_columns_and_stalls() {
    let mut script = both();
    script.raw(0, "L2Cache", "L2_Replacement_clean", ("SS", "I_I"), A, " ");
    script.raw(
        0,
        "Directory",
        "All_acks_and_data_no_sharers",
        ("O_X", "S"),
        A,
        " Own: [NetDest 1]",
    );
    script.raw(0, "L1Cache", "Load", ("IS", "IS"), A, " Resource Stall");
    script.raw(0, "Novel", "An_event_of_twenty_ch", ("I", "SINK_WB_ACK"), A, " ");
    script.line("          79000   0        Seq               Begin       >       TLBI");
    let options = Options { transitions: true, ..Options::default() };
    let trace = script.read_with(&options);
    let taken: Vec<String> = trace
        .transitions
        .iter()
        .map(|t| format!("{} {} {}>{} {:#x}", t.machine, t.event, t.state, t.next_state, t.address))
        .collect();
    assert_eq!(
        taken,
        [
            "L2Cache L2_Replacement_clean SS>I_I 0x1000",
            "Directory All_acks_and_data_no_sharers O_X>S 0x1000",
            "Novel An_event_of_twenty_ch I>SINK_WB_ACK 0x1000",
        ]
    );
    assert_eq!(trace.statistics.stalls, 1);
    assert_eq!(trace.statistics.transitions.len(), 3);
    assert!(script.read().transitions.is_empty());
    assert_eq!(script.read().statistics.transitions, trace.statistics.transitions);
}

#[test]
fn other_flags_are_noise() {
    let mut script = both();
    for line in [
        "     12: system.ruby.l1_cntrl0: MESI_Two_Level-L1cache.sm:900: [ 0x0 0x0 ]",
        "     12: system.cp_cntrl0: MOESI_AMD_Base-CorePair.sm:868: CP Load Done 0 -- address 4224, data: [ 0x0 ]",
        "     12: system.ruby.l1_cntrl0.sequencer: Cache hit at [0x1000, line 0x1000]",
        "     12: system.cpu0: Completing write at address 1000 (blk 1000) success",
        "     12: global: Seq write: index 0 data 0x1 check 0x1",
        "     12: system.mem_ctrls.dram: Read from ruby.dir_cntrl0 of size 64 on address 0x1000 C",
        "00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00   ........ ........",
        "     12: system.ruby.dir_cntrl0.memory-RespPacketQueue: schedSendTiming for ReadResp address 40 size 64 when 1 ord: 0",
    ] {
        script.line(line);
    }
    let trace = script.read();
    assert_eq!(operations(&trace), EXPECTED);
    assert_eq!(trace.statistics.ignored, 6);
}

#[test]
fn plain_and_compressed_texts_are_equal() {
    let script = both();
    let plain = script.read();
    let text = script.text.as_bytes();
    let (first, second) = text.split_at(300);
    let mut members = common::compressed(first);
    members.extend(common::compressed(second));
    for bytes in [common::compressed(text), members] {
        let trace = ingest::read(&bytes[..], "t", &Options::default()).unwrap();
        assert_eq!(operations(&trace), operations(&plain));
        assert_eq!(trace.statistics, plain.statistics);
    }
}

/// A reader that hands out a few bytes at a time, as a pipe may.
struct Trickle<'a>(&'a [u8]);

impl std::io::Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.len().min(buffer.len()).min(3);
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[test]
fn pipes_deliver_little_at_a_time() {
    let script = both();
    for bytes in [script.text.clone().into_bytes(), common::compressed(script.text.as_bytes())] {
        let trace = ingest::read(Trickle(&bytes), "t", &Options::default()).unwrap();
        assert_eq!(operations(&trace), EXPECTED);
    }
}

#[test]
fn formats_are_told_by_content() {
    let axe = "# a test\n0: M[1] := 1\ncheck\n";
    let trace = common::read(axe, &Options::default()).unwrap();
    assert_eq!(trace.format.name(), "axe");
    assert_eq!(trace.statistics.lines, 3);
    let fixture =
        ingest::read_path(&common::fixture("mi-2x50-io-11.trace.gz"), &Options::default());
    let trace = fixture.unwrap();
    assert_eq!(trace.format.name(), "gem5");
    assert_eq!(trace.histories[0].operations(), 100);
    assert_eq!(trace.statistics.protocol.as_deref(), Some("MI_example"));
}
