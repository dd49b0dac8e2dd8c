//! The kinds of failures of many runs.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::testing::{Known, Signature};

/// A run that failed. The shorter one is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shortest {
    /// The number of its transitions.
    pub transitions: u64,
    /// The number of the run in the series.
    pub run: u32,
    /// The seed of the run.
    pub seed: u64,
    /// The index of its cell.
    pub cell: usize,
}

/// The runs that failed in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failures {
    /// The number of runs.
    pub runs: u64,
    /// The shortest of the runs. Of several, that of the first cell counts.
    pub shortest: Shortest,
}

impl Failures {
    /// Adds other runs that failed in the same way.
    pub(super) fn merge(&mut self, other: Failures) {
        self.runs += other.runs;
        self.shortest = self.shortest.min(other.shortest);
    }
}

/// The failed runs of one protocol and client, by the kind of their failure.
pub type ByKind = BTreeMap<Signature, Failures>;

/// Adds failed runs to those of the same kind.
pub(super) fn add(kinds: &mut ByKind, signature: Signature, failures: Failures) {
    match kinds.entry(signature) {
        Entry::Occupied(mut known) => known.get_mut().merge(failures),
        Entry::Vacant(free) => {
            free.insert(failures);
        }
    }
}

/// A kind of failure of a protocol, on all clients together, whose shortest run was tried with the repairs.
pub struct Tried {
    /// The index of the protocol among those that were opened.
    pub protocol: usize,
    /// The kind of the failure.
    pub signature: Signature,
    /// The runs that failed.
    pub failures: Failures,
    /// The known faults that explain the failure; `None` if they do not.
    pub known: Option<Known>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::FindingKind;

    #[test]
    fn the_shortest_run_stands_for_its_kind_in_any_order() {
        let shortest = |transitions, run| Shortest { transitions, run, seed: 7, cell: 0 };
        let one = |transitions, run| Failures { runs: 1, shortest: shortest(transitions, run) };
        let signature = Signature { kind: FindingKind::Deadlock, place: String::new() };
        let sum = |runs: [Failures; 3]| {
            let mut kinds = ByKind::new();
            runs.into_iter().for_each(|one| add(&mut kinds, signature.clone(), one));
            kinds.remove(&signature).unwrap()
        };
        let expected = Failures { runs: 3, shortest: shortest(5, 1) };
        assert_eq!(sum([one(9, 0), one(5, 2), one(5, 1)]), expected);
        assert_eq!(sum([one(5, 1), one(9, 0), one(5, 2)]), expected);
    }
}
