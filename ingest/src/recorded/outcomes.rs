//! [`Outcomes`]: the different outcomes of the rounds of a program, and how often each was seen.

use std::ops::AddAssign;

use history::History;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::head::Head;
use super::layout::Layout;
use super::{Form, binary, text};
use crate::error::Error;
use crate::input::Lines;
use crate::options::Options;

/// The largest number of words of different outcomes: 1 GiB.
const MOST_WORDS: usize = 1 << 27;

/// How long rounds ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// How long all rounds ran, in nanoseconds.
    pub nanoseconds: u64,
    /// How far apart threads began a round: the median, in ticks of the processor's clock. 0 if there is no common clock.
    pub spread: u64,
}

/// The different outcomes of the rounds of a program, in the order in which they were first seen. Memory: the words of each outcome
/// once.
#[derive(Clone, Debug)]
pub struct Outcomes {
    program: History,
    layout: Layout,
    /// By their words, the first round and the number of rounds.
    seen: IndexMap<Box<[u64]>, (u64, u64), FxBuildHasher>,
    rounds: u64,
    /// The rounds, blocks or lines that were skipped.
    skipped: u64,
    timing: Option<Timing>,
}

/// An outcome of a program.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    words: &'a [u64],
    /// The first round in which it was seen.
    pub first: u64,
    /// The number of rounds in which it was seen.
    pub count: u64,
}

impl Outcomes {
    /// Reads a record. With the option `lossy`, damaged rounds are skipped, and a record that was cut off is accepted.
    ///
    /// # Errors
    /// Returns an error, with its line or byte, if the record breaks the rules of its format, is damaged or ends too early.
    pub fn read(lines: &mut Lines<'_>, options: &Options) -> Result<Outcomes, Error> {
        lines.accept_carriage_returns();
        let Head { program, layout, form } = Head::read(lines, options)?;
        let mut outcomes = Outcomes {
            program,
            layout,
            seen: IndexMap::default(),
            rounds: 0,
            skipped: 0,
            timing: None,
        };
        match form {
            Form::Text => text::read(lines, options.lossy, &mut outcomes)?,
            Form::Binary => binary::read(lines, options.lossy, &mut outcomes)?,
        }
        Ok(outcomes)
    }

    /// Reads a record that is in memory. `file` is its name in messages, and `advice` is what the user can do about damage.
    ///
    /// # Errors
    /// As [`Outcomes::read`].
    pub fn of(record: &[u8], file: &str, advice: &str) -> Result<Outcomes, Error> {
        let mut lines = Lines::new(record, file, false)?;
        lines.set_limit(super::LINE_LIMIT);
        Outcomes::read(&mut lines, &Options::default()).map_err(|mut error| {
            if let Error::Syntax { hint, .. } | Error::Record { hint, .. } = &mut error
                && *hint == super::hint()
            {
                advice.clone_into(hint);
            }
            error
        })
    }

    /// The program: the history of a round without values of reads.
    pub fn program(&self) -> &History {
        &self.program
    }

    /// The number of rounds.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// How long the rounds ran; `None` if the record has no end.
    pub fn timing(&self) -> Option<Timing> {
        self.timing
    }

    /// The outcomes, in the order in which they were first seen.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Outcome<'_>> {
        self.seen.iter().map(|(words, &(first, count))| Outcome { words, first, count })
    }

    /// The outcome of this number, from 0.
    pub fn get(&self, number: usize) -> Option<Outcome<'_>> {
        let (words, &(first, count)) = self.seen.get_index(number)?;
        Some(Outcome { words, first, count })
    }

    /// The history of an outcome; `None` for one of another program.
    pub fn history(&self, outcome: &Outcome<'_>) -> Option<History> {
        let mut history = self.layout.history(&self.program, outcome.words).ok()?;
        history.name = Some(if outcome.count == 1 {
            format!("round {}", outcome.first)
        } else {
            format!("round {} and {} like it", outcome.first, outcome.count - 1)
        });
        Some(history)
    }

    /// The number of words of a round.
    pub(super) fn words(&self) -> usize {
        self.layout.words().sum()
    }

    /// Adds a round.
    ///
    /// # Errors
    /// Fails for words that no round has, and if there are too many different outcomes.
    pub(super) fn add(&mut self, round: u64, words: &[u64]) -> Result<(), String> {
        if let Some((_, count)) = self.seen.get_mut(words) {
            count.add_assign(1);
        } else {
            self.layout.check(words)?;
            if self.seen.len().saturating_mul(words.len()) > MOST_WORDS {
                return Err("more different outcomes than memory is meant for".to_owned());
            }
            self.seen.insert(words.into(), (round, 1));
        }
        self.rounds += 1;
        Ok(())
    }

    /// What a lossy reader left out, as a note; `None` if the record is whole.
    pub(super) fn loss(&self) -> Option<String> {
        match (self.skipped, self.timing) {
            (0, Some(_)) => None,
            (0, None) => Some("the record has no end: later rounds are missing".to_owned()),
            (count, _) => Some(format!(
                "damaged lines or blocks of the record that were skipped: {count}; their rounds are not checked"
            )),
        }
    }

    /// Notes that a line or block was skipped.
    pub(super) fn skip(&mut self) {
        self.skipped += 1;
    }

    /// Takes the numbers at the end of a record.
    pub(super) fn finish(&mut self, end: [u64; 3], lossy: bool) -> Result<(), String> {
        let [rounds, nanoseconds, spread] = end;
        if rounds != self.rounds && !lossy {
            return Err(format!("the end of {rounds} rounds after {}", self.rounds));
        }
        self.timing = Some(Timing { nanoseconds, spread });
        Ok(())
    }
}
