//! Caches: which lines they hold and which one has to go.
//!
//! The permission and the load-linked monitor of an entry are kept here, by its way. As in gem5, an entry whose
//! permission is NotPresent keeps its way, but is not found, and may be replaced as if the way were free.

pub mod frozen;

use crate::error::CacheError;
use rustc_hash::FxHashMap;

use super::Misuse;

/// The number of `AccessPermission:Invalid`.
pub const INVALID: u8 = 5;
/// The number of `AccessPermission:NotPresent`.
pub const NOT_PRESENT: u8 = 6;

/// The address of no line: lines are multiples of at least 8.
const NO_LINE: u64 = u64::MAX;
/// The monitor of an entry that no core monitors.
const NOBODY: u32 = u32::MAX;

/// What decides which entry has to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The leaf that a tree of bits points to.
    #[default]
    TreePlru,
    /// The least recently used.
    Lru,
}

/// The parameters of a cache, as gem5's configuration has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheParameters {
    /// Bytes.
    pub size: u64,
    /// Ways of a set.
    pub ways: u32,
    /// The lowest bit of an address that belongs to the index of its set.
    pub start_index_bit: u32,
    /// Which entry has to go.
    pub policy: Policy,
    /// Cycles that an access to its tags or its data takes, where banks do not say.
    pub latency: u64,
    /// Its banks; `None` where they are never short.
    pub banks: Option<BankSettings>,
}

/// Banks that are busy for a while after an access (`resourceStalls`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankSettings {
    /// Banks of the data array.
    pub data_banks: u32,
    /// Banks of the tag array.
    pub tag_banks: u32,
    /// Cycles for which a data bank is busy.
    pub data_latency: u64,
    /// Cycles for which a tag bank is busy.
    pub tag_latency: u64,
}

/// Which of a cache's arrays an access needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Array {
    /// The data.
    Data,
    /// The tags.
    Tag,
}

impl CacheParameters {
    /// The number of sets with blocks of `block` bytes.
    ///
    /// # Errors
    /// Fails if the runtime supports no cache of these parameters.
    pub fn sets(&self, block: u64) -> Result<u64, CacheError> {
        let ways = u64::from(self.ways);
        if ways == 0 || ways > 64 {
            return Err(CacheError::Ways(ways));
        }
        if self.policy == Policy::TreePlru && !self.ways.is_power_of_two() {
            return Err(CacheError::TreePlru(ways));
        }
        let sets = self.size / ways / block.max(1);
        if sets < 2 {
            let size = self.size;
            return Err(CacheError::Sets { size, ways, block, sets });
        }
        if sets * ways > 1 << 24 || self.start_index_bit > 63 {
            return Err(CacheError::Blocks);
        }
        // gem5 takes as many address bits as fit, and leaves the other sets alone.
        Ok(1 << sets.ilog2())
    }
}

/// A cache.
#[derive(Clone, Debug)]
pub struct CacheMemory {
    geometry: CacheParameters,
    /// The number of sets less 1.
    mask: u64,
    /// By way, set after set: the line, or [`NO_LINE`].
    lines: Vec<u64>,
    entries: Vec<u64>,
    permissions: Vec<u8>,
    monitors: Vec<u32>,
    replacement: Replacement,
    /// The way of each entry.
    ways: FxHashMap<u64, u32>,
    /// When each bank is free again: those of the data, then those of the tags.
    busy: Vec<u64>,
}

impl CacheMemory {
    /// Makes an empty cache for blocks of `block` bytes.
    ///
    /// # Errors
    /// Fails if the runtime supports no cache of these parameters.
    pub fn new(geometry: CacheParameters, block: u64) -> Result<CacheMemory, CacheError> {
        let sets = geometry.sets(block)?;
        let slots = (sets * u64::from(geometry.ways)) as usize;
        let banks = geometry.banks.map_or(0, |banks| banks.data_banks + banks.tag_banks);
        Ok(CacheMemory {
            geometry,
            mask: sets - 1,
            lines: vec![NO_LINE; slots],
            entries: vec![0; slots],
            permissions: vec![NOT_PRESENT; slots],
            monitors: vec![NOBODY; slots],
            replacement: Replacement::new(geometry.policy, sets as usize, geometry.ways),
            ways: FxHashMap::default(),
            busy: vec![0; banks as usize],
        })
    }

    /// The geometry of the cache: sets, ways and block size.
    pub fn geometry(&self) -> CacheParameters {
        self.geometry
    }

