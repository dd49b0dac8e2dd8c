//! The breadth-first search of all states of a protocol: [`Search`].
//!
//! - [`worker`]: makes moves and looks up the states after them, on several threads;
//! - [`follow`]: finds the run to a state;
//! - [`checkpoint`]: stores a search on disk, and resumes it.
//!
//! States are explored in batches. Workers look up known states and moves; states that they do not find are added here, one after another.
//! So the numbers of states, and the findings, are those of a search by a single thread.

pub(super) mod checkpoint;
mod follow;
mod worker;

use std::time::Instant;

use simulate::stepper::{Access, Action, Group, Move, PartStepper, Problem, Symmetry};
use simulate::system::Warning;
use slicc::source::Span;

use super::states::disk::DiskProblem;
use super::states::{States, Unpacked};
use super::{Finding, SearchOptions};
use crate::search::{Limits, Progress, Stopped, stopped};
use checkpoint::Checkpoints;
use worker::{Batch, Knowledge, Lead, OfState, Worker};

/// Number of explored states between two checks of time and memory.
const STATES_PER_CHECK: usize = 64;
/// Number of explored states between two reports of progress.
const STATES_PER_REPORT: usize = 1 << 14;
/// Memory for learnt effects of moves below which none are forgotten, in bytes.
const LEAST_BYTES_OF_MOVES: usize = 64 << 20;
/// Memory for learnt effects of moves that is allowed for each state, in bytes.
const BYTES_OF_MOVES_PER_STATE: usize = 1;
/// Number of states in a batch for each worker.
const STATES_PER_WORKER: usize = 1 << 14;

/// The end of a search.
#[derive(Debug)]
pub(super) enum End {
    /// All states were explored.
    Complete,
    /// A finding, at the state with this number.
    Found(Finding, usize),
    /// A limit was met.
    Stopped(Stopped),
}

/// A search of a protocol's states.
pub(super) struct Search {
    pub stepper: PartStepper,
    pub states: States,
    /// The warnings, each with the state and the move in which it first occurred.
    pub warnings: Vec<(Warning, usize, Move)>,
    /// For each report of a move, by its number, whether its warnings have been noted.
    noted: Vec<bool>,
    workers: Vec<Worker>,
    /// Whether memory performs requests at once.
    serves: bool,
    /// The contents of the states of a batch, if states are not in memory: see [`Batch::Given`].
    given: Vec<u32>,
    moves: Vec<Move>,
    /// The state whose moves are explored.
    before: Unpacked,
    after: Vec<u32>,
    /// The position of the search.
    at: At,
    /// The checkpoints, if states are on disk.
    checkpoints: Option<Checkpoints>,
    /// The transitions that earlier processes of a resumed exploration have taken, by their numbers.
    taken: Vec<u32>,
}

/// The position of a search among the states.
#[derive(Clone, Copy, Debug)]
struct At {
    /// The next state to be explored.
    state: usize,
    /// The end of the states that are as many moves from the first state as `state`.
    layer_ends: usize,
    progress: Progress,
}

impl Search {
    /// Creates a search that begins in the first state of a stepper, with states in memory. `seed` selects the fingerprints.
    pub(super) fn new(stepper: PartStepper, search_options: &SearchOptions, seed: u64) -> Search {
        let known = stepper.known();
        let states = States::new(known.width(), known.groups(), search_options.store, seed);
        Search::begin(stepper, states, search_options)
    }

    /// Creates a search that begins in the first state.
    fn begin(
        mut stepper: PartStepper,
        mut states: States,
        search_options: &SearchOptions,
    ) -> Search {
        let mut first = stepper.first();
        stepper.represent(&mut first);
        // The first state is always new.
        let _ = states.number(&first, &Unpacked::default());
        states.note(!stepper.known().is_busy(&first));
        Search::of(stepper, states, search_options)
    }

    fn of(stepper: PartStepper, states: States, search_options: &SearchOptions) -> Search {
        Search {
            after: vec![0; stepper.known().width()],
            stepper,
            states,
            warnings: Vec::new(),
            noted: Vec::new(),
            serves: search_options.partial_order,
            workers: (0..search_options.jobs.max(1)).map(|_| Worker::default()).collect(),
            given: Vec::new(),
            moves: Vec::new(),
            before: Unpacked::default(),
            at: At { state: 0, layer_ends: 1, progress: Progress::default() },
            checkpoints: None,
            taken: Vec::new(),
        }
    }

