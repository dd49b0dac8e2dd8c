//! The stages, one after the other, until one decides.

use std::fmt;
use std::time::Duration;

use history::{History, OpId, ReadSource, ReadsFrom};
use rustc_hash::FxHashMap;

use crate::complete::{Completion, Limits, complete, refute};
use crate::deadline::Deadline;
use crate::events::Events;
use crate::machine::{self, Step};
use crate::minimise::minimise;
use crate::model::Model;
use crate::projection::left_out;
use crate::proof::{Contradiction, Violation};
use crate::rank::rank;
use crate::saturate::{Saturation, Stop};
use crate::schedule::schedule;
use crate::temporal::temporal;

/// What decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// Every stage in turn.
    #[default]
    Stages,
    /// The trace's order as a guess; can only find consistency.
    Temporal,
    /// Forced order; can only find violations.
    Saturate,
    /// Saturation and search, without the temporal guess; complete.
    Complete,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Algorithm; 4] = [
        Algorithm::Stages,
        Algorithm::Temporal,
        Algorithm::Saturate,
        Algorithm::Complete,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Stages => "stages",
            Algorithm::Temporal => "temporal",
            Algorithm::Saturate => "saturate",
            Algorithm::Complete => "complete",
        }
    }
}

/// Limits and choices.
#[derive(Clone, Debug)]
pub struct Options {
    /// What decides.
    pub algorithm: Algorithm,
    /// Time limit for one history and model.
    pub timeout: Option<Duration>,
    /// Contradictions that the search may meet.
    pub budget: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            algorithm: Algorithm::Stages,
            timeout: None,
            budget: u64::MAX,
        }
    }
}

/// The stage that decided, or gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Values alone.
    Values,
    /// The trace's order.
    Temporal,
    /// Forced order.
    Saturate,
    /// Search.
    Complete,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Values => "values",
            Stage::Temporal => "temporal",
            Stage::Saturate => "saturate",
            Stage::Complete => "complete",
        })
    }
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time limit.
    Timeout,
    /// The budget of contradictions.
    Budget(u64),
    /// What the search learned takes too much memory.
    Lemmas,
    /// The trace's order is no memory order (or there is none), which proves nothing.
    NoTemporalOrder,
    /// No contradiction is forced, which proves nothing.
    NoForcedContradiction,
    /// This read returned a value that only a store without a completion can have supplied.
    UnfinishedStore(OpId),
    /// This read is of a location with a write whose value the trace does not show.
    HiddenWrite(OpId),
    /// Reads whose value was written more than once, and no source was found for all of them.
    Ambiguous(usize),
    /// An order was found, but reads that it left free do not return what the machine holds.
    FreeReads,
}

impl Reason {
    /// A sentence for the user, with what to do next.
    pub fn describe(&self, history: &History) -> String {
        match self {
            Reason::Timeout => "the time limit passed; raise --timeout".to_owned(),
            Reason::Budget(budget) => {
                format!(
                    "the search met {budget} contradictions, as many as --budget allows; raise it"
                )
            }
            Reason::Lemmas => {
                "what the search learned from contradictions takes more than 2 GiB".to_owned()
            }
            Reason::NoTemporalOrder => {
                "the trace gives no order of completions that is a memory order; other algorithms \
                 may decide"
                    .to_owned()
            }
            Reason::NoForcedContradiction => {
                "saturation forces no contradiction, which does not prove consistency; \
                 --algorithm complete decides"
                    .to_owned()
            }
            Reason::UnfinishedStore(op) => format!(
                "{} returned a value that only a store without a completion can have written, and \
                 the trace does not show that store's value",
                named(history, *op)
            ),
            Reason::HiddenWrite(op) => format!(
                "{} is of a location with a write whose value the trace does not show, so it is \
                 not known what its reads should return",
                named(history, *op)
            ),
            Reason::FreeReads => "an order was found that the operational machine does not \
                                   accept; this is a defect of rubric, please report it"
                .to_owned(),
            Reason::Ambiguous(reads) => format!(
                "{reads} reads or final values are of a value that was written more than once, and \
                 no choice of their sources was found; record unique values"
            ),
        }
    }
}

/// An operation with its place, for a sentence.
fn named(history: &History, op: OpId) -> String {
    let operation = history.operation(op);
    let line = operation
        .line
        .map_or(String::new(), |line| format!(", line {line}"));
    format!(
        "{} (thread {}, operation {}{line})",
        history.describe(op),
        operation.thread,
        operation.index
    )
}

