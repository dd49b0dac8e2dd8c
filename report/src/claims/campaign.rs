//! Claims about violations, on those of a campaign: by mutants of whatever protocols it ran.

use std::collections::BTreeSet;

use super::measure::Share;
use super::paper::{self, Stated};
use super::{Claim, Found, Missing};
use crate::answers::{Answers, Rates, Scope};
use tables::results::Results;

pub(super) fn claims(results: &Results) -> Vec<Claim> {
    let sc = rates(results, "sc", &|_| true);
    let tso = rates(results, "tso", &|criterion| {
        ["wccm", "tso"].contains(&criterion)
    });
    let mut claims = vec![
        paper::CAMPAIGN_CAUSAL.claim(stated(&sc, paper::CAMPAIGN_CAUSAL)),
        paper::CAMPAIGN_CCM.claim(caught(&sc, paper::CAMPAIGN_CCM, "ccm")),
        paper::CAMPAIGN_WCCM.claim(caught(&tso, paper::CAMPAIGN_WCCM, "wccm")),
        paper::CAMPAIGN_WSC.claim(caught(&sc, paper::CAMPAIGN_WSC, "wsc")),
        paper::CAMPAIGN_ESCAPING.claim(stated(&sc, paper::CAMPAIGN_ESCAPING)),
    ];
    if let Some(mutants) = mutants(results) {
        for claim in &mut claims {
            claim.statement = claim.statement.replacen("mutants", &mutants, 1);
        }
    }
    claims
}

/// Of which protocols there were mutants; none if there were none.
fn mutants(results: &Results) -> Option<String> {
    let mutated = results.runs.iter().filter(|run| run.mutant.is_some());
    let protocols: BTreeSet<&str> = mutated.map(|run| run.protocol.as_str()).collect();
    let mut protocols: Vec<&str> = protocols.into_iter().collect();
    let last = protocols.pop()?;
    Some(match protocols.is_empty() {
        true => format!("mutants of {last}"),
        false => format!("mutants of {} and {last}", protocols.join(", ")),
    })
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
