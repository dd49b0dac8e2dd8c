//! `rubric generate c`: random programs in C, for the CPUs of gem5's syscall emulation and for real machines.

use std::io::Write;
use std::path::{Path, PathBuf};

use hardware::{
    CProgram, Console, Host, MOST_OPERATIONS, MOST_ROUNDS, Record, Sizes, linker_script,
};
use history::Isa;
use ingest::recorded::{Form, Recording};
use lab::text::END_OF_NAME;
use memory::Model;
use simulate::program::{ProgramSize, Spelled, WeakShares};

use crate::error::Error;
use crate::files;
use crate::simulate::extras::ExtrasArgs;
use crate::simulate::options::{Counts, Program};
use crate::simulate::parse;
use crate::status::Status;
use crate::words;

/// Generate a random program with threads in C, for the CPUs of gem5 and for real machines
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric generate c --isa riscv --rmws 10 --fences 5 --seed 7 -o program.c
  riscv64-linux-gnu-gcc -O2 -static -pthread program.c -o program
  rubric check --addresses auto exec.trace.gz
  rubric generate c --isa riscv --record signature --form binary --rounds 100000 -o program.c
  rubric generate c --isa riscv --freestanding --console uart:0x10000000 --threads 4 -o program.c

The accesses are those of `rubric generate program` with the same options, each an instruction of its own; a step of --think is a
nop. On RISC-V and Arm there are dependencies, acquire and release annotations and weak fences. The program runs --rounds times
in a process, with a barrier before each and with new values, so that all rounds are one history. At the end it checks the
final values itself, says `final values as expected`, and exits with 0. Lines of variables are --stride bytes apart, so that they are in
the same set of a cache and replace each other; --per-line lets variables share a line. `rubric generate --c` is another way
to write the command; docs/gem5.md says how to record and check a trace.

With --record the program records itself what its loads return, and needs no trace: each round begins with memory that is 0, and the
record goes to standard output (docs/hardware.md). With --freestanding it runs on the harts of a RISC-V processor in machine mode
without an operating system, and a linker script is written beside it. `rubric run` does all of this on the machine at hand.")]
pub(super) struct Args {
    /// The instruction set
    #[arg(long, value_name = "x86|riscv|arm", default_value = "x86",
          value_parser = words::one_of(&Isa::ALL, Isa::name))]
    isa: Isa,

    #[command(flatten)]
    counts: Counts,

    /// How many times the program is run in a process; at most 4096 without --record
    #[arg(long, value_name = "N", default_value = "10", value_parser = parse::positive)]
    rounds: u32,

    /// Bytes from one line of variables to the next, a power of two: with those of a page, all lines are in one set of a
    /// cache whose ways have at most as many
    #[arg(long, value_name = "BYTES", default_value = "4096", value_parser = parse::stride())]
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

    #[command(flatten)]
    recorded: RecordArgs,
}

/// How a program records itself.
#[derive(clap::Args)]
#[command(next_help_heading = "Programs that record themselves")]
struct RecordArgs {
    /// The program records what its loads return: each value in a log, or as digits of a number in registers
    #[arg(long, value_name = "values|signature", value_parser = words::one_of(&Recording::ALL, Recording::name))]
    record: Option<Recording>,

    /// The form of the record [default: text]
    #[arg(long, value_name = "text|binary", value_parser = words::one_of(&Form::ALL, Form::name))]
    form: Option<Form>,

    /// The sizes of variables in bytes, of which each has one [default: 8]
    #[arg(long, value_name = "1,2,4,8", value_delimiter = ',', value_parser = parse::variable_size())]
    bytes: Vec<u8>,

    /// Most nops before the first operation of a thread in a round [default: 0]
    #[arg(long, value_name = "NOPS", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    offset: Option<u32>,

