//! Campaigns: mutants of protocols are run with random programs, to measure which algorithms find them.
//!
//! [`Options`] say what is run, a [`Campaign`] runs it, or resumes the one that its folder holds, and a [`CampaignOutcome`] is the result.
//!
//! - `settings`: the options that must be the same when a campaign is resumed;
//! - `subjects`: the protocols and the mutants that were chosen;
//! - `files`: the names of the files of a campaign or shard;
//! - `log`: the journal of runs; `rounds`: the order of runs; `bench`: where they are made;
//! - `runner`: one run on rubric's simulator, from its recipe to its row; `in_gem5`: runs in binaries of gem5;
//! - `judge`: the verdict about a run;
//! - `explain`: the alarms of unmutated protocols that are known faults of gem5's released ones;
//! - `exclude`: the mutants that are equivalent to their protocol;
//! - `coverage`: the transitions that the unmutated protocols took.
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
//! // Two runs of the unmutated protocol on each of three kinds of cores.
//! let outcome = Campaign::new(options)?.run(&NoObserver)?;
//! assert_eq!(outcome.results.runs.len(), 6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bench;
mod coverage;
mod exclude;
mod explain;
mod files;
pub(crate) mod in_gem5;
pub(crate) mod judge;
mod log;
pub mod named_effects;
mod proved;
mod repeat;
mod rounds;
pub(crate) mod runner;
mod settings;
mod subjects;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mutate::{Mutant, Operator};
use serde::{Deserialize, Serialize};
use simulate::client::Client;
use simulate::program::Extras;
use simulate::recipe::{Lineage, Recipe};
use slicc::builtin::BUILTINS;
use slicc::setting::Setting;
use tables::results::Results;
use tables::{CampaignRun, Equivalent, Generator, write_coverage, write_equivalents, write_runs};

use crate::decided::Size;
use crate::error::Error;
use crate::gem5::{Binary, Given};
use crate::journal::{Journal, Lines};
use crate::observer::{Observer, Stage};
use crate::protocols::{Opened, Repairs};
use crate::shard::Shard;
use bench::{Bench, Title};
use files::Files;
pub use files::{lacks_shards, tables};
use in_gem5::Gem5Bench;
use log::Entry;
pub use proved::STATES as EXPLORED_STATES;
pub use repeat::repeat;
use rounds::{Rounds, Stream};
use runner::Runner;
use settings::Settings;
pub use settings::facts;
use subjects::Subject;

/// The options of a campaign. The default is a sample of all mutants of all built-in protocols.
#[derive(Clone, Debug)]
pub struct Options {
    /// Built-in names, or paths of `.slicc` files. With binaries of gem5, the protocols that these are built with.
    pub protocols: Vec<String>,
    /// The binaries of gem5 that run the programs, each of a protocol or a mutant; rubric's simulator if there are none.
    pub gem5: Vec<Given>,
    /// The folder for the tables. An unfinished campaign with the same options that it holds is resumed.
    pub output: PathBuf,
    /// Whether the mutants that operators make are run.
    pub made: bool,
    /// Whether the named mutants of the protocols are run.
    pub named: bool,
    /// Further mutants, by name or id.
    pub mutants: Vec<String>,
    /// The operators whose mutants are run; all operators if empty.
    pub operators: Vec<Operator>,
    /// The size of a random sample of the mutants that operators make; all if none.
    pub sample: Option<usize>,
    /// The kinds of cores, each once.
    pub clients: Vec<Client>,
    /// The largest number of runs of each mutant on each kind of core.
    pub runs: u32,
    /// The seed of the first run.
    pub seed: u64,
    /// The repairs of known faults that are applied to the protocols, and so to their mutants. A named repair must fit at least one of the
    /// protocols.
    pub repairs: Repairs,
    /// Values of parameters of the protocols that replace what would be chosen, such as `requestToDir=ordered`.
    pub settings: Vec<Setting>,
    /// The requests that programs make in addition to their accesses, such as flushes, which all protocols have to handle.
    pub extras: Extras,
    /// Whether programs are guided by the transitions that earlier ones reached.
    pub guided: Option<Guided>,
    /// The number of repetitions of each stream of runs, each with other seeds.
    pub repeat: u32,
    /// The rule for when a mutant is no longer run. If none, a guided campaign uses [`StopRule::Client`], others [`StopRule::Mutant`].
    pub stop: Option<StopRule>,
    /// The time after which no further run is started.
    pub budget: Option<Duration>,
    /// The shard to run; the whole campaign if none.
    pub shard: Option<Shard>,
    /// Whether warnings are faults.
    pub strict: bool,
    /// Whether the traces of runs that end in a fault or violation are kept.
    pub keep_traces: bool,
    /// The sizes of the systems that are explored after the runs, to prove that transitions that no program took are unreachable at these
    /// sizes.
    pub explored: Vec<Size>,
    /// The time limit of a verdict, and of a program in gem5.
    pub timeout: Duration,
    /// The memory that the process may occupy, in bytes, before a verdict is given up.
    pub max_memory: u64,
}

