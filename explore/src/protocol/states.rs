//! The states that an exploration has found, in the order in which they were found.
//!
//! A state is a vector of numbers of parts. It is stored as a tree: the leaves are the parts, and each node above them has a
//! number for the pair of its children's numbers. The pair at the root stands for the state, so a state takes 8 bytes,
//! about 6 in the table that finds it, and less than one for its parent. There are fewer different pairs below the root, since
//! parts far from each other change independently (Laarman, van de Pol & Weber, "Parallel recursive state compression for
//! free", SPIN 2011). A move changes few parts, so only the nodes above these are looked up.

use simulate::numbering::{NumberTable, hash_word};

use super::Finding;

/// The left child of a root that stands for a finding instead of a state.
const FINDING: u32 = u32::MAX;

/// Pairs with their numbers.
#[derive(Debug, Default)]
struct Pairs {
    pairs: Vec<u64>,
    table: NumberTable,
}

impl Pairs {
    /// The number of a pair. One that is new gets the next number, which is returned as an error.
    #[inline]
    fn number(&mut self, left: u32, right: u32) -> Result<u32, u32> {
        let pair = u64::from(left) << 32 | u64::from(right);
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
    /// The number of a pair, which is looked up in a table if need be.
    #[inline]
    fn number(&mut self, pairs: &mut Pairs, left: u32, right: u32) -> u32 {
        let pair = u64::from(left) << 32 | u64::from(right);
        let place = (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize % RECENT;
        if self.known[place].0 != pair {
            let number = pairs.number(left, right).unwrap_or_else(|new| new);
            self.known[place] = (pair, number);
        }
        self.known[place].1
    }
}

/// A set of small numbers, with a bit for each.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// Adds the next bit.
    pub fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        self.words[self.len / 64] |= u64::from(bit) << (self.len % 64);
        self.len += 1;
    }

    /// The bit at an index.
    #[inline]
    pub fn get(&self, at: usize) -> bool {
        self.words[at / 64] >> (at % 64) & 1 == 1
    }

    /// Sets the bit at an index.
    #[inline]
    pub fn set(&mut self, at: usize) {
        self.words[at / 64] |= 1 << (at % 64);
    }

    fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
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
}

/// A state, or the end of a run with a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A state: the children of its root.
    State(u32, u32),
    /// The index of a finding.
    Finding(u32),
}

/// The states found so far.
#[derive(Debug)]
pub struct States {
    width: usize,
    /// The children of each node but the root, as indices of [`Unpacked::numbers`]; leaves come first, the root's children
    /// last.
    nodes: Vec<(usize, usize)>,
    /// The children of the root.
    root: (usize, usize),
    pairs: Vec<Pairs>,
    recent: Vec<Recent>,
    roots: Pairs,
    findings: Vec<Finding>,
    /// The tree of the search: for each explored state, a 1 for each state that was first found from it, and then a 0.
    children: Bits,
    /// Whether nothing is outstanding in a state, or it is a finding.
    settled: Bits,
    /// Whether a state was first found by a move without a request of a core.
    spontaneous: Bits,
    changed: Vec<bool>,
    numbers: Vec<u32>,
}

impl States {
    /// No states, each of which will have this number of parts, at least two.
    pub fn new(width: usize) -> States {
        let mut nodes = Vec::new();
        let half = width.div_ceil(2);
        let left = node(0, half, width, &mut nodes);
        let right = node(half, width, width, &mut nodes);
        States {
            width,
            pairs: nodes.iter().map(|_| Pairs::default()).collect(),
            recent: nodes.iter().map(|_| Recent::default()).collect(),
            root: (left, right),
            roots: Pairs::default(),
            findings: Vec::new(),
            children: Bits::default(),
            settled: Bits::default(),
            spontaneous: Bits::default(),
            changed: vec![true; width + nodes.len()],
            numbers: vec![0; width + nodes.len()],
            nodes,
        }
    }

    /// The number of states and findings.
    pub fn len(&self) -> usize {
        self.roots.pairs.len()
    }

    /// The state or finding with a number.
    pub fn content(&self, state: usize) -> Content {
        match self.roots.get(state as u32) {
            (FINDING, at) => Content::Finding(at),
            (left, right) => Content::State(left, right),
        }
    }

    /// A finding.
    pub fn finding(&self, at: u32) -> &Finding {
        &self.findings[at as usize]
    }

    /// Unpacks a state.
    pub fn unpack(&self, (left, right): (u32, u32), into: &mut Unpacked) {
        into.width = self.width;
        into.numbers.resize(self.width + self.nodes.len(), 0);
        (into.numbers[self.root.0], into.numbers[self.root.1]) = (left, right);
        for (at, &(left, right)) in self.nodes.iter().enumerate().rev() {
            let pair = self.pairs[at].get(into.numbers[self.width + at]);
            (into.numbers[left], into.numbers[right]) = pair;
        }
    }

