//! Caches: their lines, entries and permissions. `replacement` chooses the victims.
//!
//! The cache stores the permission and the load-linked monitor of each entry. As in gem5, an entry whose permission is
//! NotPresent keeps its way, but is not found, and may be replaced as if the way were free.

pub mod frozen;
mod parameters;
mod replacement;
#[cfg(test)]
mod tests;

use super::Misuse;
use crate::error::CacheError;
pub use parameters::{Array, BankSettings, CacheParameters, Policy};
use replacement::Replacement;

/// The number of `AccessPermission:Invalid`.
pub const INVALID: u8 = 5;
/// The number of `AccessPermission:NotPresent`.
pub const NOT_PRESENT: u8 = 6;

/// Stands for no line; the addresses of lines are multiples of at least 8.
const NO_LINE: u64 = u64::MAX;
/// The monitor of an entry that no sequencer monitors.
const NOBODY: u32 = u32::MAX;

/// A cache.
#[derive(Clone, Debug)]
pub struct CacheMemory {
    geometry: CacheParameters,
    /// The number of sets less 1.
    mask: u64,
    /// The number of ways of a set.
    ways: usize,
    /// The line in each way, set after set; [`NO_LINE`] if there is none.
    lines: Vec<u64>,
    /// The same without lines that are NotPresent, in which lines are looked up.
    found: Vec<u64>,
    entries: Vec<u64>,
    permissions: Vec<u8>,
    monitors: Vec<u32>,
    replacement: Replacement,
    /// The tick at which each bank is free again: data banks, then tag banks.
    busy: Vec<u64>,
}

