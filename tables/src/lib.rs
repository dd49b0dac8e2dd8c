//! Files of tables: histories, transitions of controllers, measurements, runs of campaigns and trials of experiments as Parquet, and
//! any rows as CSV. No other crate of the workspace depends on polars.
//!
//! - [`write_histories`] and [`read_histories`] keep [`history::History`] values;
//! - [`CampaignRun`], [`Trial`], [`Measurement`], [`Equivalent`] and [`Coverage`] are the rows of the other tables, each
//!   with its functions to read and write;
//! - [`results::Results`] holds all tables of a folder, whole or in shards;
//! - [`write_csv`] writes rows of any type as CSV;
//! - [`files`] writes files whole or not at all.
//!
//! ```
//! use history::{Access, HistoryBuilder, Kind, Place};
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
//!
//! # Operations
//!
//! [`write_histories`] makes one table of all histories of an input, a row an operation, histories
//! and threads in order and operations in program order:
//!
//! | column | type | |
//! |---|---|---|
//! | `history` | u32 | number of the history in the file, from 0 |
//! | `name` | str? | its name |
//! | `thread` | u32? | number of the thread; null for `initial` and `final` |
//! | `index` | u32? | position in the thread's program order, from 0; null likewise |
//! | `kind` | str | `load`, `store`, `rmw`, `failed-cas`, `load-linked`, `store-conditional`, `fence`, a weaker fence such as `fence r,rw` or `fence tso`, `initial`, `final` |
//! | `address` | u64? | byte address or cell; null for a fence |
//! | `size` | u32? | bytes; null for a fence and for cells |
//! | `read` | u64? | value read; for `final` the value the location holds at the end |
//! | `written` | u64? | value written; for `initial` the value at the start, null if unknown |
//! | `issued`, `completed` | u64? | ticks, where known |
//! | `line` | u64? | line of the trace that shows it |
//! | `order` | u32? | place in the trace's order of completions |
//! | `continues` | bool | whether it is a further part of the access before it, which was split |
//! | `annotation` | str? | `acquire`, `acquire-pc` (RCpc), `release` or `acquire-release` |
//! | `source_thread`, `source_index` | u32? | the write it is known to read, where sizes are mixed |
//!
//! A row of kind `initial` stands for each location that does not start at 0 or that nothing else
//! touches. File metadata `rubric` is JSON: the version, and per history its name, its digest and
//! its provenance (source, sizes, protocol, how the run ended, notes, …). A file without that, or
//! without the columns from `issued` on, is read too, so that other programs can write one.
//!
//! # Transitions
//!
//! [`write_transitions`] keeps the transitions of the protocol's controllers: `tick` u64, `machine`
//! str, `version` u32, `event`, `state` and `next_state` str, `address` and `line` u64.
//!
//! # Measurements
//!
//! [`write_measurements`] makes a table of how long the program took for what, a row a history and
//! model, as `make bench` does:
//!
//! | column | type | |
//! |---|---|---|
//! | `series` | str | what is varied in the series that the row belongs to: `operations`, `threads`, `locations`, `mix`, `violations`; or `targets`, `pipeline` |
//! | `version` | str | version of the program |
//! | `command` | str | command that generated the trace |
//! | `format` | str | `axe`, `trace.gz` |
//! | `model`, `algorithm` | str | what it was checked against, and by what |
//! | `operations` | u64 | fences too |
//! | `threads`, `locations` | u32 | |
//! | `loads`, `stores`, `rmws`, `fences` | u32 | weights of the kinds of operations |
//! | `violations` | u32 | reads that were re-pointed |
//! | `seed` | u64 | |
//! | `trace_bytes` | u64 | size of the trace's file |
//! | `verdict` | str | `consistent`, `violation`, `undecided` or `timeout` |
//! | `decided_by` | str | the stage |
//! | `runs` | u32 | of all that follows the median of so many is given |
//! | `check_seconds` | f64 | wall time of `rubric check`, reading and writing included |
//! | `decide_seconds` | f64 | of that, what it took to decide |
//! | `check_peak` | u64 | bytes of memory, at most (resident set) |
//! | `edges`, `backtracks` | u64 | edges derived, contradictions met |
//! | `certificate_bytes` | u64? | null without a verdict, as what follows |
//! | `verify_seconds` | f64? | wall time of `rubric verify` |
//! | `verify_peak` | u64? | bytes of memory, at most |
//!
//! # Runs of a campaign
//!
//! [`write_runs`] makes a table of the runs of mutated protocols with random programs, a row a run, as
//! `rubric campaign` does. What is about the mutant is null where the protocol is as released:
//!
//! | column | type | |
//! |---|---|---|
//! | `protocol` | str | |
//! | `mutant` | str? | its id, or the slug of a named bug |
//! | `operator` | str? | what made it; `named` for a named bug |
//! | `machine`, `state`, `event` | str? | the transition that was edited, where it is one |
//! | `place` | str? | what in it was edited |
//! | `client`, `model` | str | the cores, and the model that they keep: `sc`, `tso` or `pso` |
//! | `generator` | str | what chose the program: `blind` or `guided` |
//! | `repetition` | u32 | which repetition of the campaign, from 0: each begins anew and knows nothing of the others |
//! | `number` | u32 | which run of the mutant with this client and generator in the repetition, from 0 |
//! | `seed` | u64 | |
//! | `lineage` | str | the seeds that the program comes from |
//! | `threads`, `operations` | u32 | of the program |
//! | `transitions`, `ticks` | u64 | that the run took |
//! | `outcome` | str | `clean`, `violation`, `protocol error`, `deadlock`, `undecided` |
//! | `fault`, `message` | str? | kind of the protocol's fault, and what it says |
//! | `warning` | str? | what gem5 accepts although it is evidently wrong, and where in the protocol; older tables lack it |
//! | `covered` | u64? | how often the run took what was edited; null where that is no transition |
//! | `new` | u32 | how many triples of machine, state and event it was the first to reach |
//! | `C` | str? | for each of [`CRITERIA`]: `consistent`, `violation` or `undecided`; null if it was not asked |
//! | `C_operations` | u32? | how many operations had completed when it was violated, at most |
//! | `C_seconds` | f64? | what it took to check the whole history |
//! | `trace_hash` | str? | digest of the history, which is that of its trace: as in certificates; null if there is none |
//! | `simulate_seconds` | f64 | |
//! | `command` | str | repeats the run |
//!
//! # Trials of an experiment
//!
//! [`write_trials`] makes a table of what algorithms said of the histories of an experiment, a row a history
//! and algorithm, as `rubric experiment` does:
//!
//! | column | type | |
//! |---|---|---|
//! | `experiment` | str | the experiment, such as `gcc-fig4` |
//! | `size` | str | `quick`, `paper` or `large` |
//! | `part` | str | what is varied in the part of the experiment that it belongs to: `operations`, `threads`, `locations`, `mix`, or `histories` if nothing is |
//! | `point` | str | the point of the part, such as `operations=200`, or for several parameters `operations=131072,threads=8,locations=64` |
//! | `number` | u32 | number of the history among those of the point, from 0 |
//! | `seed` | u64 | what the history is made from, together with what the columns up to `distance` say |
//! | `source` | str | `simulated`, `mutant`, `machine` or `recorded` |
//! | `file` | str? | the file of a recorded history, and its name in it |
//! | `protocol` | str? | the protocol that ran; none if none did |
//! | `mutant` | str? | the mutant of it that ran |
//! | `client` | str? | the cores |
//! | `threads` | u32 | threads, as asked for |
//! | `operations` | u64 | operations of all threads, as asked for |
//! | `locations` | u32 | locations, as asked for |
//! | `mix` | str | the mix of operations, such as `50,50,0,0`: loads, stores, read-modify-writes, fences |
//! | `repointed` | u32 | reads that were re-pointed to other writes |
//! | `distance` | u32 | how far away these are at most, in operations of the order of completion |
//! | `write_pairs` | u64 | pairs of writes of one location, the initial ones left out |
//! | `kernel` | u64? | pairs in the kernel, where that was asked |
//! | `trace_hash` | str | digest of the history, as in certificates |
//! | `make_seconds` | f64 | seconds that making the history took |
//! | `model` | str | the model that was checked |
//! | `algorithm` | str | the algorithm, as on the command line |
//! | `said` | str | what it said |
//! | `reason` | str? | why it said nothing, in a few words |
//! | `seconds` | f64 | seconds that it took, the history being in memory; if the time limit has cut it off, the limit |
//! | `edges` | u64 | edges that it derived |
//! | `backtracks` | u64 | contradictions that its search met |
//! | `depth` | u64 | choices that the deepest of them took back |
//! | `nodes` | u64? | states or choices that it looked at |
//! | `ordered` | u64? | of the pairs of writes, how many it ordered before any search |
//! | `conflicts` | u64? | conflicts in a SAT solver |
//! | `fired` | str? | the weaker criterion that refuted the history |
//! | `cycle` | u32? | length of the nice cycle that was found: the number of threads and locations in it |
//! | `timeout` | f64 | the time limit, in seconds |
//! | `version` | str | version of the program |
//! | `machine` | str | processor and number of trials that ran at a time |
//! | `command` | str | the command that repeats it |
//!
//! `said` is `consistent`, `violation`, `satisfied` (the weaker criterion holds), `undecided`, `timeout` or `memory`. A row whose
//! `algorithm` is `kernel` is about computing the exact kernel; `cf` counts the pairs that the conflicts of CCv relate by themselves.
//!
//! # Equivalent mutants
//!
//! [`write_equivalents`] keeps the mutants that cannot change what the protocol does: `protocol`,
//! `mutant`, `operator`, `kind` and `reason`, all str.
//!
//! # Coverage
//!
//! [`write_coverage`] keeps how often each transition of a protocol without mutant was taken: `protocol`, `machine`, `state`,
//! `event` (str), `stalls` (bool: whether the event has to wait in this state), `count` (u64: how often it was taken or
//! stalled), 0 for those that no run came to, and `unreached` (str?: why no run comes to it, if a reason is known; older versions
//! did not write this column). `report::coverage` says how much of a table is covered.
//!
//! The same input gives the same bytes.

