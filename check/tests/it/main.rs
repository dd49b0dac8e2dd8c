//! Tests of the engine against exhaustive machines, corpora and brute force.
//!
//! One program, so that all tests are linked once and share the processors.

#[macro_use]
#[allow(dead_code, reason = "the tests of the crate `papers` use the other helpers")]
mod common;

mod ambiguous;
mod axe_numbers;
mod axioms;
mod conversions;
mod corners;
mod families;
mod fences;
mod fixpoint;
mod generate;
mod generate_weak;
mod initial;
mod kernel;
mod lossy;
mod minimal;
mod online;
mod online_lazy;
mod oracle;
mod random;
mod releases;
mod search;
mod shrink;
mod silent;
mod traces;
mod verifier;
mod weak;
mod windows;

/// The algorithms that the corner cases are tried with. The crate `papers` tries them with its own.
const ALGORITHMS: [check::Algorithm; 5] = check::Algorithm::STAGES;
