//! `rubric watch`: checks a trace while it is being written. [`rubric::watch`] does the work; [`output`] prints the result.

mod aftermath;
pub(crate) mod output;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use check::{Bounds, Model};
use history::Source;
use memory::PsoRmw;
use rubric::ingest::{Addresses, LiveEnd};
use rubric::watch::{End, Watch};

use crate::error::Error;
use crate::files::{self, failed};
use crate::limits::{Limits, parse_size};
use crate::options::{Format, TraceOptions};
use crate::status::Status;
use crate::{interrupt, progress, words};
use aftermath::{Action, Aftermath};
use lab::ending::RunEnd;
use output::Output;

/// Check a trace while it is still being written, and stop at the first violation
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  gem5.opt --debug-flags=ProtocolTrace,RubySequencer,RubyPort config.py 2>&1 | rubric watch
  rubric simulate MESI_Two_Level --operations 1M | rubric watch --model sc
  rubric watch --model tso m5out/trace.out
  rubric watch --model tso m5out/trace.out --keep kept.parquet --on-violation shrink,explain

Operations are executed one by one, nearly as they complete, and the history is consistent if each read returns the
right value to the end of the trace. When one does not, or after a million operations, the orderings that the operations
require are inferred. At the first operation after which the history can't be consistent any more the command ends with exit
status 1, which also ends the program that writes into the pipe. A read of a value that was not written yet waits for its
source. What comes before the last operation of every thread is forgotten, unless it can still be read, so memory does not
grow with the run; a thread that does nothing keeps what comes after its last operation. Under PSO, where stores to
different locations have no order, inferring takes time and memory in proportion to threads times locations.

If the executed operations do not explain each read to the end, `rubric check`'s stages decide, as long as nothing had to be
forgotten; else it is undecided, since the required orderings alone form no cycle.

It takes what Ruby's sequencers or a client print, and histories in JSON, of memory that is initially 0: `--source exec`
and other `--initial` values are for `rubric check`, as are Parquet, folders and formats that do not show in which order
operations complete, such as axe text.

A file is read to its present end. Of a file that gem5 still writes, `tail -c +1 -f m5out/trace.out | rubric watch`
sees what follows, too.

If gem5's messages come through the pipe too (`2>&1`), a crash is reported with the last transitions for its address.

The trace may be the log of RubricTester cores, too, through a pipe (`mkfifo`): its `line` is the number of a record.

--keep writes the operations up to the end of the watch, so that other commands can work with them: the latest
eight million, in memory of some 130 bytes each. --on-violation makes files beside that one: a certificate
(`.cert`, for `rubric verify`), the smallest part that is still wrong (`.litmus`), a picture (`.svg`).

JSON is one object: `file`, `model`, `verdict`, `operations` (how many it took), `remembered`, `threads`,
`locations`, `seconds`, `source`, `reason`, for a violation `line` and `tick` (of the operation that showed it), `files` (that
were written), and where the trace was read to its end `ended`, `crash`, `unfinished` and `outstanding`, as `rubric
check` has them.

Exit status: 1 a violation or a run that crashed, 0 consistent, 3 undecided, 2 bad usage or input.")]
pub(crate) struct Args {
    /// A trace, or `-` for standard input
    #[arg(value_name = "TRACE", default_value = "-")]
    trace: PathBuf,

    /// The memory model
    #[arg(long, value_name = "MODEL", default_value = "sc", value_parser = words::model())]
    model: Model,

    /// What a read-modify-write waits for under PSO: its thread's stores to its own location, or
    /// all of its thread's stores
    #[arg(long, value_name = "own|all", default_value = "own", value_parser = words::rmw())]
    pso_rmw: PsoRmw,

    /// Write the operations up to the end of the watch to this file, which ends in .json, .jsonl, .parquet or .axe
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,