/// Whether a history satisfies a model, and how that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// This run of the operational machine performs the history.
    Consistent(Vec<Step>),
    /// This proof refutes every run.
    Violation(Violation),
    /// Not known.
    Undecided(Reason),
}

/// A verdict and what it took.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The stage that decided or gave up.
    pub decided_by: Stage,
    /// Edges that saturation derived.
    pub edges: usize,
    /// Contradictions that the search met.
    pub backtracks: u64,
}

impl Outcome {
    fn new(verdict: Verdict, decided_by: Stage) -> Outcome {
        Outcome {
            verdict,
            decided_by,
            edges: 0,
            backtracks: 0,
        }
    }
}

/// Decides whether a history satisfies a model. The proof of a violation has no operation that
/// could be left out, unless it is large.
pub fn check(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    options: &Options,
) -> Outcome {
    let deadline = Deadline::after(options.timeout);
    let mut outcome = decide(history, reads_from, model, options, &deadline);
    if let Verdict::Violation(violation) = &mut outcome.verdict {
        minimise(history, reads_from, model, violation, &deadline);
    }
    outcome
}

/// [`check`] without making the proof small.
pub(crate) fn decide(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    options: &Options,
    deadline: &Deadline,
) -> Outcome {
    let (finals, open_finals) = match final_writes(history) {
        Ok(found) => found,
        Err(end) => return refuted(Violation::immediate(end), Stage::Values),
    };
    let trouble = Trouble::of(history, reads_from, open_finals);
    if let Some(read) = trouble.thin_air {
        let end = Contradiction::ThinAir(read);
        return refuted(Violation::immediate(end), Stage::Values);
    }
    let left_out = left_out(history, reads_from);
    let is_left_out = |op: OpId| left_out[op.at()];
    if matches!(options.algorithm, Algorithm::Stages | Algorithm::Temporal) {
        if let Some(steps) = temporal(history, model, is_left_out) {
            let outcome = Outcome::new(Verdict::Consistent(steps), Stage::Temporal);
            return trouble.qualify(outcome);
        }
        if options.algorithm == Algorithm::Temporal {
            let verdict = Verdict::Undecided(Reason::NoTemporalOrder);
            return Outcome::new(verdict, Stage::Temporal);
        }
    }
    let events = Events::new(history, reads_from, model, &left_out);
    let mut outcome = extend(history, &events, &finals, &left_out, options, deadline);
    // A run of SC is one of the others, with every store committed at once.
    if model.buffers() && outcome.verdict == Verdict::Undecided(Reason::FreeReads) {
        let stronger = decide(history, reads_from, Model::Sc, options, deadline);
        if let Verdict::Consistent(run) = stronger.verdict
            && let Some(run) = weaken(history, model, &run, is_left_out)
        {
            outcome.verdict = Verdict::Consistent(run);
        }
    }
    trouble.qualify(outcome)
}

/// A run of SC as one of a model with store buffers.
fn weaken(
    history: &History,
    model: Model,
    run: &[Step],
    left_out: impl Fn(OpId) -> bool,
) -> Option<Vec<Step>> {
    let executed = run.iter().filter_map(|step| match *step {
        Step::Execute(op) => Some(op),
        Step::Commit(_) => None,
    });
    let order: Vec<OpId> = executed.filter(|&op| !left_out(op)).collect();
    let steps = schedule(history, model, &order, left_out)?;
    machine::run(history, model, &steps).ok().map(|()| steps)
}

fn refuted(violation: Violation, stage: Stage) -> Outcome {
    Outcome::new(Verdict::Violation(violation), stage)
}

/// Saturation, and search unless only saturation is asked for.
fn extend(
    history: &History,
    events: &Events,
    finals: &[OpId],
    left_out: &[bool],
    options: &Options,
    deadline: &Deadline,
) -> Outcome {
    let finals: Vec<u32> = finals
        .iter()
        .filter_map(|&write| events.event_of(write))
        .collect();
    let rank = rank(events, history);
    let mut saturation = Saturation::new(events, rank, finals, deadline);
    let mut outcome = match saturation.reset() {
        Err(stop) => Outcome::new(stopped(&saturation, stop), Stage::Saturate),
        Ok(()) if options.algorithm == Algorithm::Saturate => Outcome::new(
            Verdict::Undecided(Reason::NoForcedContradiction),
            Stage::Saturate,
        ),
        Ok(()) => {
            let mut backtracks = 0;
            // The trace's own order is the better guess.
            if !history.has_order() {
                saturation.rank_by_past();
            }
            let limits = Limits::new(options.budget);
            let end = complete(&mut saturation, limits, deadline, &mut backtracks);
            let verdict = completed(history, events, left_out, end, options.budget);
            Outcome {
                backtracks,
                ..Outcome::new(verdict, Stage::Complete)
            }
        }
    };
    outcome.edges = saturation.edges().len();
    outcome
}

