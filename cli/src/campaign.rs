//! `rubric campaign`: mutants run with random programs, and what catches them.
//!
//! - [`args`]: what the user asks for; [`settings`]: what of it a campaign that goes on must not change;
//! - [`subjects`]: the protocols and the mutants that were chosen;
//! - [`files`]: what they are called, of the whole or of a shard;
//! - [`log`]: runs as they end; [`rounds`]: which run comes when; [`trial`]: one run, to its row;
//! - [`sieve`]: the mutants that cannot differ from their protocol;
//! - [`coverage`]: which transitions the protocols as they are took.

mod args;
mod coverage;
mod files;
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

use tables::results::Results;
use tables::{CampaignRun, Generator, write_coverage, write_equivalents, write_runs};

use crate::error::Error;
use crate::progress;
use crate::report::{Campaign, Progress, print};
use crate::simulate::parse;
use crate::simulate::protocols::Opened;
use crate::status::Status;
pub use args::Args;
use args::Guided;
use files::Files;
pub use files::{lacks_shards, tables};
use log::{Entry, Log};
use rounds::{Rounds, Stream};
use settings::Settings;
pub use settings::told;
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
    if !args.quiet {
        opened.iter().for_each(|opened| opened.tell_order(&[]));
    }
    let mut subjects = subjects::choose(args, &opened)?;
    let files = Files {
        folder: &args.output,
        shard: args.shard,
    };
    Settings::new(args, &opened, &subjects).settle(&files)?;
    if let Some(shard) = args.shard {
        subjects::keep(&mut subjects, shard);
    }
    let (log, known) = Log::open(&files.log())?;
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
            strict: args.strict,
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
    log.sync()?;
    let streams = || originals.iter().chain(&mutants);
    let mut results = Results {
        runs: rows(streams()),
        equivalents: equivalents.into_iter().flatten().collect(),
        coverage: coverage::coverage(&opened, &subjects, &originals)?,
        ..Results::default()
    };
    write_runs(&files.runs(), &results.runs)?;
    write_equivalents(&files.equivalents(), &results.equivalents)?;
    write_coverage(&files.coverage(), &results.coverage)?;
    // Answers that name the first of several runs name the one that `rubric report` will.
    results.tidy();
    let is_whole = |stream: &Stream| stream.over || stream.entries.len() as u32 >= args.runs;
    let progress = Progress {
        seconds: start.elapsed().as_secs_f64(),
        is_whole: streams().all(is_whole),
    };
    let campaign = Campaign {
        runs: &results.runs,
        equivalents: &results.equivalents,
        is_running: false,
    };
    let tables = [files.runs(), files.equivalents(), files.coverage()];
    print(&campaign, &tables, &progress, args.format, out)
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

/// Removes what a kill has left half written.
fn clear(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            clear(&path);
        } else {
            tables::files::remove_unfinished(&path);
        }
    }
}

/// The rows of the table: by subject, as it was asked for.
fn rows<'a>(streams: impl Iterator<Item = &'a Stream>) -> Vec<CampaignRun> {
    let entries = streams.flat_map(|stream| &stream.entries);
    entries.map(|Entry { row, .. }| row.clone()).collect()
}

/// The rows of the runs that the logs of a campaign and its shards have, if there is a log.
pub fn logged(folder: &Path) -> Result<Option<Vec<CampaignRun>>, Error> {
    let logs = files::logs(folder)?;
    let mut runs = Vec::new();
    for log in &logs {
        runs.extend(Log::read(log)?.into_values().map(|entry| entry.row));
    }
    Ok((!logs.is_empty()).then_some(runs))
}
