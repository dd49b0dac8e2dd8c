//! `rubric explore sizes`: which protocols are decided at which sizes. [`lab::decided`] explores them.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use explore::protocol::Disk;
use explore::protocol::SearchOptions;
use explore::search::Progress;
use lab::decided::{Decided, SIZES, Size, decide, is_built_in, is_needed, key};
use lab::journal::{Journal, Row};
use lab::protocols::{Opened, Repairs};
use lab::text::tame;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use super::limits::Limits;
use super::search_options::SearchArgs;
use crate::error::{Error, tell};
use crate::progress;
use crate::simulate::parse;
use crate::status::Status;

/// Explore protocols at several sizes: a table of what is decided
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric explore sizes MI_example --sizes 2x1,3x1 -o sizes.jsonl
  rubric explore sizes all --max-states 2M -o sizes.jsonl
  rubric explore sizes all path/to/gem5/src/mem/ruby/protocol --max-states 2M -o sizes.jsonl
  rubric explore sizes MESI_Two_Level --sizes 2x2-tiny -o sizes.jsonl
  rubric explore sizes MESI_Two_Level --sizes 2x2-tiny --disk states --timeout 3600 -o sizes.jsonl

A size is a number of threads and of locations, with -tiny for caches that have room for one line. Each protocol is explored as
`explore protocol` does. If something is found in gem5's released files, they are explored again with their known faults repaired, so that
what they hide shows.

FILE has a line of JSON for each row as soon as it is known: `protocol`, `is_built_in`, `repairs`, `size`, `outcome` (`clean`,
`found`, `stopped`, with --store compact `unproved`, or `refused`), `states`, `open`, `moves`, `depth`, `seconds` (of the processor),
`bytes` (of memory), `disk` (bytes in files), `symmetries`, `stopped` (by which limit), `kind` and `what` (of what was found, or why it was refused), `steps`, `known` (the
repairs that explain it), `warnings` and `command`. The same command again resumes the table; rows that a lower limit stopped are made again. Of
several lines for one row the last one counts.

Exit status: 0 done, 2 bad usage, protocol files with errors, or a file that cannot be written.")]
pub(super) struct Args {
    /// Protocols: built-in names, paths of `.slicc` files or folders of them, or `all` for every built-in one
    #[arg(required = true, value_name = "PROTOCOL")]
    protocols: Vec<String>,

    /// The sizes, such as 2x1 or 2x2-tiny [default: 2x1,3x1,2x2-tiny,2x2,3x2-tiny]
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    sizes: Vec<Size>,

    /// File for the rows; those that it has are not made again
    #[arg(long, short, value_name = "FILE", default_value = "sizes.jsonl")]
    output: PathBuf,

    /// Keep the states of each exploration in a folder in DIR, so that one that a limit stopped or that was interrupted is resumed. Its seconds
    /// include those before a limit stopped it, but not those before an interruption
    #[arg(long, value_name = "DIR", conflicts_with = "store")]
    disk: Option<PathBuf>,

    #[command(flatten)]
    search_options: SearchArgs,

    /// Print only errors on standard error
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    limits: Limits,
}

/// The user time that this process has spent on processors, in seconds; 0 if the system does not say.
fn seconds() -> f64 {
    let used = getrusage(UsageWho::RUSAGE_SELF);
    used.map_or(0.0, |used| used.user_time().num_microseconds() as f64 / 1e6)
}

/// The named protocols; a folder stands for the `.slicc` files in it.
fn named(given: &[String]) -> Result<Vec<String>, Error> {
    let mut all = Vec::new();
    for name in parse::protocols(given) {
        if !Path::new(name).is_dir() {
            all.push(name.to_owned());
            continue;
        }
        let entries = std::fs::read_dir(name)
            .map_err(|why| Error::Usage(format!("{name}: cannot be read: {why}")))?;
        let paths = entries.flatten().map(|entry| entry.path());
        // `RubySlicc_interfaces.slicc` declares what all protocols share, and is no protocol.
        let is_protocol = |path: &PathBuf| {
            path.is_file()
                && path.extension().is_some_and(|end| end == "slicc")
                && !path.ends_with("RubySlicc_interfaces.slicc")
        };
        let mut files: Vec<String> =
            paths.filter(is_protocol).map(|path| path.to_string_lossy().into_owned()).collect();
        files.sort();
        all.extend(files);
    }
    Ok(all)
}

/// Opens a protocol as it is and, if known repairs fit it, also with these.
fn opened(name: &str) -> Result<(Opened, Option<Opened>), Error> {
    let repaired = Opened::repaired(name, &Repairs::All, None)?;
    let is_other = !repaired.protocol.loaded.repairs.is_empty();
    Ok((Opened::new(name, None)?, is_other.then_some(repaired)))
}

