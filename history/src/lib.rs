//! Histories: executions of a shared memory, as a consistency checker sees them.
//!
//! A [`History`] has, for each thread, the loads, stores, read-modify-writes and fences that it
//! performed, in program order, with their locations and values. It does not say how the operations of
//! different threads interleaved: that is for a checker to find out. [`HistoryBuilder`] builds one,
//! [`ReadsFrom`] adds the write that each read takes its value from, and [`Provenance`] says where a
//! history came from and what was assumed in reading it.
//!
//! ```
//! use history::{
//!     Access, Ambiguity, HistoryBuilder, Initial, Kind, OpId, Place, Provenance, ReadSource, ReadsFrom,
//! };
//!
//! // Thread 0 stores 1 to cell 7, thread 1 loads it.
//! let mut builder = HistoryBuilder::new();
//! builder.push(Access { written: Some(1), ..Access::new(0, Kind::Store, Place::Cell(7)) });
//! builder.push(Access { read: Some(1), ..Access::new(1, Kind::Load, Place::Cell(7)) });
//! let history = builder
//!     .finish(Default::default(), &Initial::Zero, Provenance::made())
//!     .unwrap();
//!
//! assert_eq!(history.describe(OpId(1)), "load M[7] == 1");
//! let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
//! assert_eq!(reads_from.source(OpId(1)), Some(ReadSource::Write(OpId(0))));
//! ```

mod annotation;
mod announcement;
mod atomics;
mod builder;
mod crash;
mod dependency;
mod digest;
mod fence;
mod history;
mod initial;
mod kind;
mod layout;
mod operation;
mod parts;
mod permutation;
mod provenance;
pub mod random;
mod reads_from;
mod restore;
mod structure;
mod unrecorded;
mod value_table;

pub use annotation::Annotation;
pub use announcement::ANNOUNCEMENT;
pub use atomics::{SilentEffect, Supposition};
pub use builder::{Access, AssumedSize, BuildError, HistoryBuilder, Initial, Place};
pub use crash::{Crash, CrashKind, FileLine};
pub use dependency::{Dependency, DependencyKind, dependencies_as_text, dependency_from_text};
pub use fence::{Side, WeakFence};
pub use history::{Final, History, Location};
pub use kind::Kind;
pub use layout::low_bytes;
pub use operation::{OpId, Operation, Thread};
pub use parts::WholeAccess;
pub use provenance::{
    Doubt, Gap, InitialMode, Isa, NotUnderstood, Provenance, Sizes, Source, Unfinished,
};
pub use reads_from::{Ambiguity, ReadSource, ReadsFrom, WrittenTwice};
pub use restore::{Frame, RestoreError, Restorer, Row};
