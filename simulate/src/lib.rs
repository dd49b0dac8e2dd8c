//! Coherence protocols in SLICC, gem5's language for them, run on a Ruby-like runtime.

pub mod client;
pub mod dice;
pub mod program;
pub mod record;
pub mod request;
pub mod sequencer;
pub mod slicc;
pub mod source;
pub mod trace;
