//! `rubric explore program`: explores concurrent programs, with monitors on each run.

use std::io::Write;

use ::explore::program::benchmarks::BENCHMARKS;
use ::report::claims::PROGRAMS;
use check::Model;
use lab::exploration::program::text::{self, Form};
use lab::exploration::program::{Explored, Plan, Subject, json as lines};
use memory::PsoRmw;

use super::limits::Limits;
use crate::check::paint::paint;
use crate::error::Error;
use crate::json;
use crate::options::Format;
use crate::progress;
use crate::simulate::parse::positive;
use crate::status::Status;
use crate::words;

/// Explore the runs of concurrent programs, and say whether TSO or PSO lets them leave SC
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric explore program queue.prog
  rubric explore program dekker --preemptions 2 --monitor tso,pso --suggest-fences
  rubric explore program all --preemptions 1
  rubric explore program sb.prog --exhaustive sc,tso,pso

All sequentially consistent runs with at most so many preemptions are explored, and the monitors of
Burnim, Sen and Stergiou (2011) watch each: they say which store can be delayed past which access of
another thread under TSO or PSO, so that the run is not sequentially consistent any more. Violations
are counted by the two places in the program. Built in are the programs of that paper's evaluation:
dekker, bakery, msn, ms2, harris, lazylist, snark; `all` are these. Several programs make a table, as
the paper's Tables 1 and 2; `monitors` is how much longer the monitors make it.

A program:
  shared x = 0, node[8];             locations and arrays, 0 unless it says otherwise
  const N = 3;
  fn f(a, b) { ... return a + b; }   put where it is called: let r = f(1, 2);
  init { ... }                       before the threads; `finally { ... }` after them
  thread P0 {
    let r = load x;                  one shared access a statement
    store node[r] = 1;
    let old = swap x, 1;             also: add x, 1
    let ok = cas x, 0, 1;            1 if x held 0 and holds 1 now
    fence;
    if r == 1 { ... } else { ... }
    loop N { ... break; ... }        every loop has a bound; a run that reaches it is cut off
    while r != 0 limit N { yield; r = load x; }
    assert ok;
  }
After `yield` another thread goes on, which is no preemption; that the same one goes on counts as one.

JSON is one object a line for each program: `program`, `threads`, `locations`, `searches` (one for each
bound: `preemptions`, `interleavings`, `cut_off`, `cut_off_at`, `faulty`, `steps`, `longest`, `seconds`,
`seconds_without_monitors`, `stopped`, `faults` and `violations`, each with a `run`), `exhaustive` (one for each
model: `outcomes`, `cut_off`, `fault`, `states`, `moves`, `seconds`, `stopped`) and `fences` (one for each model:
`fences`, `verified`, `rounds`, `stopped`).

Exit status: 0 if nothing was found, 1 if violations or faults were, 2 for bad usage or a program with
errors, 3 if a limit came first.")]
pub(crate) struct Args {
    /// Programs: files, names of built-in ones, or `all` for every built-in one
    #[arg(required = true, value_name = "PROGRAM")]
    programs: Vec<String>,

    /// Most preemptions of a run; several bounds are explored one after the other
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "2")]
    preemptions: Vec<u32>,

    /// Which monitors watch
    #[arg(long, value_name = "MODEL", value_delimiter = ',', default_value = "tso,pso", value_parser = words::monitored_model())]
    monitor: Vec<Model>,

    /// What an atomic operation waits for under PSO: its thread's stores to its own location, or all
    #[arg(long, value_name = "own|all", default_value = "own", value_parser = words::rmw())]
    pso_rmw: PsoRmw,

    /// Also explore all states under these models, for small programs: what can hold at the end, and
    /// a shortest run to a fault
    #[arg(long, value_name = "MODEL", value_delimiter = ',', value_parser = words::machine_model())]
    exhaustive: Vec<Model>,

    /// Say where fences are needed: for each model a smallest set that removes all violations found
    #[arg(long)]
    suggest_fences: bool,

    /// Stop a search after so many runs. The count may end in K (thousands) or M (millions)
    #[arg(long, value_name = "N", default_value = "10M", value_parser = positive, help_heading = "Limits")]
    max_runs: u32,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Print only errors on standard error
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    limits: Limits,
}

impl Args {
    /// The named models with the given `--pso-rmw`, each once.
    fn models(&self, named: &[Model]) -> Vec<Model> {
        let mut models = Vec::new();
        for model in named.iter().map(|model| model.with_rmw(self.pso_rmw)) {
            if !models.contains(&model) {
                models.push(model);
            }
        }
        models
    }

    /// How the programs are explored.
    fn plan(&self) -> Plan {
        Plan {
            preemptions: self.preemptions.clone(),
            monitored: self.models(&self.monitor),
            exhaustive: self.models(&self.exhaustive),
            suggests_fences: self.suggest_fences,
            most_runs: self.max_runs,
            limits: self.limits.limits(),
        }
    }

    fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for name in &self.programs {
            match name.as_str() {
                "all" => names.extend(BENCHMARKS.iter().map(|it| it.name)),
                name => names.push(name),
            }
        }
        names
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    // An error in any of the programs is reported before one of them runs.
    let subjects: Result<Vec<Subject>, lab::Error> =
        args.names().into_iter().map(Subject::open).collect();
    let subjects = subjects?;
    let plan = args.plan();
    let is_table = args.format == Format::Text && subjects.len() > 1;
    let width = text::width(args.names().into_iter());
    let form = Form { width, paint: paint(), paper: &paper };
    let mut status = Status::Done;
    if is_table {
        text::head(&plan, &form, out).map_err(Error::Output)?;
    }
    for subject in &subjects {
        let spinner = progress::spinner(subject.name.clone(), args.quiet);
        let explored = Explored::new(subject, &plan, &|message| spinner.set_message(message));
        spinner.finish_and_clear();
        status = status.and(explored.outcome().into());
        let written = match args.format {
            Format::Json => json::sorted_line(&lines::line(&explored), out),
            Format::Text if is_table => text::rows(&explored, &form, out),
            Format::Text => text::write(&explored, &plan, &form, out),
        };
        written.and_then(|()| out.flush()).map_err(Error::Output)?;
    }
    Ok(status)
}

/// The numbers of the paper's table for a program and bound; `None` if the paper has none.
fn paper(subject: &Subject, preemptions: u32) -> Option<String> {
    let benchmark = subject.benchmark?;
    let program = PROGRAMS.iter().find(|it| it.name == benchmark.name)?;
    let table = usize::try_from(preemptions.checked_sub(1)?).ok()?;
    let explored = program.explored.get(table)?;
    let [tso, pso] = explored.violations;
    Some(format!(
        "{} runs, {} s, +{:.0} %, tso/pso {tso}/{pso}",
        explored.interleavings,
        explored.seconds,
        program.overhead() * 100.0
    ))
}
