//! The SAT stage: CaDiCaL decides the order of the writes that saturation leaves unordered.
//!
//! - [`solver`]: CaDiCaL within bounds of time, memory and conflicts;
//! - `formula`: the clauses, which are added as models show that they are needed, and the origin of each;
//! - `residual`: a formula over the [pairs of writes](crate::kernel::pairs) that are left unordered, and
//!   over the sources of reads with several candidates. Clauses that exclude the cycles of its models are
//!   added until a model has none;
//! - `reader`: a read or a final value that has several candidate sources;
//! - `graph`, `cycles`, `triangles`: the order that a model represents, and its cycles;
//! - `case`: the proof that a cycle is a contradiction, as a block;
//! - `resolve`, `clauses`: the proof that the clauses contradict each other.

mod case;
mod clauses;
pub(crate) mod cycles;
pub(crate) mod formula;
pub(crate) mod graph;
mod reader;
pub(crate) mod residual;
mod resolve;
pub mod solver;
pub(crate) mod triangles;
