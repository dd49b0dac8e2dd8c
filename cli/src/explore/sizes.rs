//! `rubric explore sizes`: which protocols are decided at which sizes. [`lab::decided`] explores them.

use std::io::Write;
use std::path::{Path, PathBuf};

use explore::search::Progress;
use lab::decided::{SIZES, Size, Table, heading};
use lab::protocols::Opened;

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

/// Runs the command.
pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let all: Vec<_> = named(&args.protocols)?
        .iter()
        .map(|name| Opened::also_repaired(name))
        .collect::<Result<_, _>>()?;
    let sizes = if args.sizes.is_empty() { SIZES.to_vec() } else { args.sizes.clone() };
    let mut table = Table::open(
        &args.output,
        args.search_options.with(true),
        args.limits.limits(),
        args.disk.clone(),
    )?;
    writeln!(out, "{}", heading()).map_err(Error::Output)?;
    for &size in &sizes {
        for (original, repaired) in &all {
            let is_found = show(&mut table, original, size, args.quiet, out)?;
            if let Some(repaired) = repaired.as_ref().filter(|_| is_found) {
                show(&mut table, repaired, size, args.quiet, out)?;
            }
        }
    }
    if !args.quiet {
        tell(format_args!("the rows are in {}", args.output.display()));
    }
    Ok(Status::Done)
}

/// Prints the row of a protocol at a size. Returns whether something was found.
fn show(
    table: &mut Table,
    opened: &Opened,
    size: Size,
    quiet: bool,
    out: &mut dyn Write,
) -> Result<bool, Error> {
    let bar = progress::spinner(format!("{} {size}", opened.protocol.title()), quiet);
    let row = table.row(opened, size, &mut |progress: &Progress| {
        bar.tick();
        bar.set_message(format!("{} states, depth {}", progress.states, progress.depth));
    })?;
    bar.finish_and_clear();
    writeln!(out, "{}", row.line()).and_then(|()| out.flush()).map_err(Error::Output)?;
    Ok(row.outcome == "found")
}
