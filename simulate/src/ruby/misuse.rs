//! What a protocol can do wrong with an object of the library.

use thiserror::Error;

/// What gem5 stops for, with about its words.
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
    /// No timer is set.
    #[error(
        "the next address of a timer table asked for while no timer is set (assert in TimerTable.cc)"
    )]
    NoTimer,
    /// A timer set for a line that has one.
    #[error("a timer set for line {0:#x} although it has one (assert in TimerTable.cc)")]
    TimerSet(u64),
    /// A timer unset for a line that has none.
    #[error("the timer of line {0:#x} unset although it has none (assert in TimerTable.cc)")]
    TimerNotSet(u64),
    /// More messages in a buffer than it has room for.
    #[error("a message enqueued in a buffer of size {0} that is full (assert in MessageBuffer.cc)")]
    BufferFull(u64),
    /// Deferred messages of a line enqueued although there are none.
    #[error(
        "deferred messages for line {0:#x} enqueued although there are none (assert in MessageBuffer.cc)"
    )]
    NothingDeferred(u64),
    /// A line woken in a buffer that was registered for it twice, so that nothing is stalled there any more.
    #[error(
        "line {0:#x} woken twice in one buffer, which two ports with different ranks have stalled (assert in \
         MessageBuffer.cc, reanalyzeMessages)"
    )]
    NothingStalled(u64),
    /// A stall from a port whose rank is not below the number of ports.
    #[error(
        "stall_and_wait from a port of rank {rank} in a machine with {ports} in_ports: the rank has to be below \
         (assert in AbstractController.cc, stallBuffer)"
    )]
    Rank {
        /// The rank of the port.
        rank: u64,
        /// The number of in_ports.
        ports: u64,
    },
    /// Lines woken from a port whose rank is above the number of ports.
    #[error(
        "wakeUpBuffers from a port of rank {rank} in a machine with {ports} in_ports: gem5 reads behind the end of its \
         table of stalled buffers"
    )]
    RankBehind {
        /// The rank of the port.
        rank: u64,
        /// The number of in_ports.
        ports: u64,
    },
    /// A null entry.
    #[error("setMRU of a null entry (assert in CacheMemory.cc)")]
    NoEntry,
    /// A lookup in a table that makes what is missing.
    #[error(
        "an entry that was never allocated is used: lookup of line {0:#x} in a PerfectCacheMemory without it (gem5 \
         v24.0.0.1 makes an entry, later versions return none)"
    )]
    NeverAllocated(u64),
    /// An entry allocated over one that is there, whose content is lost.
    #[error("line {0:#x} allocated in a PerfectCacheMemory that has it: the old content is lost")]
    AllocatedTwice(u64),
    /// An entry with permission NotPresent was in the way of a new one.
    #[error(
        "an entry allocated over that of line {0:#x}, whose permission is NotPresent: gem5 warns of an entry handling \
         bug, and loses the old entry"
    )]
    LostEntry(u64),
    /// The smallest element of an empty set.
    #[error("No smallest element of an empty set.")]
    EmptySet,
    /// An element for which a set has no bit, whatever its size.
    #[error(
        "element {0} of a set, which has bits for elements 0 to 63 (std::bitset::set throws in gem5)"
    )]
    NoBit(u64),
    /// Two sets of different sizes where gem5 expects one size.
    #[error(
        "sets of sizes {one} and {other} combined or compared: gem5 expects one size (assert in Set.hh)"
    )]
    SetSizes {
        /// The size of the set that was asked.
        one: u64,
        /// The size of the other.
        other: u64,
    },
    /// A set that is not of the size of the machine type whose controllers it is to name.
    #[error(
        "setNetDest with a set of size {set} for a type with {machines} controllers: gem5 expects one size as soon as \
         the destination is used (assert in Set.hh); call setSize(machineCount(type))"
    )]
    DestinationSize {
        /// The size of the set.
        set: u64,
        /// The number of controllers.
        machines: u64,
    },
    /// A machine number that is not below the number of controllers of its type.
    #[error(
        "machine number {element} in a destination, of a type with {size} controllers (assert in NetDest.cc)"
    )]
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
