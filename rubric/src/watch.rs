//! Checks a run while it is going on: operations are checked as they complete.
//!
//! A [`Watch`] reads a trace on a thread of its own and follows it to its [`End`]: to the first operation after which the
//! history cannot be consistent any more, or to the end of the trace. Its [`Window`] holds the operations that can still be
//! part of a violation.
//!
//! - `window`: the operations as they arrive, whose sizes later ones may show to be smaller;
//! - `kept`: the latest operations, for those who want to work with them afterwards;
//! - `places`: the numbers of operations in messages;
//! - `source`: the trace, read on a thread of its own.
//!
//! ```
//! use rubric::watch::{End, Watch};
//! use rubric::{Bounds, Model, ingest};
//!
//! // A run of TSO's machine, as gem5 would print it.
//! let recipe = check::generate::Recipe { model: Model::TSO, ..Default::default() };
//! let history = check::generate::generate(&recipe)?;
//! let mut trace = Vec::new();
//! ingest::gem5::write(&history, &mut trace)?;
//!
//! let trace = std::io::Cursor::new(trace);
//! let options = ingest::Options::default();
//! let mut watch = Watch::new(trace, "trace.out", Model::TSO, options, None, Bounds::none());
//! let end = watch.follow(&mut |_| {})?;
//! assert!(matches!(end, End::Consistent(_)));
//! assert_eq!(watch.window().arrived(), history.operations() as u64);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod kept;
mod places;
mod source;
mod window;

use std::io::Read;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use ::check::Bounds;
use ::check::Exceeded;
use ::check::engine::proof::Violation;
use ::check::online::{Arrival, ArrivalError, OnlineViolation};
use ::check::{self, Model, Reason, Verdict};
use certify::rule::Rule;
use history::{Ambiguity, AssumedSize, History, Provenance, ReadsFrom, Source, Unfinished};
use settings::Setting;
use thiserror::Error;

use ingest::LiveEnd;
use kept::Kept;
pub use kept::KeptError;
use source::Batches;
use window::Problem;
pub use window::Window;

/// Longest wait for a batch of operations, after which the bounds are checked again.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Why a trace cannot be watched.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The trace cannot be read, or is of a format that cannot be watched.
    #[error(transparent)]
    Input(#[from] ingest::Error),
    /// The trace shows an operation that cannot be checked while the trace is written.
    #[error("{name}:{line}: {what}: record the trace and use `rubric check`")]
    Unsuitable {
        /// Name of the trace.
        name: String,
        /// Number of lines read so far.
        line: u64,
        /// Description of the operation.
        what: String,
    },
    /// A value is written twice.
    #[error(
        "{name}: {second} writes a value that {first}, so it is not known which of the two a read takes: record a run that writes unique values"
    )]
    WrittenTwice {
        /// Name of the trace.
        name: String,
        /// The second write.
        second: String,
        /// The earlier write of the same value.
        first: String,
    },
    /// The trace shows no operation.
    #[error(
        "{0}: no operation in it that Ruby or a client shows: record gem5 with --debug-flags=ProtocolTrace,RubySequencer,RubyPort; \
         for what the flag Exec shows there is `rubric check`"
    )]
    Empty(String),
}

/// The result of watching a trace.
#[derive(Clone, Debug)]
pub enum End {
    /// The operations are consistent with the model; holds how that is known.
    Consistent(String),
    /// No order explains the operations.
    Violation {
        /// Why no order explains the operations, as a sentence.
        why: String,
        /// Line of the operation whose arrival revealed the violation.
        line: Option<u64>,
        /// The tick at which that operation completed.
        tick: Option<u64>,
        /// A proof, unless it needs operations that were forgotten.
        proof: Option<Box<Proof>>,
    },
    /// The trace is not decided; holds the reason.
    Undecided(String),
}

/// A proof of a violation among the operations that the window remembers. Its operations are numbered within `history`;
/// [`Window::renamed`] replaces these numbers in a text by those of the trace.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The operations that are remembered.
    pub history: History,
    /// The proof that no order explains these operations.
    pub violation: Violation,
}

