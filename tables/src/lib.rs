//! Tables of rubric's data as files: histories, transitions of controllers, measurements, runs of campaigns and trials
//! of experiments as Parquet, and rows of any type as CSV. No other crate of the workspace depends on polars.
//!
//! - [`write_histories`] and [`read_histories`] keep [`history::History`] values;
//! - [`CampaignRun`], [`Trial`], [`Measurement`], [`Equivalent`], [`Coverage`], [`FidelityRun`], [`TransitionPair`] and [`VerdictRow`]
//!   are the rows of the other tables, each with functions that read and write its table;
//! - [`results::Results`] holds all tables of a folder, whole or in shards;
//! - [`write_csv`] writes rows of any type as CSV;
//! - [`ArrowTable`] is a table in memory, which other code in the same process can read;
//! - [`escape`] makes text of others harmless in CSV and Markdown.
//!
//! ```
//! use history::{Access, HistoryBuilder, Kind, Place, Provenance};
//!
//! let mut builder = HistoryBuilder::new();
//! builder.push(Access { written: Some(1), ..Access::new(0, Kind::Store, Place::Cell(7)) });
//! let history = builder.finish(Default::default(), &Default::default(), Provenance::made())?;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("history.parquet");
//! tables::write_histories(&path, std::slice::from_ref(&history))?;
//! assert_eq!(tables::read_histories(&path)?[0].digest(), history.digest());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Operations
//!
//! [`write_histories`] makes one table of all histories of an input. Each row is an operation, or the initial or final
//! value of a location; histories and threads are in order, and operations in program order:
//!
//! | column | type | |
//! |---|---|---|
//! | `history` | u32 | number of the history in the file, from 0 |
//! | `name` | str? | its name |
//! | `thread` | u32? | number of the thread; null for `initial` and `final` |
//! | `index` | u32? | position in the thread's program order, from 0; null likewise |
//! | `kind` | str | kind of the row, one of those listed below |
//! | `address` | u64? | byte address or cell; null for a fence |
//! | `size` | u32? | bytes; null for a fence and for cells |
//! | `read` | u64? | value read; for `final` the final value |
//! | `written` | u64? | value written; for `initial` the initial value, null if unknown |
//! | `issued`, `completed` | u64? | ticks, where known |
//! | `line` | u64? | line of the trace that shows it |
//! | `order` | u32? | place in the trace's order of completions |
//! | `continues` | bool | whether it is a further part of the access before it, which was split |
//! | `annotation` | str? | `acquire`, `acquire-pc` (RCpc), `release`, `acquire-release`, `no-return` or `no-return-release` |
//! | `depends` | str? | dependencies such as `address:3 data:4` on the operations of these indices of the thread |
//! | `source_thread`, `source_index` | u32? | the write it is known to read, where sizes are mixed |
//!
//! The kinds are `load`, `store`, `rmw`, `failed-cas`, `load-linked`, `store-conditional`, `silent-rmw`, `fence`, a
//! weaker fence such as `fence r,rw`, `fence tso` or `isb`, `initial` and `final`. The columns `annotation` and
//! `depends` exist only if an operation has an annotation or dependency.
//! There is a row of kind `initial` for each location whose initial value is not 0, or that no operation accesses. File
//! metadata `rubric` is JSON: the version, and per history its name, its digest and its provenance (source, sizes, protocol,
//! how the run ended, notes, ...). Files without this metadata, or without the columns from `issued` on, can be read
//! too, so that other programs can write them. Whole numbers of 32 and 64 bits, signed or not, are read where numbers are
//! expected, and categories of text (pandas' `category`, polars' `Categorical` and `Enum`) where text is; other columns are
//! ignored.
//!
//! # Transitions
//!
//! [`write_transitions`] keeps the transitions of the protocol's controllers: `history` u32, the number in the table of
//! operations, `tick` u64, `machine` str, `version` u32, `event`, `state` and `next_state` str, `address` and `line`
//! u64.
//!
//! # Results
//!
//! Every other table has one column for each field of its row type, with the field's name and in the order of the
//! fields:
//!
//! | rows | written by | a row is |
//! |---|---|---|
//! | [`Measurement`] | `make bench` | a history and model, and how long the program took for them |
//! | [`CampaignRun`] | `rubric campaign` | a run of a protocol, mutated or not, with a random program |
//! | [`Trial`] | `rubric experiment` | an algorithm on a history of an experiment |
//! | [`Equivalent`] | `rubric campaign` | a mutant that cannot change what its protocol does |
//! | [`FidelityRun`] | `rubric experiment fidelity` | a program on rubric's simulator or in gem5, and how its run ended |
//! | [`TransitionPair`] | `rubric experiment fidelity` | a transition, and how often the simulator and gem5 took it |
//! | [`VerdictRow`] | `rubric check -o` | a verdict on a history under a model, or a file that cannot be read |
//! | [`Coverage`] | `rubric campaign` | a transition of a protocol without mutant, and how often it was taken |
//!
//! Columns are str, u32, u64, f64 or bool, and null for `None`; an enum is a str, its `name`. The column `C` of a
//! [`CampaignRun`], for each `C` of [`CRITERIA`], is the [`Finding`], null if the criterion was not checked;
//! `C_operations` (u32) and `C_seconds` (f64) are the other fields of [`Checked`]. A trial whose `algorithm` is
//! `kernel` is about computing the exact kernel, and one whose `algorithm` is `cf` counts the pairs of writes that the
//! conflict relation of CCv orders by itself. Tables of older versions may lack the columns `warning`, `known` and
//! `gem5` of runs, `pairs` of trials, `unreached` of coverage and `mutant` of verdicts.
//!
//! The same input gives the same bytes.

