//! `rubric kernel`: the pairs of writes that all runs of a history have in the same order.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use check::kernel::{Kernel, NoKernel, kernel};
use check::{Algorithm, Bounds, Headline, Model, Reason};
use clap::ValueEnum;
use history::{Ambiguity, History, OpId, ReadsFrom};
use host::Exceeded;
use papers::kernel::{criteria, criteria_for, derived};
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
use lab::text::{named, shown};

/// The exact kernel of histories, and how much of it weaker criteria derive
#[derive(clap::Args)]
#[command(after_help = "\
The kernel is the set of ordered pairs of writes of one location that every run that explains the
history has in this order: the intersection of all store orders. Pairs that follow from program order
are among them, initial writes are not.

Examples:
  rubric kernel trace.gz
  rubric kernel --model tso --pairs test.axe
  rubric kernel --pairs=reduced --format json tests.axe

JSON is one object a line for each history and model: `file`, `history`, `model`, `verdict`, `threads`,
`operations`, `write_pairs` (unordered pairs of writes of one location), `kernel` (how many of them the
kernel orders, null where the history is inconsistent or undecided), `reduction` (how many of these the
others follow from by transitivity), `by` (how many each criterion of --by
orders; null where that is not known), `stopped` (the criteria that a
limit stopped, each with `time` or `memory`; left out if there are none), `seconds`, and with --pairs
`pairs`, each [location, value written first, value written later].

Exit status: the first of 2 (bad usage or input), 1 (inconsistent), 3 (undecided, or a criterion was stopped by
a limit), 0 that occurred.")]
pub(crate) struct Args {
    /// Traces, gem5 output folders, files of histories, or `-`
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,

    /// Memory models, separated by commas
    #[arg(long, value_name = "MODELS", default_value = "sc", value_delimiter = ',', value_parser = words::kernel_model())]
    model: Vec<Model>,

    /// Print the pairs too: all, or only those from which the others follow
    #[arg(long, value_name = "WHICH", num_args = 0..=1, default_missing_value = "all", require_equals = true)]
    pairs: Option<Pairs>,

    /// Criteria whose pairs are counted too, separated by commas. By default all that are weaker than the model: ccv, ccm
    /// and wsc for SC, wccm and wtso for TSO. ccm and wccm, which take memory in the square of the number of
    /// operations, are left out above 16,384 of them
    #[arg(long, value_name = "CRITERIA", value_delimiter = ',', value_parser = words::kernel_criterion())]
    by: Option<Vec<Algorithm>>,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    #[command(flatten)]
    limits: Limits,

    #[command(flatten)]
    options: TraceOptions,
}

/// Which pairs of a kernel are printed.
#[derive(Clone, Copy, ValueEnum)]
enum Pairs {
    All,
    Reduced,
}

/// The pairs that are printed, in ascending order.
fn listed(kernel: &Kernel, pairs: Pairs) -> Vec<(OpId, OpId)> {
    let mut listed: Vec<(OpId, OpId)> = match pairs {
        Pairs::All => kernel.order.pairs().collect(),
        Pairs::Reduced => kernel.order.reduction().collect(),
    };
    listed.sort_unstable();
    listed
}

/// The kernel of one history, and how it was found.
struct Found<'a> {
    file: &'a str,
    history: &'a History,
    model: Model,
    write_pairs: u64,
    kernel: Result<Kernel, NoKernel>,
    by: Vec<(Algorithm, Derived)>,
    seconds: f64,
}

/// How many pairs of writes a criterion orders.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Derived {
    /// This many.
    Pairs(u64),
    /// The criterion says nothing about the history, which has weak fences or no kernel.
    Nothing,
    /// A limit was met first.
    Stopped(Exceeded),
}

impl Derived {
    /// The number of pairs, if it is known.
    fn pairs(self) -> Option<u64> {
        match self {
            Derived::Pairs(pairs) => Some(pairs),
            Derived::Nothing | Derived::Stopped(_) => None,
        }
    }

    /// The limit that was met.
    fn stopped(self) -> Option<Limit> {
        match self {
            Derived::Stopped(Exceeded::Memory) => Some(Limit::Memory),
            Derived::Stopped(_) => Some(Limit::Time),
            Derived::Pairs(_) | Derived::Nothing => None,
        }
    }
}

