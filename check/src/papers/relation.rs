//! Binary relations on few elements, as bit matrices.

use std::collections::VecDeque;

/// A relation on `0..n`: per element a row of bits, its successors. Memory: n²/8 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    size: usize,
    /// Words a row.
    width: usize,
    words: Vec<u64>,
}

impl Relation {
    /// The empty relation.
    pub fn new(size: usize) -> Relation {
        let width = size.div_ceil(64);
        Relation {
            size,
            width,
            words: vec![0; size * width],
        }
    }

    /// Bytes that a relation on `size` elements takes.
    pub fn bytes(size: usize) -> usize {
        size * size.div_ceil(64) * 8
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Adds a pair; says whether it is new.
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

    /// Adds the successors of one element to those of another; says whether some are new.
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

    /// Adds every pair of another relation of the same size.
    pub fn unite(&mut self, other: &Relation) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
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

    /// Adds a pair to a relation that is transitively closed, and closes it again; says whether the
    /// pair is new. Cost: O(n²/64) if it is, else constant.
    pub fn insert_closed(&mut self, from: u32, to: u32) -> bool {
        if self.contains(from, to) {
            return false;
        }
        for before in 0..self.size as u32 {
            if before == from || self.contains(before, from) {
                self.absorb(before, to);
                self.insert(before, to);
            }
        }
        true
    }

    /// Number of pairs.
    pub fn len(&self) -> u64 {
        self.words
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// An element that a closed relation relates to itself, if there is one.
    pub fn reflexive(&self) -> Option<u32> {
        (0..self.size as u32).find(|&element| self.contains(element, element))
    }

    /// A shortest path of at least one pair, both ends included. Cost: O(n²/64).
    pub fn path(&self, from: u32, to: u32) -> Option<Vec<u32>> {
        let mut parent = vec![u32::MAX; self.size];
        let mut seen = vec![0u64; self.width];
        let mut queue = VecDeque::from([from]);
        while let Some(element) = queue.pop_front() {
            for (at, seen) in seen.iter_mut().enumerate() {
                let new = self.row(element)[at] & !*seen;
                *seen |= new;
                for next in bits(&[new]) {
                    let next = at as u32 * 64 + next;
                    parent[next as usize] = element;
                    queue.push_back(next);
                }
            }
            if seen[to as usize / 64] & (1 << (to % 64)) != 0 {
                let mut path = vec![to];
                loop {
                    path.push(parent[path[path.len() - 1] as usize]);
                    if path[path.len() - 1] == from {
                        path.reverse();
                        return Some(path);
                    }
                }
            }
        }
        None
    }

    /// A cycle with few elements: each related to the next, the last to the first. Cost: O(n³/64)
    /// if there is one, O(n²) else.
    pub fn cycle(&self) -> Option<Vec<u32>> {
        let on_cycles = self.without_ends();
        let shortest = on_cycles
            .into_iter()
            .filter_map(|element| self.path(element, element))
            .min_by_key(Vec::len);
        shortest.map(|mut cycle| {
            cycle.pop();
            cycle
        })
    }

    /// What is left when elements without predecessors are removed until there are none.
    fn without_ends(&self) -> Vec<u32> {
        let mut before = vec![0u32; self.size];
        for element in 0..self.size as u32 {
            for next in self.successors(element) {
                before[next as usize] += 1;
            }
        }
        let mut ends: Vec<u32> = (0..self.size as u32)
            .filter(|&element| before[element as usize] == 0)
            .collect();
        let mut gone = vec![false; self.size];
        while let Some(element) = ends.pop() {
            gone[element as usize] = true;
            for next in self.successors(element) {
                before[next as usize] -= 1;
                if before[next as usize] == 0 {
                    ends.push(next);
                }
            }
        }
        let left = |element: &u32| !gone[*element as usize];
        (0..self.size as u32).filter(left).collect()
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
            let mut one_by_one = Relation::new(size);
            for &(from, to) in &pairs {
                one_by_one.insert_closed(from % size as u32, to % size as u32);
            }
            prop_assert_eq!(&closed, &one_by_one);
            for from in 0..size as u32 {
                for to in 0..size as u32 {
                    prop_assert_eq!(closed.contains(from, to), reaches(&plain, from, to));
                    let path = plain.path(from, to);
                    prop_assert_eq!(path.is_some(), closed.contains(from, to));
                    for pair in path.iter().flat_map(|path| path.windows(2)) {
                        prop_assert!(plain.contains(pair[0], pair[1]));
                    }
                }
            }
            prop_assert_eq!(plain.cycle().is_some(), closed.reflexive().is_some());
            if let Some(cycle) = plain.cycle() {
                for at in 0..cycle.len() {
                    prop_assert!(plain.contains(cycle[at], cycle[(at + 1) % cycle.len()]));
                }
            }
        }
    }
}
