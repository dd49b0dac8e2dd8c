//! The search: all states, breadth first.

use std::time::Instant;

use simulate::stepper::{Access, Action, Group, Move, PartStepper, Problem, Symmetry};
use simulate::system::Warning;
use slicc::source::Span;

use super::Finding;
use super::settle;
use super::states::{Content, States, Unpacked};
use crate::search::{Limits, Progress, Stopped, stopped};

/// Number of explored states between two checks of time and memory.
const STATES_PER_CHECK: usize = 64;
/// Number of explored states between two reports of progress.
const STATES_PER_REPORT: usize = 1 << 14;

/// The end of a search.
#[derive(Debug)]
pub enum End {
    /// All states were explored.
    Complete,
    /// A finding, at the state with this number.
    Found(Finding, usize),
    /// A limit was met.
    Stopped(Stopped),
}

/// A search of a protocol's states.
pub struct Search {
    pub stepper: PartStepper,
    pub states: States,
    /// The warnings, each with the state and the move in which it first occurred.
    pub warnings: Vec<(Warning, usize, Move)>,
    moves: Vec<Move>,
    /// The state whose moves are explored.
    before: Unpacked,
    after: Vec<u32>,
}

impl Search {
    /// A search that begins in the first state of a stepper.
    pub fn new(mut stepper: PartStepper) -> Search {
        let mut states = States::new(stepper.width());
        let mut first = stepper.first();
        stepper.represent(&mut first);
        let before = Unpacked::default();
        // The first state is always new.
        let _ = states.number(&first, &before);
        states.note(!stepper.is_busy(&first), false);
        let after = first;
        Search { stepper, states, warnings: Vec::new(), moves: Vec::new(), before, after }
    }

    /// Explores states until a limit is met or something is found.
    pub fn run(&mut self, limits: &Limits, report: &mut dyn FnMut(&Progress)) -> (End, Progress) {
        let begun = Instant::now();
        let mut progress = Progress::default();
        let mut layer_ends = self.states.len();
        let mut at = 0;
        let mut end = loop {
            if at == self.states.len() {
                break End::Complete;
            }
            if self.broken().is_some() {
                break End::Complete;
            }
            if at == layer_ends {
                progress.depth += 1;
                layer_ends = self.states.len();
            }
            if let Some(finding) = self.explore(at, &mut progress.moves) {
                let (finding, at) = self.gravest(finding, at, layer_ends);
                break End::Found(finding, at);
            }
            at += 1;
            progress.states = self.states.len();
            progress.open = self.states.len() - at;
            if let Some(why) = self.stopped(at, limits, &progress) {
                break End::Stopped(why);
            }
            if at.is_multiple_of(STATES_PER_REPORT) {
                progress.time = begun.elapsed();
                report(&progress);
            }
        };
        progress.states = self.states.len();
        if !matches!(end, End::Found(..)) && self.broken().is_none() {
            let explored = self.states.len() - progress.open;
            if let Some(stuck) = settle::first_stuck(self, explored) {
                end = End::Found(self.stuck(stuck, false), stuck);
            }
        }
        progress.bytes = self.states.bytes() + self.stepper.bytes();
        progress.time = begun.elapsed();
        (end, progress)
    }

    fn stopped(&self, at: usize, limits: &Limits, progress: &Progress) -> Option<Stopped> {
        let is_full = limits.states.is_some_and(|most| progress.states >= most);
        (is_full || at % STATES_PER_CHECK == 1).then(|| stopped(limits, progress)).flatten()
    }

    /// Unpacks a state, whose moves are to be explored.
    pub fn enter(&mut self, state: (u32, u32)) {
        self.states.unpack(state, &mut self.before);
    }

