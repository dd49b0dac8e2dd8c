//! Tests of mutants and repairs: operators, named mutants, what they change, and the places that they overwrite.
//!
//! One program, so that all tests are linked once and share the processors.

mod differences;
mod mutants;
mod named;
mod operators;
mod places;
mod repairs;
#[path = "../../../slicc/tests/it/tables/mod.rs"]
mod tables;
