//! `rubric monitor`: reports whether the program of a recorded run could leave SC under TSO or PSO.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use check::{Headline, Model, Question, Verdict};
use explore::monitor::{Event, MONITORED, Monitor};
use history::{Ambiguity, History, OpId, ReadsFrom};
use memory::machine::Step;
use memory::{FenceEffect, Label, PsoRmw};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, complain};
use crate::json;
use crate::limits::Limits;
use crate::options::{Format, TraceOptions};
use crate::status::Status;
use crate::words;
use lab::ending;
use lab::load;
use lab::text::{named, shown, tame};
use report::explain::words as proofs;
use report::explain::{reasoning, why};

/// Most pairs that are printed without `--all`.
const FEW: usize = 10;

/// Pairs of operations that could make the program of an SC run leave SC under TSO or PSO
#[derive(clap::Args)]
#[command(after_help = "\
A run under SC says what the same program could do under a weaker model. If an operation conflicts with
a store of another thread that might still wait in a store buffer, and the store happens before the
previous operation of the first thread, the operation could come before the store: another run of the
program is then not SC. A full fence right after the store prevents that. A run without such pairs says nothing
about the program's other runs; see `rubric explore program` for these.

Examples:
  rubric monitor trace.gz
  rubric monitor --model pso --all test.axe
  rubric monitor --format json m5out/

The run must be SC. If the trace's own order of completions explains it, that is the run that is looked
at, else the one that `rubric check` finds.

JSON is one object a line for each history and model: `file`, `history`, `model`, `pso_rmw`, `threads`,
`operations`, `sc_by` (the stage that found the run), `pairs` (each with `operation` and the `store` that
it could come before, as `rubric check` has operations), `seconds`. Where it is not known whether a history
is SC, `undecided` says why instead. One that is not SC is refused on standard error.

Exit status: the first of 2 (bad usage or input, or a trace that is not SC), 1 (there are such pairs), 3
(whether it is SC is undecided), 0 (there are none) that occurred.")]
pub(crate) struct Args {
    /// Traces, gem5 output folders, files of histories, or `-`
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,

    /// The weaker models
    #[arg(long, value_name = "MODELS", default_value = "tso", value_delimiter = ',', value_parser = words::monitored_model())]
    model: Vec<Model>,

    /// What a read-modify-write waits for under PSO: its thread's stores to its own location, or
    /// all of its thread's stores
    #[arg(long, value_name = "own|all", default_value = "own", value_parser = words::rmw())]
    pso_rmw: PsoRmw,

    /// Print all pairs
    #[arg(long)]
    all: bool,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    #[command(flatten)]
    limits: Limits,

    #[command(flatten)]
    options: TraceOptions,
}

/// The result of a monitor on one history.
struct Found<'a> {
    file: &'a str,
    history: &'a History,
    model: Model,
    /// The stage of the engine that found the SC run.
    sc_by: String,
    /// The pairs that the monitor signals: an operation, and the store that it could come before.
    pairs: Vec<(OpId, OpId)>,
    seconds: f64,
}

/// A line of `rubric monitor --format json`: the pairs of a history under a model, or why they are not known.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Line<'a> {
    /// The pairs of a history under a model.
    Found(FoundLine<'a>),
    /// A history whose pairs are not known.
    Undecided(UndecidedLine<'a>),
}

/// The pairs of a history under a model.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FoundLine<'a> {
    /// The file or pipe that the history was read from, as it was given.
    file: &'a str,
    /// The name of the history in the file.
    history: Option<&'a str>,
    /// The weaker model.
    #[schemars(extend("enum" = MONITORED.map(Model::name)))]
    model: &'a str,
    /// What a read-modify-write waits for under PSO.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = PsoRmw::ALL.map(PsoRmw::name)))]
    pso_rmw: Option<&'a str>,
    /// The number of threads.
    threads: usize,
    /// The number of operations.
    operations: usize,
    /// The stage that found the SC run.
    sc_by: &'a str,
    /// The pairs that could leave SC.
    pairs: Vec<Pair>,
    /// Seconds that the monitor took.
    seconds: f64,
}