    /// The number of a state, which mostly has the same parts as `before`. If it is new, it gets the next number, which is
    /// returned as an error; then [`States::note`] has to be called.
    pub fn number(&mut self, state: &[u32], before: &Unpacked) -> Result<u32, u32> {
        let before = &before.numbers[..];
        for (at, &number) in state.iter().enumerate() {
            self.numbers[at] = number;
            self.changed[at] = before.get(at) != Some(&number);
        }
        for (at, &(left, right)) in self.nodes.iter().enumerate() {
            let place = self.width + at;
            let is_changed = self.changed[left] || self.changed[right];
            self.changed[place] = is_changed;
            self.numbers[place] = if is_changed {
                let (left, right) = (self.numbers[left], self.numbers[right]);
                self.recent[at].number(&mut self.pairs[at], left, right)
            } else {
                before[place]
            };
        }
        self.roots.number(self.numbers[self.root.0], self.numbers[self.root.1])
    }

    /// The number of a finding. If it is new, it gets the next number, as a state does.
    pub fn number_of_finding(&mut self, finding: Finding) -> Result<u32, u32> {
        let known = self.findings.iter().position(|known| *known == finding);
        let at = known.unwrap_or_else(|| {
            self.findings.push(finding);
            self.findings.len() - 1
        });
        self.roots.number(FINDING, at as u32)
    }

    /// Records whether a new state is settled, and whether it was found by a spontaneous move.
    pub fn note(&mut self, is_settled: bool, is_spontaneous: bool) {
        self.settled.push(is_settled);
        self.spontaneous.push(is_spontaneous);
    }

    /// Records the number of states that were first found from the next explored state.
    pub fn note_children(&mut self, count: usize) {
        (0..count).for_each(|_| self.children.push(true));
        self.children.push(false);
    }

    /// Whether nothing is outstanding in a state.
    pub fn is_settled(&self, state: usize) -> bool {
        self.settled.get(state)
    }

    /// The settled states.
    pub fn settled(&self) -> &Bits {
        &self.settled
    }

    /// Whether a state was first found by a spontaneous move.
    pub fn is_spontaneous(&self, state: usize) -> bool {
        self.spontaneous.get(state)
    }

    /// Each state but the first with its parent, the last states first.
    pub fn parents(&self) -> impl Iterator<Item = (usize, usize)> {
        let count =
            |bits: &Bits| bits.words.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let mut child = count(&self.children);
        let mut parent = self.children.len - child;
        (0..self.children.len).rev().filter_map(move |at| {
            if self.children.get(at) {
                child -= 1;
                Some((child + 1, parent))
            } else {
                parent -= 1;
                None
            }
        })
    }

    /// The states on the way to a state, from the first one on.
    pub fn path(&self, state: usize) -> Vec<usize> {
        let mut path = vec![state];
        let mut next = state;
        for (child, parent) in self.parents() {
            if child == next {
                path.push(parent);
                next = parent;
            }
        }
        path.reverse();
        path
    }

    /// The memory of all states in bytes.
    pub fn bytes(&self) -> usize {
        let bits = [&self.children, &self.settled, &self.spontaneous];
        self.pairs.iter().map(Pairs::bytes).sum::<usize>()
            + self.roots.bytes()
            + bits.map(Bits::bytes).into_iter().sum::<usize>()
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
            let mut states = States::new(width);
            let mut before = Unpacked::default();
            let part = |state: u32, at: usize| state >> (at % 5) & 3;
            let state = |number: u32| (0..width).map(|at| part(number, at)).collect::<Vec<_>>();
            let mut all: Vec<Vec<u32>> = Vec::new();
            for number in 0..200 {
                let state = state(number);
                let known = all.iter().position(|known| *known == state);
                match states.number(&state, &before) {
                    Ok(at) => assert_eq!(Some(at as usize), known),
                    Err(at) => {
                        assert_eq!((at as usize, known), (all.len(), None));
                        all.push(state.clone());
                    }
                }
                let Content::State(left, right) = states.content(all.len() / 2) else {
                    panic!("there is no finding");
                };
                states.unpack((left, right), &mut before);
                assert_eq!(before.parts(), all[all.len() / 2]);
            }
        }
    }

    #[test]
    fn a_path_leads_through_parents() {
        let mut states = States::new(2);
        // 0 finds 1, 2 and 3; 1 finds 4; 2 finds nothing; 3 finds 5 and 6; 4 finds 7.
        [3, 1, 0, 2, 1].into_iter().for_each(|count| states.note_children(count));
        let parents: Vec<_> = states.parents().collect();
        assert_eq!(parents, [(7, 4), (6, 3), (5, 3), (4, 1), (3, 0), (2, 0), (1, 0)]);
        assert_eq!(states.path(7), [0, 1, 4, 7]);
        assert_eq!(states.path(5), [0, 3, 5]);
        assert_eq!(states.path(0), [0]);
    }

    #[test]
    fn a_finding_is_numbered_among_states() {
        let mut states = States::new(2);
        assert_eq!(states.number(&[0, 0], &Unpacked::default()), Err(0));
        assert_eq!(states.number_of_finding(Finding::Fault), Err(1));
        assert_eq!(states.number_of_finding(Finding::Deadlock { waiting: 1 }), Err(2));
        assert_eq!(states.number_of_finding(Finding::Fault), Ok(1));
        assert_eq!(states.content(2), Content::Finding(1));
        assert_eq!(states.finding(1), &Finding::Deadlock { waiting: 1 });
    }
}
