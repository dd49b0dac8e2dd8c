//! The states that an exploration has found, in the order in which they were found.
//!
//! - [`tree`]: stores states exactly, in memory;
//! - [`disk`]: stores states exactly, in files, with a fingerprint of each in memory;
//! - [`fingerprints`]: stores a fingerprint of each state only;
//! - [`print_table`]: finds the numbers of fingerprints;
//! - [`queue`]: holds states that wait to be explored;
//! - [`stored`]: the functions for states in files;
//! - [`bits`]: sets of states.
//!
//! [`States`] also has the findings at which runs end, which are numbered among the states, and the tree of the search, in two bits for
//! each state.

mod bits;
pub(super) mod disk;
mod fingerprints;
mod print_table;
mod queue;
pub(super) mod stored;
mod tree;

use std::hint::black_box;
use std::path::Path;

use rustc_hash::FxHashMap;
use simulate::numbering::make_room;

use super::{Finding, Store};
pub(super) use bits::Bits;
use disk::{DiskProblem, Moves};
use fingerprints::Fingerprints;
pub(super) use fingerprints::missed;
pub(super) use tree::Tree;
pub(super) use tree::Unpacked;

/// The value for no state.
pub(super) const NONE: u32 = u32::MAX;

/// The states, in one of two forms.
#[derive(Debug)]
enum Stored {
    Exactly(Tree),
    Fingerprints(Fingerprints),
}

/// The states found so far.
#[derive(Debug)]
pub(super) struct States {
    stored: Stored,
    findings: Vec<Finding>,
    /// The findings, by their number among states.
    found: FxHashMap<usize, u32>,
    /// The tree of the search: for each explored state, a 1 for each state that was first found from it, and then a 0.
    children: Bits,
    /// For each state, whether nothing is outstanding in it, or it is a finding.
    settled: Bits,
    /// For each explored state, another one to which a spontaneous move leads, or [`NONE`], if states are stored exactly.
    next: Vec<u32>,
    /// The contents of `next`, and the tree of the search, in a file if states are on disk.
    moves: Option<Moves>,
}

impl States {
    /// Creates an empty collection of states with `width` parts each. `groups` has the first part of each group of parts that change
    /// together; `seed` selects the fingerprints.
    pub(super) fn new(width: usize, groups: &[usize], store: Store, seed: u64) -> States {
        States::of(match store {
            Store::Exact => Stored::Exactly(Tree::new(width, groups)),
            Store::Compact => Stored::Fingerprints(Fingerprints::new(seed)),
        })
    }

    /// Creates an empty collection of states, in a folder. The parameters are those of [`States::new`].
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub(super) fn on_disk(
        width: usize,
        groups: &[usize],
        folder: &Path,
        seed: u64,
    ) -> Result<States, DiskProblem> {
        let moves = Moves::open(folder, 0)?;
        let mut states =
            States::of(Stored::Exactly(Tree::on_disk(width, groups, folder, 0, seed)?));
        states.moves = Some(moves);
        Ok(states)
    }

    fn of(stored: Stored) -> States {
        States {
            stored,
            moves: None,
            findings: Vec::new(),
            found: FxHashMap::default(),
            children: Bits::default(),
            settled: Bits::default(),
            next: Vec::new(),
        }
    }

    /// The number of states and findings.
    pub(super) fn len(&self) -> usize {
        match &self.stored {
            Stored::Exactly(tree) => tree.len(),
            Stored::Fingerprints(prints) => prints.len(),
        }
    }

    /// The finding that has a number among the states, if it is one.
    pub(super) fn finding(&self, state: usize) -> Option<&Finding> {
        self.found.get(&state).map(|&at| &self.findings[at as usize])
    }

    /// Whether states are in memory, so that they can be unpacked at any time.
    pub(super) fn are_in_memory(&self) -> bool {
        self.tree().is_some_and(|tree| tree.disk().is_none())
    }

    /// All states, if they are stored exactly.
    fn tree(&self) -> Option<&Tree> {
        match &self.stored {
            Stored::Exactly(tree) => Some(tree),
            Stored::Fingerprints(_) => None,
        }
    }

    /// Whether states are stored exactly.
    pub(super) fn are_exact(&self) -> bool {
        self.tree().is_some()
    }

