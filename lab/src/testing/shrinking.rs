//! Makes the history of a run small that shows a finding.

use std::time::Duration;

use check::shrink::shrink;
use check::{Answer, Bounds};
use memory::Model;
use simulate::client::Client;
use simulate::recipe::Lineage;
use slicc::protocol::Protocol;

use super::deadlines::within;
use super::evidence::{Evidence, Part};
use super::program::Bench;
use crate::error::Error;

/// Time limit of shrinking a history. The part that remains then is shown.
const SHRINKING: Duration = Duration::from_secs(5);

/// The smallest part of the history of a run that violates a model; none if the run does not violate it.
///
/// # Errors
/// Fails as [`Bench::simulate`] does.
pub(super) fn part(
    bench: &Bench<'_>,
    protocol: &Protocol,
    client: Client,
    lineage: &Lineage,
    model: Model,
) -> Result<Option<Evidence>, Error> {
    let simulated = bench.simulate(protocol, client, lineage)?;
    if simulated.run.is_given_up {
        return Ok(None);
    }
    let history = simulated.run.history().map_err(Error::run(&bench.opened.given))?;
    let deadline = bench.deadlines.end;
    let Some(answer) = bench.judge.violates(&history, model, deadline)? else {
        return Ok(None);
    };
    let Some(violation) = answer.violation() else { return Ok(None) };
    let bounds = Bounds::new(within(Some(SHRINKING), deadline), None);
    let seen = answer.history();
    let shrunk = shrink(seen, &answer.reads_from, model, violation, &bounds, &mut |_| {});
    let Answer { form, reads_from, .. } = answer;
    let whole = form.unwrap_or(history);
    Ok(shrunk.map(|shrunk| Evidence::Part(Box::new(Part { shrunk, model, whole, reads_from }))))
}
