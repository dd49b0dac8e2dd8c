//! Whether what was begun can always come to its end.
//!
//! Some moves happen by themselves, others because somebody outside wants something. A state in which nothing is left
//! to be done is *settled*. From every state there should be a run of moves that happen by themselves to a settled one:
//! where there is none, something waits for ever, however lucky the timing is. If no such move is left at all it is a
//! deadlock, otherwise whatever goes on leads nowhere.
//!
//! Runs are looked for backwards from the settled states, once all states are known. If the search ended early, the
//! states that it left are taken for settled: what is found is true then, too.

use std::mem::size_of;

use crate::graph::Graph;
use crate::search::{self, Limits, Observer, Outcome, Progress, Seen};

/// A graph with states in which nothing is left to be done.
pub trait Settles: Graph {
    /// Whether nothing is left to be done in a state.
    fn is_settled(&self, state: &Self::State) -> bool;

    /// Whether a move happens by itself.
    fn happens_by_itself(&self, taken: &Self::Move) -> bool;

    /// The finding for a state from which no settled state is reachable. `is_final` says that the state has no move of
    /// its own at all.
    fn stuck(&self, state: &Self::State, is_final: bool) -> Self::Goal;
}

/// The moves that happen by themselves.
struct Inner<'a, G> {
    graph: &'a G,
    edges: Vec<(u32, u32)>,
    /// Edges of the state that is looked at.
    own: usize,
}

impl<G: Settles> Observer<G> for Inner<'_, G> {
    fn edge(&mut self, from: usize, taken: &G::Move, to: usize) {
        if from != to && self.graph.happens_by_itself(taken) {
            self.edges.push((from as u32, to as u32));
            self.own += 1;
        }
    }

    fn expanded(&mut self, _: usize, state: &G::State) -> Option<G::Goal> {
        let is_dead = std::mem::take(&mut self.own) == 0;
        (is_dead && !self.graph.is_settled(state)).then(|| self.graph.stuck(state, true))
    }
}

/// Looks for a goal as [`search::breadth_first`] does, for a state in which nothing happens by itself and that is not
/// settled, and at last for one that cannot reach a settled one.
///
/// # Panics
/// As [`search::breadth_first`].
pub(crate) fn breadth_first<G: Settles>(
    graph: &G,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> (Outcome<G>, Progress, Seen) {
    let mut inner = Inner { graph, edges: Vec::new(), own: 0 };
    let (outcome, mut progress, seen) = search::watched(graph, limits, report, &mut inner);
    progress.bytes += inner.edges.len() * size_of::<(u32, u32)>();
    if matches!(outcome, Outcome::Found(_)) {
        return (outcome, progress, seen);
    }
    let looked_at = seen.len() - progress.open;
    match first_stuck(graph, &seen, looked_at, inner.edges) {
        Some(at) => {
            let goal = graph.stuck(&seen.state::<G>(at), false);
            let run = search::retrace(graph, &seen, at, goal);
            (Outcome::Found(run), progress, seen)
        }
        None => (outcome, progress, seen),
    }
}

/// The first of the states that were looked at from which no edges lead to one that is settled or was left.
fn first_stuck<G: Settles>(
    graph: &G,
    seen: &Seen,
    looked_at: usize,
    mut edges: Vec<(u32, u32)>,
) -> Option<usize> {
    let mut is_fine: Vec<bool> = (0..seen.len())
        .map(|at| at >= looked_at || graph.is_settled(&seen.state::<G>(at)))
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

    /// Numbers with arrows, some of which somebody outside has to want.
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

        fn happens_by_itself(&self, outer: &bool) -> bool {
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
    fn what_was_begun_comes_to_its_end_or_not() {
        assert_eq!(found(&[(0, 1, true), (1, 0, false)]), None);
        // Nothing happens in 2.
        let dead = &[(0, 1, true), (1, 0, false), (1, 2, false), (2, 0, true)];
        assert_eq!(found(dead), Some(((2, true), 2)));
        // 2 and 3 lead to one another.
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
    fn states_that_were_left_are_not_blamed() {
        let chain = &[(0, 1, true), (1, 2, false), (2, 3, false), (3, 0, false)];
        let limits = Limits { states: Some(3), ..Limits::default() };
        let (outcome, progress, _) = breadth_first(&Arrows(chain), &limits, &mut |_| {});
        assert!(matches!(outcome, Outcome::Stopped(_)));
        assert_eq!((progress.states, progress.open), (3, 1));
    }
}
