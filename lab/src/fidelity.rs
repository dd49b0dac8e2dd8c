//! Measures how faithful rubric's simulator is to gem5: runs the same programs, with the same mutants, in both.
//!
//! [`Options`] say what is run, [`Fidelity`] runs it, or resumes what its folder holds. Each binary of gem5 has a protocol or a mutant
//! built in; the simulator runs the same mutant of the same protocol. Caches, banks, directories and the number of cores are the same in
//! both. The simulator's network and memory have the latencies that gem5's scripts set; random delays are drawn independently.
//!
//! - `settings`: the options that must be the same when a folder is resumed;
//! - `pair`: the runs of a program in gem5 and on the simulator, and the line of the journal about them.

mod pair;
mod settings;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use indexmap::IndexMap;
use rayon::prelude::*;
use simulate::client::Client;
use simulate::recipe::{Lineage, Recipe};
use slicc::protocol::Protocol;
use tables::results::Results;
use tables::{FidelityRun, TransitionPair, write_fidelity, write_transition_pairs};

use crate::campaign::in_gem5::{opened_of, probe, program};
use crate::error::Error;
use crate::gem5::{Binary, Given, Request, Session, System, has_cores};
use crate::journal::{Journal, Lines};
use crate::observer::{Observer, Stage};
use crate::protocols::{Opened, find_mutant};
use pair::{Entry, Key, Pairs, Subject};
use settings::Settings;

/// The name of the experiment and of its files.
pub const NAME: &str = "fidelity";

/// The stem of the table of transitions.
const TRANSITIONS: &str = "fidelity-transitions";

/// The options of the experiment.
#[derive(Clone, Debug)]
pub struct Options {
    /// The protocols that the binaries are built with: built-in names, or paths of `.slicc` files.
    pub protocols: Vec<String>,
    /// The binaries of gem5, each with the name of its mutant.
    pub gem5: Vec<Given>,
    /// The folder for the tables. An interrupted run with the same options that it holds is resumed.
    pub output: PathBuf,
    /// The kinds of cores.
    pub clients: Vec<Client>,
    /// How many programs each binary runs on each kind of core.
    pub runs: u32,
    /// The seed of the first program.
    pub seed: u64,
    /// The time limit of a program in gem5, and of a verdict.
    pub timeout: Duration,
    /// The memory that the process may occupy, in bytes, before a verdict is given up.
    pub max_memory: u64,
}

/// The experiment, ready to run.
pub struct Fidelity {
    options: Options,
    opened: Vec<Opened>,
    binaries: Vec<Binary>,
}

/// The result of a comparison, as rows of its two tables.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The rows of its tables.
    pub results: Results,
    /// The tables: runs and transitions.
    pub tables: [PathBuf; 2],
}

impl Fidelity {
    /// Opens the protocols, and asks the binaries which protocols they are built with.
    ///
    /// # Errors
    /// Fails if there is no such protocol or binary, if a binary's protocol is not among them, or if the plug-in lacks a kind of core.
    pub fn new(options: Options) -> Result<Fidelity, Error> {
        if let Some(client) = options.clients.iter().find(|client| !has_cores(**client)) {
            let what = format!("RubricTester has no cores {client}");
            return Err(Error::NotInGem5(what));
        }
        let opened = options.protocols.iter().map(|given| Opened::new(given, None));
        let opened: Vec<Opened> = opened.collect::<Result<_, _>>()?;
        let binaries = probe(&options.gem5, &opened)?;
        Ok(Fidelity { options, opened, binaries })
    }

    /// Makes all runs that the folder does not have yet, and writes the tables.
    ///
    /// # Errors
    /// Fails if the folder holds other runs or cannot be written, if a mutant does not exist, or if a certificate is rejected, which is a
    /// defect.
    pub fn run(&self, observer: &dyn Observer) -> Result<Outcome, Error> {
        let Options { output, clients, runs, .. } = &self.options;
        let subjects = self.subjects()?;
        std::fs::create_dir_all(output).map_err(Error::file(output))?;
        let (journal, lines) = Journal::open(&output.join(format!("{NAME}.jsonl")))?;
        let from = Settings::of(&self.options, &self.binaries).settle(&journal, &lines, output)?;
        let known: IndexMap<Key, Entry> = lines.rows(from)?;
        observer.begin(Stage::Histories(NAME));
        observer.total(subjects.len() as u64 * clients.len() as u64 * u64::from(*runs));
        let streams = subjects
            .iter()
            .flat_map(|subject| clients.iter().map(move |&client| Stream { subject, client }));
        let streams: Vec<Stream<'_>> = streams.collect();
        let made = streams
            .par_iter()
            .map(|stream| self.fill(stream, streams.len(), &known, &journal, observer));
        let made: Vec<Vec<Entry>> = made.collect::<Result<_, Error>>()?;
        observer.end();
        journal.sync()?;
        self.write(made.into_iter().flatten())
    }

