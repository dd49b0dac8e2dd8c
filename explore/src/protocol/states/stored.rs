//! The methods of [`States`] for explorations on disk, and [`Left`], which reads the states that an earlier process has left.

use std::path::Path;

use super::disk::rows::DiskRows;
use super::disk::{DiskProblem, Moves};
use super::{Bits, NONE, States, Stored, Tree, Unpacked};
use crate::protocol::Finding;

/// The number of rows that are read at a time.
const ROWS_AT_A_TIME: usize = 1 << 14;

impl States {
    /// The rows of states, if they are on disk.
    fn disk(&self) -> Option<&DiskRows> {
        self.tree().and_then(Tree::disk)
    }

    fn disk_mut(&mut self) -> Option<&mut DiskRows> {
        match &mut self.stored {
            Stored::Exactly(tree) => tree.disk_mut(),
            Stored::Fingerprints(_) => None,
        }
    }

    /// Whether [`States::find`] compares only fingerprints, so that the states that it finds have to be passed to [`States::claim`].
    pub(crate) fn needs_claims(&self) -> bool {
        self.disk().is_some()
    }

    /// Notes rows that were taken for known states, each after the number of that state.
    pub(crate) fn claim(&mut self, claims: &[u32]) {
        if let Some(rows) = self.disk_mut() {
            for claim in claims.chunks(rows.length() + 1) {
                rows.claim(claim[0], &claim[1..]);
            }
        }
    }

    /// Compares the rows that were taken for known states with those of the states. Returns false if two states have the same fingerprint,
    /// or if a file could not be read or written.
    pub(crate) fn verify(&mut self) -> bool {
        self.disk_mut().is_none_or(|rows| {
            rows.verify();
            !rows.has_collided() && !rows.has_failed()
        })
    }

    /// Whether two states are known to have the same fingerprint, or a file could not be read or written.
    pub(crate) fn is_void(&self) -> bool {
        self.disk().is_some_and(|rows| rows.has_collided() || rows.has_failed())
    }

    /// Takes the first error of a file, if there was one.
    pub(crate) fn problem(&mut self) -> Option<DiskProblem> {
        self.disk_mut().and_then(DiskRows::problem)
    }

    pub(super) fn note_on_disk(&self, done: Result<(), DiskProblem>) {
        if let Some(rows) = self.disk() {
            rows.note(done);
        }
    }

    /// Unpacks consecutive states on disk to the numbers of their parts and groups, which are 0 for findings. Returns the count of numbers
    /// of a state.
    pub(crate) fn unpack_all(&self, states: std::ops::Range<usize>, into: &mut Vec<u32>) -> usize {
        into.clear();
        let Some((tree, rows)) = self.tree().zip(self.disk()) else { return 0 };
        let mut words = vec![0; states.len() * rows.length()];
        rows.read(states.start, &mut words);
        let mut unpacked = Unpacked::default();
        let _ = tree.unpack_row(&vec![0; rows.length()], &mut unpacked);
        let none = vec![0; unpacked.numbers().len()];
        for row in words.chunks(rows.length()) {
            match tree.unpack_row(row, &mut unpacked) {
                Ok(()) => into.extend_from_slice(unpacked.numbers()),
                Err(_) => into.extend_from_slice(&none),
            }
        }
        none.len()
    }

    /// Marks the explored states from which the spontaneous moves that are on disk lead to one that is fine. Returns whether
    /// there are states on disk.
    pub(crate) fn follow_on_disk(&self, is_fine: &mut Bits) -> bool {
        let Some(moves) = &self.moves else { return false };
        let mut is_changed = true;
        while is_changed && !self.is_void() {
            is_changed = false;
            // Moves lead to earlier and to later states.
            for is_backward in [true, false] {
                self.note_on_disk(moves.for_each(is_backward, &mut |state, next, _| {
                    if next != NONE && !is_fine.get(state) && is_fine.get(next as usize) {
                        is_fine.set(state);
                        is_changed = true;
                    }
                }));
            }
        }
        true
    }

