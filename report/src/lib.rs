//! Results as tables: everything that rubric keeps in Parquet goes through here, and nothing else
//! in the workspace knows polars. [`results`] is all that a folder holds; [`answers`] says
//! what the runs of a campaign mean, [`coverage`] how much of a protocol they reached, [`summary`] what experiments were run, [`claims`] what they say to the papers; [`figures`] are
//! drawn from them, and [`page`] shows all of it.
//!
//! ```
//! use history::{Access, HistoryBuilder, Kind, Place};
//! use report::tables;
//!
//! let mut builder = HistoryBuilder::new();
//! builder.push(Access { written: Some(1), ..Access::new(0, Kind::Store, Place::Cell(7)) });
//! let history = builder.finish(Default::default(), &Default::default(), Default::default())?;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("history.parquet");
//! tables::write_histories(&path, std::slice::from_ref(&history))?;
//! assert_eq!(tables::read_histories(&path)?[0].digest(), history.digest());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod answers;
pub mod claims;
pub mod coverage;
pub mod figures;
pub mod files;
pub mod page;
pub mod picture;
pub mod results;
pub mod summary;
pub mod tables;
