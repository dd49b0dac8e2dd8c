//! Tests of protocols as text: their tables, operators, named mutants and repairs.
//!
//! One program, so that all tests are linked once and share the processors.

mod coalescers;
mod mutants;
mod named;
mod operators;
mod places;
mod protocols;
mod repairs;
mod tables;
