//! Protocols on the simulated hardware: the language, the library, faults, cores and mutants.
//!
//! One program, so that all tests are linked once and share the processors.

mod actions;
mod beside;
mod clients;
mod clusters;
mod common;
mod dma;
mod dvm;
mod equivalent;
mod faults;
mod functional;
mod language;
mod library;
mod models;
mod mutants;
mod named;
mod operators;
mod outcome;
mod parts;
mod plan;
mod polls;
mod protocols;
mod recipes;
mod requests;
mod robust;
mod shapes;
mod small;
mod states;
mod stress;
mod suite;
#[path = "../../../slicc/tests/it/tables/mod.rs"]
mod tables;
mod unreachable;
mod weak;
