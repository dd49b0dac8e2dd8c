//! `rubric watch`: check a run while it goes on.
//!
//! - [`places`]: what operations are called;
//! - [`said`]: what is printed;
//! - [`source`]: the trace, read on a thread of its own;
//! - [`window`]: operations as they arrive, with sizes that may turn out to be smaller.

mod places;
mod said;
mod source;
mod window;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use check::bounds::{Bounds, Exceeded};
use check::online::{Broken, Stop};
use check::{Model, Verdict};
use history::{Ambiguity, History, ReadsFrom, Source};
use memory::PsoRmw;

use crate::check::text;
use crate::ending::RunEnd;
use crate::error::Error;
use crate::limits::parse_size;
use crate::options::{Format, TraceOptions};
use crate::status::Status;
use crate::{interrupt, progress, words};
use said::{Said, reason};
use source::{Batches, End as TraceEnd};
use window::{Problem, Window};

/// How long nothing may come before somebody looks whether the user wants to end.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Check a trace while it is still being written, and stop at the first violation
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  gem5.opt --debug-flags=ProtocolTrace,RubySequencer,RubyPort config.py 2>&1 | rubric watch
  rubric simulate MESI_Two_Level --ops 1M | rubric watch --model sc
  rubric watch --model tso m5out/trace.out

Operations are taken in as they complete, and what they force is known at once: at the first one after which
the history can't be consistent any more the command ends, with exit status 1, and whoever writes into the
pipe ends with it. A read of a value that nobody has written yet waits for its source. What comes before
the last operation of every thread is forgotten, unless it can still be read, so memory does not grow with
the run; a thread that does nothing keeps what comes after its last operation. Under PSO, where stores to different
locations have no order, time and memory grow with threads times locations.

Beside that, operations are performed one by one, nearly as they complete, and the history is consistent if that
goes well to the end of the trace. If it does not, `rubric check`'s stages decide, as long as nothing had to be
forgotten; else it is undecided, since what is forced has no contradiction.

It takes what Ruby's sequencers or a client print, of memory that holds 0 at the start: `--source exec` and other
`--initial` values are for `rubric check`, as are axe text, JSON, Parquet and folders.

If gem5's messages come through the pipe too (`2>&1`), a crash is reported with the last transitions for its address.

JSON is one object: `file`, `model`, `verdict`, `operations` (how many it took), `remembered`, `threads`,
`locations`, `seconds`, `source`, `reason`, for a violation `line` (of the operation that showed it), and where the
trace was read to its end `ended`, `crash`, `unfinished` and `outstanding`, as `rubric check` has them.

Exit status: 1 a violation or a run that crashed, 0 consistent, 3 undecided, 2 bad usage or input.")]
pub struct Args {
    /// A gem5 trace, or `-` for standard input
    #[arg(value_name = "TRACE", default_value = "-")]
    trace: PathBuf,

    /// The memory model
    #[arg(long, value_name = "MODEL", default_value = "sc", value_parser = words::model())]
    model: Model,

    /// What a read-modify-write waits for under PSO: its thread's stores to its own location, or
    /// all of its thread's stores
    #[arg(long, value_name = "own|all", default_value = "own", value_parser = words::rmw())]
    pso_rmw: PsoRmw,

    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Memory that the program may occupy before it gives up, in bytes or such as 500MiB, 4GB
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = parse_size)]
    max_memory: u64,

    #[command(flatten)]
    options: TraceOptions,
}