/// The mutants that a campaign with these options would run, each with the index of its protocol, in the same order; and the number
/// of those made by operators that are left out, since they are equivalent to their protocol.
///
/// # Errors
/// Fails if a mutant does not exist, or belongs to none of the protocols.
pub fn mutants(
    options: &Options,
    opened: &[Opened],
    observer: &dyn Observer,
) -> Result<(Vec<(usize, Mutant)>, usize), Error> {
    let chosen = subjects::choose(options, opened, observer)?;
    let is_left_out = |subject: &Subject| {
        let is_made = subject.mutant.as_ref().is_some_and(|one| one.origin.operator().is_some());
        is_made && subject.equivalent.is_some()
    };
    let excluded = chosen.iter().filter(|subject| is_left_out(subject)).count();
    let kept = chosen.into_iter().filter(|subject| !is_left_out(subject));
    let mutants = kept.filter_map(|subject| Some((subject.protocol, subject.mutant?)));
    Ok((mutants.collect(), excluded))
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
            gem5: Vec::new(),
            output: PathBuf::from("campaign"),
            made: true,
            named: true,
            mutants: Vec::new(),
            operators: Vec::new(),
            sample: Some(SAMPLE),
            clients: vec![Client::IN_ORDER, Client::store_buffer(8), Client::early(8)],
            runs: 20,
            seed: 1,
            repairs: Repairs::None,
            settings: Vec::new(),
            extras: Extras::default(),
            guided: None,
            repeat: 1,
            stop: None,
            budget: None,
            shard: None,
            strict: false,
            keep_traces: false,
            explored: Vec::new(),
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

    /// The options with which histories are checked.
    fn for_checking(&self) -> check::Options {
        check::Options {
            timeout: Some(self.timeout),
            max_memory: Some(self.max_memory),
            ..check::Options::default()
        }
    }
}

/// The generators of programs in a guided campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guided {
    /// The guided generator.
    Only,
    /// The guided generator, and for comparison the one without guidance.
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
    /// When a run on any client has found it.
    Mutant,
    /// For each client separately, when a run on it has found it.
    Client,
    /// Only after the last run.
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

    /// When a mutant is no longer run, in words.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            StopRule::Mutant => "a run on any of them finds it",
            StopRule::Client => "a run on that kind finds it",
            StopRule::Never => "all are made",
        }
    }
}

/// A campaign that can run.
pub struct Campaign {
    options: Options,
    opened: Vec<Opened>,
    binaries: Vec<Binary>,
}

/// The result of a campaign.
#[derive(Clone, Debug)]
pub struct CampaignOutcome {
    /// The rows of its tables.
    pub results: Results,
    /// The tables: runs, equivalent mutants and coverage.
    pub tables: [PathBuf; 3],
    /// Whether all requested runs are done.
    pub is_whole: bool,
    /// A sentence for each size of `explored` that proves nothing, for example because it has too many states.
    pub unproved: Vec<String>,
}

impl Campaign {
    /// Opens the protocols of a campaign, and asks each binary of gem5 which protocol it is built with.
    ///
    /// # Errors
    /// Fails if there is no such protocol or binary, if a named repair fits none, if a protocol has errors, if no system can be built of
    /// one, if programs are to make requests that one does not handle, or if a size is to be explored that one does not have.
    pub fn new(options: Options) -> Result<Campaign, Error> {
        let names: Vec<&str> = options.protocols.iter().map(String::as_str).collect();
        let mut opened = Opened::all_repaired(&names, &options.repairs)?;
        for one in &mut opened {
            // Mutants of the protocol keep them, and a mutant's own come after them, so that they count.
            one.protocol.loaded.settings.extend(options.settings.iter().cloned());
        }
        let binaries = in_gem5::binaries(&options, &mut opened)?;
        in_gem5::check_extras(&binaries, options.extras)?;
        opened.iter().try_for_each(|one| one.check_extras(options.extras))?;
        if binaries.is_empty() {
            let first = Recipe::of(&Lineage::root(options.seed).with_extras(options.extras));
            let plan = |one: &Opened| one.plan(&first.simulation(&one.protocol, Client::IN_ORDER));
            opened.iter().try_for_each(|one| plan(one).map(drop))?;
        }
        proved::check(&opened, &options)?;
        Ok(Campaign { opened, binaries, options })
    }

