//! Tests of the papers' algorithms against the engine, exhaustive machines, corpora and brute force.
//!
//! One program, so that all tests are linked once and share the processors.

#[macro_use]
#[path = "../../../check/tests/it/common/mod.rs"]
#[allow(dead_code, reason = "the tests of the engine use the other helpers")]
mod common;

mod complete;
#[path = "../../../check/tests/it/corners.rs"]
mod corners;
mod criteria;
mod dbcop;
mod detection;
mod differential;
mod enumerate;
mod fences;
mod hpca;
mod literal;
mod published;
mod qadeer;
mod wsc;

/// The algorithms that the corner cases are tried with.
const ALGORITHMS: [check::Algorithm; papers::ALL.len()] = papers::ALL;
