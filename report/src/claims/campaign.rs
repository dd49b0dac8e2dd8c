//! Claims about violations, on those of a campaign: by mutants of all protocols, not of one.

use super::measure::Share;
use super::paper::{self, Stated};
use super::{Claim, Found, Missing};
use crate::answers::{Answers, Rates, Scope};
use crate::results::Results;

pub(super) fn claims(results: &Results) -> Vec<Claim> {
    let sc = rates(results, "sc", &|_| true);
    let tso = rates(results, "tso", &|criterion| {
        ["wccm", "tso"].contains(&criterion)
    });
    vec![
        paper::CAMPAIGN_CAUSAL.claim(stated(&sc, paper::CAMPAIGN_CAUSAL)),
        paper::CAMPAIGN_CCM.claim(caught(&sc, paper::CAMPAIGN_CCM, "ccm")),
        paper::CAMPAIGN_WCCM.claim(caught(&tso, paper::CAMPAIGN_WCCM, "wccm")),
        paper::CAMPAIGN_WSC.claim(caught(&sc, paper::CAMPAIGN_WSC, "wsc")),
        paper::CAMPAIGN_ESCAPING.claim(escaping(&sc)),
    ]
}

/// What the runs of clients that keep a model say, `counts` being the criteria that follow from it.
fn rates(results: &Results, model: &str, counts: &dyn Fn(&str) -> bool) -> Result<Rates, Missing> {
    if results.runs.is_empty() {
        return Err(Missing::Experiment("mutants"));
    }
    let counts = |client: &str, criterion: &str| client == model && counts(criterion);
    let answers = Answers::of(&results.runs, &results.equivalents, &counts);
    let scope = Scope::Model(model.to_owned());
    let mut rates = answers.rates.into_iter();
    let rates = rates.find(|rates| rates.scope == scope);
    rates.ok_or(Missing::Rows("mutants", "runs with such cores"))
}

fn basis(rates: &Rates) -> String {
    format!("{} runs violate what their cores keep.", rates.violating)
}

fn caught(
    rates: &Result<Rates, Missing>,
    stated: Stated,
    criterion: &str,
) -> Result<Found, Missing> {
    let rates = rates.as_ref().map_err(Clone::clone)?;
    let mut all = rates.criteria.iter();
    let rate = all.find(|rate| rate.criterion == criterion);
    let rate = rate.ok_or(Missing::Rows("mutants", "the criterion"))?;
    let share = Share {
        part: rate.caught,
        of: rate.asked - rate.undecided,
    };
    stated.share(share, "violations", basis(rates))
}

fn escaping(rates: &Result<Rates, Missing>) -> Result<Found, Missing> {
    let found = stated(rates, paper::CAMPAIGN_ESCAPING)?;
    let rates = rates.as_ref().map_err(Clone::clone)?;
    paper::CAMPAIGN_ESCAPING.enough_for_rare(rates.violating)?;
    Ok(found)
}

/// A share that the answers of a campaign have too.
fn stated(rates: &Result<Rates, Missing>, stated: Stated) -> Result<Found, Missing> {
    let rates = rates.as_ref().map_err(Clone::clone)?;
    let mut claims = rates.claims.iter();
    let claim = claims.find(|claim| claim.id == stated.id);
    let claim = claim.ok_or(Missing::Rows("mutants", "the criteria"))?;
    let share = Share {
        part: claim.found,
        of: claim.of,
    };
    stated.share(share, "violations", basis(rates))
}
