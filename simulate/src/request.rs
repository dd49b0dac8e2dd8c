//! Requests of cores to the memory system, and the responses.

use std::fmt;

use crate::program::Bytes;

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
    /// Second half of a locked read-modify-write: writes, and unlocks the line.
    LockedWrite,
    /// Load of a read-modify-write that does not lock.
    RmwRead,
    /// Atomic instruction that stores a value and returns the old one.
    Atomic,
    /// Atomic instruction that stores a value.
    AtomicNoReturn,
    /// Removes the line from all caches. It has no value and no response.
    Flush,
}

impl RequestKind {
    /// The command of the request's packet, as gem5 prints it.
    pub fn command(self) -> &'static str {
        match self {
            RequestKind::Load | RequestKind::Ifetch | RequestKind::RmwRead => "ReadReq",
            RequestKind::Store => "WriteReq",
            RequestKind::LoadLinked => "LoadLockedReq",
            RequestKind::StoreConditional => "StoreCondReq",
            RequestKind::LockedRead => "LockedRMWReadReq",
            RequestKind::LockedWrite => "LockedRMWWriteReq",
            RequestKind::Atomic | RequestKind::AtomicNoReturn => "SwapReq",
            RequestKind::Flush => "FlushReq",
        }
    }

    /// The command of the response's packet. For a store-conditional, it depends on whether it
    /// succeeded.
    pub fn answer(self, success: bool) -> &'static str {
        match self {
            RequestKind::Store => "WriteResp",
            RequestKind::StoreConditional if success => "WriteResp",
            RequestKind::StoreConditional => "StoreCondResp",
            RequestKind::LockedRead => "LockedRMWReadResp",
            RequestKind::LockedWrite => "LockedRMWWriteResp",
            RequestKind::Atomic | RequestKind::AtomicNoReturn => "SwapResp",
            _ => "ReadResp",
        }
    }

    /// Whether a `readCallback` may complete a request of this kind.
    pub fn is_read(self) -> bool {
        matches!(self, RequestKind::Load | RequestKind::Ifetch | RequestKind::LoadLinked)
    }

    /// Whether it is an atomic instruction.
    pub fn is_atomic(self) -> bool {
        matches!(self, RequestKind::Atomic | RequestKind::AtomicNoReturn)
    }

    /// Whether completing it always moves data from or to the block. A store-conditional does so
    /// only if it succeeds.
    pub fn moves_data(self) -> bool {
        !matches!(self, RequestKind::StoreConditional | RequestKind::Flush)
    }

    /// Whether the core gets a response.
    pub fn is_answered(self) -> bool {
        self != RequestKind::Flush
    }
}

/// The kinds of requests about translations, which have no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TlbRequest {
    /// Invalidates translations in the TLBs of all cores.
    Invalidate,
    /// Completes when all cores have completed what used translations that were invalidated before.
    Sync,
}

/// A request of a core. It must not cross a cache line; values have at most 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The core's tag, which the response carries.
    pub tag: u32,
    /// The kind of request.
    pub kind: RequestKind,
    /// Address of the first byte.
    pub address: u64,
    /// Number of bytes, 1 to 8.
    pub size: u8,
    /// The value to write, if the kind writes.
    pub value: u64,
}

impl Request {
    /// A request for some bytes; `value` is what it writes, if it writes.
    pub fn new(tag: u32, kind: RequestKind, bytes: Bytes, value: u64) -> Request {
        Request { tag, kind, address: bytes.address, size: bytes.size, value }
    }
}

/// A request of a DMA device: an access to whole words within one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The device's tag of the first word; the following words have the following tags.
    pub tag: u32,
    /// Address of the first byte, a multiple of 8.
    pub address: u64,
    /// Number of words of 8 bytes, at least 1.
    pub words: u32,
    /// The values of the words if the device writes.
    pub written: Option<WordValues>,
}

/// The values of consecutive words that a DMA device writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordValues {
    /// The value of the first word.
    pub first: u64,
    /// By how much each following word is larger than the one before it.
    pub step: u64,
}

impl WordValues {
    /// Values that count up by 1.
    pub fn counting_from(first: u64) -> WordValues {
        WordValues { first, step: 1 }
    }

    /// The value of a word, from 0.
    pub fn word(self, word: u32) -> u64 {
        self.first.wrapping_add(self.step.wrapping_mul(u64::from(word)))
    }
}

impl Transfer {
    /// Number of bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.words) * 8
    }

    /// The kind of request that stands for each of its words.
    pub fn kind(&self) -> RequestKind {
        if self.written.is_some() { RequestKind::Store } else { RequestKind::Load }
    }
}

/// The response to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// The tag of the request.
    pub tag: u32,
    /// The kind of request.
    pub kind: RequestKind,
    /// The address of the first byte.
    pub address: u64,
    /// The value read, if the kind reads.
    pub value: u64,
    /// Whether a store-conditional succeeded; true for all other kinds.
    pub success: bool,
}

/// The reason why a sequencer refuses a request for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The limit of outstanding requests is reached.
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
    /// The word that gem5 prints for it.
    pub fn name(self) -> &'static str {
        match self {
            Refusal::BufferFull => "BufferFull",
            Refusal::Aliased => "Aliased",
        }
    }
}