/// How it ended.
enum End {
    Consistent(String),
    Violation {
        why: String,
        line: Option<u64>,
        explained: Option<String>,
    },
    Undecided(String),
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let reading = args.options.for_reading()?;
    if reading.source == Some(Source::Exec)
        || !matches!(reading.initial, None | Some(history::Initial::Zero))
    {
        return Err(Error::Usage(
            "watch takes what clients print or Ruby shows, of memory that holds 0 at the start: record the trace and use `rubric check`"
                .to_owned(),
        ));
    }
    let model = args.model.with_rmw(args.pso_rmw);
    let file = match args.trace == Path::new("-") {
        true => "standard input".to_owned(),
        false => args.trace.display().to_string(),
    };
    let (batches, _) = source::begin(open(&args.trace)?, file.clone(), reading);
    let begun = Instant::now();
    let mut watch = Watch {
        file: &file,
        batches,
        window: Window::new(model, args.options.access_size),
        bounds: Bounds::new(None, Some(args.max_memory)).or_interrupted(interrupt::gracefully()),
        source: None,
        line: 0,
        taken: None,
        end: TraceEnd::default(),
    };
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
    let said = Said {
        file: &file,
        model,
        window: &watch.window,
        source: watch.source,
        time: begun.elapsed(),
        run: watch.run_end(),
    };
    match args.format {
        Format::Text => said.text(&end, out),
        Format::Json => said.json(&end, out),
    }
    .map_err(Error::Output)?;
    let status = match end {
        End::Consistent(_) => Status::Done,
        End::Violation { .. } => Status::Violation,
        End::Undecided(_) => Status::Undecided,
    };
    Ok(status.and(said.run.status()))
}

fn open(path: &Path) -> Result<Box<dyn Read + Send>, Error> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    if path.is_dir() {
        return Err(Error::Usage(format!(
            "{}: is a folder: name the trace in it",
            path.display()
        )));
    }
    let file = File::open(path).map_err(|error| Error::File {
        file: path.display().to_string(),
        error,
    })?;
    Ok(Box::new(file))
}

struct Watch<'a> {
    file: &'a str,
    batches: Batches,
    window: Window,
    bounds: Bounds,
    source: Option<Source>,
    /// How far the trace was read.
    line: u64,
    /// The line of the operation that was taken last.
    taken: Option<u64>,
    /// What is known at the end of the trace.
    end: TraceEnd,
}