    /// The binaries with their protocols.
    fn subjects(&self) -> Result<Vec<Subject<'_>>, Error> {
        self.binaries.iter().map(|binary| self.subject(binary)).collect()
    }

    fn subject<'a>(&'a self, binary: &'a Binary) -> Result<Subject<'a>, Error> {
        let (_, opened) = opened_of(binary, &self.opened)?;
        let mutant = binary.mutant().map(str::to_owned);
        let mutated = match &mutant {
            None => None,
            Some(name) => {
                let found = find_mutant(name, &opened.given, &opened.protocol)?;
                Some(opened.with(&found)?)
            }
        };
        Ok(Subject { binary, opened, mutant, mutated })
    }

    /// Runs the programs of a stream that the journal does not have. Programs with the same system run in one process of gem5.
    fn fill(
        &self,
        stream: &Stream<'_>,
        streams: usize,
        known: &IndexMap<Key, Entry>,
        journal: &Journal,
        observer: &dyn Observer,
    ) -> Result<Vec<Entry>, Error> {
        let Stream { subject, client } = *stream;
        let (mut entries, mut open) = (Vec::new(), BTreeMap::new());
        for number in 0..self.options.runs {
            match known.get(&subject.key(client, number)) {
                Some(entry) => {
                    observer.advance();
                    entries.push(entry.clone());
                }
                None => {
                    let lineage = Lineage::root(self.options.seed.wrapping_add(number.into()));
                    let system = system(&lineage, &subject.opened.protocol);
                    let group = open.entry(system.arguments()).or_insert((system, Vec::new()));
                    group.1.push((number, lineage));
                }
            }
        }
        let pairs = Pairs { subject, client, options: &self.options };
        for (system, programs) in open.into_values() {
            let mut session = self.start(stream, &system, &programs, streams)?;
            for (number, lineage) in &programs {
                let played = session.play()?;
                let entry = pairs.entry(*number, lineage, &system, &played)?;
                journal.add(&entry)?;
                observer.advance();
                entries.push(entry);
            }
        }
        entries.sort_by_key(Entry::number);
        Ok(entries)
    }

    /// Starts gem5 with the programs of one system.
    fn start<'a>(
        &self,
        stream: &Stream<'a>,
        system: &System,
        programs: &[(u32, Lineage)],
        streams: usize,
    ) -> Result<Session<'a>, Error> {
        let texts = programs.iter().map(|(_, lineage)| {
            program(stream.subject.opened, stream.client, lineage).map(|(text, _)| text)
        });
        let texts = texts.collect::<Result<Vec<String>, Error>>()?;
        let mut session = Session::start(Request {
            binary: stream.subject.binary,
            system: system.clone(),
            timeout: self.options.timeout,
            jobs: rayon::current_num_threads().div_ceil(streams.max(1)),
            counts_transitions: true,
        })?;
        session.add(stream.client, &texts);
        Ok(session)
    }

    /// Writes the tables.
    fn write(&self, entries: impl Iterator<Item = Entry>) -> Result<Outcome, Error> {
        let mut results = Results::default();
        let mut sums: BTreeMap<pair::TransitionKey, [u64; 2]> = BTreeMap::new();
        for entry in entries {
            entry.count(&mut sums);
            results.fidelity.extend(entry.runs);
        }
        results.transition_pairs = sums.into_iter().map(pair::row).collect();
        results.tidy();
        let file = |stem: &str| self.options.output.join(format!("{stem}.parquet"));
        let tables = [file(NAME), file(TRANSITIONS)];
        write_fidelity(&tables[0], &results.fidelity)?;
        write_transition_pairs(&tables[1], &results.transition_pairs)?;
        Ok(Outcome { results, tables })
    }
}

/// A subject on a kind of core.
#[derive(Clone, Copy)]
struct Stream<'a> {
    subject: &'a Subject<'a>,
    client: Client,
}

/// The system of a program, with a core for each of its threads.
fn system(lineage: &Lineage, protocol: &Protocol) -> System {
    let simulation = Recipe::of(lineage).simulation(protocol, Client::IN_ORDER);
    System::of(lineage, protocol).with_cores(simulation.shape.threads)
}

/// The number of programs that the journal of a folder has by now.
pub fn stored(folder: &std::path::Path) -> usize {
    let text = std::fs::read(folder.join(format!("{NAME}.jsonl"))).unwrap_or_default();
    // The first line has the settings.
    text.iter().filter(|byte| **byte == b'\n').count().saturating_sub(1)
}

/// The rows of the journals in a folder and its subfolders, not those of tables; none if there is no journal.
///
/// # Errors
/// Fails if a folder or journal cannot be read.
pub fn logged(folder: &std::path::Path) -> Result<(Vec<FidelityRun>, Vec<TransitionPair>), Error> {
    let (mut runs, mut sums) = (Vec::new(), BTreeMap::new());
    let name = format!("{NAME}.jsonl");
    for path in crate::folder::below(folder)? {
        if path.file_name().is_some_and(|own| *own == *name) {
            let entries: IndexMap<Key, Entry> = Lines::read(&path)?.rows(1)?;
            for entry in entries.into_values() {
                entry.count(&mut sums);
                runs.extend(entry.runs);
            }
        }
    }
    Ok((runs, sums.into_iter().map(pair::row).collect()))
}
