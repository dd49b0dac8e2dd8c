//! [`Run`]: a run of a program in a log, whose records become operations.

use history::{
    Access, BuildError, Doubt, Gap, History, HistoryBuilder, Kind, NotUnderstood, Place,
    Provenance, Source, Unfinished,
};
use rustc_hash::FxHashMap;

use crate::gem5::crash::end::{self, End};
use crate::options::Options;
use crate::tester::completed::Completed;
use crate::tester::record::{Flaw, Head, Issue, OperationRef, Ordering, Record};
use crate::tester::taken::ControllerTransitions;

/// The records of a run so far.
pub(super) struct Run<'o> {
    options: &'o Options,
    head: Head,
    tick: u64,
    /// The operations that have been issued and not completed, by thread and index.
    outstanding: FxHashMap<(u32, u32), Operation>,
    /// The orderings of operations under weak models, by thread and index.
    orderings: FxHashMap<(u32, u32), Ordering>,
    /// For each thread, its operations that have completed.
    completed: Vec<Completed>,
    /// The selected operations that have completed and were not fetched.
    unfetched: Vec<Access>,
    ended: Option<bool>,
    notes: Vec<String>,
    /// The number and the content of the record in which the log is damaged.
    damage: Option<(u64, String)>,
}

/// An operation that was issued.
struct Operation {
    thread: u32,
    index: u32,
    issue: Issue,
    issued: u64,
    /// Number of the record of the first issue.
    record: u64,
    /// Number of the record of the last issue, whose tick is `issued`.
    last_record: u64,
}

/// How a run ended.
pub(super) struct RunEnd {
    /// The stores that were issued and have not completed.
    pub stores: Vec<Access>,
    /// All operations that were issued and have not completed.
    pub unfinished: Vec<Unfinished>,
    /// Description of the end.
    pub ended: String,
}

