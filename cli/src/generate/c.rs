//! `rubric generate c`: random programs in C, for the CPUs of gem5's syscall emulation.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::TypedValueParser;
use history::Isa;
use lab::text::END_OF_NAME;
use memory::Model;
use simulate::program::{CProgram, MOST_OPERATIONS, MOST_ROUNDS, ProgramSize, Spelled, WeakShares};

use crate::error::Error;
use crate::files;
use crate::simulate::extras::ExtrasArgs;
use crate::simulate::options::{Counts, Program};
use crate::simulate::parse;
use crate::status::Status;
use crate::words;

/// Generate a random program with threads in C, for the CPUs of gem5
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric generate c --isa riscv --rmws 10 --fences 5 --seed 7 -o program.c
  riscv64-linux-gnu-gcc -O2 -static -pthread program.c -o program
  rubric check --addresses auto exec.trace.gz

The accesses are those of `rubric generate program` with the same options, each an instruction of its own; a step of --think is a
nop. On RISC-V and Arm there are dependencies, acquire and release annotations and weak fences. The program runs --rounds times
in a process, with a barrier before each and with new values, so that all rounds are one history. At the end it checks the
final values itself, says `final values as expected`, and exits with 0. Lines of variables are --stride bytes apart, so that they are in
the same set of a cache and replace each other; --per-line lets variables share a line. `rubric generate --c` is another way
to write the command; docs/gem5.md says how to record and check a trace.")]
pub(super) struct Args {
    /// The instruction set
    #[arg(long, value_name = "x86|riscv|arm", default_value = "x86",
          value_parser = words::one_of(&Isa::ALL, Isa::name))]
    isa: Isa,

    #[command(flatten)]
    counts: Counts,

    /// How many times the program is run in a process
    #[arg(long, value_name = "N", default_value = "10",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_ROUNDS)))]
    rounds: u32,

    /// Bytes from one line of variables to the next, a power of two: with those of a page, all lines are in one set of a
    /// cache whose ways have at most as many
    #[arg(long, value_name = "BYTES", default_value = "4096", value_parser = stride())]
    stride: u64,

    /// Before so many of 100 operations, load another line of the same set
    #[arg(long, value_name = "PERCENT", default_value = "10", value_parser = parse::percent())]
    evictions: u32,

    /// Number of these other lines
    #[arg(long, value_name = "N", default_value = "8", value_parser = parse::positive)]
    evicting_lines: u32,

    /// Seed of the pseudo-random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The output; `-` is standard output
    #[arg(long, short, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,

    #[command(flatten)]
    program: Program,
}

/// Runs the command.
pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let shape = args.shape();
    args.check(&shape)?;
    let name = args.name(&shape);
    let program = CProgram {
        name: &name,
        isa: args.isa,
        rounds: args.rounds,
        stride: args.stride,
        evictions: args.evictions,
        others: args.evicting_lines,
    };
    if args.output == Path::new("-") {
        program.write(&shape, out).map_err(Error::Output)?;
    } else {
        files::create(&args.output, |out| program.write(&shape, out).map_err(Error::Output))?;
    }
    Ok(Status::Done)
}

/// The largest section of shared variables, in bytes: it is part of the compiled program.
const LARGEST_SECTION: u64 = 64 << 20;

impl Args {
    fn model(&self) -> Model {
        Model::of_isa(self.isa)
    }

    fn shape(&self) -> ProgramSize {
        let extras = ExtrasArgs { dma: None, flush: None, atomics: None, partial: None };
        ProgramSize {
            weak: WeakShares::given(self.model(), self.program.weak_options()),
            ..self.program.shape(&self.counts, &extras, self.seed)
        }
    }

    /// Refuses options that the instruction set or a program in C cannot express.
    fn check(&self, shape: &ProgramSize) -> Result<(), Error> {
        let usage = |text: String| Err(Error::Usage(text));
        if let Some(option) = self.program.has_weak().filter(|_| self.isa == Isa::X86) {
            return usage(format!(
                "{option}: x86 has no such orderings; choose --isa riscv or --isa arm"
            ));
        }
        if shape.linked > 0 && self.isa == Isa::X86 {
            return usage(
                "--linked: x86 has no load-linked; choose --isa riscv or --isa arm".to_owned(),
            );
        }
        if shape.fetches > 0 {
            return usage("--fetches: a program in C cannot fetch what it stores".to_owned());
        }
        if shape.rmws + shape.fences > 100 {
            return usage(
                "--rmws and --fences together are more than 100 of 100 operations".to_owned(),
            );
        }
        if shape.operations > MOST_OPERATIONS {
            return usage(format!(
                "--operations {}: at most {MOST_OPERATIONS} of a thread have values of their own in each round",
                shape.operations
            ));
        }
        if self.stride < shape.line_bytes {
            return usage(format!(
                "--stride {}: lines of {} bytes would overlap",
                self.stride, shape.line_bytes
            ));
        }
        let lines = u64::from(shape.locations.div_ceil(shape.per_line));
        let largest = lines.max(u64::from(self.evicting_lines));
        match largest.checked_mul(self.stride) {
            Some(bytes) if bytes <= LARGEST_SECTION => Ok(()),
            _ => usage(format!(
                "{largest} lines with --stride {} take more than {} MiB",
                self.stride,
                LARGEST_SECTION >> 20
            )),
        }
    }

    /// The command that makes the program, without options that change nothing, and the version.
    fn name(&self, shape: &ProgramSize) -> String {
        let mut options = shape.counts();
        options.extend(shape.mix());
        options.extend(shape.weak.iter().flat_map(WeakShares::words));
        options.extend([
            Spelled::new("rounds", self.rounds, 10),
            Spelled::new("stride", self.stride, 4096),
            Spelled::new("evictions", self.evictions, 10),
            Spelled::new("evicting-lines", self.evicting_lines, 8),
        ]);
        let words = options.iter().filter_map(Spelled::word);
        let words: String = words.map(|word| format!(" {word}")).collect();
        format!(
            "rubric generate c --isa {}{words} --seed {}{END_OF_NAME}",
            self.isa.name(),
            self.seed
        )
    }
}

/// Parses the stride between cache lines, in bytes.
fn stride() -> impl TypedValueParser<Value = u64> {
    clap::value_parser!(u64).range(64..=1 << 24).try_map(|bytes| {
        let expected = "a power of two was expected: 64, 128, 256, …";
        bytes.is_power_of_two().then_some(bytes).ok_or(expected)
    })
}
