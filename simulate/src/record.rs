//! Records of the operations that cores performed, and the history made of them. It is the history that a reader makes
//! of the printed trace.
//!
//! A trace shows the operations of a run either in Ruby's lines or in those of the client. The two
//! show differently what an aborted run leaves unfinished. Records follow the reader's rules for
//! the lines that were chosen.

use history::{
    Access, Annotation, AssumedSize, BuildError, DependencyKind, History, HistoryBuilder, Initial,
    Kind, Place, Provenance, Source, Unfinished,
};

use crate::program::Bytes;

/// The progress of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The operation is part of the program, and was not requested yet.
    Planned,
    /// The operation was requested, and nothing shows that it was performed.
    Asked,
    /// Memory has performed the write of the operation, but the client has not printed it.
    Written,
    /// The trace shows the operation.
    Shown,
    /// The operation did not happen.
    Dropped,
}

/// An operation of a thread.
#[derive(Clone, Copy, Debug)]
struct Record {
    kind: Kind,
    annotation: Annotation,
    bytes: Bytes,
    read: Option<u64>,
    written: Option<u64>,
    issued: u64,
    completed: Option<u64>,
    order: Option<u64>,
    state: State,
    /// Whether the write half of a read-modify-write was requested, so that it may have written.
    writing: bool,
}

/// The index of an operation in the [`Records`] of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row(u32);

impl Row {
    /// The index as a number, which requests for the operation have as their tag.
    pub fn tag(self) -> u32 {
        self.0
    }

    /// The operation with this tag.
    pub fn of(tag: u32) -> Row {
        Row(tag)
    }
}

/// The operations of one thread, in program order.
#[derive(Debug)]
pub struct Records {
    thread: u32,
    source: Source,
    rows: Vec<Record>,
    /// The dependencies, in ascending order: the operation that depends, the kind of the dependency, and the operation on
    /// which it depends.
    dependencies: Vec<(Row, DependencyKind, Row)>,
}

impl Records {
    /// Creates empty records of a thread. `source` says which lines of the trace show the
    /// operations: [`Source::Ruby`] or [`Source::Client`].
    pub fn new(thread: u32, source: Source) -> Records {
        Records { thread, source, rows: Vec::new(), dependencies: Vec::new() }
    }

    /// The number of the thread.
    pub fn thread(&self) -> u32 {
        self.thread
    }

    /// The lines of the trace that show the operations.
    pub fn source(&self) -> Source {
        self.source
    }

    /// The number of operations that the trace shows.
    pub fn shown(&self) -> usize {
        self.rows.iter().filter(|record| record.state == State::Shown).count()
    }

    /// Whether no operation has completed.
    pub fn is_empty(&self) -> bool {
        !self.rows.iter().any(|record| record.state == State::Shown)
    }

    /// The tag that the next operation will have.
    pub fn next_tag(&self) -> u32 {
        self.rows.len() as u32
    }

    /// Records that an operation was requested. `written` is the value that it writes, if it does.
    pub fn ask(&mut self, now: u64, kind: Kind, bytes: Bytes, written: Option<u64>) -> Row {
        let row = self.plan(kind, Annotation::None, bytes, written);
        self.begin(row, now);
        row
    }

    /// Adds the next operation of the program, for a core that requests operations in another order.
    pub fn plan(
        &mut self,
        kind: Kind,
        annotation: Annotation,
        bytes: Bytes,
        written: Option<u64>,
    ) -> Row {
        self.rows.push(Record {
            kind,
            annotation,
            bytes,
            read: None,
            written,
            issued: 0,
            completed: None,
            order: None,
            state: State::Planned,
            writing: false,
        });
        Row(self.rows.len() as u32 - 1)
    }

    /// Adds a dependency of the operation that was planned last on an earlier one.
    pub fn depend(&mut self, kind: DependencyKind, on: Row) {
        let row = Row(self.rows.len() as u32 - 1);
        self.dependencies.push((row, kind, on));
    }

    /// Records that a planned operation was requested.
    pub fn begin(&mut self, row: Row, now: u64) {
        if let Some(record) = self.rows.get_mut(row.0 as usize) {
            record.issued = now;
            record.state = State::Asked;
        }
    }

    /// Records that memory performed an operation. `order` increases with every operation that
    /// memory performs.
    pub fn perform(&mut self, row: Row, now: u64, order: u64, read: Option<u64>) {
        let is_ruby = self.source == Source::Ruby;
        let Some(record) = self.rows.get_mut(row.0 as usize) else {
            return;
        };
        record.read = record.read.or(read);
        record.completed = Some(now);
        record.order = Some(order);
        if is_ruby {
            record.state = State::Shown;
        } else if record.state == State::Asked && record.kind.writes() {
            record.state = State::Written;
        }
    }

    /// Records that the first half of a locked read-modify-write was performed. Ruby's lines show it as a failed
    /// compare-and-swap until the second half is performed.
    pub fn perform_first_half(&mut self, row: Row, now: u64, order: u64, read: u64) {
        let is_ruby = self.source == Source::Ruby;
        let Some(record) = self.rows.get_mut(row.0 as usize) else {
            return;
        };
        record.read = Some(read);
        if is_ruby {
            record.completed = Some(now);
            record.order = Some(order);
            record.state = State::Shown;
            record.kind = Kind::FailedCas;
        }
    }

    /// Records that the second half of a read-modify-write was requested.
    pub fn ask_second_half(&mut self, row: Row) {
        if let Some(record) = self.rows.get_mut(row.0 as usize) {
            record.writing = true;
        }
    }

