//! [`check`] and [`decide`] run the stages one after the other until one decides, or a single algorithm.
//!
//! [`check`]: crate::check

use std::borrow::Cow;

use history::{Ambiguity, History, OpId, ReadsFrom};
use host::Bounds;

use crate::accept::accepted;
use crate::algorithm::Algorithm;
use crate::engine::complete::{Completion, complete, refute};
use crate::engine::events::Events;
use crate::engine::finals::Finals;
use crate::engine::limits::Limits;
use crate::engine::minimise::minimise;
use crate::engine::projection::left_out;
use crate::engine::proof::{Contradiction, Violation};
use crate::engine::rank::rank;
use crate::engine::saturate::Saturation;
use crate::engine::schedule::run_of;
use crate::engine::trace_order::try_trace_order;
use crate::engine::value_problems::ValueProblems;
use crate::engine::windows::{self, WindowOutcome};
use crate::kernel::pairs::{count_unordered, write_pairs};
use crate::options::Options;
use crate::published::{Answer, Problem, Published};
use crate::sat::formula::{Found, OpenOrder};
use crate::sat::residual::Residual;
use crate::verdict::{Outcome, Reason, Stage, Verdict};
use crate::weak;
use memory::Model;
use memory::machine::Step;

/// Number of contradictions after which the search of a small history hands over to SAT. One more contradiction
/// is allowed for every 512 events of the history.
const SAT_HANDOVER_CONTRADICTIONS: u64 = 512;
/// Saturation visits per event after which the search hands over to SAT.
const SAT_HANDOVER_VISITS_PER_EVENT: u64 = 16;

/// Smallest number of events of a history that is searched for a memory order window by window first.
pub(crate) const MINIMUM_FOR_WINDOWS: usize = 8192;

/// Memory below which no algorithm can start, in bytes.
const MINIMUM_MEMORY: usize = 1 << 20;

/// Decides whether a history satisfies a model. The proof of a violation has been accepted by the verifier. No operation
/// can be left out of the proof, unless the proof is large, chooses between candidate sources of a read, or is for a weak
/// model.
pub fn check(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    options: &Options,
) -> Outcome {
    let bounds = Bounds::new(options.timeout, options.max_memory);
    check_within(history, reads_from, model, options, &bounds)
}

/// Decides as [`check`], within `bounds` instead of the time and memory of the options. Unlike the options,
/// bounds can have a flag that cancels the work.
///
/// [`check`]: crate::check
pub fn check_within(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    options: &Options,
    bounds: &Bounds,
) -> Outcome {
    let mut outcome = decide(history, reads_from, model, options, bounds);
    if outcome.verdict == Verdict::Unproved {
        outcome.verdict = proved(history, reads_from, model, options, bounds);
    }
    if let Verdict::Violation(violation) = &mut outcome.verdict {
        let (basis, reads_from) = basis_of_violations(history, reads_from);
        // Under a weak model, leaving out an access may add order, so these proofs are not minimised.
        if !model.is_weak() {
            let decide_part = |history: &History, reads_from: &ReadsFrom, options: &Options| {
                decide(history, reads_from, model, options, bounds)
            };
            minimise(&basis, &reads_from, &decide_part, violation, bounds);
        }
    }
    accepted(history, model, outcome)
}

/// Searches for a proof of a violation that was found by an algorithm that gives no proofs.
fn proved(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    options: &Options,
    bounds: &Bounds,
) -> Verdict {
    let another =
        if options.algorithm.is_stage() { Algorithm::Complete } else { Algorithm::Stages };
    let another = Options { algorithm: another, ..options.clone() };
    match decide(history, reads_from, model, &another, bounds).verdict {
        Verdict::Violation(violation) => Verdict::Violation(violation),
        Verdict::Consistent(_) => Verdict::Undecided(Reason::Refuted(options.algorithm)),
        _ => Verdict::Unproved,
    }
}

/// Decides with the algorithm of the options alone, so that it can be measured. Unlike [`check`], it does
/// not minimise or verify proofs, and does not search for a proof if the algorithm gives none
/// ([`Verdict::Unproved`]).
///
/// [`check`]: crate::check
pub fn decide(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    options: &Options,
    bounds: &Bounds,
) -> Outcome {
    if let Some(unread) = history.with_unread_initial()
        && let Ok(reads_from) = ReadsFrom::derive(&unread, Ambiguity::Keep)
    {
        let outcome = decide(&unread, &reads_from, model, options, bounds);
        if matches!(outcome.verdict, Verdict::Consistent(_) | Verdict::Satisfied) {
            return outcome;
        }
    }
    let outcome = decide_known(history, reads_from, model, options, bounds);
    if is_refuted(&outcome)
        && let (basis @ Cow::Owned(_), basis_reads) = basis_of_violations(history, reads_from)
    {
        let again = decide_known(&basis, &basis_reads, model, options, bounds);
        if is_refuted(&again) {
            return allow_for_gaps(&basis, model, again);
        }
        let mut outcome = allow_for_gaps(history, model, outcome);
        if is_refuted(&outcome) {
            outcome.verdict = Verdict::Undecided(Reason::AssumedInitial);
        }
        return outcome;
    }
    allow_for_gaps(history, model, outcome)
}

