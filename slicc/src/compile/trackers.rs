//! The layouts of the values with which CHI's transactions keep track of what they wait for and
//! will do: `TriggerQueue`, `ExpectedMap`, `TBEStorage` and `MN_TBEStorage`; and of `BoolVec`, the blocks of a region.
//!
//! Protocols declare these types themselves, with the attribute `external="yes"`. All of them are
//! plain words in the entry or controller that holds them, so that states can be compared. The
//! functions are in the crate `simulate`.

use crate::library::stubs::Kind;

/// Largest number of events in a queue.
pub const MOST_EVENTS: usize = 32;
/// Number of events in a word of a queue.
pub const EVENTS_PER_WORD: usize = 4;
/// Largest number of structures in a queue.
pub const MOST_RECORDS: usize = 256;
/// Largest number of slots of a storage.
pub const MOST_SLOTS: usize = 256;
/// Number of words of a bit mask of slots.
pub const SLOT_WORDS: usize = MOST_SLOTS / 64;

/// The words of an `ExpectedMap`.
#[expect(missing_docs, reason = "the names are those of gem5's members")]
pub mod expected {
    pub const DATA_CHUNKS: usize = 0;
    pub const CURRENT_CHUNK: usize = 1;
    pub const DATA_RECEIVED: usize = 2;
    pub const RESPONSES_RECEIVED: usize = 3;
    pub const TOTAL: usize = 4;
    /// Masks of the types that are expected, and of those that were received.
    pub const DATA_TYPES: usize = 5;
    pub const DATA_TYPES_RECEIVED: usize = 6;
    pub const RESPONSE_TYPES: usize = 7;
    pub const RESPONSE_TYPES_RECEIVED: usize = 8;
    /// Number of words.
    pub const WIDTH: usize = 9;
}

/// The words of a `TBEStorage`.
pub mod storage {
    use super::SLOT_WORDS;

    /// The number of slots.
    pub const CAPACITY: usize = 0;
    /// The number of slots that are reserved.
    pub const RESERVED: usize = 1;
    /// The low bits of the numbers of entries of the slots.
    pub const LOW: usize = 2;
    /// The high bits of the numbers of entries.
    pub const HIGH: usize = LOW + SLOT_WORDS;
    /// Number of words.
    pub const WIDTH: usize = HIGH + SLOT_WORDS;
}

/// The words of a `BoolVec`.
pub mod flags {
    /// Largest number of flags.
    pub const MOST: usize = 256;
    /// The number of flags.
    pub const LENGTH: usize = 0;
    /// The first word of the flags.
    pub const FIRST: usize = 1;
    /// Number of words.
    pub const WIDTH: usize = FIRST + MOST / 64;
}

/// The words of a queue of structures: its length, their width, then the structures.
pub mod records {
    /// The number of structures in the queue.
    pub const LENGTH: usize = 0;
    /// The number of words of each structure.
    pub const ELEMENT: usize = 1;
    /// The first structure.
    pub const FIRST: usize = 2;
}

/// The words of an `MN_TBEStorage`.
pub mod partitions {
    /// The addresses of the general storage and of the reserved one.
    pub const STORAGES: usize = 0;
    /// The offset of the field `isNonSync` of the structures, which names the partition of each.
    pub const FLAG: usize = 2;
    /// The queue of structures to retry.
    pub const RETRIES: usize = 3;
}

/// The initial words of the type `name`. `None` if it is not a type of this module, or if its words depend on the
/// structures that it holds.
pub fn initial(name: &str) -> Option<Vec<u64>> {
    match name {
        "TriggerQueue" => Some(vec![0; 1 + MOST_EVENTS / EVENTS_PER_WORD]),
        "ExpectedMap" => {
            let mut words = vec![0; expected::WIDTH];
            words[expected::DATA_CHUNKS] = 1;
            Some(words)
        }
        "TBEStorage" => Some(vec![0; storage::WIDTH]),
        _ => None,
    }
}

/// Largest number of elements of a described set or map.
pub const MOST_ELEMENTS: usize = 256;

/// The initial words of a structure that is described as this kind: a number, or the number of elements, then room for them, in
/// ascending order, and after all for their values.
pub fn described(kind: Kind) -> Vec<u64> {
    match kind {
        Kind::Statistic | Kind::Counter => vec![0],
        Kind::Set => vec![0; 1 + MOST_ELEMENTS],
        Kind::Map => vec![0; 1 + 2 * MOST_ELEMENTS],
    }
}

/// The type that holds structures when the type `name` is declared with a structure as its template. `None` if there
/// is no such type.
pub fn collection(name: &str) -> Option<&'static str> {
    match name {
        "TriggerQueue" => Some("RecordQueue"),
        "MN_TBEStorage" => Some("MN_TBEStorage"),
        _ => None,
    }
}

/// The initial words of a type that [`collection`] returns, for structures of `width` words with the field
/// `isNonSync` at offset `flag`. `None` if the structures are too large.
pub fn collection_of(name: &str, width: usize, flag: Option<u16>) -> Option<Vec<u64>> {
    const WIDEST: usize = 16;
    let mut words = match name {
        "MN_TBEStorage" => vec![0, 0, u64::from(flag.unwrap_or(0))],
        _ => Vec::new(),
    };
    words.extend([0, width as u64]);
    words.resize(words.len() + MOST_RECORDS * width, 0);
    (1..=WIDEST).contains(&width).then_some(words)
}
