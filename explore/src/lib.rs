//! All runs of a small system, where a trace has one.
pub mod graph;
pub mod protocol;
pub mod search;
pub mod settle;
