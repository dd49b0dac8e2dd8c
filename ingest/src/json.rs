//! Reads and writes histories as JSON Lines: each line is one whole history.
//!
//! ```text
//! {"name":"MP","source":"axe","sizes":"cells","split":false,"initial_mode":"zero",
//!  "unfinished":[],"notes":[],"initial":[],
//!  "operations":[{"thread":0,"index":0,"kind":"store","address":1,"written":1},
//!                {"thread":1,"index":0,"kind":"load","address":1,"read":1,"line":2}],
//!  "final":[{"address":1,"value":1}]}
//! ```
//!
//! (wrapped here for readability; in a file an object is one line, and a pretty-printed one is refused). Only `operations` must
//! be there.
//!
//! | field of an operation | |
//! |---|---|
//! | `thread` | number of the thread |
//! | `index` | position in program order, from 0; without it, the order of appearance |
//! | `kind` | `load`, `store`, `rmw`, `failed-cas`, `load-linked`, `store-conditional`, `silent-rmw` or a fence |
//! | `annotation` | `acquire`, `acquire-pc` (RCpc), `release`, `acquire-release`, `no-return` or `no-return-release`, where there is one |
//! | `address`, `size` | location: byte address and 1 to 8 bytes; a cell of the axe format has no `size`, a fence neither |
//! | `read`, `written` | values, where the kind reads or writes and they are known |
//! | `issued`, `completed` | ticks, where known |
//! | `line` | line of the trace that shows the operation |
//! | `order` | rank in the trace's order of completions |
//! | `continues` | true for a further part of the access before it, which was split |
//! | `depends` | pairs such as `["address", 3]`: the address of this operation depends on what operation 3 of its thread returned |
//! | `reads_from` | `[thread, index]` of the write whose value it reads, where it is known although sizes are mixed |
//!
//! A `silent-rmw` is a read-modify-write that writes back the value that it read. A full fence is a `fence`; `fence r,rw` and the
//! like, `fence tso` and `isb` order fewer accesses. The first member of a pair of `depends` is the part that depends: `address`,
//! `data` (the value written), `control` (whether this and all later operations are executed) or `choice` (which of several values
//! is written). An `rmw` depends on itself by `data` if it computes what it writes from what it reads, and by `choice` if it
//! writes only what it expected to read, as a compare-and-swap does.
//!
//! `initial` lists initial values that are not 0 (no `value`: unknown); without the field and with `"initial_mode":"infer"`,
//! initial values are inferred. `final` lists final values. `source` is `axe`, `ruby`, `client` or `exec`; `sizes` is `cells`,
//! `recorded` or `assumed N`; `initial_mode` is `zero`, `infer` or `given`. Numbers are unsigned 64-bit integers.

mod record;

use std::io::{self, Write};
use std::vec::IntoIter;

use history::{Access, History, Initial, InitialMode, OpId, RestoreError, Source};
use settings::Setting;

use crate::error::{Error, WriteError, excerpt, selection};
use crate::format::{Contents, FormatInfo, Resemblance, TraceFormat, skipped_lines};
use crate::input::Lines;
use crate::live_reader::{LiveEnd, LiveReader};
use crate::options::Options;
use record::{Record, RecordRef};

const HINT: &str = "JSON input is JSON Lines, each line one history as `rubric convert` writes it";

/// Limit of the length of a line, in bytes; a line holds a whole history.
const LINE_LIMIT: usize = 1 << 30;

/// Number of operations of a live history that are fetched together: so few that the allocator reuses the memory of the last
/// ones, which the processor still has in its cache.
const FETCHED_TOGETHER: usize = 512;

/// Histories as JSON Lines.
pub struct Json;

