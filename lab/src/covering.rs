//! Covering a protocol: which rows of its tables are taken, by which runs, which are proved unreachable, and why the rest was not taken.
//!
//! [`cover()`] walks through small systems of the protocol, drawn one after another ([`explore::protocol::cover`]), and runs random programs
//! beside that. `slicc::reachable` proves rows unreachable in systems of any size. For each row that was taken, [`Covered`] knows the first
//! walk or program; [`Covered::run_to`] makes a short run of a walk.
//!
//! - `systems`: which systems are drawn; `pool`: walks through several of them; `walk_id`: how a walk is named;
//! - `programs`: the random programs;
//! - `search`: the rounds; `reasons`: why a row was not taken;
//! - [`text`] and [`json`]: the report.
//!
//! ```
//! use lab::NoObserver;
//! use lab::covering::{Extent, Options, cover};
//!
//! let options = Options { extent: Extent::Rounds(2), ..Options::default() };
//! let covered = cover("MI_example", &options, &NoObserver)?;
//! assert!(covered.taken() > 40);
//! # Ok::<(), lab::Error>(())
//! ```

pub mod json;
pub(crate) mod pool;
mod programs;
mod reasons;
mod search;
mod systems;
pub mod text;
mod walk_id;

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use explore::protocol::cover::{CoveringRun, Table, Walker};
use simulate::client::Client;
use simulate::recipe::Lineage;
use simulate::stepper::DescribedMove;
use simulate::system::triple_of;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;
use slicc::setting::Setting;

use crate::error::Error;
use crate::observer::{Observer, Stage};
use crate::protocols::{Opened, Repairs, words_of};
use crate::text::quoted;
pub use pool::{FoundByWalks, Walk};
use reasons::Excluded;
use search::Search;
pub use walk_id::WalkId;

/// The options of a search for runs. The default takes a minute.
#[derive(Clone, Debug)]
pub struct Options {
    /// The extent of the search.
    pub extent: Extent,
    /// The seed of all choices.
    pub seed: u64,
    /// The repairs of known faults that are applied to the protocol first.
    pub repairs: Repairs,
    /// Values of parameters of the protocol, in all systems.
    pub settings: Vec<Setting>,
    /// A row that is looked for alone: the search ends when it is taken.
    pub towards: Option<TableEntry>,
}

/// The extent of a search, as a number of rounds or as a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// This number of rounds, each some walks in each of some systems, and some programs: the same result every time.
    Rounds(u32),
    /// As many rounds as fit into this time.
    Time(Duration),
}

/// The default time of a search.
pub const BUDGET: Duration = Duration::from_secs(60);

impl Default for Options {
    fn default() -> Options {
        Options {
            extent: Extent::Time(BUDGET),
            seed: 1,
            repairs: Repairs::None,
            settings: Vec::new(),
            towards: None,
        }
    }
}

/// What became of a row of a table.
#[derive(Clone, Debug)]
pub enum Fate {
    /// A walk through a small system took it.
    Walk(Box<Walk>),
    /// A random program took it.
    Program(Client, Lineage),
    /// No run takes it in a system of any size, for this reason.
    Proved(String),
    /// No run of the systems that are drawn takes it, since they lack this.
    Lacking(String),
    /// No run took it.
    Left {
        /// What is known about it.
        why: String,
        /// Whether no run of the systems that are drawn takes it before another row that is left.
        follows: bool,
    },
}

/// The result of a search.
#[derive(Debug)]
pub struct Covered {
    /// The protocol, as it was given and repaired.
    pub opened: Opened,
    /// Each row that is no stall, by machine, state and event, with its fate.
    pub rows: BTreeMap<TableEntry, Fate>,
    /// The number of rounds.
    pub rounds: u32,
    /// The number of systems that were walked through, and of the walks.
    pub systems: u64,
    /// The number of walks.
    pub walks: u64,
    /// The number of random programs.
    pub programs: u64,
    /// The findings in which walks ended.
    pub findings: Vec<FoundByWalks>,
    /// The time after which the last row was taken, and that of the whole search.
    pub last_taken: Duration,
    /// The wall time of the search.
    pub elapsed: Duration,
    options: Options,
}

/// Looks for runs that take the rows of a protocol's tables: a built-in name, or the path of a `.slicc` file. Cost: what the extent says, on
/// all cores of the computer; up to 1.5 GB of memory.
///
/// # Errors
/// Fails if the protocol cannot be read or has errors, if a repair does not exist or fit, if the row that is looked for is none of the
/// protocol's, or if the protocol fits no system.
pub fn cover(given: &str, options: &Options, observer: &dyn Observer) -> Result<Covered, Error> {
    let opened = Opened::repaired(given, &options.repairs, None)?;
    let table = Table::of(&opened.protocol);
    let towards = options.towards.as_ref().map(|entry| triple_in(&opened, &table, entry));
    let mut search = Search::new(&opened, &table, options, towards.transpose()?);
    let excluding = exclude(opened.clone(), options.settings.clone());
    // The same rounds have the same result only if each knows what is excluded.
    let waits = matches!(options.extent, Extent::Rounds(_));
    let mut excluded = None;
    observer.begin(Stage::Runs);
    if let Extent::Time(time) = options.extent {
        observer.lasts(time);
    }
    while !search.is_over() && !observer.is_cancelled() {
        if excluded.is_none() {
            let known = if waits { excluding.recv().ok() } else { excluding.try_recv().ok() };
            excluded = known.transpose()?;
            excluded.iter().for_each(|excluded| search.exclude(excluded));
        }
        search.round();
        observer.advance();
    }
    observer.end();
    if excluded.is_none() && !search.is_found() && !observer.is_cancelled() {
        excluded = excluding.recv().ok().transpose()?;
    }
    Ok(search.end(excluded.as_ref()))
}