/// Returns [`History::basis_of_violations`] and its reads-from.
fn basis_of_violations<'h, 'r>(
    history: &'h History,
    reads_from: &'r ReadsFrom,
) -> (Cow<'h, History>, Cow<'r, ReadsFrom>) {
    let basis = history.basis_of_violations();
    let derived = match &basis {
        Cow::Borrowed(_) => None,
        Cow::Owned(basis) => ReadsFrom::derive(basis, Ambiguity::Keep).ok(),
    };
    let reads_from = derived.map_or(Cow::Borrowed(reads_from), Cow::Owned);
    (basis, reads_from)
}

fn is_refuted(outcome: &Outcome) -> bool {
    matches!(
        outcome.verdict,
        Verdict::Violation(_) | Verdict::Unproved | Verdict::CriterionViolation(_)
    )
}

/// Makes a verdict undecided if an instruction that was not understood may make it wrong. If the history is
/// already undecided because no recorded write has a value, such an instruction may be the missing write. It is
/// then reported as the reason, since the user can act on it.
fn allow_for_gaps(history: &History, model: Model, mut outcome: Outcome) -> Outcome {
    let provenance = &history.provenance;
    let against = match outcome.verdict {
        Verdict::Consistent(_) | Verdict::Satisfied => provenance.against_consistent(),
        Verdict::Violation(_) | Verdict::Unproved | Verdict::CriterionViolation(_) => {
            provenance.against_violation(model != Model::SC)
        }
        Verdict::Undecided(Reason::UnrecordedWrite(_) | Reason::HiddenWrite(_)) => {
            provenance.against_consistent()
        }
        Verdict::Undecided(_) => None,
    };
    if let Some(what) = against {
        outcome.verdict = Verdict::Undecided(Reason::NotUnderstood(what.clone()));
    }
    outcome
}

/// Decides as if every instruction of the trace had been understood.
fn decide_known(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    options: &Options,
    bounds: &Bounds,
) -> Outcome {
    let finals = match Finals::of(history) {
        Ok(finals) => finals,
        Err(end) => return refuted(Violation::immediate(end), Stage::Values),
    };
    let stage =
        if options.algorithm.is_stage() { Stage::Values } else { Stage::By(options.algorithm) };
    // Every model allows an empty history, but "consistent" would look like a passed test.
    if history.is_empty() {
        return Outcome::new(Verdict::Undecided(Reason::NothingCompleted), stage);
    }
    // If a bound is met already, no algorithm starts.
    if bounds.passed() || !bounds.allows(MINIMUM_MEMORY) {
        return Outcome::new(Verdict::Undecided(Reason::exceeded(bounds)), stage);
    }
    let problems = ValueProblems::of(history, reads_from, &finals);
    if let Some(read) = problems.thin_air {
        let end = Contradiction::ThinAir(read);
        return refuted(Violation::immediate(end), Stage::Values);
    }
    let published = match options.algorithm {
        Algorithm::Published(published) => Some(published),
        _ => None,
    };
    if published.is_some() && problems.reads_itself {
        // The papers do not consider a read-modify-write that reads its own value. Saturation refutes it.
        let saturate = Options { algorithm: Algorithm::Saturate, ..options.clone() };
        let outcome = decide(history, reads_from, model, &saturate, bounds);
        return Outcome { decided_by: Stage::By(options.algorithm), ..outcome };
    }
    if let Some(published) = published {
        let problem = Problem {
            budget: options.budget,
            no_baseline: options.no_baseline,
            store_order: options.store_order.as_deref(),
            ..Problem::new(history, reads_from, &finals.writes, model, bounds)
        };
        return problems.qualify(by_paper(published, &problem, problems.ambiguous));
    }
    if model.is_weak() {
        let budget = options.budget;
        let task = weak::Task { history, reads_from, finals: &finals, model, bounds, budget };
        return problems.qualify(task.decide(options.algorithm));
    }
    let left_out = left_out(history, reads_from, model);
    let is_left_out = |op: OpId| left_out[op.at()];
    if matches!(options.algorithm, Algorithm::Stages | Algorithm::TraceOrder) {
        if let Some(steps) = try_trace_order(history, model, is_left_out) {
            let outcome =
                Outcome::new(Verdict::Consistent(steps), Stage::By(Algorithm::TraceOrder));
            return problems.qualify(outcome);
        }
        if options.algorithm == Algorithm::TraceOrder {
            let verdict = Verdict::Undecided(Reason::NoTraceOrder);
            return Outcome::new(verdict, Stage::By(Algorithm::TraceOrder));
        }
    }
    if !bounds.allows(Events::bytes(history.len())) {
        return Outcome::new(Verdict::Undecided(Reason::exceeded(bounds)), stage);
    }
    let events = Events::new(history, reads_from, model, &left_out);
    let task = Task {
        history,
        reads_from,
        finals: &finals,
        events: &events,
        left_out: &left_out,
        options,
        bounds,
    };
    let mut outcome = task.extend();
    // A run of SC is also a run of the weaker models, in which every store is committed at once.
    if model.buffers() && outcome.verdict == Verdict::Undecided(Reason::FreeReads) {
        let stronger = decide(history, reads_from, Model::SC, options, bounds);
        if let Verdict::Consistent(run) = stronger.verdict
            && let Some(run) = weaken(history, model, &run, is_left_out)
        {
            outcome.verdict = Verdict::Consistent(run);
        }
    }
    problems.qualify(outcome)
}