impl Watch<'_> {
    /// How the run ended, as far as the trace was read.
    fn run_end(&self) -> RunEnd<'_> {
        RunEnd {
            crash: self.end.crash.as_ref(),
            ended: self.end.ended.as_deref(),
            unfinished: self.end.unfinished.len(),
            ending: &self.end.ending,
        }
    }

    fn follow(&mut self, report: &mut dyn FnMut(&Window)) -> Result<End, Error> {
        loop {
            let batch = match self.batches.recv_timeout(LOOK_EVERY) {
                Ok(batch) => batch?,
                Err(RecvTimeoutError::Timeout) => match self.stopped() {
                    Some(end) => return Ok(end),
                    None => continue,
                },
                // The thread that reads has said what is wrong, or ended with the trace.
                Err(RecvTimeoutError::Disconnected) => return self.last(),
            };
            (self.source, self.line) = (batch.source, batch.line);
            for access in &batch.accesses {
                self.taken = access.line;
                if let Err(problem) = self.window.take(access) {
                    return self.problem(problem);
                }
            }
            report(&self.window);
            self.window.settle(batch.source, &batch.settled);
            if let Some(end) = batch.end {
                self.end = end;
                return self.last();
            }
            if let Some(end) = self.stopped() {
                return Ok(end);
            }
        }
    }

    /// Why nothing more is looked at, if that is so.
    fn stopped(&self) -> Option<End> {
        // Memory is asked for now and then only.
        (0..8).any(|_| self.bounds.passed()).then(|| match self.bounds.exceeded() {
            Some(Exceeded::Interrupted) => End::Undecided("interrupted; nothing so far is forced to be wrong".to_owned()),
            _ => {
                let (thread, kept) = (self.window.idle(), self.window.remembered());
                let idle = thread.map_or(String::new(), |thread| {
                    format!(": thread {thread} has done nothing for long, and what comes after its last operation cannot be forgotten")
                });
                End::Undecided(format!("{kept} operations need more memory than --max-memory allows{idle}"))
            }
        })
    }

    fn problem(&mut self, problem: Problem) -> Result<End, Error> {
        let stop = match problem {
            Problem::Stop(stop) => stop,
            Problem::Unsuitable(what) => {
                return Err(Error::Usage(format!(
                    "{}:{}: {what}: record the trace and use `rubric check`",
                    self.file, self.line
                )));
            }
        };
        match stop {
            Stop::Broken(broken) => Ok(self.violation(&broken, self.taken)),
            Stop::LateThread(first) => Ok(End::Undecided(format!(
                "thread {} began with {} when operations had been forgotten that it may precede",
                first.thread,
                self.window.named(&first)
            ))),
            Stop::WrittenTwice(twice) => Err(Error::Usage(format!(
                "{}: {} writes a value that {}, so it is not known which of the two a read takes: record a run that writes unique values",
                self.file,
                self.window.named(&twice.second),
                match twice.first {
                    Some(first) => format!("{} has written", self.window.named(&first)),
                    None => "is there already".to_owned(),
                }
            ))),
        }
    }

    /// The history can't be consistent any more: why, and a proof if what is remembered has one.
    fn violation(&self, broken: &Broken, line: Option<u64>) -> End {
        let history = self.window.history();
        let explained = history.and_then(|history| {
            let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep).ok()?;
            let options = check::Options::default();
            let model = self.window.model();
            let checked = check::decide(&history, &reads_from, model, &options, &self.bounds);
            match checked.verdict {
                Verdict::Violation(violation) => Some(
                    self.window
                        .renamed(&text::explanation(&history, &violation)),
                ),
                _ => None,
            }
        });
        End::Violation {
            why: reason(&self.window, broken),
            line,
            explained,
        }
    }

    /// Nothing more comes.
    fn last(&mut self) -> Result<End, Error> {
        let end = std::mem::take(&mut self.end);
        let last = self.at(&end);
        self.end = end;
        last
    }

    fn at(&mut self, end: &TraceEnd) -> Result<End, Error> {
        if let Err(broken) = self.window.finish() {
            let Broken::ThinAir(read) = *broken else {
                return Ok(self.violation(&broken, self.taken));
            };
            let writes =
                |it: &&history::Unfinished| it.writes && self.window.reaches(it.address, &read);
            if let Some(unfinished) = end.unfinished.iter().find(writes) {
                return Ok(End::Undecided(format!(
                    "{} returned a value that only the unanswered store to {:#x} of thread {} can have written",
                    self.window.named(&read),
                    unfinished.address,
                    unfinished.thread
                )));
            }
            if end.outside_writes {
                return Ok(End::Undecided(format!(
                    "{} returned a value that was written outside of the history",
                    self.window.named(&read)
                )));
            }
            return Ok(self.violation(&broken, (read.tag > 0).then_some(read.tag)));
        }
        if self.window.arrived() == 0 && end.crash.is_some() {
            return Ok(End::Undecided(
                "no operation completed before the run crashed".to_owned(),
            ));
        }
        if self.window.arrived() == 0 {
            return Err(Error::Usage(format!(
                "{}: no operation in it that Ruby or a client shows: record gem5 with --debug-flags=ProtocolTrace,RubySequencer,RubyPort; \
                 for what the flag Exec shows there is `rubric check`",
                self.file
            )));
        }
        if self.window.is_explained() {
            return Ok(End::Consistent(format!(
                "performed one by one, each read returned what {} held",
                self.window.holder()
            )));
        }
        if !self.window.is_whole() {
            return Ok(End::Undecided(
                "nothing is forced to be wrong, but performing the operations nearly as they completed went wrong: `rubric check` may find another order, in the recorded trace"
                    .to_owned(),
            ));
        }
        Ok(match self.window.history() {
            Some(history) => self.decided(&history),
            None => End::Undecided("its sizes are not known".to_owned()),
        })
    }

    /// What the stages say of the whole history.
    fn decided(&self, history: &History) -> End {
        let Ok(reads_from) = ReadsFrom::derive(history, Ambiguity::Keep) else {
            return End::Undecided("a value is written twice".to_owned());
        };
        let outcome = check::decide(
            history,
            &reads_from,
            self.window.model(),
            &check::Options::default(),
            &self.bounds,
        );
        match outcome.verdict {
            Verdict::Consistent(_) => End::Consistent(format!("by {}", outcome.decided_by)),
            Verdict::Violation(violation) => End::Violation {
                why: "nothing is forced to be wrong, and yet there is no order".to_owned(),
                line: None,
                explained: Some(self.window.renamed(&text::explanation(history, &violation))),
            },
            Verdict::Undecided(reason) => End::Undecided(reason.describe(history)),
            _ => End::Undecided("there is no run, but no proof was found".to_owned()),
        }
    }
}
