//! Lists the mutants that are known to be equivalent to their protocol.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::Campaign;

/// A mutant that is known to be equivalent or harmless, with its runs, if there are any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EquivalentMutant {
    /// The protocol.
    pub protocol: String,
    /// The mutant.
    pub mutant: String,
    /// The operator that made the mutant.
    pub operator: String,
    /// The kind of the reason, in a word.
    pub kind: String,
    /// The reason.
    pub reason: String,
    /// The number of runs of the mutant, if it was run nevertheless.
    pub runs: u64,
    /// The number of runs that found something, which shows that the reason is wrong.
    pub detections: u64,
}

/// The equivalent mutants, by protocol and mutant.
pub(super) fn equivalents(campaign: &Campaign<'_>) -> Vec<EquivalentMutant> {
    let known = campaign.equivalents.iter().map(|(&mutant, row)| {
        let about = EquivalentMutant {
            protocol: row.protocol.clone(),
            mutant: row.mutant.clone(),
            operator: row.operator.clone(),
            kind: row.kind.clone(),
            reason: row.reason.clone(),
            ..EquivalentMutant::default()
        };
        (mutant, about)
    });
    let mut found: BTreeMap<_, _> = known.collect();
    for (mutant, run) in campaign.mutated() {
        if let Some(equivalent) = found.get_mut(&mutant) {
            equivalent.runs += 1;
            equivalent.detections += u64::from(campaign.detects(run));
        }
    }
    found.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, equivalent, run, violation};

    #[test]
    fn runs_of_equivalent_mutants_are_held_against_the_reason() {
        let rows = [
            run("b", "x", "in-order"),
            violation("b", "x", "in-order", &["sc"]),
            run("c", "x", "in-order"),
        ];
        let found = answers(&rows, &[equivalent("b", "x"), equivalent("a", "y")]).equivalents;
        let [a, b] = &found[..] else { panic!("{found:?}") };
        assert_eq!((a.mutant.as_str(), a.operator.as_str(), a.runs), ("a", "y", 0));
        assert_eq!((b.runs, b.detections, b.reason.as_str()), (2, 1, "alike"));
    }
}
