//! `rubric litmus`: finds all final states of herd's litmus tests that a memory model allows.
//!
//! - [`files`]: the files of a folder;
//! - [`histories`]: the histories of a test that end in a given state;
//! - [`explain`]: why a state is or is not reachable;
//! - [`text`], [`json`]: the two forms of output.

mod explain;
mod files;
pub(crate) mod histories;
pub(crate) mod json;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use check::Model;
use litmus::{LitmusTest, Outcomes, outcomes_within};
use rayon::prelude::*;

use crate::error::{Error, complain};
use crate::limits::Limits;
use crate::options::Format;
use crate::status::Status;
use crate::words;

/// Number of tests that run before their results are printed.
const BATCH: usize = 256;

/// Find all outcomes of litmus tests that a memory model allows
#[derive(clap::Args)]
#[command(after_help = "\
A test is in herd's format, for RISCV, AArch64 or X86_64. Its model is that of its architecture (RVWMO, Armv8,
TSO) unless --model names another one. Every execution is enumerated, and its final state is printed as
herd prints it, with the answer to the test's question.

Examples:
  rubric litmus MP.litmus
  rubric litmus --model sc tests/
  rubric litmus --format json MP.litmus SB.litmus
  rubric litmus --explain MP.litmus

Several tests end with a table, those whose condition is not met first. A loop is followed for --unroll
rounds; if a run can go on longer, states may be missing, which the output says.

JSON is one object a line for each test: `file`, `test`, `architecture`, `model`, `kind` (how the condition
reads: Allowed, Forbidden, Required), `condition`, `states`, `verdict` (Ok if the condition is met, else No),
`observation` (Never, Sometimes, Always: in how many states its proposition holds), `positive` and `negative`
(the numbers of executions in which it holds and does not hold), `seconds`; `loop_limit`, the line of a loop
that was not followed to its end. The verdict is Undecided if that stopped every run, or a limit was met,
which `reason` says; then there are no states and no numbers.

Exit status: the first of 2 (bad usage or input), 1 (the condition of a test is not met), 3 (a limit was met,
or longer loops could change the answer), 0 (the condition is met) that occurred.")]
pub(crate) struct Args {
    /// Litmus tests, folders with files that end in .litmus, or `-`
    #[arg(required = true, value_name = "TEST")]
    tests: Vec<PathBuf>,

    /// Memory model [default: that of the test's architecture]
    #[arg(long, value_name = "MODEL", value_parser = words::litmus_model())]
    model: Option<Model>,

    /// Show a memory order with which the condition's proposition holds (of `forall`: does not hold), or
    /// prove for each history that would end so why the model forbids it
    #[arg(long, conflicts_with = "format")]
    explain: bool,

    /// How often a thread may go back at each branch
    #[arg(long, value_name = "N", default_value_t = 2)]
    unroll: u8,

    #[command(flatten)]
    limits: Limits,

    /// Tests that run at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<u32>,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// A test and its outcomes.
struct Ran {
    file: String,
    test: LitmusTest,
    model: Model,
    /// The outcomes; if a limit was met first, which one, in words.
    outcomes: Result<Outcomes, String>,
    seconds: f64,
}

impl Ran {
    /// `Ok` if the condition is met, `No` if not, `Undecided` if no run reached its end.
    fn verdict(&self) -> &'static str {
        let quantifier = self.test.condition.quantifier;
        self.outcomes.as_ref().map_or("Undecided", |outcomes| outcomes.verdict(quantifier))
    }

    fn status(&self) -> Status {
        let quantifier = self.test.condition.quantifier;
        match &self.outcomes {
            Ok(outcomes) if !outcomes.is_certain(quantifier) => Status::Undecided,
            Ok(outcomes) if outcomes.satisfies(quantifier) => Status::Done,
            Ok(_) => Status::Violation,
            Err(_) => Status::Undecided,
        }
    }
}

/// Runs the command. If a test is refused, the remaining tests still run.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let mut status = Status::Done;
    let mut paths = Vec::new();
    for path in &args.tests {
        match files::tests(path) {
            Ok(found) => paths.extend(found),
            Err(error) => status = status.and(complain(&error, out)?),
        }
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs.unwrap_or(0) as usize);
    let pool = pool.build().map_err(|error| Error::Usage(format!("--jobs: {error}")))?;
    let mut rows = Vec::new();
    for batch in paths.chunks(BATCH) {
        let ran: Vec<Result<Ran, Error>> =
            pool.install(|| batch.par_iter().map(|path| one(args, path)).collect());
        for result in ran {
            status = status.and(match result {
                Ok(ran) => {
                    print(args, &ran, out)?;
                    rows.push(text::Row::of(&ran));
                    ran.status()
                }
                Err(error) => complain(&error, out)?,
            });
        }
    }
    if paths.len() > 1 && args.format == Format::Text {
        text::table(rows, out).map_err(Error::Output)?;
    }
    Ok(status)
}

fn print(args: &Args, ran: &Ran, out: &mut dyn Write) -> Result<(), Error> {
    if args.format == Format::Json {
        return json::write(ran, out).map_err(Error::Output);
    }
    let (name, kind) = (&ran.test.name, ran.test.condition.quantifier.kind());
    let printed = match &ran.outcomes {
        Ok(outcomes) => write!(out, "{}", ran.test.report(outcomes)),
        Err(reason) => writeln!(out, "Test {name} {kind}\nUndecided: {reason}"),
    };
    printed.map_err(Error::Output)?;
    if let (true, Ok(outcomes)) = (args.explain, &ran.outcomes) {
        let words = explain::words(ran, outcomes, usize::from(args.unroll), &args.limits)?;
        write!(out, "{words}").map_err(Error::Output)?;
    }
    writeln!(out).map_err(Error::Output)
}

fn one(args: &Args, path: &Path) -> Result<Ran, Error> {
    let begun = Instant::now();
    let (file, text) = files::read(path)?;
    let test = LitmusTest::parse(&file, &text)?;
    let model = args.model.unwrap_or(test.architecture.model());
    let bounds = args.limits.bounds();
    let outcomes = match outcomes_within(&test, model, usize::from(args.unroll), &bounds) {
        Err(litmus::Error::Stopped { exceeded, .. }) => Err(args.limits.met(Some(exceeded))),
        found => Ok(found?),
    };
    Ok(Ran { file, test, model, outcomes, seconds: begun.elapsed().as_secs_f64() })
}
