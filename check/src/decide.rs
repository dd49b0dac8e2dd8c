//! The stages, one after the other, until one decides.

use std::time::Duration;

use history::{History, OpId, ReadSource, ReadsFrom};
use rustc_hash::FxHashMap;

use crate::algorithm::Algorithm;
use crate::bounds::Bounds;
use crate::complete::{Completion, Limits, complete, refute};
use crate::events::Events;
use crate::machine::{self, Step};
use crate::minimise::minimise;
use crate::model::Model;
use crate::papers::{self, Answer, Problem};
use crate::projection::left_out;
use crate::proof::{Contradiction, Violation};
use crate::rank::rank;
use crate::saturate::{Saturation, Stop};
use crate::schedule::schedule;
use crate::temporal::temporal;
use crate::verdict::{Outcome, Reason, Stage, Verdict};

/// Limits and choices.
#[derive(Clone, Debug)]
pub struct Options {
    /// What decides.
    pub algorithm: Algorithm,
    /// Time limit for one history and model.
    pub timeout: Option<Duration>,
    /// Bytes that the process may occupy.
    pub max_memory: Option<u64>,
    /// Contradictions that the search may meet.
    pub budget: u64,
    /// Whether the algorithms of HPCA 2006 sort without inferring edges first.
    pub no_baseline: bool,
    /// For them: the order of all writes of each location, one location after the other or mixed.
    /// Locations that one thread alone uses may be left out.
    pub store_order: Option<Vec<OpId>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            algorithm: Algorithm::Stages,
            timeout: None,
            max_memory: None,
            budget: u64::MAX,
            no_baseline: false,
            store_order: None,
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
    let bounds = Bounds::new(options.timeout, options.max_memory);
    let mut outcome = decide(history, reads_from, model, options, &bounds);
    if outcome.verdict == Verdict::Unproved {
        outcome.verdict = proved(history, reads_from, model, options, &bounds);
    }
    if let Verdict::Violation(violation) = &mut outcome.verdict {
        minimise(history, reads_from, model, violation, &bounds);
    }
    outcome
}

/// Proves what an algorithm found that gives no proofs.
fn proved(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    options: &Options,
    bounds: &Bounds,
) -> Verdict {
    let stages = Options {
        algorithm: Algorithm::Stages,
        ..options.clone()
    };
    match decide(history, reads_from, model, &stages, bounds).verdict {
        Verdict::Violation(violation) => Verdict::Violation(violation),
        Verdict::Consistent(_) => Verdict::Undecided(Reason::Refuted(options.algorithm)),
        _ => Verdict::Unproved,
    }
}

/// Decides without making proofs small, and without proving what an algorithm found that gives no
/// proofs ([`Verdict::Unproved`]): what the algorithm does by itself, to be measured.
///
/// [`check`]: crate::check
pub fn decide(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    options: &Options,
    bounds: &Bounds,
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
    if !options.algorithm.is_stage() {
        let problem = Problem {
            history,
            reads_from,
            finals: &finals,
            model,
            options,
            bounds,
        };
        return trouble.qualify(by_paper(&problem, trouble.ambiguous));
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
    let mut outcome = extend(history, &events, &finals, &left_out, options, bounds);
    // A run of SC is one of the others, with every store committed at once.
    if model.buffers() && outcome.verdict == Verdict::Undecided(Reason::FreeReads) {
        let stronger = decide(history, reads_from, Model::Sc, options, bounds);
        if let Verdict::Consistent(run) = stronger.verdict
            && let Some(run) = weaken(history, model, &run, is_left_out)
        {
            outcome.verdict = Verdict::Consistent(run);
        }
    }
    trouble.qualify(outcome)
}

/// Runs a paper's algorithm.
fn by_paper(problem: &Problem<'_>, ambiguous: usize) -> Outcome {
    let algorithm = problem.options.algorithm;
    let stage = Stage::Paper(algorithm);
    if ambiguous > 0 {
        return Outcome::new(Verdict::Undecided(Reason::NeedsSources(ambiguous)), stage);
    }
    let report = papers::run(problem, algorithm);
    let (history, model) = (problem.history, problem.model);
    let verdict = match report.answer {
        Answer::Order(order) => {
            let steps = schedule(history, model, &order, |_| false);
            match steps.filter(|steps| machine::run(history, model, steps).is_ok()) {
                Some(steps) => Verdict::Consistent(steps),
                None => Verdict::Undecided(Reason::FreeReads),
            }
        }
        Answer::Refuted => Verdict::Unproved,
        Answer::Violation(violation) => Verdict::Violation(violation),
        Answer::Satisfied => Verdict::Satisfied,
        Answer::Breach(breach) => Verdict::Breach(breach),
        Answer::GaveUp(reason) => Verdict::Undecided(reason),
        Answer::Exceeded => Verdict::Undecided(Reason::exceeded(problem.bounds)),
    };
    Outcome {
        verdict,
        decided_by: stage,
        statistics: report.statistics,
    }
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
    bounds: &Bounds,
) -> Outcome {
    let finals: Vec<u32> = finals
        .iter()
        .filter_map(|&write| events.event_of(write))
        .collect();
    let rank = rank(events, history);
    let mut saturation = Saturation::new(events, rank, finals, bounds);
    let mut outcome = match saturation.reset() {
        Err(stop) => Outcome::new(stopped(&saturation, stop, bounds), Stage::Saturate),
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
            let end = complete(&mut saturation, limits, bounds, &mut backtracks);
            let verdict = completed(history, events, left_out, end, options.budget, bounds);
            let mut outcome = Outcome::new(verdict, Stage::Complete);
            outcome.statistics.backtracks = backtracks;
            outcome
        }
    };
    outcome.statistics.edges = saturation.edges().len();
    outcome
}

fn stopped(saturation: &Saturation<'_>, stop: Stop, bounds: &Bounds) -> Verdict {
    match refute(saturation, stop) {
        Some(violation) => Verdict::Violation(violation),
        None => Verdict::Undecided(Reason::exceeded(bounds)),
    }
}

fn completed(
    history: &History,
    events: &Events,
    left_out: &[bool],
    end: Completion,
    budget: u64,
    bounds: &Bounds,
) -> Verdict {
    match end {
        Completion::Violation(violation) => Verdict::Violation(violation),
        Completion::Budget => Verdict::Undecided(Reason::Budget(budget)),
        Completion::Memory => Verdict::Undecided(Reason::Lemmas),
        Completion::Exceeded => Verdict::Undecided(Reason::exceeded(bounds)),
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
