//! Campaigns and experiments: large numbers of runs that can be interrupted, resumed and spread over machines, because each run is
//! stored in a folder as soon as it has ended.
//!
//! - [`campaign`] runs mutants of protocols with random programs, and records which algorithm finds which mutant: [`campaign::Options`],
//!   [`campaign::Campaign`];
//! - [`experiment`] repeats the experiments of the papers: [`experiment::catalog`], [`experiment::Work`];
//! - [`gem5`] runs programs in binaries of gem5, and [`fidelity`] compares these with rubric's simulator;
//! - [`inputs`] finds the traces of folders and patterns, [`verdicts`] makes the rows of a table of verdicts;
//! - [`order`] compares names in natural order, `t2` before `t10`;
//! - [`load`] reads histories from any input, [`save`] writes them, and [`certify()`](certify::certify) verifies the certificates of
//!   verdicts;
//! - [`ending`] tells how the run of a trace ended, [`statistics`] what a trace holds;
//! - [`series`] makes and scores series of runs of protocols; [`simulated`] makes the history of one, [`coverage`] counts its transitions;
//! - [`protocols`] opens protocols and finds their mutants, and [`released`] lists the known faults of gem5's released protocols;
//! - [`exploration`] explores protocols, programs and memory systems, and tells what is found;
//! - [`explorations`] is the journal of explorations of many mutants, and [`decided`] explores many protocols at several sizes;
//! - [`testing::test()`] finds out what is wrong with one protocol, and what of that is known of gem5's released protocols;
//! - [`stored::Stored`] is all results of a folder, including those of campaigns and experiments that have not finished.
//!
//! Campaigns and experiments write each row to a [`journal`] as soon as it is known, and Parquet at the end ([`tables`]). A
//! [`shard::Shard`] is the part of the work that one machine does. `resume` decides whether rows may be added to stored ones. Nothing in
//! this crate prints: an [`Observer`] is called with the progress, and an [`Error`] says what went wrong.
//!
//! ```
//! use lab::NoObserver;
//! use lab::campaign::{Campaign, Options};
//! use lab::stored::Stored;
//!
//! let folder = tempfile::tempdir()?;
//! let options = Options {
//!     protocols: vec!["MI_example".to_owned()],
//!     output: folder.path().to_owned(),
//!     made: false,
//!     named: false,
//!     mutants: vec!["mi-l1-replace-no-notify".to_owned()],
//!     runs: 1,
//!     ..Options::default()
//! };
//! let outcome = Campaign::new(options)?.run(&NoObserver)?;
//! assert!(outcome.is_whole);
//! assert_eq!(Stored::read(folder.path())?.results.runs, outcome.results.runs);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod campaign;
pub mod certify;
pub mod coverage;
pub mod covering;
pub mod decided;
pub mod ending;
mod error;
pub mod experiment;
pub mod exploration;
pub mod explorations;
pub mod fidelity;
mod folder;
pub mod gem5;
pub mod hardware;
pub mod inputs;
pub mod journal;
pub mod load;
pub mod machine;
mod observer;
pub mod order;
mod outcome;
pub mod protocols;
pub mod released;
mod resume;
pub mod save;
pub mod series;
pub mod shard;
pub mod simulated;
pub mod statistics;
pub mod stored;
pub mod testing;
pub mod text;
pub mod verdicts;

pub use error::{Error, Refusal};
pub use observer::{NoObserver, Observer, Stage};
pub use outcome::Outcome;