    /// Cycles for the access to an array (`getTagLatency`, `getDataLatency`).
    pub fn latency(&self, array: Array) -> u64 {
        self.geometry.banks.map_or(self.geometry.latency, |banks| match array {
            Array::Data => banks.data_latency,
            Array::Tag => banks.tag_latency,
        })
    }

    /// How many entries it has room for.
    pub fn blocks(&self) -> usize {
        self.lines.len()
    }

    /// The number of the set of a line.
    #[inline]
    pub fn set(&self, line: u64) -> usize {
        ((line >> self.geometry.start_index_bit) & self.mask) as usize
    }

    #[inline]
    fn ways_of(&self, line: u64) -> std::ops::Range<usize> {
        let ways = self.geometry.ways as usize;
        let first = self.set(line) * ways;
        first..first + ways
    }

    /// Where a line is that has an entry and is not NotPresent.
    #[inline]
    fn find(&self, line: u64) -> Option<usize> {
        let mut ways = self.ways_of(line);
        ways.find(|&slot| self.lines[slot] == line && self.permissions[slot] != NOT_PRESENT)
    }

    /// A way without an entry, or with one that is NotPresent.
    fn find_free(&self, line: u64) -> Option<usize> {
        let mut ways = self.ways_of(line);
        ways.find(|&slot| self.permissions[slot] == NOT_PRESENT)
    }

    /// Where an entry is.
    #[inline]
    fn find_entry(&self, entry: u64) -> Option<usize> {
        self.ways.get(&entry).map(|&slot| slot as usize)
    }

    /// The entry of a line, or 0.
    #[inline]
    pub fn lookup(&self, line: u64) -> u64 {
        self.find(line).map_or(0, |slot| self.entries[slot])
    }

    /// Whether a line has an entry.
    #[inline]
    pub fn is_tag_present(&self, line: u64) -> bool {
        self.find(line).is_some()
    }

    /// Whether a line has an entry or could get one.
    #[inline]
    pub fn cache_avail(&self, line: u64) -> bool {
        self.find_free(line).or_else(|| self.find(line)).is_some()
    }

    /// The line that has to go before `line` can get an entry.
    pub fn cache_probe(&self, line: u64) -> Result<u64, Misuse> {
        if self.cache_avail(line) {
            return Err(Misuse::SetAvailable(line));
        }
        let way = self.replacement.victim(self.set(line));
        Ok(self.lines[self.ways_of(line).start + way])
    }

    /// Puts an entry into the first free way, with permission Invalid, monitored by nobody, as the
    /// one used last. Returns the line of an entry that was in the way and NotPresent, if there was one: it is lost.
    pub fn allocate(&mut self, line: u64, entry: u64) -> Result<Option<u64>, Misuse> {
        if self.is_tag_present(line) {
            return Err(Misuse::Present(line));
        }
        let slot = self.find_free(line).ok_or(Misuse::SetFull(line))?;
        let old = self.entries[slot];
        let lost = (old != 0 && old != entry).then_some(self.lines[slot]);
        self.ways.remove(&old);
        self.lines[slot] = line;
        self.entries[slot] = entry;
        self.permissions[slot] = INVALID;
        self.monitors[slot] = NOBODY;
        self.ways.insert(entry, slot as u32);
        self.touch(slot);
        Ok(lost)
    }

    /// Removes the entry of a line and returns it.
    pub fn deallocate(&mut self, line: u64) -> Result<u64, Misuse> {
        let slot = self.find(line).ok_or(Misuse::Absent(line))?;
        let entry = std::mem::take(&mut self.entries[slot]);
        self.lines[slot] = NO_LINE;
        self.permissions[slot] = NOT_PRESENT;
        self.monitors[slot] = NOBODY;
        self.ways.remove(&entry);
        let ways = self.geometry.ways as usize;
        self.replacement.free(slot / ways, slot % ways);
        Ok(entry)
    }

    fn touch(&mut self, slot: usize) {
        let ways = self.geometry.ways as usize;
        self.replacement.touch(slot / ways, slot % ways);
    }

    /// Notes that a line was used; nothing happens if it is absent.
    #[inline]
    pub fn set_mru(&mut self, line: u64) {
        if let Some(slot) = self.find(line) {
            self.touch(slot);
        }
    }

    /// The same for an entry, which must not be null.
    #[inline]
    pub fn set_mru_entry(&mut self, entry: u64) -> Result<(), Misuse> {
        if entry == 0 {
            return Err(Misuse::NoEntry);
        }
        if let Some(slot) = self.find_entry(entry) {
            self.touch(slot);
        }
        Ok(())
    }

