//! SAT: what saturation leaves open, decided by CaDiCaL.
//!
//! - [`solver`]: CaDiCaL within bounds of time, memory and conflicts;
//! - [`residual`]: a formula over the [pairs of writes](crate::kernel::pairs) that are left unordered, and over the sources of reads that have several
//!   candidates, to which the cycles of its models are added until a model has none;
//! - [`graph`], [`cycles`], [`triangles`]: the order that a model stands for, and its cycles;
//! - [`case`](mod@case): why a cycle is one, as a block of a proof;
//! - [`resolve`](mod@resolve), [`clauses`]: why the clauses contradict each other.

mod case;
mod clauses;
mod cycles;
mod graph;
pub(crate) mod residual;
mod resolve;
pub(crate) mod solver;
mod triangles;
