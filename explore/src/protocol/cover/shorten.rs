//! Leaves out the moves of a run that it does not need to take a row.

use simulate::stepper::{Label, Move, PartStepper};

/// The moves of a run that takes a row in its last move, without moves that can be left out one by one or in blocks, as delta debugging
/// does (Zeller and Hildebrandt, 2002). `moves` begin in the first state, and take the row.
pub(super) fn shorten(stepper: &mut PartStepper, moves: &[Move], triple: u32) -> Vec<Move> {
    let labels = labels(stepper, moves);
    let Some((mut moves, mut labels)) = replay(stepper, &labels, triple) else {
        return moves.to_vec();
    };
    let mut block = labels.len().div_ceil(2);
    while block > 0 {
        let before = moves.len();
        let mut at = labels.len();
        while at > 0 {
            let from = at.saturating_sub(block);
            let rest: Vec<Label> = [&labels[..from], &labels[at.min(labels.len())..]].concat();
            if let Some((fewer, kept)) = replay(stepper, &rest, triple)
                && kept.len() < labels.len()
            {
                (moves, labels) = (fewer, kept);
            }
            at = from.min(labels.len());
        }
        // Moves that could not be left out before may have become useless.
        if moves.len() == before || block > 1 {
            block /= 2;
        }
    }
    moves
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

/// Makes the moves with these labels, as far as they are possible, until one takes the row. Returns the moves that were made, and their
/// labels. `None` if none takes it.
fn replay(
    stepper: &mut PartStepper,
    labels: &[Label],
    triple: u32,
) -> Option<(Vec<Move>, Vec<Label>)> {
    let mut state = stepper.first();
    let mut after = state.clone();
    let mut possible = Vec::new();
    let (mut made, mut kept) = (Vec::new(), Vec::new());
    for label in labels {
        stepper.known().moves(&state, &mut possible);
        let Some(chosen) = find(stepper, &state, &possible, label) else { continue };
        let ended = stepper.take(&state, chosen, &mut after).is_err();
        made.push(chosen);
        kept.push(*label);
        if stepper.change().is_some_and(|change| change.triple == triple) {
            return Some((made, kept));
        }
        if ended {
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
