//! [`repointed`]: changes random reads of a history to return the value of another write.

use history::random::Rng;
use history::{History, OpId};

use super::RecipeError;

/// Makes `reads` random reads return the value of another write of their location, at most
/// `distance` operations before or after them in the order of completions, chosen at random. The
/// initial value counts as written before the first operation. The result may, but need not, violate
/// what the history satisfied. The same seed gives the same reads on every machine.
///
/// # Errors
/// Returns [`RecipeError::TooFewReads`] if fewer than `reads` reads have another write with another value
/// within the distance. Operations without a position in the order of completions do not count.
pub fn repointed(
    history: &History,
    reads: u32,
    distance: u32,
    seed: u64,
) -> Result<History, RecipeError> {
    repoint(history, reads, distance, &mut Rng::new(seed, 0))
}

/// As [`repointed`], with the given pseudo-random generator.
pub(super) fn repoint(
    history: &History,
    wanted: u32,
    distance: u32,
    rng: &mut Rng,
) -> Result<History, RecipeError> {
    let order = CompletionOrder::new(history);
    let mut reads: Vec<OpId> = history.ops().filter(|&op| history.kind(op).reads()).collect();
    let mut values: Vec<Option<u64>> = history.ops().map(|op| history.read(op)).collect();
    let mut found = 0;
    for at in 0..reads.len() {
        if found == wanted {
            break;
        }
        rng.draw(&mut reads[at..], 1);
        let read = reads[at];
        let others = order.others(read, distance);
        if !others.is_empty() {
            values[read.at()] = order.value(read, others[rng.index(others.len())]);
            found += 1;
        }
    }
    if found < wanted {
        return Err(RecipeError::TooFewReads { wanted, found, distance });
    }
    let rows = history.ops().map(|op| {
        let mut row = history.row(op);
        row.read = values[op.at()];
        row
    });
    Ok(History::restore(history.frame(), rows, None)?)
}

/// The order in which the operations of a history completed.
struct CompletionOrder<'a> {
    history: &'a History,
    /// Per operation, its position, from 1; `None` if it is not known.
    place: Vec<Option<u32>>,
    /// Per location, its writes in the order of completions.
    writes: Vec<Vec<OpId>>,
}

impl CompletionOrder<'_> {
    fn new(history: &History) -> CompletionOrder<'_> {
        let mut ops = history.in_order_of_completion();
        ops.retain(|&op| history.order(op).is_some());
        let mut order = CompletionOrder {
            history,
            place: vec![None; history.len()],
            writes: vec![Vec::new(); history.locations().len()],
        };
        for (place, op) in (1..).zip(ops) {
            order.place[op.at()] = Some(place);
            if let Some(location) = history.location(op)
                && history.kind(op).writes()
            {
                order.writes[location as usize].push(op);
            }
        }
        order
    }

    /// The sources within a distance of a read whose value differs from the one it returned; `None` stands for the
    /// initial value.
    fn others(&self, read: OpId, far: u32) -> Vec<Option<OpId>> {
        let (Some(place), Some(location)) = (self.place[read.at()], self.history.location(read))
        else {
            return Vec::new();
        };
        let place_of = |write: &OpId| self.place[write.at()].unwrap_or(u32::MAX);
        let writes = &self.writes[location as usize];
        let from = place.saturating_sub(far);
        let to = place.saturating_add(far);
        let first = writes.partition_point(|write| place_of(write) < from);
        let near = writes[first..].iter().take_while(|write| place_of(write) <= to);
        let initial = (from == 0).then_some(None);
        let value = self.history.read(read);
        initial
            .into_iter()
            .chain(near.map(|&write| Some(write)))
            .filter(|&other| self.value(read, other) != value && other != Some(read))
            .collect()
    }

    /// The value that a read returns from a source; a source of `None` stands for the initial value.
    fn value(&self, read: OpId, source: Option<OpId>) -> Option<u64> {
        match source {
            Some(write) => self.history.written(write),
            None => {
                let location = self.history.location(read)?;
                self.history.initial(location)
            }
        }
    }
}
