//! All states, stored exactly.
//!
//! A state is a vector of numbers of parts. Parts that change together are a *group*: what a controller owns, and the messages
//! in flight to it. The parts of a group are a row in a table, in which equal rows have one number, and the numbers of its
//! groups are the row of a state. (Laarman, van de Pol & Weber, "Parallel recursive state compression for free", SPIN 2011,
//! compress with a binary tree. With two levels few rows are looked up for a move, which takes most of the time.)

use simulate::numbering::{NumberTable, hash_word, make_room};

/// The first number of a row that stands for something else than a state.
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
    let (pairs, rest) = row.as_chunks();
    let first = u64::from(rest.first().copied().unwrap_or(0));
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
            |number| known(number) == Some(row),
            |number| hash(known(number).unwrap_or(row)),
        );
        if number.is_err() {
            make_room(&mut self.rows, row.len());
            self.rows.extend_from_slice(row);
        }
        number
    }

    fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<u32>() + self.table.bytes()
    }
}

/// The numbers of a state's parts, and of its groups.
#[derive(Clone, Debug, Default)]
pub struct Unpacked {
    numbers: Vec<u32>,
    width: usize,
}

impl Unpacked {
    /// The parts.
    #[inline]
    pub fn parts(&self) -> &[u32] {
        &self.numbers[..self.width]
    }

    /// The groups, if they are known.
    #[inline]
    fn groups(&self) -> &[u32] {
        &self.numbers[self.width..]
    }

    /// Becomes a state of which only the parts are known.
    pub fn set_parts(&mut self, parts: &[u32]) {
        self.numbers.clear();
        self.numbers.extend_from_slice(parts);
        self.width = parts.len();
    }
}

/// States, numbered in the order in which they were added.
#[derive(Debug)]
pub struct Tree {
    width: usize,
    /// The first part of each group.
    starts: Vec<usize>,
    groups: Vec<Rows>,
    states: Rows,
}

impl Tree {
    /// No states, each of which will have this number of parts, with the first part of each group. The first one is 0, and
    /// there are at least two.
    pub fn new(width: usize, starts: &[usize]) -> Tree {
        let ends = starts[1..].iter().chain([&width]);
        Tree {
            width,
            groups: starts.iter().zip(ends).map(|(start, end)| Rows::new(end - start)).collect(),
            states: Rows::new(starts.len()),
            starts: starts.to_vec(),
        }
    }

    /// The number of states and others.
    pub fn len(&self) -> usize {
        self.states.rows.len() / self.states.length
    }

    /// The parts of a group.
    #[inline]
    fn parts<'s>(&self, group: usize, state: &'s [u32]) -> &'s [u32] {
        &state[self.starts[group]..][..self.groups[group].length]
    }

    /// Unpacks the state with a number.
    ///
    /// # Errors
    /// The number is not that of a state, but of what [`Tree::number_of_other`] numbered: that.
    pub fn unpack(&self, state: usize, into: &mut Unpacked) -> Result<(), u32> {
        let row = self.states.get(state as u32);
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
    pub fn pack(&self, state: &[u32], before: &Unpacked, packed: &mut Vec<u32>) -> Option<u64> {
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
        is_known.then(|| hash(&packed[packed.len() - self.groups.len()..]))
    }

    /// The number of a packed state whose row has a hash, if it is known.
    #[inline]
    pub fn find(&self, packed: &[u32], hash: u64) -> Option<u32> {
        self.states.find(&packed[self.width..], hash)
    }

    /// Looks at where [`Tree::find`] will look, at first at the table, then at what it says.
    #[inline]
    pub fn glance(&self, hash: u64) -> u32 {
        self.states.table.glance(hash)
    }

    /// See [`Tree::glance`].
    #[inline]
    pub fn glance_again(&self, seen: u32) -> u64 {
        let at = seen as usize * self.states.length;
        self.states.rows.get(at).copied().unwrap_or(0).into()
    }

    /// The number of a packed state. If it is new, it gets the next number, which is returned as an error.
    pub fn add(&mut self, packed: &mut [u32]) -> Result<u32, u32> {
        let (parts, row) = packed.split_at_mut(self.width);
        for (at, number) in row.iter_mut().enumerate().filter(|(_, number)| **number == UNKNOWN) {
            let group = &mut self.groups[at];
            let own = &parts[self.starts[at]..][..group.length];
            *number = group.number(own).unwrap_or_else(|new| new);
        }
        self.states.number(row)
    }

    /// The number of something else than a state, which has a number of its own.
    pub fn number_of_other(&mut self, other: u32) -> Result<u32, u32> {
        let mut row = vec![0; self.states.length];
        (row[0], row[1]) = (NO_STATE, other);
        self.states.number(&row)
    }

    /// The memory of all states in bytes.
    pub fn bytes(&self) -> usize {
        self.groups.iter().map(Rows::bytes).sum::<usize>() + self.states.bytes()
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