/// A line of `rubric kernel --format json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Line<'a> {
    /// The file or pipe that the history was read from, as it was given.
    file: &'a str,
    /// The name of the history in the file.
    history: Option<&'a str>,
    /// The name of the memory model, such as `tso`.
    model: &'a str,
    /// Whether the history satisfies the model.
    #[schemars(extend("enum" = ["consistent", "violation", "undecided"]))]
    verdict: &'a str,
    /// The number of threads.
    threads: usize,
    /// The number of operations.
    operations: usize,
    /// How the run ended, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<&'a str>,
    /// The number of pairs of writes of one location.
    write_pairs: u64,
    /// The number of pairs in the kernel; `None` if there is no kernel or it is not known.
    kernel: Option<u64>,
    /// The number of pairs of the kernel from which the others follow by transitivity; `None` as for `kernel`.
    reduction: Option<u64>,
    /// The number of these pairs that each criterion derives; `None` if it is not known.
    by: BTreeMap<&'static str, Option<u64>>,
    /// The limit that stopped a criterion.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    stopped: BTreeMap<&'static str, Limit>,
    /// Seconds that it took.
    seconds: f64,
    /// Why the kernel is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The pairs of the kernel: the location, and the values of the two writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<Vec<[String; 3]>>,
}

/// A limit that stopped a criterion.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Limit {
    Time,
    Memory,
}

/// Runs the command. If an input cannot be read, the remaining inputs are still processed.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let reading = args.options.for_reading()?;
    let mut status = Status::Done;
    for path in &args.traces {
        match load::open(path, &reading).map_err(Error::from) {
            Ok(input) => {
                let each = input.histories.iter();
                let asked =
                    each.flat_map(|history| args.model.iter().map(move |&model| (history, model)));
                for (history, model) in asked {
                    match find(args, &input.file, history, model) {
                        Ok(found) => {
                            status = status.and(found.status());
                            found.print(args, out)?;
                        }
                        Err(error) => status = status.and(complain(&error, out)?),
                    }
                }
            }
            Err(error) => status = status.and(complain(&error, out)?),
        }
    }
    Ok(status)
}

fn find<'a>(
    args: &Args,
    file: &'a str,
    history: &'a History,
    model: Model,
) -> Result<Found<'a>, Error> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared).map_err(|twice| {
        Error::Usage(format!(
            "{}: {twice}, and the kernel depends on it. Record a run that writes unique values",
            named(file, history)
        ))
    })?;
    let bounds = Bounds::new(args.limits.timeout, Some(args.limits.max_memory));
    let start = Instant::now();
    let kernel = kernel(history, &reads_from, model, &bounds);
    let by = match &kernel {
        Ok(kernel) => {
            let derived = |&by: &Algorithm| {
                let pairs = derived(history, &reads_from, by, kernel, &bounds);
                (
                    by,
                    match (pairs, bounds.exceeded()) {
                        (Some(pairs), _) => Derived::Pairs(pairs),
                        (None, Some(limit)) => Derived::Stopped(limit),
                        (None, None) => Derived::Nothing,
                    },
                )
            };
            args.criteria(model, history).iter().map(derived).collect()
        }
        Err(_) => {
            let unknown = |by| (by, Derived::Nothing);
            args.criteria(model, history).into_iter().map(unknown).collect()
        }
    };
    Ok(Found {
        file,
        history,
        model,
        write_pairs: check::kernel::write_pairs(history),
        kernel,
        by,
        seconds: start.elapsed().as_secs_f64(),
    })
}

impl Args {
    /// The criteria whose pairs are counted.
    fn criteria(&self, model: Model, history: &History) -> Vec<Algorithm> {
        match &self.by {
            None => criteria_for(model, history).collect(),
            Some(asked) => {
                let weaker = |criterion: &&Algorithm| asked.contains(criterion);
                criteria(model).iter().filter(weaker).copied().collect()
            }
        }
    }
}

