//! Logs of executed instructions that tools other than gem5 print: simulators of instruction sets and testbenches of cores.
//!
//! The reader of a format parses lines and passes each instruction to an [`InstructionLog`], which ends as a history. [`commit_log`] reads
//! the commit log of Spike and the log that CVA6's testbench prints in the same form, [`ibex`] the one of Ibex's tracer, [`execlog`] that of
//! QEMU's plug-in, and [`tarmac`] that of Arm's models and of gem5. Logs that show registers, not values of accesses, need [`registers`].
//!
//! A log shows what instructions loaded and stored, not when a store reached memory. The history has the operations of each hart in
//! program order. The order of lines of different harts is only used to find a first explanation: no verdict rests on it.
//! [`chain`] follows the addresses of instructions, by which lines that are missing or doubled are noticed.
//! Testbenches write a log for each hart; [`read_harts`] reads those of one run as one history.

mod chain;
mod commit_log;
mod execlog;
mod harts;
mod ibex;
mod registers;
mod tarmac;
#[cfg(test)]
mod tests;

use history::{Doubt, Gap, Initial, Isa, NotUnderstood, Provenance, Source};
use instructions::{Instruction, Problem, Recording};
use rustc_hash::FxHashMap;
use settings::Setting;

use crate::error::{Error, excerpt, or_lossy};
use crate::format::{Contents, TraceFormat, skipped_lines};
use crate::input::{LineCount, Lines};
use crate::options::Options;
use crate::selection;

use chain::{Chains, Link, Traps};

pub(crate) use commit_log::{Cva6, Spike};
pub(crate) use execlog::Execlog;
pub(crate) use harts::{HartLogs, hart_logs, naming, read_harts};
pub(crate) use ibex::Ibex;
pub(crate) use tarmac::Tarmac;

/// Largest number of harts of a log.
const MOST_HARTS: usize = 1 << 15;

/// The instructions of a log that were read so far.
#[derive(Debug)]
pub(crate) struct InstructionLog<'o> {
    options: &'o Options,
    recording: Recording,
    /// Index of each hart by its number.
    harts: FxHashMap<u32, usize>,
    /// Number of lines of the files before the current one: the lines of all files are numbered through.
    before: u64,
    /// Number of instructions.
    instructions: u64,
    chains: Chains,
    skipped: LineCount,
    /// The first line that was skipped.
    gap: Option<NotUnderstood>,
}

/// What is wrong with a line.
#[derive(Debug)]
pub(crate) struct Flaw {
    pub found: String,
    pub expected: String,
}

impl Flaw {
    /// The flaw of a line that cannot be read up to its end.
    pub(crate) fn of(line: &[u8], expected: impl Into<String>) -> Flaw {
        Flaw { found: format!("`{}`", excerpt(line, 80)), expected: expected.into() }
    }
}

/// A format whose files have the instructions of one hart each.
pub(crate) trait HartLog: TraceFormat {
    /// Reads a file to its end into a log of all harts.
    ///
    /// # Errors
    /// Returns the error of a line that cannot be read.
    fn read_hart(&self, log: &mut InstructionLog<'_>, lines: &mut Lines<'_>) -> Result<(), Error>;
}

/// Reads the file of one hart alone.
fn read_alone(
    format: &dyn HartLog,
    lines: &mut Lines<'_>,
    options: &Options,
) -> Result<Contents, Error> {
    let mut log = InstructionLog::new(lines, format, options, Isa::Riscv)?;
    format.read_hart(&mut log, lines)?;
    let note = format!(
        "The log of one hart alone: give the folder that has the logs of all harts to check them together, named {}",
        harts::names(format)
    );
    log.finish(lines, vec![note])
}