    /// Records that the second half of a locked read-modify-write was performed.
    pub fn perform_second_half(&mut self, row: Row, now: u64, order: u64) {
        if let Some(record) = self.rows.get_mut(row.0 as usize) {
            record.kind = Kind::Rmw;
            record.writing = false;
        }
        self.perform(row, now, order, None);
    }

    /// Records that the client printed an operation. A store may be printed before memory performs
    /// it.
    pub fn print(&mut self, row: Row) {
        if let Some(record) = self.rows.get_mut(row.0 as usize) {
            record.state = State::Shown;
        }
    }

    /// Records that an operation did not happen.
    pub fn drop_row(&mut self, row: Row) {
        if let Some(record) = self.rows.get_mut(row.0 as usize) {
            record.state = State::Dropped;
        }
    }

    /// The bytes that an operation accesses.
    pub fn bytes(&self, row: Row) -> Bytes {
        self.rows.get(row.0 as usize).map_or(Bytes::word(0), |record| record.bytes)
    }

    /// The value that an operation read.
    pub fn read(&self, row: Row) -> u64 {
        let record = self.rows.get(row.0 as usize);
        record.and_then(|record| record.read).unwrap_or(0)
    }

    fn tell(&self, record: &Record, sequence: usize, builder: &mut HistoryBuilder) {
        let place = match record.kind {
            kind if kind.is_fence() => Place::Nowhere,
            _ => {
                let Bytes { address, size } = record.bytes;
                Place::Bytes { address, size }
            }
        };
        builder.push(Access {
            sequence: sequence as u64,
            annotation: record.annotation,
            read: record.read,
            written: record.written,
            issued: Some(record.issued),
            completed: record.completed,
            order: record.order,
            ..Access::new(self.thread, record.kind, place)
        });
    }

    /// Adds the operations that the trace shows, with the dependencies between them.
    fn tell_all(&self, builder: &mut HistoryBuilder) {
        let mut places = vec![None; self.rows.len()];
        let mut dependencies = self.dependencies.iter().peekable();
        for (sequence, record) in self.rows.iter().enumerate() {
            let is_shown = record.state == State::Shown;
            if is_shown {
                places[sequence] = Some(builder.len());
                self.tell(record, sequence, builder);
            }
            while let Some(&(_, kind, on)) =
                dependencies.next_if(|(row, ..)| row.0 as usize == sequence)
            {
                if let (true, Some(on)) = (is_shown, places[on.0 as usize]) {
                    builder.depend(kind, on);
                }
            }
        }
    }

    /// The unfinished request that a reader of the trace sees in an operation, if it sees one.
    fn unfinished(&self, record: &Record) -> Option<Unfinished> {
        let is_ruby = self.source == Source::Ruby;
        let (is_left, writes) = match record.state {
            State::Planned | State::Dropped => (false, false),
            State::Shown => (is_ruby && record.writing, true),
            State::Written => (true, true),
            // In a client's history, all of its stores are operations, whether performed or not.
            State::Asked if record.kind.writes() => (is_ruby, true),
            State::Asked => (true, false),
        };
        is_left.then_some(Unfinished {
            thread: self.thread,
            address: record.bytes.address,
            writes,
            issued: Some(record.issued),
            line: None,
        })
    }
}

/// Builds the history of a run from the records of all its threads.
///
/// # Errors
/// Fails if there are more operations than a history can have.
pub fn history<'a>(threads: impl IntoIterator<Item = &'a Records>) -> Result<History, BuildError> {
    let mut builder = HistoryBuilder::new();
    let mut provenance = Provenance::of(Source::Client);
    for records in threads {
        provenance.source = records.source;
        records.tell_all(&mut builder);
        let unfinished = records.rows.iter().filter_map(|record| records.unfinished(record));
        provenance.unfinished.extend(unfinished);
    }
    builder.finish(AssumedSize::default(), &Initial::Zero, provenance)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: Bytes = Bytes::word(0x1000);
    const OTHER: Bytes = Bytes::word(0x1040);

    fn described(records: Records) -> (Vec<String>, Vec<bool>) {
        let shown = records.shown();
        let history = history(&[records]).unwrap();
        assert_eq!(history.operations(), shown);
        let words = history.ops().map(|op| history.describe(op)).collect();
        let unfinished = history.provenance.unfinished.iter();
        (words, unfinished.map(|request| request.writes).collect())
    }

    #[test]
    fn ruby_shows_what_memory_performed() {
        let mut records = Records::new(0, Source::Ruby);
        let store = records.ask(1, Kind::Store, WORD, Some(5));
        records.perform(store, 2, 0, None);
        let half = records.ask(3, Kind::Rmw, WORD, Some(6));
        records.perform_first_half(half, 4, 1, 5);
        records.ask_second_half(half);
        let load = records.ask(5, Kind::Load, OTHER, None);
        let failed = records.ask(5, Kind::StoreConditional, OTHER, Some(9));
        records.drop_row(failed);
        assert_eq!(load.tag(), 2);
        let (words, unfinished) = described(records);
        assert_eq!(words, ["store 0x1000 := 0x5", "failed-cas 0x1000 == 0x5"]);
        assert_eq!(unfinished, [true, false]);
    }

    #[test]
    fn a_client_shows_what_it_printed() {
        let mut records = Records::new(0, Source::Client);
        let store = records.ask(1, Kind::Store, WORD, Some(5));
        records.print(store);
        let rmw = records.ask(3, Kind::Rmw, WORD, Some(6));
        records.perform_first_half(rmw, 4, 1, 5);
        records.perform_second_half(rmw, 5, 2);
        let (words, unfinished) = described(records);
        assert_eq!(words, ["store 0x1000 := 0x5"]);
        assert_eq!(unfinished, [true], "memory was written and the client does not say so");
    }
}
