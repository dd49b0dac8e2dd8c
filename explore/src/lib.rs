//! All runs of a small system, where a trace has one.
pub mod graph;
pub mod memory;
pub mod monitor;
pub mod program;
pub mod search;
