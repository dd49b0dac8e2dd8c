//! The algorithms of the papers, as published, for comparison with each other and with this program's
//! own stages.
//!
//! Each is kept as its paper describes it, costs included. Of CCM, wCCM and wSC there are two computations, which derive the same
//! orders: one as published, under names that end in `-published` and in `wsc-enum`, which the papers' experiments measure; and a
//! faster one under the plain names. The crate `check` knows none of them: an
//! [`Algorithm`](check::Algorithm) of the table [`algorithms`] brings its function along, and [`check::decide()`] runs it as it does its own
//! stages.
//! Each family has a folder:
//!
//! - [`criteria`]: the criteria that are weaker than SC or TSO (CAV 2019);
//! - [`gradual`]: the axioms as a formula; a weaker criterion first, then enumeration or SAT over the
//!   rest (CAV 2019, Boosting);
//! - [`saturation`]: wSC, wTSO, and extensions (Boosting);
//! - `dbcop`: search over interleavings (Boosting);
//! - [`hpca`]: the family of HPCA 2006;
//! - [`qadeer`]: the simple witness, constraint graphs and nice cycles (Qadeer).
//!
//! They share [`execution`], a history with explicit initial writes, program order and reads-from, and
//! `program_order`, program order reduced to neighbours. [`Guarantee`] is a model or a criterion that a memory system may guarantee, and
//! [`kernel`] compares the criteria with the store order that all runs of a history have in common.
//!
//! Relations have the names of the papers: `wr` is reads-from (`wr_e` that from other threads), `ww` the store order
//! (coherence order), `rw` from-reads, and `co` causality.
//!
//! ```
//! use check::{Options, Question, Verdict};
//! use history::{Access, Ambiguity, HistoryBuilder, Initial, Kind, Place, Provenance, ReadsFrom};
//! use memory::Model;
//!
//! let mut builder = HistoryBuilder::new();
//! builder.push(Access { written: Some(1), ..Access::new(0, Kind::Store, Place::Cell(0)) });
//! builder.push(Access { read: Some(1), ..Access::new(1, Kind::Load, Place::Cell(0)) });
//! let history = builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap();
//! let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
//!
//! let options = Options { algorithm: papers::CCM, ..Options::default() };
//! let answer = Question::new(Model::SC, &options).ask(&history, &reads_from);
//! assert_eq!(answer.verdict(), &Verdict::Satisfied);
//! ```

pub mod algorithms;
pub mod criteria;
mod dbcop;
pub mod execution;
pub mod gradual;
mod guarantee;
pub mod hpca;
pub mod kernel;
mod program_order;
pub mod qadeer;
pub mod saturation;

pub use algorithms::*;
pub use guarantee::Guarantee;
