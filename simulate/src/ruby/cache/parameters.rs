//! The parameters of a cache.

use crate::error::CacheError;

/// The replacement policy of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Tree-PLRU: the victim is the leaf to which a tree of bits points.
    #[default]
    TreePlru,
    /// The victim is the least recently used entry.
    Lru,
}

/// The parameters of a cache, as gem5's configuration has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheParameters {
    /// The size in bytes.
    pub size: u64,
    /// The number of ways of a set.
    pub ways: u32,
    /// The lowest address bit of the set index.
    pub start_index_bit: u32,
    /// The replacement policy.
    pub policy: Policy,
    /// Latency of an access to the tags in cycles, unless banks define it.
    pub tag_latency: u64,
    /// Latency of an access to the data in cycles, unless banks define it.
    pub data_latency: u64,
    /// The banks; `None` if they are not modelled.
    pub banks: Option<BankSettings>,
}

/// Banks that are busy for a while after an access (`resourceStalls`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankSettings {
    /// Number of banks of the data array.
    pub data_banks: u32,
    /// Number of banks of the tag array.
    pub tag_banks: u32,
    /// Number of cycles for which a data bank is busy.
    pub data_latency: u64,
    /// Number of cycles for which a tag bank is busy.
    pub tag_latency: u64,
}

/// An array of a cache.
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
        // gem5 indexes with as many address bits as fit, and does not use the other sets.
        Ok(1 << sets.ilog2())
    }
}
