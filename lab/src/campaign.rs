//! Campaigns: mutants of protocols run with random programs, and what catches them.
//!
//! [`Options`] say what is run, a [`Campaign`] runs it, or resumes the one that its folder holds, and a [`CampaignOutcome`] is the result.
//!
//! - `settings`: the options that must be the same when a campaign is resumed;
//! - `subjects`: the protocols and the mutants that were chosen;
//! - `files`: what they are called, of the whole or of a shard;
//! - `log`: runs as they end; `rounds`: which run comes when; `trial`: one run, to its row;
//! - `exclude`: the mutants that cannot differ from their protocol;
//! - `coverage`: which transitions the protocols as they are took.
//!
//! ```
//! use lab::NoObserver;
//! use lab::campaign::{Campaign, Options};
//!
//! let folder = tempfile::tempdir()?;
//! let options = Options {
//!     protocols: vec!["MI_example".to_owned()],
//!     output: folder.path().to_owned(),
//!     made: false,
//!     named: false,
//!     runs: 2,
//!     ..Options::default()
//! };
//! // Two runs of the protocol as it is on each of three kinds of cores.
//! let outcome = Campaign::new(options)?.run(&NoObserver)?;
//! assert_eq!(outcome.results.runs.len(), 6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod coverage;
mod exclude;
mod files;
mod log;
mod rounds;
mod settings;
mod subjects;
mod trial;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use history::History;
use serde::{Deserialize, Serialize};
use simulate::client::Client;
use simulate::recipe::{Lineage, Recipe};
use slicc::builtin::BUILTINS;
use slicc::mutant::Operator;
use tables::results::Results;
use tables::{CampaignRun, Generator, write_coverage, write_equivalents, write_runs};

use crate::error::Error;
use crate::journal::{Journal, Lines};
use crate::observer::{Observer, Stage};
use crate::protocols::Opened;
use crate::shard::Shard;
use files::Files;
pub use files::{lacks_shards, tables};
use log::Entry;
use rounds::{Rounds, Stream};
use settings::Settings;
pub use settings::told;
use subjects::Subject;
use trial::Trial;

/// The options of a campaign. The default is a sample of all mutants of all built-in protocols.
#[derive(Clone, Debug)]
pub struct Options {
    /// Built-in names, or paths of `.slicc` files.
    pub protocols: Vec<String>,
    /// The folder for the tables. An unfinished campaign with the same options that it holds is resumed.
    pub output: PathBuf,
    /// Whether the mutants that operators make are run.
    pub made: bool,
    /// Whether the named mutants of the protocols are run.
    pub named: bool,
    /// Further mutants, by name or id.
    pub mutants: Vec<String>,
    /// Of the mutants that operators make, only what these make, unless there are none.
    pub operators: Vec<Operator>,
    /// At most so many of those that operators make, by chance; all if there is no number.
    pub sample: Option<usize>,
    /// The kinds of cores, each once.
    pub clients: Vec<Client>,
    /// The most runs of each mutant on each kind of cores.
    pub runs: u32,
    /// The seed of the first run.
    pub seed: u64,
    /// Whether programs are guided by what earlier ones reached.
    pub guided: Option<Guided>,
    /// How often everything is done, with other seeds.
    pub repeat: u32,
    /// When a mutant is decided, if not at the usual time.
    pub stop: Option<StopRule>,
    /// The time after which no run is started any more.
    pub budget: Option<Duration>,
    /// The part to do, if not all.
    pub shard: Option<Shard>,
    /// Whether warnings are faults.
    pub strict: bool,
    /// Whether the traces of runs that end in a fault or violation are kept.
    pub keep_traces: bool,
    /// The time that a verdict may take.
    pub timeout: Duration,
    /// The bytes that the program may occupy before it gives up a verdict.
    pub max_memory: u64,
}

/// The default size of the sample of mutants that operators make.
pub const SAMPLE: usize = 400;

/// The default time limit of a verdict. Most histories are decided in milliseconds.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// The default memory limit of the process, in bytes.
const MEMORY: u64 = 16 << 30;

