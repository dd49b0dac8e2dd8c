//! What a reader that may skip damaged lines skips, and what a history lacks because of it.

use history::{Doubt, Gap, Kind};
use ingest::Options;

use crate::common::{self, Script, lossy, operations};

const A: u64 = 0x1000;

/// The first gap that skipped lines leave in a history: its line, and whether a violation is in doubt as well.
fn gap(trace: &ingest::Trace) -> Option<(u64, Gap)> {
    let gap = trace.histories[0].provenance.not_understood.first()?;
    assert_eq!(gap.doubt, Some(Doubt::Skipped));
    Some((gap.line, gap.gap))
}

/// The trace with another text in place of that of a line.
fn instead(text: &str, line: &str, other: &str) -> String {
    assert_eq!(text.matches(line).count(), 1, "{line}\n{text}");
    text.replace(line, other)
}

#[test]
fn a_skipped_line_that_may_have_shown_an_operation_is_a_gap() {
    let mut script = Script::new();
    script.store(0, A, &[1]).load(1, A, &[1]);
    script.raw(0, "L1Cache", "Load", ("S", "S"), A, "");
    let text = script.text.clone();
    let lossy = |text: &str| common::read(text, &lossy()).unwrap();
    let all = ["0: store 0x1000 := 0x1", "1: load 0x1000 == 0x1"];
    // Lines without a part of an operation.
    let offer = "Timing request for address 0x1000 on port 0";
    let second = text.rfind(offer).unwrap();
    let cut_offer = format!("{}{}", &text[..second + 16], &text[second + offer.len()..]);
    let transition = text.rfind(" [0x1000, line").unwrap();
    let cut_transition = format!("{} [0x1\n", &text[..transition]);
    for harmless in [cut_offer, cut_transition] {
        let trace = lossy(&harmless);
        assert_eq!(trace.statistics.skipped, 1, "{harmless}");
        assert_eq!((operations(&trace), gap(&trace)), (all.map(str::to_owned).to_vec(), None));
    }
    // A completion whose data line shows all of it.
    let cut = instead(&text, "Hit callback for ReadReq 0x1000", "Hit callback for Rea");
    let trace = lossy(&cut);
    assert_eq!((operations(&trace), gap(&trace)), (all.map(str::to_owned).to_vec(), None));
    // A store without its value, which a load may have read.
    let block = common::block(&[1]);
    let trace = lossy(&instead(&text, &format!("set data {block}"), "set data [ 0x1 "));
    assert_eq!(operations(&trace), ["0: store 0x1000 := ?", all[1]]);
    assert_eq!(gap(&trace), None);
    // A load without its value, one of an unknown place, and a line of which nothing is known.
    let trace = lossy(&instead(&text, &format!("read data {block}"), "read data [ 0x1 "));
    assert_eq!(operations(&trace), [all[0], "1: load 0x1000 == ?"]);
    assert!(matches!(gap(&trace), Some((14, Gap::Read))), "{:?}", gap(&trace));
    let trace =
        lossy(&instead(&text, "Request ReadReq 0x1000 issued", "Request ReadReq 0x1000 iss"));
    assert_eq!((operations(&trace).len(), gap(&trace)), (1, Some((12, Gap::Read))));
    let trace = lossy(&(text + "     9: system.ru\n     9: system.x: y\n"));
    assert_eq!(gap(&trace), Some((20, Gap::Read)));
}