/// A history whose pairs are not known.
#[derive(Serialize, JsonSchema)]
pub(crate) struct UndecidedLine<'a> {
    /// The file or pipe that the history was read from, as it was given.
    file: &'a str,
    /// The name of the history in the file.
    history: Option<&'a str>,
    /// The weaker model; left out if it is not known whether the run is SC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = MONITORED.map(Model::name)))]
    model: Option<&'a str>,
    /// Why the pairs are not known.
    undecided: &'a str,
}

/// Two operations that could leave SC.
#[derive(Serialize, JsonSchema)]
struct Pair {
    /// An operation.
    operation: reasoning::Event,
    /// The store that it could come before.
    store: reasoning::Event,
}

/// Runs the command. If an input is refused, the remaining inputs are still processed.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let reading = args.options.for_reading()?;
    let mut status = Status::Done;
    for path in &args.traces {
        let input = match load::open(path, &reading).map_err(Error::from) {
            Ok(input) => input,
            Err(error) => {
                status = status.and(complain(&error, out)?);
                continue;
            }
        };
        for history in &input.histories {
            status = status.and(match one(args, &input.file, history, out) {
                Ok(status) => status,
                Err(error) => complain(&error, out)?,
            });
        }
    }
    Ok(status)
}

fn one(args: &Args, file: &str, history: &History, out: &mut dyn Write) -> Result<Status, Error> {
    let named = named(file, history);
    let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared).map_err(|twice| {
        Error::Usage(format!("{named}: {twice}. Record a run that writes unique values"))
    })?;
    let options = ::check::Options {
        timeout: args.limits.timeout,
        max_memory: Some(args.limits.max_memory),
        ..::check::Options::default()
    };
    let answer = Question::new(Model::SC, &options).ask(history, &reads_from);
    let history = answer.history();
    let steps = match answer.verdict() {
        Verdict::Consistent(steps) => steps,
        Verdict::Undecided(reason) => {
            let reason = reason.describe(history);
            let reason = match args.format {
                Format::Text => format!("whether this is SC is not known: {reason}"),
                Format::Json => reason,
            };
            undecided(args, &named, file, history, None, &reason, out)?;
            return Ok(Status::Undecided);
        }
        verdict => {
            let why = match verdict {
                Verdict::Violation(violation) => proofs::explanation(history, violation),
                _ => String::new(),
            };
            return Err(Error::Usage(format!(
                "{named}: this run is not SC, and the monitors look at runs under SC. `rubric check` says more\n{}",
                why.trim_end()
            )));
        }
    };
    let mut status = Status::Done;
    for model in &args.model {
        let model = model.with_rmw(args.pso_rmw);
        if let Some(op) = beyond_monitor(history, model) {
            let line = history.line(op);
            let line = line.map_or(String::new(), |line| format!(", line {line}"));
            let why = format!(
                "{} ({}{line}) is a weak fence or a release, which the monitor does not handle",
                why::label(history, op),
                history.describe(op)
            );
            undecided(args, &named, file, history, Some(model), &why, out)?;
            status = status.and(Status::Undecided);
            continue;
        }
        let begun = Instant::now();
        let pairs = watch(history, steps, model);
        let found = Found {
            file,
            history,
            model,
            sc_by: answer.outcome.decided_by.to_string(),
            pairs,
            seconds: begun.elapsed().as_secs_f64(),
        };
        if !found.pairs.is_empty() {
            status = Status::Violation;
        }
        let printed = match args.format {
            Format::Text => found.text(args.all, out),
            Format::Json => found.json(out),
        };
        printed.map_err(Error::Output)?;
    }
    Ok(status)
}