impl Default for Options {
    fn default() -> Options {
        Options {
            protocols: BUILTINS.iter().map(|one| one.name.to_owned()).collect(),
            output: PathBuf::from("campaign"),
            made: true,
            named: true,
            mutants: Vec::new(),
            operators: Vec::new(),
            sample: Some(SAMPLE),
            clients: vec![Client::IN_ORDER, Client::store_buffer(8), Client::early(8)],
            runs: 20,
            seed: 1,
            guided: None,
            repeat: 1,
            stop: None,
            budget: None,
            shard: None,
            strict: false,
            keep_traces: false,
            timeout: TIMEOUT,
            max_memory: MEMORY,
        }
    }
}

impl Options {
    /// The rule that says when a campaign stops running a mutant.
    fn stop(&self) -> StopRule {
        self.stop.unwrap_or(match self.guided {
            Some(_) => StopRule::Client,
            None => StopRule::Mutant,
        })
    }

    /// What is asked of the stages that check.
    fn for_checking(&self) -> check::Options {
        check::Options {
            timeout: Some(self.timeout),
            max_memory: Some(self.max_memory),
            ..check::Options::default()
        }
    }
}

/// The generators of programs that run, if not only the one without guidance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guided {
    /// The guided one.
    Only,
    /// The guided one, and the blind one for comparison.
    Compare,
}

impl Guided {
    /// All choices.
    pub const ALL: [Guided; 2] = [Guided::Only, Guided::Compare];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Guided::Only => "only",
            Guided::Compare => "compare",
        }
    }
}

/// The rule that says when a campaign stops running a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopRule {
    /// Once some client has caught it.
    Mutant,
    /// Each client by itself.
    Client,
    /// Not before the last run.
    Never,
}

impl StopRule {
    /// All rules.
    pub const ALL: [StopRule; 3] = [StopRule::Mutant, StopRule::Client, StopRule::Never];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            StopRule::Mutant => "mutant",
            StopRule::Client => "client",
            StopRule::Never => "never",
        }
    }
}

/// A campaign that can run.
pub struct Campaign {
    options: Options,
    opened: Vec<Opened>,
}

/// The result of a campaign.
#[derive(Clone, Debug)]
pub struct CampaignOutcome {
    /// All that is in its tables.
    pub results: Results,
    /// The tables: runs, equivalent mutants and coverage.
    pub tables: [PathBuf; 3],
    /// Whether all runs that were asked for are done.
    pub is_whole: bool,
}

impl Campaign {
    /// Opens the protocols of a campaign.
    ///
    /// # Errors
    /// Fails if there is no such protocol, or it has errors.
    pub fn new(options: Options) -> Result<Campaign, Error> {
        let names = options.protocols.iter();
        let opened = names.map(|name| Opened::new(name, None));
        Ok(Campaign { opened: opened.collect::<Result<_, Error>>()?, options })
    }

    /// The protocols.
    pub fn protocols(&self) -> &[Opened] {
        &self.opened
    }

    /// Does all runs that the folder does not have yet, and writes the tables.
    ///
    /// # Errors
    /// The folder holds another campaign, or cannot be written; a mutant that there is not; or a defect.
    pub fn run(&self, observer: &dyn Observer) -> Result<CampaignOutcome, Error> {
        let Campaign { options, opened } = self;
        let mut subjects = subjects::choose(options, opened, observer)?;
        let files = Files { folder: &options.output, shard: options.shard };
        Settings::new(options, opened, &subjects).settle(&files)?;
        if let Some(shard) = options.shard {
            subjects::keep(&mut subjects, shard);
        }
        let (log, lines) = Journal::open(&files.log())?;
        let known = lines.rows(0)?;
        let traces = options.output.join("traces");
        clear(&options.output);
        observer.begin(Stage::Runs);
        let mut rounds = Rounds {
            opened,
            subjects: &subjects,
            log: &log,
            known: &known,
            alarms: HashSet::new(),
            observer,
            seed: options.seed,
            stop: options.stop(),
            deadline: options.budget.map(|budget| Instant::now() + budget),
            trial: Trial {
                opened,
                options: options.for_checking(),
                traces: options.keep_traces.then_some(&*traces),
                strict: options.strict,
            },
        };
        let mut originals = streams(options, &subjects, &|_, subject| subject.mutant.is_none());
        rounds.run(&mut originals, options.runs, 0)?;
        rounds.alarms = rounds::alarms(&originals);
        let has_same_seeds = options.guided.is_none();
        let equivalents = exclude::excluded(opened, &subjects, &originals, has_same_seeds)?;
        let is_tried =
            |at: usize, subject: &Subject| subject.mutant.is_some() && equivalents[at].is_none();
        let mut mutants = streams(options, &subjects, &is_tried);
        let done: usize = originals.iter().map(|stream| stream.entries.len()).sum();
        rounds.run(&mut mutants, options.runs, done as u64)?;
        observer.end();
        log.sync()?;
        let streams = || originals.iter().chain(&mutants);
        let mut results = Results {
            runs: rows(streams()),
            equivalents: equivalents.into_iter().flatten().collect(),
            coverage: coverage::coverage(opened, &subjects, &originals)?,
            ..Results::default()
        };
        write_runs(&files.runs(), &results.runs)?;
        write_equivalents(&files.equivalents(), &results.equivalents)?;
        write_coverage(&files.coverage(), &results.coverage)?;
        // Answers that name the first of several runs name the one that `rubric report` will.
        results.tidy();
        let is_whole = |stream: &Stream| stream.over || stream.entries.len() as u32 >= options.runs;
        Ok(CampaignOutcome {
            results,
            tables: [files.runs(), files.equivalents(), files.coverage()],
            is_whole: streams().all(is_whole),
        })
    }
}

