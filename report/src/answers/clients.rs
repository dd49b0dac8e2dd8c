//! The results of each kind of core: which mutants of a protocol it finds, and after how many runs and operations.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::protocols::operations_of;
use super::{Campaign, Scope};
use crate::statistics::{Estimate, median};

/// The results about the mutants of one protocol on one kind of core. A campaign may run a mutant no more once another kind of core has
/// found it, so that two kinds of cores may have run different mutants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ClientResult {
    /// The protocol's name, as the runs have it.
    pub protocol: String,
    /// The kind of core.
    pub client: String,
    /// The number of mutants that ran on this kind of core, without those known to be equivalent to the protocol or
    /// harmless.
    pub mutants: u64,
    /// The number of these mutants that a run on this kind of core found.
    pub found: u64,
    /// The number of their runs.
    pub runs: u64,
    /// The median, over the mutants that were found, of the number of the first run that found the mutant, from 1.
    pub median_run: Option<f64>,
    /// The median number of operations completed when a violation of what the cores guarantee was detected.
    pub median_operations: Option<f64>,
}

/// The runs on a kind of core, from which its result is computed.
#[derive(Default)]
struct Collected<'a> {
    runs: u64,
    /// The smallest number of a run that found the mutant, for each mutant; `None` if no run did.
    firsts: BTreeMap<&'a str, Option<u32>>,
    operations: Vec<Estimate>,
}

/// The results of all protocols and kinds of cores on which mutants ran, by name.
pub(super) fn clients(campaign: &Campaign<'_>) -> Vec<ClientResult> {
    let mut all: BTreeMap<(&str, &str), Collected<'_>> = BTreeMap::new();
    for ((protocol, mutant), run) in campaign.tried(&Scope::All) {
        let one = all.entry((protocol, &run.client)).or_default();
        one.runs += 1;
        let first = one.firsts.entry(mutant).or_default();
        if campaign.detects(run) {
            *first = Some(first.map_or(run.number, |first| first.min(run.number)));
        }
        one.operations.extend(operations_of(campaign, run));
    }
    all.into_iter().map(|((protocol, client), one)| one.result(protocol, client)).collect()
}

impl Collected<'_> {
    fn result(self, protocol: &str, client: &str) -> ClientResult {
        let firsts = self.firsts.values().flatten();
        let firsts: Vec<Estimate> =
            firsts.map(|number| Estimate::exactly(f64::from(*number) + 1.0)).collect();
        ClientResult {
            protocol: protocol.to_owned(),
            client: client.to_owned(),
            mutants: self.firsts.len() as u64,
            found: firsts.len() as u64,
            runs: self.runs,
            median_run: median(&firsts).map(|median| median.low),
            median_operations: median(&self.operations).map(|median| median.low),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, equivalent, run, unmutated, violation};
    use tables::Generator;

    #[test]
    fn each_kind_of_core_has_its_own_numbers() {
        let numbered =
            |row: super::super::testing::Row, number| row.numbered(Generator::Blind, 0, number);
        let rows = [
            unmutated("in-order"),
            numbered(run("a", "x", "in-order"), 0),
            numbered(violation("a", "x", "in-order", &["sc"]).after("sc", 20), 1),
            numbered(violation("b", "x", "in-order", &["sc"]).after("sc", 49), 2),
            numbered(run("a", "x", "early-8"), 0),
            // Equivalent to its protocol, so it does not count.
            numbered(run("d", "x", "early-8"), 0),
        ];
        let found = answers(&rows, &[equivalent("d", "x")]).clients;
        let numbers: Vec<_> = found
            .iter()
            .map(|one| (one.client.as_str(), one.mutants, one.found, one.runs))
            .collect();
        assert_eq!(numbers, [("early-8", 1, 0, 1), ("in-order", 2, 2, 3)]);
        assert_eq!((found[1].median_run, found[1].median_operations), (Some(2.5), Some(34.5)));
        assert_eq!((found[0].median_run, found[0].median_operations), (None, None));
    }
}
