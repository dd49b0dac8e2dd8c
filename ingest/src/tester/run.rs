//! A run of a program, whose records become a history.

use history::{
    Access, BuildError, History, HistoryBuilder, Kind, Place, Provenance, Source, Unfinished,
};
use rustc_hash::FxHashMap;

use crate::gem5::end;
use crate::options::Options;
use crate::tester::record::{Flaw, Head, Issue, Record, Which};

/// The records of a run so far.
pub(super) struct Run {
    head: Head,
    tick: u64,
    /// The operations, in the order in which they were first issued.
    operations: Vec<Operation>,
    /// Their places, by thread and index.
    places: FxHashMap<(u32, u32), u32>,
    ended: Option<bool>,
    notes: Vec<String>,
}

/// An operation that was issued.
struct Operation {
    thread: u32,
    index: u32,
    issue: Issue,
    issued: u64,
    /// The record of its issue; that of its completion once it has completed.
    record: u64,
    completed: Option<Completed>,
}

#[derive(Clone, Copy)]
struct Completed {
    tick: u64,
    read: Option<u64>,
}

impl Run {
    pub fn new(head: Head) -> Run {
        Run {
            head,
            tick: 0,
            operations: Vec::new(),
            places: FxHashMap::default(),
            ended: None,
            notes: Vec::new(),
        }
    }

    /// Takes in a record, the log's `number`-th.
    pub fn take(&mut self, record: &Record, number: u64) -> Result<(), Flaw> {
        if self.ended.is_some() {
            return Err(Flaw::new("a record behind the end of a run", "the begin of a run"));
        }
        match *record {
            Record::End { after, is_complete } => {
                self.advance(after)?;
                self.ended = Some(is_complete);
                Ok(())
            }
            Record::Issue(which, issue) => self.issue(which, issue, number),
            Record::Complete(which, read) => self.complete(which, read, number),
            Record::Magic | Record::Run(_) => Ok(()),
        }
    }

    fn advance(&mut self, after: u64) -> Result<(), Flaw> {
        let tick = self.tick.checked_add(after);
        self.tick = tick.ok_or_else(|| Flaw::new("a tick beyond 2^64", "ticks below 2^64"))?;
        Ok(())
    }

    fn issue(&mut self, which: Which, issue: Issue, number: u64) -> Result<(), Flaw> {
        self.advance(which.after)?;
        let Which { thread, index, .. } = which;
        if thread >= self.head.threads {
            return Err(Flaw::new(
                format!("thread {thread}"),
                format!("one of the {} threads of the run", self.head.threads),
            ));
        }
        let next = self.operations.len() as u32;
        let place = *self.places.entry((thread, index)).or_insert(next);
        let issued = self.tick;
        if place == next {
            let completed = None;
            let record = number;
            self.operations.push(Operation { thread, index, issue, issued, record, completed });
            return Ok(());
        }
        let operation = &mut self.operations[place as usize];
        let is_repeated = operation.issue.kind == Kind::Load && issue.kind == Kind::Load;
        if operation.completed.is_some() || !is_repeated {
            return Err(Flaw::new(
                format!("operation {index} of thread {thread} once more"),
                "each operation once, except for loads that are repeated",
            ));
        }
        operation.issue = issue;
        operation.issued = issued;
        Ok(())
    }

    fn complete(&mut self, which: Which, read: Option<u64>, number: u64) -> Result<(), Flaw> {
        self.advance(which.after)?;
        let Which { thread, index, .. } = which;
        let place = self.places.get(&(thread, index));
        let operation = place.map(|place| &mut self.operations[*place as usize]);
        let Some(operation) = operation.filter(|operation| operation.completed.is_none()) else {
            return Err(Flaw::new(
                format!("the completion of operation {index} of thread {thread}"),
                "one of an operation that was issued and has not completed",
            ));
        };
        if read.is_some() != operation.issue.kind.reads() {
            let kind = operation.issue.kind;
            let found = if read.is_some() { "a value" } else { "no value" };
            return Err(Flaw::new(
                format!("{found} read by operation {index} of thread {thread}, a {}", kind.name()),
                "a value of loads and read-modify-writes alone",
            ));
        }
        operation.completed = Some(Completed { tick: self.tick, read });
        operation.record = number;
        Ok(())
    }

    /// Notes that the log is damaged from a byte on.
    #[must_use]
    pub fn damaged(mut self, flaw: &Flaw, byte: u64) -> Run {
        let Flaw { found, expected } = flaw;
        let note = format!("left out from byte {byte} on: found {found}, expected {expected}.");
        self.notes.push(note);
        self
    }

    /// Builds the history.
    pub fn finish(mut self, options: &Options) -> Result<History, BuildError> {
        let mut builder = HistoryBuilder::new();
        let mut unfinished = Vec::new();
        for operation in &self.operations {
            let is_wanted =
                operation.issue.kind.is_fence() || options.wants_address(operation.issue.address);
            if !is_wanted {
                continue;
            }
            if operation.completed.is_none() {
                unfinished.push(operation.unfinished());
            }
            let completed = operation.completed.map(|completed| completed.tick);
            let is_operation = completed.is_some() || operation.issue.kind == Kind::Store;
            if is_operation && options.wants_tick(completed) {
                builder.push(operation.access());
            }
        }
        let is_complete = self.ended == Some(true);
        let ended = describe_end(is_complete, &unfinished, self.tick);
        self.notes.extend((!self.head.client.is_empty()).then(|| core_note(&self.head.client)));
        let provenance = Provenance {
            source: Source::Client,
            ended: Some(ended),
            unfinished,
            notes: self.notes,
            ..Provenance::default()
        };
        let initial = options.initial.clone().unwrap_or_default();
        let mut history = builder.finish(options.access_size, &initial, provenance)?;
        history.name = Some(self.head.name).filter(|name| !name.is_empty());
        Ok(history)
    }
}

/// The note about the kind of core.
fn core_note(client: &str) -> String {
    format!("Recorded on RubricTester cores: {client}.")
}

/// How a run ended, in the words of other traces.
fn describe_end(is_complete: bool, unfinished: &[Unfinished], tick: u64) -> String {
    let oldest = unfinished.iter().min_by_key(|operation| operation.issued);
    match oldest {
        Some(oldest) => {
            let requests = end::outstanding(unfinished.len(), oldest, Some(tick));
            format!("trace incomplete: {requests}")
        }
        None if is_complete => "all requests answered".to_owned(),
        None => "trace incomplete: the log has no record of the run's end".to_owned(),
    }
}

impl Operation {
    fn unfinished(&self) -> Unfinished {
        Unfinished {
            thread: self.thread,
            address: self.issue.address,
            writes: self.issue.kind.writes(),
            issued: Some(self.issued),
            line: Some(self.record),
        }
    }

    fn access(&self) -> Access {
        let Issue { kind, address, size, written } = self.issue;
        let read = self.completed.and_then(|completed| completed.read);
        let kind = match kind {
            Kind::Rmw if read == written => Kind::SilentRmw,
            kind => kind,
        };
        let place = if kind.is_fence() { Place::Nowhere } else { Place::Bytes { address, size } };
        Access {
            sequence: u64::from(self.index),
            read,
            written,
            issued: Some(self.issued),
            completed: self.completed.map(|completed| completed.tick),
            line: Some(self.record),
            order: self.completed.map(|_| self.record),
            ..Access::new(self.thread, kind, place)
        }
    }
}
