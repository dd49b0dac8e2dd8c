//! [`Completed`]: the set of a thread's operations that have completed, which is small however long the run is.

use std::collections::BTreeSet;

/// The indices of a thread's operations that have completed.
#[derive(Clone, Debug, Default)]
pub(super) struct Completed {
    /// All indices below this one have completed.
    below: u32,
    /// The others that have completed.
    others: BTreeSet<u32>,
}

impl Completed {
    /// Whether the operation has completed.
    pub(super) fn has(&self, index: u32) -> bool {
        index < self.below || self.others.contains(&index)
    }

    /// Notes that the operation has completed.
    pub(super) fn note(&mut self, index: u32) {
        self.others.insert(index);
        while self.others.remove(&self.below) {
            self.below += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Completed;

    #[test]
    fn indices_complete_in_any_order() {
        let mut completed = Completed::default();
        for index in [2, 0, 4, 1] {
            assert!(!completed.has(index));
            completed.note(index);
        }
        assert_eq!((0..6).filter(|&index| completed.has(index)).collect::<Vec<_>>(), [0, 1, 2, 4]);
        assert_eq!(completed.others.len(), 1);
    }
}
