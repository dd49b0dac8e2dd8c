//! Coherence protocols in SLICC, gem5's language for them, run on a Ruby-like runtime.

pub mod client;
pub mod compile;
pub mod config;
pub mod dice;
pub mod library;
pub mod mutant;
pub mod program;
pub mod protocol;
pub mod record;
pub mod request;
pub mod ruby;
pub mod sequencer;
pub mod simulation;
pub mod slicc;
pub mod source;
pub mod system;
pub mod trace;