impl<'o> Run<'o> {
    pub(super) fn new(head: Head, options: &'o Options) -> Run<'o> {
        Run {
            options,
            head,
            tick: 0,
            outstanding: FxHashMap::default(),
            orderings: FxHashMap::default(),
            completed: Vec::new(),
            unfetched: Vec::new(),
            ended: None,
            notes: Vec::new(),
            damage: None,
        }
    }

    /// Takes in the `number`-th record of the log. Transitions of controllers go to `taken`.
    pub(super) fn take(
        &mut self,
        record: &Record,
        number: u64,
        taken: &mut ControllerTransitions,
    ) -> Result<(), Flaw> {
        if self.ended.is_some() {
            return Err(Flaw::new("a record after the end of a run", "the begin of a run"));
        }
        match *record {
            Record::End { after, is_complete } => {
                self.advance(after)?;
                self.ended = Some(is_complete);
                Ok(())
            }
            Record::Issue(which, issue) => self.issue(which, issue, number),
            Record::Order(which, ref ordering) => self.order(which, ordering),
            Record::Complete(which, read) => self.complete(which, read, number),
            Record::Name(ref name) => taken.name(name),
            Record::Transition(took) => {
                self.advance(took.after)?;
                taken.transition(self.tick, &took, number)
            }
            Record::Magic | Record::Run(_) => Ok(()),
        }
    }

    fn advance(&mut self, after: u64) -> Result<(), Flaw> {
        let tick = self.tick.checked_add(after);
        self.tick = tick.ok_or_else(|| Flaw::new("a tick beyond 2^64", "ticks below 2^64"))?;
        Ok(())
    }

    fn order(&mut self, which: OperationRef, ordering: &Ordering) -> Result<(), Flaw> {
        self.advance(which.after)?;
        if let Some((_, on)) = ordering.depends.iter().find(|(_, on)| *on >= which.index) {
            return Err(Flaw::new(
                format!("a dependency of operation {} on operation {on}", which.index),
                "one on an earlier operation",
            ));
        }
        self.orderings.insert((which.thread, which.index), ordering.clone());
        Ok(())
    }

    fn issue(&mut self, which: OperationRef, issue: Issue, number: u64) -> Result<(), Flaw> {
        self.advance(which.after)?;
        let OperationRef { thread, index, .. } = which;
        let issue = match self.orderings.get(&(thread, index)) {
            Some(ordering) => issue.ordered(ordering),
            None => issue,
        };
        if thread >= self.head.threads {
            return Err(Flaw::new(
                format!("thread {thread}"),
                format!("one of the {} threads of the run", self.head.threads),
            ));
        }
        let has_completed =
            self.completed.get(thread as usize).is_some_and(|completed| completed.has(index));
        let earlier = self.outstanding.get(&(thread, index));
        let is_repeated =
            earlier.is_none_or(|it| it.issue.kind == Kind::Load && issue.kind == Kind::Load);
        if has_completed || !is_repeated {
            return Err(Flaw::new(
                format!("operation {index} of thread {thread} once more"),
                "each operation once, except for loads that are repeated",
            ));
        }
        let record = earlier.map_or(number, |earlier| earlier.record);
        let operation =
            Operation { thread, index, issue, issued: self.tick, record, last_record: number };
        self.outstanding.insert((thread, index), operation);
        Ok(())
    }

    fn complete(
        &mut self,
        which: OperationRef,
        read: Option<u64>,
        number: u64,
    ) -> Result<(), Flaw> {
        self.advance(which.after)?;
        let OperationRef { thread, index, .. } = which;
        let Some(operation) = self.outstanding.remove(&(thread, index)) else {
            return Err(Flaw::new(
                format!("the completion of operation {index} of thread {thread}"),
                "one of an operation that was issued and has not completed",
            ));
        };
        let kind = operation.issue.kind;
        if read.is_some() != kind.reads() {
            let found = if read.is_some() { "a value" } else { "no value" };
            return Err(Flaw::new(
                format!("{found} read by operation {index} of thread {thread}, a {}", kind.name()),
                "a value of loads and read-modify-writes alone",
            ));
        }
        let threads = (thread as usize + 1).max(self.completed.len());
        self.completed.resize_with(threads, Completed::default);
        self.completed[thread as usize].note(index);
        if self.is_selected(&operation) && self.options.wants_tick(Some(self.tick)) {
            self.unfetched.push(operation.completed(self.tick, read, number));
        }
        Ok(())
    }

    fn is_selected(&self, operation: &Operation) -> bool {
        operation.issue.kind.is_fence() || self.options.wants_address(operation.issue.address)
    }

    /// Notes that the log is damaged from a byte on, which is in the `number`-th record.
    pub(super) fn damaged(&mut self, flaw: &Flaw, byte: u64, number: u64) {
        let Flaw { found, expected } = flaw;
        let note = format!("left out from byte {byte} on: found {found}, expected {expected}.");
        self.notes.push(note);
        // A log that ends early shows the beginning of its run.
        self.damage = (!flaw.is_end_of_log()).then(|| (number, found.clone()));
    }

    /// The gap that is left where the log is damaged.
    pub(super) fn gap(&mut self) -> Option<NotUnderstood> {
        let (line, instruction) = self.damage.take()?;
        Some(NotUnderstood { gap: Gap::Read, line, instruction, doubt: Some(Doubt::Skipped) })
    }

    /// The operations that have completed since the last call, in the order of their completion.
    pub(super) fn fetch(&mut self) -> Vec<Access> {
        std::mem::take(&mut self.unfetched)
    }

    /// Ends the run: returns its outstanding operations and a description of the end.
    pub(super) fn end(&mut self) -> RunEnd {
        let outstanding = std::mem::take(&mut self.outstanding).into_values();
        let mut outstanding: Vec<Operation> =
            outstanding.filter(|operation| self.is_selected(operation)).collect();
        outstanding.sort_by_key(|operation| operation.record);
        let unfinished: Vec<Unfinished> = outstanding.iter().map(Operation::unfinished).collect();
        let stores = outstanding.iter().filter(|operation| operation.issue.kind == Kind::Store);
        RunEnd {
            stores: stores.map(Operation::access).collect(),
            ended: describe_end(self.ended == Some(true), &unfinished, self.tick),
            unfinished,
        }
    }

    /// Builds the history. `printed` is what gem5 printed about the end of the run.
    pub(super) fn finish(mut self, printed: &End) -> Result<History, BuildError> {
        let RunEnd { stores, unfinished, mut ended } = self.end();
        let not_understood = self.gap().into_iter().collect();
        // A run that has its end record has not crashed, whatever output another run left in the same folder.
        let crash = printed.crash().filter(|_| self.ended != Some(true));
        if crash.is_some()
            && let Some(words) = printed.describe(&unfinished, Some(self.tick), false)
        {
            ended = words;
        }
        let mut accesses: Vec<Access> = self.unfetched.into_iter().chain(stores).collect();
        if !self.orderings.is_empty() {
            // The builder takes a dependency only after the operation that it refers to.
            accesses.sort_by_key(|access| (access.thread, access.sequence));
        }
        let mut builder = HistoryBuilder::new();
        let mut rows: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        for access in accesses {
            let at = (access.thread, access.sequence as u32);
            builder.push(access);
            if self.orderings.is_empty() {
                continue;
            }
            rows.insert(at, builder.len() - 1);
            for &(kind, on) in self.orderings.get(&at).iter().flat_map(|it| &it.depends) {
                // An operation that was not selected or has not completed is not in the history.
                if let Some(&row) = rows.get(&(at.0, on)) {
                    builder.depend(kind, row);
                }
            }
        }
        self.notes.extend((!self.head.client.is_empty()).then(|| core_note(&self.head.client)));
        let provenance = Provenance {
            not_understood,
            ended: Some(ended),
            crash: crash.cloned(),
            unfinished,
            notes: self.notes,
            ..Provenance::of(Source::Client)
        };
        let initial = self.options.initial.clone().unwrap_or_default();
        let mut history = builder.finish(self.options.access_size, &initial, provenance)?;
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
            line: Some(self.last_record),
        }
    }

    /// The access of the operation before it completes.
    fn access(&self) -> Access {
        let Issue { kind, address, size, written, annotation } = self.issue;
        let place = if kind.is_fence() { Place::Nowhere } else { Place::Bytes { address, size } };
        Access {
            annotation,
            sequence: u64::from(self.index),
            written,
            issued: Some(self.issued),
            line: Some(self.record),
            ..Access::new(self.thread, kind, place)
        }
    }

    /// The access of the operation after it completed at `tick` with the value that it read, as the log's `record`-th
    /// record states.
    fn completed(&self, tick: u64, read: Option<u64>, record: u64) -> Access {
        let issued = self.access();
        let is_silent = issued.kind == Kind::Rmw && read == issued.written;
        Access {
            kind: if is_silent { Kind::SilentRmw } else { issued.kind },
            read,
            completed: Some(tick),
            line: Some(record),
            order: Some(record),
            ..issued
        }
    }
}
