//! Writes programs as C, those that announce their accesses and those that record them.

use std::io::{self, Write};

use simulate::program::{Program, ProgramSize};

use crate::announced::{Announced, ROUND_SHIFT};
use crate::c::CProgram;
use crate::recorded::Recorded;

/// The most operations of a thread, whose values are below the number of the round.
pub const MOST_OPERATIONS: u32 = (1 << ROUND_SHIFT) - 1;

impl CProgram<'_> {
    /// Writes the program of a size as C. It may have loads, stores, read-modify-writes and fences, all of whole words.
    ///
    /// # Errors
    /// Fails if the output cannot be written, or if a record cannot express the program.
    pub fn write(&self, size: &ProgramSize, out: &mut dyn Write) -> io::Result<()> {
        let program = Program::random(size);
        match &self.record {
            None => Announced::new(self, size).write(&program, out),
            Some(record) => Recorded::new(self, record, size, &program)?.write(&program, out),
        }
    }
}
