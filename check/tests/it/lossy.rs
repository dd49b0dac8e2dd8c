//! Damages traces of random small runs, reads them and skips the damaged lines, and compares the verdict with that of the whole
//! trace, which is one of the runs that the damaged trace may be of: it may become undecided, but never the opposite.

use std::fmt::Write as _;

use check::{Options, Verdict, check};
use history::{Ambiguity, ReadsFrom};
use memory::Model;
use rand::RngExt;
use rand::rngs::StdRng;

use crate::common::seeded;

const MODELS: [Model; 3] = [Model::SC, Model::TSO, Model::RVWMO];

#[derive(Clone, Copy, PartialEq)]
enum What {
    Load,
    Store,
    Swap,
    Linked,
    Conditional,
}

/// An operation of a random run: what it does to which location, the value that it reads, and the value that it writes.
#[derive(Clone, Copy)]
struct Operation {
    what: What,
    address: u64,
    read: u64,
    written: u64,
}

/// Random operations of two or three threads. Each value is written once.
fn threads(random: &mut StdRng) -> Vec<Vec<Operation>> {
    let mut value = 0;
    let count = random.random_range(2..=3);
    let mut threads: Vec<Vec<Operation>> = Vec::new();
    for _ in 0..count {
        let mut thread: Vec<Operation> = Vec::new();
        for _ in 0..random.random_range(1..=4) {
            value += 1;
            let address = 0x1000 + 0x40 * random.random_range(0..2);
            let read = random.random_range(0..5);
            let linked = thread.last().filter(|last| last.what == What::Linked);
            let what = match random.random_range(0..10) {
                0..4 => What::Load,
                4..8 => What::Store,
                8 => What::Swap,
                _ => What::Linked,
            };
            thread.push(match linked {
                Some(linked) => Operation { what: What::Conditional, written: value, ..*linked },
                None => Operation { what, address, read, written: value },
            });
        }
        threads.push(thread);
    }
    // Reads return values that something has written there, or 0.
    let writes: Vec<(u64, u64)> = threads
        .iter()
        .flatten()
        .filter(|it| !matches!(it.what, What::Load | What::Linked))
        .map(|it| (it.address, it.written))
        .collect();
    for operation in threads.iter_mut().flatten() {
        let values: Vec<u64> =
            writes.iter().filter(|it| it.0 == operation.address).map(|it| it.1).collect();
        let at = operation.read as usize;
        let own = (operation.what == What::Swap).then_some(operation.written);
        operation.read = values.get(at).copied().filter(|&it| Some(it) != own).unwrap_or(0);
    }
    threads
}

/// The lines of a request and those of its completion, as gem5 prints them.
fn lines(thread: usize, operation: Operation, ticks: (u64, u64)) -> [Vec<String>; 2] {
    let Operation { what, address, read, written } = operation;
    let sequencer = format!("system.ruby.l1_cntrl{thread}.sequencer");
    let block = |value| {
        let mut bytes = vec!["0x0"; 16];
        let value = format!("{value:#x}");
        bytes[0] = &value;
        format!("[ {} ]", bytes.join(" "))
    };
    let (command, data) = match what {
        What::Load => ("ReadReq", vec![format!("read data {}", block(read))]),
        What::Linked => ("LoadLockedReq", vec![format!("read data {}", block(read))]),
        What::Store => ("WriteReq", vec![format!("set data {}", block(written))]),
        What::Conditional => ("StoreCondReq", vec![format!("set data {}", block(written))]),
        What::Swap => (
            "SwapReq",
            vec![
                format!("AMO original data {}", block(read)),
                format!("AMO new data {}", block(written)),
            ],
        ),
    };
    let named = |tick: u64, path: &str, message: &str| format!("{tick:7}: {path}: {message}");
    let raw = |tick: u64, event: &str, rest: &str| {
        format!(
            "{tick:15} {thread:3} {:>10}{event:>20} {:>6}>{:<6} [{address:#x}, line {address:#x}] {rest}",
            "Seq", "", ""
        )
    };
    let port = format!("{sequencer}.response_ports1");
    let (issued, completed) = ticks;
    let kind = if matches!(what, What::Load | What::Linked) { "LD" } else { "ST" };
    let request = vec![
        named(issued, &port, &format!("Timing request for address {address:#x} on port 1")),
        raw(issued, "Begin", kind),
        named(issued, &port, &format!("Request {command} {address:#x} issued")),
    ];
    let mut completion = vec![raw(completed, "Done", "10 cycles")];
    completion.extend(data.iter().map(|data| named(completed, &sequencer, data)));
    completion.push(named(
        completed,
        &sequencer,
        &format!("Hit callback for {command} {address:#x}"),
    ));
    completion.push(named(completed, &port, "Hit callback done!"));
    [request, completion]
}

