//! The data that pass between a sequencer and the system.

use crate::request::Response;

/// The configuration of a sequencer.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The number among all sequencers, which is that of the thread.
    pub version: u32,
    /// The number among the sequencers of its controller, which protocols see as `contextId`.
    pub core: u32,
    /// Size of a cache line in bytes, a power of two.
    pub block_bytes: u64,
    /// Largest number of outstanding requests, coalesced ones included.
    pub max_outstanding: usize,
    /// Whether the protocol distinguishes a load-linked from a load (`use_secondary_load_linked`).
    pub tells_linked: bool,
    /// Whether the protocol distinguishes a store-conditional from a store (`use_secondary_store_conditional`).
    pub tells_conditional: bool,
    /// Whether atomic instructions go to the protocol as atomics, which it may perform elsewhere (CHI). With other
    /// protocols they are stores.
    pub sends_atomics: bool,
}

impl Config {
    /// The default configuration: 64-byte lines and 16 outstanding requests.
    pub fn new(version: u32, core: u32) -> Config {
        Config {
            version,
            core,
            block_bytes: 64,
            max_outstanding: 16,
            tells_linked: false,
            tells_conditional: false,
            sends_atomics: false,
        }
    }
}

/// A request to the protocol, which goes into the mandatory queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The type, one of [`ruby_type`](super::ruby_type).
    pub kind: u32,
    /// Address of the first byte.
    pub address: u64,
    /// Address of the line.
    pub line: u64,
    /// Number of bytes.
    pub size: u32,
    /// `contextId`.
    pub core: u32,
    /// The value that an atomic writes in exchange for the old one.
    pub swap: Option<u64>,
    /// The id of a transaction about translations, which has no address.
    pub transaction: Option<u64>,
}

/// The effects of a callback. The caller clears them before it, and carries them out after it.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Responses, in the order in which memory performed the requests; cores get them a tick later.
    pub responses: Vec<Response>,
    /// A coalesced request that goes to the mandatory queue now.
    pub issue: Option<Issue>,
    /// The answer to a sync of another core, which goes to the mandatory queue now.
    pub answer: Option<Issue>,
    /// Whether the controller must block the line (true) or unblock it.
    pub lock: Option<bool>,
}

impl Effects {
    /// Removes all effects, and keeps the allocated memory.
    pub fn clear(&mut self) {
        self.responses.clear();
        self.issue = None;
        self.answer = None;
        self.lock = None;
    }
}

/// The line that a callback is about.
#[derive(Debug)]
pub struct Line<'a> {
    /// The present tick.
    pub now: u64,
    /// Address of the line.
    pub address: u64,
    /// The block that the protocol passed, in little-endian words; writes go into it. Empty if a store-conditional fails
    /// whose line is not in the cache.
    pub block: &'a mut [u64],
    /// The reservation in the line's entry of the data cache, if there is an entry: the sequencer that holds it, if any.
    pub monitor: Option<&'a mut Option<u32>>,
}