    /// Before so many of 100 operations, prefetch a variable
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = parse::percent())]
    prefetches: u32,

    /// The program is all that there is: it starts the harts itself (--isa riscv)
    #[arg(long)]
    freestanding: bool,

    /// Where a program without an operating system writes its record: `htif` (Spike), uart:ADDRESS or memory:ADDRESS
    #[arg(long, value_name = "CONSOLE", default_value = "htif", value_parser = clap::value_parser!(Console),
          requires = "freestanding")]
    console: Console,

    /// The first byte of memory of a program without an operating system
    #[arg(long, value_name = "ADDRESS", default_value = "0x80000000", value_parser = parse::address,
          requires = "freestanding")]
    memory_start: u64,
}

impl RecordArgs {
    /// How the program records itself; `None` if it does not.
    fn record(&self) -> Option<Record> {
        let usual = self.freestanding.then_some(Recording::Values);
        let recording = self.record.or(usual)?;
        let (console, memory) = (self.console, self.memory_start);
        Some(Record {
            recording,
            form: self.form.unwrap_or(Form::Text),
            sizes: if self.bytes.is_empty() { Sizes::default() } else { Sizes(self.bytes.clone()) },
            offset: self.offset.unwrap_or(0),
            host: if self.freestanding {
                Host::Freestanding { console, memory }
            } else {
                Host::System
            },
        })
    }

    /// The given option that applies only to programs that record themselves, if there is one.
    fn given(&self) -> Option<&'static str> {
        let given = [
            ("--form", self.form.is_some()),
            ("--bytes", !self.bytes.is_empty()),
            ("--offset", self.offset.is_some()),
        ];
        given.iter().find(|(_, is_given)| *is_given).map(|(name, _)| *name)
    }

    /// The options as words.
    fn words(&self) -> String {
        let bytes: Vec<String> = self.bytes.iter().map(u8::to_string).collect();
        let given = [
            ("record", self.record.map(|it| it.name().to_owned())),
            ("form", self.form.map(|it| it.name().to_owned())),
            ("bytes", (!bytes.is_empty()).then(|| bytes.join(","))),
            ("offset", self.offset.map(|it| it.to_string())),
            ("prefetches", (self.prefetches > 0).then(|| self.prefetches.to_string())),
        ];
        let words =
            given.into_iter().filter_map(|(name, value)| Some(format!(" --{name} {}", value?)));
        let freestanding = format!(
            " --freestanding --console {} --memory-start {:#x}",
            self.console, self.memory_start
        );
        words.chain(self.freestanding.then_some(freestanding)).collect()
    }
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
        prefetches: args.recorded.prefetches,
        record: args.recorded.record(),
        fault: None,
    };
    if args.output == Path::new("-") {
        program.write(&shape, out).map_err(Error::Output)?;
    } else {
        files::create(&args.output, |out| program.write(&shape, out).map_err(Error::Output))?;
    }
    if args.recorded.freestanding && args.output != Path::new("-") {
        let script = linker_script(args.recorded.memory_start);
        let write = |out: &mut dyn Write| out.write_all(script.as_bytes()).map_err(Error::Output);
        files::create(&args.output.with_extension("ld"), |out| write(out))?;
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
        let extras = ExtrasArgs { dma: None, flush: None, atomics: None, dvm: None, partial: None };
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
        let record = &self.recorded;
        if record.freestanding && self.isa != Isa::Riscv {
            return usage("--freestanding: only programs for RISC-V start without an operating system; choose --isa riscv".to_owned());
        }
        if record.record().is_none() && self.rounds > MOST_ROUNDS {
            return usage(format!(
                "--rounds {}: at most {MOST_ROUNDS} have values of their own; choose fewer, or --record, with which each round is a history",
                self.rounds
            ));
        }
        if let Some(option) = record.given().filter(|_| record.record().is_none()) {
            return usage(format!(
                "{option}: only programs that record themselves have that; add --record values"
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
            "rubric generate c --isa {}{words}{} --seed {}{END_OF_NAME}",
            self.isa.name(),
            self.recorded.words(),
            self.seed
        )
    }
}
