//! Chooses which programs run on which kinds of cores, and runs them until time is over.
//!
//! Every program has a recipe of its own, and the kinds of cores take turns: what a recipe decides, such as the sizes of caches and the
//! number of directories, matters more for what a run finds than the kind of core does. A [`Guide`] varies programs that reached rare
//! transitions.

use rayon::prelude::*;
use simulate::client::Client;
use simulate::guided::Guide;
use simulate::recipe::Lineage;
use simulate::system::Reached;

use super::deadlines::Deadlines;
use super::options::{Extent, Options};
use crate::error::Error;
use crate::observer::{Observer, Stage};

/// The number of programs on each kind of core between two looks at the clock.
const BATCH: u32 = 2;

/// Runs programs on all cores of the computer, as many as the options say or until the deadline for starting programs. A shorter test runs
/// the first programs of a longer one.
///
/// `guide` proposes programs, `run` runs one, and `reached` returns the transitions that the guide learns from its result.
///
/// # Errors
/// Fails if `run` fails.
pub(super) fn run_programs<R: Send>(
    options: &Options,
    mut guide: Guide,
    deadlines: Deadlines,
    observer: &dyn Observer,
    run: impl Fn(Client, &Lineage) -> Result<R, Error> + Sync,
    reached: impl Fn(&R) -> Vec<Reached>,
) -> Result<Vec<R>, Error> {
    observer.begin(Stage::Runs);
    let most = match options.extent {
        Extent::Runs(runs) => runs,
        Extent::Time(_) => u32::MAX,
    };
    match options.extent {
        Extent::Runs(runs) => observer.total(u64::from(runs) * options.clients.len() as u64),
        Extent::Time(time) => observer.lasts(time),
    }
    let mut results = Vec::new();
    let mut next = 0;
    // At least one program runs, however short the time is.
    while next < most && (next == 0 || deadlines.is_working()) {
        let rounds = BATCH.min(most - next);
        next += rounds;
        let programs: Vec<(Client, Lineage)> = (0..rounds)
            .flat_map(|_| &options.clients)
            .map(|&client| (client, guide.next()))
            .collect();
        let batch = programs.par_iter().map(|(client, lineage)| {
            let result = run(*client, lineage);
            observer.advance();
            result
        });
        let batch = batch.collect::<Result<Vec<R>, Error>>()?;
        for ((_, lineage), result) in programs.iter().zip(&batch) {
            guide.learn(lineage, &reached(result));
        }
        results.extend(batch);
    }
    observer.end();
    Ok(results)
}
