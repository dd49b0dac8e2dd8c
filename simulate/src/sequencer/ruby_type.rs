//! Types of requests as protocols see them (`RubyRequestType`), by number.

/// Load.
pub const LD: u32 = 0;
/// Store.
pub const ST: u32 = 1;
/// Atomic operation performed elsewhere that returns the old value.
pub const ATOMIC_RETURN: u32 = 3;
/// Atomic operation performed elsewhere that returns nothing.
pub const ATOMIC_NO_RETURN: u32 = 4;
/// Instruction fetch.
pub const IFETCH: u32 = 5;
/// Load linked, in protocols that distinguish it from a load.
pub const LOAD_LINKED: u32 = 8;
/// Store conditional, in protocols that distinguish it from a store.
pub const STORE_CONDITIONAL: u32 = 9;
/// Flush of a line.
pub const FLUSH: u32 = 16;

/// Invalidation of translations in the TLBs of all cores.
pub const TLBI: u32 = 25;
/// Completion of the invalidations before it.
pub const TLBI_SYNC: u32 = 26;
/// A sync of another core, of which the protocol tells this one.
pub const TLBI_EXT_SYNC: u32 = 27;
/// The answer of a core to the sync of another.
pub const TLBI_EXT_SYNC_COMP: u32 = 28;

/// The name in a `Begin` line of the trace.
pub fn name(number: u32) -> &'static str {
    match number {
        LD => "LD",
        ST => "ST",
        ATOMIC_RETURN => "ATOMIC_RETURN",
        ATOMIC_NO_RETURN => "ATOMIC_NO_RETURN",
        IFETCH => "IFETCH",
        LOAD_LINKED => "Load_Linked",
        STORE_CONDITIONAL => "Store_Conditional",
        FLUSH => "FLUSH",
        TLBI => "TLBI",
        TLBI_SYNC => "TLBI_SYNC",
        TLBI_EXT_SYNC => "TLBI_EXT_SYNC",
        TLBI_EXT_SYNC_COMP => "TLBI_EXT_SYNC_COMP",
        _ => "NULL",
    }
}
