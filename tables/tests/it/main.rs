//! Tables of every kind: what is written is read back, and what others wrote is read or refused.
//!
//! One program, so that all tests are linked once and share the processors.

mod fidelity;
mod histories;
mod measurements;
mod runs;
