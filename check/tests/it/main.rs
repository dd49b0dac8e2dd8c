//! Tests of the engine and the papers' algorithms against exhaustive machines, corpora and brute force.
//!
//! One program, so that all tests are linked once and share the processors.

#[macro_use]
mod common;

mod ambiguous;
mod axe_numbers;
mod axioms;
mod conversions;
mod corners;
mod criteria;
mod dbcop;
mod detection;
mod differential;
mod enumerate;
mod families;
mod fences;
mod fixpoint;
mod generate;
mod generate_weak;
mod hpca;
mod initial;
mod kernel;
mod lossy;
mod minimal;
mod online;
mod online_lazy;
mod oracle;
mod papers;
mod qadeer;
mod random;
mod releases;
mod search;
mod shrink;
mod silent;
mod traces;
mod verifier;
mod weak;
mod windows;
mod wsc;
