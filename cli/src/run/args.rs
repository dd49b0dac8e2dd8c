//! The arguments of `rubric run`.

use std::path::PathBuf;
use std::time::Duration;

use check::Model;
use hardware::{Compiler, Fault, Host, Plan, Record, Runner, Sizes, native};
use history::Isa;
use ingest::recorded::{Form, Recording};
use lab::hardware::{Extent, Series};
use lab::text::quoted;
use simulate::program::{ProgramSize, WeakShares};

use crate::error::Error;
use crate::limits::parse_size;
use crate::options::Format;
use crate::simulate::parse;
use crate::{time, words};

/// The runs of a series for which neither runs nor time are given.
const RUNS: u64 = 100_000;

/// Most operations of a thread, whose code has to be compiled.
const MOST_OPERATIONS: u32 = 1_000_000;

/// The most memory of the variables of a program, in bytes: it is part of the executable.
const LARGEST_MEMORY: u64 = 64 << 20;

/// The largest distance of lines that seeds draw, in bytes.
const LARGEST_STRIDE: u64 = 4096;

/// The instruction set of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Host,
    One(Isa),
}

impl Target {
    const ALL: [Target; 4] =
        [Target::Host, Target::One(Isa::X86), Target::One(Isa::Riscv), Target::One(Isa::Arm)];

    fn name(self) -> &'static str {
        match self {
            Target::Host => "host",
            Target::One(isa) => isa.name(),
        }
    }
}

/// Run random programs on this machine, or another one, and check what their loads returned
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric run
  rubric run --for 10m --until-violation -o found
  rubric run --threads 2 --operations 20 --locations 2 --runs 1M --model sc
  rubric run --isa riscv --runner qemu-riscv64
  rubric run --isa arm --runner 'ssh board' --cc aarch64-linux-gnu-gcc
  rubric run --fault plain-swap --until-violation

Each program is drawn from a seed, written in C, compiled with `cc` or --cc, and run --runs-each times, with its threads on different
processors, a barrier before each run, and memory that is 0 again. What its loads returned is checked under SC, TSO and the model of
the instruction set (x86: TSO, RISC-V: RVWMO, Arm: Armv8), which the machine should keep; --model replaces all of them. Every
certificate is verified, and runs with the same outcome are decided once. --per-line, --stride, --evictions, --prefetches and --offset
are drawn from the seed unless they are given.

With --runner the program is linked statically, and `RUNNER program RUNS SEED` runs it; a runner that is `ssh` receives it on standard
input. With -o, DIR holds programs.jsonl, a line for each program; the same command resumes the series, and may ask for more runs or
time. For the first violation DIR has the program, the outcome, its smallest part, a picture and a certificate.