    /// The line in a way, counted through the sets; 0 if the way is free, or its permission Invalid or NotPresent
    /// (`getAddressAtIdx`).
    pub fn address_at(&self, index: u64) -> Result<u64, Misuse> {
        let permission = self.permissions.get(index as usize);
        match *permission.ok_or(Misuse::NoSlot(index))? {
            INVALID | NOT_PRESENT => Ok(0),
            _ => Ok(self.lines[index as usize]),
        }
    }

    /// The lines and entries that it holds, set by set.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        let held = self.lines.iter().copied().zip(self.entries.iter().copied());
        held.filter(|&(line, _)| line != NO_LINE)
    }

    /// The number of the permission of a line; NotPresent if it has no entry.
    #[inline]
    pub fn permission(&self, line: u64) -> u8 {
        self.find(line).map_or(NOT_PRESENT, |slot| self.permissions[slot])
    }

    /// Changes the permission of an entry; Invalid and NotPresent clear its monitor. Says whether
    /// the entry is in this cache.
    #[inline]
    pub fn change_permission(&mut self, entry: u64, permission: u8) -> bool {
        let Some(slot) = self.find_entry(entry) else {
            return false;
        };
        self.permissions[slot] = permission;
        if matches!(permission, INVALID | NOT_PRESENT) {
            self.monitors[slot] = NOBODY;
        }
        true
    }

    /// The sequencer that monitors a line for its store-conditional.
    pub fn monitor(&self, line: u64) -> Option<u32> {
        let owner = self.monitors[self.find(line)?];
        (owner != NOBODY).then_some(owner)
    }

    /// Makes a sequencer the one that monitors a line; nothing happens if that is absent.
    pub fn set_monitor(&mut self, line: u64, sequencer: u32) {
        if let Some(slot) = self.find(line) {
            self.monitors[slot] = sequencer;
        }
    }

    /// Ends the monitoring of a line, by whomever.
    pub fn clear_monitor(&mut self, line: u64) {
        self.set_monitor(line, NOBODY);
    }

    /// Ends the monitoring of all lines by a sequencer.
    pub fn clear_monitors_of(&mut self, sequencer: u32) {
        let owned = self.monitors.iter_mut().filter(|owner| **owner == sequencer);
        owned.for_each(|owner| *owner = NOBODY);
    }

    /// Whether the bank of a line is free. Always, if banks are not modelled.
    pub fn check_resource(&self, array: Array, line: u64, now: u64) -> bool {
        let bank = self.bank(array, line);
        bank.is_none_or(|(bank, _)| now >= self.busy[bank])
    }

    /// Reserves the bank of a line for the time of an access.
    pub fn record_request(&mut self, array: Array, line: u64, now: u64) {
        if let Some((bank, latency)) = self.bank(array, line) {
            self.busy[bank] = now + latency;
        }
    }

    /// The bank of a line and for how long an access takes it.
    fn bank(&self, array: Array, line: u64) -> Option<(usize, u64)> {
        let banks = self.geometry.banks?;
        let (first, count, latency) = match array {
            Array::Data => (0, banks.data_banks, banks.data_latency),
            Array::Tag => (banks.data_banks, banks.tag_banks, banks.tag_latency),
        };
        let bank = self.set(line).checked_rem(count as usize)?;
        Some((first as usize + bank, latency))
    }
}

/// What is known about the use of the ways of each set.
#[derive(Clone, Debug)]
enum Replacement {
    /// For each set a tree of bits, one word: node 1 is the root, the children of node n are 2n and
    /// 2n+1, and the leaves are the ways. A bit 0 points left, 1 right.
    Tree { trees: Vec<u64>, levels: u32 },
    /// For each way when it was used last, by a clock that counts uses; 0 if it is free.
    Clock { used: Vec<u64>, clock: u64, ways: usize },
}

impl Replacement {
    fn new(policy: Policy, sets: usize, ways: u32) -> Replacement {
        match policy {
            Policy::TreePlru => Replacement::Tree { trees: vec![0; sets], levels: ways.ilog2() },
            Policy::Lru => Replacement::Clock {
                used: vec![0; sets * ways as usize],
                clock: 0,
                ways: ways as usize,
            },
        }
    }

    #[inline]
    fn touch(&mut self, set: usize, way: usize) {
        match self {
            Replacement::Tree { trees, levels } => point(&mut trees[set], *levels, way, false),
            Replacement::Clock { used, clock, ways } => {
                *clock += 1;
                used[set * *ways + way] = *clock;
            }
        }
    }

