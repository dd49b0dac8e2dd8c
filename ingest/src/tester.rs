//! Logs of `RubricTester`, the plug-in for gem5: the operations of programs, as binary records with ticks.
//!
//! A log begins with the line [`MAGIC`]. Records follow, each a byte with its kind and then numbers in LEB128 (seven
//! bits a byte, the lowest first):
//!
//! | byte | record | numbers |
//! |---|---|---|
//! | `0x01` | a run begins | version of the core (0), threads, bytes of a line; the program's name and the kind of core, each as a length and UTF-8 |
//! | `0x02` | the run has ended | tick, reason: 0 all operations completed, 1 stopped before |
//! | `0x10` | load issued | thread, index, tick, address, size |
//! | `0x11` | store issued | thread, index, tick, address, size, value |
//! | `0x12` | read-modify-write issued | thread, index, tick, address, size, value that it writes |
//! | `0x13` | fence reached | thread, index, tick |
//! | `0x14` | load-linked issued | thread, index, tick, address, size |
//! | `0x15` | store-conditional issued, which succeeds | thread, index, tick, address, size, value |
//! | `0x16` | ordering of the operation issued next | thread, index, tick; words separated by `/`, as a length and UTF-8 |
//! | `0x20` | operation completed | thread, index, tick |
//! | `0x21` | operation completed that read | thread, index, tick, value |
//! | `0x30` | the next name of the run, numbered from 0 | its length and UTF-8 |
//! | `0x31` | a controller took a transition | the numbers of machine, event, state and next state; version, address of the line, tick |
//!
//! The words of an ordering are `fence:KIND`, `annotation:KIND` and dependencies such as `address:3`.
//!
//! A tick is written as the difference to that of the record before; a run begins at tick 0. The index is the position
//! of an operation in its thread's program. A load that a core repeats is issued again, and the last issue counts. A
//! store that enters a store buffer is issued then, and completes when memory has performed it. A record is written
//! whole or not at all, so a log without an end is one of a run that crashed or was stopped.
//!
//! A store that was issued is an operation of the history even if it has not completed, as in any client's history;
//! other operations are only if they completed. Several logs may be concatenated.
//!
//! ```
//! let mut log = ingest::tester::MAGIC.to_vec();
//! log.extend(b"\x01\x00\x01\x40\x02up\x08in-order"); // a run of one thread
//! log.extend(b"\x11\x00\x00\x05\x80\x20\x08\x07\x20\x00\x00\x09"); // store 0x1000 := 7, issued at 5, completed at 14
//! log.extend(b"\x02\x01\x00");
//! let read = ingest::read(&log[..], "run.log", &ingest::Options::default())?;
//! let history = &read.histories[0];
//! let store = history.ops().next().unwrap();
//! assert_eq!(history.describe(store), "store 0x1000 := 0x7");
//! assert_eq!(history.provenance.ended.as_deref(), Some("all requests answered"));
//! # Ok::<(), ingest::Error>(())
//! ```

mod completed;
mod ending;
mod live;
mod record;
mod run;
mod taken;

use std::path::Path;

use history::{History, Source};
use settings::Setting;

use crate::error::{Error, or_lossy};
use crate::format::{Contents, FormatInfo, Resemblance, TraceFormat};
use crate::gem5::crash::end::End;
use crate::gem5::run::RunProperties;
use crate::input::{LINE_LIMIT, Lines};
use crate::live_reader::LiveReader;
use crate::options::Options;
use crate::statistics::Statistics;
use live::LiveLog;
use record::{Flaw, LONGEST, Record};
use run::Run;
use taken::ControllerTransitions;

/// The first line of a log, with the version of the format.
pub const MAGIC: &[u8] = b"\x93RUBRIC-LOG 1\n";

/// The beginning of the first line of a log of any version.
const MAGIC_OF_ANY: &[u8] = b"\x93RUBRIC-LOG ";

/// The advice of messages about damaged records.
fn hint() -> String {
    or_lossy("the log may be damaged: record it again", "keep what comes before")
}

/// Whether a file begins like a log, plain or compressed.
pub fn is_log(path: &Path) -> bool {
    crate::folder::is_log(path)
}

/// The format of the logs of the plug-in for gem5.
pub struct Tester;

