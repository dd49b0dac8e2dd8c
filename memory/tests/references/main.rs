//! The operational machine, the axioms and litmus tests with known verdicts, tested against each other.

mod armv8;
mod axioms;
mod common;
mod litmus;
mod rvwmo;
mod weak;
