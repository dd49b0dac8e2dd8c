//! Finds violations of long histories in excerpts of them.
//!
//! [`Forced`] keeps a bit for each pair of operation and write, which is too much for a million operations.
//! But most violations are of operations that memory performed near each other. So [`Parts`] saturates
//! excerpts of the history, each as a history of its own. An excerpt has of each thread the operations that
//! are admitted to [windows](crate::engine::windows) within some stretch.
//!
//! The operations between two operations of an excerpt in program order are in it as well, so the order of
//! the two is preserved in the history if it is preserved in the excerpt. A read whose source is not in the
//! excerpt counts as unknown. So a proof that an excerpt violates the model proves it for the history too,
//! once its operations and locations are renamed to those of the history.

use std::ops::Range;

use history::{History, OpId, ReadsFrom};
use host::Bounds;
use memory::Model;

use super::Task;
use super::forced::{Forced, SaturationStop};
use super::windows::Nodes;
use crate::engine::both::both;
use crate::engine::events::NONE;
use crate::engine::finals::Finals;
use crate::engine::proof::Violation;

/// Number of operations of an excerpt: the size that is tried first, and the one that is tried if no
/// violation is found. The cost of an excerpt grows with the square of its operations.
const SIZES: [usize; 2] = [1 << 13, 1 << 15];

/// Number of operations of an excerpt that is saturated as a last resort.
const LARGEST: usize = 1 << 17;

/// A history whose parts are to be searched for violations, with its nodes and the order in which these are
/// admitted to windows.
pub(super) struct Parts<'t, 'a> {
    pub task: &'t Task<'a>,
    pub nodes: &'t Nodes,
    pub admission: &'t [u32],
}

impl Parts<'_, '_> {
    /// The proof that an excerpt violates the model, around the place where the search by windows gave up,
    /// which is after `placed` nodes of the order of admission. `None` does not mean that there is no
    /// violation.
    pub(super) fn violation_where_stuck(&self, placed: usize) -> Option<Violation> {
        SIZES.into_iter().find_map(|size| self.violation_within(size, Some(placed)))
    }

    /// The proof that some excerpt of the history violates the model, or else a large one around the place
    /// where the search by windows gave up, if it did. `None` does not mean that there is no violation.
    pub(super) fn violation_somewhere(&self, stuck: Option<usize>) -> Option<Violation> {
        let large = || self.violation_within(LARGEST, Some(stuck?));
        self.violation_within(SIZES[0], None).or_else(large)
    }

    /// The proof that an excerpt of about `size` operations violates the model. The history is cut into
    /// pieces of half that size, and two neighbouring pieces are an excerpt. With `around`, only excerpts
    /// near the node of this number in the order of admission are tried.
    fn violation_within(&self, size: usize, around: Option<usize>) -> Option<Violation> {
        let Task { history, reads_from, model, bounds, .. } = *self.task;
        // A shorter history is decided as a whole as quickly.
        if history.len() < 2 * size {
            return None;
        }
        let half = size / 2;
        let cuts = cuts(history, self.nodes, self.admission, half);
        let excerpts = Excerpts { history, reads_from, model, cuts };
        let (start, end) = match around {
            Some(node) => {
                ((node / half).saturating_sub(1), (node / half + 1).min(excerpts.count()))
            }
            None => (0, excerpts.count()),
        };
        let middle = start.midpoint(end);
        let copy = bounds.clone();
        let (first, (second, copy)) = both(
            history.len(),
            || excerpts.violation(start..middle, bounds),
            || (excerpts.violation(middle..end, &copy), copy),
        );
        bounds.include(&copy);
        first.or(second)
    }
}

/// The cuts between the pieces of the history: after each further `size` events of the order of admission,
/// the first operation of each thread that was not admitted. An operation that was admitted before an earlier
/// one of its thread counts as admitted with that one.
fn cuts(history: &History, nodes: &Nodes, admission: &[u32], size: usize) -> Vec<Vec<u32>> {
    let threads = history.threads();
    let mut next: Vec<u32> = threads.iter().map(|thread| thread.first().0).collect();
    let mut has_come = vec![false; nodes.thread.len()];
    let mut cuts = vec![next.clone()];
    for events in admission.chunks(size) {
        for &event in events {
            has_come[event as usize] = true;
            let thread = nodes.thread[event as usize];
            if thread == NONE {
                continue;
            }
            let next = &mut next[thread as usize];
            while *next < threads[thread as usize].end().0 && has_come[*next as usize] {
                *next += 1;
            }
        }
        cuts.push(next.clone());
    }
    cuts
}

