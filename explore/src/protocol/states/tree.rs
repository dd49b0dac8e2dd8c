//! All states, stored exactly.
//!
//! A state is a vector of numbers of parts. It is stored as a tree: the leaves are the parts, and each node above them has a
//! number for the pair of its children's numbers. The pair at the root stands for the state, so a state takes 8 bytes, and
//! about 6 in the table that finds it. There are fewer different pairs below the root, since
//! parts far from each other change independently (Laarman, van de Pol & Weber, "Parallel recursive state compression for
//! free", SPIN 2011). A move changes few parts, so only the nodes above these are looked up.

use simulate::numbering::{NumberTable, hash_word};

/// The left child of a root that stands for something else than a state.
const NO_STATE: u32 = u32::MAX;
/// The number of a node that is not known.
const UNKNOWN: u32 = u32::MAX;

/// Pairs with their numbers.
#[derive(Debug, Default)]
struct Pairs {
    pairs: Vec<u64>,
    table: NumberTable,
}

fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

impl Pairs {
    /// The number of a pair, if it is known.
    #[inline]
    fn find(&self, left: u32, right: u32) -> Option<u32> {
        let pair = pair(left, right);
        self.table.find(hash_word(pair), |number| self.pairs[number as usize] == pair)
    }

    /// The number of a pair. One that is new gets the next number, which is returned as an error.
    #[inline]
    fn number(&mut self, left: u32, right: u32) -> Result<u32, u32> {
        let pair = pair(left, right);
        let known = &self.pairs;
        let number = self.table.number(
            hash_word(pair),
            |number| known[number as usize] == pair,
            |number| hash_word(known.get(number as usize).copied().unwrap_or(pair)),
        );
        if number.is_err() {
            self.pairs.push(pair);
        }
        number
    }

    /// The pair with a number.
    #[inline]
    fn get(&self, number: u32) -> (u32, u32) {
        let pair = self.pairs[number as usize];
        ((pair >> 32) as u32, pair as u32)
    }

    fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<u64>() + self.table.bytes()
    }
}

/// How many pairs a [`Recent`] remembers.
const RECENT: usize = 1 << 12;

/// The numbers of some pairs that were looked up recently, which saves most lookups in a large table.
#[derive(Debug)]
struct Recent {
    known: Vec<(u64, u32)>,
}

impl Default for Recent {
    fn default() -> Recent {
        // No number is that of a node's child.
        Recent { known: vec![(u64::MAX, 0); RECENT] }
    }
}

impl Recent {
    /// The number of a pair, which is looked up in a table if need be; [`UNKNOWN`] if it is not there.
    #[inline]
    fn number(&mut self, pairs: &Pairs, left: u32, right: u32) -> u32 {
        let pair = pair(left, right);
        let place = (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize % RECENT;
        if self.known[place].0 != pair {
            let Some(number) = pairs.find(left, right) else {
                return UNKNOWN;
            };
            self.known[place] = (pair, number);
        }
        self.known[place].1
    }
}

/// The numbers of a state's parts, and of the nodes above them.
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

    /// Becomes a state of which only the parts are known.
    pub fn set_parts(&mut self, parts: &[u32]) {
        self.numbers.clear();
        self.numbers.extend_from_slice(parts);
        self.width = parts.len();
    }
}

/// What one thread needs to look states up.
#[derive(Debug, Default)]
pub struct Lookup {
    /// The numbers of the last state's parts and of the nodes above them. Those that are not known yet are [`UNKNOWN`].
    numbers: Vec<u32>,
    changed: Vec<bool>,
    recent: Vec<Recent>,
}

impl Lookup {
    /// The state that was looked up last, for [`Tree::add`].
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }
}

/// States, numbered in the order in which they were added.
#[derive(Debug)]
pub struct Tree {
    width: usize,
    /// The children of each node but the root, as indices of [`Unpacked::numbers`]; leaves come first, the root's children
    /// last.
    nodes: Vec<(usize, usize)>,
    /// The children of the root.
    root: (usize, usize),
    pairs: Vec<Pairs>,
    roots: Pairs,
}

impl Tree {
    /// No states, each of which will have this number of parts, at least two.
    pub fn new(width: usize) -> Tree {
        let mut nodes = Vec::new();
        let half = width.div_ceil(2);
        let left = node(0, half, width, &mut nodes);
        let right = node(half, width, width, &mut nodes);
        Tree {
            width,
            pairs: nodes.iter().map(|_| Pairs::default()).collect(),
            root: (left, right),
            roots: Pairs::default(),
            nodes,
        }
    }

    /// The number of states and others.
    pub fn len(&self) -> usize {
        self.roots.pairs.len()
    }