impl TraceFormat for Json {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "json",
            title: "JSON Lines",
            example: "{\"operations\": …}",
            extensions: &["json", "jsonl"],
            line_limit: LINE_LIMIT,
        }
    }

    fn recognises(&self, line: &[u8]) -> Resemblance {
        let line = line.trim_ascii_start();
        if line.starts_with(b"{\"") {
            Resemblance::Certain
        } else if line.starts_with(b"{") {
            Resemblance::Likely
        } else {
            Resemblance::None
        }
    }

    fn read(&self, lines: &mut Lines<'_>, options: &Options) -> Result<Contents, Error> {
        let histories = parse(lines, options)?;
        Contents::histories(lines, histories)
    }

    fn watch<'o>(&self, options: &'o Options) -> Option<Box<dyn LiveReader + 'o>> {
        Some(Box::new(LiveHistory {
            options,
            history: None,
            completed: Vec::new().into_iter(),
            unfetched: Vec::new(),
            end: LiveEnd::default(),
        }))
    }

    fn write(&self, history: &History, _: usize, out: &mut dyn Write) -> Result<(), WriteError> {
        Ok(write(history, out)?)
    }
}

/// Reads every history of a JSON Lines text.
fn parse(lines: &mut Lines<'_>, options: &Options) -> Result<Vec<History>, Error> {
    let mut histories = Vec::new();
    let mut skipped = 0;
    while lines.advance()? {
        if lines.line().trim_ascii().is_empty() {
            continue;
        }
        refuse_selection(lines, options)?;
        match read(lines, options) {
            Ok(history) => histories.push(history),
            Err(_) if options.lossy => {
                skipped += 1;
                lines.note_skipped(lines.number());
            }
            Err(error) => return Err(error),
        }
    }
    let Some(last) = histories.last_mut() else {
        return Err(lines.syntax("the end without a history", "at least one", HINT));
    };
    if let Some(first) = lines.first_skipped().filter(|_| skipped > 0) {
        last.provenance.notes.push(skipped_lines(skipped, first));
    }
    Ok(histories)
}

/// Writes a history as one line.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn write(history: &History, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &RecordRef::new(history))?;
    out.write_all(b"\n")
}

/// Refuses options that select operations, since the final values and the order of a history are those of all its
/// operations.
fn refuse_selection(lines: &Lines<'_>, options: &Options) -> Result<(), Error> {
    if options.addresses.is_none() && options.from_tick.is_none() && options.to_tick.is_none() {
        return Ok(());
    }
    Err(lines.syntax(
        "a whole history, which cannot be selected from",
        "a trace",
        format!("use {} where the trace itself is read", selection()),
    ))
}

/// Reads the history of the current line.
pub(crate) fn read(lines: &Lines<'_>, options: &Options) -> Result<History, Error> {
    let record = parse_record(lines.line()).map_err(|error| wrong_json(lines, &error))?;
    if let Some(field) = record.unknown.keys().next() {
        let found = format!("the field `{field}`");
        return Err(lines.syntax(found, "the fields of a history", HINT));
    }
    check_source(lines, options, &record)?;
    let initial = initial(options, &record);
    record.restore(initial.as_ref()).map_err(|error| match error {
        RestoreError::Build(error) => Error::Build { file: lines.file().to_owned(), error },
        error => lines.syntax(
            format!("a history that contradicts itself ({error})"),
            "operations that fit together",
            HINT,
        ),
    })
}

/// Parses a line. To check once that the whole line is UTF-8 takes less time than to check each of its strings.
fn parse_record(line: &[u8]) -> serde_json::Result<Record> {
    match std::str::from_utf8(line) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(line),
    }
}

fn check_source(lines: &Lines<'_>, options: &Options, record: &Record) -> Result<(), Error> {
    let source = record.provenance.source;
    match options.source {
        Some(asked) if asked != source => Err(lines.syntax(
            format!("a history of the source `{}`", source.name()),
            format!("one of `{}`", asked.name()),
            format!("leave {} out, or read the trace itself", Setting::Source),
        )),
        _ => Ok(()),
    }
}

/// Returns the rule by which initial values are set or inferred; `None` if those of the record are kept.
fn initial(options: &Options, record: &Record) -> Option<Initial> {
    if let Some(initial) = options.initial.clone().filter(|it| *it != Initial::Zero) {
        return Some(initial);
    }
    let infer = record.provenance.initial == InitialMode::Infer && record.initial.is_none();
    infer.then_some(Initial::Infer)
}

