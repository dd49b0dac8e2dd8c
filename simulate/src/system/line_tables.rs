//! The objects of the library in which protocols look lines up: caches, tables of TBEs and directories.
//!
//! A transition looks up several lines. These objects are a structure of their own, apart from the rest of the system, so
//! that code which looks a line up can keep references to the rest.

use slicc::library::LibraryFunction;

use crate::ruby::cache::CacheMemory;
use crate::ruby::directory::DirectoryMemory;
use crate::ruby::tbe::TbeTable;

/// Caches, tables of TBEs and directories, which protocols identify by number.
#[derive(Debug, Default)]
pub(super) struct LineTables {
    pub caches: Vec<CacheMemory>,
    pub tables: Vec<TbeTable>,
    pub directories: Vec<DirectoryMemory>,
    /// The bits of an address that are the offset in its line.
    pub offset: u64,
}

impl LineTables {
    /// The result of a function that looks up an address in an object; `None` of other functions, and if it fails.
    #[inline]
    pub(super) fn look_up(
        &self,
        function: LibraryFunction,
        object: usize,
        address: u64,
    ) -> Option<u64> {
        use LibraryFunction::*;
        let is_line = address & self.offset == 0;
        match function {
            TableLookup => Some(self.tables[object].lookup(address)),
            CacheLookup if is_line => Some(self.caches[object].lookup(address)),
            CachePresent if is_line => Some(u64::from(self.caches[object].is_tag_present(address))),
            CacheAvailable if is_line => Some(u64::from(self.caches[object].cache_avail(address))),
            DirectoryLookup => self.directories[object].find(address),
            TablePresent if is_line => Some(u64::from(self.tables[object].is_present(address))),
            PerfectPresent => {
                Some(u64::from(self.tables[object].is_present(address & !self.offset)))
            }
            // A missing entry is created, which needs more than a lookup.
            PerfectLookup => match self.tables[object].lookup(address & !self.offset) {
                0 => None,
                entry => Some(entry),
            },
            _ => None,
        }
    }

    /// Records the use of the line of an address in a cache.
    pub(super) fn touch(&mut self, cache: usize, address: u64) {
        self.caches[cache].set_mru(address & !self.offset);
    }
}
