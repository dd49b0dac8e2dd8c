//! Finds the run to a state or finding by following its path through the states.

use simulate::stepper::{Move, Problem};
use simulate::system::Warning;

use super::super::Finding;
use super::super::states::Unpacked;
use super::{Search, finding, is_spontaneous};

/// A run: its moves, each with the whole state before it.
pub(super) type Run = Vec<(Vec<u8>, Move)>;

/// Follows a path through the states that were found, from the first state on. These stand for all their permutations, so the
/// run goes through permutations of them.
struct Follower<'s> {
    search: &'s mut Search,
    /// The state in which the run is.
    state: Vec<u32>,
    run: Run,
    /// The finding at the end, if the last move led to one.
    finding: Option<Finding>,
}

impl Follower<'_> {
    fn new(search: &mut Search) -> Follower<'_> {
        let state = search.stepper.first();
        Follower { search, state, run: Vec::new(), finding: None }
    }

    /// Makes the moves to a state or finding. Returns whether there are such moves: there are unless two states have the same fingerprint.
    fn follow(&mut self, to: usize) -> bool {
        let path = self.search.states.path(to);
        path.iter().skip(1).all(|&next| self.step(next))
    }

    /// Makes the first move that leads to a permutation of a state or to a finding, if there is one.
    fn step(&mut self, to: usize) -> bool {
        let mut moves = Vec::new();
        self.search.stepper.known().moves(&self.state, &mut moves);
        let mut after = vec![0; self.state.len()];
        for chosen in moves {
            let taken = self.search.stepper.take(&self.state, chosen, &mut after);
            let served = if taken.is_ok() { self.search.served(&mut after) } else { Vec::new() };
            if !self.is_at(&taken, &after, to) {
                continue;
            }
            self.run.push((self.search.stepper.whole(&self.state), chosen));
            for (state, served) in served {
                self.run.push((self.search.stepper.whole(&state), served));
            }
            self.finding = taken.err().map(finding);
            self.state = after;
            return true;
        }
        false
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

impl Search {
    /// Lets memory perform the requests that wait in a state, if it does so at once. Returns its moves, each with the state
    /// before it.
    fn served(&mut self, state: &mut Vec<u32>) -> Vec<(Vec<u32>, Move)> {
        let mut served = Vec::new();
        while self.serves {
            let before = state.clone();
            match self.stepper.serve(state) {
                Some(chosen) => served.push((before, chosen)),
                None => break,
            }
        }
        served
    }

    /// The run to a finding: its moves, each with the whole state before it. The finding has the names of cores and lines in this run. None
    /// if two states on the way have the same fingerprint.
    pub(crate) fn run_to_finding(
        &mut self,
        state: usize,
        found: Finding,
    ) -> Option<(Run, Finding)> {
        let mut follower = Follower::new(self);
        if !follower.follow(state) {
            return None;
        }
        if let Some(finding) = follower.finding {
            return Some((follower.run, finding));
        }
        let last = follower.state;
        let waiting = follower.search.stepper.known().waiting(&last);
        let finding = match found {
            Finding::Deadlock { .. } | Finding::Livelock { .. } => {
                // The search does not count a move to a permutation of the same state, so its deadlock may be a livelock here.
                let mut moves = Vec::new();
                follower.search.stepper.known().moves(&last, &mut moves);
                let mut after = vec![0; last.len()];
                let is_final = !moves.into_iter().filter(|one| is_spontaneous(*one)).any(|one| {
                    let taken = follower.search.stepper.take(&last, one, &mut after);
                    taken.is_err() || after != last
                });
                if is_final { Finding::Deadlock { waiting } } else { Finding::Livelock { waiting } }
            }
            other => other,
        };
        Some((follower.run, finding))
    }

    /// The run to a move of a state that leads to a warning. None if two states on the way have the same fingerprint.
    pub(crate) fn run_to_warning(
        &mut self,
        state: usize,
        chosen: Move,
        warning: &Warning,
    ) -> Option<Run> {
        let mut follower = Follower::new(self);
        if !follower.follow(state) {
            return None;
        }
        let Follower { search, state, mut run, .. } = follower;
        let mut after = vec![0; state.len()];
        let mut moves = Vec::new();
        search.stepper.known().moves(&state, &mut moves);
        let warns = |one: &Move| {
            // The state may be a permutation of the one that was explored, in which the move has another name.
            let _ = search.stepper.take(&state, *one, &mut after);
            search.stepper.warnings().iter().any(|other| other.is_same(warning))
        };
        let chosen = moves.into_iter().find(warns).unwrap_or(chosen);
        run.push((search.stepper.whole(&state), chosen));
        Some(run)
    }
}