impl TraceFormat for Tester {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "tester",
            title: "a log of RubricTester",
            example: "RUBRIC-LOG 1",
            extensions: &[],
            line_limit: LINE_LIMIT,
        }
    }

    fn recognises(&self, line: &[u8]) -> Resemblance {
        if line.starts_with(MAGIC_OF_ANY) { Resemblance::Certain } else { Resemblance::None }
    }

    fn watch<'o>(&self, options: &'o Options) -> Option<Box<dyn LiveReader + 'o>> {
        Some(Box::new(LiveLog::new(options)))
    }

    fn read(&self, lines: &mut Lines<'_>, options: &Options) -> Result<Contents, Error> {
        read(lines, options, &RunProperties::default())
    }
}

/// Reads a log; `surroundings` are the properties of its run that other files show.
pub(crate) fn read(
    lines: &mut Lines<'_>,
    options: &Options,
    surroundings: &RunProperties,
) -> Result<Contents, Error> {
    if let Some(asked) = options.source.filter(|asked| *asked != Source::Client) {
        return Err(lines.syntax(
            "a log of RubricTester, whose source is `client`",
            format!("one of `{}`", asked.name()),
            format!("leave {} out", Setting::Source),
        ));
    }
    let mut taken = ControllerTransitions::new(options.transitions);
    let mut histories = parse(lines, options, surroundings, &mut taken)?;
    let protocol = taken.protocol().map(str::to_owned);
    for history in &mut histories {
        history.provenance.protocol.clone_from(&protocol);
    }
    let ending = histories.last().map(|history| taken.ending(history, surroundings));
    let contents = Contents::histories(lines, histories)?;
    let statistics = Statistics { transitions: taken.counts(), protocol, ..contents.statistics };
    let ending = ending.unwrap_or_default();
    Ok(Contents { transitions: taken.transitions, ending, statistics, ..contents })
}

/// Reads the runs of a log.
fn parse(
    lines: &mut Lines<'_>,
    options: &Options,
    surroundings: &RunProperties,
    taken: &mut ControllerTransitions,
) -> Result<Vec<History>, Error> {
    let mut histories = Vec::new();
    let mut run: Option<Run> = None;
    let mut number = 0_u64;
    loop {
        let (found, length) = match record::decode(lines.ahead(LONGEST)?) {
            Ok(None) => break,
            Ok(Some((found, length))) => (Ok(found), length),
            Err(flaw) => (Err(flaw), 0),
        };
        number += 1;
        let finished = found.and_then(|found| match (found, &mut run) {
            (Record::Magic, _) => Ok(None),
            (Record::Run(head), run) => {
                taken.begin_run(head.line_size);
                Ok(run.replace(Run::new(head, options)))
            }
            (record, Some(run)) => run.take(&record, number, taken).map(|()| None),
            (_, None) => Err(misplaced()),
        });
        match finished {
            Ok(finished) => histories.extend(finish(finished, &End::default(), lines)?),
            Err(flaw) if options.lossy => {
                if let Some(run) = &mut run {
                    run.damaged(&flaw, lines.bytes(), number);
                }
                lines.skip_rest();
                break;
            }
            Err(flaw) => return Err(broken(lines, flaw)),
        }
        lines.consume(length);
    }
    // The message that gem5 printed at its end is about the last run.
    histories.extend(finish(run, &surroundings.end, lines)?);
    if histories.is_empty() {
        return Err(broken(lines, Flaw::new("the end of the log", "the record of a run's begin")));
    }
    Ok(histories)
}

fn finish(
    run: Option<Run<'_>>,
    printed: &End,
    lines: &Lines<'_>,
) -> Result<Option<History>, Error> {
    let history = run.map(|run| run.finish(printed)).transpose();
    history.map_err(|error| Error::Build { file: lines.file().to_owned(), error })
}

/// The flaw of a record that belongs to no run.
fn misplaced() -> Flaw {
    Flaw::new("a record outside of a run", "the record of a run's begin")
}

/// The error about the record that comes next.
fn broken(lines: &Lines<'_>, flaw: Flaw) -> Error {
    Error::Record {
        file: lines.file().to_owned(),
        byte: lines.bytes(),
        found: flaw.found,
        expected: flaw.expected,
        hint: hint(),
    }
}

#[cfg(test)]
mod tests;