fn wrong_json(lines: &Lines<'_>, error: &serde_json::Error) -> Error {
    if error.is_eof() && !lines.complete() {
        let line = lines.line();
        return Error::Cut {
            file: lines.file().to_owned(),
            line: lines.number(),
            found: excerpt(&line[line.len().saturating_sub(40)..], 40),
            expected: "the rest of the object".to_owned(),
        };
    }
    // The position in the error counts lines within this one.
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    lines.syntax(
        format!("JSON that is not a history ({what}, column {})", error.column()),
        "a history",
        HINT,
    )
}

/// Reads a text with one history while it is still being written. All operations arrive with the history's line, and are
/// fetched in pieces.
struct LiveHistory<'o> {
    options: &'o Options,
    history: Option<History>,
    /// The operations of the history that are not fetched yet, in the order of their completion.
    completed: IntoIter<OpId>,
    /// The operations that are ready to be fetched.
    unfetched: Vec<Access>,
    end: LiveEnd,
}

impl LiveHistory<'_> {
    /// Reads the line that `lines` is at.
    fn line(&mut self, lines: &Lines<'_>) -> Result<(), Error> {
        if lines.line().trim_ascii().is_empty() {
            return Ok(());
        }
        refuse_selection(lines, self.options)?;
        let history = match read(lines, self.options) {
            Err(_) if self.options.lossy => return Ok(()),
            history => history?,
        };
        if self.history.is_some() {
            return Err(unwatchable(lines, "a second history", "one history"));
        }
        check_watchable(lines, &history)?;
        self.completed = history.in_order_of_completion().into_iter();
        let known = &history.provenance;
        self.end = LiveEnd {
            unfinished: known.unfinished.clone(),
            outside_writes: known.outside_writes,
            not_understood: known.not_understood.clone(),
            ended: known.ended.clone(),
            crash: known.crash.clone(),
            ..LiveEnd::default()
        };
        self.history = Some(history);
        Ok(())
    }

    /// Makes the next operations of the history ready to be fetched. Returns false if there are no more.
    fn next_piece(&mut self) -> bool {
        let Some(history) = &self.history else {
            return false;
        };
        let has_more = self.completed.len() > 0;
        let piece = self.completed.by_ref().take(FETCHED_TOGETHER);
        self.unfetched.extend(piece.map(|op| history.row(op).access()));
        has_more
    }
}

impl LiveReader for LiveHistory<'_> {
    fn advance(&mut self, lines: &mut Lines<'_>) -> Result<bool, Error> {
        if self.next_piece() {
            return Ok(true);
        }
        if !lines.advance()? {
            return Ok(false);
        }
        self.line(lines).map(|()| true)
    }

    fn is_at_hand(&self, lines: &Lines<'_>) -> bool {
        self.completed.len() > 0 || lines.is_at_hand()
    }

    fn fetch(&mut self) -> Vec<Access> {
        std::mem::take(&mut self.unfetched)
    }

    fn finish(&mut self, lines: &Lines<'_>) -> Result<LiveEnd, Error> {
        match self.history {
            Some(_) => Ok(std::mem::take(&mut self.end)),
            None => Err(lines.syntax("the end without a history", "one", HINT)),
        }
    }

    fn source(&self) -> Option<Source> {
        self.history.as_ref().map(|history| history.provenance.source)
    }

    fn holds_all(&self) -> bool {
        true
    }
}

fn unwatchable(lines: &Lines<'_>, found: &str, expected: &str) -> Error {
    lines.syntax(found, expected, "use `rubric check`, which reads the whole text")
}

/// Refuses a history that cannot be watched: one with initial values other than 0 or with final values, or one of executed
/// instructions.
fn check_watchable(lines: &Lines<'_>, history: &History) -> Result<(), Error> {
    let starts_at_0 =
        (0..history.locations().len() as u32).all(|at| history.initial(at) == Some(0));
    if !starts_at_0 {
        return Err(unwatchable(
            lines,
            "initial values other than 0",
            "memory that is initially 0",
        ));
    }
    if !history.finals().is_empty() {
        return Err(unwatchable(lines, "final values", "operations alone"));
    }
    if history.provenance.source == Source::Exec {
        let expected = "what Ruby or a client shows";
        return Err(unwatchable(lines, "a history of executed instructions", expected));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
