//! Models that reorder loads: what they preserve of program order, and memory orders that satisfy them.
//!
//! RVWMO, Armv8 and WMO are multi-copy atomic: one total memory order explains an execution. Unlike the
//! models with store buffers they have no small machine here; they are defined by their axioms alone.
//! A model allows a history if there is a total order of its accesses such that
//!
//! - it includes preserved program order, the pairs for which a [`PpoRule`] of the model
//!   [holds](PpoRule::holds);
//! - every read returns the latest write, in that order, among the writes of its location that precede it
//!   in that order or in program order (the load value axiom);
//! - no write of another thread comes between the source of a load-linked and its store-conditional;
//! - the last write of each location has the location's final value, if one is recorded.
//!
//! [`PpoRule::holds`] is the definition, pair by pair. [`graph`] has the same order as a graph with about
//! as many edges as operations, [`order`] checks a memory order in linear time, and [`progress`] runs
//! programs out of order.
//!
//! A read-modify-write is one event under RVWMO and WMO. Under Armv8 its read and its write are two:
//! [`Model::prepare`](crate::Model::prepare) splits them, and the model is defined on such histories.
//!
//! # Sources
//!
//! - RVWMO: RISC-V ISA manual, appendix "Formal Memory Model", preserved program order rules 1 to 13.
//! - Armv8: Arm Architecture Reference Manual, section B2.3, in the form of herd's `aarch64.cat` (7.57)
//!   without instruction fetches, tags and translation tables. Its external axiom holds if and only if a
//!   total order includes ordered-before, so memory order is such an order; the internal axiom is the
//!   load value axiom together with [`PpoRule::ReadsApart`].
//! - WMO: manual of the Axe checker, section "Weak Memory Order".
//!
//! # Dependencies on reads-from
//!
//! In the manuals some rules ask which write a read returns: a read that returns an earlier store of its
//! own thread follows what that store depends on (RVWMO 12), and the atomic that the store belongs to
//! (RVWMO 3). Here these rules hold for the latest own write before the read, whether the read returns
//! it or not. That is the same model: a read that returns another write follows that write in memory
//! order, which follows the own one by the load value axiom. Only [`PpoRule::ReadsApart`] depends on
//! reads-from.

pub mod graph;
mod instructions;
pub mod order;
pub mod progress;
mod rules;

pub use instructions::Instructions;
pub(crate) use instructions::{AARCH64, PLAIN, RISCV};
pub use rules::PpoRule;
