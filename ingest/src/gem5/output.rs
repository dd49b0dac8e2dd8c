//! What gem5 printed in a run whose operations are in a log: how it crashed, and the transitions that it took.

use std::io::Read;

use history::Crash;

use super::line::{self, Shape};
use super::raw::RawLines;
use super::{End, check_text};
use crate::error::Error;
use crate::input::Lines;
use crate::statistics::TransitionCount;

/// What gem5's standard output and error, in one file or stream, say about a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The message with which gem5 aborted, if it did.
    pub crash: Option<Crash>,
    /// How often each controller transition was taken, if the debug flag ProtocolTrace printed them; sorted by names.
    pub transitions: Vec<TransitionCount>,
}

impl Output {
    /// Reads the output of a run. Lines that are not understood are ignored. `name` is the file as messages show it.
    ///
    /// ```
    /// use ingest::gem5::Output;
    ///
    /// let printed = "\
    /// info: Entering event queue @ 0.  Starting simulation...
    ///              90   0    L1Cache                Load     NP>IS     [0x1000, line 0x1000]
    /// src/mem/ruby/protocol/L1Cache_Transitions.cc:90: panic: Invalid transition
    /// ";
    /// let output = Output::read(printed.as_bytes(), "output")?;
    /// assert_eq!(output.transitions[0].event, "Load");
    /// assert_eq!(output.crash.unwrap().kind.name(), "invalid transition");
    /// # Ok::<(), ingest::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the input cannot be read.
    pub fn read(reader: impl Read, name: &str) -> Result<Output, Error> {
        let mut lines = Lines::new(reader, name, true)?;
        let (mut raw, mut end) = (RawLines::new(false), End::default());
        while lines.advance()? {
            let (text, number) = (lines.line(), lines.number());
            match line::shape(text) {
                // The last line of a run that was killed may be cut.
                Ok(Shape::Raw(columns)) if lines.complete() => {
                    let _ = raw.line(&columns, number);
                }
                Ok(Shape::Chatter) if check_text(text).is_ok() => {
                    end.scan(text, number, !lines.complete());
                }
                _ => {}
            }
        }
        end.finish(name);
        Ok(Output { crash: end.crash().cloned(), transitions: raw.counts() })
    }
}
