//! The library objects of Ruby, such as buffers, caches and the network. They do not depend on the code that runs them;
//! only `flags`, `mask` and `trackers` take the layout of their words from `slicc`.
//!
//! Messages, cache entries and TBEs live in a flat memory of 64-bit words that the caller owns.
//! Here they are identified by the address of their first word; 0 is none. A tick is a cycle.
//!
//! Where gem5 panics, functions return a [`Misuse`], since a user's protocol can cause it.

pub(crate) mod block;
pub(crate) mod buffer;
pub mod cache;
pub(crate) mod crossbar;
pub mod delays;
pub(crate) mod described;
pub(crate) mod directory;
pub(crate) mod flags;
pub(crate) mod line_map;
pub(crate) mod mask;
pub(crate) mod memory;
pub mod mesh;
mod misuse;
pub(crate) mod network;
pub(crate) mod next_line;
pub(crate) mod persistent;
pub mod prefetcher;
pub(crate) mod sets;
pub(crate) mod tbe;
pub(crate) mod timer;
pub mod trackers;
pub(crate) mod wheel;

pub use misuse::Misuse;