mod arrow;
mod batch;
mod columns;
mod coverage;
mod csv;
mod decode;
mod equivalents;
pub mod escape;
mod fidelity;
mod guard;
mod item;
mod kind;
mod measurements;
mod metadata;
mod names;
mod operations;
pub mod reached;
mod read;
mod records;
pub mod results;
mod runs;
mod transitions;
mod trials;
mod types;
mod verdicts;
mod write;

use std::io;
use std::path::{Path, PathBuf};

use history::RestoreError;
use polars_error::PolarsError;
use thiserror::Error;

pub use arrow::ArrowTable;
pub use coverage::{Coverage, read_coverage, write_coverage};
pub use csv::{csv_to, write_csv};
pub use equivalents::{Equivalent, read_equivalents, write_equivalents};
pub use fidelity::{
    FidelityRun, Place, TransitionPair, read_fidelity, read_transition_pairs, write_fidelity,
    write_transition_pairs,
};
pub use guard::{Probe, set_probe};
pub use kind::{TableKind, kind};
pub use measurements::{Measurement, read_measurements, write_measurements};
pub use read::{decode, decode_bytes, read_bytes, read_histories};
pub use runs::{
    CRITERIA, CampaignRun, Checked, Finding, Generator, RunOutcome, read_runs, write_runs,
};
pub use transitions::write_transitions;
pub use trials::{RECORDED, Reported, Trial, read_trials, write_trials};
pub use verdicts::{VerdictRow, read_verdicts, write_verdicts};
pub use write::write_histories;

/// The first and the last bytes of a Parquet file.
pub const MAGIC: &[u8] = b"PAR1";

/// The command that writes a table of operations.
const INGEST: &str = "rubric ingest TRACE -o FILE.parquet";

/// Why a table could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file could not be opened, read or written.
    #[error("{}: {error}: {}", path.display(), host::files::advice(error))]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// The file is damaged, or is not Parquet.
    #[error("{}: is not a valid Parquet file: {what}; write it again with `{made_by}`", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Description of the problem.
        what: String,
        /// The command that writes such a file.
        made_by: &'static str,
    },
    /// The columns or rows of the Parquet file are not those of a table of operations.
    #[error("{}: {what}; a table of operations as `{INGEST}` writes it was expected", path.display())]
    Schema {
        /// Path of the file.
        path: PathBuf,
        /// Description of the problem, such as a missing column or a row without a thread.
        what: String,
    },
    /// The Parquet file is another table than the one asked for.
    #[error("{}: {what}; {table} as `{made_by}` writes it was expected", path.display())]
    Records {
        /// Path of the file.
        path: PathBuf,
        /// Description of the problem, such as a missing column or an unknown name in a row.
        what: String,
        /// The kind of table that was expected.
        table: &'static str,
        /// The command that writes such a table.
        made_by: &'static str,
    },
    /// The rows contradict each other, so they form no history.
    #[error("{}: history {number} contradicts itself: {error}; write the file again with `{INGEST}`", path.display())]
    History {
        /// Path of the file.
        path: PathBuf,
        /// The history, from 0.
        number: u32,
        /// Description of the problem.
        #[source]
        error: RestoreError,
    },
    /// The table could not be built.
    #[error("{}: the table could not be built: {what}", path.display())]
    Make {
        /// Path of the file.
        path: PathBuf,
        /// The message of polars.
        what: String,
    },
}

impl TableError {
    fn damaged(path: &Path, what: impl Into<String>) -> TableError {
        TableError::Damaged { path: path.to_owned(), what: what.into(), made_by: INGEST }
    }

    /// Returns the same error, which names another command that writes such a file.
    fn made_by(mut self, command: &'static str) -> TableError {
        if let TableError::Damaged { made_by, .. } = &mut self {
            *made_by = command;
        }
        self
    }

    fn schema(path: &Path, what: impl Into<String>) -> TableError {
        TableError::Schema { path: path.to_owned(), what: what.into() }
    }

    fn io(path: &Path) -> impl Fn(io::Error) -> TableError {
        let path = path.to_owned();
        move |error| TableError::Io { path: path.clone(), error }
    }

    /// Makes an error of a polars error in building a table, rather than in writing its file.
    fn make(path: &Path, error: &PolarsError) -> TableError {
        TableError::Make { path: path.to_owned(), what: error.to_string() }
    }
}