/// The name of the folder of a protocol's states at a size: `MI_example.slicc-repaired-2x1`
fn folder_of(opened: &Opened, size: Size) -> String {
    let file = if is_built_in(&opened.given) { "" } else { ".slicc" };
    let repaired = if opened.protocol.loaded.repairs.is_empty() { "" } else { "-repaired" };
    format!("{}{file}{repaired}-{size}", opened.protocol.name())
}

/// The rows of a file, and the options with which missing rows are made.
struct Table<'a> {
    args: &'a Args,
    search_options: SearchOptions,
    journal: Journal,
    rows: HashMap<<Decided as Row>::Key, Decided>,
}

impl Table<'_> {
    /// The row of a protocol at a size. The protocol is explored if the row is missing, or if a limit stopped it that could
    /// change.
    fn row(&mut self, opened: &Opened, size: Size) -> Result<&Decided, Error> {
        let key = key(opened, size);
        let limits = self.args.limits.begin();
        if is_needed(self.rows.get(&key), &limits) {
            let title = format!("{} {size}", opened.protocol.title());
            let bar = progress::spinner(title, self.args.quiet);
            let mut report = |progress: &Progress| {
                bar.tick();
                bar.set_message(format!("{} states, depth {}", progress.states, progress.depth));
            };
            let folder = self.args.disk.as_ref().map(|disk| disk.join(folder_of(opened, size)));
            let (search_options, folder) = (&self.search_options, folder.as_deref());
            // If a limit stopped the exploration before, its row has the processor time until then.
            let resumes = folder.is_some_and(Disk::has_begun);
            let before = self.rows.get(&key).filter(|row| resumes && row.stopped.is_some());
            let before = before.map_or(0.0, |row| row.seconds);
            let mut row =
                decide(opened, size, search_options, folder, &limits, &seconds, &mut report)?;
            row.seconds = ((row.seconds + before) * 1e3).round() / 1e3;
            bar.finish_and_clear();
            self.journal.add(&row)?;
            self.rows.insert(key.clone(), row);
        }
        Ok(&self.rows[&key])
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let all: Vec<_> =
        named(&args.protocols)?.iter().map(|name| opened(name)).collect::<Result<_, _>>()?;
    let sizes = if args.sizes.is_empty() { SIZES.to_vec() } else { args.sizes.clone() };
    let (journal, lines) = Journal::open(&args.output)?;
    let search_options = args.search_options.with(true);
    let mut table =
        Table { args, search_options, journal, rows: lines.rows(0)?.into_iter().collect() };
    heading(out).map_err(Error::Output)?;
    for &size in &sizes {
        for (original, repaired) in &all {
            let row = table.row(original, size)?;
            print(row, out).map_err(Error::Output)?;
            if let Some(repaired) = repaired.as_ref().filter(|_| row.outcome == "found") {
                print(table.row(repaired, size)?, out).map_err(Error::Output)?;
            }
        }
    }
    if !args.quiet {
        tell(format_args!("the rows are in {}", args.output.display()));
    }
    Ok(Status::Done)
}

fn heading(out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(
        out,
        "{:<29} {:<9} {:>11} {:>5} {:>9} {:>8}  outcome",
        "protocol", "size", "states", "depth", "user s", "MB"
    )
}

/// The number of moves in words: `1 move`, or `2 moves`
fn moves(count: usize) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} move{plural}")
}

fn print(row: &Decided, out: &mut dyn Write) -> std::io::Result<()> {
    let name = match (row.is_built_in, row.repairs.is_empty()) {
        (true, _) => row.protocol.clone(),
        (false, true) => format!("{}.slicc", row.protocol),
        (false, false) => format!("{} repaired", row.protocol),
    };
    let known =
        if row.known.is_empty() { String::new() } else { format!(" ({})", row.known.join(", ")) };
    let outcome = match (&*row.outcome, &row.what) {
        ("found", Some(what)) => format!("found in {}: {what}{known}", moves(row.steps)),
        ("refused", Some(why)) => format!("refused: {why}"),
        ("stopped", _) => format!("undecided, {} states left", row.open),
        ("unproved", _) => "nothing found among fingerprints".to_owned(),
        _ => "nothing found".to_owned(),
    };
    writeln!(
        out,
        "{:<29} {:<9} {:>11} {:>5} {:>9.1} {:>8.1}  {}",
        tame(&name),
        row.size,
        row.states,
        row.depth,
        row.seconds,
        row.bytes as f64 / 1e6,
        tame(&outcome)
    )?;
    out.flush()
}