Exit status: 0 all runs consistent with what the machine should keep; 1 a violation; 3 undecided; 2 bad usage, no compiler, or a
program that failed or hung; 130 interrupted before a violation was found.")]
pub(crate) struct Args {
    /// The instruction set; `host` is that of this machine
    #[arg(long, value_name = "host|x86|riscv|arm", default_value = "host",
          value_parser = words::one_of(&Target::ALL, Target::name))]
    isa: Target,

    /// Number of threads [default: the number of processors, from 2 to 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: Option<u32>,

    /// Operations of each thread in a run
    #[arg(long, alias = "ops", value_name = "N", default_value = "50", value_parser = parse::positive)]
    operations: u32,

    /// Shared variables
    #[arg(long, value_name = "N", default_value = "8", value_parser = parse::locations)]
    locations: u32,

    /// The sizes of variables in bytes, of which each has one
    #[arg(long, value_name = "1,2,4,8", default_value = "8", value_delimiter = ',', value_parser = parse::variable_size())]
    bytes: Vec<u8>,

    /// The number of runs of all programs, of which each runs --runs-each times [default: 100000, unless --for is given]
    #[arg(long, value_name = "N", value_parser = parse::positive)]
    runs: Option<u32>,

    /// Begin no further program after this time, such as 90 (seconds), 10m or 2h
    #[arg(long = "for", value_name = "TIME", value_parser = time::positive)]
    time: Option<Duration>,

    /// The number of runs of each program
    #[arg(long, value_name = "N", default_value = "10000", value_parser = parse::positive)]
    runs_each: u32,

    /// End with the first program that shows a violation of what the machine should keep. Outcomes of it that are not decided by then count as
    /// undecided
    #[arg(long)]
    until_violation: bool,

    /// How programs record: each value in a log, or as digits of a number in registers, which disturbs the program less
    #[arg(long, value_name = "values|signature", default_value = "values",
          value_parser = words::one_of(&Recording::ALL, Recording::name))]
    record: Recording,

    /// The models to ask about, stronger ones first; the machine should keep the last one [default: SC, TSO and the model of the
    /// instruction set]
    #[arg(long, value_name = "MODELS", value_delimiter = ',', value_parser = parse::models())]
    model: Vec<Model>,

    /// The compiler, perhaps with options [default: cc, or the usual cross compiler]
    #[arg(long, value_name = "COMMAND")]
    cc: Option<String>,

    /// The command that runs a program: an emulator, or `ssh HOST`
    #[arg(long, value_name = "COMMAND")]
    runner: Option<String>,

    /// Longest time of a program, such as 10 (seconds), 90s or 2m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time::positive)]
    timeout: Duration,

    /// Longest time of a verdict
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time::positive)]
    verdict_timeout: Duration,

    /// Memory that the program may occupy before it gives up a verdict, in bytes or such as 500MiB, 4GB
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = parse_size)]
    max_memory: u64,

    /// Seed of the first program; the others have the next ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Folder for the results; an unfinished series of the same command that it holds is resumed
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Write the program of --seed in C to a file (`-` is standard output), and run nothing
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    pub(super) source: Option<PathBuf>,

    /// Let the programs do less than they claim, to see that it is found: leave out fences, make a read-modify-write of a load and
    /// a store, without a lock or with one that two threads may take, or store past the caches of x86
    #[arg(long, value_name = "FAULT", value_parser = words::one_of(&Fault::ALL, Fault::name))]
    fault: Option<Fault>,

    /// The form of the output
    #[arg(long, value_name = "text|json", default_value = "text")]
    pub(super) format: Format,

    /// No progress bar
    #[arg(long, short)]
    pub(super) quiet: bool,

    #[command(flatten)]
    mix: Mix,
}

/// The operations of the programs, and where their variables are.
#[derive(clap::Args)]
#[command(next_help_heading = "The random program")]
struct Mix {
    /// Of 100 accesses that are no read-modify-writes, how many read
    #[arg(long, value_name = "PERCENT", default_value = "50", value_parser = parse::percent())]
    reads: u32,

    /// Of 100 operations, how many are read-modify-writes
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = parse::percent())]
    rmws: u32,

    /// Of 100 operations, how many are fences
    #[arg(long, value_name = "PERCENT", default_value = "2", value_parser = parse::percent())]
    fences: u32,

    /// Of 100 read-modify-writes, how many are load-linked with store-conditional [default: 50, on x86 0]
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    linked: Option<u32>,

    /// On RISC-V and Arm: of 100 operations, how many depend on an earlier read [default: 20]
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    dependencies: Option<u32>,

    /// On RISC-V and Arm: of 100 operations that can have an acquire or release annotation, how many have one [default: 20]
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    annotations: Option<u32>,

    /// On RISC-V and Arm: of 100 fences, how many are not full ones [default: 70]
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    weak_fences: Option<u32>,

    /// How unequally variables are shared: the k-th most popular one is used in proportion to 1/k^S; 0 is uniform
    #[arg(long, value_name = "S", default_value = "0", value_parser = parse::skew)]
    skew: f64,

    /// Most nops between two operations of a thread
    #[arg(long, value_name = "NOPS", default_value = "0")]
    think: u32,

    /// How many variables share a line of 64 bytes, as far as they fit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    per_line: Option<u32>,

    /// Bytes from one line of variables to the next, a power of two
    #[arg(long, value_name = "BYTES", value_parser = parse::stride())]
    stride: Option<u64>,

    /// Before so many of 100 operations, load another line of the same set of a cache
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    evictions: Option<u32>,

    /// Before so many of 100 operations, prefetch a variable
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    prefetches: Option<u32>,

    /// Most nops before the first operation of a thread in a run
    #[arg(long, value_name = "NOPS", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    offset: Option<u32>,
}

