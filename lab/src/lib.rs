//! Campaigns and experiments: many runs whose rows go to a folder, so that they can be interrupted, resumed, and spread over machines.
//!
//! - [`campaign`] runs mutants of protocols with random programs, and finds out which algorithm catches which: [`campaign::Options`],
//!   [`campaign::Campaign`];
//! - [`experiment`] repeats the experiments of the papers: [`experiment::catalog`], [`experiment::Work`];
//! - [`testing::test`] finds out what is wrong with one protocol, and what of that is known of gem5's released protocols;
//! - [`stored::Stored`] is all that a folder holds, rows of runs that are under way included.
//!
//! Both write a [`journal`], a line for each row as soon as there is one, and at the end Parquet ([`tables`]); a [`shard::Shard`] is the part
//! of the work that one machine does, and `resume` says when stored rows may be added to. Nothing here prints: an [`Observer`] is told
//! how far the work is, and an [`Error`] says what went wrong.
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
mod error;
pub mod experiment;
mod folder;
pub mod journal;
pub mod load;
mod machine;
mod observer;
pub mod protocols;
pub mod released;
mod resume;
pub mod shard;
pub mod stored;
pub mod testing;
pub mod text;

pub use error::{Error, Refusal};
pub use observer::{NoObserver, Observer, Stage};