/// The excerpts of a history.
struct Excerpts<'a> {
    history: &'a History,
    reads_from: &'a ReadsFrom,
    model: Model,
    /// Per cut, the first operation of each thread after it.
    cuts: Vec<Vec<u32>>,
}

impl Excerpts<'_> {
    /// Number of excerpts: each reaches from a cut to the second one after it, or is the whole history.
    fn count(&self) -> usize {
        self.cuts.len().saturating_sub(2).max(1)
    }

    /// The proof that one of some excerpts violates the model.
    fn violation(&self, mut excerpts: Range<usize>, bounds: &Bounds) -> Option<Violation> {
        let mut is_kept = vec![false; self.history.len()];
        excerpts.find_map(|at| {
            if bounds.passed() {
                return None;
            }
            let end = (at + 2).min(self.cuts.len() - 1);
            let pieces = self.cuts[at].iter().zip(&self.cuts[end]);
            let pieces: Vec<_> = pieces.map(|(&from, &to)| from as usize..to as usize).collect();
            pieces.iter().for_each(|piece| is_kept[piece.clone()].fill(true));
            let (excerpt, kept) = self.history.restrict(|op| is_kept[op.at()]);
            pieces.into_iter().for_each(|piece| is_kept[piece].fill(false));
            self.violation_of(&excerpt, &kept, bounds)
        })
    }

    /// The proof that an excerpt, which has these operations, violates the model.
    fn violation_of(&self, excerpt: &History, kept: &[OpId], bounds: &Bounds) -> Option<Violation> {
        let (reads_from, finals) = (self.reads_from.restrict(kept), Finals::default());
        let task = Task {
            history: excerpt,
            reads_from: &reads_from,
            finals: &finals,
            model: self.model,
            bounds,
            budget: 0,
        };
        let mut forced = Forced::new(&task);
        let Err(SaturationStop::Cycle(cycle)) = forced.saturate(bounds) else { return None };
        let blocks = vec![forced.explain(&cycle)];
        let mut violation = Violation { blocks, resolvents: Vec::new() };
        let location = |at| excerpt.location_in(at, self.history);
        violation.rename(&|op| kept[op.at()], &location);
        Some(violation)
    }
}

#[cfg(test)]
mod tests {
    use certify::verify::verify_violation;
    use history::{Ambiguity, ReadsFrom};
    use memory::models;

    use super::*;
    use crate::engine::steps::steps;
    use crate::engine::windows;
    use crate::generate::{Recipe, generate, without_order};

    #[test]
    fn a_violation_of_an_excerpt_is_one_of_the_history() {
        let mut proofs = 0;
        let weak = models::ALL.iter().copied().filter(|model| model.is_weak());
        for (model, seed) in weak.flat_map(|model| (0..150).map(move |seed| (model, seed))) {
            let recipe =
                Recipe { model, violations: 3, seed, operations: 400, ..Recipe::default() };
            let history = without_order(&generate(&recipe).unwrap()).unwrap();
            let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
            let (finals, bounds) = (Finals::default(), Bounds::none());
            let (history, finals) = (&history, &finals);
            let reads_from = &reads_from;
            let task = Task { history, reads_from, finals, model, bounds: &bounds, budget: 0 };
            let nodes = Nodes::of(&task);
            let Some(admission) = windows::admission(&nodes.input(&[])) else { continue };
            let parts = Parts { task: &task, nodes: &nodes, admission: &admission };
            let found = |size, around| parts.violation_within(size, around);
            let is_violated = Forced::new(&task).saturate(&bounds).is_err();
            let around = (0..5).map(|at| found(100, Some(at * admission.len() / 5)));
            for violation in around.chain([found(100, None)]).flatten() {
                let verified = verify_violation(history, model, &steps(history, &violation));
                assert!(verified.is_ok(), "{model} {seed}: {verified:?}");
                assert!(is_violated);
                proofs += 1;
            }
        }
        assert!(proofs > 150, "{proofs}");
    }
}
