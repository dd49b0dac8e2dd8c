//! Which change of a protocol a finding comes from: the nearest changed transition before it, and the edit that changed that.

use std::collections::{BTreeMap, BTreeSet};

use simulate::system::entry_of;
use slicc::difference::{Difference, MachineDifference, TableRow, TransitionDifference};
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

use crate::testing::program::Ran;
use crate::testing::small::Shown;
use crate::testing::{Finding, Signature};

/// The changed transitions that programs, explorations and walks of the new version took.
pub(super) struct Causes<'a> {
    difference: &'a Difference,
    /// For each program, what it showed, and the changed transitions that it took.
    programs: Vec<(Vec<Signature>, BTreeSet<TableEntry>)>,
    /// For findings of explorations and walks, the last changed transition of a short run.
    last: BTreeMap<Signature, TableEntry>,
}

impl<'a> Causes<'a> {
    /// Gathers them. `new` is the new version.
    pub(super) fn new<'r>(
        difference: &'a Difference,
        new: &Protocol,
        programs: impl Iterator<Item = &'r Ran>,
        short: impl Iterator<Item = &'r Shown>,
    ) -> Causes<'a> {
        let changed: BTreeSet<&TableEntry> = difference.entries().collect();
        let taken = |ran: &Ran| {
            let taken = ran.reached.iter().filter_map(|one| entry_of(new, one.triple));
            taken.filter(|entry| changed.contains(entry)).collect()
        };
        let showed = |ran: &Ran| ran.problems.iter().map(|one| one.signature.clone()).collect();
        let mut last = BTreeMap::new();
        for shown in short {
            let nearest = shown.taken.iter().rev().find(|entry| changed.contains(entry));
            if let Some(entry) = nearest {
                last.entry(shown.problem.signature.clone()).or_insert_with(|| entry.clone());
            }
        }
        let programs = programs.map(|ran| (showed(ran), taken(ran))).collect();
        Causes { difference, programs, last }
    }

    /// The changed transition that comes nearest before a finding: the one that it is about, the last one of a short run, or the one that
    /// goes most with the finding in programs.
    fn nearest(&self, signature: &Signature) -> Option<TableEntry> {
        let own = signature.entry();
        let own = own.filter(|entry| self.difference.entries().any(|one| one == entry));
        own.or_else(|| self.last.get(signature).cloned()).or_else(|| self.suspect(signature))
    }

    /// The changed transition that goes most with a finding in programs, by Ochiai's coefficient, which ranks suspicious statements well in
    /// tests of programs (Abreu, Zoeteweij and van Gemund, 2006).
    fn suspect(&self, signature: &Signature) -> Option<TableEntry> {
        let shows = |showed: &[Signature]| showed.contains(signature);
        let showing = self.programs.iter().filter(|(showed, _)| shows(showed)).count();
        // For each transition, the programs that took it, and those of them that show the finding.
        let mut counts: BTreeMap<&TableEntry, (usize, usize)> = BTreeMap::new();
        for (showed, taken) in &self.programs {
            for entry in taken {
                let (all, with) = counts.entry(entry).or_default();
                *all += 1;
                *with += usize::from(shows(showed));
            }
        }
        let score = |&(all, with): &(usize, usize)| with as f64 / ((all * showing) as f64).sqrt();
        let ranked = counts.iter().filter(|(_, (_, with))| *with > 0);
        let best = ranked.max_by(|(_, a), (_, b)| score(a).total_cmp(&score(b)));
        best.map(|(entry, _)| (*entry).clone())
    }

    /// Notes the nearest change of each finding, and makes one of those that come from the same edit. They are sorted, the worst first, and so is
    /// the result.
    pub(super) fn together(&self, findings: Vec<Finding>) -> Vec<Finding> {
        let edits: BTreeSet<String> = edits(self.difference).collect();
        let mut leaders: Vec<(Option<String>, Finding)> = Vec::new();
        for mut finding in findings {
            finding.change = self.nearest(&finding.signature);
            // With one edit, all comes from it.
            let edit = match edits.len() {
                1 => edits.first().cloned(),
                _ => finding.change.as_ref().and_then(|entry| self.edit_of(entry)),
            };
            let is_same = |(other, leader): &&mut (Option<String>, Finding)| {
                edit.is_some()
                    && *other == edit
                    && leader.known.is_some() == finding.known.is_some()
            };
            match leaders.iter_mut().find(is_same) {
                Some((_, leader)) => {
                    leader.change = leader.change.take().or_else(|| finding.change.clone());
                    leader.lead(finding);
                }
                None => leaders.push((edit, finding)),
            }
        }
        leaders.into_iter().map(|(_, finding)| finding).collect()
    }

    fn edit_of(&self, entry: &TableEntry) -> Option<String> {
        let of = self.difference.machines.iter().find(|one| one.machine == entry.machine)?;
        let transition = of.transitions.iter().find(|one| one.entry == *entry)?;
        Some(edit(of, transition))
    }
}

/// What identifies the edit that changed a transition: rows that one statement of a protocol stands for change in the same way.
fn edit(of: &MachineDifference, one: &TransitionDifference) -> String {
    let only = |these: &Option<TableRow>, others: &Option<TableRow>| {
        let own = these.iter().flat_map(|row| &row.actions);
        let kept =
            |action: &&String| !others.as_ref().is_some_and(|other| other.actions.contains(action));
        own.filter(kept).cloned().collect::<Vec<_>>().join(" ")
    };
    let next = match (&one.old, &one.new) {
        (Some(old), Some(new)) if old.next == new.next => "",
        (_, Some(new)) => &new.next,
        (_, None) => "none",
    };
    format!(
        "{}: without {}, with {}, to {next}, other {}",
        of.machine,
        only(&one.old, &one.new),
        only(&one.new, &one.old),
        one.changed_actions.join(" ")
    )
}

/// The edits of a change, as far as its result tells: rows that change in the same way, and other declarations.
fn edits(difference: &Difference) -> impl Iterator<Item = String> {
    let rows = difference
        .machines
        .iter()
        .flat_map(|of| of.transitions.iter().map(move |one| edit(of, one)));
    let own = difference.machines.iter().map(|of| (&*of.machine, &of.declarations));
    let all = own.chain([("", &difference.declarations)]);
    let declared = all.flat_map(|(machine, names)| {
        let names = names.added.iter().chain(&names.removed).chain(&names.changed);
        names.map(move |name| format!("{machine} {name}"))
    });
    rows.chain(declared)
}
