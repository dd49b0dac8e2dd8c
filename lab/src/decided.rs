//! Determines which protocols can be explored completely at which sizes: many protocols with few threads and locations, with a row for
//! each.
//!
//! [`Size`] is a number of threads and locations, [`Decided`] is the row of a protocol at a size, and [`decide`] makes it. A [`Table`] writes rows
//! to a [journal](crate::journal) as soon as they are known, and makes those again that could change with other limits.
//!
//! ```
//! use explore::protocol::SearchOptions;
//! use explore::search::Limits;
//! use lab::decided::{Size, decide};
//! use lab::protocols::Opened;
//!
//! let opened = Opened::new("MI_example", None)?;
//! let row = decide(&opened, "2x1".parse()?, &SearchOptions::default(), None, &Limits::default(), &mut |_| {})?;
//! assert_eq!((row.outcome.as_str(), row.states), ("clean", 252));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use explore::protocol::{Disk, OnDiskError, SearchOptions, Store, Verdict, explore_in};
use explore::search::{Limits, Progress, Stopped};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use simulate::stepper::{MOST, Scope, StepperError, Symmetry};

use crate::error::Error;
use crate::exploration;
use crate::folder::bytes_in;
use crate::journal::{Journal, Row};
use crate::protocols::{Opened, refused};
use crate::testing::known_finding;
use crate::text::{counted, tame};

/// The size of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Size {
    /// The number of threads, each with a cache of its own.
    pub threads: u32,
    /// The number of locations, each in a line of its own.
    pub locations: u32,
    /// Whether caches have room for one line.
    pub tiny: bool,
}

/// The default sizes, the smallest first.
pub const SIZES: [Size; 5] = [
    Size { threads: 2, locations: 1, tiny: false },
    Size { threads: 3, locations: 1, tiny: false },
    Size { threads: 2, locations: 2, tiny: true },
    Size { threads: 2, locations: 2, tiny: false },
    Size { threads: 3, locations: 2, tiny: true },
];

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tiny = if self.tiny { "-tiny" } else { "" };
        write!(f, "{}x{}{tiny}", self.threads, self.locations)
    }
}

/// The error of a text that is not a [`Size`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no size: write threads and locations, as 2x1, or 2x2-tiny for caches with room for one line"
)]
pub struct NoSize(String);

impl FromStr for Size {
    type Err = NoSize;

    fn from_str(text: &str) -> Result<Size, NoSize> {
        let no_size = || NoSize(text.to_owned());
        let (counts, tiny) =
            text.strip_suffix("-tiny").map_or((text, false), |counts| (counts, true));
        let (threads, locations) = counts.split_once('x').ok_or_else(no_size)?;
        let few = |count: &str| {
            let count = count.parse().ok().filter(|count| (1..=MOST).contains(count));
            count.ok_or_else(no_size)
        };
        Ok(Size { threads: few(threads)?, locations: few(locations)?, tiny })
    }
}

/// Says of a key that stored rows of older versions do not have it. Only the schema asks.
fn is_perhaps_missing(_: &u64) -> bool {
    true
}

/// The result of exploring a protocol at a size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decided {
    /// The protocol, by its name.
    pub protocol: String,
    /// Whether it is a built-in one.
    pub is_built_in: bool,
    /// The repairs that were applied to it.
    pub repairs: Vec<String>,
    /// The size: see [`Size`].
    pub size: String,
    /// `clean`, `found`, `stopped` by a limit, `unproved` (nothing found among fingerprints), or `refused`.
    #[schemars(extend("enum" = ["clean", "found", "stopped", "unproved", "refused"]))]
    pub outcome: String,
    /// The number of states.
    pub states: usize,
    /// The number of states that were found but not explored.
    pub open: usize,
    /// The number of moves that were explored.
    pub moves: u64,
    /// The number of moves on a shortest run to the last state that was explored.
    pub depth: u32,
    /// The processor time, in seconds, of all threads together.
    pub seconds: f64,
    /// The memory of states and moves, in bytes.
    pub bytes: usize,
    /// The size of the files that hold the states, in bytes; 0 if they are in memory.
    #[serde(default)]
    #[schemars(skip_serializing_if = "is_perhaps_missing")]
    pub disk: u64,
    /// The symmetries that reduced the number of states: the names of what is interchangeable.
    pub symmetries: Vec<String>,
    /// The limit that stopped the exploration, if one did: `states`, `time`, `memory` or `interrupted`.
    #[schemars(extend("enum" = ["time", "memory", "states", "interrupted", null]))]
    pub stopped: Option<String>,
    /// The kind of the finding, if there is one.
    pub kind: Option<String>,
    /// The finding in a sentence, or why the exploration was refused.
    pub what: Option<String>,
    /// The number of moves of the run that shows the finding.
    pub steps: usize,
    /// The names of the repairs of gem5's released faults that explain the finding.
    pub known: Vec<String>,
    /// The number of warnings.
    pub warnings: usize,
    /// The command that explores it.
    pub command: String,
}

