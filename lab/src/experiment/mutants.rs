//! The experiment `mutants`: a campaign, whose tables are in a folder of their own.

use super::catalog::MUTANTS;
use super::{Options, Size};
use crate::campaign;

/// The campaign that the experiment is.
pub fn campaign(options: &Options) -> campaign::Options {
    let (sample, runs) = match options.size {
        Size::Quick => (Some(60), 20),
        Size::Paper => (Some(400), 150),
        Size::Large => (None, 150),
    };
    campaign::Options {
        sample,
        runs,
        seed: options.seed,
        output: options.output.join(MUTANTS),
        shard: options.shard,
        ..campaign::Options::default()
    }
}
