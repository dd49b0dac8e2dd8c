//! Explores many mutants, several at a time.

use std::collections::BTreeMap;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use explore::protocol::{Exploration, SearchOptions, Verdict};
use mutate::Mutant;
use mutate::touched::Touched;
use simulate::differences::touched;
use slicc::outline::TableEntry;

use super::{Explorations, Row, digest};
use crate::error::Error;
use crate::exploration::json::{Change, line};
use crate::exploration::{Plan, Subject};
use crate::observer::{Observer, Stage};
use crate::protocols::Opened;

/// A mutant of a protocol, to be explored.
pub struct Task<'a> {
    /// The protocol.
    pub opened: &'a Opened,
    /// The mutant.
    pub mutant: Mutant,
}

/// Explorations to be made.
pub struct Work<'a> {
    /// What they have in common.
    pub plan: &'a Plan,
    /// Where they are stored, if they are. Those that are there already are not made again.
    pub stored: Option<&'a Explorations>,
    /// The mutants.
    pub tasks: &'a [Task<'a>],
    /// Called with the progress.
    pub observer: &'a dyn Observer,
}

impl Work<'_> {
    /// Explores the mutants, several at a time, and calls `done` with each result and its number as soon as all before it are there.
    ///
    /// # Errors
    /// Fails if `done` does, if a mutant does not apply, if a system of this size cannot be set up, or if a result cannot be stored.
    pub fn run<E: From<Error>>(
        &self,
        done: &mut dyn FnMut(usize, &Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let search_options = self.plan.search_options();
        let threads = search_options.jobs.min(self.tasks.len()).max(1);
        let search_options = SearchOptions {
            jobs: if threads > 1 { 1 } else { search_options.jobs },
            ..search_options
        };
        self.observer.begin(Stage::Explorations);
        self.observer.total(self.tasks.len() as u64);
        let next = AtomicUsize::new(0);
        let (sender, results) = channel();
        let sender = Mutex::new(sender);
        let mut waiting = BTreeMap::new();
        let mut shown = 0;
        let ended = std::thread::scope(|scope| {
            for _ in 0..threads {
                // No thread panics while it holds the lock.
                let sender = sender.lock().expect("no thread failed").clone();
                let next = &next;
                scope.spawn(move || self.explore(next, &search_options, &sender));
            }
            drop(sender);
            for (number, row) in &results {
                self.observer.advance();
                waiting.insert(number, row?);
                while let Some(row) = waiting.remove(&shown) {
                    done(shown, &row)?;
                    shown += 1;
                }
            }
            Ok(())
        });
        self.observer.end();
        ended
    }

    /// Explores one mutant after the other, until none is left or the receiver of the results is gone.
    fn explore(
        &self,
        next: &AtomicUsize,
        search_options: &SearchOptions,
        results: &Sender<(usize, Result<Row, Error>)>,
    ) {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(number) else { return };
            let row = self.explore_one(task, search_options);
            if row.is_err() {
                next.store(self.tasks.len(), Ordering::Relaxed);
            }
            if results.send((number, row)).is_err() {
                return next.store(self.tasks.len(), Ordering::Relaxed);
            }
        }
    }

    fn explore_one(&self, task: &Task<'_>, search_options: &SearchOptions) -> Result<Row, Error> {
        let subject = Subject::mutated(task.opened, &task.mutant)?;
        let (command, digest) = (subject.command(self.plan), digest(&subject.protocol));
        let limits = self.plan.limits.in_words();
        let known = self.stored.and_then(|stored| stored.find(&command, &digest, &limits));
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let explored = subject.explore_by(self.plan, search_options, None, &mut |_, _| {})?;
        let touched = touched(&task.opened.protocol, &subject.protocol);
        let change = Change::Asked { change_reached: is_reached(&touched, &explored.exploration) };
        let line = line(self.plan, &subject, &explored, change);
        let row = Row {
            command,
            digest,
            limits,
            is_final: !matches!(explored.exploration.verdict, Verdict::Stopped(_)),
            status: explored.outcome().status(),
            result: serde_json::to_value(line)
                .map_err(io::Error::from)
                .map_err(Error::run(subject.given))?,
        };
        if let Some(stored) = self.stored {
            stored.add(&row)?;
        }
        Ok(row)
    }
}

/// Whether a run reaches the change of a mutant: whether it takes a transition that the mutant changes. `None` if no run does,
/// but the mutant also changes code that is not of a transition.
fn is_reached(touched: &Touched, exploration: &Exploration) -> Option<bool> {
    let met = exploration.taken.iter().chain(&exploration.stalled);
    let mut met = met.map(|(machine, state, event)| TableEntry::new(machine, state, event));
    let is_found = matches!(exploration.verdict, Verdict::Found(_));
    let is_met = is_found || met.any(|entry| touched.entries.contains(&entry));
    (is_met || touched.elsewhere.is_empty()).then_some(is_met)
}