impl Row for Decided {
    type Key = (String, bool, bool, String);
    const ADVICE: &'static str = "name another file with -o, or remove the line";

    fn key(&self) -> Self::Key {
        (self.protocol.clone(), self.is_built_in, self.repairs.is_empty(), self.size.clone())
    }
}

/// The rows of a file, and the options with which missing rows are made.
pub struct Table {
    search_options: SearchOptions,
    limits: exploration::Limits,
    /// The folder for the states of the explorations, each in a folder of its own.
    disk: Option<PathBuf>,
    journal: Journal,
    rows: HashMap<<Decided as Row>::Key, Decided>,
}

impl Table {
    /// Reads the rows of a file, which is created if there is none.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written, or if another process writes it.
    pub fn open(
        path: &Path,
        search_options: SearchOptions,
        limits: exploration::Limits,
        disk: Option<PathBuf>,
    ) -> Result<Table, Error> {
        let (journal, lines) = Journal::open(path)?;
        let rows = lines.rows(0)?.into_iter().collect();
        Ok(Table { search_options, limits, disk, journal, rows })
    }

    /// The row of a protocol at a size. The protocol is explored if the row is missing, or if a limit stopped it that could
    /// change.
    ///
    /// # Errors
    /// Fails as [`decide`] does, or if the row cannot be stored.
    pub fn row(
        &mut self,
        opened: &Opened,
        size: Size,
        report: &mut dyn FnMut(&Progress),
    ) -> Result<&Decided, Error> {
        let key = key(opened, size);
        let limits = self.limits.begin(None);
        if is_needed(self.rows.get(&key), &limits) {
            let folder = self.disk.as_ref().map(|disk| disk.join(folder_of(opened, size)));
            let folder = folder.as_deref();
            // If a limit stopped the exploration before, its row has the processor time until then.
            let resumes = folder.is_some_and(Disk::has_begun);
            let before = self.rows.get(&key).filter(|row| resumes && row.stopped.is_some());
            let before = before.map_or(0.0, |row| row.seconds);
            let mut row = decide(opened, size, &self.search_options, folder, &limits, report)?;
            row.seconds = ((row.seconds + before) * 1e3).round() / 1e3;
            self.journal.add(&row)?;
            self.rows.insert(key.clone(), row);
        }
        Ok(&self.rows[&key])
    }
}

/// The names of the columns of [`Decided::line`].
pub fn heading() -> String {
    format!(
        "{:<29} {:<9} {:>11} {:>5} {:>9} {:>8}  outcome",
        "protocol", "size", "states", "depth", "user s", "MB"
    )
}

impl Decided {
    /// The row of a system that cannot be explored.
    fn refused(self, why: String) -> Decided {
        Decided { outcome: "refused".to_owned(), what: Some(why), ..self }
    }

