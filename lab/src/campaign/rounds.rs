//! Which run comes when: rounds, so that all mutants get their first runs before one gets many.
//!
//! A *stream* is the runs of one subject on one kind of core, by one generator, one repetition; they
//! follow one another, since a guided generator learns. A round gives each stream that is not over a
//! few runs, all streams on all cores. Which runs there are depends neither on the number of
//! cores nor on how often the campaign was interrupted.

use std::collections::HashSet;
use std::time::Instant;

use indexmap::IndexMap;
use rayon::prelude::*;
use simulate::client::Client;
use simulate::guided::Guide;
use simulate::recipe::Lineage;
use simulate::system::Reached;
use slicc::protocol::Protocol;
use tables::Generator;

use super::StopRule;
use super::log::{Entry, Key};
use super::subjects::Subject;
use super::trial::Trial;
use crate::error::Error;
use crate::journal::Journal;
use crate::observer::Observer;
use crate::protocols::Opened;

/// Runs that a stream gets in the last rounds; in the first one it gets 1, then 1, 2, 4 and so on.
const MOST: u32 = 16;

/// Distance between the first seeds of two repetitions.
const REPETITION: u64 = 1 << 32;

/// The runs of one subject on one kind of core, by one generator, one repetition.
pub struct Stream {
    /// Place of the subject.
    pub subject: usize,
    /// The kind of cores.
    pub client: Client,
    /// The generator.
    pub generator: Generator,
    /// Which time everything is done.
    pub repetition: u32,
    /// Its runs so far.
    pub entries: Vec<Entry>,
    /// Whether one of them was caught.
    pub caught: bool,
    /// Whether no more runs are wanted, whatever the limit.
    pub over: bool,
    guide: Option<Guide>,
    /// What its runs have reached.
    seen: HashSet<u32>,
}

impl Stream {
    /// One without runs.
    pub fn new(
        subject: usize,
        client: Client,
        generator: Generator,
        repetition: u32,
        seed: u64,
    ) -> Stream {
        let first = seed.wrapping_add(u64::from(repetition) * REPETITION);
        Stream {
            subject,
            client,
            generator,
            repetition,
            entries: Vec::new(),
            caught: false,
            over: false,
            seen: HashSet::new(),
            guide: (generator == Generator::Guided).then(|| Guide::new(first)),
        }
    }

    /// Whether none of its runs has reached a triple before.
    pub fn is_new(&self, reached: &Reached) -> bool {
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

    fn lineage(&mut self, seed: u64) -> Lineage {
        let first = seed.wrapping_add(u64::from(self.repetition) * REPETITION);
        match &mut self.guide {
            Some(guide) => guide.next(),
            None => Lineage::root(first.wrapping_add(self.entries.len() as u64)),
        }
    }
}

/// What a run of a mutant has in common with one of its protocol: the protocol, client and lineage.
pub type Origin = [String; 3];

/// The runs in which protocols fail that are not mutated.
pub fn alarms(originals: &[Stream]) -> HashSet<Origin> {
    let entries = originals.iter().flat_map(|stream| &stream.entries);
    entries.filter(|entry| entry.fails()).map(Entry::origin).collect()
}

/// What all rounds have in common.
pub struct Rounds<'a> {
    /// The protocols.
    pub opened: &'a [Opened],
    /// What is run.
    pub subjects: &'a [Subject],
    /// Where runs go.
    pub log: &'a Journal,
    /// Runs that were done before.
    pub known: &'a IndexMap<Key, Entry>,
    /// Runs in which a protocol fails without any mutant: with these a mutant shows nothing.
    pub alarms: HashSet<Origin>,
    /// Is told of every run.
    pub observer: &'a dyn Observer,
    /// The first seed.
    pub seed: u64,
    /// The rule that says when a campaign stops running a mutant.
    pub stop: StopRule,
    /// When no run is started any more.
    pub deadline: Option<Instant>,
    /// How a run is done.
    pub trial: Trial<'a>,
}

