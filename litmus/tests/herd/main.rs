//! Compares the outcomes of litmus tests with those of herd.

mod behaviour;
mod instructions;
mod results;
