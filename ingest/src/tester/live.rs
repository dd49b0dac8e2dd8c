//! Reads a log while it is still being written, and returns operations as they complete.

use history::{Access, Source};

use super::record::{self, Flaw, LONGEST, Record};
use super::run::Run;
use super::taken::ControllerTransitions;
use super::{broken, misplaced};
use crate::error::Error;
use crate::input::Lines;
use crate::live_reader::{LiveEnd, LiveReader};
use crate::options::Options;

/// A reader of a log with one run that is still being written.
pub(super) struct LiveLog<'o> {
    options: &'o Options,
    run: Option<Run<'o>>,
    taken: ControllerTransitions,
    /// Number of records that were read.
    number: u64,
}

impl<'o> LiveLog<'o> {
    /// A reader before the first record.
    pub(super) fn new(options: &'o Options) -> LiveLog<'o> {
        LiveLog { options, run: None, taken: ControllerTransitions::default(), number: 0 }
    }

    fn take(&mut self, record: Record) -> Result<(), Flaw> {
        self.number += 1;
        match (record, &mut self.run) {
            (Record::Magic, None) => Ok(()),
            (Record::Run(head), run @ None) => {
                *run = Some(Run::new(head, self.options));
                Ok(())
            }
            (Record::Magic | Record::Run(_), Some(_)) => {
                Err(Flaw::new("a second run", "one run, since only one is watched"))
            }
            (record, Some(run)) => run.take(&record, self.number, &mut self.taken),
            (_, None) => Err(misplaced()),
        }
    }
}

/// Waits for the next record, and returns it with its length; `None` at the end of the log.
fn next(lines: &mut Lines<'_>) -> Result<Result<Option<(Record, usize)>, Flaw>, Error> {
    loop {
        let bytes = lines.buffered();
        let found = record::decode(bytes);
        // A record that looks wrong may have arrived only in part.
        let is_whole = matches!(found, Ok(Some(_))) || bytes.len() >= LONGEST;
        if is_whole || !lines.wait()? {
            return Ok(found);
        }
    }
}

impl LiveReader for LiveLog<'_> {
    fn advance(&mut self, lines: &mut Lines<'_>) -> Result<bool, Error> {
        let taken = match next(lines)? {
            Ok(None) => return Ok(false),
            Ok(Some((record, length))) => self.take(record).map(|()| length),
            Err(flaw) => Err(flaw),
        };
        match taken {
            Ok(length) => {
                lines.consume(length);
                Ok(true)
            }
            Err(flaw) if self.options.lossy => {
                if let Some(run) = &mut self.run {
                    run.damaged(&flaw, lines.bytes(), self.number);
                }
                lines.skip_rest();
                Ok(false)
            }
            Err(flaw) => Err(broken(lines, flaw)),
        }
    }

    fn is_at_hand(&self, lines: &Lines<'_>) -> bool {
        !lines.buffered().is_empty()
    }

    fn fetch(&mut self) -> Vec<Access> {
        self.run.as_mut().map(Run::fetch).unwrap_or_default()
    }

    fn finish(&mut self, lines: &Lines<'_>) -> Result<LiveEnd, Error> {
        let Some(run) = &mut self.run else {
            return Err(broken(
                lines,
                Flaw::new("the end of the log", "the record of a run's begin"),
            ));
        };
        let end = run.end();
        Ok(LiveEnd {
            // A store that memory has not performed has no place in the order: it comes last.
            accesses: [run.fetch(), end.stores].concat(),
            unfinished: end.unfinished,
            ended: Some(end.ended),
            not_understood: run.gap().into_iter().collect(),
            ..LiveEnd::default()
        })
    }

    fn source(&self) -> Option<Source> {
        Some(Source::Client)
    }
}
