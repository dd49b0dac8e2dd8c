//! Functions of the library that are called often, though less often than those that `run` carries out itself.
//!
//! `library` can carry out every function, but it takes some 120 instructions of the processor to read the arguments, find the
//! function, and pass an error on. Here a function that fails has no effect, and its error is made by `library`.

use slicc::compile::trackers::records;
use slicc::compile::types::UNSET_ADDRESS;
use slicc::library::LibraryFunction;

use super::calculations::bits_of_range;
use crate::ruby::sets::bits;
use crate::ruby::trackers::{events, expected, storage};
use crate::system::System;
use crate::system::words::CachePlace;

impl System {
    /// Carries out a function with its first four arguments, if it is one of those here and does not fail.
    #[inline(never)]
    pub(in crate::system) fn frequent(
        &mut self,
        function: LibraryFunction,
        [a, b, c, d]: [u64; 4],
    ) -> Option<u64> {
        use LibraryFunction::*;
        let i = a as usize;
        let result = match function {
            LineAddress if a != UNSET_ADDRESS => self.line_of(a),
            // Explorations record what the result depends on.
            MapToRange if a != UNSET_ADDRESS && !self.is_watched => {
                b << 32 | bits_of_range(a, c, d)
            }
            MachineKind => a >> 32,
            DestClear => {
                self.words.words[i..i + self.machines.words()].fill(0);
                0
            }
            DestCount => {
                // It changes nothing, and reads only what the controller owns.
                return Some(bits::count(&self.words.words[i..i + self.machines.words()]));
            }
            TableAllocate => self.allocate_transaction(i, b)?,
            TableDeallocate if self.line_tables.is_line(b) => {
                let object = self.line_tables.tables[i].deallocate(b).ok()?;
                self.words.release(object);
                0
            }
            CacheProbe if self.line_tables.is_line(b) => {
                // It changes nothing, and reads only what the controller owns.
                return self.line_tables.caches[i].cache_probe(b).ok();
            }
            CacheDeallocate if self.line_tables.is_line(b) => {
                let entry = self.line_tables.caches[i].deallocate(b).ok()?;
                self.words.set_cache_place(entry, None);
                self.words.release(entry);
                0
            }
            CacheAllocate if c != 0 && self.line_tables.is_line(b) => {
                let cache = &mut self.line_tables.caches[i];
                if cache.loses_entry(b, c) {
                    return None;
                }
                let (slot, _) = cache.allocate(b, c).ok()?;
                self.words.set_cache_place(c, Some(CachePlace { cache: i, slot }));
                c
            }
            TimerReady => u64::from(self.timers[i].is_ready(b)),
            MaskCount => self.mask.count(&self.words.words[i..], 0),
            MaskIsFull => u64::from(self.mask.is_full(&self.words.words[i..i + self.mask.words()])),
            _ if i == 0 => return None,
            ExpectLeft => expected::left(&self.words.words[i..]) as u64,
            ExpectAny => u64::from(expected::left(&self.words.words[i..]) != 0),
            QueueEmpty => u64::from(self.words.words[i + records::LENGTH] == 0),
            QueueFront => events::end(&self.words.words[i..], false).ok()?.0,
            QueueFrontMarked => u64::from(events::end(&self.words.words[i..], false).ok()?.1),
            QueuePop => events::pop(&mut self.words.words[i..]).ok().map(|()| 0)?,
            QueuePush => events::push(&mut self.words.words[i..], b, false).ok().map(|()| 0)?,
            SlotsAvailable => u64::from(storage::free(&self.words.words[i..]) >= b as i64),
            _ => return None,
        };
        self.wakeup_log.has_changed = true;
        Some(result)
    }

    /// Allocates a TBE for a line.
    fn allocate_transaction(&mut self, table: usize, line: u64) -> Option<u64> {
        if !self.line_tables.is_line(line) || !self.line_tables.tables[table].has_room_for(line) {
            return None;
        }
        self.new_element(table as u64, line).ok().map(|_| 0)
    }
}