impl Args {
    /// The series that the arguments describe.
    pub(super) fn series(&self) -> Result<Series, Error> {
        let isa = self.isa()?;
        self.check(isa)?;
        let usage = |error: hardware::Error| Error::Usage(error.to_string());
        let compiler = match &self.cc {
            Some(command) => Compiler::of(command).map_err(usage)?,
            None => Compiler::usual(isa),
        };
        let runner = match &self.runner {
            Some(command) => Runner::through(command, self.timeout).map_err(usage)?,
            None => Runner::here(self.timeout),
        };
        let runs = self.runs.map(u64::from);
        Ok(Series {
            plan: self.plan(isa),
            compiler,
            runner,
            seed: self.seed,
            models: self.models(isa),
            check: check::Options {
                timeout: Some(self.verdict_timeout),
                max_memory: Some(self.max_memory),
                ..check::Options::default()
            },
            extent: Extent {
                runs_each: self.runs_each.min(runs.map_or(u32::MAX, |runs| runs as u32)),
                runs: runs.or(self.time.is_none().then_some(RUNS)),
                time: self.time,
                until_violation: self.until_violation,
            },
            command: self.command(isa),
            folder: self.output.clone(),
        })
    }

    fn isa(&self) -> Result<Isa, Error> {
        match self.isa {
            Target::One(isa) => Ok(isa),
            Target::Host => native().ok_or_else(|| {
                Error::Usage(format!(
                    "--isa host: programs cannot be written for {}; choose --isa x86, riscv or arm with --runner",
                    std::env::consts::ARCH
                ))
            }),
        }
    }

