//! [`Operations`]: rows of the table of operations, which are turned into columns piece by piece.

use history::{Frame, History, Location, Row, dependencies_as_text};
use polars_arrow::record_batch::RecordBatch;

use crate::batch::Batch;

/// Kind of a row that states an initial value.
pub(super) const INITIAL: &str = "initial";
/// Kind of a row that states a final value.
pub(super) const FINAL: &str = "final";

/// Which of the optional columns a table has: those that some of its operations needs.
#[derive(Clone, Copy)]
pub(super) struct OptionalColumns {
    annotation: bool,
    depends: bool,
}

impl OptionalColumns {
    /// The columns that the operations of these histories need.
    pub(crate) fn of(histories: &[History]) -> OptionalColumns {
        let is_annotated =
            |history: &History| history.ops().any(|op| !history.annotation(op).is_none());
        OptionalColumns {
            annotation: histories.iter().any(is_annotated),
            depends: histories.iter().any(|history| !history.all_dependencies().is_empty()),
        }
    }
}

/// A row of the table: an operation, or the initial or final value of a location.
struct Line<'a> {
    /// Number and name of the history.
    history: (u32, Option<&'a str>),
    kind: &'static str,
    location: Option<Location>,
    read: Option<u64>,
    written: Option<u64>,
    line: Option<u64>,
    /// The operation; `None` if the row states an initial or final value.
    row: Option<Row>,
}

/// Rows of a piece of the table. They are held in memory, so a long table is made in several pieces.
#[derive(Default)]
pub(super) struct Operations<'a> {
    lines: Vec<Line<'a>>,
}

impl<'a> Operations<'a> {
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Adds the rows of initial and final values.
    pub(crate) fn push_frame(&mut self, history: (u32, Option<&'a str>), frame: &Frame) {
        let value = |kind, location| Line {
            history,
            kind,
            location: Some(location),
            read: None,
            written: None,
            line: None,
            row: None,
        };
        let initial = frame
            .initial
            .iter()
            .map(|&(location, written)| Line { written, ..value(INITIAL, location) });
        let finals = frame.finals.iter().map(|&(location, read, line)| Line {
            read: Some(read),
            line,
            ..value(FINAL, location)
        });
        self.lines.extend(initial.chain(finals));
    }

    /// Adds the row of an operation.
    pub(crate) fn push(&mut self, number: (u32, Option<&'a str>), row: Row) {
        self.lines.push(Line {
            history: number,
            kind: row.kind.name(),
            location: row.location,
            read: row.read,
            written: row.written,
            line: row.line,
            row: Some(row),
        });
    }

    /// Turns the rows into columns.
    pub(crate) fn into_batch(self, optional: OptionalColumns) -> RecordBatch {
        let mut batch = Batch::default();
        macro_rules! column {
            ($name:literal, $of:expr) => {
                batch.push($name, self.lines.iter().map($of))
            };
        }
        macro_rules! known {
            ($name:literal, $of:expr) => {
                column!($name, |it| it.row.as_ref().and_then($of))
            };
        }
        column!("history", |it| Some(it.history.0));
        column!("name", |it| it.history.1);
        known!("thread", |row| Some(row.thread));
        known!("index", |row| Some(row.index));
        column!("kind", |it| Some(it.kind));
        column!("address", |it| it.location.map(|at| at.address));
        column!("size", |it| Some(u32::from(it.location?.size?)));
        column!("read", |it| it.read);
        column!("written", |it| it.written);
        known!("issued", |row| row.issued);
        known!("completed", |row| row.completed);
        column!("line", |it| it.line);
        known!("order", |row| row.order);
        column!("continues", |it| Some(it.row.as_ref().is_some_and(|row| row.continues)));
        known!("source_thread", |row| Some(row.source?.0));
        known!("source_index", |row| Some(row.source?.1));
        if optional.annotation {
            known!("annotation", |row| (!row.annotation.is_none()).then(|| row.annotation.name()));
        }
        if optional.depends {
            known!("depends", |row| {
                let depends = &row.dependencies;
                (!depends.is_empty()).then(|| dependencies_as_text(depends))
            });
        }
        batch.finish()
    }
}