impl Rounds<'_> {
    /// Gives streams runs until each has so many or is over, or time is. `before` runs were done of other streams.
    ///
    /// # Errors
    /// Those of runs and of the log.
    pub fn run(&self, streams: &mut [Stream], most: u32, before: u64) -> Result<(), Error> {
        let mut batch = 1;
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
            open.par_iter_mut().try_for_each(|stream| self.fill(stream, aim))?;
            // Even if time is over, what was done before is taken.
            let now: usize = open.iter().map(|stream| stream.entries.len()).sum();
            if now == done && self.is_late() {
                return Ok(());
            }
            self.settle(streams);
            batch = match aim {
                1 => 1,
                _ => (batch * 2).min(MOST),
            };
        }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Adds runs to a stream until it has `aim`, is over, or time is.
    fn fill(&self, stream: &mut Stream, aim: usize) -> Result<(), Error> {
        let subject = &self.subjects[stream.subject];
        let mut mutated: Option<Protocol> = None;
        while stream.entries.len() < aim && !stream.over {
            let lineage = stream.lineage(self.seed);
            let key = self.key(stream);
            let entry = match self.known.get(&key) {
                Some(entry) if entry.row.lineage == lineage.to_string() => {
                    if self.trial.lacks_trace(entry) {
                        let protocol = self.protocol(subject, &mut mutated)?;
                        self.trial.keep(protocol, stream.client, &lineage, &entry.row)?;
                    }
                    entry.clone()
                }
                Some(entry) => return Err(self.strange(entry, &lineage)),
                None if self.is_late() => return Ok(()),
                None => {
                    let protocol = self.protocol(subject, &mut mutated)?;
                    let entry = self.trial.run(subject, protocol, stream, &lineage)?;
                    self.log.add(&entry)?;
                    entry
                }
            };
            self.observer.advance();
            stream.caught |= entry.fails() && !self.alarms.contains(&entry.origin());
            stream.push(&lineage, entry);
            stream.over = stream.caught && subject.mutant.is_some() && self.stop != StopRule::Never;
        }
        Ok(())
    }

    /// The protocol of a subject, compiled when the first run needs it.
    fn protocol<'p>(
        &'p self,
        subject: &Subject,
        mutated: &'p mut Option<Protocol>,
    ) -> Result<&'p Protocol, Error> {
        let original = &self.opened[subject.protocol];
        match (&subject.mutant, mutated) {
            (None, _) => Ok(&original.protocol),
            (Some(_), Some(protocol)) => Ok(protocol),
            (Some(mutant), free) => Ok(free.insert(original.with(mutant)?)),
        }
    }

    fn key(&self, stream: &Stream) -> Key {
        let subject = &self.subjects[stream.subject];
        Key {
            subject: (self.opened[subject.protocol].given.clone(), subject.name()),
            client: stream.client.to_string(),
            generator: stream.generator,
            repetition: stream.repetition,
            number: stream.entries.len() as u32,
        }
    }

    fn strange(&self, entry: &Entry, lineage: &Lineage) -> Error {
        let row = &entry.row;
        Error::Lineage {
            number: row.number,
            subject: row.mutant.as_ref().unwrap_or(&row.protocol).clone(),
            lineage: row.lineage.clone(),
            expected: lineage.to_string(),
        }
    }

    /// Closes the streams of mutants that others have decided.
    fn settle(&self, streams: &mut [Stream]) {
        if self.stop == StopRule::Mutant {
            let caught: std::collections::HashSet<(usize, u32)> = streams
                .iter()
                .filter(|stream| stream.caught && self.subjects[stream.subject].mutant.is_some())
                .map(|stream| (stream.subject, stream.repetition))
                .collect();
            for stream in streams.iter_mut() {
                stream.over |= caught.contains(&(stream.subject, stream.repetition));
            }
        }
    }

    /// How many runs there will be at most, behind those that were shown before.
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
