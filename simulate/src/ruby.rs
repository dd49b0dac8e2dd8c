//! The library objects of the runtime, each independent of the language and of what runs it; only `mask` asks the language how
//! many words it has.
//!
//! Messages, cache entries and TBEs live in a flat memory of 64-bit words that somebody else keeps.
//! Here they are the addresses of their first words, and 0 is none. A tick is a cycle.
//!
//! What gem5 stops with a panic is a [`Misuse`] here, because a user's protocol can cause it.

pub(crate) mod block;
pub(crate) mod buffer;
pub mod cache;
pub mod delays;
pub(crate) mod directory;
pub(crate) mod mask;
pub(crate) mod memory;
mod misuse;
pub(crate) mod network;
pub(crate) mod persistent;
pub(crate) mod sets;
pub(crate) mod tbe;
pub(crate) mod timer;
pub(crate) mod wheel;

pub use misuse::Misuse;
