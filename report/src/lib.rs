//! Results as tables: everything that rubric keeps in Parquet goes through here, and nothing else
//! in the workspace knows polars. [`results`] is all that a folder holds; [`answers`] says what the runs of a campaign mean, and
//! [`figures`] shows what the experiments do, and [`claims`] says what of the papers holds.
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
pub mod figures;
pub mod files;
pub mod results;
pub mod tables;
