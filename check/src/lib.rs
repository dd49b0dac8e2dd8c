//! Decides whether an execution of a shared memory is sequentially consistent (SC), or allowed
//! by total or partial store order (TSO, PSO), and proves the answer.
//!
//! [`check`] runs stages until one decides: [`temporal`] tries the trace's own order,
//! [`saturate`] derives the order that the reads force, [`complete`] extends it to a total order
//! or refutes every way to do so, and [`sat`] decides what takes that long. A consistent history
//! comes with a run of the operational [machine](memory::machine), a violation with a [`proof`]; both can be
//! written as a [certificate](certify::certificate), which [`certify::verify`] checks without the engines. The algorithms of the
//! [`papers`] are kept beside that.
//!
//! ```
//! use check::{Model, Options, Verdict, check};
//! use history::{Access, Ambiguity, HistoryBuilder, Initial, Kind, Place, ReadsFrom};
//!
//! // Store buffering: each thread stores, then reads the other's location too early.
//! let mut builder = HistoryBuilder::new();
//! for thread in 0..2u32 {
//!     let own = Place::Cell(u64::from(thread));
//!     let other = Place::Cell(u64::from(1 - thread));
//!     builder.push(Access { written: Some(1), ..Access::new(thread, Kind::Store, own) });
//!     builder.push(Access { read: Some(0), ..Access::new(thread, Kind::Load, other) });
//! }
//! let history = builder
//!     .finish(Default::default(), &Initial::Zero, Default::default())
//!     .unwrap();
//! let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
//!
//! let sc = check(&history, &reads_from, Model::SC, &Options::default());
//! assert!(matches!(sc.verdict, Verdict::Violation(_)));
//! let tso = check(&history, &reads_from, Model::TSO, &Options::default());
//! assert!(matches!(tso.verdict, Verdict::Consistent(_)));
//! ```

pub mod accesses;
mod algorithm;
pub mod bounds;
pub mod choice;
pub mod clocks;
pub mod closure;
pub mod complete;
pub mod csr;
mod decide;
pub mod detection;
pub mod digraph;
pub mod effort;
pub mod events;
pub mod explain;
pub mod finals;
pub mod frontier;
pub mod fronts;
pub mod generate;
pub mod greedy;
pub mod guarantee;
pub mod index;
pub mod kernel;
pub mod lookback;
pub mod minimise;
pub mod online;
pub mod pairs;
pub mod papers;
pub mod prefixes;
pub mod projection;
pub mod proof;
pub mod rank;
pub mod relation;
pub mod sat;
pub mod saturate;
pub mod schedule;
pub mod search;
pub mod shape;
pub mod shrink;
pub mod steps;
pub mod temporal;
mod trouble;
pub mod verdict;
pub mod worklist;

pub use algorithm::{Algorithm, Power};
pub use decide::{Options, check, decide};
pub use memory::{Model, PsoRmw};
pub use verdict::{Outcome, Reason, Stage, Statistics, Verdict};