/// A trace that is checked while it is written.
pub struct Watch {
    name: String,
    batches: Batches,
    window: Window,
    /// The latest operations, if [`Watch::keeping`] was asked for.
    kept: Option<Kept>,
    /// The size of accesses whose size the trace does not show.
    access_size: AssumedSize,
    /// Whether the trace was read to its end.
    is_whole: bool,
    bounds: Bounds,
    source: Option<Source>,
    /// Number of lines that were read.
    line: u64,
    /// The line of the operation that arrived last.
    last_line: Option<u64>,
    /// Tick at which the operation that arrived last completed.
    last_tick: Option<u64>,
    /// What the end of the trace shows: unfinished requests, a crash; empty until the end was read.
    end: LiveEnd,
}

impl Watch {
    /// Begins to read a trace. Errors call it `name`. `access_size` is the size of accesses whose size the trace does not show.
    /// When `bounds` are exceeded, watching ends.
    pub fn new(
        trace: impl Read + Send + 'static,
        name: &str,
        model: Model,
        options: ingest::Options,
        access_size: Option<u8>,
        bounds: Bounds,
    ) -> Watch {
        let (batches, _) = source::begin(Box::new(trace), name.to_owned(), options);
        Watch {
            name: name.to_owned(),
            batches,
            window: Window::new(model, access_size, bounds.clone()),
            kept: None,
            access_size: access_size.map_or(AssumedSize::default(), AssumedSize::Exactly),
            is_whole: false,
            bounds,
            source: None,
            line: 0,
            last_line: None,
            last_tick: None,
            end: LiveEnd::default(),
        }
    }

    /// Keeps the latest operations, at most eight million, so that [`Watch::kept`] can return them when the watch has
    /// ended. An operation takes about 130 bytes.
    #[must_use]
    pub fn keeping(self) -> Watch {
        Watch { kept: Some(Kept::default()), ..self }
    }

    /// The operations that were kept, as a history; `None` without [`Watch::keeping`]. A violation that was found
    /// before the end of the trace is also a violation of this history: reads whose value may still be written have no
    /// value in it.
    ///
    /// # Errors
    /// Returns an error if the operations contradict each other.
    pub fn kept(&self) -> Option<Result<History, KeptError>> {
        let kept = self.kept.as_ref()?;
        let provenance = Provenance {
            ended: self.end.ended.clone(),
            unfinished: self.end.unfinished.clone(),
            outside_writes: self.end.outside_writes,
            not_understood: self.end.not_understood.clone(),
            crash: self.end.crash.clone(),
            ..self.window.provenance(self.source)
        };
        Some(kept.history(self.access_size, provenance, self.is_whole))
    }

    /// The window of operations that have arrived.
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// The kind of trace lines that the operations come from, if it is known.
    pub fn source(&self) -> Option<Source> {
        self.source
    }

    /// What the end of the trace shows, such as unfinished requests; empty unless the trace was read to its end.
    pub fn trace_end(&self) -> &LiveEnd {
        &self.end
    }

    /// Follows the trace until the verdict is known, and calls `progress` after each batch of operations.
    ///
    /// # Errors
    /// Returns an error if the trace cannot be read or cannot be watched.
    pub fn follow(&mut self, progress: &mut dyn FnMut(&Window)) -> Result<End, WatchError> {
        let model = self.window.model();
        if model.is_weak() {
            return Ok(End::Undecided(format!(
                "a trace is not watched under {model}; record it, and use `rubric check --model {}`",
                model.name()
            )));
        }
        loop {
            let batch = match self.batches.recv_timeout(LOOK_EVERY) {
                Ok(batch) => batch?,
                Err(RecvTimeoutError::Timeout) => match self.stopped() {
                    Some(end) => return Ok(end),
                    None => continue,
                },
                // The reading thread has reported an error, or ended with the trace.
                Err(RecvTimeoutError::Disconnected) => return self.end_of_trace(),
            };
            (self.source, self.line) = (batch.source, batch.line);
            for (at, access) in batch.accesses.iter().enumerate() {
                (self.last_line, self.last_tick) = (access.line, access.completed);
                if let Some(kept) = &mut self.kept {
                    kept.push(access);
                }
                if let Err(problem) = self.window.take(access, &batch.accesses[..at]) {
                    return self.problem(problem);
                }
            }
            self.window.log(batch.accesses);
            progress(&self.window);
            if !batch.reader_holds_all {
                self.window.settle(&batch.completed_before);
            }
            if let Some(end) = batch.end {
                self.end = end;
                return self.end_of_trace();
            }
            if let Some(end) = self.stopped() {
                return Ok(end);
            }
        }
    }

