//! [`Program`]: random programs, and the histories of their runs.

use history::random::{Rng, Weighted};
use history::{
    Access, AssumedSize, BuildError, History, HistoryBuilder, Initial, Kind, Place, Provenance,
};

use super::Recipe;
use super::run::Run;

/// The operations of all threads, thread by thread. Memory: 13 bytes an operation.
pub(super) struct Program {
    kind: Vec<Kind>,
    /// Per operation, the number of its location; meaningless for a fence.
    location: Vec<u32>,
    /// Per operation, the value written; meaningless if it does not write.
    written: Vec<u64>,
    /// Per thread, the index of its first operation.
    starts: Vec<usize>,
}

impl Program {
    /// A program without loops and branches: each operation is of a random kind, to a random
    /// location.
    pub fn random(recipe: &Recipe, rng: &mut Rng) -> Program {
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
        Program { kind, location, written, starts: starts(length, recipe.threads) }
    }

    /// The history of a run. Without a run, the values of reads are unknown.
    pub fn history(&self, run: Option<&Run>) -> Result<History, BuildError> {
        let mut builder = HistoryBuilder::new();
        for (thread, &start) in self.starts.iter().enumerate() {
            let end = self.starts.get(thread + 1).copied();
            for op in start..end.unwrap_or(self.kind.len()) {
                let access = self.access(thread as u32, op);
                builder.push(match run {
                    Some(run) => run.observed(op, access, &self.written),
                    None => access,
                });
            }
        }
        builder.finish(AssumedSize::default(), &Initial::Zero, Provenance::default())
    }

    fn access(&self, thread: u32, op: usize) -> Access {
        let kind = self.kind[op];
        let place = match kind {
            Kind::Fence => Place::Nowhere,
            _ => Place::Cell(u64::from(self.location[op])),
        };
        Access {
            written: kind.writes().then_some(self.written[op]),
            ..Access::new(thread, kind, place)
        }
    }
}

/// The first operation of each thread, if all threads get equally many.
fn starts(length: usize, threads: u32) -> Vec<usize> {
    let threads = threads as usize;
    let (each, more) = (length / threads, length % threads);
    (0..threads).map(|thread| thread * each + thread.min(more)).collect()
}

/// The value of each write: the k writes of a location write 1 to k, in random order.
fn values(kind: &[Kind], location: &[u32], locations: u32, rng: &mut Rng) -> Vec<u64> {
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

/// The history without ticks and without the order of completions, so that only the values that reads
/// returned show how threads interleaved.
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
            read: row.read,
            written: row.written,
            ..Access::new(row.thread, row.kind, place)
        });
    }
    let mut bare =
        builder.finish(AssumedSize::default(), &Initial::Zero, history.provenance.clone())?;
    bare.name.clone_from(&history.name);
    Ok(bare)
}
