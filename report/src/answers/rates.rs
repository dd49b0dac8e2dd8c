//! The share of the violating runs that each criterion refutes, with the published shares.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Campaign, Scope};
use crate::claims::paper::{CAMPAIGN_CAUSAL, CAMPAIGN_ESCAPING, PublishedClaim};
use crate::statistics::Share;
use tables::{CRITERIA, CampaignRun, Finding};

/// The share of the violating runs that each criterion refutes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Rates {
    /// The runs that the numbers are about.
    pub scope: Scope,
    /// The number of runs that violate something that their client guarantees.
    pub violating: u64,
    /// The share of each criterion.
    pub criteria: Vec<Rate>,
    /// The shares that papers claim.
    pub claims: Vec<ClaimedShare>,
}

/// The violating runs that one criterion refutes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Rate {
    /// The criterion.
    pub criterion: &'static str,
    /// The number of violating runs for which the criterion counts and was checked.
    pub asked: u64,
    /// The number of these runs that the criterion refutes.
    pub caught: u64,
    /// The number of these runs that the criterion left undecided.
    pub undecided: u64,
    /// `caught` as a share of `asked`; `None` if no run was checked.
    pub share: Option<f64>,
}

/// A share of violating runs that a paper states, with the share in the campaign.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClaimedShare {
    /// The name of the claim.
    pub id: &'static str,
    /// The claim, as a sentence.
    pub claim: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// The share that the paper states.
    pub stated: Option<f64>,
    /// The number of violating runs for which it is decided whether the claim is true.
    pub of: u64,
    /// The number of these runs for which the claim is true.
    pub found: u64,
    /// `found` as a share of `of`; `None` if there are no such runs.
    pub share: Option<f64>,
}

pub(super) fn rates(campaign: &Campaign<'_>, scope: &Scope) -> Rates {
    let tried = campaign.tried(scope).map(|(_, run)| run);
    let violating: Vec<&CampaignRun> = tried.filter(|run| campaign.violates(run)).collect();
    let criteria = 0..CRITERIA.len();
    Rates {
        scope: scope.clone(),
        violating: violating.len() as u64,
        criteria: criteria.map(|criterion| rate(campaign, &violating, criterion)).collect(),
        claims: vec![causal(campaign, &violating), escaping(campaign, &violating)],
    }
}

fn rate(campaign: &Campaign<'_>, violating: &[&CampaignRun], criterion: usize) -> Rate {
    let findings = violating.iter().filter_map(|run| campaign.finding(run, criterion));
    let count = |wanted| findings.clone().filter(|&finding| finding == wanted).count() as u64;
    let (asked, caught) = (findings.clone().count() as u64, count(Finding::Violation));
    Rate {
        criterion: CRITERIA[criterion],
        asked,
        caught,
        undecided: count(Finding::Undecided),
        share: Share { part: caught, of: asked }.known(),
    }
}

/// A claim of a paper, with nothing counted yet.
fn claim(stated: PublishedClaim) -> ClaimedShare {
    ClaimedShare {
        id: stated.id,
        claim: stated.statement,
        paper: stated.paper,
        stated: stated.result.value(),
        of: 0,
        found: 0,
        share: None,
    }
}

/// The claim that half of the violations violate causal consistency or causal convergence.
fn causal(campaign: &Campaign<'_>, violating: &[&CampaignRun]) -> ClaimedShare {
    let claim = claim(CAMPAIGN_CAUSAL);
    counted(claim, campaign, violating, ["cc", "ccv"], |[cc, ccv]| cc || ccv)
}

/// The claim that few violations satisfy CCM and violate wSC.
fn escaping(campaign: &Campaign<'_>, violating: &[&CampaignRun]) -> ClaimedShare {
    let claim = claim(CAMPAIGN_ESCAPING);
    counted(claim, campaign, violating, ["ccm", "wsc"], |[ccm, wsc]| !ccm && wsc)
}

/// Counts the runs for which both criteria are decided. `holds` receives whether the run violates the first and the
/// second criterion.
fn counted(
    mut claim: ClaimedShare,
    campaign: &Campaign<'_>,
    violating: &[&CampaignRun],
    criteria: [&str; 2],
    holds: impl Fn([bool; 2]) -> bool,
) -> ClaimedShare {
    for run in violating {
        let breaks = criteria.map(|name| {
            let criterion = CRITERIA.iter().position(|known| *known == name)?;
            let finding = campaign.finding(run, criterion)?;
            (finding != Finding::Undecided).then_some(finding == Finding::Violation)
        });
        if let [Some(first), Some(second)] = breaks {
            claim.of += 1;
            claim.found += u64::from(holds([first, second]));
        }
    }
    let (part, of) = (claim.found, claim.of);
    claim.share = Share { part, of }.known();
    claim
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, failed, run, unmutated, violation};
    use super::*;
    use tables::RunOutcome;

    fn of<'r>(rates: &'r Rates, criterion: &str) -> &'r Rate {
        rates.criteria.iter().find(|rate| rate.criterion == criterion).unwrap()
    }

    #[test]
    fn violating_runs_by_criterion() {
        let rows = [
            violation("a", "x", "in-order", &["cc", "ccv", "cm", "ccm", "wsc", "sc"]),
            violation("a", "x", "in-order", &["wsc", "sc"]),
            violation("b", "x", "in-order", &["ccv", "ccm", "wsc", "sc"]),
            violation("c", "x", "in-order", &["sc"]).found("wsc", Some(Finding::Undecided)),
            violation("d", "x", "in-order", &["sc"]).found("ccv", None),
            // A run that violates SC before the protocol fails counts as a violation.
            violation("e", "x", "store-buffer-8", &["cc", "ccv", "tso"])
                .ended(RunOutcome::Deadlock),
            // None of these is a violation.
            failed("e", "x", "in-order", RunOutcome::Deadlock),
            violation("e", "x", "store-buffer-8", &["sc"]).clean(),
            run("f", "x", "in-order"),
            violation("", "", "in-order", &["sc"]).unmutated(),
            unmutated("in-order"),
        ];
        let rates = answers(&rows, &[]).rates;
        let all = &rates[0];
        assert_eq!(all.violating, 6);
        let numbers = |rate: &Rate| (rate.asked, rate.caught, rate.undecided, rate.share);
        assert_eq!(numbers(of(all, "cc")), (6, 2, 0, Some(2.0 / 6.0)));
        assert_eq!(numbers(of(all, "ccv")), (5, 3, 0, Some(0.6)));
        assert_eq!(numbers(of(all, "wsc")), (5, 3, 1, Some(0.6)));
        assert_eq!(numbers(of(all, "sc")), (5, 5, 0, Some(1.0)));
        // SC implies TSO, so TSO counts for the other client, too.
        assert_eq!(numbers(of(all, "tso")), (6, 1, 0, Some(1.0 / 6.0)));
        let claims: Vec<_> = all.claims.iter().map(|claim| (claim.found, claim.of)).collect();
        // CC and CCv are decided for five runs, and violated in three. CCM and wSC are decided for four; one violates wSC only.
        assert_eq!(claims, [(3, 5), (1, 4)]);
        let tso = rates.iter().find(|rates| rates.scope == Scope::Model("tso".to_owned())).unwrap();
        assert_eq!(tso.violating, 1);
        assert_eq!(numbers(of(tso, "sc")), (0, 0, 0, None));
        assert_eq!((tso.claims[0].share, tso.claims[1].share), (Some(1.0), None));
    }
}