    /// Explores the moves of a state. Returns what is wrong in it, if anything is.
    fn explore(&mut self, at: usize, count: &mut u64) -> Option<Finding> {
        match self.states.content(at) {
            Content::Finding(finding) => return Some(self.states.finding(finding).clone()),
            Content::State(left, right) => self.enter((left, right)),
        }
        let moves = self.moves();
        *count += moves.len() as u64;
        let first_new = self.states.len();
        let mut is_dead = true;
        for &chosen in &moves {
            let to = self.successor(chosen);
            let is_spontaneous = is_spontaneous(chosen);
            if let Err(new) = to {
                self.note(new, is_spontaneous);
            }
            is_dead &= !is_spontaneous || to == Ok(at as u32);
            for warning in self.stepper.warnings() {
                if !self.warnings.iter().any(|(other, ..)| other.is_same(warning)) {
                    self.warnings.push((warning.clone(), at, chosen));
                }
            }
        }
        self.moves = moves;
        self.states.note_children(self.states.len() - first_new);
        (is_dead && !self.states.is_settled(at)).then(|| self.stuck(at, true))
    }

    /// Of the findings of a layer from a state on, the gravest, and of these the first: so it does not depend on the order
    /// of the states in the layer, which differs between representatives.
    fn gravest(&self, found: Finding, at: usize, layer_ends: usize) -> (Finding, usize) {
        let others = (at + 1..layer_ends).filter_map(|at| match self.states.content(at) {
            Content::Finding(finding) => Some((self.states.finding(finding).clone(), at)),
            Content::State(..) => None,
        });
        let all = std::iter::once((found.clone(), at)).chain(others);
        all.min_by_key(|(finding, _)| finding.rank()).unwrap_or((found, at))
    }

    /// The moves of the current state. They may be given back to `self.moves`, so that their memory is used again.
    fn moves(&mut self) -> Vec<Move> {
        let mut moves = std::mem::take(&mut self.moves);
        self.stepper.moves(self.before.parts(), &mut moves);
        moves
    }

    /// The number of the state after a move of the current one; as an error if it is new.
    fn successor(&mut self, chosen: Move) -> Result<u32, u32> {
        match self.stepper.take(self.before.parts(), chosen, &mut self.after) {
            Ok(()) => {
                self.stepper.represent(&mut self.after);
                self.states.number(&self.after, &self.before)
            }
            Err(problem) => {
                let finding = self.represented(finding(problem));
                self.states.number_of_finding(finding)
            }
        }
    }

    /// The finding that stands for a finding and its permutations.
    fn represented(&self, finding: Finding) -> Finding {
        if self.symmetries().used().is_empty() { finding } else { finding.without_names() }
    }

    /// The symmetries by which states are reduced.
    pub fn symmetries(&self) -> &Group {
        self.stepper.symmetries()
    }

    /// The first of these that the moves until now show to be none, with the place that does.
    pub fn broken(&self) -> Option<(Symmetry, Span)> {
        let mut used = self.symmetries().used().iter();
        used.find_map(|&symmetry| Some((symmetry, self.stepper.observed(symmetry)?)))
    }

    fn note(&mut self, new: u32, is_spontaneous: bool) {
        let is_settled = match self.states.content(new as usize) {
            Content::State(..) => !self.stepper.is_busy(&self.after),
            Content::Finding(_) => true,
        };
        self.states.note(is_settled, is_spontaneous);
    }

    /// Whether a spontaneous move leads from a state to one of the others. All successors have been found before.
    pub fn leads_to(&mut self, at: usize, others: &dyn Fn(usize) -> bool) -> bool {
        let Content::State(left, right) = self.states.content(at) else {
            return false;
        };
        self.enter((left, right));
        let moves = self.moves();
        let mut spontaneous = moves.iter().filter(|chosen| is_spontaneous(**chosen));
        let leads =
            spontaneous.any(|&chosen| self.successor(chosen).is_ok_and(|to| others(to as usize)));
        self.moves = moves;
        leads
    }

    /// The finding about a state from which no settled one can be reached.
    fn stuck(&mut self, at: usize, is_final: bool) -> Finding {
        let waiting = match self.states.content(at) {
            Content::State(left, right) => {
                self.enter((left, right));
                self.stepper.waiting(self.before.parts())
            }
            Content::Finding(_) => 0,
        };
        if is_final { Finding::Deadlock { waiting } } else { Finding::Livelock { waiting } }
    }

