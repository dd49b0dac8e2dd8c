//! `rubric test`: tests a protocol, and reports what is wrong with it. [`lab::testing`] does the work.

pub(crate) mod page;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use lab::protocols::Repairs;
use lab::testing::{BUDGET, Extent, Options, Part, Tested, json as documents, test, text};
use report::explain::words::explanation;
use simulate::program::Extras;
use slicc::setting::Setting;

use crate::error::{Error, tell};
use crate::files;
use crate::interrupt;
use crate::jobs::JobsArgs;
use crate::json;
use crate::limits::parse_size;
use crate::options::Format;
use crate::progress::Bars;
use crate::simulate::extras::{ExtrasArgs, FunctionalArgs};
use crate::simulate::parse::{self, Clients};
use crate::status::Status;

/// Test a coherence protocol: run random programs on all kinds of cores, explore small systems, and sum up what is wrong
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric test path/to/My_protocol.slicc
  rubric test path/to/gem5/src/mem/ruby/protocol/MESI_Two_Level.slicc -o mesi.html
  rubric test MI_example --runs 5
  rubric test path/to/My_protocol.slicc --budget 10m --client in-order,early --format json
  rubric test path/to/gem5/src/mem/ruby/protocol/MESI_Two_Level.slicc --repair all

Each seed draws a program, caches and latencies (a recipe, as `rubric campaign` draws them), which runs on one
kind of core, all kinds in turn; what the cores observed is checked under the model that they guarantee, with
certificates. After the first programs, those that took rare transitions are varied.
Unless --dma, --flush, --atomics, --dvm or --partial is given, programs differ in what else they ask for: some for nothing, others
for up to 2 DMA devices, flushes or TLB invalidations before 10 % of the operations, atomics in place of 50 % of the
read-modify-writes, if the protocol handles that, and 20 % of the accesses to parts of words; policies of CHI's controllers are
drawn as well. --dma 0 leaves all of it out. What is given and not handled is refused.
Beside that, systems of two or three threads and one or two locations are explored completely, as far as time
allows, with the DMA devices, flushes and atomics that are given, or else one system with a device and one with flushes; and random walks
go through larger ones, as in `rubric cover`, of the protocol with all repairs. The last line says how many transitions no program took.

Findings that have the same cause, as far as can be told, are reported once, the worst first: SWMR
violation, stale value, violation of a memory model (the weakest is named), deadlock, livelock, undefined
transition, failed assertion, misuse of Ruby's library, and errors that gem5 accepts. Each comes with the
command that reproduces it and with the smallest evidence: the operations of the violation that are
left when all others are removed, a shortest run, or the last transitions.

A finding is known if it is one of the faults of gem5's released protocols that rubric has a repair for: the
same program runs clean on the repaired protocol, and variations of it do not show the finding there.
`rubric mutants list --repairs` lists the repairs. With --repair the protocol is tested with some of them, or with
all: what is left is not covered up by faults that are known, and the commands that reproduce it repeat the option.
A repair that would overwrite a change of your own is refused.

A program that still runs near the end of the time is given up. It counts as not finished, and shows nothing.

JSON is one object; docs/formats.md has its keys.

Exit status: 0 without new findings, 1 with some (with --strict also for known ones), 2 bad usage or protocol
files.")]
pub(crate) struct Args {
    /// A built-in name or the path of a `.slicc` file
    #[arg(value_name = "PROTOCOL")]
    protocol: String,

    #[command(flatten)]
    extent: ExtentArgs,

    #[command(flatten)]
    report: ReportArgs,

    /// Repair known faults of gem5's released protocol first: `all` that fit, or names from `rubric
    /// mutants list --repairs`. What is found is found with these repairs
    #[arg(long, value_name = "REPAIRS", default_value = "none", hide_default_value = true)]
    repair: Repairs,

    /// Count known findings as findings in the exit status
    #[arg(long)]
    strict: bool,
}

/// The options that say how much is tested.
#[derive(clap::Args)]
pub(crate) struct ExtentArgs {
    /// Run N programs on each kind of core, and explore at most 50000 states of each small system: the same
    /// result every time
    #[arg(long, value_name = "N", value_parser = parse::positive, conflicts_with = "budget")]
    pub runs: Option<u32>,

    /// Test for this time, such as 30 (seconds), 10m or 2h [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = crate::time::parse)]
    pub budget: Option<Duration>,

    /// Seed of the first program; others that are drawn anew have the next numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    #[command(flatten)]
    pub extras: ExtrasArgs,

    #[command(flatten)]
    pub functional: FunctionalArgs,