    /// Explores states until all are explored, a limit is met or there is a finding.
    ///
    /// # Errors
    /// Fails if a file on disk cannot be read or written, or is damaged.
    pub(super) fn run(
        &mut self,
        limits: &Limits,
        report: &mut dyn FnMut(&Progress),
    ) -> Result<(End, Progress), DiskProblem> {
        let begun = Instant::now();
        let before = self.at.progress.time;
        let mut at = self.at;
        let mut report = |progress: &mut Progress| {
            progress.time = before + begun.elapsed();
            report(progress);
        };
        let mut end = loop {
            if at.state == self.states.len() || self.is_void() {
                break End::Complete;
            }
            if let Some(end) = self.explore_batch(&mut at, limits, &mut report) {
                break end;
            }
            at.progress.time = before + begun.elapsed();
            self.forget_if_due();
            self.leave_if_due(&at)?;
        };
        at.progress.time = before + begun.elapsed();
        at.progress.states = self.states.len();
        if !matches!(end, End::Found(..)) {
            self.leave(&at)?;
        }
        let mut progress = at.progress;
        if !matches!(end, End::Found(..)) && !self.is_void() && self.states.are_exact() {
            let explored = self.states.len() - progress.open;
            if let Some(stuck) = self.first_stuck(explored) {
                end = End::Found(self.stuck(stuck), stuck);
            }
        }
        self.states.verify();
        if let Some(problem) = self.states.problem() {
            return Err(problem);
        }
        let known = self.stepper.known();
        progress.bytes_of_parts = known.bytes_of_parts();
        progress.bytes_of_moves = known.bytes_of_moves();
        progress.bytes = self.states.bytes() + known.bytes();
        progress.time = before + begun.elapsed();
        Ok((end, progress))
    }

    /// Forgets the learnt effects of moves if they take much memory compared with the states. They are learnt again, with the same numbers
    /// of states, so that only the time depends on it.
    fn forget_if_due(&mut self) {
        let allowed = LEAST_BYTES_OF_MOVES.max(self.states.len() * BYTES_OF_MOVES_PER_STATE);
        if self.stepper.known().bytes_of_moves() > allowed {
            self.stepper.forget_moves();
            // Reports get new numbers.
            self.noted.clear();
        }
    }

