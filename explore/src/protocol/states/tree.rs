//! [`Tree`] stores states exactly, in two levels of rows.
//!
//! A state is a vector of numbers of parts. Parts that change together are a *group*: what a controller owns, and the messages
//! in flight to it. The parts of a group are a row in a table, in which equal rows have one number, and the numbers of its
//! groups are the row of a state. (Laarman, van de Pol & Weber, "Parallel recursive state compression for free", SPIN 2011,
//! compress with a binary tree. With two levels few rows are looked up for a move, which takes most of the time.)

use std::path::Path;

use simulate::numbering::{NumberTable, hash_word, make_room};

use super::disk::DiskProblem;
use super::disk::rows::DiskRows;

/// The first number of a row that stands for a finding instead of a state.
const NO_STATE: u32 = u32::MAX;
/// The number of a group that is not known.
const UNKNOWN: u32 = u32::MAX;

/// Rows of the same length, with their numbers.
#[derive(Debug)]
struct Rows {
    length: usize,
    rows: Vec<u32>,
    table: NumberTable,
}

fn hash(row: &[u32]) -> u64 {
    seeded_hash(0, row)
}

fn seeded_hash(seed: u64, row: &[u32]) -> u64 {
    let (pairs, rest) = row.as_chunks();
    let first = seed ^ u64::from(rest.first().copied().unwrap_or(0));
    pairs.iter().fold(hash_word(first), |hash, &[left, right]| {
        hash_word(hash ^ (u64::from(left) << 32 | u64::from(right)))
    })
}

/// Whether two rows are equal. Rows are too short to be worth a call of the library's function.
#[inline]
fn same(one: &[u32], other: &[u32]) -> bool {
    one.iter().zip(other).all(|(one, other)| one == other)
}

impl Rows {
    fn new(length: usize) -> Rows {
        Rows { length, rows: Vec::new(), table: NumberTable::default() }
    }

    /// The row with a number.
    #[inline]
    fn get(&self, number: u32) -> &[u32] {
        &self.rows[number as usize * self.length..][..self.length]
    }

    /// The number of a row with a hash, if it is known.
    #[inline]
    fn find(&self, row: &[u32], hash: u64) -> Option<u32> {
        self.table.find(hash, |number| same(self.get(number), row))
    }

    /// The number of a row. One that is new gets the next number, which is returned as an error.
    fn number(&mut self, row: &[u32]) -> Result<u32, u32> {
        let (length, rows) = (self.length, &self.rows);
        let known =
            |number: u32| rows.get(number as usize * length..).and_then(|at| at.get(..length));
        let number = self.table.number(
            hash(row),
            |number| known(number).is_some_and(|known| same(known, row)),
            |number| hash(known(number).unwrap_or(row)),
        );
        if number.is_err() {
            make_room(&mut self.rows, row.len());
            self.rows.extend_from_slice(row);
        }
        number
    }

    /// The number of rows.
    fn len(&self) -> usize {
        self.rows.len() / self.length
    }

    fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<u32>() + self.table.bytes()
    }
}

/// Where the rows of states are.
#[derive(Debug)]
enum StateRows {
    Memory(Rows),
    Disk {
        rows: DiskRows,
        /// The seed of the fingerprints.
        seed: u64,
    },
}

impl StateRows {
    fn length(&self) -> usize {
        match self {
            StateRows::Memory(rows) => rows.length,
            StateRows::Disk { rows, .. } => rows.length(),
        }
    }

    #[inline]
    fn hash(&self, row: &[u32]) -> u64 {
        match self {
            StateRows::Memory(_) => hash(row),
            StateRows::Disk { seed, .. } => seeded_hash(*seed, row),
        }
    }

    fn number(&mut self, row: &[u32]) -> Result<u32, u32> {
        let hash = self.hash(row);
        match self {
            StateRows::Memory(rows) => rows.number(row),
            StateRows::Disk { rows, .. } => rows.number(row, hash),
        }
    }
}

/// The numbers of a state's parts, and of its groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unpacked {
    numbers: Vec<u32>,
    width: usize,
}

impl Unpacked {
    /// The parts.
    #[inline]
    pub(crate) fn parts(&self) -> &[u32] {
        &self.numbers[..self.width]
    }

    /// The groups, if they are known.
    #[inline]
    fn groups(&self) -> &[u32] {
        &self.numbers[self.width..]
    }

    /// The parts and, if they are known, the groups.
    pub(crate) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Sets the numbers of a state: `width` parts and then, if they are known, its groups.
    pub(crate) fn set(&mut self, numbers: &[u32], width: usize) {
        self.numbers.clear();
        self.numbers.extend_from_slice(numbers);
        self.width = width;
    }
}

/// States, numbered in the order in which they were added.
#[derive(Debug)]
pub(crate) struct Tree {
    width: usize,
    /// The first part of each group.
    starts: Vec<usize>,
    groups: Vec<Rows>,
    states: StateRows,
}

