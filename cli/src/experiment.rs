//! `rubric experiment`: the experiments of the papers, on simulated or recorded histories. [`lab::experiment`] does the work;
//! [`summary`] prints the results.

mod busy;
mod fidelity;
mod summary;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use bytesize::ByteSize;
use check::Algorithm;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use history::History;
use lab::experiment::catalog::{EXPERIMENTS, Experiment, ExperimentWork};
use lab::experiment::point::Recording;
use lab::experiment::program::Program;
use lab::experiment::recorded::{self, Recordings};
use lab::experiment::{Limits, Only, Options, Size, Work};
use lab::load::Input;
use lab::shard::Shard;

use crate::campaign;
use crate::convert;
use crate::error::{self, Error};
use crate::options::Format;
use crate::progress::Bars;
use crate::simulate::parse;
use crate::status::Status;
use crate::words;
use fidelity::FidelityArgs;

/// Run the experiments of the papers: a table of the verdict and time of each algorithm on each history
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric experiment --list
  rubric experiment gcc-fig4
  rubric experiment all --size paper -o results
  rubric experiment wsc-fig7 --algorithm complete,sat --timeout 10
  rubric experiment wsc-fig7 --program mine='./checker --axe {}'
  rubric experiment wsc-fig7 --traces path/to/traces
  rubric experiment gcc-unordered --protocol path/to/My_protocol.slicc -o mine
  rubric experiment wsc-fig7 --size paper --shard 3/8 -o results
  rubric experiment gcc-fig4 --only operations=300/7 --save h.axe
  rubric experiment fidelity --runs 20 --gem5 path/to/gem5.opt mi-l1-nack-before-forward=path/to/mutant/gem5.opt
  rubric report results -o report.html

Histories are made by the built-in protocols, their mutants, or a model's operational machine; the seed
of each is in its row. One history runs on each core at a time. DIR holds NAME.jsonl, with a
line for each row as soon as it is known, and at the end NAME.parquet. The same command again
resumes the run, also after `kill -9`, and may add algorithms. A run that needs more time or memory than
allowed is in the table as `timeout` or `memory`. Times and limits are of the processor, with the elapsed time and the
machine's load beside them. To reproduce a row, run its column `command`.

`fidelity` runs the same programs with the same mutants on rubric's simulator and in binaries of gem5 that you
have built (docs/gem5.md), and compares what finds each mutant and which transitions are taken how often. DIR
holds fidelity.jsonl, and at the end fidelity.parquet and fidelity-transitions.parquet.

Exit status: 0 done, 2 bad usage, a file that cannot be written, or a defect that was found.")]
pub(crate) struct Args {
    /// Experiments: names that --list has, or `all`
    #[arg(value_name = "NAME", required_unless_present = "list", value_parser = name_parser())]
    pub names: Vec<String>,

    /// List the experiments
    #[arg(long, exclusive = true)]
    pub list: bool,

    /// Number and size of the histories: quick (at least 10 a point, some minutes in all), paper (as published), or large
    #[arg(long, value_name = "SIZE", default_value = "quick", value_parser = words::one_of(&Size::ALL, Size::name))]
    pub size: Size,

    /// Folder for the tables; an interrupted run of the same experiments that it holds is resumed
    #[arg(long, short, value_name = "DIR", default_value = "results")]
    pub output: PathBuf,

    /// Use the recorded histories in this folder instead of simulated ones
    #[arg(long, value_name = "DIR", conflicts_with = "shard")]
    pub traces: Option<PathBuf>,

    /// Make histories with these protocols, in turn: `.slicc` files, such as gem5's as released, or built-in names, or `all` for every
    /// built-in one [default: all]. Experiments on mutants have their own; for fidelity these are what the binaries are built with
    #[arg(long, value_name = "PROTOCOLS", value_delimiter = ',', conflicts_with = "traces")]
    pub protocol: Vec<String>,

    /// Run these algorithms too
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = algorithm_parser())]
    pub algorithm: Vec<Algorithm>,

    /// Run an external checker too: NAME=COMMAND, with {} for the history's file (axe text) and {model}
    /// for the model. Its exit status is 0 for consistent, 1 for a violation, else undecided
    #[arg(long, value_name = "NAME=COMMAND", value_parser = Program::from_str)]
    pub program: Vec<Program>,

    /// Seed of the pseudo-random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Run only part I of N, and write NAME.I-of-N.parquet
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,

    /// Run and print only this point, or one of its histories, such as operations=300/7
    #[arg(long, value_name = "POINT[/NUMBER]", conflicts_with = "shard")]
    pub only: Option<Only>,

    /// With --only and a number: write the history to this file (.axe, .json, .jsonl or .parquet)
    #[arg(long, value_name = "FILE", requires = "only")]
    pub save: Option<PathBuf>,

    /// Number of histories to check at a time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = parse::positive)]
    pub jobs: Option<u32>,

    /// Limit of processor time for each algorithm and history, such as 10 (seconds), 90s or 2m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = crate::time::parse)]
    pub timeout: Duration,

    /// Memory limit of the process; an algorithm stops when it is reached
    #[arg(long, value_name = "SIZE", default_value = "16GiB")]
    pub max_memory: ByteSize,

    #[command(flatten)]
    pub fidelity: FidelityArgs,

    /// Print only errors on standard error
    #[arg(long, short)]
    pub quiet: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    if args.list {
        return list(out).map_err(Error::Output);
    }
    args.check()?;
    let options = args.options();
    let recordings = match &options.traces {
        Some(folder) => Some(recorded_in(folder)?),
        None => None,
    };
    let mut status = Status::Done;
    // As progress is shown on a terminal only: scripts find the load in the table.
    let warns = !args.quiet && io::stderr().is_terminal();
    for experiment in &args.experiments() {
        if let ExperimentWork::Campaign(campaign) = experiment.work {
            let campaign = campaign(&options, experiment.name);
            status = status.and(campaign::run_with(campaign, args.quiet, Format::Text, out)?);
            continue;
        }
        if let ExperimentWork::Fidelity = experiment.work {
            status = status.and(fidelity::run(args, out)?);
            continue;
        }
        let points = match &recordings {
            Some(recordings) => {
                let points =
                    recorded::points(experiment, options.size, recordings, &options.limits);
                tell_left_out(experiment, points.len(), recordings.len());
                points
            }
            None => experiment.points(options.size),
        };
        let work = Work::new(&options, experiment, points)?;
        let trials = match &args.only {
            Some(only) => {
                if let Some(path) = &args.save {
                    save_as(path, work.history_of(only)?)?;
                }
                work.only(only)?
            }
            None => {
                if warns {
                    busy::warn_before(args.jobs);
                }
                work.run(&Bars::new(args.quiet))?
            }
        };
        if warns {
            busy::warn_after(experiment.name, &trials);
        }
        summary::print(experiment, args, &trials, out).map_err(Error::Output)?;
    }
    Ok(status)
}

