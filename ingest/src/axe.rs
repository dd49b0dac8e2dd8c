//! The axe format: histories as text, one operation a line.
//!
//! | line | meaning |
//! |---|---|
//! | `T: M[A] := V` | thread T stores V to location A |
//! | `T: M[A] == V` | thread T loads V from A |
//! | `T: <M[A] == V; M[A] := W>` | atomic read-modify-write; braces instead of `<` `>` too |
//! | `T: sync` | full fence |
//! | any of them, then `@ B : E` | issued at tick B, completed at tick E; either may be missing |
//! | `final M[A] == V` | after everything has drained, A holds V |
//! | `# text` | comment, on a line of its own or at the end of one; the first whole line of a history is its name |
//! | `check` | ends a history; the last one may be missing |
//!
//! What the Axe checker cannot express is written in comments that begin with `#! `, which the checker skips:
//!
//! | line | meaning |
//! |---|---|
//! | an operation, then `#! acquire address:3 data:4` | its annotation, and dependencies on the operations of these indices of the thread, from 0 |
//! | a load, then `#! load-linked`, `#! failed-cas` or `#! silent-rmw` | an operation of this kind |
//! | a store, then `#! store-conditional` | the same |
//! | an operation, then `#! issued:4 completed:9` | ticks that the checker would refuse (see below) |
//! | `#! T: fence r,rw` or `#! T: isb` | a fence that is not full |
//!
//! The checker refuses the end tick of a store, and a begin tick that is not after that of the operation before.
//! Without these comments a history allows more executions, so the checker forbids nothing that the whole history
//! allows.
//!
//! `vA` is another spelling of `M[A]`. Numbers are decimal. The order of one thread's lines is its
//! program order; the order of lines of different threads means nothing.
//!
//! A read-modify-write that writes back what it read is a [`Kind::SilentRmw`], unless its remark says that it has written.
//!
//! ```
//! use ingest::{Options, axe, input::Lines};
//!
//! let text = "# SB\n0: M[0] := 1\n0: v1 == 0\n1: M[1] := 1\n1: M[0] == 0\ncheck\n";
//! let mut lines = Lines::new(text.as_bytes(), "sb.axe", false)?;
//! let histories = axe::parse(&mut lines, &Options::default())?;
//! assert_eq!(histories[0].name.as_deref(), Some("SB"));
//!
//! let mut again = Vec::new();
//! axe::write(&histories[0], &mut again)?;
//! assert!(String::from_utf8(again)?.contains("0: M[1] == 0\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod grammar;
mod remark;
mod write;

use std::collections::HashMap;
use std::io::Write;

use history::{
    Access, DependencyKind, Doubt, Gap, History, HistoryBuilder, Kind, NotUnderstood, Place,
    Provenance, Source,
};
use memchr::memchr;
use rustc_hash::FxHashMap;

use crate::error::{Error, WriteError, excerpt};
use crate::format::{Contents, FormatInfo, Resemblance, TraceFormat, skipped_lines};
use crate::input::{LINE_LIMIT, LineReader, Lines, read_lines};
use crate::options::Options;
use grammar::{Expected, Operation, Statement};
use remark::Remark;

pub use write::{is_small, write, write_small};

// The advice of messages about lines that break the format.
const HINT: &str = "lines of the axe format are `0: M[1] := 2`, `0: M[1] == 2`, \
                    `0: <M[1] == 2; M[1] := 3>`, `0: sync`, `final M[1] == 2`, `check` and comments";

/// The axe format.
pub struct Axe;

impl TraceFormat for Axe {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "axe",
            title: "axe text",
            example: "0: M[1] := 1",
            extensions: &["axe"],
            line_limit: LINE_LIMIT,
        }
    }

    fn recognises(&self, line: &[u8]) -> Resemblance {
        let line = line.trim_ascii();
        if is_statement(line) {
            Resemblance::Certain
        } else if line.starts_with(b"#") || line == b"check" {
            Resemblance::Likely
        } else {
            Resemblance::None
        }
    }

    fn read(&self, lines: &mut Lines<'_>, options: &Options) -> Result<Contents, Error> {
        let histories = parse(lines, options)?;
        Contents::histories(lines, histories)
    }

    /// Writes the history with its own numbers if the Axe checker can read them, and renumbers it otherwise. A
    /// renumbered history ends with `check` only if it is one of several.
    fn write(
        &self,
        history: &History,
        count: usize,
        out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        if is_small(history) {
            return write(history, out);
        }
        write_small(history, out)?;
        if count > 1 {
            writeln!(out, "check")?;
        }
        Ok(())
    }
}

