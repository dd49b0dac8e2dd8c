//! `rubric campaign`: mutants run with random programs, and what catches them.
//!
//! - [`args`]: what the user asks for; [`settings`]: what of it a campaign that goes on must not change;
//! - [`subjects`]: the protocols and the mutants that were chosen;
//! - [`log`]: runs as they end; [`rounds`]: which run comes when; [`trial`]: one run, to its row;
//! - [`sieve`]: the mutants that cannot differ from their protocol;
//! - [`coverage`]: which transitions the protocols as they are took.

mod args;
mod coverage;
mod log;
mod rounds;
mod settings;
mod sieve;
mod subjects;
mod trial;

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use report::tables::{CampaignRun, Generator, write_coverage, write_equivalents, write_runs};

use crate::error::Error;
use crate::progress;
use crate::report::{Campaign, Progress, SHOWN, print};
use crate::simulate::parse;
use crate::simulate::protocols::Opened;
use crate::status::Status;
pub use args::Args;
use args::Guided;
use log::{Entry, Log};
use rounds::{Rounds, Stream};
use settings::Settings;
use subjects::Subject;
use trial::Trial;

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    args.check()?;
    let start = Instant::now();
    let opened = parse::protocols(&args.protocols)
        .into_iter()
        .map(|name| Opened::new(name, None));
    let opened = opened.collect::<Result<Vec<Opened>, Error>>()?;
    let subjects = subjects::choose(args, &opened)?;
    Settings::new(args, &opened, &subjects).settle(&args.output)?;
    let (log, known) = Log::open(&args.output)?;
    let traces = args.output.join("traces");
    clear(&args.output);
    let bar = progress::bar(0, "runs", args.quiet);
    let mut rounds = Rounds {
        opened: &opened,
        subjects: &subjects,
        log: &log,
        known: &known,
        alarms: HashSet::new(),
        bar: &bar,
        seed: args.seed,
        stop: args.stop(),
        deadline: args.budget.map(|budget| Instant::now() + budget),
        trial: Trial {
            opened: &opened,
            options: args.for_checking(),
            traces: args.keep_traces.then_some(&*traces),
        },
    };
    let mut originals = streams(args, &subjects, &|_, subject| subject.mutant.is_none());
    rounds.run(&mut originals, args.runs)?;
    rounds.alarms = rounds::alarms(&originals);
    let has_same_seeds = args.guided.is_none();
    let equivalents = sieve::sieve(&opened, &subjects, &originals, has_same_seeds)?;
    let is_tried =
        |at: usize, subject: &Subject| subject.mutant.is_some() && equivalents[at].is_none();
    let mut mutants = streams(args, &subjects, &is_tried);
    rounds.run(&mut mutants, args.runs)?;
    bar.finish_and_clear();
    let streams = || originals.iter().chain(&mutants);
    let campaign = Campaign {
        runs: rows(streams()),
        equivalents: equivalents.into_iter().flatten().collect(),
        is_running: false,
    };
    write(&args.output, &campaign)?;
    let coverage = coverage::coverage(&opened, &subjects, &originals)?;
    write_coverage(&args.output.join(COVERAGE), &coverage)?;
    let is_whole = |stream: &Stream| stream.over || stream.entries.len() as u32 >= args.runs;
    let progress = Progress {
        seconds: start.elapsed().as_secs_f64(),
        is_whole: streams().all(is_whole),
    };
    print(
        &campaign,
        &args.output,
        Some(progress),
        SHOWN,
        args.format,
        out,
    )?;
    Ok(campaign.status())
}

/// The generators that were asked for.
fn generators(args: &Args) -> &'static [Generator] {
    match args.guided {
        None => &[Generator::Blind],
        Some(Guided::Only) => &[Generator::Guided],
        Some(Guided::Compare) => &[Generator::Blind, Generator::Guided],
    }
}

/// The streams of some subjects. The protocols as they are run with programs that are only random.
fn streams(
    args: &Args,
    subjects: &[Subject],
    is_tried: &dyn Fn(usize, &Subject) -> bool,
) -> Vec<Stream> {
    let mut streams = Vec::new();
    for (at, subject) in subjects
        .iter()
        .enumerate()
        .filter(|(at, one)| is_tried(*at, one))
    {
        let generators = match subject.mutant {
            None => &[Generator::Blind],
            Some(_) => generators(args),
        };
        // Guided runs have seeds of their own, so that nothing depends on these.
        let repeat = match subject.mutant.is_none() && args.guided.is_some() {
            true => 1,
            false => args.repeat,
        };
        for repetition in 0..repeat {
            for client in args.clients() {
                let stream = |generator: &Generator| {
                    Stream::new(at, client, *generator, repetition, args.seed)
                };
                streams.extend(generators.iter().map(stream));
            }
        }
    }
    streams
}

/// Removes what a kill has left half written. Nobody else writes here.
fn clear(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            clear(&path);
        } else if report::files::is_unfinished(&path) {
            // If it stays, it does no harm.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The rows of the table: by subject, as it was asked for.
fn rows<'a>(streams: impl Iterator<Item = &'a Stream>) -> Vec<CampaignRun> {
    let entries = streams.flat_map(|stream| &stream.entries);
    entries.map(|Entry { row, .. }| row.clone()).collect()
}

/// Writes the tables.
fn write(folder: &Path, campaign: &Campaign) -> Result<(), Error> {
    write_runs(&folder.join(RUNS), &campaign.runs)?;
    write_equivalents(&folder.join(EQUIVALENTS), &campaign.equivalents)?;
    Ok(())
}

/// The table of runs, in the folder of a campaign.
pub const RUNS: &str = "runs.parquet";
/// The table of equivalent mutants.
pub const EQUIVALENTS: &str = "equivalents.parquet";
/// The table of transitions that the protocols as they are took.
const COVERAGE: &str = "coverage.parquet";

/// The rows of the runs that a campaign's log has, if there is one.
pub fn logged(folder: &Path) -> Result<Option<Vec<CampaignRun>>, Error> {
    let Some(entries) = Log::read(folder)? else {
        return Ok(None);
    };
    let mut runs: Vec<CampaignRun> = entries.into_values().map(|entry| entry.row).collect();
    runs.sort_by(|a, b| key(a).cmp(&key(b)));
    Ok(Some(runs))
}

fn key(run: &CampaignRun) -> (&str, Option<&str>, &str, Generator, u32, u32) {
    let mutant = run.mutant.as_deref();
    (
        &run.protocol,
        mutant,
        &run.client,
        run.generator,
        run.repetition,
        run.number,
    )
}
