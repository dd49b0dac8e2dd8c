//! Orders the runs of a campaign in rounds, so that every mutant gets its first runs before any gets many.
//!
//! A *stream* is the sequence of runs of one subject on one kind of core, by one generator, in one repetition. The runs of a stream are
//! sequential, since a guided generator learns from each. A round makes a few runs of each stream that is not over; the streams are
//! distributed over all cores of the computer. The set of runs depends neither on the number of cores nor on how often the campaign was
//! interrupted.

use std::collections::HashSet;
use std::time::Instant;

use indexmap::IndexMap;
use rayon::prelude::*;
use simulate::client::Client;
use simulate::guided::Guide;
use simulate::program::Extras;
use simulate::recipe::Lineage;
use simulate::system::Reached;
use tables::Generator;

use super::StopRule;
use super::bench::{Bench, Title};
use super::log::{Entry, Key};
use crate::error::Error;
use crate::journal::Journal;
use crate::observer::Observer;

/// Distance between the first seeds of two repetitions.
const SEEDS_PER_REPETITION: u64 = 1 << 32;

/// The runs of one subject on one kind of core, by one generator, in one repetition.
pub(crate) struct Stream {
    /// Index of the subject.
    pub subject: usize,
    /// The kind of core.
    pub client: Client,
    pub generator: Generator,
    /// The number of the repetition.
    pub repetition: u32,
    /// The runs so far.
    pub entries: Vec<Entry>,
    /// Whether one of them showed the mutant.
    pub caught: bool,
    /// Whether no more runs are needed, whatever the limit.
    pub over: bool,
    /// The first seed.
    first: u64,
    extras: Extras,
    guide: Option<Guide>,
    /// The transitions that its runs have reached.
    seen: HashSet<u32>,
}

impl Stream {
    /// Makes a stream without runs. `seed` is the first seed of the campaign, and `extras` are the requests that programs make in addition
    /// to their accesses.
    pub(crate) fn new(
        subject: usize,
        client: Client,
        generator: Generator,
        repetition: u32,
        seed: u64,
        extras: Extras,
    ) -> Stream {
        let first = seed.wrapping_add(u64::from(repetition) * SEEDS_PER_REPETITION);
        Stream {
            subject,
            client,
            generator,
            repetition,
            entries: Vec::new(),
            caught: false,
            over: false,
            seen: HashSet::new(),
            first,
            extras,
            guide: (generator == Generator::Guided).then(|| Guide::new(first).with_extras(extras)),
        }
    }

    /// Whether no earlier run of the stream has reached the transition.
    pub(crate) fn is_new(&self, reached: &Reached) -> bool {
        !self.seen.contains(&reached.triple)
    }

    /// Adds a run.
    fn push(&mut self, lineage: &Lineage, entry: Entry) {
        let reached = entry.reached.iter();
        let reached: Vec<Reached> =
            reached.map(|&(triple, count)| Reached { triple, count }).collect();
        if let Some(guide) = &mut self.guide {
            guide.learn(lineage, &reached);
        }
        self.seen.extend(reached.iter().map(|one| one.triple));
        self.entries.push(entry);
    }

    /// The program of the next run.
    fn lineage(&mut self) -> Lineage {
        match &mut self.guide {
            Some(guide) => guide.next(),
            None => self.blind(self.entries.len()),
        }
    }

    /// The program of the run with this number, if the generator has no guidance.
    pub(crate) fn blind(&self, number: usize) -> Lineage {
        let seed = self.first.wrapping_add(number as u64);
        Lineage::root(seed).with_extras(self.extras)
    }
}

/// Protocol, client and lineage of a run, by which a run of a mutant corresponds to one of the unmutated protocol.
pub(super) type Origin = [String; 3];

/// The runs in which an unmutated protocol fails.
pub(super) fn alarms(originals: &[Stream]) -> HashSet<Origin> {
    let entries = originals.iter().flat_map(|stream| &stream.entries);
    entries.filter(|entry| entry.fails()).map(Entry::origin).collect()
}

/// The data that all rounds share.
pub(super) struct Rounds<'a> {
    /// The names of the subjects.
    pub titles: &'a [Title],
    /// The journal to which runs are added.
    pub log: &'a Journal,
    /// Runs that the journal had at the start.
    pub known: &'a IndexMap<Key, Entry>,
    /// Runs in which a protocol fails without a mutant. The corresponding runs of a mutant show nothing.
    pub alarms: HashSet<Origin>,
    /// Called for every run.
    pub observer: &'a dyn Observer,
    /// The rule that says when a campaign stops running a mutant.
    pub stop: StopRule,
    /// The time after which no further run is started.
    pub deadline: Option<Instant>,
    /// The simulator or the binaries of gem5 that run the programs.
    pub bench: &'a dyn Bench,
}