    /// Returns the end of the watch if a bound is exceeded.
    fn stopped(&self) -> Option<End> {
        // `passed` measures memory only at some of its calls.
        (0..8).any(|_| self.bounds.passed()).then(|| self.exceeded())
    }

    /// Returns the end of a watch whose bounds are exceeded.
    fn exceeded(&self) -> End {
        match self.bounds.exceeded() {
            Some(Exceeded::Interrupted) => {
                End::Undecided("interrupted; no violation so far".to_owned())
            }
            _ => {
                let (thread, kept) = (self.window.idle(), self.window.remembered());
                let idle = thread.map_or(String::new(), |thread| {
                    format!(": thread {thread} has been idle for long, and operations after its last one cannot be forgotten")
                });
                End::Undecided(format!(
                    "{kept} operations need more memory than {} allows{idle}",
                    Setting::MaxMemory
                ))
            }
        }
    }

    /// Ends the watch because an operation cannot be taken in.
    fn problem(&mut self, problem: Problem) -> Result<End, WatchError> {
        let stop = match problem {
            Problem::Arrival(stop) => stop,
            Problem::Unsuitable(what) => {
                return Err(WatchError::Unsuitable {
                    name: self.name.clone(),
                    line: self.line,
                    what,
                });
            }
        };
        match stop {
            ArrivalError::OnlineViolation(broken) => {
                Ok(self.violation(&broken, self.last_line, self.last_tick))
            }
            ArrivalError::Exceeded => Ok(self.stopped().unwrap_or_else(|| self.exceeded())),
            ArrivalError::LateThread(first) => Ok(End::Undecided(format!(
                "thread {} began with {}, after operations that it may precede had been forgotten",
                first.thread,
                self.window.named(&first)
            ))),
            ArrivalError::WrittenTwice(twice) => Err(WatchError::WrittenTwice {
                name: self.name.clone(),
                second: self.window.named(&twice.second),
                first: match twice.first {
                    Some(first) => format!("{} has written", self.window.named(&first)),
                    None => "was written before".to_owned(),
                },
            }),
        }
    }

