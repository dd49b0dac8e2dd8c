//! Every recorded trace in the folder `shared` beside the repository has the operations that the manifest says.

use crate::common;
use std::fs;
use std::ops::Range;

use history::{History, Sizes, Source};
use ingest::{Addresses, Options};

/// A row of the manifest.
struct Row {
    file: String,
    protocol: String,
    threads: usize,
    operations: usize,
    locations: usize,
    source: Source,
    flags: String,
    addresses: Option<Range<u64>>,
    ended: String,
}

/// The fields of a line of CSV; quotes keep commas together.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(common::shared("gem5/traces/manifest.csv")).unwrap();
    let mut lines = text.lines();
    let header = fields(lines.next().unwrap());
    let rows = lines.map(|line| {
        let row = fields(line);
        let get = |name: &str| row[header.iter().position(|field| field == name).unwrap()].clone();
        let number = |name: &str| get(name).parse().unwrap();
        let hex = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
        Row {
            file: get("file"),
            protocol: get("protocol"),
            threads: number("threads"),
            operations: number("operations"),
            locations: number("locations"),
            source: Source::from_name(&get("source")).unwrap(),
            flags: get("flags"),
            addresses: get("addresses").split_once('-').map(|(low, high)| hex(low)..hex(high)),
            ended: get("ended"),
        }
    });
    rows.collect()
}

fn per_thread(history: &History) -> Vec<usize> {
    let threads = history.threads().iter();
    threads.map(|thread| history.thread_operations(thread)).collect()
}

fn check(row: &Row) {
    let path = common::shared(&format!("gem5/traces/{}", row.file));
    let options =
        Options { addresses: row.addresses.clone().map(Addresses::Range), ..Options::default() };
    let trace = ingest::read_path(&path, &options).unwrap();
    let name = &row.file;
    assert_eq!(trace.histories.len(), 1, "{name}");
    let history = &trace.histories[0];
    let provenance = &history.provenance;
    assert_eq!(provenance.source, row.source, "{name}");
    assert_eq!(history.threads().len(), row.threads, "{name}");
    assert_eq!(history.operations(), row.operations, "{name}");
    assert_eq!(history.locations().len(), row.locations, "{name}");
    // On x86 the names of registers show the sizes of accesses.
    let sizes = match row.source {
        Source::Exec => Sizes::Recorded,
        _ => Sizes::Assumed(8),
    };
    assert_eq!(provenance.sizes, sizes, "{name}");
    if row.flags.contains("ProtocolTrace") {
        assert_eq!(provenance.protocol.as_deref(), Some(&*row.protocol), "{name}");
    }
    if row.ended.starts_with("aborted") {
        assert_eq!(provenance.unfinished.len(), row.threads, "{name}");
        let words = provenance.ended.as_deref().unwrap();
        assert!(
            words.starts_with("trace incomplete: 4 requests outstanding, the oldest"),
            "{name}: {words}"
        );
    } else {
        let share = row.operations / row.threads;
        assert_eq!(per_thread(history), vec![share; row.threads], "{name}");
        assert!(provenance.unfinished.is_empty(), "{name}");
    }
    assert!(provenance.notes.is_empty(), "{name}: {:?}", provenance.notes);
    assert_eq!(trace.statistics.skipped, 0, "{name}");
}

