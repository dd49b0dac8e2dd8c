//! [`Plan`]: the random programs of a series, and what their seeds draw.

use history::Isa;
use history::random::Rng;
use ingest::recorded::Form;
use simulate::program::ProgramSize;

use crate::c::CProgram;
use crate::fault::Fault;
use crate::recorded::Record;

/// Separates these random choices from those of the program with the same seed.
const PURPOSE: u64 = 0x52_55_4e_00;

/// The programs of a series: what is the same in all of them, and what their seeds draw unless it is given.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The instruction set.
    pub isa: Isa,
    /// The size and mix of the programs. The seed is replaced.
    pub size: ProgramSize,
    /// How programs record themselves; the offset is drawn.
    pub record: Record,
    /// The rounds of a program, unless the executable is told another number.
    pub rounds: u32,
    /// How many variables share a line.
    pub per_line: Option<u32>,
    /// Bytes from one line to the next.
    pub stride: Option<u64>,
    /// Percentage of operations before which a line is loaded that evicts others.
    pub evictions: Option<u32>,
    /// Percentage of operations before which a variable is prefetched.
    pub prefetches: Option<u32>,
    /// The most nops before a round.
    pub offset: Option<u32>,
    /// The mistake that the programs make on purpose.
    pub fault: Option<Fault>,
}

impl Plan {
    /// The program of a seed in C. `name` is the command that makes it.
    ///
    /// # Errors
    /// Fails, in words, if a record cannot express the program.
    pub fn source(&self, seed: u64, name: &str) -> Result<String, String> {
        let mut rng = Rng::new(seed, PURPOSE);
        let per_line = rng.one_of(&[1, 1, 2, 8]);
        let stride = rng.one_of(&[64, 128, 4096]);
        let evictions = rng.one_of(&[0, 0, 10]);
        let prefetches = rng.one_of(&[0, 0, 10]);
        let offset = rng.one_of(&[0, 16, 64, 256]);
        let size =
            ProgramSize { seed, per_line: self.per_line.unwrap_or(per_line), ..self.size.clone() };
        let program = CProgram {
            name,
            isa: self.isa,
            rounds: self.rounds,
            stride: self.stride.unwrap_or(stride),
            evictions: self.evictions.unwrap_or(evictions),
            others: 8,
            prefetches: self.prefetches.unwrap_or(prefetches),
            record: Some(Record {
                offset: self.offset.unwrap_or(offset),
                form: Form::Binary,
                ..self.record.clone()
            }),
            fault: self.fault,
        };
        let mut source = Vec::new();
        program.write(&size, &mut source).map_err(|error| error.to_string())?;
        String::from_utf8(source).map_err(|error| error.to_string())
    }
}