    /// Unpacks the state with a number.
    ///
    /// # Errors
    /// The number is not that of a state, but of what [`Tree::number_of_other`] numbered: that.
    pub fn unpack(&self, state: usize, into: &mut Unpacked) -> Result<(), u32> {
        let (left, right) = self.roots.get(state as u32);
        if left == NO_STATE {
            return Err(right);
        }
        into.width = self.width;
        into.numbers.resize(self.width + self.nodes.len(), 0);
        (into.numbers[self.root.0], into.numbers[self.root.1]) = (left, right);
        for (at, &(left, right)) in self.nodes.iter().enumerate().rev() {
            let pair = self.pairs[at].get(into.numbers[self.width + at]);
            (into.numbers[left], into.numbers[right]) = pair;
        }
        Ok(())
    }

    /// The number of a state, which mostly has the same parts as `before`, if it is known. `lookup` has it then for
    /// [`Tree::add`].
    pub fn find(&self, state: &[u32], before: &Unpacked, lookup: &mut Lookup) -> Option<u32> {
        let Lookup { numbers, changed, recent } = lookup;
        let before = &before.numbers[..];
        recent.resize_with(self.nodes.len(), Recent::default);
        changed.clear();
        changed.extend(state.iter().enumerate().map(|(at, part)| before.get(at) != Some(part)));
        numbers.clear();
        numbers.extend_from_slice(state);
        for (at, &(left, right)) in self.nodes.iter().enumerate() {
            // Of a state that has not been unpacked only the parts are known.
            let same = before.get(self.width + at).filter(|_| !changed[left] && !changed[right]);
            changed.push(same.is_none());
            numbers.push(match same {
                Some(&same) => same,
                None => match (numbers[left], numbers[right]) {
                    (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
                    (left, right) => recent[at].number(&self.pairs[at], left, right),
                },
            });
        }
        match (numbers[self.root.0], numbers[self.root.1]) {
            (UNKNOWN, _) | (_, UNKNOWN) => None,
            (left, right) => self.roots.find(left, right),
        }
    }

    /// The number of a state whose [`Lookup::numbers`] these are. If it is new, it gets the next number, which is returned as
    /// an error.
    pub fn add(&mut self, numbers: &mut [u32]) -> Result<u32, u32> {
        for (at, &(left, right)) in self.nodes.iter().enumerate() {
            if numbers[self.width + at] == UNKNOWN {
                let number = self.pairs[at].number(numbers[left], numbers[right]);
                numbers[self.width + at] = number.unwrap_or_else(|new| new);
            }
        }
        self.roots.number(numbers[self.root.0], numbers[self.root.1])
    }

    /// The number of something else than a state, which has a number of its own.
    pub fn number_of_other(&mut self, other: u32) -> Result<u32, u32> {
        self.roots.number(NO_STATE, other)
    }

    /// The memory of all states in bytes.
    pub fn bytes(&self) -> usize {
        self.pairs.iter().map(Pairs::bytes).sum::<usize>() + self.roots.bytes()
    }
}

/// Adds the nodes above some leaves, and returns the index of the highest one.
fn node(start: usize, end: usize, width: usize, nodes: &mut Vec<(usize, usize)>) -> usize {
    if end - start == 1 {
        return start;
    }
    let half = start + (end - start).div_ceil(2);
    let left = node(start, half, width, nodes);
    let right = node(half, end, width, nodes);
    nodes.push((left, right));
    width + nodes.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_unpacked_as_they_were_packed() {
        for width in 2..12 {
            let mut states = Tree::new(width);
            let mut lookup = Lookup::default();
            let mut before = Unpacked::default();
            let part = |state: u32, at: usize| state >> (at % 5) & 3;
            let state = |number: u32| (0..width).map(|at| part(number, at)).collect::<Vec<_>>();
            let mut all: Vec<Vec<u32>> = Vec::new();
            for number in 0..200 {
                let state = state(number);
                let known = all.iter().position(|known| *known == state);
                let found = states.find(&state, &before, &mut lookup);
                assert_eq!(found.map(|at| at as usize), known);
                let mut numbers = lookup.numbers().to_vec();
                assert_eq!(states.add(&mut numbers).ok(), found);
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
        let mut states = Tree::new(2);
        let mut before = Unpacked::default();
        assert_eq!(states.add(&mut [0, 0]), Err(0));
        assert_eq!(states.number_of_other(7), Err(1));
        assert_eq!(states.number_of_other(7), Ok(1));
        assert_eq!(states.unpack(1, &mut before), Err(7));
        assert_eq!(states.unpack(0, &mut before), Ok(()));
    }
}
