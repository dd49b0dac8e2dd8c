//! Makes one finding of a wrong value that small systems show and of the violations that programs show because of it.
//!
//! Explorations and walks see a stale value, or two caches that may write, where it happens; programs only see that their loads fit no order. Both
//! are one finding if the short run of the small system takes a row of the tables that goes with the violation in programs about as much as any row
//! does ([`ochiai`]).

use std::collections::{BTreeMap, BTreeSet};

use simulate::system::entry_of;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

use super::finding::{Finding, FindingKind, Signature};
use super::ochiai;
use super::program::Ran;
use super::small::Shown;

/// The share of the highest score from which on a row counts as one that goes with a finding.
const AS_MUCH: f64 = 0.9;

/// What programs took and showed, and the rows of short runs.
pub(super) struct WrongValues {
    programs: Vec<(BTreeSet<Signature>, BTreeSet<TableEntry>)>,
    /// For findings of small systems, the rows that their short runs take.
    short: BTreeMap<Signature, BTreeSet<TableEntry>>,
}

impl WrongValues {
    /// Gathers what `programs` took and showed, and the rows of the short runs of small systems.
    pub(super) fn new<'r>(
        protocol: &Protocol,
        programs: impl Iterator<Item = &'r Ran>,
        short: impl Iterator<Item = &'r Shown>,
    ) -> WrongValues {
        let showed = |ran: &Ran| {
            ran.problems.iter().chain(&ran.left).map(|one| one.signature.clone()).collect()
        };
        let taken = |ran: &Ran| {
            ran.reached.iter().filter_map(|one| entry_of(protocol, one.triple)).collect()
        };
        let mut runs: BTreeMap<Signature, BTreeSet<TableEntry>> = BTreeMap::new();
        for shown in short {
            let rows = runs.entry(shown.problem.signature.clone());
            rows.or_insert_with(|| shown.taken.iter().cloned().collect());
        }
        WrongValues {
            programs: programs.map(|ran| (showed(ran), taken(ran))).collect(),
            short: runs,
        }
    }

    /// Merges new violations into the new findings of small systems that cause them. `findings` are sorted, the worst first, and so is the result.
    pub(super) fn together(&self, findings: Vec<Finding>) -> Vec<Finding> {
        let mut leaders: Vec<Finding> = Vec::new();
        for finding in findings {
            let is_violation = matches!(finding.signature.kind, FindingKind::Violation(..));
            let causes = |leader: &&mut Finding| {
                is_violation
                    && leader.known.is_none()
                    && finding.known.is_none()
                    && self.causes(&leader.signature, &finding.signature)
            };
            match leaders.iter_mut().find(causes) {
                Some(leader) => leader.lead(finding),
                None => leaders.push(finding),
            }
        }
        leaders
    }

    /// Whether a wrong value in a small system is what a violation comes from.
    fn causes(&self, small: &Signature, violation: &Signature) -> bool {
        let is_wrong_value =
            matches!(small.kind, FindingKind::SwmrViolation | FindingKind::StaleValue);
        let Some(rows) = self.short.get(small).filter(|_| is_wrong_value) else { return false };
        let scores = self.scores(violation);
        let best = scores.values().copied().fold(0.0, f64::max);
        best > 0.0
            && rows.iter().any(|row| scores.get(row).is_some_and(|own| *own >= AS_MUCH * best))
    }

    /// How much each row goes with a finding in programs.
    fn scores(&self, signature: &Signature) -> BTreeMap<&TableEntry, f64> {
        let programs = self.programs.iter();
        ochiai::scores(
            programs.map(|(showed, taken)| (showed.contains(signature), taken.iter().collect())),
        )
    }
}

#[cfg(test)]
mod tests {
    use memory::Model;

    use super::super::finding::{Cores, Weakness};
    use super::*;

    fn finding(kind: &FindingKind) -> Finding {
        Finding::plain(Signature { kind: kind.clone(), place: String::new() })
    }

    /// What is left of a stale value and a violation, if the short run takes these rows, and three programs take rows of which the first two
    /// show the violation.
    fn together(short: &[&str], programs: [&[&str]; 3]) -> usize {
        let rows = |states: &[&str]| {
            states.iter().map(|state| TableEntry::new("L1", state, "Load")).collect()
        };
        let kinds =
            [FindingKind::StaleValue, FindingKind::Violation(Weakness(Model::PSO), Cores::Plain)];
        let [stale, violation] = kinds.map(|kind| finding(&kind));
        let showed = |number| match number {
            0 | 1 => BTreeSet::from([violation.signature.clone()]),
            _ => BTreeSet::new(),
        };
        let programs = programs.into_iter().enumerate();
        let wrong = WrongValues {
            programs: programs.map(|(number, taken)| (showed(number), rows(taken))).collect(),
            short: BTreeMap::from([(stale.signature.clone(), rows(short))]),
        };
        wrong.together(vec![stale, violation]).len()
    }

    #[test]
    fn a_violation_comes_from_a_stale_value_of_the_rows_that_go_with_it() {
        assert_eq!(together(&["I", "M"], [&["I", "M"], &["I", "M"], &["I"]]), 1);
        assert_eq!(together(&["I", "S"], [&["I", "M"], &["I", "M"], &["I"]]), 2);
    }
}
