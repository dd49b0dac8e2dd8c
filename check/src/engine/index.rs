//! [`Index`]: events by location and chain. It counts quickly how many of a location's events in a chain a
//! clock covers, which are those up to a position.

/// The events of one location in one chain.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Slot of the chain.
    pub slot: u32,
    /// The range of the group's members in the index.
    start: u32,
    end: u32,
    /// Index of the group's first bucket. A group has as many buckets as members.
    buckets: u32,
    /// Buckets per position, in units of 2^-32.
    scale: u32,
}

impl Group {
    /// The bucket of a position. Positions past the end may be in any of the last buckets.
    fn bucket(&self, position: u32) -> usize {
        let bucket = (u64::from(position) * u64::from(self.scale)) >> 32;
        bucket.min(u64::from(self.end - self.start - 1)) as usize
    }
}

/// Positions of events, by location and slot. Memory: 12 bytes a member and 24 a group.
///
/// The positions of a group are divided into as many equal buckets as it has members. Finding the last
/// member up to a position takes constant time if the members are spread evenly, and a binary search
/// within a bucket if they are not.
#[derive(Debug, Default)]
pub struct Index {
    /// Per location, its groups are `table[first[location]..first[location + 1]]`.
    first: Vec<u32>,
    table: Vec<Group>,
    /// The slot of each group.
    slots: Vec<u32>,
    members: Vec<u32>,
    positions: Vec<u32>,
    /// Per group and bucket, how many of its members come before the bucket.
    buckets: Vec<u32>,
}

impl Index {
    /// Indexes `(location, slot, position, event)`, which must be sorted. Cost: linear.
    pub fn new(locations: usize, entries: &[(u32, u32, u32, u32)]) -> Index {
        let mut index = Index {
            first: vec![0; locations + 1],
            members: entries.iter().map(|entry| entry.3).collect(),
            positions: entries.iter().map(|entry| entry.2).collect(),
            ..Index::default()
        };
        let mut start = 0;
        for chunk in entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (location, slot, ..) = chunk[0];
            index.first[location as usize + 1] += 1;
            index.push_group(slot, start, chunk.len() as u32);
            start += chunk.len() as u32;
        }
        for location in 0..locations {
            index.first[location + 1] += index.first[location];
        }
        index
    }

    fn push_group(&mut self, slot: u32, start: u32, length: u32) {
        let end = start + length;
        let positions = &self.positions[start as usize..end as usize];
        let range = u64::from(positions[positions.len() - 1]) + 1;
        let group = Group {
            slot,
            start,
            end,
            buckets: self.buckets.len() as u32,
            // At most one bucket a position, so the fraction is below 1.
            scale: ((u64::from(length) << 32) / range).min(u64::from(u32::MAX)) as u32,
        };
        let mut before = 0;
        for bucket in 0..length as usize {
            while before < length && group.bucket(positions[before as usize]) < bucket {
                before += 1;
            }
            self.buckets.push(before);
        }
        self.table.push(group);
        self.slots.push(slot);
    }

    /// The groups of a location, by slot.
    pub fn groups(&self, location: u32) -> &[Group] {
        &self.table[self.range(location)]
    }

    /// The indices of a location's groups among those of all locations.
    pub fn range(&self, location: u32) -> std::ops::Range<usize> {
        let location = location as usize;
        self.first[location] as usize..self.first[location + 1] as usize
    }

    /// The n-th group of all locations.
    pub fn group(&self, n: usize) -> &Group {
        &self.table[n]
    }

    /// The slots of a location's groups, ascending.
    pub fn slots(&self, location: u32) -> &[u32] {
        &self.slots[self.range(location)]
    }

    /// Number of locations.
    pub fn locations(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// Number of groups of all locations.
    pub fn all_groups(&self) -> usize {
        self.table.len()
    }

    /// The position in its chain of a group's n-th member, from 0.
    pub fn position(&self, group: &Group, n: usize) -> Option<u32> {
        self.positions[group.start as usize..group.end as usize].get(n).copied()
    }

    /// The group of each of `events` events; [`u32::MAX`] for events without a group.
    pub fn group_of_each(&self, events: usize) -> Vec<u32> {
        let mut groups = vec![u32::MAX; events];
        for (number, group) in self.table.iter().enumerate() {
            for &member in self.members(group) {
                groups[member as usize] = number as u32;
            }
        }
        groups
    }

    /// The events of a group, in the order of their chain.
    pub fn members(&self, group: &Group) -> &[u32] {
        &self.members[group.start as usize..group.end as usize]
    }

    /// How many members of a group are at or before a position of its chain.
    #[inline]
    pub fn count_up_to(&self, group: &Group, position: u32) -> usize {
        let positions = &self.positions[group.start as usize..group.end as usize];
        let bucket = group.bucket(position);
        let buckets = &self.buckets[group.buckets as usize..][..positions.len()];
        let low = buckets[bucket] as usize;
        let high = buckets.get(bucket + 1).map_or(positions.len(), |&b| b as usize);
        low + positions[low..high].partition_point(|&other| other <= position)
    }
}
