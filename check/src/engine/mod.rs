//! The engine: stages that decide a history under a memory model, and the data structures they share.
//!
//! A stage takes [`Events`](events::Events), the operations that matter arranged in chains, and finds
//! either a memory order or a [`proof`] that there is none.
//!
//! - `trace_order` tries the order in which the trace's operations completed;
//! - [`saturate`] derives the order that the reads force, with vector `clocks`; `explain` turns a cycle
//!   in it into a block of a proof;
//! - [`windows`] finds a memory order of a long history without deriving the forced order of the whole
//!   history;
//! - [`complete`] extends the saturated order to a total one: by placing events without deriving consequences
//!   (`greedy`), and where that gets stuck, by a `search` that derives the consequences of each choice;
//! - [`schedule`] turns a memory order into a run of the operational machine, and `steps` a proof into
//!   the steps of a certificate; `minimise` makes a proof small.
//!
//! The SAT stage is in `sat`, and [`crate::decide()`] runs the stages in turn.

mod accesses;
mod blockers;
pub(crate) mod both;
mod choice;
pub mod clocks;
pub mod complete;
pub mod csr;
pub mod digraph;
mod effort;
pub mod events;
pub(crate) mod explain;
pub(crate) mod finals;
mod frontier;
mod greedy;
pub mod index;
pub mod limits;
pub(crate) mod minimise;
mod predecessor_cache;
pub(crate) mod projection;
pub mod proof;
pub mod rank;
pub mod relation;
pub mod saturate;
pub mod schedule;
mod search;
pub mod steps;
pub(crate) mod trace_order;
pub(crate) mod value_problems;
pub mod windows;
pub mod worklist;