/// Reads the histories in a folder, and names files that hold none on standard error.
fn recorded_in(folder: &Path) -> Result<Vec<Arc<Recording>>, Error> {
    let Recordings { histories, mut skipped } = recorded::read(folder)?;
    if histories.is_empty()
        && skipped.len() == 1
        && let Some(only) = skipped.pop()
    {
        return Err(only.into());
    }
    for error in skipped {
        error::print(&Error::from(error));
    }
    if histories.is_empty() {
        Err(lab::Error::NoHistories(folder.to_owned()).into())
    } else {
        Ok(histories)
    }
}

/// Says on standard error how many of the recorded histories an experiment uses, unless it uses all of them.
fn tell_left_out(experiment: &Experiment, used: usize, all: usize) {
    if used == all {
        return;
    }
    // If standard error is closed, the table still shows which histories were used.
    let _ = writeln!(
        io::stderr(),
        "rubric: {}: {used} of {all} histories; the others are not of the kind that it is about ({})",
        experiment.name,
        experiment.about
    );
}

/// Writes a history to a file, in the format of its extension.
fn save_as(path: &Path, history: History) -> Result<(), Error> {
    let format = convert::format(path, None)?;
    let input = Input::of(path.display().to_string(), "experiment", vec![history]);
    // The format comes from the name of a file, so nothing goes to standard output.
    convert::write_to(&input, path, format, &mut io::sink())
}

/// Prints a line about each experiment.
fn list(out: &mut dyn Write) -> io::Result<Status> {
    for Experiment { name, paper, about, .. } in &EXPERIMENTS {
        writeln!(out, "{name:15} {about} ({paper})")?;
    }
    Ok(Status::Done)
}

impl Args {
    /// The experiments, each once, in the order of the list.
    fn experiments(&self) -> Vec<Experiment> {
        let is_named = |name: &str| self.names.iter().any(|one| one == name);
        // Without a binary of gem5, fidelity cannot be measured.
        let is_possible = |one: &Experiment| {
            !matches!(one.work, ExperimentWork::Fidelity) || !self.fidelity.gem5.is_empty()
        };
        let is_meant = |one: &Experiment| is_named(one.name) || is_named("all") && is_possible(one);
        EXPERIMENTS.into_iter().filter(is_meant).collect()
    }

    /// The options of running experiments.
    fn options(&self) -> Options {
        Options {
            size: self.size,
            output: self.output.clone(),
            traces: self.traces.clone(),
            protocols: parse::protocols(&self.protocol).into_iter().map(str::to_owned).collect(),
            algorithms: self.algorithm.clone(),
            programs: self.program.clone(),
            seed: self.seed,
            shard: self.shard,
            jobs: self.jobs,
            limits: Limits::new(self.timeout, self.max_memory.as_u64()),
        }
    }

    /// Refuses options that do not fit each other.
    fn check(&self) -> Result<(), Error> {
        let experiments = self.experiments();
        let is_campaign = |one: &Experiment| !matches!(one.work, ExperimentWork::Histories(_));
        let has_campaign = experiments.iter().any(is_campaign);
        if self.only.is_some() && (experiments.len() != 1 || has_campaign) {
            return Err(Error::Usage(
                "--only: name one experiment that it is a point of".to_owned(),
            ));
        }
        if self.save.is_some() && self.only.as_ref().is_some_and(|only| only.number.is_none()) {
            return Err(Error::Usage(
                "--save writes one history: add its number to --only, as in operations=300/7"
                    .to_owned(),
            ));
        }
        if self.traces.is_some() && experiments.iter().all(is_campaign) {
            return Err(Error::Usage(
                "--traces: `mutants` and `fidelity` run protocols, and cannot use recorded traces"
                    .to_owned(),
            ));
        }
        Ok(())
    }
}

fn name_parser() -> PossibleValuesParser {
    let names = EXPERIMENTS.map(|one| one.name);
    PossibleValuesParser::new(names.into_iter().chain(["all"]))
}

fn algorithm_parser() -> impl TypedValueParser<Value = Algorithm> {
    PossibleValuesParser::new(papers::ALL.map(words::algorithm))
        .try_map(|name| papers::from_name(&name).ok_or("the name of an algorithm was expected"))
}