/// The trace of a run whose threads take turns at random. A core may have several requests outstanding.
fn trace(random: &mut StdRng, threads: &[Vec<Operation>]) -> Vec<String> {
    let overlap = random.random_bool(0.4);
    let mut pieces: Vec<(u64, Vec<String>)> = Vec::new();
    for (thread, operations) in threads.iter().enumerate() {
        let (mut issue, mut done) = (0, 0);
        for operation in operations {
            issue += random.random_range(1..9);
            issue = if overlap { issue } else { issue.max(done + 1) };
            done = done.max(issue) + random.random_range(1..9);
            let at = |tick: u64| 10 * tick + thread as u64;
            let [request, completion] = lines(thread, *operation, (at(issue), at(done)));
            pieces.extend([(at(issue), request), (at(done), completion)]);
        }
    }
    pieces.sort_by_key(|(tick, _)| *tick);
    pieces.into_iter().flat_map(|(_, lines)| lines).collect()
}

/// Damages some lines of a trace as files are damaged.
fn damage(random: &mut StdRng, lines: &[String]) -> String {
    let mut lines: Vec<Vec<u8>> = lines.iter().map(|line| line.clone().into_bytes()).collect();
    for _ in 0..random.random_range(1..=2) {
        let at = random.random_range(0..lines.len());
        let length = lines[at].len();
        match random.random_range(0..5) {
            0 => drop(lines.remove(at)),
            1 => lines[at].truncate(random.random_range(0..length.max(1))),
            2 => lines[at] = b"\0\xff?".to_vec(),
            3 if length > 0 => lines[at][random.random_range(0..length)] = b'~',
            _ if length > 0 => {
                // Bytes at the end of one line and the beginning of the next are lost.
                let keep = random.random_range(0..length);
                lines[at].truncate(keep);
                if at + 1 < lines.len() {
                    let next = lines.remove(at + 1);
                    let from = random.random_range(0..=next.len());
                    lines[at].extend_from_slice(&next[from..]);
                }
            }
            _ => {}
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.iter().fold(String::new(), |mut text, line| {
        // Readers take bytes; a byte that is no text is damage as well.
        let _ = writeln!(text, "{}", String::from_utf8_lossy(line));
        text
    })
}

fn verdict(text: &str, lossy: bool, model: Model) -> Option<Option<bool>> {
    let options = ingest::Options { lossy, ..ingest::Options::default() };
    let read = ingest::read(text.as_bytes(), "t", &options).ok()?;
    let history = read.histories.first()?;
    let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).ok()?;
    Some(match check(history, &reads_from, model, &Options::default()).verdict {
        Verdict::Consistent(_) => Some(true),
        Verdict::Violation(_) | Verdict::Unproved => Some(false),
        _ => None,
    })
}

/// The lines of a trace, marked where the damaged one lacks them or has others.
fn difference(whole: &str, damaged: &str) -> String {
    let lacks = |text: &str, line: &str| !text.lines().any(|it| it == line);
    let lines = whole
        .lines()
        .map(|line| format!("{} {line}", if lacks(damaged, line) { '-' } else { ' ' }));
    let others = damaged.lines().zip(1..).filter(|(line, _)| lacks(whole, line));
    lines.chain(others.map(|(line, at)| format!("+ {at}: {line}"))).collect::<Vec<_>>().join("\n")
}

/// Number of runs and of damages of each.
const RUNS: u64 = 120;
const DAMAGES: u64 = 12;

#[test]
fn damage_never_turns_a_verdict_into_the_opposite() {
    let (mut kept, mut undecided) = ([0; 2], 0);
    for seed in 0..RUNS {
        let mut random = seeded(seed);
        let threads = threads(&mut random);
        let whole = trace(&mut random, &threads);
        let text = whole.join("\n") + "\n";
        for _ in 0..DAMAGES {
            let damaged = damage(&mut random, &whole);
            // What is read without a complaint is not damaged, as far as anybody can see.
            if verdict(&damaged, false, Model::SC).is_some() {
                continue;
            }
            for model in MODELS {
                let truth =
                    verdict(&text, false, model).unwrap_or_else(|| panic!("{seed}\n{text}"));
                let (Some(truth), Some(found)) = (truth, verdict(&damaged, true, model)) else {
                    continue;
                };
                match found {
                    Some(found) => {
                        assert_eq!(
                            found,
                            truth,
                            "seed {seed}, {model}:\n{}",
                            difference(&text, &damaged)
                        );
                        kept[usize::from(found)] += 1;
                    }
                    None => undecided += 1,
                }
            }
        }
    }
    println!("{kept:?} kept, {undecided} undecided");
    assert!(kept[0] > 500 && kept[1] > 100 && undecided > 500, "{kept:?} {undecided}");
}