/// Prints that it is undecided whether a history is SC, or, if `model` is given, whether its program leaves SC under the model.
fn undecided(
    args: &Args,
    named: &str,
    file: &str,
    history: &History,
    model: Option<Model>,
    why: &str,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let printed = match args.format {
        Format::Text => {
            let model = model.map_or(String::new(), |model| format!("{} ", model.name()));
            writeln!(out, "undecided {model}{}: {}", tame(named), tame(why))
        }
        Format::Json => {
            let line = UndecidedLine {
                file,
                history: history.name.as_deref(),
                model: model.map(Model::name),
                undecided: why,
            };
            json::line(&Line::Undecided(line), out)
        }
    };
    printed.map_err(Error::Output)
}

/// The first operation that the monitor does not handle: a fence that orders something but less than a full one, or an
/// operation that a release makes wait.
fn beyond_monitor(history: &History, model: Model) -> Option<OpId> {
    history.ops().find(|&op| {
        let label = Label::of(history, op);
        let effect = model.fence_effect(label.kind);
        let is_known = matches!(effect, Some(FenceEffect::Full | FenceEffect::Nothing));
        model.refines(label) && !is_known
    })
}

/// Runs the monitor on a run, and returns the pairs that it signals: an operation, and the store that it could come before.
fn watch(history: &History, steps: &[Step], model: Model) -> Vec<(OpId, OpId)> {
    let mut monitor = Monitor::new(model, history.threads().len(), history.locations().len());
    let ops: Vec<OpId> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Execute(op) => Some(*op),
            Step::Commit(_) => None,
        })
        .collect();
    let mut pairs = Vec::new();
    for &op in &ops {
        let signalled = monitor.step(Event {
            thread: history.thread_of(op) as u32,
            kind: history.kind(op),
            location: history.location(op),
        });
        pairs.extend(signalled.map(|store| (op, ops[store as usize])));
    }
    pairs
}

impl Found<'_> {
    fn text(&self, all: bool, out: &mut dyn Write) -> io::Result<()> {
        let name = shown(self.file, self.history);
        let headline = Headline {
            word: if self.pairs.is_empty() { "stays SC" } else { "leaves SC" },
            how: format!("SC by {}", self.sc_by),
            seconds: self.seconds,
            ..Headline::about(self.history, self.model.name(), &name)
        };
        writeln!(out, "{headline}")?;
        match self.pairs.len() {
            0 => writeln!(out, "  no pair of operations could leave SC")?,
            1 => writeln!(out, "  1 pair of operations could leave SC")?,
            many => writeln!(out, "  {many} pairs of operations could leave SC")?,
        }
        if let Some(note) = ending::note(self.history) {
            writeln!(out, "  note: {note}")?;
        }
        let shown = if all { self.pairs.len() } else { FEW };
        for &(op, store) in self.pairs.iter().take(shown) {
            writeln!(out, "  {}", why::operation(self.history, op))?;
            writeln!(out, "    could come before")?;
            writeln!(out, "  {}", why::operation(self.history, store))?;
            let store = why::label(self.history, store);
            writeln!(out, "    unless a fence follows {store}")?;
        }
        match self.pairs.len().saturating_sub(shown) {
            0 => Ok(()),
            more => writeln!(out, "  … and {more} more (--all)"),
        }
    }

    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        let pair = |&(operation, store): &(OpId, OpId)| Pair {
            operation: reasoning::operation(self.history, operation),
            store: reasoning::operation(self.history, store),
        };
        let line = FoundLine {
            file: self.file,
            history: self.history.name.as_deref(),
            model: self.model.name(),
            pso_rmw: self.model.rmw().map(|rmw| rmw.name()),
            threads: self.history.threads().len(),
            operations: self.history.operations(),
            sc_by: &self.sc_by,
            pairs: self.pairs.iter().map(pair).collect(),
            seconds: self.seconds,
        };
        json::line(&Line::Found(line), out)
    }
}