    /// Unpacks a state. If it is on disk and cannot be read, the result is arbitrary, and [`States::problem`] returns the error.
    ///
    /// # Panics
    /// Panics if this is a finding, or if only fingerprints are stored.
    pub(super) fn unpack(&self, state: usize, into: &mut Unpacked) {
        let tree = self.tree().expect("a fingerprint is not unpacked");
        tree.unpack(state, into).expect("a finding is not unpacked");
    }

    /// Takes the next state from the queue of states to be explored, if only fingerprints are stored.
    pub(super) fn take_waiting(&mut self, into: &mut Vec<u32>) {
        if let Stored::Fingerprints(prints) = &mut self.stored {
            prints.next(into);
        }
    }

    /// Appends a state, which mostly has the same parts as `before`, to `packed`, its parts first, as [`States::find`] and
    /// [`States::add`] need it. Returns its key; if it has none, it is not known.
    #[inline]
    pub(super) fn pack(
        &self,
        state: &[u32],
        before: &Unpacked,
        packed: &mut Vec<u32>,
    ) -> Option<u64> {
        match &self.stored {
            Stored::Exactly(tree) => tree.pack(state, before, packed),
            Stored::Fingerprints(prints) => {
                packed.extend_from_slice(state);
                Some(prints.fingerprint(state))
            }
        }
    }

    /// The number of the packed state with a key, if it is known.
    #[inline]
    pub(super) fn find(&self, packed: &[u32], key: u64) -> Option<u32> {
        match &self.stored {
            Stored::Exactly(tree) => tree.find(packed, key),
            Stored::Fingerprints(prints) => prints.find(key),
        }
    }

    /// Loads the data that [`States::find`] needs for some keys into the processor's caches, which is much faster than to wait for it key
    /// by key.
    pub(super) fn prepare(&self, keys: impl Iterator<Item = u64>, seen: &mut Vec<u32>) {
        seen.clear();
        let looked = match &self.stored {
            Stored::Exactly(tree) => {
                seen.extend(keys.map(|key| tree.glance(key)));
                seen.iter().fold(0, |all, &seen| all ^ tree.glance_again(seen))
            }
            Stored::Fingerprints(prints) => {
                keys.fold(0, |all, key| all ^ u64::from(prints.glance(key)))
            }
        };
        black_box(looked);
    }

    /// The number of a state that was not known by [`States::find`]. If it is still new, it gets the next number, which is
    /// returned as an error; then [`States::note`] has to be called.
    pub(super) fn add(&mut self, packed: &mut [u32]) -> Result<u32, u32> {
        match &mut self.stored {
            Stored::Exactly(tree) => tree.add(packed),
            Stored::Fingerprints(prints) => prints.add(packed),
        }
    }

    /// The number of a state. If it is new, it is added as by [`States::add`].
    pub(super) fn number(&mut self, state: &[u32], before: &Unpacked) -> Result<u32, u32> {
        let mut packed = Vec::new();
        let key = self.pack(state, before, &mut packed);
        let number = key.and_then(|key| self.find(&packed, key));
        number.map_or_else(|| self.add(&mut packed), Ok)
    }

    /// The number of a finding. If it is new, it gets the next number, as a state does.
    pub(super) fn number_of_finding(&mut self, finding: Finding) -> Result<u32, u32> {
        let known = self.findings.iter().position(|known| *known == finding);
        let at = known.unwrap_or_else(|| {
            self.findings.push(finding);
            self.findings.len() - 1
        }) as u32;
        let number = match &mut self.stored {
            Stored::Exactly(tree) => tree.number_of_other(at),
            Stored::Fingerprints(prints) => prints.number_of_other(at),
        };
        if let Err(new) = number {
            self.found.insert(new as usize, at);
        }
        number
    }

    /// Records whether a new state is settled.
    pub(super) fn note(&mut self, is_settled: bool) {
        self.settled.push(is_settled);
    }

    /// Records what was found from the next explored state: the number of states that were found first from it, and another
    /// state to which a spontaneous move leads, if there is one.
    pub(super) fn note_explored(&mut self, children: usize, next: Option<u32>) {
        (0..children).for_each(|_| self.children.push(true));
        self.children.push(false);
        if let Some(moves) = &mut self.moves {
            let noted = moves.note(next.unwrap_or(NONE), children as u32);
            self.note_on_disk(noted);
        } else if self.are_exact() {
            make_room(&mut self.next, 1);
            self.next.push(next.unwrap_or(NONE));
        }
    }