mod columns;
mod coverage;
mod csv;
mod equivalents;
pub mod files;
mod guard;
mod kind;
mod measurements;
mod metadata;
mod names;
mod operations;
mod read;
mod records;
pub mod results;
mod runs;
mod transitions;
mod trials;
mod write;

use std::io;
use std::path::{Path, PathBuf};

use history::RestoreError;
use polars::error::PolarsError;
use thiserror::Error;

pub use coverage::{Coverage, read_coverage, write_coverage};
pub use csv::write_csv;
pub use equivalents::{Equivalent, read_equivalents, write_equivalents};
pub use guard::{Probe, set_probe};
pub use kind::{Table, kind};
pub use measurements::{Measurement, read_measurements, write_measurements};
pub use read::{decode, decode_bytes, read_bytes, read_histories};
pub use runs::{
    CRITERIA, CampaignRun, Checked, Finding, Generator, RunOutcome, read_runs, write_runs,
};
pub use transitions::write_transitions;
pub use trials::{Said, Trial, read_trials, write_trials};
pub use write::write_histories;

/// The first and the last bytes of a Parquet file.
pub const MAGIC: &[u8] = b"PAR1";

/// The command that makes a table of operations.
const INGEST: &str = "rubric ingest TRACE -o FILE.parquet";

