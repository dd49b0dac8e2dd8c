//! The structures that lines of JSON are deserialised into ([`Record`]) and serialised from ([`RecordRef`]).

use std::collections::BTreeMap;
use std::fmt;

use history::{
    Annotation, DependencyKind, Frame, History, Initial, Kind, Location, Provenance, RestoreError,
    Restorer, Row,
};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A line as it is read.
#[derive(Deserialize)]
pub(super) struct Record {
    #[serde(default)]
    name: Option<String>,
    #[serde(flatten)]
    pub provenance: Provenance,
    #[serde(default)]
    pub initial: Option<Vec<InitialValue>>,
    operations: Operations,
    #[serde(default, rename = "final")]
    finals: Vec<FinalValue>,
    /// Unknown fields, such as misspelt ones.
    #[serde(flatten)]
    pub unknown: BTreeMap<String, serde::de::IgnoredAny>,
}

/// A line as it is written. Operations are converted one by one while they are written, since there may be many.
#[derive(Serialize)]
pub(super) struct RecordRef<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: &'a Option<String>,
    #[serde(flatten)]
    provenance: &'a Provenance,
    initial: Vec<InitialValue>,
    #[serde(serialize_with = "operations")]
    operations: &'a History,
    #[serde(rename = "final")]
    finals: Vec<FinalValue>,
}

/// The initial value of a location; without `value` it is unknown.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InitialValue {
    address: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<u64>,
}

/// The final value of a location.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FinalValue {
    address: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u8>,
    value: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
}

/// One operation, with the fields of the format.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Operation {
    thread: u32,
    index: Option<u32>,
    kind: Kind,
    #[serde(default, skip_serializing_if = "Annotation::is_none")]
    annotation: Annotation,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    issued: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    continues: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reads_from: Option<(u32, u32)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    depends: Vec<(DependencyKind, u32)>,
}

/// The operations of a line. Each is restored as soon as it is read, since there may be many.
#[derive(Default)]
struct Operations {
    restorer: Restorer,
    /// The error about the first operation that could not be restored; later operations are not restored.
    failed: Option<RestoreError>,
}

impl Operations {
    fn push(&mut self, operation: Operation) {
        if self.failed.is_some() {
            return;
        }
        let index = operation.index;
        let index = index.unwrap_or_else(|| self.restorer.next_index(operation.thread));
        self.failed = self.restorer.push(&operation.row(index)).err();
    }
}

impl<'de> Deserialize<'de> for Operations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Operations, D::Error> {
        deserializer.deserialize_seq(OperationsVisitor)
    }
}

struct OperationsVisitor;

impl<'de> Visitor<'de> for OperationsVisitor {
    type Value = Operations;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Operations, A::Error> {
        let mut operations = Operations::default();
        while let Some(operation) = all.next_element()? {
            operations.push(operation);
        }
        Ok(operations)
    }
}

impl Record {
    /// Builds the history of the record. With `initial`, initial values are set or inferred by that rule.
    ///
    /// # Errors
    /// As [`History::restore`].
    pub(super) fn restore(self, initial: Option<&Initial>) -> Result<History, RestoreError> {
        let place = |address, size| Location { address, size };
        let frame = Frame {
            name: self.name,
            provenance: self.provenance,
            initial: self
                .initial
                .into_iter()
                .flatten()
                .map(|first| (place(first.address, first.size), first.value))
                .collect(),
            finals: self
                .finals
                .into_iter()
                .map(|last| (place(last.address, last.size), last.value, last.line))
                .collect(),
        };
        match self.operations.failed {
            Some(error) => Err(error),
            None => self.operations.restorer.finish(frame, initial),
        }
    }
}

impl<'a> RecordRef<'a> {
    pub(super) fn new(history: &'a History) -> RecordRef<'a> {
        let frame = history.frame();
        let first = |(location, value): (Location, _)| InitialValue {
            address: location.address,
            size: location.size,
            value,
        };
        let last = |(location, value, line): (Location, _, _)| FinalValue {
            address: location.address,
            size: location.size,
            value,
            line,
        };
        RecordRef {
            name: &history.name,
            provenance: &history.provenance,
            initial: frame.initial.into_iter().map(first).collect(),
            operations: history,
            finals: frame.finals.into_iter().map(last).collect(),
        }
    }
}

impl Operation {
    fn of(row: Row) -> Operation {
        Operation {
            thread: row.thread,
            index: Some(row.index),
            kind: row.kind,
            annotation: row.annotation,
            address: row.location.map(|location| location.address),
            size: row.location.and_then(|location| location.size),
            read: row.read,
            written: row.written,
            issued: row.issued,
            completed: row.completed,
            line: row.line,
            order: row.order,
            continues: row.continues,
            reads_from: row.source,
            depends: row.dependencies,
        }
    }

    fn row(self, index: u32) -> Row {
        let size = self.size;
        Row {
            thread: self.thread,
            index,
            kind: self.kind,
            annotation: self.annotation,
            location: self.address.map(|address| Location { address, size }),
            read: self.read,
            written: self.written,
            issued: self.issued,
            completed: self.completed,
            line: self.line,
            order: self.order,
            continues: self.continues,
            source: self.reads_from,
            dependencies: self.depends,
        }
    }
}

fn operations<S: Serializer>(history: &&History, serializer: S) -> Result<S::Ok, S::Error> {
    match history.whole_rows() {
        Some(rows) => serializer.collect_seq(rows.into_iter().map(Operation::of)),
        None => serializer.collect_seq(history.ops().map(|op| Operation::of(history.row(op)))),
    }
}
