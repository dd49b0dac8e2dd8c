//! The columns of the table of operations, while they are filled.

use history::{Frame, Location, Row};
use polars::prelude::{Column, DataFrame, PolarsResult};

/// Kind of a row that states an initial value.
pub(super) const INITIAL: &str = "initial";
/// Kind of a row that states a final value.
pub(super) const FINAL: &str = "final";

/// Rows of a table of operations. Memory grows with the rows held, so a long table is made in
/// pieces.
#[derive(Default)]
pub(super) struct Operations<'a> {
    history: Vec<u32>,
    name: Vec<Option<&'a str>>,
    thread: Vec<Option<u32>>,
    index: Vec<Option<u32>>,
    kind: Vec<&'static str>,
    has_annotations: bool,
    annotation: Vec<Option<&'static str>>,
    address: Vec<Option<u64>>,
    size: Vec<Option<u32>>,
    read: Vec<Option<u64>>,
    written: Vec<Option<u64>>,
    issued: Vec<Option<u64>>,
    completed: Vec<Option<u64>>,
    line: Vec<Option<u64>>,
    order: Vec<Option<u32>>,
    continues: Vec<bool>,
    source_thread: Vec<Option<u32>>,
    source_index: Vec<Option<u32>>,
}

impl<'a> Operations<'a> {
    /// No rows yet. The column of annotations is there only if some operation has one.
    pub fn new(has_annotations: bool) -> Self {
        Operations {
            has_annotations,
            ..Operations::default()
        }
    }

    pub fn len(&self) -> usize {
        self.history.len()
    }

    /// The rows of the values at the start and at the end.
    pub fn push_frame(&mut self, history: u32, name: Option<&'a str>, frame: &Frame) {
        for &(location, value) in &frame.initial {
            self.push_value(history, name, INITIAL, location, None);
            self.set_last(None, value);
        }
        for &(location, value, line) in &frame.finals {
            self.push_value(history, name, FINAL, location, line);
            self.set_last(Some(value), None);
        }
    }

    pub fn push(&mut self, history: u32, name: Option<&'a str>, row: &Row) {
        self.history.push(history);
        self.name.push(name);
        self.thread.push(Some(row.thread));
        self.index.push(Some(row.index));
        self.kind.push(row.kind.name());
        let annotation = (!row.annotation.is_none()).then(|| row.annotation.name());
        self.annotation.push(annotation);
        self.push_location(row.location);
        self.read.push(row.read);
        self.written.push(row.written);
        self.issued.push(row.issued);
        self.completed.push(row.completed);
        self.line.push(row.line);
        self.order.push(row.order);
        self.continues.push(row.continues);
        self.source_thread
            .push(row.source.map(|(thread, _)| thread));
        self.source_index.push(row.source.map(|(_, index)| index));
    }

    fn push_value(
        &mut self,
        history: u32,
        name: Option<&'a str>,
        kind: &'static str,
        location: Location,
        line: Option<u64>,
    ) {
        self.history.push(history);
        self.name.push(name);
        self.thread.push(None);
        self.index.push(None);
        self.kind.push(kind);
        self.annotation.push(None);
        self.push_location(Some(location));
        self.read.push(None);
        self.written.push(None);
        self.issued.push(None);
        self.completed.push(None);
        self.line.push(line);
        self.order.push(None);
        self.continues.push(false);
        self.source_thread.push(None);
        self.source_index.push(None);
    }

    fn set_last(&mut self, read: Option<u64>, written: Option<u64>) {
        if let (Some(last_read), Some(last_written)) =
            (self.read.last_mut(), self.written.last_mut())
        {
            (*last_read, *last_written) = (read, written);
        }
    }

    fn push_location(&mut self, location: Option<Location>) {
        self.address.push(location.map(|location| location.address));
        let size = location.and_then(|location| location.size);
        self.size.push(size.map(u32::from));
    }

    pub fn into_frame(self) -> PolarsResult<DataFrame> {
        let mut columns = vec![
            Column::new("history".into(), self.history),
            Column::new("name".into(), self.name),
            Column::new("thread".into(), self.thread),
            Column::new("index".into(), self.index),
            Column::new("kind".into(), self.kind),
            Column::new("address".into(), self.address),
            Column::new("size".into(), self.size),
            Column::new("read".into(), self.read),
            Column::new("written".into(), self.written),
            Column::new("issued".into(), self.issued),
            Column::new("completed".into(), self.completed),
            Column::new("line".into(), self.line),
            Column::new("order".into(), self.order),
            Column::new("continues".into(), self.continues),
            Column::new("source_thread".into(), self.source_thread),
            Column::new("source_index".into(), self.source_index),
        ];
        if self.has_annotations {
            columns.push(Column::new("annotation".into(), self.annotation));
        }
        DataFrame::new_infer_height(columns)
    }
}
