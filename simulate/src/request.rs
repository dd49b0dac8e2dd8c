//! What a core asks of the memory system, and what it is answered.

use std::fmt;

/// The kinds of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// Plain load.
    Load,
    /// Instruction fetch.
    Ifetch,
    /// Plain store.
    Store,
    /// Load that opens a reservation.
    LoadLinked,
    /// Store that happens only if the reservation still holds.
    StoreConditional,
    /// First half of a locked read-modify-write: reads, and locks the line.
    LockedRead,
    /// Second half: writes, and unlocks the line.
    LockedWrite,
    /// Load of a read-modify-write without lock.
    RmwRead,
    /// Stores a value and returns the one before.
    Swap,
    /// Writes the line back; has no value and no answer.
    Flush,
}

impl RequestKind {
    /// The command of its packet, as gem5 prints it.
    pub fn command(self) -> &'static str {
        match self {
            RequestKind::Load | RequestKind::Ifetch | RequestKind::RmwRead => "ReadReq",
            RequestKind::Store => "WriteReq",
            RequestKind::LoadLinked => "LoadLockedReq",
            RequestKind::StoreConditional => "StoreCondReq",
            RequestKind::LockedRead => "LockedRMWReadReq",
            RequestKind::LockedWrite => "LockedRMWWriteReq",
            RequestKind::Swap => "SwapReq",
            RequestKind::Flush => "FlushReq",
        }
    }

    /// The command of the answer's packet. That of a store-conditional tells whether it succeeded.
    pub fn answer(self, success: bool) -> &'static str {
        match self {
            RequestKind::Store => "WriteResp",
            RequestKind::StoreConditional if success => "WriteResp",
            RequestKind::StoreConditional => "StoreCondResp",
            RequestKind::LockedRead => "LockedRMWReadResp",
            RequestKind::LockedWrite => "LockedRMWWriteResp",
            RequestKind::Swap => "SwapResp",
            _ => "ReadResp",
        }
    }

    /// Whether a readCallback completes it, as far as the core's own type goes.
    pub fn is_read(self) -> bool {
        matches!(self, RequestKind::Load | RequestKind::Ifetch | RequestKind::LoadLinked)
    }

    /// Whether it completes with data from or for the block. A store-conditional does if it succeeds.
    pub fn moves_data(self) -> bool {
        !matches!(self, RequestKind::StoreConditional | RequestKind::Flush)
    }

    /// Whether the core gets an answer.
    pub fn is_answered(self) -> bool {
        self != RequestKind::Flush
    }
}

/// A request of a core. It must not cross a cache line; values have at most 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The core's own mark, which the answer carries.
    pub tag: u32,
    /// What is asked.
    pub kind: RequestKind,
    /// Address of the first byte.
    pub address: u64,
    /// Number of bytes, 1 to 8.
    pub size: u8,
    /// The value to write, if the kind writes.
    pub value: u64,
}

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// The mark of the request.
    pub tag: u32,
    /// What was asked.
    pub kind: RequestKind,
    /// The address of the first byte.
    pub address: u64,
    /// The value read, if the kind reads.
    pub value: u64,
    /// Whether a store-conditional happened; true for all others.
    pub success: bool,
}

/// The reason why a sequencer does not accept a request now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// As many requests are outstanding as there may be.
    BufferFull,
    /// A read-modify-write has locked the line.
    Aliased,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Refusal {
    /// The word that gem5 prints.
    pub fn name(self) -> &'static str {
        match self {
            Refusal::BufferFull => "BufferFull",
            Refusal::Aliased => "Aliased",
        }
    }
}