/// Whether a line can only be an operation or a final value of the format.
fn is_statement(line: &[u8]) -> bool {
    if line.starts_with(b"final ") {
        return is_body(line);
    }
    let Some(colon) = memchr(b':', line) else {
        return false;
    };
    let thread = line[..colon].trim_ascii();
    !thread.is_empty() && thread.iter().all(u8::is_ascii_digit) && is_body(&line[colon + 1..])
}

/// Whether `body`, a line without its leading thread number, can be the rest of a statement.
fn is_body(body: &[u8]) -> bool {
    let body = body.trim_ascii_start();
    let rest = match body.split_first() {
        Some((b'<' | b'{', rest)) => rest.trim_ascii_start(),
        _ => body,
    };
    let rest = rest.strip_prefix(b"final ").unwrap_or(rest).trim_ascii();
    rest.starts_with(b"M[")
        || rest.starts_with(b"sync")
        || (rest.first() == Some(&b'v') && rest.get(1).is_some_and(u8::is_ascii_digit))
}

/// Reads every history of an axe text.
///
/// # Errors
/// Returns an error for the first line that breaks the format, for two `final` lines that contradict each other, and for a text
/// without any operation.
pub fn parse(lines: &mut Lines<'_>, options: &Options) -> Result<Vec<History>, Error> {
    let mut reader = Reader { options, histories: Vec::new(), draft: Draft::default() };
    read_lines(lines, &mut reader)?;
    reader.end_history(lines)?;
    if reader.histories.is_empty() {
        return Err(Error::Empty {
            file: lines.file().to_owned(),
            expected: Axe.title().to_owned(),
        });
    }
    Ok(reader.histories)
}

/// Reads the histories of a text.
struct Reader<'o> {
    options: &'o Options,
    histories: Vec<History>,
    draft: Draft,
}

impl Reader<'_> {
    fn end_history(&mut self, lines: &Lines<'_>) -> Result<(), Error> {
        let draft = std::mem::take(&mut self.draft);
        self.histories.extend(draft.finish(lines, self.options)?);
        Ok(())
    }
}

impl LineReader for Reader<'_> {
    type Parsed = (Operation, Option<Box<Remark>>);

    fn parse(line: &[u8]) -> Option<Self::Parsed> {
        match grammar::statement(line) {
            Ok(Statement::Operation(operation, remark)) => Some((operation, remark)),
            _ => None,
        }
    }

    fn parsed(&mut self, parsed: Self::Parsed, lines: &Lines<'_>) -> Result<(), Error> {
        let (operation, remark) = parsed;
        self.draft.add_operation(&operation, remark.as_deref(), lines, self.options)
    }

    fn line(&mut self, lines: &Lines<'_>) -> Result<(), Error> {
        match grammar::statement(lines.line()) {
            Ok(Statement::Check) => self.end_history(lines),
            Ok(statement) => self.draft.add(statement, lines, self.options),
            Err(_) if self.options.lossy => {
                self.draft.skipped += 1;
                if self.draft.first_skipped.is_none() {
                    self.draft.first_skipped = Some(lines.number());
                    self.draft.skipped_text = excerpt(lines.line(), 60);
                }
                lines.note_skipped(lines.number());
                Ok(())
            }
            Err(expected) => Err(wrong_line(lines, &expected)),
        }
    }
}