    /// The protocols.
    pub fn protocols(&self) -> &[Opened] {
        &self.opened
    }

    /// Makes all runs that the folder does not have yet, and writes the tables.
    ///
    /// # Errors
    /// Fails if the folder holds another campaign or cannot be written, if a mutant does not exist, or if a certificate is rejected,
    /// which is a defect.
    pub fn run(&self, observer: &dyn Observer) -> Result<CampaignOutcome, Error> {
        if self.binaries.is_empty() { self.simulated(observer) } else { self.in_gem5(observer) }
    }

    /// Makes the runs on rubric's simulator.
    fn simulated(&self, observer: &dyn Observer) -> Result<CampaignOutcome, Error> {
        let Campaign { options, opened, .. } = self;
        let mut subjects = subjects::choose(options, opened, observer)?;
        let files = Files { folder: &options.output, shard: options.shard };
        let digest = subjects::digest(opened, &subjects);
        Settings::new(options, opened, digest).settle(&files)?;
        if let Some(shard) = options.shard {
            subjects::keep(&mut subjects, shard);
        }
        let traces = options.output.join("traces");
        let bench = Runner {
            opened,
            subjects: &subjects,
            options: options.for_checking(),
            traces: options.keep_traces.then_some(&*traces),
            strict: options.strict,
            repairs: &options.repairs,
        };
        let title = |subject: &Subject| Title {
            protocol: opened[subject.protocol].given.clone(),
            mutant: subject.name(),
        };
        let titles: Vec<Title> = subjects.iter().map(title).collect();
        let has_same_seeds = options.guided.is_none();
        let excluded = |originals: &[Stream]| {
            exclude::excluded(opened, &subjects, originals, has_same_seeds, options.extras)
        };
        let made = made(options, &files, &titles, &bench, observer, &excluded)?;
        let mut results = made.results();
        let protocol_of = |subject: usize| subjects[subject].protocol;
        results.coverage =
            coverage::of_originals(opened, &made.originals, protocol_of, options.extras)?;
        let unproved = proved::prove(opened, options, &mut results.coverage)?;
        explain::explain(opened, options, &mut results.runs)?;
        Ok(CampaignOutcome { unproved, ..made.finish(results, &files)? })
    }

    /// Makes the runs in binaries of gem5.
    fn in_gem5(&self, observer: &dyn Observer) -> Result<CampaignOutcome, Error> {
        let Campaign { options, opened, binaries } = self;
        let mut subjects = in_gem5::subjects(opened, binaries)?;
        let files = Files { folder: &options.output, shard: options.shard };
        let digest = in_gem5::digest(&subjects);
        Settings::new(options, opened, digest).settle(&files)?;
        if let Some(shard) = options.shard {
            in_gem5::keep(&mut subjects, shard);
        }
        let traces = options.output.join("traces");
        let bench = Gem5Bench {
            idle: crate::gem5::Idle::default(),
            subjects: &subjects,
            options,
            traces: options.keep_traces.then_some(&*traces),
        };
        let titles: Vec<Title> = subjects.iter().map(|subject| subject.title.clone()).collect();
        let nothing = |_: &[Stream]| Ok(titles.iter().map(|_| None).collect());
        let made = made(options, &files, &titles, &bench, observer, &nothing)?;
        let mut results = made.results();
        let protocol_of = |subject: usize| subjects[subject].protocol;
        results.coverage =
            coverage::of_originals(opened, &made.originals, protocol_of, options.extras)?;
        explain::explain_in_gem5(opened, options, &mut results.runs)?;
        made.finish(results, &files)
    }
}

/// The runs of a campaign.
struct Made {
    originals: Vec<Stream>,
    mutants: Vec<Stream>,
    equivalents: Vec<Equivalent>,
    /// The largest number of runs of a stream.
    most: u32,
}

/// A function from the runs of the unmutated protocols to the reason, for each subject, why it is equivalent to its protocol.
type Excluded<'a> = dyn Fn(&[Stream]) -> Result<Vec<Option<Equivalent>>, Error> + 'a;

