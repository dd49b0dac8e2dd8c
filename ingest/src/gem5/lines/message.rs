//! [`Message`]: the text of a named line, parsed.

use history::Kind;

/// The command of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Read,
    Write,
    LoadLocked,
    StoreCond,
    LockedRead,
    LockedWrite,
    Swap,
    Flush,
    /// Writes a line back and keeps it.
    Clean,
    /// Writes a line back and invalidates it.
    CleanInvalidate,
    Invalidate,
    MemSync,
    Prefetch,
    /// Any other command, as a hash of its name.
    Other(u32),
}

impl Command {
    pub(crate) fn of(name: &[u8]) -> Command {
        match name {
            b"ReadReq" => Command::Read,
            b"WriteReq" => Command::Write,
            b"LoadLockedReq" => Command::LoadLocked,
            b"StoreCondReq" => Command::StoreCond,
            b"LockedRMWReadReq" => Command::LockedRead,
            b"LockedRMWWriteReq" => Command::LockedWrite,
            b"SwapReq" => Command::Swap,
            b"FlushReq" => Command::Flush,
            b"CleanSharedReq" => Command::Clean,
            b"CleanInvalidReq" => Command::CleanInvalidate,
            b"InvalidateReq" => Command::Invalidate,
            b"MemSyncReq" => Command::MemSync,
            b"SoftPFReq" | b"SoftPFExReq" => Command::Prefetch,
            // Commands are only compared for equality, so a short hash suffices.
            other => {
                Command::Other(other.iter().fold(0, |hash: u32, &byte| {
                    hash.wrapping_mul(31).wrapping_add(u32::from(byte))
                }))
            }
        }
    }

    /// The name that gem5 prints.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Command::Read => "ReadReq",
            Command::Write => "WriteReq",
            Command::LoadLocked => "LoadLockedReq",
            Command::StoreCond => "StoreCondReq",
            Command::LockedRead => "LockedRMWReadReq",
            Command::LockedWrite => "LockedRMWWriteReq",
            Command::Swap => "SwapReq",
            Command::Flush => "FlushReq",
            Command::Clean => "CleanSharedReq",
            Command::CleanInvalidate => "CleanInvalidReq",
            Command::Invalidate => "InvalidateReq",
            Command::MemSync => "MemSyncReq",
            Command::Prefetch => "SoftPFReq",
            Command::Other(_) => "another request",
        }
    }

    /// Whether the request may change memory.
    pub(crate) fn writes(self) -> bool {
        !matches!(self, Command::Read | Command::LoadLocked) && self.accesses()
    }

    /// Whether the request reads or writes memory for its core, instead of only moving lines between caches.
    pub(crate) fn accesses(self) -> bool {
        !self.maintains() && !matches!(self, Command::MemSync | Command::Prefetch)
    }

    /// Whether a line with data may precede the completion of the request.
    pub(crate) fn has_data(self) -> bool {
        !self.maintains() && self != Command::MemSync
    }

    /// Whether the request takes a line out of caches, or writes it back.
    pub(crate) fn maintains(self) -> bool {
        matches!(
            self,
            Command::Flush | Command::Clean | Command::CleanInvalidate | Command::Invalidate
        )
    }
}

/// The operation that a data line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataKind {
    Read,
    Set,
    Swap,
    AmoOriginal,
    AmoNew,
    AtomicReturn,
    AtomicNoReturn,
}

/// An operation that a client prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClientOp {
    pub thread: u32,
    pub index: u64,
    pub kind: Kind,
    /// Address of the first byte; 0 for a fence.
    pub address: u64,
    /// Number of bytes, where the line shows it.
    pub size: Option<u8>,
    pub read: Option<u64>,
    pub written: Option<u64>,
    pub forwarded: bool,
}

/// The message of a named line. Positions count the bytes of its text, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// A CPU offers a packet to this port.
    Timing { port: u16 },
    /// The packet was accepted.
    Issued { command: Command, address: u64 },
    /// The packet was refused.
    Refused,
    /// The packet goes to a device.
    Pio,
    /// The packet is an atomic operation, which the memory system performs.
    IssuingAtomic { returns: bool },
    /// The data block of the operation that completes now.
    Data {
        kind: DataKind,
        /// Position of the block, which extends to the end of the text.
        block: usize,
    },
    /// An operation completed.
    Hit { command: Command, address: u64 },
    /// A response of `size` bytes was put into a queue.
    Response { address: u64, size: u64 },
    /// An operation of a client.
    Client(ClientOp),
    /// An instruction that a CPU executed.
    Exec {
        /// The address space, where the line shows it.
        space: Option<u64>,
        thread: u32,
        /// Position of the instruction, which extends to the end of the text.
        instruction: usize,
    },
    /// A known message that a history does not need.
    Known,
    /// Anything else.
    Unknown,
}
