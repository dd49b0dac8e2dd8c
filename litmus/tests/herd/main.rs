//! Compares the outcomes of litmus tests with those of herd.

mod armv8;
mod behaviour;
mod instructions;
mod mixed;
mod results;
mod types;
