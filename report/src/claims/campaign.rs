//! Tests claims about violations on the violations of campaigns.

use std::collections::BTreeSet;

use super::paper::PublishedClaim;
use super::{Claim, Evidence, Missing};
use crate::answers::{Rates, rates_of_model};
use crate::figures::CAMPAIGN;
use crate::statistics::Share;
use tables::results::Results;

/// The shares of violations that criteria refute, for the runs of clients that guarantee SC and TSO.
#[derive(Debug)]
pub(crate) struct BothRates {
    pub(super) sc: Result<Rates, Missing>,
    pub(super) tso: Result<Rates, Missing>,
}

impl BothRates {
    /// Computes the shares from the runs of all campaigns in `results`.
    pub(super) fn of(results: &Results) -> BothRates {
        BothRates {
            sc: rates(results, "sc", &|_| true),
            tso: rates(results, "tso", &|criterion| ["wccm", "tso"].contains(&criterion)),
        }
    }
}

/// Says in the claims about campaigns which protocols were mutated.
pub(super) fn name_protocols(claims: &mut [Claim], results: &Results) {
    let Some(mutants) = mutants(results) else {
        return;
    };
    for claim in claims.iter_mut().filter(|claim| claim.experiment == CAMPAIGN) {
        claim.statement = claim.statement.replacen("mutants", &mutants, 1);
    }
}

/// The protocols that were mutated, as text; `None` if there were no mutants.
fn mutants(results: &Results) -> Option<String> {
    let mutated = results.runs.iter().filter(|run| run.mutant.is_some());
    let protocols: BTreeSet<&str> = mutated.map(|run| run.protocol.as_str()).collect();
    let mut protocols: Vec<&str> = protocols.into_iter().collect();
    let last = protocols.pop()?;
    Some(if protocols.is_empty() {
        format!("mutants of {last}")
    } else {
        format!("mutants of {} and {last}", protocols.join(", "))
    })
}

/// The shares of the runs of clients that guarantee a model; `counts` is true of the criteria that follow from it.
fn rates(results: &Results, model: &str, counts: &dyn Fn(&str) -> bool) -> Result<Rates, Missing> {
    if results.runs.is_empty() {
        return Err(Missing::Experiment("mutants"));
    }
    let counts = |client: &str, criterion: &str| client == model && counts(criterion);
    let rates = rates_of_model(&results.runs, &results.equivalents, &counts, model);
    rates.ok_or(Missing::Rows("mutants", "runs with such cores"))
}

fn basis(rates: &Rates) -> String {
    format!("{} runs violate what their cores guarantee.", rates.violating)
}

pub(super) fn caught(
    rates: &Result<Rates, Missing>,
    stated: PublishedClaim,
    criterion: &str,
) -> Result<Evidence, Missing> {
    let rates = rates.as_ref().map_err(Clone::clone)?;
    let mut all = rates.criteria.iter();
    let rate = all.find(|rate| rate.criterion == criterion);
    let rate = rate.ok_or(Missing::Rows("mutants", "the criterion"))?;
    let share = Share { part: rate.caught, of: rate.asked - rate.undecided };
    stated.share(share, "violations", basis(rates))
}

/// Compares a published share with the share that the campaign's results have for the same claim.
pub(super) fn stated(
    rates: &Result<Rates, Missing>,
    stated: PublishedClaim,
) -> Result<Evidence, Missing> {
    let rates = rates.as_ref().map_err(Clone::clone)?;
    let mut claims = rates.claims.iter();
    let claim = claims.find(|claim| claim.id == stated.id);
    let claim = claim.ok_or(Missing::Rows("mutants", "the criteria"))?;
    let share = Share { part: claim.found, of: claim.of };
    stated.share(share, "violations", basis(rates))
}