    /// What runs the programs, as in `rubric simulate`
    #[arg(long, value_name = "CLIENTS", default_value = "all", value_delimiter = ',',
          value_parser = parse::client)]
    pub client: Vec<Clients>,

    /// Set a parameter of the protocol or the order of a buffer, as in `rubric simulate`
    #[arg(long, value_name = "[MACHINE.]NAME=VALUE")]
    pub set: Vec<Setting>,

    /// Run programs only, and explore nothing
    #[arg(long)]
    pub no_explore: bool,

    #[command(flatten)]
    pub jobs: JobsArgs,

    /// Memory that the program may occupy before it gives up a verdict or an exploration, in bytes or such as
    /// 500MiB, 4GB
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = parse_size)]
    pub max_memory: u64,
}

impl ExtentArgs {
    /// What programs are asked for beside the accesses of their cores; `None` if no option says so.
    fn extras(&self) -> Option<Extras> {
        match self.functional.functional {
            None => self.extras.given(),
            Some(_) => Some(self.functional.with(self.extras.extras())),
        }
    }

    /// The options as the library takes them.
    ///
    /// # Errors
    /// Returns an error if there are no as many threads as are asked for.
    pub(crate) fn options(&self, repairs: &Repairs) -> Result<Options, Error> {
        self.jobs.apply()?;
        Ok(Options {
            extent: match self.runs {
                Some(runs) => Extent::Runs(runs),
                None => Extent::Time(self.budget.unwrap_or(BUDGET)),
            },
            seed: self.seed,
            extras: self.extras(),
            clients: parse::clients(&self.client),
            repairs: repairs.clone(),
            settings: self.set.clone(),
            explores: !self.no_explore,
            max_memory: self.max_memory,
            interrupted: Some(interrupt::gracefully()),
        })
    }
}

/// The options that say where the report of a test or a comparison goes, and in which form.
#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    /// Write the report, with pictures, to this file: a name ending in .html
    #[arg(long, short, value_name = "FILE.html")]
    output: Option<PathBuf>,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Print only errors on standard error
    #[arg(long, short)]
    quiet: bool,
}

impl ReportArgs {
    /// Checks the name of the page before any work is done.
    ///
    /// # Errors
    /// Returns an error if the name does not have the extension of a page, or if the page is one of the protocols.
    pub(crate) fn check(&self, protocols: &[&str]) -> Result<(), Error> {
        self.output.as_ref().map_or(Ok(()), |path| {
            files::check_ending("-o", path, &["html", "htm"], ".html was expected")
        })?;
        let protocols = protocols.iter().map(PathBuf::from).collect::<Vec<_>>();
        files::spare(&protocols, &self.output)
    }

    /// The progress bars of the work.
    pub(crate) fn bars(&self) -> Bars {
        Bars::new(self.quiet)
    }

    /// Writes the page, if one was asked for, and prints the report.
    ///
    /// # Errors
    /// Returns an error if the page or `out` cannot be written.
    pub(crate) fn write(
        &self,
        page: impl FnOnce() -> String,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
        json: impl FnOnce(&mut dyn Write) -> io::Result<()>,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        if let Some(path) = &self.output {
            let page = page();
            files::create(path, |file| file.write_all(page.as_bytes()).map_err(Error::Output))?;
        }
        match self.format {
            Format::Text => text(out),
            Format::Json => json(out),
        }
        .map_err(Error::Output)?;
        match (&self.output, self.format) {
            (Some(path), Format::Text) => {
                writeln!(out, "\nwritten: {}", path.display()).map_err(Error::Output)
            }
            _ => Ok(()),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    args.report.check(&[&args.protocol])?;
    let options = args.extent.options(&args.repair)?;
    let tested = test(&args.protocol, &options, &args.report.bars())?;
    args.report.write(
        || page::page(&tested, &options),
        |out| text::write(&tested, &options, &explained, out),
        |out| json::sorted_line(&documents::document(&tested, &options, &explained), out),
        out,
    )?;
    tell_if_interrupted(tested.elapsed);
    Ok(interrupt::status(status(&tested, args.strict)))
}

/// Says that a test was shorter than asked for.
pub(crate) fn tell_if_interrupted(after: Duration) {
    if interrupt::asked() {
        tell(format_args!(
            "interrupted after {:.1} s: this is what was found until then",
            after.as_secs_f64()
        ));
    }
}

/// The violation of a part of a run, in lines.
pub(crate) fn explained(part: &Part) -> String {
    explanation(&part.whole, &part.violation())
}

/// A test fails if it has new findings; a strict one also if it has known ones.
fn status(tested: &Tested, is_strict: bool) -> Status {
    let fails = tested.new_findings().next().is_some() || is_strict && !tested.findings.is_empty();
    if fails { Status::Violation } else { Status::Done }
}
