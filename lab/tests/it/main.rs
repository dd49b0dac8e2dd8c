//! Pages of `docs` that are made of stored tables agree with them.
//!
//! One program, so that all tests are linked once and share the processors.

mod coverage;
mod decided;
mod released;