/// The aborted runs as gem5 output folders, with a made-up message, since gem5's own was not kept.
#[test]
#[ignore = "needs ../shared"]
fn aborted_runs_with_a_message() {
    let aborted = rows().into_iter().filter(|row| row.ended.starts_with("aborted"));
    for row in aborted {
        let folder = tempfile::tempdir().unwrap();
        let from = common::shared(&format!("gem5/traces/{}", row.file));
        fs::copy(from, folder.path().join("trace.gz")).unwrap();
        let plain = ingest::read_path(&folder.path().join("trace.gz"), &Options::default());
        let plain = plain.unwrap();
        // The line of the request that had waited longest.
        let line = plain.ending.waiting[0].cache_line;
        let message = format!(
            "build/NULL/mem/ruby/protocol/L1Cache_Transitions.cc:1: panic: Invalid transition\n\
             system.ruby.l1_cntrl0 time: 7 addr: {line:#x} event: Inv state: M\n"
        );
        fs::write(folder.path().join("simerr.txt"), message).unwrap();
        let trace = ingest::read_path(folder.path(), &Options::default()).unwrap();
        let (name, ending) = (&row.file, &trace.ending);
        assert_eq!(trace.histories[0].operations(), row.operations, "{name}");
        assert!(trace.histories[0].provenance.crash.is_some(), "{name}");
        assert_eq!(ending.cache_line, Some(line), "{name}");
        assert!(ending.steps.iter().all(|step| step.address == line), "{name}");
        assert!(ending.steps.len() > 5, "{name}: {:?}", ending.steps);
        assert_eq!(ending.waiting, plain.ending.waiting, "{name}");
        let busy = |it: &ingest::ending::OutstandingRequest| !it.controllers.is_empty();
        assert!(ending.waiting.iter().all(busy), "{name}: {:?}", ending.waiting);
    }
}

#[test]
#[ignore = "needs ../shared"]
fn traces_of_the_manifest() {
    rows().iter().for_each(check);
}

/// A client's operations are those that reached Ruby and those that a store buffer served.
#[test]
#[ignore = "needs ../shared"]
fn both_histories_of_a_store_buffer() {
    for row in rows().iter().filter(|row| row.source == Source::Client) {
        let path = common::shared(&format!("gem5/traces/{}", row.file));
        let options = Options { source: Some(Source::Ruby), ..Options::default() };
        let ruby = ingest::read_path(&path, &options).unwrap();
        let client = ingest::read_path(&path, &Options::default()).unwrap();
        let forwarded = client.statistics.forwarded_loads as usize;
        assert!(forwarded > 0);
        assert_eq!(ruby.histories[0].operations() + forwarded, row.operations, "{}", row.file);
        assert!(ruby.statistics.overlapping > 0);
        assert_eq!(client.statistics.uncommitted_stores, 0);
    }
}

#[test]
#[ignore = "needs ../shared"]
fn traces_of_the_stock_testers() {
    let read = |name: &str| {
        let path = common::shared(&format!("gem5/traces/{name}"));
        ingest::read_path(&path, &Options::default()).unwrap()
    };
    let trace = read("stock-memtest-MESI_Two_Level.trace.gz");
    let history = &trace.histories[0];
    assert_eq!(history.operations(), 337);
    assert_eq!(history.provenance.sizes, Sizes::Recorded);
    assert_eq!(history.provenance.unfinished.len(), 64);
    assert!(history.provenance.notes[0].contains("overlapped in time"));

    let trace = read("stock-random-MESI_Two_Level.trace.gz");
    // 831 completions; the tester fetches 36 times.
    assert_eq!(trace.histories[0].operations(), 795);
    assert_eq!(trace.statistics.fetches, 36);
    assert_eq!(trace.histories[0].provenance.sizes, Sizes::Assumed(1));
}

/// Transitions that gem5 itself counted over many runs: no trace has others, and the totals of the
/// table and of the counts agree.
#[test]
#[ignore = "needs ../shared"]
fn transitions_are_those_of_the_protocol() {
    for row in rows().iter().filter(|row| row.file.contains("-io-")) {
        let known = common::shared(&format!("gem5/transitions/{}-Directory.csv", row.protocol));
        let known = fs::read_to_string(known).unwrap();
        let path = common::shared(&format!("gem5/traces/{}", row.file));
        let options = Options { transitions: true, ..Options::default() };
        let trace = ingest::read_path(&path, &options).unwrap();
        let counts = &trace.statistics.transitions;
        let total: u64 = counts.iter().map(|count| count.count).sum();
        assert_eq!(total, trace.transitions.len() as u64);
        for count in counts.iter().filter(|count| count.machine == "Directory") {
            let prefix = format!("Directory,{},{},", count.state, count.event);
            assert!(known.lines().any(|line| line.starts_with(&prefix)), "{}: {prefix}", row.file);
        }
    }
}