    /// Explores the next states.
    fn explore_batch(
        &mut self,
        at: &mut At,
        limits: &Limits,
        report: &mut dyn FnMut(&mut Progress),
    ) -> Option<End> {
        let first = at.state;
        let count = (self.states.len() - first).min(STATES_PER_WORKER * self.workers.len());
        let mut given = std::mem::take(&mut self.given);
        let batch = if self.states.are_in_memory() {
            Batch::Stored(first, count)
        } else {
            let stride = self.give(first..first + count, &mut given);
            Batch::Given(first, stride, &given)
        };
        let knowledge = Knowledge {
            known: self.stepper.known(),
            states: &self.states,
            noted: &self.noted,
            serves: self.serves,
        };
        let all = worker::explore(&mut self.workers, knowledge, batch);
        let mut end = None;
        'all: for mut explored in all {
            let mut done = 0;
            self.states.claim(&explored.claims);
            for of in &explored.states {
                let leads = &explored.leads[done..of.leads];
                done = of.leads;
                end = self.follow(at, batch, *of, leads, &mut explored.packed);
                end = end.or_else(|| self.limited(at, limits, report));
                if end.is_some() {
                    break 'all;
                }
            }
        }
        self.given = given;
        end
    }

    /// Gets the contents of states that are not in memory: from their queue if only fingerprints are stored, or else from disk. Returns the
    /// count of numbers for each state.
    fn give(&mut self, states: std::ops::Range<usize>, given: &mut Vec<u32>) -> usize {
        if self.states.are_exact() {
            return self.states.unpack_all(states, given);
        }
        given.clear();
        let mut parts = vec![0; self.stepper.known().width()];
        for state in states {
            if self.states.finding(state).is_none() {
                self.states.take_waiting(&mut parts);
            }
            given.extend_from_slice(&parts);
        }
        parts.len()
    }

    /// Processes the results of a worker for the next state.
    fn follow(
        &mut self,
        at: &mut At,
        batch: Batch<'_>,
        of: OfState,
        leads: &[Lead],
        packed: &mut [u32],
    ) -> Option<End> {
        let state = at.state;
        if state == at.layer_ends {
            at.progress.depth += 1;
            at.layer_ends = self.states.len();
        }
        let found = match self.states.finding(state) {
            Some(finding) => Some(finding.clone()),
            None => self.add(state, batch, of, leads, packed),
        };
        if let Some(finding) = found {
            let (finding, state) = self.gravest(finding, state, at.layer_ends);
            return Some(End::Found(finding, state));
        }
        at.state += 1;
        at.progress.moves += of.moves as u64;
        at.progress.states = self.states.len();
        at.progress.open = self.states.len() - at.state;
        self.is_void().then_some(End::Complete)
    }

    /// The limit that is met after the last state, if one is. Also reports the progress.
    fn limited(
        &self,
        at: &mut At,
        limits: &Limits,
        report: &mut dyn FnMut(&mut Progress),
    ) -> Option<End> {
        if at.state.is_multiple_of(STATES_PER_REPORT) {
            report(&mut at.progress);
        }
        let is_full = limits.states.is_some_and(|most| at.progress.states >= most);
        let looks = is_full || at.state % STATES_PER_CHECK == 1;
        looks.then(|| stopped(limits, &at.progress)).flatten().map(End::Stopped)
    }

    /// Adds the states to which the moves of a state lead. Returns a deadlock, if the state is one.
    fn add(
        &mut self,
        state: usize,
        batch: Batch<'_>,
        of: OfState,
        leads: &[Lead],
        packed: &mut [u32],
    ) -> Option<Finding> {
        let first_new = self.states.len();
        // Another state to which a move that is no new request leads.
        let mut next = of.next;
        for lead in leads {
            match lead {
                Lead::New { at, is_settled, is_spontaneous } => {
                    let to = self.states.add(&mut packed[at.clone()]);
                    if to.is_err() {
                        self.states.note(*is_settled);
                    }
                    next = next.or(is_spontaneous.then(|| number_of(to)));
                }
                Lead::Finding(finding, is_spontaneous) => {
                    let finding = self.represented(finding.clone());
                    let to = self.states.number_of_finding(finding);
                    if to.is_err() {
                        self.states.note(true);
                    }
                    next = next.or(is_spontaneous.then(|| number_of(to)));
                }
                Lead::Warns(chosen, report) => self.warn_of(state, *chosen, *report),
                Lead::Unknown(chosen) => {
                    self.enter(state, batch);
                    let to = self.learn(state, *chosen);
                    let is_elsewhere = is_spontaneous(*chosen) && to != state as u32;
                    next = next.or(is_elsewhere.then_some(to));
                }
            }
        }
        self.states.note_explored(self.states.len() - first_new, next);
        let is_stuck = next.is_none() && !self.states.is_settled(state);
        is_stuck.then(|| {
            self.enter(state, batch);
            let waiting = self.stepper.known().waiting(self.before.parts());
            Finding::Deadlock { waiting }
        })
    }

    /// Unpacks a state of a batch, whose moves are to be made.
    fn enter(&mut self, state: usize, batch: Batch<'_>) {
        batch.unpack(state, self.stepper.known().width(), &self.states, &mut self.before);
    }

    /// Makes a move that workers did not know, and adds the state after it.
    fn learn(&mut self, state: usize, chosen: Move) -> u32 {
        let to = self.successor(chosen);
        if let Err(new) = to {
            let is_finding = self.states.finding(new as usize).is_some();
            let is_settled = is_finding || !self.stepper.known().is_busy(&self.after);
            self.states.note(is_settled);
        }
        for warning in self.stepper.warnings() {
            note(&mut self.warnings, warning, state, chosen);
        }
        number_of(to)
    }

    /// Notes the warnings of a move.
    fn warn_of(&mut self, state: usize, chosen: Move, report: u32) {
        for warning in self.stepper.known().warnings(report) {
            note(&mut self.warnings, warning, state, chosen);
        }
        let report = report as usize;
        self.noted.resize(self.noted.len().max(report + 1), false);
        self.noted[report] = true;
    }

    /// The gravest of the findings of a layer from a state on, and of several the first: so the kind of finding does not depend on the
    /// order of the states in the layer, which depends on the choice of representatives.
    fn gravest(&self, found: Finding, at: usize, layer_ends: usize) -> (Finding, usize) {
        let others = (at + 1..layer_ends)
            .filter_map(|at| self.states.finding(at).map(|finding| (finding.clone(), at)));
        let all = std::iter::once((found.clone(), at)).chain(others);
        all.min_by_key(|(finding, _)| finding.rank()).unwrap_or((found, at))
    }

    /// The number of the state after a move of the current one; as an error if it is new.
    fn successor(&mut self, chosen: Move) -> Result<u32, u32> {
        self.after.resize(self.stepper.known().width(), 0);
        match self.stepper.take(self.before.parts(), chosen, &mut self.after) {
            Ok(()) => {
                self.serve();
                self.stepper.represent(&mut self.after);
                self.states.number(&self.after, &self.before)
            }
            Err(problem) => {
                let finding = self.represented(finding(problem));
                self.states.number_of_finding(finding)
            }
        }
    }

    /// Lets memory perform the requests that wait after a move, if it does so at once.
    fn serve(&mut self) {
        while self.serves && self.stepper.serve(&mut self.after).is_some() {}
    }

    /// The finding that stands for a finding and its permutations.
    fn represented(&self, finding: Finding) -> Finding {
        if self.symmetries().used().is_empty() { finding } else { finding.without_names() }
    }

    /// The symmetries by which states are reduced.
    pub(super) fn symmetries(&self) -> &Group {
        self.stepper.symmetries()
    }

    /// The first of these symmetries that the moves so far have shown not to hold, with the place in the protocol that shows it.
    pub(super) fn broken(&self) -> Option<(Symmetry, Span)> {
        let mut used = self.symmetries().used().iter();
        used.find_map(|&symmetry| Some((symmetry, self.stepper.observed(symmetry)?)))
    }

    /// Whether the exploration is invalid: the moves so far have shown that a reduction of states does not hold, or states on disk are
    /// lost.
    pub(super) fn is_void(&self) -> bool {
        self.broken().is_some()
            || self.disturbs_memory()
            || self.stepper.mistakes_states()
            || self.states.is_void()
    }

    /// Whether memory performs requests at once although a run depends on the time at which it does.
    pub(super) fn disturbs_memory(&self) -> bool {
        self.serves && self.stepper.disturbs_memory()
    }

    /// Whether a spontaneous move leads from a state to one of the others. All successors have been found before, and states
    /// are stored exactly.
    pub(super) fn leads_to(&mut self, at: usize, others: &dyn Fn(usize) -> bool) -> bool {
        if self.states.finding(at).is_some() {
            return false;
        }
        self.states.unpack(at, &mut self.before);
        let mut moves = std::mem::take(&mut self.moves);
        self.stepper.known().moves(self.before.parts(), &mut moves);
        let mut spontaneous = moves.iter().filter(|chosen| is_spontaneous(**chosen));
        let leads =
            spontaneous.any(|&chosen| self.successor(chosen).is_ok_and(|to| others(to as usize)));
        self.moves = moves;
        leads
    }

    /// Whether states are left to explore.
    pub(super) fn is_open(&self) -> bool {
        self.at.progress.open > 0
    }

    /// The finding about a state from which no settled one can be reached.
    fn stuck(&mut self, at: usize) -> Finding {
        self.states.unpack(at, &mut self.before);
        Finding::Livelock { waiting: self.stepper.known().waiting(self.before.parts()) }
    }
}