/// Makes the runs of all subjects: first of the unmutated protocols, then of the mutants that are not `excluded`, given these runs.
fn made(
    options: &Options,
    files: &Files<'_>,
    titles: &[Title],
    bench: &dyn Bench,
    observer: &dyn Observer,
    excluded: &Excluded<'_>,
) -> Result<Made, Error> {
    let (log, lines) = Journal::open(&files.log())?;
    let known = lines.rows(0)?;
    clear(&options.output);
    observer.begin(Stage::Runs);
    let mut rounds = Rounds {
        titles,
        log: &log,
        known: &known,
        alarms: HashSet::new(),
        observer,
        stop: options.stop(),
        deadline: options.budget.map(|budget| Instant::now() + budget),
        bench,
    };
    let mut originals = streams(options, titles, &|_, title| title.mutant.is_none());
    rounds.run(&mut originals, options.runs, 0)?;
    rounds.alarms = rounds::alarms(&originals);
    let equivalents = excluded(&originals)?;
    let is_tried = |at: usize, title: &Title| title.mutant.is_some() && equivalents[at].is_none();
    let mut mutants = streams(options, titles, &is_tried);
    let done: usize = originals.iter().map(|stream| stream.entries.len()).sum();
    rounds.run(&mut mutants, options.runs, done as u64)?;
    observer.end();
    log.sync()?;
    let equivalents = equivalents.into_iter().flatten().collect();
    Ok(Made { originals, mutants, equivalents, most: options.runs })
}

impl Made {
    fn streams(&self) -> impl Iterator<Item = &Stream> {
        self.originals.iter().chain(&self.mutants)
    }

    /// The rows of the runs and of the equivalent mutants.
    fn results(&self) -> Results {
        Results {
            runs: rows(self.streams()),
            equivalents: self.equivalents.clone(),
            ..Results::default()
        }
    }

    /// Writes the tables.
    fn finish(&self, mut results: Results, files: &Files<'_>) -> Result<CampaignOutcome, Error> {
        write_runs(&files.runs(), &results.runs)?;
        write_equivalents(&files.equivalents(), &results.equivalents)?;
        write_coverage(&files.coverage(), &results.coverage)?;
        // In the same order as in `rubric report`, so that both name the same run where one of several is named.
        results.tidy();
        let is_whole = |stream: &Stream| stream.over || stream.entries.len() as u32 >= self.most;
        Ok(CampaignOutcome {
            results,
            tables: [files.runs(), files.equivalents(), files.coverage()],
            is_whole: self.streams().all(is_whole),
            unproved: Vec::new(),
        })
    }
}

/// The requested generators.
fn generators(options: &Options) -> &'static [Generator] {
    match options.guided {
        None => &[Generator::Blind],
        Some(Guided::Only) => &[Generator::Guided],
        Some(Guided::Compare) => &[Generator::Blind, Generator::Guided],
    }
}

/// The streams of the subjects for which `is_tried` holds. Unmutated protocols run without guidance.
fn streams(
    options: &Options,
    titles: &[Title],
    is_tried: &dyn Fn(usize, &Title) -> bool,
) -> Vec<Stream> {
    let mut streams = Vec::new();
    for (at, title) in titles.iter().enumerate().filter(|(at, one)| is_tried(*at, one)) {
        let generators = match title.mutant {
            None => &[Generator::Blind],
            Some(_) => generators(options),
        };
        // Guided runs of mutants draw other lineages, so further repetitions of the unmutated protocols would be of no use.
        let repeat =
            if title.mutant.is_none() && options.guided.is_some() { 1 } else { options.repeat };
        for repetition in 0..repeat {
            for &client in &options.clients {
                let stream = |generator: &Generator| {
                    Stream::new(at, client, *generator, repetition, options.seed, options.extras)
                };
                streams.extend(generators.iter().map(stream));
            }
        }
    }
    streams
}

/// Removes the unfinished files that a killed process has left in a folder and its subfolders.
fn clear(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() && !path.is_symlink() {
            clear(&path);
        } else {
            host::files::remove_unfinished(&path);
        }
    }
}

/// The rows of the table of runs, in the order of the streams.
fn rows<'a>(streams: impl Iterator<Item = &'a Stream>) -> Vec<CampaignRun> {
    let entries = streams.flat_map(|stream| &stream.entries);
    entries.map(|Entry { row, .. }| row.clone()).collect()
}

/// The number of runs that the journal of a campaign, or of the shard that the options ask for, has by now.
pub fn stored(options: &Options) -> usize {
    let files = Files { folder: &options.output, shard: options.shard };
    let text = std::fs::read(files.log()).unwrap_or_default();
    text.iter().filter(|byte| **byte == b'\n').count()
}

/// The rows of all runs in the logs of a campaign and its shards; none if there is no log.
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
