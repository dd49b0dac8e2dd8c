//! Computes which transitions the unmutated protocols took. The counts come from the logged runs, so a resumed campaign has the same
//! coverage as one that was never interrupted.

use simulate::program::Extras;
use tables::Coverage;

use super::rounds::Stream;
use crate::coverage;
use crate::error::Error;
use crate::protocols::Opened;

/// The transition tables of all protocols that ran unmutated, with how often each transition was taken. `protocol_of` says which of the
/// opened protocols a subject has.
///
/// # Errors
/// Fails if no system can be built for a protocol.
pub(crate) fn of_originals(
    opened: &[Opened],
    originals: &[Stream],
    protocol_of: impl Fn(usize) -> usize,
    extras: Extras,
) -> Result<Vec<Coverage>, Error> {
    let mut rows = Vec::new();
    for (at, one) in opened.iter().enumerate() {
        let is_own = |stream: &&Stream| protocol_of(stream.subject) == at;
        let mut own = originals.iter().filter(is_own).peekable();
        if own.peek().is_some() {
            let entries = own.flat_map(|stream| &stream.entries);
            let reached = entries.flat_map(|entry| entry.reached.iter().copied());
            rows.extend(coverage::rows(one, reached, extras, &[])?);
        }
    }
    Ok(rows)
}
