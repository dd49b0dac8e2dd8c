//! Tests of the reader of logs, with logs written out as bytes.

use std::io::{self, Read};

use history::{Access, Annotation, DependencyKind, Kind, WeakFence};

use crate::input::Lines;
use crate::tester::MAGIC;
use crate::{Error, Live, LiveEnd, Options, Trace, read};

/// A log with one run of two threads that has these records.
fn log(records: &[&[u8]]) -> Vec<u8> {
    let run: &[u8] = b"\x01\x00\x02\x40\x02up\x08early-08";
    [&[MAGIC, run], records].concat().concat()
}

fn read_log(log: &[u8], lossy: bool) -> Result<Trace, Error> {
    read(log, "run.log", &Options { lossy, ..Options::default() })
}

fn described(log: &[u8]) -> Vec<String> {
    let trace = read_log(log, false).unwrap();
    let histories = trace.histories.iter();
    let described = histories.flat_map(|history| {
        let words = |op| format!("T{} {}", history.operation(op).thread, history.describe(op));
        history.ops().map(words).collect::<Vec<_>>()
    });
    described.collect()
}

const STORE: &[u8] = b"\x11\x00\x01\x05\x80\x20\x08\x07";
const LOAD: &[u8] = b"\x10\x01\x00\x02\x80\x20\x08";
const LOADED: &[u8] = b"\x21\x01\x00\x03\x07";
const RMW: &[u8] = b"\x12\x00\x00\x01\x88\x20\x04\x09";
const RMW_DONE: &[u8] = b"\x21\x00\x00\x01\x00";
const FENCE: &[u8] = b"\x13\x01\x01\x00\x20\x01\x01\x00";
const END: &[u8] = b"\x02\x00\x00";

#[test]
fn operations_are_in_program_order() {
    let log = log(&[STORE, LOAD, RMW, LOADED, RMW_DONE, b"\x20\x00\x01\x01", FENCE, END]);
    let expected = [
        "T0 rmw 0x1008 == 0x0, := 0x9",
        "T0 store 0x1000 := 0x7",
        "T1 load 0x1000 == 0x7",
        "T1 fence",
    ];
    assert_eq!(described(&log), expected);
    let trace = read_log(&log, false).unwrap();
    let history = &trace.histories[0];
    assert_eq!(trace.format.name(), "tester");
    assert_eq!(history.name.as_deref(), Some("up"));
    let store = history.ops().nth(1).unwrap();
    let ticks = (history.operation(store).issued, history.operation(store).completed);
    assert_eq!(ticks, (Some(5), Some(13)));
    assert!(history.provenance.unfinished.is_empty());
}

#[test]
fn only_stores_count_before_they_complete() {
    let log = log(&[STORE, LOAD, RMW]);
    assert_eq!(described(&log), ["T0 store 0x1000 := 0x7"]);
    let trace = read_log(&log, false).unwrap();
    let provenance = &trace.histories[0].provenance;
    let expected = "trace incomplete: 3 requests outstanding, the oldest (line 3, tick 5, store to 0x1000 by thread 0) \
                    for 3 ticks";
    assert_eq!(provenance.ended.as_deref(), Some(expected));
    let writes: Vec<bool> = provenance.unfinished.iter().map(|it| it.writes).collect();
    assert_eq!(writes, [true, false, true]);
}

#[test]
fn a_load_is_issued_as_often_as_a_core_likes() {
    let log = log(&[LOAD, LOAD, LOADED, END]);
    let trace = read_log(&log, false).unwrap();
    let history = &trace.histories[0];
    let load = history.ops().next().unwrap();
    assert_eq!(history.operation(load).issued, Some(4));
}

#[test]
fn logs_may_follow_each_other() {
    let one = log(&[LOAD, LOADED, END]);
    let two = [one.clone(), one].concat();
    assert_eq!(read_log(&two, false).unwrap().histories.len(), 2);
}

