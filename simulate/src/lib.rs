//! Coherence protocols in SLICC, gem5's language for them, run on a Ruby-like runtime.

pub mod config;
pub mod ruby;
pub mod slicc;
pub mod source;
