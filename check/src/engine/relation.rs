//! [`Relation`]: binary relations on few elements, as bit matrices.

use crate::engine::digraph::Digraph;

/// A relation on `0..n`: per element, its successors as a row of bits. Memory: n²/8 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    size: usize,
    /// Number of words in a row.
    width: usize,
    words: Vec<u64>,
}

impl Relation {
    /// The empty relation.
    pub fn new(size: usize) -> Relation {
        Relation::between(size, size)
    }

    /// The empty relation from `rows` elements to `size` others. Functions that need both to be the same
    /// elements, such as [`Relation::close`] and [`Relation::converse`], must not be called on it.
    pub fn between(rows: usize, size: usize) -> Relation {
        let width = size.div_ceil(64);
        Relation { size, width, words: vec![0; rows * width] }
    }

    /// Bytes that a relation on `size` elements takes.
    pub fn bytes(size: usize) -> usize {
        size * size.div_ceil(64) * 8
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Adds a pair. Returns whether it is new.
    pub fn insert(&mut self, from: u32, to: u32) -> bool {
        let word = &mut self.words[from as usize * self.width + to as usize / 64];
        let bit = 1 << (to % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Whether a pair is in the relation.
    pub fn contains(&self, from: u32, to: u32) -> bool {
        self.words[from as usize * self.width + to as usize / 64] & (1 << (to % 64)) != 0
    }

    /// The successors of an element as words of 64 bits, the lowest first.
    pub fn row(&self, from: u32) -> &[u64] {
        let start = from as usize * self.width;
        &self.words[start..start + self.width]
    }

    /// The successors of an element, ascending.
    pub fn successors(&self, from: u32) -> impl Iterator<Item = u32> {
        bits(self.row(from))
    }

    /// Adds the successors of one element to those of another. Returns whether any is new.
    pub fn absorb(&mut self, into: u32, from: u32) -> bool {
        let (into, from) = (into as usize * self.width, from as usize * self.width);
        let mut grew = false;
        for at in 0..self.width {
            let new = self.words[from + at] & !self.words[into + at];
            grew |= new != 0;
            self.words[into + at] |= new;
        }
        grew
    }

    /// Adds successors to the element `into`, given as words of 64 bits as in [`Relation::row`].
    pub fn absorb_row(&mut self, into: u32, row: &[u64]) {
        let start = into as usize * self.width;
        let words = &mut self.words[start..start + self.width];
        for (word, more) in words.iter_mut().zip(row) {
            *word |= more;
        }
    }

    /// Removes a pair.
    pub fn remove(&mut self, from: u32, to: u32) {
        self.words[from as usize * self.width + to as usize / 64] &= !(1 << (to % 64));
    }

    /// Adds every pair of another relation of the same size.
    pub fn unite(&mut self, other: &Relation) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// The inverse relation. Cost: O(n²/64), and constant time for each pair.
    pub fn converse(&self) -> Relation {
        let mut converse = Relation::new(self.size);
        for from in 0..self.size as u32 {
            for to in self.successors(from) {
                converse.insert(to, from);
            }
        }
        converse
    }

    /// Closes the relation transitively. Cost: O(n³/64).
    pub fn close(&mut self) {
        for middle in 0..self.size as u32 {
            for from in 0..self.size as u32 {
                if from != middle && self.contains(from, middle) {
                    self.absorb(from, middle);
                }
            }
        }
    }

    /// Number of pairs.
    pub fn len(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// An element that a closed relation relates to itself, if there is one.
    pub fn reflexive(&self) -> Option<u32> {
        (0..self.size as u32).find(|&element| self.contains(element, element))
    }
}

/// Elements as nodes, pairs as edges.
impl Digraph for Relation {
    fn nodes(&self) -> usize {
        self.size
    }

    fn successors(&self, node: u32, visit: impl FnMut(u32)) {
        Relation::successors(self, node).for_each(visit);
    }
}

/// The positions of the bits that are set, ascending.
pub fn bits(words: &[u64]) -> impl Iterator<Item = u32> {
    words.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(at as u32 * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn relation(size: usize, pairs: &[(u32, u32)]) -> Relation {
        let mut relation = Relation::new(size);
        for &(from, to) in pairs {
            relation.insert(from % size as u32, to % size as u32);
        }
        relation
    }

    /// Reachability by depth-first search.
    fn reaches(relation: &Relation, from: u32, to: u32) -> bool {
        let mut open: Vec<u32> = relation.successors(from).collect();
        let mut seen = vec![false; relation.size()];
        while let Some(element) = open.pop() {
            if element == to {
                return true;
            }
            if !std::mem::replace(&mut seen[element as usize], true) {
                open.extend(relation.successors(element));
            }
        }
        false
    }

    proptest! {
        #[test]
        fn closing_is_reachability(
            size in 1usize..100,
            pairs in prop::collection::vec((0u32..100, 0u32..100), 0..120),
        ) {
            let plain = relation(size, &pairs);
            let mut closed = plain.clone();
            closed.close();
            for from in 0..size as u32 {
                for to in 0..size as u32 {
                    prop_assert_eq!(closed.contains(from, to), reaches(&plain, from, to));
                }
            }
            let own = (0..size as u32).find(|&element| reaches(&plain, element, element));
            prop_assert_eq!(closed.reflexive(), own);
        }
    }
}
