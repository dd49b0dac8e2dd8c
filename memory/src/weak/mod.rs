//! Models that reorder loads: their preserved program order, and the check of a memory order against their axioms.
//!
//! RVWMO, Ztso, Armv8, WMO and RMO are multi-copy atomic: one total memory order explains an execution. Unlike the
//! models with store buffers they have no operational machine here; they are defined by their axioms alone.
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
//! Under Armv8 the read and the write of a read-modify-write are two events, into which
//! [`Model::prepare`](crate::Model::prepare) splits it; the model is defined on such histories. Under the other
//! models a read-modify-write is one event.
//!
//! # Sources
//!
//! - RVWMO: RISC-V ISA manual, appendix "Formal Memory Model", preserved program order rules 1 to 13.
//! - Armv8: Arm Architecture Reference Manual, section B2.3, in the form of herd's `aarch64.cat` (7.58)
//!   without instruction fetches, tags and translation tables. Its external axiom holds if and only if a
//!   total order includes ordered-before, so memory order is such an order; the internal axiom is the
//!   load value axiom together with [`PpoRule::ReadsApart`].
//! - Ztso: RISC-V ISA manual, extension "Ztso".
//! - WMO: manual of the Axe checker, section "Weak Memory Order". RMO is WMO without the order of loads of one
//!   location.
//!
//! # Dependencies on reads-from
//!
//! In the manuals some rules depend on which write a read returns: a read that returns an earlier store of its
//! own thread follows the operations that the store depends on (RVWMO 12), and the atomic that the store belongs to
//! (RVWMO 3). Here these rules hold for the latest write of the location before the read in its own thread, whether
//! the read returns it or not. This defines the same model: a read that returns another write follows that write in
//! memory order, which by the load value axiom follows the latest one of the thread. Only [`PpoRule::ReadsApart`] depends on
//! reads-from.

mod carried;
pub mod graph;
mod instructions;
pub mod order;
pub mod progress;
mod rules;

pub use instructions::Instructions;
pub(crate) use instructions::{AARCH64, PLAIN, RISCV};
pub use rules::PpoRule;
