//! Excludes mutants that are equivalent to their protocol, or whose code is unreachable, before they cost any runs.

use mutate::equivalent::Reached;
use rayon::prelude::*;
use simulate::differences::equivalent;
use simulate::program::Extras;
use simulate::system::entry_of;
use tables::Equivalent;

use super::rounds::Stream;
use super::subjects::Subject;
use crate::error::Error;
use crate::protocols::Opened;

/// For each subject, the reason why it is equivalent to its protocol, if it is. `originals` are the runs of the unmutated protocols. A
/// mutant whose changed code none of these reached is excluded, since its runs with the same seeds would not reach it either; not so if
/// mutants run with other seeds (`has_same_seeds` is false). If programs make requests besides accesses, reasons that assume accesses only
/// do not count.
///
/// # Errors
/// Fails if a mutant does not fit its protocol.
pub(super) fn excluded(
    opened: &[Opened],
    subjects: &[Subject],
    originals: &[Stream],
    has_same_seeds: bool,
    extras: Extras,
) -> Result<Vec<Option<Equivalent>>, Error> {
    let known = |at| has_same_seeds.then(|| reached(&opened[at], at, subjects, originals));
    let reached: Vec<Option<Reached>> = (0..opened.len()).map(known).collect();
    let look = |subject: &Subject| {
        let Some(mutant) = &subject.mutant else {
            return Ok(None);
        };
        let original = &opened[subject.protocol];
        let mutated = original.with(mutant)?;
        let reason = equivalent(&original.protocol, &mutated, reached[subject.protocol].as_ref());
        let reason =
            reason.filter(|reason| extras == Extras::default() || !reason.assumes_accesses_only());
        Ok(reason.map(|reason| Equivalent {
            protocol: original.given.clone(),
            mutant: mutant.name.to_string(),
            operator: subject.operator().to_owned(),
            kind: reason.name().to_owned(),
            reason: reason.to_string(),
        }))
    };
    subjects.par_iter().map(look).collect()
}

/// The transitions that the runs of the unmutated protocol reached.
fn reached(opened: &Opened, at: usize, subjects: &[Subject], originals: &[Stream]) -> Reached {
    let mut reached = Reached::default();
    let own = originals.iter().filter(|stream| subjects[stream.subject].protocol == at);
    for entry in own.flat_map(|stream| &stream.entries) {
        let triples = entry.reached.iter().map(|(triple, _)| *triple);
        reached.add(triples.filter_map(|triple| entry_of(&opened.protocol, triple)));
    }
    reached
}
