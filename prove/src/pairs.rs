//! [`Pairs`]: the set of what two caches may see, indexed by what one of them sees.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use simulate::system::stepping::sections::{Config, Names, OTHERS};

/// The first two of three caches keep their names.
pub(crate) const FIRST_TWO: Names = [0, 1, OTHERS, OTHERS, OTHERS];
/// The first and the third of three caches are the first and the second.
pub(crate) const OUTER: Names = [0, OTHERS, 1, OTHERS, OTHERS];
/// The second and the third of three caches are the first and the second.
pub(crate) const LAST_TWO: Names = [OTHERS, 0, 1, OTHERS, OTHERS];
/// The third and the fourth of four caches are the first and the second.
pub(crate) const FOURTH: Names = [OTHERS, OTHERS, 0, 1, OTHERS];
/// The first three caches keep their names.
pub(crate) const THREE: Names = [0, 1, 2, OTHERS, OTHERS];
/// Two caches change places.
const SWAPPED: Names = [1, 0, OTHERS, OTHERS, OTHERS];
/// Only the first cache keeps its name.
pub(crate) const FIRST: Names = [0, OTHERS, OTHERS, OTHERS, OTHERS];
/// Only the second cache has a name, that of the first.
const SECOND: Names = [OTHERS, 0, OTHERS, OTHERS, OTHERS];

/// The number of what one cache sees.
pub(crate) type Single = usize;

/// What two caches may see, each with the two in both orders.
#[derive(Default)]
pub(crate) struct Pairs {
    pairs: IndexSet<Config, FxBuildHasher>,
    /// What each cache of a pair sees alone.
    ends: Vec<(Single, Single)>,
    singles: IndexSet<Config, FxBuildHasher>,
    by_first: FxHashMap<Single, Vec<usize>>,
    by_both: FxHashMap<(Single, Single), Vec<usize>>,
}

impl Pairs {
    /// Adds a pair and its mirror image. Returns their numbers if they are new: of both, or of one if they are the same.
    pub(crate) fn add(&mut self, pair: Config) -> Vec<usize> {
        if self.pairs.contains(&pair) {
            return Vec::new();
        }
        let mirrored = pair.seen_by(&SWAPPED);
        let same = mirrored == pair;
        let mut new = vec![self.insert(pair)];
        if !same {
            new.push(self.insert(mirrored));
        }
        new
    }

    fn insert(&mut self, pair: Config) -> usize {
        let mut single = |names: &Names| self.singles.insert_full(pair.seen_by(names)).0;
        let ends = (single(&FIRST), single(&SECOND));
        let number = self.pairs.insert_full(pair).0;
        self.ends.push(ends);
        self.by_first.entry(ends.0).or_default().push(number);
        self.by_both.entry(ends).or_default().push(number);
        number
    }

    /// Whether it has a pair.
    pub(crate) fn contains(&self, pair: &Config) -> bool {
        self.pairs.contains(pair)
    }

    /// The pair with a number.
    pub(crate) fn get(&self, number: usize) -> &Config {
        &self.pairs[number]
    }

    /// The number of pairs, both orders counted.
    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// What the caches of a pair see alone.
    pub(crate) fn ends(&self, number: usize) -> (Single, Single) {
        self.ends[number]
    }

    /// The number of what one cache sees, if a pair has it.
    pub(crate) fn single(&self, single: &Config) -> Option<Single> {
        self.singles.get_index_of(single)
    }

    /// The pairs whose first cache sees this.
    pub(crate) fn with_first(&self, single: Single) -> &[usize] {
        self.by_first.get(&single).map_or(&[], |all| all)
    }

    /// The pairs whose caches see these.
    pub(crate) fn with_both(&self, first: Single, second: Single) -> &[usize] {
        self.by_both.get(&(first, second)).map_or(&[], |all| all)
    }

    /// The pairs, each in one order.
    pub(crate) fn canonical(&self) -> impl Iterator<Item = &Config> {
        self.pairs.iter().filter(|pair| **pair <= pair.seen_by(&SWAPPED))
    }
}