/// Runs a paper's algorithm.
fn by_paper(published: &'static Published, problem: &Problem<'_>, ambiguous: usize) -> Outcome {
    let stage = Stage::By(Algorithm::Published(published));
    if ambiguous > 0 {
        return Outcome::new(Verdict::Undecided(Reason::NeedsSources(ambiguous)), stage);
    }
    if let Some(op) = problem.model.first_refined(problem.history) {
        return Outcome::new(Verdict::Undecided(Reason::Refined(op)), stage);
    }
    let report = (published.run)(problem);
    let (history, model) = (problem.history, problem.model);
    let verdict = match report.answer {
        Answer::Order(order) => match run_of(history, model, &order, |_| false) {
            Some(steps) => Verdict::Consistent(steps),
            None => Verdict::Undecided(Reason::FreeReads),
        },
        Answer::Refuted => Verdict::Unproved,
        Answer::Violation(violation) => Verdict::Violation(violation),
        Answer::Satisfied => Verdict::Satisfied,
        Answer::CriterionViolation(violation) => Verdict::CriterionViolation(violation),
        Answer::GaveUp(reason) => Verdict::Undecided(reason),
        Answer::Exceeded => Verdict::Undecided(Reason::exceeded(problem.bounds)),
    };
    Outcome { verdict, decided_by: stage, statistics: report.statistics }
}

/// Turns a run of SC into one of a model with store buffers.
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
    run_of(history, model, &order, left_out)
}

fn refuted(violation: Violation, stage: Stage) -> Outcome {
    Outcome::new(Verdict::Violation(violation), stage)
}

/// The input of the stages after `trace-order`.
struct Task<'a> {
    history: &'a History,
    reads_from: &'a ReadsFrom,
    finals: &'a Finals,
    events: &'a Events,
    left_out: &'a [bool],
    options: &'a Options,
    bounds: &'a Bounds,
}

