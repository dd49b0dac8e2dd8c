//! Errors in a protocol's use of a library object.

use slicc::outline::MACHINE_TYPES;
use thiserror::Error;

/// A use of a library object for which gem5 stops; the messages are close to gem5's.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misuse {
    /// A message would arrive in an ordered buffer before the one enqueued before it.
    #[error(
        "FIFO ordering violated: the message arrives at tick {arrival}, the one before it at tick {last}"
    )]
    FifoOrder {
        /// The tick at which it would arrive.
        arrival: u64,
        /// The tick at which the one before it arrives.
        last: u64,
    },
    /// A message was enqueued with latency 0 in a buffer that does not allow it.
    #[error("a message enqueued with latency 0 in a buffer that does not allow it")]
    ZeroLatency,
    /// The head of a buffer was to be removed before it arrived, or the buffer is empty.
    #[error("the head of a buffer taken while no message is ready")]
    NotReady,
    /// The head of an empty buffer was to be read or moved.
    #[error("the head of an empty buffer")]
    Empty,
    /// An address is not that of a line.
    #[error("{0:#x} is not the address of a line")]
    NotALine(u64),
    /// An entry was allocated for a line that has one.
    #[error("line {0:#x} allocated although it is present")]
    Present(u64),
    /// The entry of a line without one was accessed.
    #[error("line {0:#x} is not present")]
    Absent(u64),
    /// An entry was allocated in a full set.
    #[error("line {0:#x} allocated although its set is full")]
    SetFull(u64),
    /// A victim was requested in a set with room.
    #[error("a victim was requested for line {0:#x} although its set has room")]
    SetAvailable(u64),
    /// The index of an entry is beyond the size of the cache.
    #[error("no entry {0} in the cache")]
    NoSlot(u64),
    /// A TBE was allocated in a full table.
    #[error("a TBE allocated for line {0:#x} although the table is full")]
    TableFull(u64),
    /// More transactions of CHI's MiscNode than it allows wait for the responses to their snoops.
    #[error(
        "{0} transactions wait for responses to their snoops, and at most 4 may (assert in MN_TBETable.cc)"
    )]
    TooManyWaiting(usize),
    /// An address does not belong to the directory.
    #[error("address {0:#x} does not belong to this directory")]
    OutOfRange(u64),
    /// The next address was requested while no timer is set.
    #[error(
        "the next address of a timer table was requested while no timer is set (assert in TimerTable.cc)"
    )]
    NoTimer,
    /// A timer was set for a line that has one.
    #[error("a timer set for line {0:#x} although it has one (assert in TimerTable.cc)")]
    TimerSet(u64),
    /// A timer was unset for a line that has none.
    #[error("the timer of line {0:#x} unset although it has none (assert in TimerTable.cc)")]
    TimerNotSet(u64),
    /// A message was enqueued in a full buffer.
    #[error("a message enqueued in a buffer of size {0} that is full (assert in MessageBuffer.cc)")]
    BufferFull(u64),
    /// Deferred messages of a line were enqueued although there are none.
    #[error(
        "deferred messages for line {0:#x} enqueued although there are none (assert in MessageBuffer.cc)"
    )]
    NothingDeferred(u64),
    /// A line was woken in a buffer that was registered for it twice; the first wakeup removed its
    /// stalled messages.
    #[error(
        "line {0:#x} woken twice in one buffer, which two ports with different ranks have stalled (assert in \
         MessageBuffer.cc, reanalyzeMessages)"
    )]
    NothingStalled(u64),
    /// A port whose rank is not below the number of ports stalled a message.
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
    /// A port whose rank is above the number of ports woke lines.
    #[error(
        "wakeUpBuffers from a port of rank {rank} in a machine with {ports} in_ports: gem5 reads past the end of its \
         table of stalled buffers"
    )]
    RankBehind {
        /// The rank of the port.
        rank: u64,
        /// The number of in_ports.
        ports: u64,
    },
    /// A null entry was used.
    #[error("setMRU of a null entry (assert in CacheMemory.cc)")]
    NoEntry,
    /// A lookup created the missing entry of a line.
    #[error(
        "an entry that was never allocated is used: lookup of line {0:#x} in a PerfectCacheMemory without it (gem5 \
         v24.0.0.1 makes an entry, later versions return none)"
    )]
    NeverAllocated(u64),
    /// An entry was allocated over an existing one, whose content is lost.
    #[error("line {0:#x} allocated in a PerfectCacheMemory that has it: the old content is lost")]
    AllocatedTwice(u64),
    /// An entry with permission NotPresent was replaced by a new one.
    #[error(
        "an entry allocated over that of line {0:#x}, whose permission is NotPresent: gem5 warns of an entry handling \
         bug, and loses the old entry"
    )]
    LostEntry(u64),
    /// The smallest element of an empty set was requested.
    #[error("No smallest element of an empty set.")]
    EmptySet,
    /// An element is too large for any set.
    #[error(
        "element {0} of a set, which has bits for elements 0 to 63 (std::bitset::set throws in gem5)"
    )]
    NoBit(u64),
    /// Two sets of different sizes were combined, where gem5 expects one size.
    #[error(
        "sets of sizes {one} and {other} combined or compared: gem5 expects one size (assert in Set.hh)"
    )]
    SetSizes {
        /// The size of the first set.
        one: u64,
        /// The size of the second set.
        other: u64,
    },
    /// A set does not have the size of the machine type whose controllers it names.
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
    /// A machine number is not below the number of controllers of its type.
    #[error(
        "machine number {element} in a destination, of a type with {size} controllers (assert in NetDest.cc)"
    )]
    NoElement {
        /// The machine number.
        element: u64,
        /// The number of controllers.
        size: u64,
    },
    /// A set has more elements than a word has bits.
    #[error("a set of {0} elements: at most 64 are supported")]
    SetTooLarge(u64),
    /// The machine type does not occur in the protocol.
    #[error("{} does not occur in this protocol", machine_type(*.0))]
    NoMachineType(u64),
    /// A machine issued a second persistent request for a line, or ended one that it had not
    /// issued.
    #[error("persistent request for line {0:#x} issued twice or ended without having been issued")]
    Persistent(u64),
    /// The entries of a persistent table were marked while some were marked.
    #[error("persistent requests for line {0:#x} marked twice")]
    Marked(u64),
    /// A range of bytes is not inside a block.
    #[error("bytes {offset} to {end} of a block of {size}")]
    OutsideBlock {
        /// The first byte.
        offset: u64,
        /// The byte after the last.
        end: u64,
        /// The size of the block in bytes.
        size: u64,
    },
    /// A flag is not in a vector of flags.
    #[error("flag {at} of a BoolVec of {length} (std::vector::at throws in gem5)")]
    NoFlag {
        /// The index of the flag.
        at: u64,
        /// The number of flags.
        length: u64,
    },
    /// A vector of flags was to be larger than is supported.
    #[error("a BoolVec of {0} flags: at most 256 are supported")]
    TooManyFlags(u64),
    /// A response or data was received while no message was expected.
    #[error("a message received while none is expected (assert in ExpectedMap.hh)")]
    NothingExpected,
    /// An event or structure was added to a full queue.
    #[error("a TriggerQueue of more than {0} elements, which is not supported")]
    QueueFull(u64),
    /// An element was added to a full set or map of a description.
    #[error("a described set or map of more than {0} elements, which is not supported")]
    DescribedFull(u64),
    /// The front of an empty queue was read or removed.
    #[error("the front of an empty TriggerQueue (undefined behaviour in gem5)")]
    QueueEmpty,
    /// A TBE was put into a storage without a free slot.
    #[error("a TBE put into a TBEStorage without a free slot (assert in TBEStorage.hh)")]
    NoFreeSlot,
    /// More than three TBEs share a slot.
    #[error("more than three TBEs in one slot of a TBEStorage, which is not supported")]
    SlotShared,
    /// A slot without a TBE was shared or given back.
    #[error(
        "slot {0} of a TBEStorage shared or given back although it is free (assert in TBEStorage.hh)"
    )]
    SlotFree(u64),
    /// A reservation was ended while there was none.
    #[error("a reservation of a TBEStorage ended although there is none (assert in TBEStorage.hh)")]
    NothingReserved,
    /// An address has no controller downstream.
    #[error("address {0:#x} has no downstream controller (fatal in AbstractController.cc)")]
    NoDownstream(u64),
}

/// The name of a machine type of gem5, or what is known of another one.
fn machine_type(number: u64) -> String {
    let name = usize::try_from(number).ok().and_then(|at| MACHINE_TYPES.get(at));
    name.map_or_else(|| format!("machine type {number}"), |name| format!("the machine {name}"))
}
