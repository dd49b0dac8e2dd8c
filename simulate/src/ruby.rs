//! The library objects of the runtime, each independent of the language and of what runs it; only [`mask`] asks the language how
//! many words it has.
//!
//! Messages, cache entries and TBEs live in a flat memory of 64-bit words that somebody else keeps.
//! Here they are the addresses of their first words, and 0 is none. A tick is a cycle.
//!
//! What gem5 stops with a panic is a [`Misuse`] here, because a user's protocol can cause it.

pub mod block;
pub mod buffer;
pub mod cache;
pub mod delays;
pub mod directory;
pub mod mask;
pub mod memory;
mod misuse;
pub mod network;
pub mod persistent;
pub mod sets;
pub mod tbe;
pub mod timer;
pub mod wheel;

pub use misuse::Misuse;