/// The generators that were asked for.
fn generators(options: &Options) -> &'static [Generator] {
    match options.guided {
        None => &[Generator::Blind],
        Some(Guided::Only) => &[Generator::Guided],
        Some(Guided::Compare) => &[Generator::Blind, Generator::Guided],
    }
}

/// The streams of some subjects. The protocols as they are run with programs that are only random.
fn streams(
    options: &Options,
    subjects: &[Subject],
    is_tried: &dyn Fn(usize, &Subject) -> bool,
) -> Vec<Stream> {
    let mut streams = Vec::new();
    for (at, subject) in subjects.iter().enumerate().filter(|(at, one)| is_tried(*at, one)) {
        let generators = match subject.mutant {
            None => &[Generator::Blind],
            Some(_) => generators(options),
        };
        // Guided runs have seeds of their own, so that nothing depends on these.
        let repeat =
            if subject.mutant.is_none() && options.guided.is_some() { 1 } else { options.repeat };
        for repetition in 0..repeat {
            for &client in &options.clients {
                let stream = |generator: &Generator| {
                    Stream::new(at, client, *generator, repetition, options.seed)
                };
                streams.extend(generators.iter().map(stream));
            }
        }
    }
    streams
}

/// Removes what a kill has left half written.
fn clear(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            clear(&path);
        } else {
            tables::files::remove_unfinished(&path);
        }
    }
}

/// The rows of the table: by subject, as it was asked for.
fn rows<'a>(streams: impl Iterator<Item = &'a Stream>) -> Vec<CampaignRun> {
    let entries = streams.flat_map(|stream| &stream.entries);
    entries.map(|Entry { row, .. }| row.clone()).collect()
}

/// The rows of the runs that the logs of a campaign and its shards have, if there is a log.
///
/// # Errors
/// Fails if a log cannot be read.
pub fn logged(folder: &Path) -> Result<Option<Vec<CampaignRun>>, Error> {
    let logs = files::logs(folder)?;
    let mut runs = Vec::new();
    for log in &logs {
        let entries = Lines::read(log)?.rows::<Entry>(0)?;
        runs.extend(entries.into_values().map(|entry| entry.row));
    }
    Ok((!logs.is_empty()).then_some(runs))
}

/// Reproduces the run of a row, and returns its history.
///
/// # Errors
/// Fails if the files of the protocol have changed or are gone.
pub fn repeat(row: &CampaignRun) -> Result<History, Error> {
    let opened = Opened::new(&row.protocol, row.mutant.as_deref())?;
    let given = &row.protocol;
    let client: Client = row.client.parse().map_err(Error::run(given))?;
    let lineage: Lineage = row.lineage.parse().map_err(Error::run(given))?;
    let simulation = Recipe::of(&lineage).simulation(&opened.protocol, client);
    let plan = opened.plan(&simulation)?;
    let run = simulation.run(&opened.protocol, &plan, None);
    Ok(run.map_err(Error::run(given))?.history()?)
}