#[test]
fn errors_name_the_byte() {
    let head = log(&[]).len();
    for (records, expected) in [
        (&[&b"\x07"[..]][..], "a record of kind 0x07, expected a kind that version 1"),
        (&[&STORE[..3]], "the end of the log within a record"),
        (&[b"\x20\x00\x00\x00"], "the completion of operation 0 of thread 0"),
        (&[b"\x13\x02\x00\x00"], "thread 2, expected one of the 2 threads"),
        (&[b"\x10\x00\x00\x00\x80\x20\x09"], "an access of 9 bytes at 0x1000"),
        (&[b"\x10\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01"], "more than 64 bits"),
        (&[b"\x02\x00\x02"], "2, expected 0 or 1"),
    ] {
        let text = read_log(&log(records), false).unwrap_err().to_string();
        assert!(text.starts_with(&format!("run.log: byte {head}: found ")), "{text}");
        assert!(text.contains(expected), "{text}");
        assert!(read_log(&log(records), true).is_ok(), "{text}");
    }
    for (records, expected) in [
        ([LOAD, LOADED, LOAD], "operation 0 of thread 1 once more"),
        ([LOAD, STORE, STORE], "operation 1 of thread 0 once more"),
        ([LOAD, END, STORE], "after the end of a run"),
    ] {
        let text = read_log(&log(&records), false).unwrap_err().to_string();
        assert!(text.contains(expected), "{text}");
    }
    let text = read_log(b"\x93RUBRIC-LOG 2\n", false).unwrap_err().to_string();
    assert!(text.contains("a log of version `2`, expected version 1"), "{text}");
}

#[test]
fn damage_is_left_out_and_noted() {
    let log = log(&[LOAD, LOADED, b"\x07\x07\x07"]);
    let trace = read_log(&log, true).unwrap();
    let history = &trace.histories[0];
    assert_eq!(history.len(), 1);
    assert!(history.provenance.notes[0].contains("kind 0x07"), "{:?}", history.provenance.notes);
}

/// Reads a log as if it still grew, and returns its operations in the order of completion, and its end.
fn watched(log: &[u8]) -> Result<(Vec<Access>, LiveEnd), Error> {
    let options = Options::default();
    let mut lines = Lines::new(log, "run.log", false)?;
    let mut live = Live::new(&options);
    let mut accesses = Vec::new();
    while live.advance(&mut lines)? {
        accesses.append(&mut live.fetch());
    }
    let mut end = live.finish(&lines)?;
    accesses.append(&mut end.accesses);
    Ok((accesses, end))
}

#[test]
fn a_growing_log_shows_operations_as_they_complete() {
    let log = log(&[STORE, LOAD, RMW, LOADED, RMW_DONE, b"\x20\x00\x01\x01", FENCE, END]);
    let (accesses, end) = watched(&log).unwrap();
    let ticks: Vec<_> = accesses.iter().map(|it| (it.thread, it.sequence, it.completed)).collect();
    assert_eq!(ticks, [(1, 0, Some(11)), (0, 0, Some(12)), (0, 1, Some(13)), (1, 1, Some(13))]);
    assert_eq!(end.ended.as_deref(), Some("all requests answered"));
}

#[test]
fn a_growing_log_ends_with_the_stores_that_have_not_completed() {
    let (accesses, end) = watched(&log(&[STORE, LOAD, RMW])).unwrap();
    let stores: Vec<_> = accesses.iter().map(|it| (it.kind, it.written, it.order)).collect();
    assert_eq!(stores, [(Kind::Store, Some(7), None)]);
    assert_eq!(end.unfinished.len(), 3);
}

#[test]
fn a_growing_log_has_one_run_and_whole_records() {
    let one = log(&[LOAD, LOADED, END]);
    for (log, expected) in [
        ([one.clone(), one.clone()].concat(), "a second run"),
        (one[..one.len() - 1].to_vec(), "the end of the log within a record"),
        (MAGIC.to_vec(), "the end of the log"),
    ] {
        let text = watched(&log).unwrap_err().to_string();
        assert!(text.contains(expected), "{text}");
    }
}

/// Input that arrives byte by byte.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(&mut buffer[..1])
    }
}

#[test]
fn records_of_a_growing_log_arrive_in_parts() {
    let log = log(&[STORE, LOAD, LOADED, b"\x20\x00\x01\x01", END]);
    let options = Options::default();
    let mut lines = Lines::new(Slow(&log), "run.log", false).unwrap();
    let mut live = Live::new(&options);
    let mut numbers = Vec::new();
    while live.advance(&mut lines).unwrap() {
        numbers.extend(live.fetch().iter().map(|access| (lines.bytes(), access.thread)));
    }
    // Each operation is returned as soon as the last byte of its record has arrived.
    let end = log.len() as u64;
    assert_eq!(numbers, [(end - 7, 1), (end - 3, 0)]);
}