    /// The end of a history that cannot be consistent any more, with a proof if the remembered operations have one.
    fn violation(&self, broken: &OnlineViolation, line: Option<u64>, tick: Option<u64>) -> End {
        let history = self.window.history();
        let proof = history.and_then(|history| {
            let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep).ok()?;
            let options = check::Options::default();
            let model = self.window.model();
            let checked = check::decide(&history, &reads_from, model, &options, &self.bounds);
            match checked.verdict {
                Verdict::Violation(violation) => Some(Box::new(Proof { history, violation })),
                _ => None,
            }
        });
        End::Violation { why: reason(&self.window, broken), line, tick, proof }
    }

    /// Ends the watch at the end of the trace.
    fn end_of_trace(&mut self) -> Result<End, WatchError> {
        self.is_whole = true;
        let end = std::mem::take(&mut self.end);
        let verdict = self.verdict_at(&end);
        self.end = end;
        Ok(self.allowing_for_gaps(verdict?))
    }

    /// The verdict, which is undecided if what the trace lacks may make it wrong.
    fn allowing_for_gaps(&self, verdict: End) -> End {
        let not_understood = self.end.not_understood.clone();
        let known = Provenance { not_understood, ..Provenance::made() };
        let against = match &verdict {
            End::Consistent(_) => known.against_consistent(),
            End::Violation { .. } => known.against_violation(true),
            _ => None,
        };
        match against {
            Some(what) => End::Undecided(
                Reason::NotUnderstood(what.clone()).describe(&History::empty(Provenance::made())),
            ),
            None => verdict,
        }
    }

    /// Returns the verdict at the end of the trace.
    fn verdict_at(&mut self, end: &LiveEnd) -> Result<End, WatchError> {
        if let Err(error) = self.window.finish() {
            let thin_air = match &error {
                ArrivalError::OnlineViolation(broken) => match **broken {
                    OnlineViolation::ThinAir(read) => Some(read),
                    _ => None,
                },
                _ => None,
            };
            let Some(read) = thin_air else {
                return self.problem(Problem::Arrival(error));
            };
            let writes = |it: &&Unfinished| it.writes && self.window.reaches(it.address, &read);
            if let Some(unfinished) = end.unfinished.iter().find(writes) {
                return Ok(End::Undecided(format!(
                    "{} returned a value that only the store to {:#x} of thread {} can have written, whose completion the trace does not show",
                    self.window.named(&read),
                    unfinished.address,
                    unfinished.thread
                )));
            }
            if end.outside_writes {
                return Ok(End::Undecided(format!(
                    "{} returned a value that was written outside of the history",
                    self.window.named(&read)
                )));
            }
            let broken = OnlineViolation::ThinAir(read);
            return Ok(self.violation(&broken, (read.tag > 0).then_some(read.tag), None));
        }
        if self.window.arrived() == 0 && end.crash.is_some() {
            return Ok(End::Undecided("no operation completed before the run crashed".to_owned()));
        }
        if self.window.arrived() == 0 {
            return Err(WatchError::Empty(self.name.clone()));
        }
        if self.window.is_explained() {
            return Ok(End::Consistent(format!(
                "executed one by one, each read returned the value in {}",
                self.window.holder()
            )));
        }
        if !self.window.is_whole() {
            return Ok(End::Undecided(
                "the required orderings form no cycle, but executing the operations nearly as they completed does not explain every read: record the trace and \
                 use `rubric check`, which tries other orders"
                    .to_owned(),
            ));
        }
        Ok(match self.window.history() {
            Some(history) => self.decided(history),
            None => End::Undecided("the trace does not show the sizes of accesses".to_owned()),
        })
    }

    /// Decides a history that no operation was forgotten of, by the stages of `check`.
    fn decided(&self, history: History) -> End {
        let Ok(reads_from) = ReadsFrom::derive(&history, Ambiguity::Keep) else {
            return End::Undecided("a value is written twice".to_owned());
        };
        let outcome = check::decide(
            &history,
            &reads_from,
            self.window.model(),
            &check::Options::default(),
            &self.bounds,
        );
        match outcome.verdict {
            Verdict::Consistent(_) => End::Consistent(format!("by {}", outcome.decided_by)),
            Verdict::Violation(violation) => End::Violation {
                why: "no order explains the operations, although the required orderings form no cycle".to_owned(),
                line: None,
                tick: None,
                proof: Some(Box::new(Proof { history, violation })),
            },
            Verdict::Undecided(reason) => End::Undecided(reason.describe(&history)),
            _ => End::Undecided("there is no run, but no proof was found".to_owned()),
        }
    }
}

/// Says why no order explains the operations.
fn reason(window: &Window, broken: &OnlineViolation) -> String {
    let named = |it: &Arrival| window.named(it);
    match broken {
        OnlineViolation::Cycle(before, after, rule) => {
            let (first, second) = (named(before), named(after));
            let because = match rule {
                Some(Rule::ProgramOrder(_)) => "program order".to_owned(),
                Some(Rule::ReadsFrom) => "the second reads what the first writes".to_owned(),
                Some(Rule::OwnEarlier(read)) => format!(
                    "{} comes after the first in its thread, and returns the value of the second",
                    named(read)
                ),
                Some(Rule::Observed(read)) => format!(
                    "{} comes after the first, and returns the value of the second",
                    named(read)
                ),
                Some(Rule::Overtaken) => "the first reads what the second overwrites".to_owned(),
                _ => "that follows from operations that were forgotten".to_owned(),
            };
            format!("{first} must come before {second}, since {because}; but it comes after it")
        }
        OnlineViolation::Stale(read, write) => format!(
            "{} returns the initial value, but {} comes before it",
            named(read),
            named(write)
        ),
        OnlineViolation::Overwritten(read) => {
            format!("{} returns a value that was overwritten long before", named(read))
        }
        OnlineViolation::ThinAir(read) => {
            format!("{} returns a value that was never written", named(read))
        }
    }
}