    /// What to make of the kept operations if they violate the model, separated by commas
    #[arg(long, value_name = "ACTIONS", value_delimiter = ',', requires = "keep")]
    on_violation: Vec<Action>,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Memory that the program may occupy before it gives up, in bytes or such as 500MiB, 4GB
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = parse_size)]
    max_memory: u64,

    #[command(flatten)]
    options: TraceOptions,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let reading = args.options.for_reading()?;
    if reading.source == Some(Source::Exec)
        || reading.addresses == Some(Addresses::Announced)
        || !matches!(reading.initial, None | Some(history::Initial::Zero))
    {
        return Err(Error::Usage(
            "watch takes what clients print or Ruby shows, of memory that is initially 0: record the trace and use `rubric check`"
                .to_owned(),
        ));
    }
    args.keep.as_deref().map(Aftermath::check_name).transpose()?;
    if let Some(kept) = &args.keep {
        files::spare([&args.trace], &Aftermath::files(kept, &args.on_violation))?;
    }
    let model = args.model.with_rmw(args.pso_rmw);
    let file = if args.trace == Path::new("-") {
        "standard input".to_owned()
    } else {
        args.trace.display().to_string()
    };
    let trace = open(&args.trace)?;
    let begun = Instant::now();
    let bounds = Bounds::new(None, Some(args.max_memory)).or_interrupted(interrupt::gracefully());
    let mut watch = Watch::new(trace, &file, model, reading, args.options.access_size, bounds);
    if args.keep.is_some() {
        watch = watch.keeping();
    }
    let line = progress::spinner(file.clone(), args.options.quiet);
    let end = watch.follow(&mut |window| {
        line.set_message(format!(
            "{} operations, {} remembered",
            window.arrived(),
            window.remembered()
        ));
    });
    line.finish_and_clear();
    let end = end?;
    let result = Watched { file: &file, model, watch: &watch, time: begun.elapsed(), end: &end };
    result.print(args, out)?;
    let status = match end {
        End::Consistent(_) => Status::Done,
        End::Violation { .. } => Status::Violation,
        End::Undecided(_) => Status::Undecided,
    };
    Ok(status.and(run_end(watch.trace_end()).outcome().into()))
}

/// A trace that was watched to its end, or to the first violation.
struct Watched<'a> {
    file: &'a str,
    model: Model,
    watch: &'a Watch,
    time: Duration,
    end: &'a End,
}

impl Watched<'_> {
    /// Prints the result, and writes the requested files. The kept operations are written before the result is printed, so that
    /// the file exists when a program that waits for the result reads it.
    fn print(&self, args: &Args, out: &mut dyn Write) -> Result<(), Error> {
        let mut files: Vec<PathBuf> = args.keep.iter().cloned().collect();
        let history =
            self.watch.kept().transpose().map_err(|error| Error::Usage(error.to_string()))?;
        let aftermath = args.keep.as_deref().map(|kept| Aftermath {
            kept,
            actions: &args.on_violation,
            model: self.model,
            limits: Limits { timeout: None, max_memory: args.max_memory },
        });
        if let (Some(aftermath), Some(history)) = (&aftermath, &history) {
            aftermath.keep(history)?;
        }
        let violated = aftermath.filter(|_| matches!(self.end, End::Violation { .. }));
        if args.format == Format::Json {
            let mut failed = None;
            if let Some(aftermath) = violated {
                let (made, error) = aftermath.of_violation(&mut io::sink());
                files.extend(made);
                failed = error;
            }
            // The verdict is printed even if a file could not be made.
            self.output(&files).json(self.end, out).map_err(Error::Output)?;
            return failed.map_or(Ok(()), Err);
        }
        self.output(&files).text(self.end, out).map_err(Error::Output)?;
        for file in &files {
            writeln!(out, "written: {}", file.display()).map_err(Error::Output)?;
        }
        let (_, failed) = match violated {
            Some(aftermath) => aftermath.of_violation(out),
            None => (Vec::new(), None),
        };
        failed.map_or(Ok(()), Err)
    }

    fn output<'o>(&'o self, files: &'o [PathBuf]) -> Output<'o> {
        Output {
            file: self.file,
            model: self.model,
            window: self.watch.window(),
            source: self.watch.source(),
            time: self.time,
            run: run_end(self.watch.trace_end()),
            notes: &self.watch.trace_end().notes,
            files,
        }
    }
}

/// The end of the run, as far as the trace was read.
fn run_end(end: &LiveEnd) -> RunEnd<'_> {
    RunEnd {
        crash: end.crash.as_ref(),
        ended: end.ended.as_deref(),
        unfinished: end.unfinished.len(),
        ending: &end.ending,
        protocol: None,
    }
}

fn open(path: &Path) -> Result<Box<dyn Read + Send>, Error> {
    if path == Path::new("-") {
        return Ok(Box::new(host::inputs::stdin().map_err(failed(path))?));
    }
    if path.is_dir() {
        return Err(Error::Usage(format!("{}: is a folder: name the trace in it", path.display())));
    }
    Ok(Box::new(host::inputs::open(path).map_err(failed(path))?))
}