impl Tree {
    /// Creates an empty tree of states with `width` parts each. `starts` has the first part of each group; the first is 0, and there are at
    /// least two.
    pub(crate) fn new(width: usize, starts: &[usize]) -> Tree {
        Tree::of(width, starts, StateRows::Memory(Rows::new(starts.len())))
    }

    /// Opens the rows of a number of states in a folder. Their groups have to be [added](Tree::add_groups) and their rows
    /// [learnt](Tree::learn) before use. `seed` selects the fingerprints.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, or is too short.
    pub(crate) fn on_disk(
        width: usize,
        starts: &[usize],
        folder: &Path,
        states: usize,
        seed: u64,
    ) -> Result<Tree, DiskProblem> {
        let rows = DiskRows::open(folder, starts.len(), states)?;
        Ok(Tree::of(width, starts, StateRows::Disk { rows, seed: hash_word(seed) }))
    }

    fn of(width: usize, starts: &[usize], states: StateRows) -> Tree {
        let ends = starts[1..].iter().chain([&width]);
        Tree {
            width,
            groups: starts.iter().zip(ends).map(|(start, end)| Rows::new(end - start)).collect(),
            states,
            starts: starts.to_vec(),
        }
    }

    /// The number of states and findings.
    pub(crate) fn len(&self) -> usize {
        match &self.states {
            StateRows::Memory(rows) => rows.len(),
            StateRows::Disk { rows, .. } => rows.len(),
        }
    }

    /// The rows of states, if they are on disk.
    pub(crate) fn disk(&self) -> Option<&DiskRows> {
        match &self.states {
            StateRows::Memory(_) => None,
            StateRows::Disk { rows, .. } => Some(rows),
        }
    }

    /// The rows of states, if they are on disk, to change them.
    pub(crate) fn disk_mut(&mut self) -> Option<&mut DiskRows> {
        match &mut self.states {
            StateRows::Memory(_) => None,
            StateRows::Disk { rows, .. } => Some(rows),
        }
    }

