//! Finds the message of a crash in the output of a gem5 run whose operations are in a log.

use std::io::Read;

use history::Crash;

use crate::error::Error;
use crate::gem5::crash::end::End;
use crate::gem5::lines::line::{self, Shape};
use crate::gem5::lines::shaped::check_text;
use crate::input::Lines;

/// Finds the message with which gem5 aborted in its standard output and error, which are one file or stream; `None` if
/// it did not abort. Lines that are not understood are ignored. `name` is the file as messages show it.
///
/// ```
/// let printed = "\
/// info: Entering event queue @ 0.  Starting simulation...
/// src/mem/ruby/protocol/L1Cache_Transitions.cc:90: panic: Invalid transition
/// ";
/// let crash = ingest::gem5::crash_in(printed.as_bytes(), "output")?;
/// assert_eq!(crash.unwrap().kind.name(), "invalid transition");
/// # Ok::<(), ingest::Error>(())
/// ```
///
/// Returns [`Error::Io`] if the input cannot be read, and [`Error::CrLf`] for a line that ends with CR LF.
pub fn crash_in(reader: impl Read, name: &str) -> Result<Option<Crash>, Error> {
    let mut lines = Lines::new(reader, name, true)?;
    let mut end = End::default();
    while lines.advance()? {
        let (text, number) = (lines.line(), lines.number());
        if matches!(line::shape(text), Ok(Shape::Chatter)) && check_text(text).is_ok() {
            end.scan(text, number, !lines.complete());
        }
    }
    end.finish(name);
    Ok(end.crash().cloned())
}
