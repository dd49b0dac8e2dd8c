//! Tests of protocols as text, and of their tables.
//!
//! One program, so that all tests are linked once and share the processors.

mod coalescers;
mod protocols;
mod tables;
