//! Programs as C: each access is an instruction of its own.
//!
//! What is the same in all programs is C in files of its own, in the folder `c`: the instructions of an instruction set, barriers,
//! output, and the check of final values. A line of variables is a *stride* away from the next one; with that of a page all of them are
//! in the same set of a cache. Loads of other lines of that set evict them.

use std::io::{self, Write};

use history::Isa;
use simulate::program::{Program, ProgramSize};

use crate::announced::Announced;
use crate::fault::Fault;
use crate::recorded::{Record, Recorded};

/// The options for writing a program as C.
#[derive(Clone, Debug)]
pub struct CProgram<'a> {
    /// The command that makes the program, for a comment. Must be one line.
    pub name: &'a str,
    /// The instruction set.
    pub isa: Isa,
    /// How many times the program is run in a process.
    pub rounds: u32,
    /// Bytes from one line of shared variables to the next; a power of two.
    pub stride: u64,
    /// Percentage of operations before which another line of the set is loaded, which evicts shared variables.
    pub evictions: u32,
    /// Number of these other lines.
    pub others: u32,
    /// Percentage of operations before which a shared variable is prefetched.
    pub prefetches: u32,
    /// How the program records what its loads return; `None` for one whose accesses a trace of instructions shows.
    pub record: Option<Record>,
    /// The mistake that the program makes on purpose.
    pub fault: Option<Fault>,
}

/// The most operations of a thread, whose values are below the number of the round.
pub const MOST_OPERATIONS: u32 = (1 << crate::announced::ROUND_SHIFT) - 1;

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