impl Rounds<'_> {
    /// Makes runs until each stream has `most` or is over, or the deadline has passed. `before` is the number of runs of other streams,
    /// for the progress.
    ///
    /// # Errors
    /// Fails if a run does, or if the journal cannot be written or contradicts the settings.
    pub(super) fn run(&self, streams: &mut [Stream], most: u32, before: u64) -> Result<(), Error> {
        let (first_batch, most_of_a_batch) = self.bench.pace();
        let mut batch = first_batch;
        loop {
            self.show(streams, most, before);
            let is_open = |stream: &Stream| !stream.over && (stream.entries.len() as u32) < most;
            let mut open: Vec<&mut Stream> =
                streams.iter_mut().filter(|one| is_open(one)).collect();
            if open.is_empty() {
                return Ok(());
            }
            let done: usize = open.iter().map(|stream| stream.entries.len()).sum();
            let least = open.iter().map(|stream| stream.entries.len()).min().unwrap_or(0);
            let aim = most.min(least as u32 + batch) as usize;
            let count = open.len();
            open.par_iter_mut().try_for_each(|stream| self.fill(stream, aim, count))?;
            // Runs that the journal already has are used even after the deadline.
            let now: usize = open.iter().map(|stream| stream.entries.len()).sum();
            if now == done && self.is_late() {
                return Ok(());
            }
            self.settle(streams);
            batch = match aim {
                1 => 1,
                _ => (batch * 2).min(most_of_a_batch),
            };
        }
    }

    /// Whether no further run may start.
    fn is_late(&self) -> bool {
        self.observer.is_cancelled()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Adds runs to a stream until it has `aim` of them or is over, or the deadline has passed. `open` streams are filled at
    /// the same time.
    fn fill(&self, stream: &mut Stream, aim: usize, open: usize) -> Result<(), Error> {
        let title = &self.titles[stream.subject];
        let mut session = self.bench.session(stream.subject, stream.client, open);
        while stream.entries.len() < aim && !stream.over {
            let lineage = stream.lineage();
            let key = self.key(stream);
            let entry = match self.known.get(&key) {
                Some(entry) if entry.row.lineage == lineage.to_string() => {
                    session.keep(&lineage, &entry.row)?;
                    entry.clone()
                }
                Some(entry) => return Err(self.unexpected(entry, &lineage)),
                None if self.is_late() => return Ok(()),
                None => {
                    let entry = session.run(stream, &lineage, aim)?;
                    self.log.add(&entry)?;
                    entry
                }
            };
            self.observer.advance();
            stream.caught |= entry.fails() && !self.alarms.contains(&entry.origin());
            stream.push(&lineage, entry);
            stream.over = stream.caught && title.mutant.is_some() && self.stop != StopRule::Never;
        }
        Ok(())
    }

    fn key(&self, stream: &Stream) -> Key {
        let Title { protocol, mutant } = self.titles[stream.subject].clone();
        Key {
            subject: (protocol, mutant),
            client: stream.client.to_string(),
            generator: stream.generator,
            repetition: stream.repetition,
            number: stream.entries.len() as u32,
        }
    }

    /// The error of a stored run whose lineage is not the one that the settings imply.
    fn unexpected(&self, entry: &Entry, lineage: &Lineage) -> Error {
        let row = &entry.row;
        Error::Lineage {
            number: row.number,
            subject: row.mutant.as_ref().unwrap_or(&row.protocol).clone(),
            lineage: row.lineage.clone(),
            expected: lineage.to_string(),
        }
    }

    /// Ends the streams of those mutants that another stream of the same repetition has found, if the rule says so.
    fn settle(&self, streams: &mut [Stream]) {
        if self.stop == StopRule::Mutant {
            let caught: HashSet<(usize, u32)> = streams
                .iter()
                .filter(|stream| stream.caught && self.titles[stream.subject].mutant.is_some())
                .map(|stream| (stream.subject, stream.repetition))
                .collect();
            for stream in streams.iter_mut() {
                stream.over |= caught.contains(&(stream.subject, stream.repetition));
            }
        }
    }

    /// Reports to the observer how many runs there will be at most, and how many subjects have been found.
    fn show(&self, streams: &[Stream], most: u32, before: u64) {
        let wanted = |stream: &Stream| {
            if stream.over { stream.entries.len() as u64 } else { u64::from(most) }
        };
        self.observer.total(before + streams.iter().map(wanted).sum::<u64>());
        let caught: HashSet<usize> =
            streams.iter().filter(|stream| stream.caught).map(|stream| stream.subject).collect();
        self.observer.caught(caught.len());
    }
}