#[test]
fn what_a_skipped_line_leaves_in_doubt_proves_nothing() {
    let at = (0, 0);
    // The first of two loads of one location loses its completion, so the second seems to answer the request of the first.
    let mut script = Script::new();
    script.request(at, "ReadReq", A, Some("LD"));
    script.request(at, "ReadReq", A + 64, Some("LD"));
    script.complete(at, "ReadReq", A, Some("Done"), &[("read", &[0])]);
    script.complete(at, "ReadReq", A + 64, Some("Done"), &[("read", &[0])]);
    script.request(at, "ReadReq", A, Some("LD"));
    script.complete(at, "ReadReq", A, Some("Done"), &[("read", &[1])]);
    let lines: Vec<&str> = script.text.lines().collect();
    let is_lost = |line: &str, nth: usize| {
        let found = lines.iter().position(|it| it.contains(line)).unwrap();
        found == nth
    };
    let text: String = lines
        .iter()
        .enumerate()
        .map(|(nth, line)| match () {
            () if is_lost("read data", nth) || is_lost("Hit callback for ReadReq 0x1000", nth) => {
                "\0\n".to_owned()
            }
            () => format!("{line}\n"),
        })
        .collect();
    let trace = common::read(&text, &lossy()).unwrap();
    assert_eq!(operations(&trace), ["0: load 0x1040 == 0x0"]);
    // A load-linked is lost: the store-conditional belongs to it and not to the one before.
    let mut script = Script::new();
    for value in [0, 1] {
        script.request(at, "LoadLockedReq", A, Some("LD"));
        script.complete(at, "LoadLockedReq", A, Some("Done"), &[("read", &[value])]);
    }
    script.request(at, "StoreCondReq", A, Some("ST"));
    script.complete(at, "StoreCondReq", A, Some("Done"), &[("set", &[2])]);
    let cut = instead(&script.text, &format!("read data {}", common::block(&[1])), "read data [");
    let trace = common::read(&cut, &lossy()).unwrap();
    let kinds = common::kinds(&trace.histories[0]);
    assert_eq!(kinds, [Kind::LoadLinked, Kind::LoadLinked, Kind::StoreConditional]);
}

#[test]
fn other_sources_have_gaps_as_well() {
    let client = "1: system.client: T0 op 0 store 0x40 0x1\n2: system.client: T0 op 1 lo\n3: system.client: T1 op 0 load 0x40 0x1\n";
    let trace = common::read(client, &lossy()).unwrap();
    assert_eq!(gap(&trace), Some((2, Gap::Read)));
    let cpu = "system.cpu0: T0 : 0x10 @f    : ";
    let access = |tick, what: &str| format!("{tick}: {cpu}{what}\n");
    let exec = [
        access(1, "sd a0, 0(a1) : MemWrite :  D=0x0000000000000001 A=0x8000"),
        access(2, "ld a0, 0(a1) : MemRead :  D=0x00000000000"),
        access(3, "ld a0, 0(a1) : MemRead :  D=0x0000000000000001 A=0x8000"),
    ];
    let options = Options { addresses: Some(ingest::Addresses::Range(0..0x9000)), ..lossy() };
    let trace = common::read(&exec.concat(), &options).unwrap();
    assert_eq!(gap(&trace), Some((2, Gap::Read)));
    let axe = |text: &str| gap(&common::read(text, &lossy()).unwrap());
    assert_eq!(axe("0: v1 := 1\n0: v1 :=\n1: v1 == 1\n"), Some((2, Gap::Read)));
    // A value that only the skipped line can have written is no violation.
    let read = common::read("0: v1 := 1\n0: v1 :=\n1: v1 == 5\nfinal v1 == 7\n", &lossy()).unwrap();
    assert!(read.histories[0].provenance.outside_writes && read.histories[0].finals().is_empty());
}

/// The data of a store-conditional whose path was garbled seem to be of another sequencer. It has succeeded all the same, as the line
/// before its data says, and what it wrote is not known.
#[test]
fn a_store_conditional_whose_data_went_astray_has_not_failed() {
    let mut script = Script::new();
    let at = (0, 1);
    script.request(at, "LoadLockedReq", A, Some("LD"));
    script.complete(at, "LoadLockedReq", A, Some("Done"), &[("read", &[0])]);
    script.request(at, "StoreCondReq", A, Some("ST"));
    script.complete(at, "StoreCondReq", A, Some("Done"), &[("set", &[1])]);
    script.load(1, A, &[1]);
    let data = script.text.lines().find(|line| line.contains("set data")).unwrap();
    let astray = data.replacen("l1_", "l1#", 1);
    assert_ne!(data, astray);
    let trace = common::read(&instead(&script.text, data, &astray), &lossy()).unwrap();
    assert_eq!(trace.statistics.failed_store_conditionals, 0);
    assert!(operations(&trace).iter().any(|it| it.ends_with("load 0x1000 == 0x1")));
    assert_eq!(
        common::read(&script.text, &lossy()).unwrap().statistics.failed_store_conditionals,
        0
    );
}
