//! Computes after how many operations each criterion detects a violation.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Campaign, Scope};
use crate::statistics::{Estimate, mean, median};
use tables::{CRITERIA, CampaignRun};

/// The number of operations that had completed when violations were detected, by criterion.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OperationsToDetection {
    /// The runs that the numbers are about.
    pub scope: Scope,
    /// The numbers for each criterion.
    pub criteria: Vec<Detection>,
}

/// The numbers of operations for one criterion. Criteria refute different runs, so the numbers of two criteria are not about the same
/// runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Detection {
    /// The criterion.
    pub criterion: &'static str,
    /// The number of runs that the criterion refutes and for which the number of operations is known.
    pub runs: u64,
    /// The mean over these runs.
    pub mean: Option<f64>,
    /// The median over these runs.
    pub median: Option<f64>,
}

pub(super) fn operations(campaign: &Campaign<'_>, scope: &Scope) -> OperationsToDetection {
    let tried: Vec<&CampaignRun> = campaign.tried(scope).map(|(_, run)| run).collect();
    let criteria = (0..CRITERIA.len()).map(|criterion| {
        let caught = tried.iter().filter(|run| campaign.breaks(run, criterion));
        let numbers = caught.filter_map(|run| run.criteria[criterion].operations);
        let numbers: Vec<Estimate> = numbers.map(|one| Estimate::exactly(one.into())).collect();
        Detection {
            criterion: CRITERIA[criterion],
            runs: numbers.len() as u64,
            mean: mean(&numbers).map(|mean| mean.low),
            median: median(&numbers).map(|median| median.low),
        }
    });
    OperationsToDetection { scope: scope.clone(), criteria: criteria.collect() }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, violation};

    #[test]
    fn means_and_medians() {
        let rows = [
            violation("a", "x", "in-order", &["sc"]).after("sc", 10),
            violation("a", "x", "in-order", &["sc", "wsc"]).after("sc", 20).after("wsc", 25),
            violation("b", "x", "in-order", &["sc"]).after("sc", 90),
            // The number is unknown; the criterion does not count; the criterion holds.
            violation("b", "x", "in-order", &["sc"]),
            violation("b", "x", "store-buffer-8", &["sc", "tso"]).after("sc", 7),
            violation("b", "x", "in-order", &["sc"]).after("ccm", 3).after("sc", 40),
        ];
        let operations = answers(&rows, &[]).operations;
        let all = &operations[0];
        let of = |criterion: &str| {
            let spread = all.criteria.iter().find(|spread| spread.criterion == criterion);
            let spread = spread.unwrap();
            (spread.runs, spread.mean, spread.median)
        };
        assert_eq!(of("sc"), (4, Some(40.0), Some(30.0)));
        assert_eq!(of("wsc"), (1, Some(25.0), Some(25.0)));
        assert_eq!(of("ccm"), (0, None, None));
        assert_eq!(of("tso"), (0, None, None));
    }
}
