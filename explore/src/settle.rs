//! Checks that whatever was begun can be completed: liveness.
//!
//! Some moves happen spontaneously, others because the environment requests something. A state in
//! which nothing is outstanding is *settled*. From every state, a run of spontaneous moves to a
//! settled state should exist. Where there is none, something waits for ever, whatever the timing:
//! a deadlock if no spontaneous move is possible, otherwise a livelock.
//!
//! Once all states are known, those that can reach a settled state are found backwards from the
//! settled ones. If the search ended early, unexplored states count as settled, so what is found is
//! true in that case as well.

use std::mem::size_of;

use crate::graph::Graph;
use crate::search::{self, Limits, Observer, Outcome, Progress, Visited};

/// A graph with settled states, in which nothing is outstanding.
pub trait Settles: Graph {
    /// Whether nothing is outstanding in a state.
    fn is_settled(&self, state: &Self::State) -> bool;

    /// Whether a move happens without a request of the environment.
    fn is_spontaneous(&self, taken: &Self::Move) -> bool;

    /// The finding about a state from which no settled state is reachable. `is_final` says that no
    /// spontaneous move is possible in it.
    fn stuck(&self, state: &Self::State, is_final: bool) -> Self::Goal;
}

/// Records the spontaneous moves.
struct SpontaneousMoves<'a, G> {
    graph: &'a G,
    edges: Vec<(u32, u32)>,
    /// Number of spontaneous moves of the current state.
    of_current: usize,
}

impl<G: Settles> Observer<G> for SpontaneousMoves<'_, G> {
    fn edge(&mut self, from: usize, taken: &G::Move, to: usize) {
        if from != to && self.graph.is_spontaneous(taken) {
            self.edges.push((from as u32, to as u32));
            self.of_current += 1;
        }
    }

    fn expanded(&mut self, _: usize, state: &G::State) -> Option<G::Goal> {
        let is_dead = std::mem::take(&mut self.of_current) == 0;
        (is_dead && !self.graph.is_settled(state)).then(|| self.graph.stuck(state, true))
    }
}

/// Searches for a goal as [`search::breadth_first`] does, for a state that is not settled and has
/// no spontaneous move, and at the end for one that cannot reach a settled state.
///
/// # Panics
/// As [`search::breadth_first`].
pub(crate) fn breadth_first<G: Settles>(
    graph: &G,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> (Outcome<G>, Progress, Visited) {
    let mut moves = SpontaneousMoves { graph, edges: Vec::new(), of_current: 0 };
    let (outcome, mut progress, seen) =
        search::breadth_first_with(graph, limits, report, &mut moves);
    progress.bytes += moves.edges.len() * size_of::<(u32, u32)>();
    if matches!(outcome, Outcome::Found(_)) {
        return (outcome, progress, seen);
    }
    let explored = seen.len() - progress.open;
    match first_stuck(graph, &seen, explored, moves.edges) {
        Some(at) => {
            let goal = graph.stuck(&seen.state::<G>(at), false);
            let run = search::retrace(graph, &seen, at, goal);
            (Outcome::Found(run), progress, seen)
        }
        None => (outcome, progress, seen),
    }
}

/// The first explored state from which the edges lead to no state that is settled or unexplored.
fn first_stuck<G: Settles>(
    graph: &G,
    seen: &Visited,
    explored: usize,
    mut edges: Vec<(u32, u32)>,
) -> Option<usize> {
    let mut is_fine: Vec<bool> = (0..seen.len())
        .map(|at| at >= explored || graph.is_settled(&seen.state::<G>(at)))
        .collect();
    let mut work: Vec<u32> = (0..seen.len() as u32).filter(|at| is_fine[*at as usize]).collect();
    edges.sort_unstable_by_key(|&(_, to)| to);
    while let Some(to) = work.pop() {
        let start = edges.partition_point(|&(_, other)| other < to);
        for &(from, _) in edges[start..].iter().take_while(|&&(_, other)| other == to) {
            if !std::mem::replace(&mut is_fine[from as usize], true) {
                work.push(from);
            }
        }
    }
    is_fine.iter().position(|is_fine| !is_fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers connected by arrows; an arrow with `true` needs a request of the environment.
    struct Arrows(&'static [(u8, u8, bool)]);

    impl Graph for Arrows {
        type State = u8;
        type Move = bool;
        type Goal = (u8, bool);

        fn initial(&self) -> Vec<u8> {
            vec![0]
        }

        fn moves(&self, state: &u8, visit: &mut dyn FnMut(bool, u8)) {
            let own = self.0.iter().filter(|(from, ..)| from == state);
            own.for_each(|&(_, to, outer)| visit(outer, to));
        }

        fn goal(&self, _: &u8) -> Option<(u8, bool)> {
            None
        }
    }

    impl Settles for Arrows {
        fn is_settled(&self, state: &u8) -> bool {
            *state == 0
        }

        fn is_spontaneous(&self, outer: &bool) -> bool {
            !outer
        }

        fn stuck(&self, state: &u8, dead: bool) -> (u8, bool) {
            (*state, dead)
        }
    }

    fn found(arrows: &'static [(u8, u8, bool)]) -> Option<((u8, bool), usize)> {
        let (outcome, ..) = breadth_first(&Arrows(arrows), &Limits::default(), &mut |_| {});
        match outcome {
            Outcome::Found(run) => Some((run.goal, run.steps.len())),
            _ => None,
        }
    }

    #[test]
    fn deadlocks_and_livelocks_are_found() {
        assert_eq!(found(&[(0, 1, true), (1, 0, false)]), None);
        // State 2 has no spontaneous move.
        let dead = &[(0, 1, true), (1, 0, false), (1, 2, false), (2, 0, true)];
        assert_eq!(found(dead), Some(((2, true), 2)));
        // States 2 and 3 only lead to each other.
        let circle = &[
            (0, 1, true),
            (1, 0, false),
            (1, 2, false),
            (2, 3, false),
            (3, 2, false),
            (3, 0, true),
        ];
        assert_eq!(found(circle), Some(((2, false), 2)));
    }

    #[test]
    fn unexplored_states_are_not_reported() {
        let chain = &[(0, 1, true), (1, 2, false), (2, 3, false), (3, 0, false)];
        let limits = Limits { states: Some(3), ..Limits::default() };
        let (outcome, progress, _) = breadth_first(&Arrows(chain), &limits, &mut |_| {});
        assert!(matches!(outcome, Outcome::Stopped(_)));
        assert_eq!((progress.states, progress.open), (3, 1));
    }
}