    /// The parts of a group.
    #[inline]
    fn parts<'s>(&self, group: usize, state: &'s [u32]) -> &'s [u32] {
        &state[self.starts[group]..][..self.groups[group].length]
    }

    /// Unpacks the state with a number.
    ///
    /// # Errors
    /// Fails if the number is that of a finding, with the number that was passed to [`Tree::number_of_other`].
    pub(crate) fn unpack(&self, state: usize, into: &mut Unpacked) -> Result<(), u32> {
        match &self.states {
            StateRows::Memory(rows) => self.unpack_row(rows.get(state as u32), into),
            StateRows::Disk { rows, .. } => {
                let mut row = vec![0; rows.length()];
                rows.read(state, &mut row);
                self.unpack_row(&row, into)
            }
        }
    }

    /// Unpacks the row of a state.
    ///
    /// # Errors
    /// Fails as [`Tree::unpack`] does.
    pub(crate) fn unpack_row(&self, row: &[u32], into: &mut Unpacked) -> Result<(), u32> {
        if row[0] == NO_STATE {
            return Err(row[1]);
        }
        into.width = self.width;
        into.numbers.clear();
        for (group, &number) in self.groups.iter().zip(row) {
            into.numbers.extend_from_slice(group.get(number));
        }
        into.numbers.extend_from_slice(row);
        Ok(())
    }

    /// Appends the parts and groups of a state, which mostly has the same parts as `before`, to `packed`. Returns the hash of
    /// its row; if it has none, a group is not known, and so the state is not, either.
    pub(crate) fn pack(
        &self,
        state: &[u32],
        before: &Unpacked,
        packed: &mut Vec<u32>,
    ) -> Option<u64> {
        packed.extend_from_slice(state);
        let known = before.groups();
        let mut is_known = true;
        for (at, group) in self.groups.iter().enumerate() {
            let parts = self.parts(at, state);
            let number = match known.get(at) {
                Some(&number) if same(parts, self.parts(at, before.parts())) => number,
                _ => group.find(parts, hash(parts)).unwrap_or(UNKNOWN),
            };
            is_known &= number != UNKNOWN;
            packed.push(number);
        }
        is_known.then(|| self.states.hash(&packed[packed.len() - self.groups.len()..]))
    }

    /// The number of a packed state whose row has a hash, if it is known.
    #[inline]
    pub(crate) fn find(&self, packed: &[u32], hash: u64) -> Option<u32> {
        match &self.states {
            StateRows::Memory(rows) => rows.find(&packed[self.width..], hash),
            StateRows::Disk { rows, .. } => rows.find(hash),
        }
    }

    /// Loads the entry of the table at which [`Tree::find`] will look into the processor's caches. [`Tree::glance_again`] takes the result.
    #[inline]
    pub(crate) fn glance(&self, hash: u64) -> u32 {
        match &self.states {
            StateRows::Memory(rows) => rows.table.glance(hash),
            StateRows::Disk { rows, .. } => rows.glance(hash),
        }
    }

    /// Loads the row to which an entry of the table leads into the processor's caches, given the result of [`Tree::glance`].
    #[inline]
    pub(crate) fn glance_again(&self, seen: u32) -> u64 {
        match &self.states {
            StateRows::Memory(rows) => {
                let at = seen as usize * rows.length;
                rows.rows.get(at).copied().unwrap_or(0).into()
            }
            // The fingerprint is in the table, which was loaded by `glance`.
            StateRows::Disk { .. } => 0,
        }
    }

    /// The number of a packed state. If it is new, it gets the next number, which is returned as an error.
    pub(crate) fn add(&mut self, packed: &mut [u32]) -> Result<u32, u32> {
        let (parts, row) = packed.split_at_mut(self.width);
        for (at, number) in row.iter_mut().enumerate().filter(|(_, number)| **number == UNKNOWN) {
            let group = &mut self.groups[at];
            let own = &parts[self.starts[at]..][..group.length];
            *number = group.number(own).unwrap_or_else(|new| new);
        }
        self.states.number(row)
    }

    /// The number of a finding, which is numbered among the states. `other` identifies the finding.
    pub(crate) fn number_of_other(&mut self, other: u32) -> Result<u32, u32> {
        let mut row = vec![0; self.states.length()];
        (row[0], row[1]) = (NO_STATE, other);
        self.states.number(&row)
    }

    /// The memory of all states in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let states = match &self.states {
            StateRows::Memory(rows) => rows.bytes(),
            StateRows::Disk { rows, .. } => rows.bytes(),
        };
        self.groups.iter().map(Rows::bytes).sum::<usize>() + states
    }

    /// The rows of each group that were added since the last call. `counts` has the numbers of rows at that call, is empty at first, and is
    /// updated.
    pub(crate) fn groups_since(&self, counts: &mut Vec<usize>) -> Vec<Vec<u32>> {
        counts.resize(self.groups.len(), 0);
        let new = self.groups.iter().zip(counts).map(|(group, count)| {
            let new = group.rows[*count * group.length..].to_vec();
            *count = group.len();
            new
        });
        new.collect()
    }

    /// Adds the rows of groups. Returns whether they get the numbers that they had, as those from [`Tree::groups_since`] do.
    pub(crate) fn add_groups(&mut self, new: &[Vec<u32>]) -> bool {
        new.len() == self.groups.len()
            && self.groups.iter_mut().zip(new).all(|(group, new)| {
                let rows = new.chunks(group.length);
                new.len().is_multiple_of(group.length) && { rows }
                    .all(|row| group.number(row).is_err())
            })
    }

    /// Learns the next row of the file. Returns whether it is new, and valid as the row of a state or of a finding.
    pub(crate) fn learn(&mut self, row: &[u32]) -> bool {
        let is_known = |(number, group): (&u32, &Rows)| (*number as usize) < group.len();
        let is_row = row[0] == NO_STATE || row.iter().zip(&self.groups).all(is_known);
        let hash = self.states.hash(row);
        is_row && self.disk_mut().is_some_and(|rows| rows.learn(hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_unpacked_as_they_were_packed() {
        for width in 2..12 {
            let mut states = Tree::new(width, &[0, width / 2]);
            let mut before = Unpacked::default();
            let part = |state: u32, at: usize| state >> (at % 5) & 3;
            let state = |number: u32| (0..width).map(|at| part(number, at)).collect::<Vec<_>>();
            let mut all: Vec<Vec<u32>> = Vec::new();
            for number in 0..200 {
                let state = state(number);
                let known = all.iter().position(|known| *known == state);
                let mut packed = Vec::new();
                let hash = states.pack(&state, &before, &mut packed);
                let found = hash.and_then(|hash| states.find(&packed, hash));
                assert_eq!(found.map(|at| at as usize), known);
                assert_eq!(states.add(&mut packed).ok(), found);
                if known.is_none() {
                    all.push(state);
                }
                states.unpack(all.len() / 2, &mut before).unwrap();
                assert_eq!(before.parts(), all[all.len() / 2]);
            }
            assert_eq!(states.len(), all.len());
        }
    }

    #[test]
    fn something_else_is_numbered_among_states() {
        let mut states = Tree::new(2, &[0, 1]);
        let mut before = Unpacked::default();
        assert_eq!(states.add(&mut [0, 0, UNKNOWN, UNKNOWN]), Err(0));
        assert_eq!(states.number_of_other(7), Err(1));
        assert_eq!(states.number_of_other(7), Ok(1));
        assert_eq!(states.unpack(1, &mut before), Err(7));
        assert_eq!(states.unpack(0, &mut before), Ok(()));
    }
}
