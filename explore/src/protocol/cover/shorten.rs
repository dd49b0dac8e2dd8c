//! Leaves out the moves of a run that it does not need to reach its goal.

use simulate::stepper::{Label, Move, PartStepper};

use super::super::search::finding;
use super::stuck;
use crate::protocol::Finding;

/// What the last move of a run does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// It takes the row with this triple.
    Row(u32),
    /// It leads to a finding of this name, in the transition of this row.
    Finding(&'static str, Option<u32>),
}

impl Goal {
    /// Whether the goal is a state in which nothing goes on, whatever row led there.
    fn is_deadlock(self) -> bool {
        let deadlock = Finding::Deadlock { waiting: 0 }.name();
        matches!(self, Goal::Finding(name, _) if name == deadlock)
    }
}

/// A run that reaches its goal: its moves, their labels, and the finding in which it ends, if it does.
struct Replayed {
    moves: Vec<Move>,
    labels: Vec<Label>,
    finding: Option<Finding>,
}

/// The moves of a run that reaches a goal in its last move, and the finding in which it ends, without moves that can be left out one by one,
/// in blocks, as delta debugging does (Zeller and Hildebrandt, 2002), or in pairs. `moves` begin in the first state. `None` if they do not reach the
/// goal.
pub(super) fn shorten(
    stepper: &mut PartStepper,
    moves: &[Move],
    goal: Goal,
) -> Option<(Vec<Move>, Option<Finding>)> {
    let labels = labels(stepper, moves);
    let mut best = replay(stepper, &labels, goal)?;
    let mut block = best.labels.len().div_ceil(2);
    while block > 0 {
        let before = best.labels.len();
        let mut at = before;
        while at > 0 {
            let from = at.saturating_sub(block);
            let rest = [&best.labels[..from], &best.labels[at..]].concat();
            if let Some(shorter) = replay(stepper, &rest, goal) {
                best = shorter;
            }
            at = from.min(best.labels.len());
        }
        // Moves that could not be left out before may have become useless.
        if best.labels.len() == before || block > 1 {
            block /= 2;
        }
    }
    leave_out_pairs(stepper, &mut best, goal);
    Some((best.moves, best.finding))
}

/// The largest number of moves of a run of which pairs are left out.
const MOST_OF_PAIRS: usize = 60;

/// Leaves out two moves at a time: a request and its end, say, neither of which can be left out alone.
fn leave_out_pairs(stepper: &mut PartStepper, best: &mut Replayed, goal: Goal) {
    if best.labels.len() > MOST_OF_PAIRS {
        return;
    }
    let mut first = 0;
    while first < best.labels.len() {
        let without = (first + 1..best.labels.len()).find_map(|second| {
            let mut rest = best.labels.clone();
            rest.remove(second);
            rest.remove(first);
            replay(stepper, &rest, goal)
        });
        match without {
            Some(shorter) => *best = shorter,
            None => first += 1,
        }
    }
}

/// What the moves of a run do, which says more than their places in queues when some of them are left out.
fn labels(stepper: &mut PartStepper, moves: &[Move]) -> Vec<Label> {
    let mut state = stepper.first();
    let mut after = state.clone();
    let mut labels = Vec::with_capacity(moves.len());
    for &chosen in moves {
        labels.push(stepper.known().label(&state, chosen));
        if stepper.take(&state, chosen, &mut after).is_err() {
            break;
        }
        std::mem::swap(&mut state, &mut after);
    }
    labels
}

/// Makes the moves with these labels, as far as they are possible, until one reaches the goal. `None` if none does.
fn replay(stepper: &mut PartStepper, labels: &[Label], goal: Goal) -> Option<Replayed> {
    let mut state = stepper.first();
    let mut after = state.clone();
    let mut possible = Vec::new();
    let mut made = Replayed { moves: Vec::new(), labels: Vec::new(), finding: None };
    for label in labels {
        stepper.known().moves(&state, &mut possible);
        let Some(chosen) = find(stepper, &state, &possible, label) else { continue };
        made.finding = stepper.take(&state, chosen, &mut after).err().map(finding);
        made.moves.push(chosen);
        made.labels.push(*label);
        let row = stepper.change().map(|change| change.triple);
        let is_over = made.finding.is_some();
        if goal.is_deadlock() && !is_over {
            stepper.known().moves(&after, &mut possible);
            made.finding = stuck::deadlock(stepper, &after, &possible);
        }
        let is_reached = match goal {
            Goal::Row(triple) => row == Some(triple),
            Goal::Finding(name, of) => {
                let is_same = made.finding.as_ref().is_some_and(|one| one.name() == name);
                is_same && (row == of || goal.is_deadlock())
            }
        };
        if is_reached {
            return Some(made);
        }
        if is_over {
            return None;
        }
        std::mem::swap(&mut state, &mut after);
    }
    None
}

/// The move with a label or, where values have other names than in the run before, one that lets another message of the same buffer
/// arrive.
fn find(stepper: &PartStepper, state: &[u32], possible: &[Move], label: &Label) -> Option<Move> {
    let known = stepper.known();
    let has = |is: &dyn Fn(Label) -> bool| {
        possible.iter().copied().find(|&one| is(known.label(state, one)))
    };
    has(&|other| other == *label).or_else(|| {
        has(&|other| match (other, *label) {
            (
                Label::Arrives { buffer, lane, .. },
                Label::Arrives { buffer: own, lane: same, .. },
            ) => (buffer, lane) == (own, same),
            _ => false,
        })
    })
}
