//! Reads the instructions that CPUs executed: lines of the flag Exec, of which the crate `instructions` makes a history.
//!
//! [`line`] parses a line. [`threads`] and [`cpus`] find the hardware thread of a CPU. The rest, from the disassembly of an instruction to the
//! history, is not of gem5 alone, and in [`instructions`].

mod cpus;
mod line;
mod threads;

use instructions::{IsaBasis, Options, Problem, Recording};
use settings::Setting;

use crate::gem5::lines::fault::Fault;
pub(crate) use cpus::{ConfiguredCpu, CpuName};
pub(crate) use threads::HARDWARE_THREAD;
use threads::Threads;

/// The instructions that were read so far.
#[derive(Debug)]
pub(crate) struct Exec {
    pub recording: Recording,
    pub threads: Threads,
    /// Number of lines, including those that were not asked for.
    pub lines: u64,
}

/// The position of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineContext {
    pub line: u64,
    pub tick: Option<u64>,
    /// The address space, where the line shows it.
    pub space: Option<u64>,
}

/// Whether the line of an instruction shows its results, which come last; `None` if a part of the line is missing.
pub(crate) fn shows_results(text: &[u8]) -> Option<bool> {
    line::parse(text).ok().map(|line| line.class.is_some())
}

impl Exec {
    pub(crate) fn new(options: Options) -> Exec {
        Exec { recording: Recording::new(options), threads: Threads::default(), lines: 0 }
    }

    /// Takes in a line of the `thread`-th hardware thread of a CPU.
    pub(crate) fn line(
        &mut self,
        cpu: CpuName<'_>,
        thread: u32,
        text: &[u8],
        at: LineContext,
    ) -> Result<(), Fault> {
        self.lines += 1;
        let mut line = line::parse(text)?;
        if !self.recording.recognise(&mut line, at.space).map_err(fault)? {
            return Ok(());
        }
        let thread = self.threads.thread(cpu, thread, &line, at, &mut self.recording);
        self.recording.execute(thread, &line, at.line, at.tick).map_err(fault)
    }
}

/// The fault of a line whose instruction cannot be taken in.
fn fault(problem: Problem) -> Fault {
    let (shown, known, basis) = match problem {
        Problem::Cut(missing) => return Fault::Cut(missing),
        Problem::UnknownIsa(instruction) => {
            return Fault::broken(
                format!("`{instruction}`, an access of no known instruction set"),
                "instructions of x86, RISC-V or AArch64",
                format!("if it is one of these, say which with {}", Setting::Isa),
            );
        }
        Problem::OtherIsa { shown, known, basis } => (shown, known, basis),
    };
    let title = known.title();
    let (expected, hint) = match basis {
        IsaBasis::Chosen => (
            format!("one of {title} ({})", Setting::Isa.to(known.name())),
            format!("leave {} out, or give the instruction set of the trace", Setting::Isa),
        ),
        IsaBasis::Configured => (
            format!("one of {title}, which config.json says"),
            format!(
                "the two are not of one run: read the trace alone, or give its instruction set with {}",
                Setting::Isa
            ),
        ),
        IsaBasis::Earlier => (
            format!("one of {title}, as those before it"),
            "the file mixes instruction sets, as when traces of two runs are joined: split it"
                .to_owned(),
        ),
    };
    Fault::broken(format!("an instruction of {}", shown.title()), expected, hint)
}
