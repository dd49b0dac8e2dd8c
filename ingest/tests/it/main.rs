//! Readers of traces: recorded and random ones, damaged ones, live ones.
//!
//! One program, so that all tests are linked once and share the processors.

mod bad_input;
mod common;
mod crashes;
mod dependencies;
mod folders;
mod live;
mod lossy;
mod operations;
mod random;
mod recorded;
mod releases;
mod shapes;
mod sources;
mod switches;
mod transcripts;