fn stopped(saturation: &Saturation<'_>, stop: Stop) -> Verdict {
    match refute(saturation, stop) {
        Some(violation) => Verdict::Violation(violation),
        None => Verdict::Undecided(Reason::Timeout),
    }
}

fn completed(
    history: &History,
    events: &Events,
    left_out: &[bool],
    end: Completion,
    budget: u64,
) -> Verdict {
    match end {
        Completion::Violation(violation) => Verdict::Violation(violation),
        Completion::Budget => Verdict::Undecided(Reason::Budget(budget)),
        Completion::Memory => Verdict::Undecided(Reason::Lemmas),
        Completion::Timeout => Verdict::Undecided(Reason::Timeout),
        Completion::Order(order) => {
            let order: Vec<OpId> = order
                .iter()
                .map(|&event| events.op[event as usize])
                .collect();
            let steps = schedule(history, events.model, &order, |op| left_out[op.at()]);
            match steps.filter(|steps| machine::run(history, events.model, steps).is_ok()) {
                Some(steps) => Verdict::Consistent(steps),
                None => Verdict::Undecided(Reason::FreeReads),
            }
        }
    }
}

/// Reads that the engines cannot constrain.
struct Trouble {
    thin_air: Option<OpId>,
    unfinished: Option<OpId>,
    hidden: Option<OpId>,
    ambiguous: usize,
}

impl Trouble {
    /// The first of each kind by trace line.
    fn of(history: &History, reads_from: &ReadsFrom, open_finals: usize) -> Trouble {
        let first = |wanted: ReadSource| {
            history
                .ops()
                .filter(|&op| reads_from.source(op) == Some(wanted))
                .min_by_key(|&op| (history.line(op), op))
        };
        Trouble {
            thin_air: first(ReadSource::ThinAir),
            unfinished: first(ReadSource::UnfinishedStore),
            hidden: first(ReadSource::HiddenWrite),
            ambiguous: reads_from.ambiguous() + open_finals,
        }
    }

    /// What an order that was found means for reads that it left free.
    fn qualify(&self, mut outcome: Outcome) -> Outcome {
        let found = matches!(
            outcome.verdict,
            Verdict::Consistent(_) | Verdict::Undecided(Reason::FreeReads)
        );
        let failed = matches!(outcome.verdict, Verdict::Undecided(Reason::FreeReads));
        let reason = match (self.unfinished, self.hidden) {
            (Some(read), _) if found => Reason::UnfinishedStore(read),
            (None, Some(read)) if found => Reason::HiddenWrite(read),
            _ if failed && self.ambiguous > 0 => Reason::Ambiguous(self.ambiguous),
            _ => return outcome,
        };
        outcome.verdict = Verdict::Undecided(reason);
        outcome
    }
}

/// The write that each stated final value comes from, and how many have several candidates.
fn final_writes(history: &History) -> Result<(Vec<OpId>, usize), Contradiction> {
    if history.finals().is_empty() {
        return Ok((Vec::new(), 0));
    }
    let mut writers: FxHashMap<(u32, u64), Vec<OpId>> = FxHashMap::default();
    let mut written = vec![false; history.locations().len()];
    let free = machine::unconstrained_locations(history);
    for op in history.ops() {
        if let (Some(location), Some(value)) = (history.location(op), history.written(op)) {
            writers.entry((location, value)).or_default().push(op);
            written[location as usize] = true;
        }
    }
    let mut finals = Vec::new();
    let mut several = 0;
    for last in history.finals() {
        match writers.get(&(last.location, last.value)).map(Vec::as_slice) {
            _ if free[last.location as usize] => {}
            Some(&[write]) => finals.push(write),
            Some(_) => several += 1,
            None if !written[last.location as usize]
                && history.initial(last.location) == Some(last.value) => {}
            None => return Err(Contradiction::ThinFinal(last.location)),
        }
    }
    Ok((finals, several))
}