const LINKED: &[u8] = b"\x14\x00\x00\x01\x80\x20\x08";
const LINKED_DONE: &[u8] = b"\x21\x00\x00\x01\x00";
const CONDITIONAL: &[u8] = b"\x15\x00\x01\x01\x80\x20\x08\x09";
const CONDITIONAL_DONE: &[u8] = b"\x20\x00\x01\x01";

/// The record of the ordering of the second operation of a thread.
fn order(thread: u8, words: &str) -> Vec<u8> {
    [&[0x16, thread, 1, 0, words.len() as u8], words.as_bytes()].concat()
}

#[test]
fn orderings_of_weak_models_are_read() {
    let release = order(0, "annotation:release/address:0");
    let fence = order(1, "fence:fence-r,rw");
    // The store-conditional completes before the operation that it depends on.
    let log =
        log(&[LINKED, &release, CONDITIONAL, CONDITIONAL_DONE, LINKED_DONE, &fence, FENCE, END]);
    let trace = read_log(&log, false).unwrap();
    let history = &trace.histories[0];
    let rows: Vec<_> = history.ops().map(|op| history.row(op)).collect();
    let kinds: Vec<Kind> = rows.iter().map(|row| row.kind).collect();
    let fence = Kind::WeakFence(WeakFence::ReadBoth);
    assert_eq!(kinds, [Kind::LoadLinked, Kind::StoreConditional, fence]);
    assert_eq!(rows[1].annotation, Annotation::Release);
    assert_eq!(rows[1].dependencies, [(DependencyKind::Address, 0)]);
    assert!(rows[0].annotation.is_none() && rows[0].dependencies.is_empty());
}

#[test]
fn orderings_that_cannot_be_are_refused() {
    for (words, expected) in [
        ("address:1", "a dependency of operation 1 on operation 1"),
        ("fence:full", "found `fence:full`, expected fence:KIND"),
        ("", "expected fence:KIND, annotation:KIND or a dependency"),
    ] {
        let text = read_log(&log(&[&order(0, words), END]), false).unwrap_err().to_string();
        assert!(text.contains(expected), "{text}");
    }
}

const NAMES: &[u8] = b"\x30\x07L1Cache\x30\x04Load\x30\x01I\x30\x02IS";

#[test]
fn transitions_are_a_table_beside_the_operations() {
    let taken = b"\x31\x00\x01\x02\x03\x05\x80\x20\x04";
    let log = log(&[STORE, NAMES, taken, taken, LOAD, LOADED, END]);
    let options = Options { transitions: true, ..Options::default() };
    let trace = read(&log[..], "run.log", &options).unwrap();
    let second = trace.transitions.get(1).unwrap();
    assert_eq!((second.machine, second.version, second.event), ("L1Cache", 5, "Load"));
    assert_eq!((second.state, second.next_state, second.address), ("I", "IS", 0x1000));
    // The store was issued at tick 5, and each transition came 4 ticks after the record before; the magic is record 1.
    assert_eq!((second.tick, second.line), (13, 9));
    let history = &trace.histories[0];
    let load = history.ops().find(|&op| history.kind(op) == Kind::Load).unwrap();
    assert_eq!(history.completed(load), Some(18));
    let counted = read_log(&log, false).unwrap();
    assert!(counted.transitions.is_empty());
    let count = &counted.statistics.transitions[0];
    assert_eq!((&*count.event, &*count.next_state, count.count), ("Load", "IS", 2));
}

#[test]
fn a_transition_has_names_that_were_given() {
    let log = log(&[NAMES, b"\x31\x00\x01\x02\x04\x05\x80\x20\x04"]);
    let error = read_log(&log, false).unwrap_err().to_string();
    assert!(error.contains("name 4") && error.contains("one of the 4 that"), "{error}");
}

#[test]
fn a_load_that_was_repeated_is_outstanding_since_its_last_issue() {
    let trace = read_log(&log(&[LOAD, STORE, LOAD]), false).unwrap();
    let outstanding = &trace.histories[0].provenance.unfinished;
    let since: Vec<_> = outstanding.iter().map(|it| (it.writes, it.issued, it.line)).collect();
    // The first two records are the first line and the run's begin.
    assert_eq!(since, [(false, Some(9), Some(5)), (true, Some(7), Some(4))]);
}