    /// The row as a line of a table.
    pub fn line(&self) -> String {
        let name = match (self.is_built_in, self.repairs.is_empty()) {
            (true, _) => self.protocol.clone(),
            (false, true) => format!("{}.slicc", self.protocol),
            (false, false) => format!("{} repaired", self.protocol),
        };
        let known = match self.known.join(", ") {
            known if known.is_empty() => known,
            known => format!(" ({known})"),
        };
        let outcome = match (&*self.outcome, &self.what) {
            ("found", Some(what)) => {
                format!("found in {}: {what}{known}", counted(self.steps, "move"))
            }
            ("refused", Some(why)) => format!("refused: {why}"),
            ("stopped", _) => format!("undecided, {} states left", self.open),
            ("unproved", _) => "nothing found among fingerprints".to_owned(),
            _ => "nothing found".to_owned(),
        };
        format!(
            "{:<29} {:<9} {:>11} {:>5} {:>9.1} {:>8.1}  {}",
            tame(&name),
            self.size,
            self.states,
            self.depth,
            self.seconds,
            self.bytes as f64 / 1e6,
            tame(&outcome)
        )
    }
}

/// The user time that this process has spent on processors, in seconds; 0 if the system does not say.
fn processor_seconds() -> f64 {
    let used = getrusage(UsageWho::RUSAGE_SELF);
    used.map_or(0.0, |used| used.user_time().num_microseconds() as f64 / 1e6)
}

/// The name of the folder of a protocol's states at a size: `MI_example.slicc-repaired-2x1`
fn folder_of(opened: &Opened, size: Size) -> String {
    let file = if is_built_in(&opened.given) { "" } else { ".slicc" };
    let repaired = if opened.protocol.loaded.repairs.is_empty() { "" } else { "-repaired" };
    format!("{}{file}{repaired}-{size}", opened.protocol.name())
}

/// Whether a row is missing, or was stopped by a limit and could change with these limits.
fn is_needed(known: Option<&Decided>, limits: &Limits) -> bool {
    known.is_none_or(|row| {
        row.outcome == "stopped"
            && (row.stopped.as_deref() != Some("states")
                || limits.states.is_none_or(|most| row.states < most))
    })
}

/// Whether a protocol that was given by this name or path is a built-in one.
fn is_built_in(given: &str) -> bool {
    fixtures::protocol(given).is_some() && !Path::new(given).exists()
}

/// The key of the row of a protocol at a size.
fn key(opened: &Opened, size: Size) -> <Decided as Row>::Key {
    blank(opened, size).key()
}

/// The row of a protocol at a size, without results.
fn blank(opened: &Opened, size: Size) -> Decided {
    let is_built_in = is_built_in(&opened.given);
    let protocol = opened.protocol.name().to_owned();
    let given = if is_built_in { protocol.clone() } else { format!("{protocol}.slicc") };
    let mut command = format!(
        "rubric explore protocol {given} --threads {} --locations {}",
        size.threads, size.locations
    );
    if size.tiny {
        command += " --tiny";
    }
    let repairs = opened.protocol.loaded.repairs.clone();
    if !repairs.is_empty() {
        command += " --repair all";
    }
    Decided {
        protocol,
        is_built_in,
        repairs,
        size: size.to_string(),
        outcome: String::new(),
        states: 0,
        open: 0,
        moves: 0,
        depth: 0,
        seconds: 0.0,
        bytes: 0,
        disk: 0,
        symmetries: Vec::new(),
        stopped: None,
        kind: None,
        what: None,
        steps: 0,
        known: Vec::new(),
        warnings: 0,
        command,
    }
}