    fn free(&mut self, set: usize, way: usize) {
        match self {
            Replacement::Tree { trees, levels } => point(&mut trees[set], *levels, way, true),
            Replacement::Clock { used, ways, .. } => used[set * *ways + way] = 0,
        }
    }

    fn victim(&self, set: usize) -> usize {
        match self {
            Replacement::Tree { trees, levels } => {
                let down = |node: usize| 2 * node + (trees[set] >> node & 1) as usize;
                let leaf = (0..*levels).fold(1, |node, _| down(node));
                leaf - (1 << levels)
            }
            Replacement::Clock { used, ways, .. } => {
                let oldest = (0..*ways).min_by_key(|way| used[set * ways + way]);
                oldest.unwrap_or(0)
            }
        }
    }
}

/// Makes the bits on the path to a way point to it, or away from it.
#[inline]
fn point(tree: &mut u64, levels: u32, way: usize, towards: bool) {
    let mut node = way + (1 << levels);
    while node > 1 {
        let right = node & 1 == 1;
        node /= 2;
        let bit = u64::from(right == towards) << node;
        *tree = *tree & !(1 << node) | bit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruby::delays::Delays;

    fn cache(sets: u64, ways: u32, policy: Policy) -> CacheMemory {
        let geometry = CacheParameters {
            size: sets * u64::from(ways) * 64,
            ways,
            start_index_bit: 6,
            policy,
            latency: 1,
            banks: None,
        };
        CacheMemory::new(geometry, 64).unwrap()
    }

    /// A tree as drawn on paper: inner nodes with an arrow, leaves with a way.
    enum Tree {
        Leaf(usize),
        Node(bool, Box<Tree>, Box<Tree>),
    }

    impl Tree {
        fn new(first: usize, ways: usize) -> Tree {
            if ways == 1 {
                return Tree::Leaf(first);
            }
            let half = ways / 2;
            let left = Tree::new(first, half);
            Tree::Node(false, Box::new(left), Box::new(Tree::new(first + half, half)))
        }

        fn holds(&self, way: usize) -> bool {
            match self {
                Tree::Leaf(leaf) => *leaf == way,
                Tree::Node(_, left, right) => left.holds(way) || right.holds(way),
            }
        }

        fn point(&mut self, way: usize, towards: bool) {
            if let Tree::Node(right_next, left, right) = self {
                let is_right = right.holds(way);
                *right_next = is_right == towards;
                let child = if is_right { right } else { left };
                child.point(way, towards);
            }
        }

        fn victim(&self) -> usize {
            match self {
                Tree::Leaf(way) => *way,
                Tree::Node(false, left, _) => left.victim(),
                Tree::Node(true, _, right) => right.victim(),
            }
        }
    }

    /// Lines of one set, each in a way, with what the policy should know.
    fn run_against_paper(ways: u32, policy: Policy) {
        let mut random = Delays::new(u64::from(ways));
        let mut cache = cache(2, ways, policy);
        let mut tree = Tree::new(0, ways as usize);
        let mut order: Vec<usize> = Vec::new();
        let mut held: Vec<Option<u64>> = vec![None; ways as usize];
        for step in 1..20_000 {
            let line = 64 + 128 * random.below(u64::from(ways) * 2);
            let way = held.iter().position(|other| *other == Some(line));
            assert_eq!(cache.is_tag_present(line), way.is_some());
            match (way, random.below(5)) {
                (Some(way), 0) => {
                    assert!(cache.deallocate(line).is_ok());
                    held[way] = None;
                    tree.point(way, true);
                    order.retain(|other| *other != way);
                }
                (Some(way), _) => {
                    assert_eq!(cache.allocate(line, 1), Err(Misuse::Present(line)));
                    let entry = cache.lookup(line);
                    if step % 2 == 0 {
                        cache.set_mru(line)
                    } else {
                        cache.set_mru_entry(entry).unwrap()
                    }
                    tree.point(way, false);
                    order.retain(|other| *other != way);
                    order.push(way);
                }
                (None, _) => match held.iter().position(Option::is_none) {
                    Some(way) => {
                        assert!(cache.cache_avail(line));
                        assert_eq!(cache.cache_probe(line), Err(Misuse::SetAvailable(line)));
                        assert_eq!(cache.allocate(line, step), Ok(None));
                        assert_eq!(cache.lookup(line), step);
                        held[way] = Some(line);
                        tree.point(way, false);
                        order.push(way);
                    }
                    None => {
                        let victim = match policy {
                            Policy::TreePlru => tree.victim(),
                            Policy::Lru => order[0],
                        };
                        assert!(!cache.cache_avail(line));
                        assert_eq!(cache.cache_probe(line), Ok(held[victim].unwrap()));
                        assert_eq!(cache.allocate(line, 1), Err(Misuse::SetFull(line)));
                    }
                },
            }
        }
    }

    #[test]
    fn replaces_as_drawn_on_paper() {
        for ways in [1, 2, 4, 8, 64] {
            run_against_paper(ways, Policy::TreePlru);
        }
        for ways in [1, 2, 3, 8] {
            run_against_paper(ways, Policy::Lru);
        }
    }

    #[test]
    fn shapes_that_cannot_be_are_refused() {
        let shape = |size, ways, policy| CacheParameters {
            size,
            ways,
            start_index_bit: 6,
            policy,
            latency: 1,
            banks: None,
        };
        assert_eq!(shape(256, 2, Policy::TreePlru).sets(64), Ok(2));
        assert_eq!(shape(3 * 128, 2, Policy::TreePlru).sets(64), Ok(2));
        assert!(shape(128, 2, Policy::TreePlru).sets(64).is_err());
        assert!(shape(256, 0, Policy::TreePlru).sets(64).is_err());
        assert!(shape(1 << 20, 3, Policy::TreePlru).sets(64).is_err());
        assert!(shape(1 << 20, 128, Policy::TreePlru).sets(64).is_err());
        assert!(shape(u64::MAX, 2, Policy::Lru).sets(8).is_err());
        assert_eq!(shape(768, 3, Policy::Lru).sets(64), Ok(4));
    }

    #[test]
    fn monitors_end_with_the_permission() {
        let mut cache = cache(2, 2, Policy::TreePlru);
        cache.set_monitor(64, 3);
        assert_eq!(cache.monitor(64), None);
        cache.allocate(64, 100).unwrap();
        assert_eq!((cache.permission(64), cache.permission(128)), (INVALID, NOT_PRESENT));
        assert!(cache.change_permission(100, 1));
        cache.set_monitor(64, 3);
        assert_eq!((cache.monitor(64), cache.permission(64)), (Some(3), 1));
        cache.clear_monitors_of(2);
        assert_eq!(cache.monitor(64), Some(3));
        assert!(cache.change_permission(100, INVALID));
        assert_eq!(cache.monitor(64), None);
        assert!(!cache.change_permission(101, 1));
        cache.set_monitor(64, 4);
        cache.deallocate(64).unwrap();
        assert_eq!(cache.deallocate(64), Err(Misuse::Absent(64)));
        cache.allocate(64, 100).unwrap();
        assert_eq!(cache.monitor(64), None);
    }

    #[test]
    fn slots_are_walked_set_by_set() {
        let mut cache = cache(2, 2, Policy::TreePlru);
        cache.allocate(64, 100).unwrap();
        cache.allocate(128, 200).unwrap();
        cache.allocate(256, 300).unwrap();
        let lines = |cache: &CacheMemory| {
            let slots = (0..4).map(|index| cache.address_at(index).unwrap());
            slots.collect::<Vec<_>>()
        };
        // An entry without a permission is passed over.
        assert_eq!(lines(&cache), [0, 0, 0, 0]);
        for entry in [100, 200, 300] {
            cache.change_permission(entry, 0);
        }
        assert_eq!(lines(&cache), [128, 256, 64, 0]);
        assert_eq!(cache.address_at(4), Err(Misuse::NoSlot(4)));
        assert_eq!(cache.iter().collect::<Vec<_>>(), [(128, 200), (256, 300), (64, 100)]);
    }

    #[test]
    fn a_bank_is_busy_for_its_latency() {
        let mut geometry = cache(4, 2, Policy::TreePlru).geometry();
        geometry.banks =
            Some(BankSettings { data_banks: 2, tag_banks: 1, data_latency: 20, tag_latency: 15 });
        let mut cache = CacheMemory::new(geometry, 64).unwrap();
        assert_eq!((cache.latency(Array::Data), cache.latency(Array::Tag)), (20, 15));
        cache.record_request(Array::Data, 64, 10);
        // Sets 1 and 3 share a bank of the data; set 2 does not.
        assert!(!cache.check_resource(Array::Data, 192, 29));
        assert!(cache.check_resource(Array::Data, 192, 30));
        assert!(cache.check_resource(Array::Data, 128, 11));
        assert!(cache.check_resource(Array::Tag, 64, 11));
        cache.record_request(Array::Tag, 64, 11);
        assert!(!cache.check_resource(Array::Tag, 128, 25));
        assert!(cache.check_resource(Array::Tag, 128, 26));
    }
}
