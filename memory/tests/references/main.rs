//! The references against each other: the operational machine, the axioms, and litmus tests whose verdicts
//! are known.

mod axioms;
mod common;
mod litmus;
mod rvwmo;