/// Finds out what the text of a protocol excludes, beside what is done meanwhile: it takes a minute for CHI. If nobody waits for the result,
/// the thread ends by itself.
fn exclude(opened: Opened, settings: Vec<Setting>) -> Receiver<Result<Excluded, Error>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        // The receiver is gone if the search ended because the row was taken.
        let _ = sender.send(Excluded::of(&opened, &settings));
    });
    receiver
}

/// The triple of a row that the user names.
///
/// # Errors
/// Fails if the protocol has no such row, or if it stalls there.
fn triple_in(opened: &Opened, table: &Table, entry: &TableEntry) -> Result<u32, Error> {
    let TableEntry { machine, state, event } = entry;
    let triple = triple_of(&opened.protocol, machine, state, event);
    triple.filter(|&triple| table.row(triple).is_some()).ok_or_else(|| Error::NoSuchRow {
        protocol: opened.given.clone(),
        complaint: reasons::complaint(&opened.protocol, entry),
    })
}

impl Covered {
    /// The number of rows that were taken.
    pub fn taken(&self) -> usize {
        self.rows.values().filter(|fate| fate.is_taken()).count()
    }

    /// A short run that takes a row, if a walk took it.
    pub fn run_to(&self, entry: &TableEntry) -> Option<CoveringRun> {
        let Some(Fate::Walk(walk)) = self.rows.get(entry) else { return None };
        let TableEntry { machine, state, event } = entry;
        let triple = triple_of(&self.opened.protocol, machine, state, event)?;
        let mut walker = Walker::new(&self.opened.protocol, &walk.scope, 0).ok()?;
        walker.run_to(triple, &walk.moves)
    }

    /// The system in which a walk took a row, in words.
    pub fn system_of(&self, entry: &TableEntry) -> Option<String> {
        match self.rows.get(entry) {
            Some(Fate::Walk(walk)) => Some(systems::in_words(&walk.scope)),
            _ => None,
        }
    }

    /// The command that makes a walk again, in the system with this number.
    fn replay_command(&self, system: u64, run: &CoveringRun) -> String {
        let Options { repairs, settings, seed, .. } = &self.options;
        replay_command(&self.opened.given, repairs, settings, (*seed, system), run)
    }

    /// The command that repeats the run of a program.
    fn command(&self, client: Client, lineage: &Lineage) -> String {
        let Options { repairs, settings, .. } = &self.options;
        let (protocol, options) = (words_of(&self.opened.given), shared_options(repairs, settings));
        format!("rubric simulate {protocol}{options} --client {client} --recipe {lineage} --check")
    }
}

/// A walk that was made again.
#[derive(Debug)]
pub struct Replayed {
    /// The protocol, as it was given and repaired.
    pub opened: Opened,
    /// The system in words: threads, locations, sizes of caches, and settings.
    pub system: String,
    /// The moves that were made again, and the finding in which they end, if they do.
    pub run: CoveringRun,
}

/// Makes a walk again, in the system that its seed draws for a protocol with these repairs and settings.
///
/// # Errors
/// Fails if the protocol cannot be read or has errors, if a repair does not exist or fit, or if the protocol has no such walk.
pub fn replay(
    given: &str,
    repairs: &Repairs,
    settings: &[Setting],
    id: &WalkId,
) -> Result<Replayed, Error> {
    let opened = Opened::repaired(given, repairs, None)?;
    let drawn = systems::draw(&opened.protocol, settings, id.seed, id.system);
    let replayed = drawn.and_then(|mut drawn| {
        Some((systems::in_words(&drawn.scope), drawn.walker.replay(&id.choices)?))
    });
    let no_walk = || Error::NoSuchWalk { protocol: given.to_owned(), walk: id.to_string() };
    let (system, run) = replayed.ok_or_else(no_walk)?;
    Ok(Replayed { opened, system, run })
}

/// The walk in which the same happens in the system of a seed with a number; `None` if the protocol has no such walk.
pub(crate) fn followed_in(
    protocol: &Protocol,
    settings: &[Setting],
    (seed, system): (u64, u64),
    steps: &[DescribedMove],
) -> Option<CoveringRun> {
    systems::draw(protocol, settings, seed, system)?.walker.follow(steps)
}

/// The command that makes a walk again, in a system of a seed with this number.
pub(crate) fn replay_command(
    given: &str,
    repairs: &Repairs,
    settings: &[Setting],
    (seed, system): (u64, u64),
    run: &CoveringRun,
) -> String {
    let id = WalkId { seed, system, choices: run.choices.clone() };
    format!("rubric cover {}{} --replay {id}", words_of(given), shared_options(repairs, settings))
}

/// The options that say which repairs and settings a protocol has.
fn shared_options(repairs: &Repairs, settings: &[Setting]) -> String {
    let repair = match repairs {
        Repairs::None => String::new(),
        repairs => format!(" --repair {repairs}"),
    };
    let settings = settings.iter().map(|one| format!(" --set {}", quoted(&one.to_string())));
    repair + &settings.collect::<String>()
}

impl Fate {
    /// Whether a run took the row.
    pub fn is_taken(&self) -> bool {
        matches!(self, Fate::Walk(..) | Fate::Program(..))
    }
}