impl<'o> InstructionLog<'o> {
    /// An empty log of a format, whose instructions are of this instruction set.
    ///
    /// # Errors
    /// Fails if the options ask for another instruction set, or for operations that only a trace of gem5 has.
    pub(crate) fn new(
        lines: &Lines<'_>,
        format: &dyn TraceFormat,
        options: &'o Options,
        isa: Isa,
    ) -> Result<InstructionLog<'o>, Error> {
        let refused = |found: String, setting: Setting| {
            lines.syntax(
                found,
                format!("{}, which shows executed instructions of {}", format.title(), isa.title()),
                format!("leave {setting} out"),
            )
        };
        if let Some(source) = options.source.filter(|source| *source != Source::Exec) {
            return Err(refused(Setting::Source.to(source.name()).to_string(), Setting::Source));
        }
        if let Some(asked) = options.isa.filter(|asked| *asked != isa) {
            return Err(refused(Setting::Isa.to(asked.name()).to_string(), Setting::Isa));
        }
        let recording = Recording::new(instructions::Options {
            isa: Some(isa),
            addresses: options.addresses.clone(),
            from_tick: options.from_tick,
            to_tick: options.to_tick,
            is_of_commits: true,
            ..instructions::Options::default()
        });
        Ok(InstructionLog {
            options,
            recording,
            harts: FxHashMap::default(),
            before: 0,
            instructions: 0,
            chains: Chains::default(),
            skipped: LineCount::default(),
            gap: None,
        })
    }

    /// Takes in the instruction of a line of the current file, or a part of one that accesses memory several times.
    pub(crate) fn execute(
        &mut self,
        line: u64,
        hart: u32,
        mut instruction: Instruction<'_>,
        tick: Option<u64>,
    ) -> Result<(), Flaw> {
        let index = self.hart(hart)?;
        let known = self.recording.recognise(&mut instruction, None);
        let executed = known.and_then(|known| match known {
            true => self.recording.execute(index, &instruction, self.before + line, tick),
            false => Ok(()),
        });
        self.instructions += 1;
        executed.map_err(|problem| Flaw {
            found: format!("`{}`", instruction.shown()),
            expected: match problem {
                Problem::Cut(missing) => missing.to_owned(),
                Problem::OtherIsa { known, .. } => {
                    format!("an instruction of {}, as those before it", known.title())
                }
                Problem::UnknownIsa(_) => "an instruction of a known instruction set".to_owned(),
            },
        })
    }

    /// Takes in where the next instruction of a hart is, before it is executed. Its line is one of the current file. Returns whether it
    /// follows the one before.
    ///
    /// # Errors
    /// Fails if lines are certainly missing, doubled or in another order.
    fn follow(&mut self, hart: u32, link: Link, traps: Traps) -> Result<bool, Flaw> {
        let link = Link { line: self.before + link.line, ..link };
        let index = self.hart(hart)?;
        let follows = self.chains.step(hart, link, traps)?;
        if !follows {
            self.recording.lose(index);
        }
        Ok(follows)
    }

    /// Takes in a trap of a hart.
    fn trap(&mut self, hart: u32) {
        self.chains.leave(hart);
    }

    fn hart(&mut self, number: u32) -> Result<usize, Flaw> {
        let count = self.harts.len();
        if let Some(index) = self.harts.get(&number) {
            return Ok(*index);
        }
        if count == MOST_HARTS {
            return Err(Flaw {
                found: format!("hart {number}, after {count} others"),
                expected: format!("at most {MOST_HARTS} harts"),
            });
        }
        let index = self.recording.add_thread(number);
        self.harts.insert(number, index);
        Ok(index)
    }

    /// Skips the current line because of a flaw, if the options allow it.
    ///
    /// # Errors
    /// Returns the flaw as an error if damaged lines are not to be skipped.
    pub(crate) fn skip(&mut self, lines: &Lines<'_>, flaw: Flaw) -> Result<(), Error> {
        if !self.options.lossy {
            let advice = match lines.complete() {
                true => {
                    "the log may be damaged, or have output of something else in it: record it again, into a file of its own"
                }
                false => "the log is cut off: record it again",
            };
            return Err(lines.syntax(
                flaw.found,
                flaw.expected,
                or_lossy(advice, "skip such lines"),
            ));
        }
        lines.note_skipped(lines.number());
        self.skipped.add(lines.number());
        self.recording.interrupt();
        self.chains.clear();
        self.gap.get_or_insert_with(|| NotUnderstood {
            gap: Gap::Write,
            line: self.before + lines.number(),
            instruction: excerpt(lines.line(), 60),
            doubt: Some(Doubt::Skipped),
        });
        Ok(())
    }

    /// Ends the log as the contents of its text. `notes` are remarks of the format's reader, one sentence each.
    pub(crate) fn finish(
        mut self,
        lines: &mut Lines<'_>,
        mut notes: Vec<String>,
    ) -> Result<Contents, Error> {
        let file = lines.file().to_owned();
        let selected = self.recording.finish();
        let selected = selected.ok_or_else(|| Error::NotAnnounced { file: file.clone() })?;
        if selected.builder.is_empty() && self.options.addresses.is_some() {
            return Err(Error::NothingSelected { file });
        }
        notes.extend(self.chains.note());
        notes.extend(selection::notes(&selected));
        if self.skipped.count > 0 {
            notes.push(format!("{}.", skipped_lines(self.skipped.count, self.skipped.first)));
        }
        let provenance = Provenance {
            unrecorded_writes: true,
            locations_found: selected.shared_bytes.is_some(),
            isa: self.recording.isa(),
            outside_writes: selected.outside_writes || self.gap.is_some(),
            not_understood: selected.not_understood.into_iter().chain(self.gap).collect(),
            unknown_fences: selected.unknown_fences,
            unknown_dependencies: selected.unknown_dependencies,
            unfinished: selected.unfinished,
            order_only: selected.order_only,
            notes,
            ..Provenance::of(Source::Exec)
        };
        let initial = self.options.initial.as_ref().unwrap_or(&Initial::Infer);
        let mut builder = selected.builder;
        if self.before > 0 {
            builder.forget_order();
        }
        let history = builder.finish(self.options.access_size, initial, provenance);
        let history = history.map_err(|error| Error::Build { file, error })?;
        let mut contents = Contents::histories(lines, vec![history])?;
        contents.statistics.skipped += self.skipped.count;
        contents.statistics.exec_lines = self.instructions;
        contents.statistics.exec_operations = self.recording.accesses;
        contents.statistics.weak_fences = self.recording.weak_fences;
        Ok(contents)
    }
}