fn wrong_line(lines: &Lines<'_>, expected: &Expected<'_>) -> Error {
    let found = match excerpt(expected.at, 40) {
        rest if rest.is_empty() => "the end of the line".to_owned(),
        rest => format!("`{rest}`"),
    };
    if !lines.complete() {
        return Error::Cut {
            file: lines.file().to_owned(),
            line: lines.number(),
            found: excerpt(lines.line(), 60),
            expected: expected.what.to_owned(),
        };
    }
    let column = lines.line().len() - expected.at.len() + 1;
    lines.syntax(format!("{found} at column {column}"), expected.what, HINT)
}

/// The history whose lines are being read, as far as it was read.
#[derive(Default)]
struct Draft {
    name: Option<String>,
    builder: HistoryBuilder,
    threads: FxHashMap<u32, ThreadSoFar>,
    /// Whether some operation has no tick of completion.
    incomplete: bool,
    finals: Vec<(u64, u64, u64)>,
    /// For each location, the index of its final value in `finals`.
    final_of: HashMap<u64, usize>,
    notes: Vec<String>,
    skipped: u64,
    first_skipped: Option<u64>,
    /// The beginning of the first line that was skipped.
    skipped_text: String,
    finals_dropped: bool,
}

impl Draft {
    fn add(
        &mut self,
        statement: Statement<'_>,
        lines: &Lines<'_>,
        options: &Options,
    ) -> Result<(), Error> {
        match statement {
            Statement::Empty | Statement::Check => {}
            Statement::Comment(text) => {
                if self.name.is_none() && !text.is_empty() {
                    self.name = Some(String::from_utf8_lossy(text).into_owned());
                }
            }
            Statement::Operation(operation, remark) => {
                self.add_operation(&operation, remark.as_deref(), lines, options)?;
            }
            Statement::Final { cell, value } => self.add_final(cell, value, lines, options)?,
        }
        Ok(())
    }

    fn add_operation(
        &mut self,
        operation: &Operation,
        remark: Option<&Remark>,
        lines: &Lines<'_>,
        options: &Options,
    ) -> Result<(), Error> {
        let nothing = Remark::default();
        let remark = remark.unwrap_or(&nothing);
        let completed = operation.completed.or(remark.completed);
        let is_wanted = operation.cell.is_none_or(|cell| options.wants_address(cell))
            && options.wants_tick(completed);
        let access = access(operation, remark, lines.number());
        let row = is_wanted.then_some(self.builder.len() as u32);
        if is_wanted {
            self.incomplete |= completed.is_none();
            self.builder.push(access);
        }
        let thread = self.threads.entry(operation.thread).or_default();
        let depends = thread.depend(&remark.depends, access.kind, row).map_err(|on| {
            lines.syntax(
                format!(
                    "a dependency on operation {on} of the thread, which is not an earlier one"
                ),
                "the index of an earlier operation of the thread, from 0",
                "count all operations of the thread, fences too",
            )
        })?;
        thread.rows.push(row.unwrap_or(LEFT_OUT));
        if is_wanted {
            depends.iter().for_each(|&(kind, on)| self.builder.depend(kind, on as usize));
        }
        Ok(())
    }

    /// Adds a final value. If operations are selected by tick it is dropped, since an operation that is left out may
    /// have written it.
    fn add_final(
        &mut self,
        cell: u64,
        value: u64,
        lines: &Lines<'_>,
        options: &Options,
    ) -> Result<(), Error> {
        if options.from_tick.is_some() || options.to_tick.is_some() {
            self.finals_dropped = true;
            return Ok(());
        }
        if !options.wants_address(cell) {
            return Ok(());
        }
        if let Some(&at) = self.final_of.get(&cell) {
            let (_, earlier, line) = self.finals[at];
            if earlier == value {
                return Ok(());
            }
            return Err(lines.syntax(
                format!("final value {value} of M[{cell}], which line {line} says is {earlier}"),
                "one final value for each location",
                "remove one of the two lines, or put `check` between two histories",
            ));
        }
        self.final_of.insert(cell, self.finals.len());
        self.finals.push((cell, value, lines.number()));
        Ok(())
    }

