//! Explains verdicts: turns a proof, or the run that explains a history, into a [`Picture`](crate::picture::Picture).
//!
//! - [`violation()`] draws a proof, with a picture for each of its cases; [`drawn`] only the end of the proof;
//! - [`consistent()`] draws a memory order;
//! - [`why`] says in words why each edge of a cycle is inferred, for a violation of a model, and [`criterion`] for one of a weaker
//!   criterion. Both write the [`notes`] of the cycle;
//! - [`words`] writes a proof as text, [`reasoning`] as data for other programs;
//! - [`coherence`] lists what the controllers did with the cache lines meanwhile.
//!
//! ```
//! use check::{Model, Options, Verdict};
//! use history::{Access, Ambiguity, HistoryBuilder, Initial, Kind, Place, Provenance, ReadsFrom};
//! use report::{explain, picture};
//!
//! // Store buffering: each thread stores, then reads the other's location too early.
//! let mut builder = HistoryBuilder::new();
//! for thread in 0..2u32 {
//!     let own = Place::Cell(u64::from(thread));
//!     let other = Place::Cell(u64::from(1 - thread));
//!     builder.push(Access { written: Some(1), ..Access::new(thread, Kind::Store, own) });
//!     builder.push(Access { read: Some(0), ..Access::new(thread, Kind::Load, other) });
//! }
//! let history = builder.finish(Default::default(), &Initial::Zero, Provenance::made())?;
//! let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse)?;
//! let outcome = check::check(&history, &reads_from, Model::SC, &Options::default());
//! let Verdict::Violation(violation) = outcome.verdict else { panic!("SC forbids it") };
//!
//! let drawn = explain::drawn(&history, &reads_from, &violation, "Store buffering".to_owned());
//! assert_eq!(drawn.columns, ["thread 0", "thread 1"]);
//! assert!(picture::svg(&drawn).starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod coherence;
mod consistent;
pub mod criterion;
pub mod notes;
pub mod reasoning;
mod rows;
mod violation;
pub mod why;
pub mod words;

use history::{History, OpId};

use crate::picture::Operation;

pub use consistent::{DRAWN, consistent};
pub use violation::{drawn, violation};

/// Makes the box of an operation in a picture.
fn operation(history: &History, op: OpId, column: usize) -> Operation {
    let operation = history.operation(op);
    let line = operation.line.map(|line| format!("line {line}"));
    let ticks = why::ticks(history, op);
    let places: Vec<String> = line.into_iter().chain(ticks).collect();
    Operation {
        column,
        label: why::label(history, op),
        text: history.describe(op),
        place: places.join(", "),
    }
}