impl Found<'_> {
    fn status(&self) -> Status {
        match &self.kernel {
            Ok(_) if self.by.iter().any(|(_, derived)| derived.stopped().is_some()) => {
                Status::Undecided
            }
            Ok(_) => Status::Done,
            Err(NoKernel::Inconsistent) => Status::Violation,
            Err(NoKernel::Undecided(_)) => Status::Undecided,
        }
    }

    fn print(&self, args: &Args, out: &mut dyn Write) -> Result<(), Error> {
        let printed = match args.format {
            Format::Json => json::line(&self.line(args.pairs), out),
            Format::Text => self.text(args.pairs, out),
        };
        printed.map_err(Error::Output)
    }

    fn line(&self, pairs: Option<Pairs>) -> Line<'_> {
        let kernel = self.kernel.as_ref().ok();
        let by = self.by.iter().map(|(algorithm, derived)| (algorithm.name(), derived.pairs()));
        let stopped = self.by.iter();
        let stopped =
            stopped.filter_map(|(algorithm, derived)| Some((algorithm.name(), derived.stopped()?)));
        Line {
            file: self.file,
            history: self.history.name.as_deref(),
            model: self.model.name(),
            verdict: self.word(),
            threads: self.history.threads().len(),
            operations: self.history.operations(),
            ended: self.history.provenance.ended.as_deref(),
            write_pairs: self.write_pairs,
            kernel: kernel.map(|kernel| kernel.order.len()),
            reduction: kernel.map(|kernel| kernel.order.reduction().count() as u64),
            by: by.collect(),
            stopped: stopped.collect(),
            seconds: self.seconds,
            reason: self.reason().map(|reason| reason.describe(self.history)),
            pairs: kernel.and_then(|kernel| {
                Some(listed(kernel, pairs?).into_iter().map(|pair| self.named(pair)).collect())
            }),
        }
    }

    fn word(&self) -> &'static str {
        match &self.kernel {
            Ok(_) => "consistent",
            Err(NoKernel::Inconsistent) => "violation",
            Err(NoKernel::Undecided(_)) => "undecided",
        }
    }

    fn reason(&self) -> Option<&Reason> {
        match &self.kernel {
            Err(NoKernel::Undecided(reason)) => Some(reason),
            _ => None,
        }
    }

    /// The location and the values of a pair of writes, as the trace has them.
    fn named(&self, (first, second): (OpId, OpId)) -> [String; 3] {
        let location = self.history.location(first);
        let place = location.map(|location| self.history.locations()[location as usize]);
        let hexadecimal = place.is_some_and(|place| place.size.is_some());
        let number = |number: Option<u64>| match number {
            None => "?".to_owned(),
            Some(number) if hexadecimal => format!("{number:#x}"),
            Some(number) => number.to_string(),
        };
        [
            number(place.map(|place| place.address)),
            number(self.history.written(first)),
            number(self.history.written(second)),
        ]
    }

    fn text(&self, pairs: Option<Pairs>, out: &mut dyn Write) -> std::io::Result<()> {
        let name = shown(self.file, self.history);
        let headline = Headline {
            word: self.word(),
            how: match &self.kernel {
                Ok(kernel) => format!("{} pairs in the kernel", kernel.order.len()),
                Err(_) => "no kernel".to_owned(),
            },
            seconds: self.seconds,
            ..Headline::about(self.history, self.model.name(), &name)
        };
        writeln!(out, "{headline}")?;
        if let Some(note) = ending::note(self.history) {
            writeln!(out, "  note: {note}")?;
        }
        match &self.kernel {
            Err(NoKernel::Inconsistent) => {
                return writeln!(out, "  no memory order is allowed, so there is no kernel");
            }
            Err(NoKernel::Undecided(reason)) => {
                return writeln!(out, "  {}", reason.describe(self.history));
            }
            Ok(kernel) => self.table(kernel, out)?,
        }
        let listed = self.kernel.iter().zip(pairs).map(|(kernel, pairs)| listed(kernel, pairs));
        for pair in listed.flatten() {
            let [location, first, second] = self.named(pair);
            writeln!(out, "  {location}: {first} < {second}")?;
        }
        Ok(())
    }

    fn table(&self, kernel: &Kernel, out: &mut dyn Write) -> std::io::Result<()> {
        let size = kernel.order.len();
        writeln!(out, "  {:12} {:>12}  of kernel   of all", "", "pairs")?;
        writeln!(out, "  {:12} {:>12}", "all", self.write_pairs)?;
        let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let row = |name: &str, pairs: u64| {
            let (of_kernel, of_all) = (percent(pairs, size), percent(pairs, self.write_pairs));
            format!("  {name:12} {pairs:>12}   {of_kernel:6.2} % {of_all:6.2} %")
        };
        writeln!(out, "{}", row("kernel", size))?;
        writeln!(out, "{}", row("reduced", kernel.order.reduction().count() as u64))?;
        for (algorithm, derived) in &self.by {
            let name = algorithm.name();
            match derived {
                Derived::Pairs(pairs) => writeln!(out, "{}", row(name, *pairs))?,
                Derived::Nothing => {}
                Derived::Stopped(Exceeded::Memory) => {
                    writeln!(out, "  {name:12} more memory is needed than --max-memory allows")?;
                }
                Derived::Stopped(_) => writeln!(out, "  {name:12} {:>12}", "timed out")?,
            }
        }
        Ok(())
    }
}