/// The number of a state, new or not.
fn number_of(state: Result<u32, u32>) -> u32 {
    state.unwrap_or_else(|new| new)
}

/// Notes the first warning of a kind.
fn note(warnings: &mut Vec<(Warning, usize, Move)>, warning: &Warning, state: usize, chosen: Move) {
    if !warnings.iter().any(|(other, ..)| other.is_same(warning)) {
        warnings.push((warning.clone(), state, chosen));
    }
}

/// Whether a move happens without a new request of a core or device. This includes locked writes, which always follow their locked read.
pub(super) fn is_spontaneous(chosen: Move) -> bool {
    !matches!(chosen, Move::Ask { action, .. } if action != Action::LockedWrite)
}

pub(super) fn finding(problem: Problem) -> Finding {
    match problem {
        Problem::WrongAccess(Access { core, line, action, .. }) => match action {
            Action::StoreConditional | Action::LockedWrite | Action::Atomic => {
                Finding::AtomicityViolation { core, line }
            }
            Action::Use => Finding::MissedInvalidation { core, line },
            _ => Finding::StaleValue { core, line },
        },
        Problem::Fault => Finding::Fault,
        Problem::Clash { line, holders } => {
            Finding::SwmrViolation { line, writers: holders.writers, readers: holders.readers }
        }
    }
}
