//! [`StoreOrder`]: a partial order of the writes of each location, which program order is part of.

use history::OpId;

use crate::engine::saturate::Saturation;

/// A partial order of writes of the same location that contains program order. So of each thread, the writes that
/// precede another write are the first ones, and their number says which. Memory: 4 bytes for each write and each
/// chain of writes of its location (a thread has one, or several under a weak model), and 4 more for each write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOrder {
    locations: Vec<Location>,
}

/// The writes of one location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Location {
    /// Chain by chain, each in program order.
    writes: Vec<OpId>,
    /// Per chain, the number in `writes` after its last one.
    ends: Vec<u32>,
    /// Per write and chain, how many of the chain's writes precede the write.
    before: Vec<u32>,
}

impl Location {
    fn of(saturation: &Saturation<'_>, location: u32) -> Location {
        let events = saturation.events;
        let index = events.write_index();
        let groups = index.groups(location);
        let mut here = Location::default();
        for group in groups {
            let writes = index.members(group);
            here.writes.extend(writes.iter().map(|&write| events.op[write as usize]));
            here.ends.push(here.writes.len() as u32);
            here.before.extend(writes.iter().flat_map(|&write| {
                let clock = saturation.clock(write);
                groups
                    .iter()
                    .map(|other| index.count_up_to(other, clock[other.slot as usize]) as u32)
            }));
        }
        here
    }

    /// Per chain, the number of its writes that precede a write.
    fn before(&self, write: usize) -> &[u32] {
        let chains = self.ends.len();
        &self.before[write * chains..(write + 1) * chains]
    }

    fn start(&self, chain: usize) -> u32 {
        chain.checked_sub(1).map_or(0, |chain| self.ends[chain])
    }

    /// The chain of a write.
    fn chain(&self, write: u32) -> usize {
        self.ends.partition_point(|&end| end <= write)
    }

    /// Whether a write precedes another. Both are numbers in `writes`.
    fn precedes(&self, first: u32, second: u32) -> bool {
        let chain = self.chain(first);
        first - self.start(chain) < self.before(second as usize)[chain]
    }

    /// The writes that precede a write, chain by chain.
    fn preceding(&self, write: usize) -> impl Iterator<Item = u32> {
        let counts = self.before(write).iter().enumerate();
        counts.flat_map(|(chain, &count)| self.start(chain)..self.start(chain) + count)
    }

    /// The writes that precede a write with none in between.
    fn directly_preceding(&self, write: usize) -> impl Iterator<Item = u32> {
        let counts = self.before(write).iter().enumerate();
        let last =
            counts.filter_map(|(chain, &count)| Some(self.start(chain) + count.checked_sub(1)?));
        let last: Vec<u32> = last.collect();
        let between =
            move |first: &u32, last: &[u32]| last.iter().any(|&other| self.precedes(*first, other));
        last.clone().into_iter().filter(move |first| !between(first, &last))
    }

    /// Pairs of the location, given for each write the numbers of those before it.
    fn pairs<'a, I: Iterator<Item = u32> + 'a>(
        &'a self,
        before: impl Fn(&'a Location, usize) -> I + 'a,
    ) -> impl Iterator<Item = (OpId, OpId)> + 'a {
        let writes = self.writes.iter().enumerate();
        writes.flat_map(move |(at, &write)| {
            before(self, at).map(move |first| (self.writes[first as usize], write))
        })
    }
}

impl StoreOrder {
    /// The order of writes that saturation derived. It must be at its fixpoint. Cost: O(chains) for each write.
    pub(super) fn of(saturation: &Saturation<'_>) -> StoreOrder {
        let locations = 0..saturation.events.locations() as u32;
        StoreOrder { locations: locations.map(|at| Location::of(saturation, at)).collect() }
    }

    /// Memory of the order that saturation derived, in bytes.
    pub(super) fn bytes(saturation: &Saturation<'_>) -> usize {
        let index = saturation.events.write_index();
        let counts = (0..saturation.events.locations() as u32).map(|location| {
            let groups = index.groups(location);
            let writes: usize = groups.iter().map(|group| index.members(group).len()).sum();
            writes * (groups.len() + 1)
        });
        size_of::<u32>() * counts.sum::<usize>()
    }

    /// Adds ordered pairs of events that are writes of one location. The result is transitively closed if all pairs that
    /// follow are among them.
    pub(super) fn add(&mut self, saturation: &Saturation<'_>, pairs: &[(u32, u32)]) {
        let events = saturation.events;
        let index = events.write_index();
        for &(first, second) in pairs {
            let location = events.location[first as usize];
            let here = &mut self.locations[location as usize];
            let [(first_chain, first), (second_chain, second)] = [first, second].map(|event| {
                let (slot, position) =
                    (events.slot[event as usize], events.position[event as usize]);
                let chain = index.slots(location).partition_point(|&other| other < slot);
                (chain, index.count_up_to(&index.groups(location)[chain], position) as u32)
            });
            let second = here.start(second_chain) + second - 1;
            let count = &mut here.before[second as usize * here.ends.len() + first_chain];
            *count = first.max(*count);
        }
    }

    /// The number of ordered pairs. Cost: O(chains) for each write.
    pub fn len(&self) -> u64 {
        let counts = self.locations.iter().flat_map(|location| &location.before);
        counts.map(|&count| u64::from(count)).sum()
    }

    /// Whether no pair is ordered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ordered pairs, location by location. Cost: their number.
    pub fn pairs(&self) -> impl Iterator<Item = (OpId, OpId)> {
        self.locations.iter().flat_map(|location| location.pairs(Location::preceding))
    }

    /// The pairs from which the others follow by transitivity, and which do not follow themselves: the transitive
    /// reduction. Cost: O(chains²) for each write.
    pub fn reduction(&self) -> impl Iterator<Item = (OpId, OpId)> {
        self.locations.iter().flat_map(|location| location.pairs(Location::directly_preceding))
    }
}

#[cfg(test)]
mod tests {
    use history::{Ambiguity, ReadsFrom};
    use host::Bounds;
    use memory::Model;
    use rustc_hash::FxHashSet;

    use super::super::kernel;
    use crate::generate::{Recipe, generate, without_order};

    #[test]
    fn the_reduction_is_the_least_relation_with_the_same_closure() {
        let (mut pairs, mut reduced) = (0, 0);
        for seed in 0..40 {
            let model = [Model::SC, Model::TSO][seed as usize % 2];
            let recipe = Recipe {
                model,
                threads: 3,
                operations: 60,
                locations: 2,
                seed,
                ..Recipe::default()
            };
            let history = without_order(&generate(&recipe).unwrap()).unwrap();
            let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
            let order = kernel(&history, &reads_from, model, &Bounds::none()).unwrap().order;
            let all: FxHashSet<_> = order.pairs().collect();
            assert_eq!(all.len() as u64, order.len());
            let follows = |&(first, last): &(history::OpId, history::OpId)| {
                let mut others = history.ops();
                others.any(|other| all.contains(&(first, other)) && all.contains(&(other, last)))
            };
            let expected: FxHashSet<_> =
                all.iter().copied().filter(|pair| !follows(pair)).collect();
            let found: Vec<_> = order.reduction().collect();
            assert_eq!(found.len(), expected.len(), "{seed}");
            assert_eq!(found.into_iter().collect::<FxHashSet<_>>(), expected, "{seed}");
            (pairs, reduced) = (pairs + all.len(), reduced + expected.len());
        }
        assert!(0 < reduced && 3 * reduced < pairs, "{reduced} of {pairs}");
    }
}
