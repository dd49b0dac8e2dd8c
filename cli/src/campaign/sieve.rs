//! Mutants that are as good as their protocol, set apart before they cost any runs.

use rayon::prelude::*;
use report::tables::Equivalent;
use simulate::mutant::equivalent::{Reached, equivalent};

use super::rounds::Stream;
use super::subjects::Subject;
use crate::error::Error;
use crate::simulate::protocols::Opened;

/// For each subject why it is equivalent to its protocol, if it is. `originals` are the runs of the
/// protocols themselves: what none of them has reached a mutant would not have reached either, in
/// runs with the same seeds.
///
/// # Errors
/// A mutant that does not fit its protocol.
pub fn sieve(
    opened: &[Opened],
    subjects: &[Subject],
    originals: &[Stream],
) -> Result<Vec<Option<Equivalent>>, Error> {
    let mut reached: Vec<Reached> = opened.iter().map(|_| Reached::default()).collect();
    for stream in originals {
        let at = subjects[stream.subject].protocol;
        for entry in &stream.entries {
            let triples = entry.reached.iter().map(|(triple, _)| *triple);
            reached[at].add(triples.filter_map(|triple| opened[at].protocol.place(triple)));
        }
    }
    let look = |subject: &Subject| {
        let Some(mutant) = &subject.mutant else {
            return Ok(None);
        };
        let original = &opened[subject.protocol];
        let mutated = original.with(mutant)?;
        let reason = equivalent(&original.protocol, &mutated, Some(&reached[subject.protocol]));
        Ok(reason.map(|reason| Equivalent {
            protocol: original.given.clone(),
            mutant: mutant.name.to_string(),
            operator: subject.operator_name().unwrap_or_default(),
            reason: reason.to_string(),
        }))
    };
    subjects.par_iter().map(look).collect()
}