/// Why a table could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file could not be opened, read or written.
    #[error("{}: {error}: {}", path.display(), files::advice(error))]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// A file that is damaged or no Parquet at all.
    #[error("{}: is no sound Parquet file: {what}. Make it again with `{made_by}`", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong.
        what: String,
        /// The command that makes such a file.
        made_by: &'static str,
    },
    /// Parquet without what a history needs.
    #[error("{}: {what}; a table of operations as `{INGEST}` writes it was expected", path.display())]
    Schema {
        /// Path of the file.
        path: PathBuf,
        /// What is missing or of the wrong type.
        what: String,
    },
    /// Parquet that is another table than the one asked for.
    #[error("{}: {what}; {table} as `{made_by}` writes it was expected", path.display())]
    Records {
        /// Path of the file.
        path: PathBuf,
        /// What is missing or of the wrong type.
        what: String,
        /// What was asked for.
        table: &'static str,
        /// The command that makes one.
        made_by: &'static str,
    },
    /// Rows that make no history.
    #[error("{}: history {number} contradicts itself: {error}; make the file again with `{INGEST}`", path.display())]
    History {
        /// Path of the file.
        path: PathBuf,
        /// The history, from 0.
        number: u32,
        /// What is wrong.
        #[source]
        error: RestoreError,
    },
    /// The table could not be made.
    #[error("{}: the table could not be made: {what}", path.display())]
    Make {
        /// Path of the file.
        path: PathBuf,
        /// What polars said.
        what: String,
    },
}

impl TableError {
    fn damaged(path: &Path, what: impl Into<String>) -> TableError {
        TableError::Damaged {
            path: path.to_owned(),
            what: what.into(),
            made_by: INGEST,
        }
    }

    /// The same about a file that another command makes.
    fn made_by(mut self, command: &'static str) -> TableError {
        if let TableError::Damaged { made_by, .. } = &mut self {
            *made_by = command;
        }
        self
    }

    fn schema(path: &Path, what: impl Into<String>) -> TableError {
        TableError::Schema {
            path: path.to_owned(),
            what: what.into(),
        }
    }

    fn io(path: &Path) -> impl Fn(io::Error) -> TableError {
        let path = path.to_owned();
        move |error| TableError::Io {
            path: path.clone(),
            error,
        }
    }

    /// An error of polars, other than of the file, while writing.
    fn make(path: &Path, error: &PolarsError) -> TableError {
        TableError::Make {
            path: path.to_owned(),
            what: error.to_string(),
        }
    }
}