    /// Writes what is in memory to the files.
    ///
    /// # Errors
    /// Fails if a file cannot be written, or if there was an error before.
    pub(crate) fn flush(&mut self) -> Result<(), DiskProblem> {
        if let Some(problem) = self.problem() {
            return Err(problem);
        }
        if let Some(rows) = self.disk_mut() {
            rows.flush()?;
        }
        self.moves.as_mut().map_or(Ok(()), Moves::flush)
    }

    /// The sum of the fingerprints of the states on disk.
    pub(crate) fn sum(&self) -> u64 {
        self.disk().map_or(0, DiskRows::sum)
    }

    /// The rows of groups that are new: see [`Tree::groups_since`].
    pub(crate) fn groups_since(&self, counts: &mut Vec<usize>) -> Vec<Vec<u32>> {
        self.tree().map_or_else(Vec::new, |tree| tree.groups_since(counts))
    }

    /// The findings, each with its number among states, and all different ones.
    pub(crate) fn findings(&self) -> (Vec<(usize, u32)>, Vec<Finding>) {
        let mut found: Vec<(usize, u32)> = self.found.iter().map(|(at, one)| (*at, *one)).collect();
        found.sort_unstable();
        (found, self.findings.clone())
    }
}

/// States that an exploration left in a folder.
#[derive(Debug)]
pub(crate) struct Left {
    tree: Tree,
    count: usize,
    moves: Moves,
}

impl Left {
    /// Opens the files in a folder, given the number of states and of explored states. The other parameters are those of [`States::new`].
    ///
    /// # Errors
    /// Fails if a file cannot be opened, or is too short.
    pub(crate) fn open(
        width: usize,
        groups: &[usize],
        folder: &Path,
        (states, explored): (usize, usize),
        seed: u64,
    ) -> Result<Left, DiskProblem> {
        let tree = Tree::on_disk(width, groups, folder, states, seed)?;
        Ok(Left { tree, count: states, moves: Moves::open(folder, explored)? })
    }

    /// Adds rows of groups: see [`Tree::add_groups`].
    pub(crate) fn add_groups(&mut self, new: &[Vec<u32>]) -> bool {
        self.tree.add_groups(new)
    }

    /// Counts the rows of groups, as for [`States::groups_since`].
    pub(crate) fn count_groups(&self, counts: &mut Vec<usize>) {
        let _ = self.tree.groups_since(counts);
    }

    /// Reads all states. `is_settled` returns whether nothing is outstanding in a state with these parts.
    ///
    /// # Errors
    /// Fails if a file cannot be read, or is damaged.
    pub(crate) fn read(
        self,
        (found, findings): (Vec<(usize, u32)>, Vec<Finding>),
        is_settled: &dyn Fn(&[u32]) -> bool,
    ) -> Result<States, DiskProblem> {
        let Left { mut tree, count, moves } = self;
        let (mut settled, mut children) = (Bits::default(), Bits::default());
        let length = tree.disk().map_or(1, DiskRows::length);
        let (mut words, mut unpacked) = (Vec::new(), Unpacked::default());
        for first in (0..count).step_by(ROWS_AT_A_TIME) {
            words.resize((count - first).min(ROWS_AT_A_TIME) * length, 0);
            let disk = tree.disk_mut().expect("the states are on disk");
            disk.read(first, &mut words);
            if let Some(problem) = disk.problem() {
                return Err(problem);
            }
            for row in words.chunks(length) {
                if !tree.learn(row) {
                    let path = tree.disk().expect("the states are on disk").path();
                    return Err(DiskProblem::corrupt(
                        path,
                        "does not have the states that were written",
                    ));
                }
                let is_finding = tree.unpack_row(row, &mut unpacked).is_err();
                settled.push(is_finding || is_settled(unpacked.parts()));
            }
        }
        let mut left = count.saturating_sub(1);
        let mut is_tree = true;
        moves.for_each(false, &mut |_, _, count| {
            is_tree &= count as usize <= left;
            if is_tree {
                left -= count as usize;
                (0..count).for_each(|_| children.push(true));
                children.push(false);
            }
        })?;
        if !is_tree || left > 0 {
            return Err(moves.corrupt());
        }
        let found = found.into_iter().collect();
        let mut states = States::of(Stored::Exactly(tree));
        states = States { findings, found, children, settled, moves: Some(moves), ..states };
        Ok(states)
    }
}
