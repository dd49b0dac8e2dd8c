//! The [`Evidence`] of a finding: the smallest part of a history, the last transitions, or a shortest run.

use std::time::Duration;

use check::Answer;
use check::Bounds;
use check::engine::proof::Violation;
use check::shrink::{Shrunk, shrink};
use history::{History, ReadsFrom};
use memory::Model;
use simulate::client::Client;
use simulate::recipe::Lineage;
use simulate::stepper::DescribedMove;
use slicc::protocol::Protocol;

use super::deadlines::within;
use super::program::Bench;
use crate::error::Error;

/// Time limit of shrinking a history. The part that remains then is shown.
const SHRINKING: Duration = Duration::from_secs(5);

/// The part of a run that shows a finding.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The smallest part of the history that violates the model.
    Part(Box<Part>),
    /// The last transitions and messages for the line that the finding is about, the oldest first.
    Recent(Vec<String>),
    /// A shortest run of a small system.
    Steps(Vec<DescribedMove>),
}

/// A part of a history that violates a model.
#[derive(Clone, Debug)]
pub struct Part {
    /// The part, with its proof.
    pub shrunk: Shrunk,
    /// The model that it violates.
    pub model: Model,
    /// The history of the run.
    pub whole: History,
    /// The reads-from of the run.
    pub reads_from: ReadsFrom,
}

impl Part {
    /// The proof in terms of the run, so that its operations have the numbers that they have there.
    pub fn violation(&self) -> Violation {
        self.shrunk.violation_in(&self.whole)
    }
}

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
