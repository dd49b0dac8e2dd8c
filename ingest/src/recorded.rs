//! Records of programs that ran on real machines: what their loads returned in each of many *rounds*.
//!
//! `rubric run` and `rubric generate c --record` make such programs. A round is one run of the program on memory that is 0 again,
//! so each round is a history. A record begins with a header of text:
//!
//! | line | meaning |
//! |---|---|
//! | `rubric-record 1 text` or `rubric-record 1 binary` | the version of the format, and the form of the rounds |
//! | a line of JSON | the history of a round ([`json`](crate::json)), without the values that are read and without final values |
//! | `words values 3 4` | how values are recorded (`values` or `signature`), and how many words each thread records in a round |
//! | `begin 0123456789abcdef` | the FNV-1a checksum with 64 bits of the characters of the lines above, without line ends |
//!
//! Then, as text, with hexadecimal numbers:
//!
//! | line | meaning |
//! |---|---|
//! | `round N WORD… #SUM` | the words of a round, thread by thread; the FNV-1a checksum with 32 bits of the characters before ` #` |
//! | `end ROUNDS NANOSECONDS SPREAD #SUM` | all rounds were written; how long they ran, and how far apart threads began a round, as the median in ticks of the processor's clock |
//!
//! and in binary, as little-endian words of 8 bytes: blocks of [`ROUNDS_MAGIC`], the first round, the number of rounds and the words of
//! the rounds, and at last [`END_MAGIC`] with the three numbers of an `end`; each block ends with the FNV-1a checksum with 64 bits of
//! its words. `layout` says what the words of a thread are.
//!
//! Rounds with the same words are the same history, and are read as one.
//!
//! ```
//! use ingest::recorded::{Form, Layout, Recording, header};
//! use history::{Access, HistoryBuilder, Kind, Place, Provenance, Source};
//!
//! let mut program = HistoryBuilder::new();
//! let place = Place::Bytes { address: 0x1000, size: 8 };
//! program.push(Access { written: Some(1), ..Access::new(0, Kind::Store, place) });
//! program.push(Access::new(1, Kind::Load, place));
//! let provenance = Provenance::of(Source::Record);
//! let program = program.finish(Default::default(), &Default::default(), provenance)?;
//! let layout = Layout::new(&program, Recording::Values)?;
//! let mut record = header(&program, &layout, Form::Text)?;
//! record += "round 0 1 1 #e1aa6fdb\nround 1 1 0 #5bee89db\nend 2 0 0 #ff889864\n";
//! let read = ingest::read(record.as_bytes(), "run.record", &ingest::Options::default())?;
//! assert_eq!(read.histories.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod binary;
mod head;
mod headless;
mod layout;
mod outcomes;
mod text;

use memchr::memmem;

use crate::error::Error;
use crate::format::{Contents, FormatInfo, Resemblance, TraceFormat};
use crate::input::Lines;
use crate::options::Options;

pub(crate) use headless::{blocks_without_header, without_header};

pub use binary::{END_MAGIC, ROUNDS_MAGIC};
pub use head::{Form, header};
pub use layout::{Layout, Recording};
pub use outcomes::{Outcome, Outcomes, Timing};

/// The beginning of the first line of a record of any version.
pub(crate) const MAGIC: &str = "rubric-record ";

/// The advice of messages about damage.
fn hint() -> String {
    let lossy = settings::Setting::Lossy;
    format!("the record may be damaged: record it again; {lossy} keeps the rounds that are whole")
}

/// Limit of the length of a line, in bytes: the header holds a whole history.
const LINE_LIMIT: usize = 1 << 30;

/// Records of programs on real machines.
pub struct Recorded;

impl TraceFormat for Recorded {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "record",
            title: "a record of a program on a machine",
            example: "rubric-record 1 text",
            extensions: &[],
            line_limit: LINE_LIMIT,
        }
    }

    fn recognises(&self, line: &[u8]) -> Resemblance {
        if head::first_line(line).is_some() { Resemblance::Certain } else { Resemblance::None }
    }

    fn changed(&self, line: &[u8], number: u64, file: &str) -> Option<Error> {
        without_header(line, number, file)
    }

    fn read(&self, lines: &mut Lines<'_>, options: &Options) -> Result<Contents, Error> {
        let outcomes = Outcomes::read(lines, options)?;
        let histories = outcomes.iter().map(|outcome| outcomes.history(&outcome));
        let histories = histories.collect::<Option<Vec<_>>>();
        let wrong = || lines.syntax("words that no round has", "a round of the program", hint());
        let mut histories = histories.ok_or_else(wrong)?;
        for history in &mut histories {
            history.provenance.notes.extend(outcomes.loss().map(|loss| format!("{loss}.")));
        }
        while lines.advance()? {
            if memmem::find(lines.line(), MAGIC.as_bytes()).is_some() {
                return Err(lines.syntax(
                    "a second record",
                    "the end of the file after the record's `end`",
                    "split the file: the program ran twice",
                ));
            }
        }
        Contents::histories(lines, histories)
    }
}

/// The FNV-1a checksum with 64 bits of words, or of the characters of a header.
fn checksum(words: impl IntoIterator<Item = u64>) -> u64 {
    words
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, word| (sum ^ word).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests;
