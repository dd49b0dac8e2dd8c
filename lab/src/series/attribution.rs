//! Which known faults of gem5's released protocols explain the failures of many runs.

use super::Series;
use super::kinds::{ByKind, Shortest, Tried, add};
use crate::error::Error;
use crate::protocols::Repairs;
use crate::testing::{Explainer, MOST_KINDS, MOST_TRANSITIONS};

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
        for (signature, failures) in kinds.into_iter().take(MOST_KINDS) {
            let Shortest { transitions, seed, cell, .. } = failures.shortest;
            if transitions > MOST_TRANSITIONS {
                continue;
            }
            let client = series.cells[cell].client;
            let simulation = series.plan.simulation(&opened.protocol, client, seed);
            let known = explainer.explain(&simulation, &signature)?;
            all.push(Tried { protocol, signature, failures, known });
        }
    }
    Ok(all)
}

/// The kinds of failures of a protocol, on all clients together.
fn of_protocol(series: &Series<'_>, protocol: usize) -> ByKind {
    let mut kinds = ByKind::new();
    for (_, score) in series.scored().filter(|(cell, _)| cell.protocol == protocol) {
        for (signature, failures) in &score.kinds {
            add(&mut kinds, signature.clone(), failures.clone());
        }
    }
    kinds
}
