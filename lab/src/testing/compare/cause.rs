//! Which change of a protocol a finding comes from: the nearest changed transition before it, and the edit that changed that.

use std::collections::{BTreeMap, BTreeSet};

use simulate::system::entry_of;
use slicc::difference::Difference;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

use super::edits::{EditId, Edits};
use crate::testing::ochiai;
use crate::testing::program::Ran;
use crate::testing::small::Shown;
use crate::testing::{Finding, NearestChange, Signature};

/// The changed transitions that programs, explorations and walks of the new version took.
pub(super) struct Causes {
    edits: Edits,
    /// For each program, what it showed, and the changed transitions that it took.
    programs: Vec<(Vec<Signature>, BTreeSet<TableEntry>)>,
    /// For findings of explorations and walks, the last changed transition of a short run.
    last: BTreeMap<Signature, TableEntry>,
    /// For findings of explorations and walks, the edits whose rows all their short runs take.
    met: BTreeMap<Signature, BTreeSet<EditId>>,
}

impl Causes {
    /// Gathers what `programs` and `short` runs of the new version took and showed.
    pub(super) fn new<'r>(
        difference: &Difference,
        new: &Protocol,
        programs: impl Iterator<Item = &'r Ran>,
        short: impl Iterator<Item = &'r Shown>,
    ) -> Causes {
        let changed: BTreeSet<&TableEntry> = difference.entries().collect();
        let taken = |ran: &Ran| {
            let taken = ran.reached.iter().filter_map(|one| entry_of(new, one.triple));
            taken.filter(|entry| changed.contains(entry)).collect()
        };
        let showed = |ran: &Ran| ran.problems.iter().map(|one| one.signature.clone()).collect();
        let edits = Edits::new(difference);
        let mut last = BTreeMap::new();
        let mut met: BTreeMap<Signature, BTreeSet<EditId>> = BTreeMap::new();
        for shown in short {
            let nearest = shown.taken.iter().rev().find(|entry| changed.contains(entry));
            let own: BTreeSet<EditId> =
                shown.taken.iter().filter_map(|entry| edits.of(entry)).collect();
            let all = met.entry(shown.problem.signature.clone()).or_insert_with(|| own.clone());
            all.retain(|edit| own.contains(edit));
            if let Some(entry) = nearest {
                last.entry(shown.problem.signature.clone()).or_insert_with(|| entry.clone());
            }
        }
        let programs = programs.map(|ran| (showed(ran), taken(ran))).collect();
        Causes { edits, programs, last, met }
    }

    /// The changed transition that comes nearest before a finding: the one that it is about, the last one of a short run, or the one that
    /// goes most with the finding in programs.
    fn nearest(&self, signature: &Signature) -> Option<TableEntry> {
        self.own(signature)
            .or_else(|| self.last.get(signature).cloned())
            .or_else(|| self.suspect(signature))
    }

    /// The changed transition that a finding is about.
    fn own(&self, signature: &Signature) -> Option<TableEntry> {
        signature.entry().filter(|entry| self.edits.of(entry).is_some())
    }

    /// The changed transition that goes most with a finding in programs.
    fn suspect(&self, signature: &Signature) -> Option<TableEntry> {
        let scores = self.scores(signature, |entry| Some(entry.clone()));
        let best = scores.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b));
        best.map(|(entry, _)| entry)
    }

    /// How much each part of the change goes with a finding in programs. `part` is that of a changed transition.
    fn scores<T: Ord>(
        &self,
        signature: &Signature,
        part: impl Fn(&TableEntry) -> Option<T>,
    ) -> BTreeMap<T, f64> {
        let programs = self.programs.iter();
        ochiai::scores(programs.map(|(showed, taken)| {
            (showed.contains(signature), taken.iter().filter_map(&part).collect())
        }))
    }

    /// Notes the nearest change of each finding, and makes one of those that come from the same edit. They are sorted, the worst first, and so is
    /// the result.
    pub(super) fn together(&self, findings: Vec<Finding>) -> Vec<Finding> {
        let mut leaders: Vec<(Option<EditId>, Finding)> = Vec::new();
        for mut finding in findings {
            let row = self.nearest(&finding.signature);
            let edit = row.as_ref().and_then(|entry| self.edits.of(entry));
            let declared = || self.edits.only_declaration().map(NearestChange::Declaration);
            finding.change = row.map(NearestChange::Row).or_else(declared);
            let is_same = |(other, leader): &&mut (Option<EditId>, Finding)| {
                // With one edit, all comes from it.
                self.edits.count() == 1
                    || edit.is_some() && *other == edit
                    || leader.known.is_some() && leader.known == finding.known
                    || other.is_some_and(|other| self.explains(other, &finding.signature))
            };
            match leaders.iter_mut().find(is_same) {
                Some((of_leader, leader)) => {
                    leader.change = leader.change.take().or_else(|| finding.change.clone());
                    *of_leader = of_leader.or(edit);
                    join(leader, finding);
                }
                None => leaders.push((edit, finding)),
            }
        }
        leaders.into_iter().map(|(_, finding)| finding).collect()
    }

    /// Whether an edit, which explains a worse finding, explains this one as well: its short run takes rows of the edit, or in programs they go
    /// with the finding about as much as those of any edit do. One cause is more likely than two that come together.
    fn explains(&self, edit: EditId, signature: &Signature) -> bool {
        if self.own(signature).is_some() {
            return false;
        }
        if let Some(met) = self.met.get(signature) {
            return met.contains(&edit);
        }
        let showing = self.programs.iter().filter(|(showed, _)| showed.contains(signature));
        let takes =
            |taken: &BTreeSet<TableEntry>| taken.iter().any(|row| self.edits.of(row) == Some(edit));
        if (1..FEW).contains(&showing.clone().count())
            && showing.clone().all(|(_, taken)| takes(taken))
        {
            return true;
        }
        let scores = self.scores(signature, |entry| self.edits.of(entry));
        let best = scores.values().copied().fold(0.0, f64::max);
        scores.get(&edit).is_some_and(|&own| own >= AS_MUCH * best)
    }
}