impl CacheMemory {
    /// Creates an empty cache for blocks of `block` bytes.
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
            ways: geometry.ways as usize,
            found: vec![NO_LINE; slots],
            lines: vec![NO_LINE; slots],
            entries: vec![0; slots],
            permissions: vec![NOT_PRESENT; slots],
            monitors: vec![NOBODY; slots],
            replacement: Replacement::new(geometry.policy, sets as usize, geometry.ways),
            busy: vec![0; banks as usize],
        })
    }

    /// The parameters of the cache.
    pub fn geometry(&self) -> CacheParameters {
        self.geometry
    }

    /// Latency of an access to an array, in cycles (`getTagLatency`, `getDataLatency`).
    pub fn latency(&self, array: Array) -> u64 {
        let CacheParameters { tag_latency, data_latency, banks, .. } = self.geometry;
        match array {
            Array::Data => banks.map_or(data_latency, |banks| banks.data_latency),
            Array::Tag => banks.map_or(tag_latency, |banks| banks.tag_latency),
        }
    }

    /// The number of entries for which the cache has room.
    pub fn blocks(&self) -> usize {
        self.lines.len()
    }

    /// The index of the set of a line.
    #[inline]
    pub fn set(&self, line: u64) -> usize {
        ((line >> self.geometry.start_index_bit) & self.mask) as usize
    }

    #[inline]
    fn ways_of(&self, line: u64) -> std::ops::Range<usize> {
        let first = self.set(line) * self.ways;
        first..first + self.ways
    }

    /// The index of a line's way, if the line has an entry that is not NotPresent.
    #[inline]
    fn find(&self, line: u64) -> Option<usize> {
        let ways = self.ways_of(line);
        let first = ways.start;
        let way = self.found[ways].iter().position(|found| *found == line);
        way.map(|way| first + way)
    }

    /// The index of a way without an entry, or with one that is NotPresent.
    fn find_free(&self, line: u64) -> Option<usize> {
        let mut ways = self.ways_of(line);
        ways.find(|&slot| self.permissions[slot] == NOT_PRESENT)
    }

    /// Whether an entry is in a way.
    #[inline]
    fn holds(&self, slot: usize, entry: u64) -> bool {
        self.entries.get(slot) == Some(&entry)
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

    /// Whether a line has an entry, or its set has a free way.
    #[inline]
    pub fn cache_avail(&self, line: u64) -> bool {
        self.find_free(line).or_else(|| self.find(line)).is_some()
    }

    /// The line that has to be evicted before `line` can get an entry.
    ///
    /// # Errors
    /// Fails if the line has an entry, or its set a free way.
    pub fn cache_probe(&self, line: u64) -> Result<u64, Misuse> {
        if self.cache_avail(line) {
            return Err(Misuse::SetAvailable(line));
        }
        let way = self.replacement.victim(self.set(line));
        Ok(self.lines[self.ways_of(line).start + way])
    }

    /// Puts an entry into the first free way, with permission Invalid and no monitor, as the one used last. Returns the
    /// index of the way, and the line of an entry that was in that way and NotPresent, if there was one: it is lost.
    ///
    /// # Errors
    /// Fails if the line has an entry, or its set is full.
    pub fn allocate(&mut self, line: u64, entry: u64) -> Result<(usize, Option<u64>), Misuse> {
        if self.is_tag_present(line) {
            return Err(Misuse::Present(line));
        }
        let slot = self.find_free(line).ok_or(Misuse::SetFull(line))?;
        let old = self.entries[slot];
        let lost = (old != 0 && old != entry).then_some(self.lines[slot]);
        self.lines[slot] = line;
        self.entries[slot] = entry;
        self.set_permission(slot, INVALID);
        self.monitors[slot] = NOBODY;
        self.touch(slot);
        Ok((slot, lost))
    }

    /// Whether [`CacheMemory::allocate`] would replace an entry that is NotPresent by another one.
    pub fn loses_entry(&self, line: u64, entry: u64) -> bool {
        self.find_free(line).is_some_and(|slot| ![0, entry].contains(&self.entries[slot]))
    }

    /// Removes the entry of a line and returns it.
    ///
    /// # Errors
    /// Fails if the line has no entry.
    pub fn deallocate(&mut self, line: u64) -> Result<u64, Misuse> {
        let slot = self.find(line).ok_or(Misuse::Absent(line))?;
        let entry = std::mem::take(&mut self.entries[slot]);
        self.lines[slot] = NO_LINE;
        self.set_permission(slot, NOT_PRESENT);
        self.monitors[slot] = NOBODY;
        self.replacement.free(slot / self.ways, slot % self.ways);
        Ok(entry)
    }

    /// Sets the permission of the line in a way, which is found unless it is NotPresent.
    #[inline]
    fn set_permission(&mut self, slot: usize, permission: u8) {
        self.permissions[slot] = permission;
        self.found[slot] = if permission == NOT_PRESENT { NO_LINE } else { self.lines[slot] };
    }

    fn touch(&mut self, slot: usize) {
        // Much faster than a division of 64 bits.
        let (slot, ways) = (slot as u32, self.geometry.ways);
        self.replacement.touch((slot / ways) as usize, (slot % ways) as usize);
    }

    /// Records the use of a line; an absent line is ignored.
    #[inline]
    pub fn set_mru(&mut self, line: u64) {
        if let Some(slot) = self.find(line) {
            self.touch(slot);
        }
    }

    /// Records the use of an entry, which is in the given way if it was allocated here last.
    #[inline]
    pub fn touch_entry(&mut self, entry: u64, slot: Option<usize>) {
        let slot = slot.or_else(|| self.entries.iter().position(|other| *other == entry));
        if let Some(slot) = slot.filter(|&slot| self.holds(slot, entry)) {
            self.touch(slot);
        }
    }

    /// The line in the way with this index, set after set; 0 if the way is free, or its permission Invalid or
    /// NotPresent (`getAddressAtIdx`).
    ///
    /// # Errors
    /// Fails if the cache has no such way.
    pub fn address_at(&self, index: u64) -> Result<u64, Misuse> {
        let permission = self.permissions.get(index as usize);
        match *permission.ok_or(Misuse::NoSlot(index))? {
            INVALID | NOT_PRESENT => Ok(0),
            _ => Ok(self.lines[index as usize]),
        }
    }

    /// The lines with their entries, set by set.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        let held = self.lines.iter().copied().zip(self.entries.iter().copied());
        held.filter(|&(line, _)| line != NO_LINE)
    }

    /// The number of the permission of a line; NotPresent if it has no entry.
    #[inline]
    pub fn permission(&self, line: u64) -> u8 {
        self.find(line).map_or(NOT_PRESENT, |slot| self.permissions[slot])
    }

    /// Changes the permission of an entry; Invalid and NotPresent clear its monitor. Returns whether
    /// the entry is in this way.
    #[inline]
    pub fn change_permission(&mut self, slot: usize, entry: u64, permission: u8) -> bool {
        if !self.holds(slot, entry) {
            return false;
        }
        self.set_permission(slot, permission);
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

    /// Sets the sequencer that monitors a line; an absent line is ignored.
    pub fn set_monitor(&mut self, line: u64, sequencer: u32) {
        if let Some(slot) = self.find(line) {
            self.monitors[slot] = sequencer;
        }
    }

    /// Ends the monitoring of a line by any sequencer.
    pub fn clear_monitor(&mut self, line: u64) {
        self.set_monitor(line, NOBODY);
    }

    /// Ends the monitoring of all lines by a sequencer.
    pub fn clear_monitors_of(&mut self, sequencer: u32) {
        let owned = self.monitors.iter_mut().filter(|owner| **owner == sequencer);
        owned.for_each(|owner| *owner = NOBODY);
    }

    /// The tick from which on the bank of a line is free; 0 if banks are not modelled.
    pub fn free_at(&self, array: Array, line: u64) -> u64 {
        self.bank(array, line).map_or(0, |(bank, _)| self.busy[bank])
    }

    /// Reserves the bank of a line for the time of an access.
    pub fn record_request(&mut self, array: Array, line: u64, now: u64) {
        if let Some((bank, latency)) = self.bank(array, line) {
            self.busy[bank] = now + latency;
        }
    }

    /// The bank of a line, and the number of cycles that an access takes it.
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