    /// Another state to which a spontaneous move leads from an explored one, if there is one.
    pub(super) fn next_after(&self, state: usize) -> Option<usize> {
        let next = self.next.get(state).copied().filter(|next| *next != NONE);
        next.map(|next| next as usize)
    }

    /// Whether nothing is outstanding in a state.
    pub(super) fn is_settled(&self, state: usize) -> bool {
        self.settled.get(state)
    }

    /// The settled states.
    pub(super) fn settled(&self) -> &Bits {
        &self.settled
    }

    /// Each state but the first with its parent, the last states first.
    pub(super) fn parents(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut child = self.children.count();
        let mut parent = self.children.len() - child;
        (0..self.children.len()).rev().filter_map(move |at| {
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
    pub(super) fn path(&self, state: usize) -> Vec<usize> {
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
    pub(super) fn bytes(&self) -> usize {
        let bits = [&self.children, &self.settled];
        let stored = match &self.stored {
            Stored::Exactly(tree) => tree.bytes(),
            Stored::Fingerprints(prints) => prints.bytes(),
        };
        let moves = self.moves.as_ref().map_or(0, Moves::bytes);
        stored
            + moves
            + bits.map(Bits::bytes).into_iter().sum::<usize>()
            + self.next.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_through_parents() {
        let mut states = States::new(2, &[0, 1], Store::Exact, 0);
        // 0 finds 1, 2 and 3; 1 finds 4; 2 finds nothing; 3 finds 5 and 6; 4 finds 7.
        [3, 1, 0, 2, 1].into_iter().for_each(|count| states.note_explored(count, None));
        let parents: Vec<_> = states.parents().collect();
        assert_eq!(parents, [(7, 4), (6, 3), (5, 3), (4, 1), (3, 0), (2, 0), (1, 0)]);
        assert_eq!(states.path(7), [0, 1, 4, 7]);
        assert_eq!(states.path(5), [0, 3, 5]);
        assert_eq!(states.path(0), [0]);
    }

    /// Takes a minute and 1.3 GB, so it runs only if RUBRIC_SLOW is set, as after changes of how states are stored.
    #[test]
    #[ignore = "takes minutes"]
    fn a_hundred_million_states_take_sixteen_bytes_each() {
        const ALL: u32 = 100_000_000;
        if std::env::var_os("RUBRIC_SLOW").is_none() {
            return;
        }
        // Four of eight parts differ from one state to the next.
        let state = |number: u32| {
            let parts = number.wrapping_mul(0x9E37_79B1).to_le_bytes();
            let mut state = [7; 8];
            state.iter_mut().zip(parts).for_each(|(part, byte)| *part = byte.into());
            state
        };
        let mut states = States::new(8, &[0, 4], Store::Compact, 0);
        let (mut next, mut explored) = (Vec::new(), 0);
        for number in 0..ALL {
            assert_eq!(states.add(&mut state(number)), Err(number));
            states.note(false);
            // A tenth of them wait.
            if number % 10 > 0 {
                states.take_waiting(&mut next);
                assert_eq!(next, state(explored));
                explored += 1;
                states.note_explored(1 + usize::from(explored % 9 == 0), None);
            }
        }
        assert!(states.bytes() < 16 * ALL as usize, "{} bytes", states.bytes());
        for number in (0..ALL).step_by(97) {
            assert_eq!(states.number(&state(number), &Unpacked::default()), Ok(number));
        }
        // The memory is printed as a measurement.
        let said = format!("{} bytes for {ALL} states\n", states.bytes());
        std::io::Write::write_all(&mut std::io::stdout(), said.as_bytes()).unwrap();
    }

    #[test]
    fn a_finding_is_numbered_among_states() {
        for store in [Store::Exact, Store::Compact] {
            let mut states = States::new(2, &[0, 1], store, 0);
            assert_eq!(states.number(&[0, 0], &Unpacked::default()), Err(0));
            assert_eq!(states.number_of_finding(Finding::Fault), Err(1));
            assert_eq!(states.number_of_finding(Finding::Deadlock { waiting: 1 }), Err(2));
            assert_eq!(states.number_of_finding(Finding::Fault), Ok(1));
            assert_eq!(states.finding(2), Some(&Finding::Deadlock { waiting: 1 }));
            assert_eq!(states.finding(0), None);
        }
    }
}