    /// The run to a finding: its moves, each with the whole state before it. The finding has the names of cores and lines
    /// in this run.
    pub fn run_to_finding(&mut self, state: usize, found: Finding) -> (Run, Finding) {
        let mut follower = Follower::new(self);
        follower.follow(state);
        if let Some(finding) = follower.finding {
            return (follower.run, finding);
        }
        let last = follower.state;
        let waiting = follower.search.stepper.waiting(&last);
        let finding = match found {
            Finding::Deadlock { .. } | Finding::Livelock { .. } => {
                // A move to a permutation of the state is none between representatives.
                let mut moves = Vec::new();
                follower.search.stepper.moves(&last, &mut moves);
                let mut after = vec![0; last.len()];
                let is_final = !moves.into_iter().filter(|one| is_spontaneous(*one)).any(|one| {
                    let taken = follower.search.stepper.take(&last, one, &mut after);
                    taken.is_err() || after != last
                });
                if is_final { Finding::Deadlock { waiting } } else { Finding::Livelock { waiting } }
            }
            other => other,
        };
        (follower.run, finding)
    }

    /// The run to a move of a state that leads to a warning.
    pub fn run_to_warning(&mut self, state: usize, chosen: Move, warning: &Warning) -> Run {
        let mut follower = Follower::new(self);
        follower.follow(state);
        let Follower { search, state, mut run, .. } = follower;
        let mut after = vec![0; state.len()];
        let mut moves = Vec::new();
        search.stepper.moves(&state, &mut moves);
        let warns = |one: &Move| {
            // The state may be a permutation of the one that was explored, in which the move has another name.
            let _ = search.stepper.take(&state, *one, &mut after);
            search.stepper.warnings().iter().any(|other| other.is_same(warning))
        };
        let chosen = moves.into_iter().find(warns).unwrap_or(chosen);
        run.push((search.stepper.whole(&state), chosen));
        run
    }
}

/// A run: its moves, each with the whole state before it.
pub type Run = Vec<(Vec<u8>, Move)>;

/// Follows a path through the states that were found, from the first state on. These stand for all their permutations, so the
/// run goes through permutations of them.
struct Follower<'s> {
    search: &'s mut Search,
    /// The state in which the run is.
    state: Vec<u32>,
    run: Run,
    /// What is wrong at the end.
    finding: Option<Finding>,
}

impl Follower<'_> {
    fn new(search: &mut Search) -> Follower<'_> {
        let state = search.stepper.first();
        Follower { search, state, run: Vec::new(), finding: None }
    }

    /// Makes the moves to a state or finding.
    fn follow(&mut self, to: usize) {
        let path = self.search.states.path(to);
        path.iter().skip(1).for_each(|&next| self.step(next));
    }

    /// Makes the first move that leads to a permutation of a state or to a finding.
    fn step(&mut self, to: usize) {
        let mut moves = Vec::new();
        self.search.stepper.moves(&self.state, &mut moves);
        let mut after = vec![0; self.state.len()];
        for chosen in moves {
            let taken = self.search.stepper.take(&self.state, chosen, &mut after);
            if !self.is_at(&taken, &after, to) {
                continue;
            }
            self.run.push((self.search.stepper.whole(&self.state), chosen));
            self.finding = taken.err().map(finding);
            self.state = after;
            return;
        }
        unreachable!(
            "a state follows from its parent, and a permutation of it from one of the parent"
        )
    }

    /// Whether a move has led to a permutation of a state, or to a finding.
    fn is_at(&mut self, taken: &Result<(), Problem>, after: &[u32], to: usize) -> bool {
        let search = &mut *self.search;
        let number = match taken {
            Ok(()) => {
                let mut represented = after.to_vec();
                search.stepper.represent(&mut represented);
                search.states.number(&represented, &Unpacked::default())
            }
            Err(problem) => {
                let finding = search.represented(finding(problem.clone()));
                search.states.number_of_finding(finding)
            }
        };
        number == Ok(to as u32)
    }
}

/// Whether a move happens without a new request of a core or device. A locked write comes for certain.
fn is_spontaneous(chosen: Move) -> bool {
    !matches!(chosen, Move::Ask { action, .. } if action != Action::LockedWrite)
}

fn finding(problem: Problem) -> Finding {
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
