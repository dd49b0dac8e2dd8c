//! What a protocol can do wrong with an object of the library.

use thiserror::Error;

/// What gem5 stops for (SLICC.md, section 21), with about its words.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misuse {
    /// A message would arrive in an ordered buffer before the one enqueued before it.
    #[error(
        "FIFO ordering violated: the message arrives at tick {arrival}, the one before it at tick {last}"
    )]
    FifoOrder {
        /// When it would arrive.
        arrival: u64,
        /// When the one before it arrives.
        last: u64,
    },
    /// A latency of 0, where the buffer does not allow it.
    #[error("a message enqueued with latency 0 in a buffer that does not allow it")]
    ZeroLatency,
    /// The head of a buffer was to be removed before it arrived, or there is none.
    #[error("the head of a buffer taken while no message is ready")]
    NotReady,
    /// The head of a buffer was to be looked at or moved, and there is none.
    #[error("the head of an empty buffer")]
    Empty,
    /// An address that had to be that of a line.
    #[error("{0:#x} is not the address of a line")]
    NotALine(u64),
    /// An entry allocated for a line that has one.
    #[error("line {0:#x} allocated although it is present")]
    Present(u64),
    /// An entry of a line that has none.
    #[error("line {0:#x} is not present")]
    Absent(u64),
    /// An entry allocated in a set whose ways are all taken.
    #[error("line {0:#x} allocated although its set is full")]
    SetFull(u64),
    /// A victim asked for in a set that has room.
    #[error("a victim asked for line {0:#x} although its set has room")]
    SetAvailable(u64),
    /// A slot of a cache that there is not.
    #[error("no entry {0} in the cache")]
    NoSlot(u64),
    /// A TBE allocated in a full table.
    #[error("a TBE allocated for line {0:#x} although the table is full")]
    TableFull(u64),
    /// An address that lies in no range of a directory.
    #[error("address {0:#x} does not belong to this directory")]
    OutOfRange(u64),
    /// No timer has run out.
    #[error("the next address of a timer table asked for while no timer is ready")]
    NoTimer,
    /// The smallest element of an empty set.
    #[error("No smallest element of an empty set.")]
    EmptySet,
    /// An element that is not below the size of the set.
    #[error("element {element} of a set of size {size}")]
    NoElement {
        /// The element.
        element: u64,
        /// The size.
        size: u64,
    },
    /// A set of more elements than fit a word.
    #[error("a set of {0} elements: at most 64 are supported")]
    SetTooLarge(u64),
    /// A machine whose type does not occur in the protocol.
    #[error("machine type {0} does not occur in this protocol")]
    NoMachineType(u64),
    /// A persistent request of a machine that already has one, or the end of one that there is not.
    #[error("persistent request for line {0:#x} issued twice or ended without having been issued")]
    Persistent(u64),
    /// The entries of a persistent table marked while there are marks.
    #[error("persistent requests for line {0:#x} marked twice")]
    Marked(u64),
    /// Bytes outside a block.
    #[error("bytes {offset} to {end} of a block of {size}")]
    OutsideBlock {
        /// The first.
        offset: u64,
        /// Behind the last.
        end: u64,
        /// The bytes of a block.
        size: u64,
    },
}