impl Task<'_> {
    /// Tries windows if the history is long, then runs saturation, and then the stages of the chosen algorithm.
    fn extend(&self) -> Outcome {
        let finals = self.finals.writes.iter();
        let finals = finals.filter_map(|&write| self.events.event_of(write));
        let finals: Vec<u32> = finals.collect();
        if let Some(found) = self.try_windows(&finals) {
            return found;
        }
        if !self.bounds.allows(Saturation::bytes(self.events)) {
            return self.stopped(Stage::By(Algorithm::Saturate));
        }
        let rank = rank(self.events, self.history);
        let mut saturation = Saturation::new(self.events, rank, finals, self.bounds);
        let mut outcome = match saturation.reset() {
            Err(stop) => match refute(&saturation, stop) {
                Some(violation) => refuted(violation, Stage::By(Algorithm::Saturate)),
                None => self.stopped(Stage::By(Algorithm::Saturate)),
            },
            Ok(()) => {
                // Without an order of completions, guess memory order from the number of predecessors.
                if !self.history.has_order() {
                    saturation.rank_by_past();
                }
                self.decide_rest(&mut saturation)
            }
        };
        outcome.statistics.edges = saturation.edges().len();
        outcome
    }

    /// Searches for a memory order window by window, if the history is long.
    fn try_windows(&self, finals: &[u32]) -> Option<Outcome> {
        let searches = matches!(self.options.algorithm, Algorithm::Stages | Algorithm::Complete);
        let is_long = self.events.len() >= MINIMUM_FOR_WINDOWS;
        if !searches || !is_long || self.reads_from.ambiguous() > 0 {
            return None;
        }
        let stage = Stage::By(Algorithm::Complete);
        let size = windows::size_for(
            self.events.threads,
            self.events.locations(),
            self.events.model,
            self.events.len(),
        );
        match windows::order_of(self.events, finals, size, self.bounds) {
            WindowOutcome::Order(order) => {
                let verdict = self.run(&order);
                matches!(verdict, Verdict::Consistent(_)).then(|| Outcome::new(verdict, stage))
            }
            WindowOutcome::GaveUp { .. } => None,
            WindowOutcome::Exceeded => Some(self.stopped(stage)),
        }
    }

    fn decide_rest(&self, saturation: &mut Saturation<'_>) -> Outcome {
        match self.options.algorithm {
            Algorithm::Saturate => {
                let reason = Reason::NoForcedContradiction;
                let mut outcome =
                    Outcome::new(Verdict::Undecided(reason), Stage::By(Algorithm::Saturate));
                let open = count_unordered(saturation);
                outcome.statistics.ordered = Some(write_pairs(self.history) - open);
                outcome
            }
            Algorithm::Sat => self.solve(saturation),
            Algorithm::Complete => self.search(saturation, Limits::new(self.options.budget)),
            _ => self.search_or_solve(saturation),
        }
    }

    /// Runs the search, and SAT if the search takes long or does not decide.
    fn search_or_solve(&self, saturation: &mut Saturation<'_>) -> Outcome {
        let events = self.events.len() as u64;
        let handover = SAT_HANDOVER_CONTRADICTIONS + events / SAT_HANDOVER_CONTRADICTIONS;
        let limits = Limits {
            visits: SAT_HANDOVER_VISITS_PER_EVENT * (events + SAT_HANDOVER_CONTRADICTIONS),
            ..Limits::new(self.options.budget.min(handover))
        };
        let searched = self.search(saturation, limits);
        let spent = searched.statistics.backtracks;
        let goes_on = match searched.verdict {
            Verdict::Undecided(Reason::Budget(_)) => spent < self.options.budget,
            Verdict::Undecided(Reason::Lemmas | Reason::FreeReads) => true,
            _ => false,
        };
        if !goes_on {
            return searched;
        }
        let mut outcome = self.solve(saturation);
        outcome.statistics.backtracks += spent;
        outcome
    }

    /// Runs the search within limits.
    fn search(&self, saturation: &mut Saturation<'_>, limits: Limits) -> Outcome {
        let mut backtracks = 0;
        let end = complete(saturation, limits, self.bounds, &mut backtracks);
        let verdict = match end {
            Completion::Violation(violation) => Verdict::Violation(violation),
            Completion::Budget => Verdict::Undecided(Reason::Budget(limits.budget)),
            Completion::Memory => Verdict::Undecided(Reason::Lemmas),
            Completion::Exceeded => Verdict::Undecided(Reason::exceeded(self.bounds)),
            Completion::Order(order) => self.run(&order),
        };
        let mut outcome = Outcome::new(verdict, Stage::By(Algorithm::Complete));
        outcome.statistics.backtracks = backtracks;
        outcome
    }

    /// Runs SAT over the pairs of writes that saturation leaves unordered.
    fn solve(&self, saturation: &Saturation<'_>) -> Outcome {
        let (history, reads_from) = (self.history, self.reads_from);
        let formula = Residual::new(history, reads_from, self.finals, saturation, self.bounds);
        let Some(mut formula) = formula else {
            return self.stopped(Stage::By(Algorithm::Sat));
        };
        let budget = self.options.budget;
        let verdict = match formula.solve(&[], budget) {
            Found::Order(order) => self.run(&order),
            Found::Budget => Verdict::Undecided(Reason::Budget(budget)),
            Found::Exceeded => Verdict::Undecided(Reason::exceeded(self.bounds)),
            Found::Nothing => match formula.refutation() {
                Some(violation) => Verdict::Violation(violation),
                None => Verdict::Unproved,
            },
        };
        let mut outcome = Outcome::new(verdict, Stage::By(Algorithm::Sat));
        outcome.statistics.backtracks = formula.contradictions();
        let open = formula.pairs().len() as u64;
        outcome.statistics.ordered = Some(write_pairs(self.history) - open);
        outcome.statistics.sat = Some(formula.statistics());
        outcome
    }

    fn stopped(&self, stage: Stage) -> Outcome {
        Outcome::new(Verdict::Undecided(Reason::exceeded(self.bounds)), stage)
    }

    /// Runs a memory order on the machine.
    fn run(&self, order: &[u32]) -> Verdict {
        let order = order.iter();
        let order: Vec<OpId> = order.map(|&event| self.events.op[event as usize]).collect();
        let model = self.events.model;
        match run_of(self.history, model, &order, |op| self.left_out[op.at()]) {
            Some(steps) => Verdict::Consistent(steps),
            None => Verdict::Undecided(Reason::FreeReads),
        }
    }
}