    /// Refuses options that contradict each other or the instruction set.
    fn check(&self, isa: Isa) -> Result<(), Error> {
        let usage = |text: String| Err(Error::Usage(text));
        if native() != Some(isa) && self.runner.is_none() && self.source.is_none() {
            return usage(format!(
                "--isa {}: this machine is no {}; add --runner, such as --runner 'ssh board' or --runner '{}'",
                isa.name(),
                isa.title(),
                emulator(isa)
            ));
        }
        let mix = &self.mix;
        let weak = [
            ("--linked", mix.linked),
            ("--dependencies", mix.dependencies),
            ("--annotations", mix.annotations),
            ("--weak-fences", mix.weak_fences),
        ];
        if let Some((option, _)) = weak.iter().find(|(_, value)| value.is_some_and(|it| it > 0))
            && isa == Isa::X86
        {
            return usage(format!(
                "{option}: x86 has no such instructions; choose --isa riscv or --isa arm"
            ));
        }
        if mix.rmws + mix.fences > 100 {
            return usage(
                "--rmws and --fences together are more than 100 of 100 operations".to_owned(),
            );
        }
        if self.operations > MOST_OPERATIONS {
            return usage(format!(
                "--operations {}: at most {MOST_OPERATIONS} of a thread can be compiled; choose more --runs",
                self.operations
            ));
        }
        let stride = mix.stride.unwrap_or(LARGEST_STRIDE);
        if u64::from(self.locations).saturating_mul(stride) > LARGEST_MEMORY {
            return usage(format!(
                "--locations {}: on lines of up to {stride} bytes they take more than {} MiB; choose fewer, or a smaller --stride",
                self.locations,
                LARGEST_MEMORY >> 20
            ));
        }
        let fault = self.fault.filter(|fault| !fault.is_for(isa));
        if let Some(fault) = fault {
            return usage(format!("--fault {}: only x86 has such stores", fault.name()));
        }
        if self.fault == Some(Fault::NonTemporal) && self.bytes.iter().any(|&bytes| bytes < 4) {
            return usage(
                "--fault non-temporal: such stores have 4 or 8 bytes; choose --bytes 4,8"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn plan(&self, isa: Isa) -> Plan {
        let mix = &self.mix;
        let model = Model::of_isa(isa);
        let usual = WeakShares::usual(model);
        let weak = model.is_weak().then(|| WeakShares {
            model,
            dependencies: mix.dependencies.unwrap_or(usual.dependencies),
            annotations: mix.annotations.unwrap_or(usual.annotations),
            weak_fences: mix.weak_fences.unwrap_or(usual.weak_fences),
        });
        Plan {
            isa,
            size: ProgramSize {
                threads: self.threads(),
                operations: self.operations,
                locations: self.locations,
                reads: mix.reads,
                rmws: mix.rmws,
                fences: mix.fences,
                linked: mix.linked.unwrap_or(if isa == Isa::X86 { 0 } else { 50 }),
                skew: mix.skew,
                think: mix.think,
                weak,
                ..ProgramSize::default()
            },
            record: Record {
                recording: self.record,
                form: Form::Binary,
                sizes: Sizes(self.bytes.clone()),
                offset: 0,
                host: Host::System,
            },
            rounds: self.runs_each,
            per_line: mix.per_line,
            stride: mix.stride,
            evictions: mix.evictions,
            prefetches: mix.prefetches,
            offset: mix.offset,
            fault: self.fault,
        }
    }

    fn threads(&self) -> u32 {
        self.threads.unwrap_or_else(|| (processors() as u32).clamp(2, 8))
    }

    /// The models, stronger ones first, each once.
    fn models(&self, isa: Isa) -> Vec<Model> {
        if !self.model.is_empty() {
            return self.model.clone();
        }
        let mut models = vec![Model::SC, Model::TSO];
        let own = Model::of_isa(isa);
        if !models.contains(&own) {
            models.push(own);
        }
        models
    }

    /// Why the threads of the programs show little or nothing of the memory model, if that is so.
    pub(super) fn shows_little(&self) -> Option<String> {
        let (threads, processors) = (self.threads() as usize, processors());
        if threads == 1 {
            return Some(
                "--threads 1: a thread alone sees its own operations in program order on any machine, so the runs show nothing of its memory \
                 model; choose 2 or more"
                    .to_owned(),
            );
        }
        (self.runner.is_none() && threads > processors).then(|| {
            format!(
                "{threads} threads on {processors} processors: threads that share one do not run at the same time, so reorderings \
                 are seen rarely or never; choose --threads {}",
                processors.max(2)
            )
        })
    }

    /// The command without the options that bound a series or say where results go.
    fn command(&self, isa: Isa) -> String {
        let mix = &self.mix;
        let mut words = vec![format!("rubric run --isa {}", isa.name())];
        let mut add = |name: &str, value: String, usual: &str| {
            if value != usual {
                words.push(format!("--{name} {}", quoted(&value)));
            }
        };
        let list = |values: &[u8]| values.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
        add("threads", self.threads().to_string(), "");
        add("operations", self.operations.to_string(), "50");
        add("locations", self.locations.to_string(), "8");
        add("bytes", list(&self.bytes), "8");
        add("record", self.record.name().to_owned(), "values");
        add("reads", mix.reads.to_string(), "50");
        add("rmws", mix.rmws.to_string(), "5");
        add("fences", mix.fences.to_string(), "2");
        add("skew", mix.skew.to_string(), "0");
        add("think", mix.think.to_string(), "0");
        let given = [
            ("linked", mix.linked.map(u64::from)),
            ("dependencies", mix.dependencies.map(u64::from)),
            ("annotations", mix.annotations.map(u64::from)),
            ("weak-fences", mix.weak_fences.map(u64::from)),
            ("per-line", mix.per_line.map(u64::from)),
            ("stride", mix.stride),
            ("evictions", mix.evictions.map(u64::from)),
            ("prefetches", mix.prefetches.map(u64::from)),
            ("offset", mix.offset.map(u64::from)),
        ];
        for (name, value) in given {
            add(name, value.map_or(String::new(), |value| value.to_string()), "");
        }
        add("fault", self.fault.map_or("", Fault::name).to_owned(), "");
        let models: Vec<&str> = self.model.iter().map(|model| model.name()).collect();
        add("model", models.join(","), "");
        add("cc", self.cc.clone().unwrap_or_default(), "");
        add("runner", self.runner.clone().unwrap_or_default(), "");
        words.join(" ")
    }
}

/// The number of processors that this program may use.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The usual emulator of an instruction set.
fn emulator(isa: Isa) -> &'static str {
    match isa {
        Isa::X86 => "qemu-x86_64",
        Isa::Riscv => "qemu-riscv64",
        Isa::Arm => "qemu-aarch64",
    }
}
