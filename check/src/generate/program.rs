//! [`Program`]: the operations of random programs, before a run gives them values.

use history::random::{Rng, Weighted};
use history::{
    Access, Annotation, AssumedSize, BuildError, DependencyKind, History, HistoryBuilder, Initial,
    Kind, Place,
};

use super::{Recipe, weak};

/// The operations of all threads, thread by thread. Memory: 14 bytes an operation and 12 a dependency.
#[derive(Default)]
pub(super) struct Program {
    pub kind: Vec<Kind>,
    /// Per operation, its annotation.
    pub annotation: Vec<Annotation>,
    /// Per operation, the number of its location; meaningless for a fence.
    pub location: Vec<u32>,
    /// Per operation, the value written; meaningless if it does not write.
    pub written: Vec<u64>,
    /// The dependencies: the operation that depends, the kind of dependency, and the read that it depends on.
    /// Sorted by the operation that depends.
    pub dependencies: Vec<(u32, DependencyKind, u32)>,
    /// Per thread, the index of its first operation.
    pub starts: Vec<usize>,
}

impl Program {
    /// Draws a program without loops and branches: each operation is of a random kind and accesses a random
    /// location.
    pub(super) fn random(recipe: &Recipe, rng: &mut Rng) -> Program {
        if recipe.model.is_weak() {
            return weak::random(recipe, rng);
        }
        let length = recipe.operations as usize;
        let mix = recipe.mix;
        let kinds = [Kind::Load, Kind::Store, Kind::Rmw, Kind::Fence];
        let weights = [mix.loads, mix.stores, mix.rmws, mix.fences];
        let kinds_by_weight = Weighted::new(weights.map(u64::from).into_iter());
        let by_popularity = Weighted::zipf(recipe.locations, recipe.skew);
        let mut names: Vec<u32> = (0..recipe.locations).collect();
        rng.shuffle(&mut names);

        let kind: Vec<Kind> = (0..length).map(|_| kinds[kinds_by_weight.choose(rng)]).collect();
        let location: Vec<u32> = (0..length).map(|_| names[by_popularity.choose(rng)]).collect();
        let written = values(&kind, &location, recipe.locations, rng);
        let annotation = vec![Annotation::None; length];
        let starts = starts(length, recipe.threads);
        Program { kind, annotation, location, written, dependencies: Vec::new(), starts }
    }

    /// One past the last operation of an operation's thread.
    pub(super) fn end_of_thread(&self, op: u32) -> u32 {
        let later = self.starts.iter().find(|&&start| start > op as usize);
        later.map_or(self.kind.len(), |&start| start) as u32
    }

    /// The operation `op` of a thread, without the value that it reads and without ticks.
    pub(super) fn access(&self, thread: u32, op: usize) -> Access {
        let kind = self.kind[op];
        let place = match kind {
            kind if kind.is_fence() => Place::Nowhere,
            _ => Place::Cell(u64::from(self.location[op])),
        };
        Access {
            annotation: self.annotation[op],
            written: kind.writes().then_some(self.written[op]),
            ..Access::new(thread, kind, place)
        }
    }
}

/// The index of each thread's first operation, if `length` operations are shared out evenly.
pub(super) fn starts(length: usize, threads: u32) -> Vec<usize> {
    let threads = threads as usize;
    let (each, more) = (length / threads, length % threads);
    (0..threads).map(|thread| thread * each + thread.min(more)).collect()
}

/// Draws the value of each write: the k writes of a location write the values 1 to k, in random order.
pub(super) fn values(kind: &[Kind], location: &[u32], locations: u32, rng: &mut Rng) -> Vec<u64> {
    let mut by_location: Vec<Vec<u64>> = vec![Vec::new(); locations as usize];
    let writes = || (0..kind.len()).filter(|&op| kind[op].writes());
    for op in writes() {
        let values = &mut by_location[location[op] as usize];
        values.push(values.len() as u64 + 1);
    }
    for values in &mut by_location {
        rng.shuffle(values);
    }
    let mut written = vec![0; kind.len()];
    for op in writes() {
        written[op] = by_location[location[op] as usize].pop().unwrap_or(0);
    }
    written
}

/// Returns the history without ticks and without the order of completions, so that only the values that reads
/// returned show how threads interleaved. Cost: linear.
///
/// # Errors
/// Returns [`BuildError::TooLarge`] if the history is too large to be built.
pub fn without_order(history: &History) -> Result<History, BuildError> {
    let mut builder = HistoryBuilder::new();
    for op in history.ops() {
        let row = history.row(op);
        let place = match row.location {
            None => Place::Nowhere,
            Some(location) => Place::Cell(location.address),
        };
        builder.push(Access {
            annotation: row.annotation,
            read: row.read,
            written: row.written,
            continues: row.continues,
            ..Access::new(row.thread, row.kind, place)
        });
        for dependency in history.dependencies(op) {
            builder.depend(dependency.kind, dependency.on.at());
        }
    }
    let mut bare =
        builder.finish(AssumedSize::default(), &Initial::Zero, history.provenance.clone())?;
    bare.name.clone_from(&history.name);
    Ok(bare)
}
