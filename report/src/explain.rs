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
use memory::machine::Step;

use crate::picture::Operation;

pub use consistent::{DRAWN, consistent};
pub use violation::{drawn, violation};

/// The steps of a memory order that are listed and drawn: all but those of accesses that were not selected, and are part of the history only
/// because they order others.
pub fn listed(history: &History, steps: &[Step]) -> Vec<Step> {
    let order_only = &history.provenance.order_only;
    let is_listed = |step: &Step| {
        let (Step::Execute(op) | Step::Commit(op)) = *step;
        let has_value = history.read(op).is_some() || history.written(op).is_some();
        let location = history.location(op).and_then(|at| history.locations().get(at as usize));
        has_value || location.is_none_or(|location| !order_only.contains(&location.address))
    };
    steps.iter().copied().filter(is_listed).collect()
}

/// The remark on steps that are not listed.
fn not_listed(count: usize) -> Option<String> {
    let are = if count == 1 { "step of an access is" } else { "steps of accesses are" };
    (count > 0).then(|| {
        format!("{count} {are} not listed: the addresses are not selected, but the accesses order others.")
    })
}

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
