//! The results of each protocol, side by side: what was found, and what it cost.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Campaign, Mutant, Scope};
use crate::statistics::{Estimate, median};
use tables::CampaignRun;

/// The results about the mutants of one protocol.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ProtocolResult {
    /// The protocol's name, as the runs have it.
    pub protocol: String,
    /// The number of mutants that ran, without those known to be equivalent to the protocol or harmless.
    pub mutants: u64,
    /// The number of these mutants that something found.
    pub found: u64,
    /// The mutants by operator, in the order of their names.
    pub operators: Vec<OperatorResult>,
    /// The number of runs of these mutants.
    pub runs: u64,
    /// The seconds that these runs took to simulate and to check, as far as they are known.
    pub seconds: f64,
    /// The median, over the mutants that were found, of the number of the first run that found the mutant with its kind
    /// of core, from 1.
    pub median_run: Option<f64>,
    /// The median number of operations completed when a violation of what the cores guarantee was detected.
    pub median_operations: Option<f64>,
    /// The number of runs of the unmutated protocol.
    pub unmutated: u64,
    /// The number of these runs that raised an alarm.
    pub alarms: u64,
}

/// The mutants that one operator made of a protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OperatorResult {
    /// The operator that made the mutants, or `named`.
    pub operator: String,
    /// The number of mutants that the operator made and that ran.
    pub mutants: u64,
    /// The number of these mutants that something found.
    pub found: u64,
}

/// The operator of a mutant, and the first run that found it.
struct MutantResult<'a> {
    operator: &'a str,
    /// The smallest number of a run that found the mutant; `None` if no run did.
    first: Option<u32>,
}

/// The results of all protocols of which there are runs, by name.
pub(super) fn protocols(campaign: &Campaign<'_>) -> Vec<ProtocolResult> {
    let mut results: BTreeMap<&str, ProtocolResult> = BTreeMap::new();
    let mut operations: BTreeMap<&str, Vec<Estimate>> = BTreeMap::new();
    let mut mutants: BTreeMap<Mutant<'_>, MutantResult<'_>> = BTreeMap::new();
    for run in campaign.runs.iter().filter(|run| run.mutant.is_none()) {
        let result = results.entry(&run.protocol).or_default();
        result.unmutated += 1;
        result.alarms += u64::from(campaign.detects(run));
    }
    for (mutant, run) in campaign.tried(&Scope::All) {
        let result = results.entry(mutant.0).or_default();
        result.runs += 1;
        result.seconds += seconds(run);
        let operator = run.operator.as_deref().unwrap_or_default();
        let new = MutantResult { operator, first: None };
        let MutantResult { first, .. } = mutants.entry(mutant).or_insert(new);
        if campaign.detects(run) {
            *first = Some(first.map_or(run.number, |first| first.min(run.number)));
        }
        operations.entry(mutant.0).or_default().extend(operations_of(campaign, run));
    }
    let all = results.into_iter().map(|(protocol, result)| {
        let own =
            mutants.iter().filter(|((name, _), _)| *name == protocol).map(|(_, mutant)| mutant);
        let own: Vec<&MutantResult<'_>> = own.collect();
        let firsts = own.iter().filter_map(|mutant| mutant.first);
        let firsts: Vec<Estimate> =
            firsts.map(|number| Estimate::exactly(f64::from(number) + 1.0)).collect();
        let detected = operations.get(protocol).map_or(&[][..], Vec::as_slice);
        ProtocolResult {
            protocol: protocol.to_owned(),
            mutants: own.len() as u64,
            found: firsts.len() as u64,
            operators: by_operator(&own),
            median_run: median(&firsts).map(|median| median.low),
            median_operations: median(detected).map(|median| median.low),
            ..result
        }
    });
    all.collect()
}

/// Returns the number of operations that had completed when a run violated the model of its cores; `None` if it did
/// not, or if the number is unknown.
pub(super) fn operations_of(campaign: &Campaign<'_>, run: &CampaignRun) -> Option<Estimate> {
    let checked = run.checked(&run.model).filter(|_| campaign.violates(run))?;
    Some(Estimate::exactly(checked.operations?.into()))
}

fn by_operator(mutants: &[&MutantResult<'_>]) -> Vec<OperatorResult> {
    let mut operators: BTreeMap<&str, OperatorResult> = BTreeMap::new();
    for mutant in mutants {
        let result = operators.entry(mutant.operator).or_default();
        result.mutants += 1;
        result.found += u64::from(mutant.first.is_some());
    }
    let named = |(operator, result): (&str, OperatorResult)| OperatorResult {
        operator: operator.to_owned(),
        ..result
    };
    operators.into_iter().map(named).collect()
}

/// The seconds that a run took to simulate and to check.
fn seconds(run: &CampaignRun) -> f64 {
    let checking = run.criteria.iter().filter_map(|checked| checked.seconds);
    let all = checking.chain([run.simulate_seconds]);
    all.filter(|seconds| seconds.is_finite()).sum()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, equivalent, run, unmutated, violation};

    #[test]
    fn each_protocol_has_its_own_numbers() {
        let of = |row: super::super::testing::Row, protocol| row.of_protocol(protocol);
        let rows = [
            of(unmutated("in-order"), "A"),
            of(violation("", "", "in-order", &["sc"]).unmutated().from("other"), "B"),
            of(run("a", "x", "in-order"), "A"),
            of(violation("b", "x", "in-order", &["sc"]).after("sc", 20), "A"),
            of(violation("b", "x", "in-order", &["sc"]).after("sc", 40), "A"),
            of(violation("c", "y", "in-order", &["sc"]).after("sc", 7), "B"),
            // Equivalent to its protocol, so it does not count.
            of(run("d", "x", "in-order"), "P"),
        ];
        let found = answers(&rows, &[equivalent("d", "x")]).protocols;
        let numbers: Vec<_> = found
            .iter()
            .map(|one| (one.protocol.as_str(), one.mutants, one.found, one.runs, one.alarms))
            .collect();
        assert_eq!(numbers, [("A", 2, 1, 3, 0), ("B", 1, 1, 1, 1)]);
        assert_eq!((found[0].median_operations, found[0].median_run), (Some(30.0), Some(1.0)));
        let operators: Vec<_> =
            found[0].operators.iter().map(|one| (&*one.operator, one.found, one.mutants)).collect();
        assert_eq!(operators, [("x", 1, 2)]);
    }
}
