//! Functions of the library that `run` calls without the detour over `library`, which takes three jumps that a processor can hardly
//! predict, to read five arguments, and to pass an error on. Here a function that fails has no effect, and its error is made by `library`.

use slicc::compile::types::UNSET_ADDRESS;

use super::calculations::bits_of_range;
use crate::ruby::cache::Array;
use crate::ruby::sets::bits;
use crate::system::System;
use crate::system::words::CachePlace;

impl System {
    /// Takes the message at the head of a buffer, if it may be taken, and returns how long it has waited.
    #[inline(never)]
    pub(in crate::system) fn take_head(&mut self, buffer: u64) -> Option<u64> {
        let (message, delay) = self.buffers.edit(buffer as usize).dequeue(self.now).ok()?;
        self.wakeup_log.has_changed = true;
        self.words.release(message);
        Some(delay)
    }

    /// Changes the permission of an entry. Entries of directories are in no cache.
    #[inline(never)]
    pub(in crate::system) fn change_permission(&mut self, entry: u64, permission: u64) {
        self.wakeup_log.has_changed = true;
        if let Some(CachePlace { cache, slot }) = self.words.cache_place(entry) {
            self.line_tables.caches[cache].change_permission(slot, entry, permission as u8);
        }
    }

    /// Adds a machine to the destination at an address; returns 0 if it exists.
    #[inline(never)]
    pub(in crate::system) fn add_machine(&mut self, address: u64, machine: u64) -> Option<u64> {
        if self.others.is_on {
            return None;
        }
        self.wakeup_log.has_changed = true;
        let own = address as usize..address as usize + self.machines.words();
        self.machines.add(&mut self.words.words[own], machine).ok()?;
        Some(0)
    }

    /// Removes a machine from the destination at an address; returns 0 if there can be such a machine.
    #[inline(never)]
    pub(in crate::system) fn remove_machine(&mut self, address: u64, machine: u64) -> Option<u64> {
        if self.others.is_on {
            return None;
        }
        self.wakeup_log.has_changed = true;
        let own = address as usize..address as usize + self.machines.words();
        self.machines.remove(&mut self.words.words[own], machine).ok()?;
        Some(0)
    }

    /// Removes all machines from the destination at an address.
    #[inline(never)]
    pub(in crate::system) fn clear_machines(&mut self, address: u64) {
        self.wakeup_log.has_changed = true;
        let own = address as usize..address as usize + self.machines.words();
        self.words.words[own].fill(0);
    }

    /// The number of machines in the destination at an address, if all have names. It changes nothing.
    #[inline(never)]
    pub(in crate::system) fn count_machines(&self, address: u64) -> Option<u64> {
        let own = address as usize..address as usize + self.machines.words();
        (!self.others.is_on).then(|| bits::count(&self.words.words[own]))
    }

    /// Whether the bank of a line is free in the array with this number of CacheResourceType.
    #[inline(never)]
    pub(in crate::system) fn bank_is_free(&mut self, cache: usize, array: u64, line: u64) -> bool {
        let array = if array == 0 { Array::Data } else { Array::Tag };
        let free = self.line_tables.caches[cache].free_at(array, line);
        if free > self.now {
            self.wakeup_log.until = self.wakeup_log.until.min(free);
        }
        self.now >= free
    }

    /// Reserves the bank of a line for an access of the type with this number of CacheRequestType.
    #[inline(never)]
    pub(in crate::system) fn record_access(&mut self, cache: usize, request: u64, line: u64) {
        self.wakeup_log.has_changed = true;
        // The first two are about data.
        let array = if request < 2 { Array::Data } else { Array::Tag };
        self.line_tables.caches[cache].record_request(array, line, self.now);
    }

    /// The controller of a type that some bits of an address select.
    #[inline(never)]
    pub(in crate::system) fn home_in_range(
        &mut self,
        [address, kind, low, width]: [u64; 4],
    ) -> Option<u64> {
        // Explorations record what the result depends on.
        if address == UNSET_ADDRESS || self.is_watched {
            return None;
        }
        self.wakeup_log.has_changed = true;
        Some(kind << 32 | bits_of_range(address, low, width))
    }

    /// Allocates an object of a table for a line, if that has none and there is room; returns 0.
    #[inline(never)]
    pub(in crate::system) fn allocate_transaction(&mut self, table: u64, line: u64) -> Option<u64> {
        let of = &self.line_tables.tables[table as usize];
        if !self.line_tables.is_line(line) || !of.has_room_for(line) {
            return None;
        }
        self.wakeup_log.has_changed = true;
        self.new_element(table, line).ok().map(|_| 0)
    }

    /// Frees the object of a table for a line, if it has one; returns 0.
    #[inline(never)]
    pub(in crate::system) fn free_transaction(&mut self, table: u64, line: u64) -> Option<u64> {
        if !self.line_tables.is_line(line) {
            return None;
        }
        let object = self.line_tables.tables[table as usize].deallocate(line).ok()?;
        self.wakeup_log.has_changed = true;
        self.words.release(object);
        Some(0)
    }

    /// Puts an entry into a cache, if that has room and no other entry is lost; returns the entry.
    #[inline(never)]
    pub(in crate::system) fn allocate_entry(
        &mut self,
        cache: u64,
        line: u64,
        entry: u64,
    ) -> Option<u64> {
        let cache = cache as usize;
        let of = &mut self.line_tables.caches[cache];
        if entry == 0 || line & self.line_tables.offset != 0 || of.loses_entry(line, entry) {
            return None;
        }
        let (slot, _) = of.allocate(line, entry).ok()?;
        self.wakeup_log.has_changed = true;
        self.words.set_cache_place(entry, Some(CachePlace { cache, slot }));
        Some(entry)
    }

    /// Removes the entry of a line from a cache, if it has one; returns 0.
    #[inline(never)]
    pub(in crate::system) fn free_entry(&mut self, cache: u64, line: u64) -> Option<u64> {
        if !self.line_tables.is_line(line) {
            return None;
        }
        let entry = self.line_tables.caches[cache as usize].deallocate(line).ok()?;
        self.wakeup_log.has_changed = true;
        self.words.set_cache_place(entry, None);
        self.words.release(entry);
        Some(0)
    }

    /// The line that has to be evicted from a cache before another one gets an entry. It changes nothing.
    #[inline(never)]
    pub(in crate::system) fn victim(&self, cache: u64, line: u64) -> Option<u64> {
        let cache = &self.line_tables.caches[cache as usize];
        if self.line_tables.is_line(line) { cache.cache_probe(line).ok() } else { None }
    }

    /// Records the use of an entry of a cache.
    #[inline(never)]
    pub(in crate::system) fn touch_entry(&mut self, cache: u64, entry: u64) {
        self.wakeup_log.has_changed = true;
        let cache = cache as usize;
        let place = self.words.cache_place(entry).filter(|place| place.cache == cache);
        self.line_tables.caches[cache].touch_entry(entry, place.map(|place| place.slot));
    }
}
