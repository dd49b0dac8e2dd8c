//! The objects of the library in which protocols look lines up: caches, tables of TBEs and directories.
//!
//! A transition looks up several lines. These objects are a structure of their own, apart from the rest of the system, so
//! that code which looks a line up can keep references to the rest.

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
    /// Whether an address is that of a line.
    #[inline]
    pub(super) fn is_line(&self, address: u64) -> bool {
        address & self.offset == 0
    }

    /// The line that contains an address.
    #[inline]
    pub(super) fn line_of(&self, address: u64) -> u64 {
        address & !self.offset
    }

    /// Records the use of the line of an address in a cache.
    pub(super) fn touch(&mut self, cache: usize, address: u64) {
        self.caches[cache].set_mru(address & !self.offset);
    }
}