    /// Builds the history; `None` if the text has neither operations nor final values since the last `check`.
    fn finish(mut self, lines: &Lines<'_>, options: &Options) -> Result<Option<History>, Error> {
        if self.builder.is_empty() && self.finals.is_empty() {
            return Ok(None);
        }
        self.note_what_is_left_out();
        if self.first_skipped.is_some() {
            // A line that was skipped may have written a final value.
            self.finals.clear();
        }
        let mut builder = self.builder;
        // Ticks of completion are a guess at the memory order, worth trying only if no operation
        // lacks one.
        if self.incomplete {
            builder.forget_order();
        }
        for (cell, value, line) in self.finals {
            builder.final_value(cell, value, Some(line));
        }
        let provenance = Provenance {
            notes: self.notes,
            outside_writes: self.first_skipped.is_some(),
            ..Provenance::of(Source::Axe)
        };
        let mut history = builder
            .finish(options.access_size, &options.initial.clone().unwrap_or_default(), provenance)
            .map_err(|error| Error::Build { file: lines.file().to_owned(), error })?;
        history.name = self.name;
        if let Some(line) = self.first_skipped {
            let gap = gap_of_skipped(&history, line, self.skipped_text);
            history.provenance.not_understood.push(gap);
        }
        Ok(Some(history))
    }

    fn note_what_is_left_out(&mut self) {
        if let Some(first) = self.first_skipped {
            self.notes.push(skipped_lines(self.skipped, first));
        }
        if self.finals_dropped {
            let note = "final values were left out, since only some ticks were selected";
            self.notes.push(note.to_owned());
        }
    }
}

/// What a history lacks because a line was skipped. It also makes a violation doubtful if what follows refers to operations by their
/// positions, as dependencies and store-conditionals do.
fn gap_of_skipped(history: &History, line: u64, text: String) -> NotUnderstood {
    let has_pairs = history.ops().any(|op| history.kind(op) == Kind::StoreConditional);
    let refers = has_pairs || !history.all_dependencies().is_empty();
    let gap = if refers { Gap::Write } else { Gap::Read };
    NotUnderstood { gap, line, instruction: text, doubt: Some(Doubt::Skipped) }
}

/// The operations of a thread that were read so far.
#[derive(Default)]
struct ThreadSoFar {
    /// The row of each operation in the builder, or [`LEFT_OUT`].
    rows: Vec<u32>,
    /// Rows that branches depend on, if no selected operation has followed the branch yet.
    controls: Vec<u32>,
}

/// Marks an operation that is not selected.
const LEFT_OUT: u32 = u32::MAX;

impl ThreadSoFar {
    /// Returns the dependencies of the next operation, which is `of` and has the row `own` if it is selected, by rows. A
    /// control dependency is recorded at the first selected operation after the branch. The error is the index of an
    /// operation that does not precede this one.
    fn depend(
        &mut self,
        depends: &[(DependencyKind, u32)],
        of: Kind,
        own: Option<u32>,
    ) -> Result<Vec<(DependencyKind, u32)>, u32> {
        let mut found = Vec::new();
        for &(kind, on) in depends {
            if on as usize == self.rows.len() && kind.may_be_own(of) {
                found.extend(own.map(|row| (kind, row)));
                continue;
            }
            match *self.rows.get(on as usize).ok_or(on)? {
                LEFT_OUT => {}
                row if kind == DependencyKind::Control => self.controls.push(row),
                row => found.push((kind, row)),
            }
        }
        if own.is_some() {
            let controls = self.controls.drain(..);
            found.extend(controls.map(|row| (DependencyKind::Control, row)));
        }
        Ok(found)
    }
}

fn access(operation: &Operation, remark: &Remark, line: u64) -> Access {
    let kind = remark.kind.unwrap_or(match operation.kind {
        Kind::Rmw if operation.read == operation.written => Kind::SilentRmw,
        kind => kind,
    });
    let completed = operation.completed.or(remark.completed);
    Access {
        annotation: remark.annotation,
        read: operation.read,
        written: operation.written,
        issued: operation.issued.or(remark.issued),
        completed,
        order: completed,
        line: Some(line),
        ..Access::new(operation.thread, kind, operation.cell.map_or(Place::Nowhere, Place::Cell))
    }
}

#[cfg(test)]
mod tests;