/// The number of programs below which a score says nothing.
const FEW: usize = 3;
/// The share of the highest score from which on a score counts as equal: what goes with a finding in programs depends on few of them.
const AS_MUCH: f64 = 0.8;

/// Makes a finding part of another one that comes from the same edit. A fault that is known to explain one of them explains both.
fn join(leader: &mut Finding, finding: Finding) {
    let known = match (leader.known.clone(), finding.known.clone()) {
        (Some(_), Some(_)) => None,
        (one, other) => one.or(other),
    };
    leader.lead(finding);
    leader.known = leader.known.take().or(known);
}

#[cfg(test)]
mod tests {
    use slicc::difference::{MachineDifference, TransitionDifference};

    use super::*;
    use crate::testing::{FindingKind, Known};

    fn signature(kind: FindingKind) -> Signature {
        Signature { kind, place: String::new() }
    }

    fn finding(kind: FindingKind, known: Option<&str>) -> Finding {
        let known = known.map(|one| Known::by(vec![one.to_owned()]));
        Finding { known, ..Finding::plain(signature(kind)) }
    }

    /// A change of two rows that have nothing in common, with programs that show what they take.
    fn causes(programs: &[(FindingKind, &[&str])]) -> Causes {
        let row = |state: &str, event: &str| TransitionDifference {
            entry: TableEntry::new("L1", state, event),
            old: None,
            new: None,
            changed_actions: Vec::new(),
        };
        let machine = MachineDifference {
            machine: "L1".to_owned(),
            transitions: vec![row("M", "Store"), row("S", "Inv")],
            ..MachineDifference::default()
        };
        let difference = Difference { machines: vec![machine], ..Difference::default() };
        let entry = |state: &&str| {
            TableEntry::new("L1", state, if *state == "M" { "Store" } else { "Inv" })
        };
        let program = |(kind, taken): &(FindingKind, &[&str])| {
            (vec![signature(kind.clone())], taken.iter().map(entry).collect())
        };
        let programs = programs.iter().map(program).collect();
        let (last, met) = (BTreeMap::new(), BTreeMap::new());
        Causes { edits: Edits::new(&difference), programs, last, met }
    }

    #[test]
    fn findings_of_different_edits_stay_apart() {
        use FindingKind::{Deadlock, Livelock, StaleValue};
        let causes = causes(&[
            (StaleValue, &["M"]),
            (StaleValue, &["M"]),
            (Deadlock, &["S"]),
            (Deadlock, &["S"]),
            (Livelock, &["M", "S"]),
        ]);
        let all = [StaleValue, Deadlock, Livelock].map(|kind| finding(kind, None));
        let together = causes.together(all.to_vec());
        let told: Vec<(String, String, usize)> = together
            .iter()
            .map(|one| {
                let change = one.change.as_ref().map(ToString::to_string);
                (one.signature.to_string(), change.unwrap_or_default(), one.also.len())
            })
            .collect();
        let expected = [("stale value", "L1/M.Store", 1), ("deadlock", "L1/S.Inv", 0)];
        assert_eq!(told, expected.map(|(kind, row, also)| (kind.into(), row.into(), also)));
    }

    #[test]
    fn what_a_known_fault_explains_is_known_with_all_that_comes_of_the_edit() {
        use FindingKind::{Deadlock, StaleValue};
        let causes = causes(&[(StaleValue, &["M"]), (Deadlock, &["M"])]);
        let all = vec![finding(StaleValue, None), finding(Deadlock, Some("x"))];
        let together = causes.together(all);
        assert_eq!(together.len(), 1);
        assert_eq!(
            together[0].known.as_ref().map(|known| known.repairs.clone()),
            Some(vec!["x".to_owned()])
        );
    }
}
