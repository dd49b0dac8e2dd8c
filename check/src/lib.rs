//! Decides whether an execution of a shared memory is sequentially consistent (SC), or allowed
//! by total or partial store order (TSO, PSO) or a weak model (RVWMO, Armv8, WMO), and proves the answer.
//!
//! [`check()`] runs the stages of the [`engine`] until one decides. The first tries the order in which the
//! trace's operations completed. The second derives the order that the reads force. The third extends that
//! to a total order, or refutes every way to do so. A SAT solver decides the histories for which the third
//! takes too long. The [`Verdict`] *consistent* comes with a run of the operational
//! [machine](memory::machine), the verdict *violation* with a [proof](engine::proof). Both can be written as a
//! [certificate](certify::certificate), which [`certify::verify`] checks without the engine.
//!
//! - a [`Question`] is asked in one place, about histories too of which it is not known whether some operations have written, and
//!   its [`Answer`] has the first line, the caveats and the certificate;
//! - [`Algorithm`] lists the stages, which [`decide()`] runs, and takes [algorithms of other crates](published), such as those of the
//!   papers;
//! - [`kernel`] computes the store order that all runs of a history have in common;
//! - [`online`] checks the operations of a running program as they arrive;
//! - [`shrink`] finds small parts of a history that still violate a model;
//! - [`mod@generate`] generates random and hard histories.
//!
//! ```
//! use check::{Model, Options, Verdict, check};
//! use history::{Access, Ambiguity, HistoryBuilder, Initial, Kind, Place, Provenance, ReadsFrom};
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
//!     .finish(Default::default(), &Initial::Zero, Provenance::made())
//!     .unwrap();
//! let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
//!
//! let sc = check(&history, &reads_from, Model::SC, &Options::default());
//! assert!(matches!(sc.verdict, Verdict::Violation(_)));
//! let tso = check(&history, &reads_from, Model::TSO, &Options::default());
//! assert!(matches!(tso.verdict, Verdict::Consistent(_)));
//! ```

mod accept;
pub mod algorithm;
mod answer;
pub mod assumptions;
mod certificate;
pub mod criterion_violation;
mod decide;
pub mod engine;
pub mod generate;
mod headline;
pub mod kernel;
pub mod nice_cycle;
pub mod online;
mod options;
pub mod published;
mod question;
pub mod sat;
mod settle;
pub mod shrink;
pub mod verdict;
mod weak;

pub use accept::accepted;
pub use algorithm::Algorithm;
pub use answer::Answer;
pub use decide::{check, check_within, decide};
pub use headline::Headline;
pub use host::{Bounds, Exceeded};
pub use memory::Model;
pub use options::Options;
pub use question::Question;
pub use sat::solver::version as solver_version;
pub use settle::{Case, Cases};
pub use verdict::{Outcome, Reason, Verdict};
