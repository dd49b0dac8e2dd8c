//! `rubric experiment`: the experiments of the papers, on simulated or recorded histories.
//!
//! - [`catalog`]: the experiments; [`point`]: what they consist of;
//! - [`source`]: how histories are made; [`recorded`]: those that somebody recorded;
//! - [`explored`]: programs, of which all runs are explored;
//! - [`trial`]: what an algorithm says of one; [`program`]: what somebody else's program says;
//! - [`complete`]: whether all that was planned is there;
//! - [`work`]: which of all that is to be done, and doing it; [`summary`]: what is printed.

mod args;
mod catalog;
mod complete;
mod explored;
pub mod machine;
mod mutants;
mod point;
mod program;
mod recorded;
mod settings;
mod source;
mod summary;
mod trial;
mod work;

use std::io::Write;
use std::path::{Path, PathBuf};

use tables::{Trial, write_trials};

use crate::error::Error;
use crate::files;
use crate::journal::{Journal, Lines, failed};
use crate::shard::Shard;
use crate::status::Status;
pub use args::Args;
use catalog::{EXPERIMENTS, Experiment, MUTANTS};
pub use complete::unfinished;
use settings::Settings;
use work::Work;

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    if args.list {
        return list(out).map_err(Error::Output);
    }
    args.check()?;
    let recordings = match &args.traces {
        Some(folder) => Some(recorded::read(folder)?),
        None => None,
    };
    let (experiments, with_mutants) = args.experiments();
    for experiment in &experiments {
        let points = match &recordings {
            Some(recordings) => {
                let points = recorded::points(experiment, args.size, recordings, &args.limits());
                recorded::tell(experiment, &points, recordings);
                points
            }
            None => (experiment.points)(args.size),
        };
        let work = Work::new(args, experiment, points)?;
        let trials = match &args.only {
            Some(only) => work.only(only, args.save.as_deref())?,
            None => recorded_in(args, experiment, &work)?,
        };
        summary::print(experiment, args, &trials, out).map_err(Error::Output)?;
    }
    match with_mutants {
        true => mutants::run(args, out),
        false => Ok(Status::Done),
    }
}

/// Does the work of an experiment, with what an earlier run has left.
fn recorded_in(args: &Args, experiment: &Experiment, work: &Work<'_>) -> Result<Vec<Trial>, Error> {
    std::fs::create_dir_all(&args.output).map_err(failed(&args.output))?;
    let path = |extension: &str| {
        let name = Shard::file(args.shard, experiment.name, extension);
        args.output.join(name)
    };
    let (journal, lines) = Journal::open(&path("jsonl"))?;
    Settings::new(args, experiment).settle(&journal, &lines)?;
    let known = lines.parse(1, ADVICE);
    let known = known.collect::<Result<Vec<Trial>, Error>>()?;
    let trials = work.run(&journal, known)?;
    journal.sync()?;
    write_trials(&path("parquet"), &trials)?;
    Ok(trials)
}

/// The trials that the journals in a folder and in folders in it have: those of experiments that are under way or were
/// killed, too.
pub fn logged(folder: &Path) -> Result<Vec<Trial>, Error> {
    let is_journal = |path: &PathBuf| {
        let mut names = EXPERIMENTS.iter().map(|one| one.name);
        names.any(|name| Shard::of_file(path, name, "jsonl").is_some())
    };
    let mut trials = Vec::new();
    for path in files::below(folder)?.iter().filter(|path| is_journal(path)) {
        for trial in Lines::read(path)?.parse(1, ADVICE) {
            trials.push(trial?);
        }
    }
    Ok(trials)
}

/// What to do about a damaged line.
const ADVICE: &str = "remove the line, and what it says is done again";

/// The experiments, a line each.
fn list(out: &mut dyn Write) -> std::io::Result<Status> {
    for Experiment {
        name, paper, about, ..
    } in &EXPERIMENTS
    {
        writeln!(out, "{name:15} {about} ({paper})")?;
    }
    writeln!(
        out,
        "{MUTANTS:15} a campaign: which algorithms catch which mutants of the built-in protocols"
    )?;
    Ok(Status::Done)
}