/// Explores a protocol at a size, with its states in a folder if there is one. `report` is called with the progress.
///
/// # Errors
/// Fails if the protocol has errors or the folder cannot be used.
pub fn decide(
    opened: &Opened,
    size: Size,
    search_options: &SearchOptions,
    folder: Option<&Path>,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> Result<Decided, Error> {
    let protocol = &opened.protocol;
    let scope = Scope {
        caches: size.threads,
        lines: size.locations,
        tiny: size.tiny,
        symmetries: vec![Symmetry::Cores, Symmetry::Lines],
        ..Scope::default()
    };
    let mut row = blank(opened, size);
    if search_options.store == Store::Compact {
        row.command += " --store compact";
    }
    let begun = processor_seconds();
    let disk = folder.map(|folder| Disk {
        folder: folder.to_owned(),
        explores: row.command.clone(),
        tell: |_, _, _| {},
    });
    let explored = match explore_in(protocol, &scope, search_options, disk.as_ref(), limits, report)
    {
        Ok(explored) => explored,
        Err(OnDiskError::Disk(problem)) => return Err(Error::States(problem)),
        Err(OnDiskError::Stepper(StepperError::Protocol(failure))) => {
            return Err(refused(&opened.given, *failure));
        }
        Err(OnDiskError::Stepper(StepperError::Plan(why))) => {
            let why: Vec<String> = why.iter().map(|one| one.message.clone()).collect();
            return Ok(row.refused(why.join("; ")));
        }
        Err(OnDiskError::Stepper(StepperError::Setup(why))) => {
            return Ok(row.refused(why.to_string()));
        }
    };
    row.seconds = ((processor_seconds() - begun) * 1e3).round() / 1e3;
    let Progress { states, open, moves, depth, bytes, .. } = explored.progress;
    (row.states, row.open, row.moves, row.depth, row.bytes) = (states, open, moves, depth, bytes);
    row.disk = folder.map_or(0, bytes_in);
    row.warnings = explored.warnings.len();
    row.symmetries = explored.symmetries.iter().map(|one| one.name().to_owned()).collect();
    row.outcome = match &explored.verdict {
        Verdict::Clean => "clean",
        Verdict::Unproved { .. } => "unproved",
        Verdict::Stopped(why) => {
            row.stopped = Some(Stopped::name(*why, "states").to_owned());
            "stopped"
        }
        Verdict::Found(found) => {
            (row.kind, row.what) = (Some(found.finding.name().to_owned()), Some(found.sentence()));
            row.steps = found.steps.len();
            let bounds = &limits.bounds;
            let explained =
                known_finding(protocol, &scope, search_options, found, states, bounds, report);
            row.known = explained.ok().flatten().map_or_else(Vec::new, |known| known.repairs);
            "found"
        }
    }
    .to_owned();
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_they_are_written() {
        for size in SIZES {
            assert_eq!(size.to_string().parse(), Ok(size));
        }
        for wrong in ["", "2", "2x", "2x2tiny", "0x1", "2x99", "2x2-Tiny"] {
            let problem = wrong.parse::<Size>().unwrap_err().to_string();
            assert!(problem.contains("is no size"), "{problem}");
        }
    }

    #[test]
    fn a_row_that_a_limit_stopped_is_made_again_with_a_larger_one() {
        let opened = Opened::new("MI_example", None).unwrap();
        let within = |states| Limits { states, ..Limits::default() };
        let decide = |limits: &Limits| {
            decide(&opened, SIZES[0], &SearchOptions::default(), None, limits, &mut |_| {}).unwrap()
        };
        let stopped = decide(&within(Some(50)));
        assert_eq!((&*stopped.outcome, stopped.stopped.as_deref()), ("stopped", Some("states")));
        assert!(!is_needed(Some(&stopped), &within(Some(50))));
        assert!(is_needed(Some(&stopped), &within(Some(5_000))) && is_needed(None, &within(None)));
        let clean = decide(&within(Some(5_000)));
        assert_eq!((clean.outcome.as_str(), clean.key()), ("clean", stopped.key()));
        assert!(!is_needed(Some(&clean), &within(None)));
    }

    #[test]
    fn files_count_in_their_row() {
        let opened = Opened::new("MI_example", None).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let decide = |folder: Option<&Path>| {
            let (size, search_options) = (SIZES[0], SearchOptions::default());
            decide(&opened, size, &search_options, folder, &Limits::default(), &mut |_| {}).unwrap()
        };
        let (memory, disk) = (decide(None), decide(Some(folder.path())));
        assert_eq!((memory.disk, memory.states), (0, disk.states));
        // A row of 4 words for each state, and 2 for what was found from it.
        assert!(disk.disk > 24 * disk.states as u64, "{} bytes", disk.disk);
    }

    #[test]
    fn what_was_found_is_in_its_row() {
        let opened = Opened::new("MI_example", Some("mi-l1-nack-before-forward")).unwrap();
        let (size, search_options) = ("2x2-tiny".parse().unwrap(), SearchOptions::default());
        let row =
            decide(&opened, size, &search_options, None, &Limits::default(), &mut |_| {}).unwrap();
        assert_eq!(
            (row.outcome.as_str(), row.kind.as_deref(), row.steps),
            ("found", Some("fault"), 10)
        );
    }
}
