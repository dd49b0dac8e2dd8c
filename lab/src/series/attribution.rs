//! Which known faults of gem5's released protocols explain the failures of many runs.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::kinds::{Failures, Tried};
use super::{Cell, Series};
use crate::error::Error;
use crate::protocols::Repairs;
use crate::testing::{Explainer, MOST_KINDS, MOST_TRANSITIONS, Signature};

/// Runs the shortest run of each kind of failure again with the repairs of released faults. At most [`MOST_KINDS`] kinds of a
/// protocol and runs of at most [`MOST_TRANSITIONS`] transitions are tried; none if no repairs fit, or if the protocols already
/// run with all repairs.
///
/// # Errors
/// Returns an error if a run cannot be repeated or a certificate is wrong.
pub(super) fn tried(series: &Series<'_>) -> Result<Vec<Tried>, Error> {
    let mut all = Vec::new();
    if series.plan.repairs == Repairs::All {
        return Ok(all);
    }
    for (protocol, opened) in series.opened.iter().enumerate() {
        let kinds = of_protocol(series, protocol);
        if kinds.is_empty() {
            continue;
        }
        let Some(explainer) = Explainer::new(opened, series.plan.checking.clone()) else {
            continue;
        };
        for (signature, (failures, cell)) in kinds.into_iter().take(MOST_KINDS) {
            let (transitions, _, seed) = failures.shortest;
            if transitions > MOST_TRANSITIONS {
                continue;
            }
            let simulation = series.plan.simulation(&opened.protocol, cell.client, seed);
            let known = explainer.explain(&simulation, &signature)?;
            all.push(Tried { protocol, signature, failures, cell, known });
        }
    }
    Ok(all)
}

/// The kinds of failures of a protocol, each with the cell of the shortest run.
fn of_protocol(series: &Series<'_>, protocol: usize) -> BTreeMap<Signature, (Failures, Cell)> {
    let mut kinds: BTreeMap<Signature, (Failures, Cell)> = BTreeMap::new();
    let cells = series.scored();
    for (cell, score) in cells.filter(|(cell, _)| cell.protocol == protocol) {
        for (signature, failures) in &score.kinds {
            match kinds.entry(signature.clone()) {
                Entry::Vacant(free) => {
                    free.insert((failures.clone(), *cell));
                }
                Entry::Occupied(mut held) => {
                    let (known, best) = held.get_mut();
                    if failures.shortest < known.shortest {
                        *best = *cell;
                    }
                    known.merge(failures.clone());
                }
            }
        }
    }
    kinds
}
