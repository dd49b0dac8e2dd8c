//! Explorations of many mutants: several at a time, as a table, stored and resumed.

pub(crate) mod table;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::str::FromStr as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use explore::protocol::{Exploration, SearchOptions, Verdict};
use lab::campaign::Options;
use lab::explorations::{Explorations, Row, digest};
use lab::protocols::Opened;
use lab::shard::Shard;
use lab::text::tame;
use mutate::touched::Touched;
use mutate::{Mutant, Operator};
use simulate::differences::touched;
use slicc::outline::TableEntry;

use self::table::Table;
use super::subject::Subject;
use super::{Args, json, tell};
use crate::error::Error;
use crate::options::Format;
use crate::progress::{self, Bars};
use crate::sample::Sample;
use crate::status::Status;

/// Which mutants are explored.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Mutants")]
pub(crate) struct MutantArgs {
    /// Explore mutants of the protocols instead: named (those that apply to the protocol), made (by operators), or mutants as
    /// `rubric mutants list` has them [default: named]
    #[arg(
        long,
        value_name = "MUTANTS",
        num_args = 0..,
        require_equals = true,
        value_delimiter = ',',
        default_missing_value = "named"
    )]
    mutants: Option<Vec<String>>,

    /// Use only these operators
    #[arg(long, value_name = "OPERATORS", value_delimiter = ',', requires = "mutants", value_parser = clap::value_parser!(Operator))]
    operator: Vec<Operator>,

    /// Sample N of the mutants that operators make and that may differ from their protocol, as `rubric campaign` does; or `all`
    /// [default: 400]
    #[arg(long, value_name = "N|all", requires = "mutants", value_parser = Sample::from_str)]
    sample: Option<Sample>,

    /// Do only part I of N, from 1: every N-th mutant. All parts may share a folder
    #[arg(long, value_name = "I/N", requires = "mutants")]
    shard: Option<Shard>,
}

impl MutantArgs {
    /// Whether mutants are to be explored.
    pub(crate) fn are_asked(&self) -> bool {
        self.mutants.is_some()
    }

    /// The options of a campaign with these mutants.
    fn options(&self) -> Result<Options, Error> {
        let words = self.mutants.as_deref().unwrap_or_default();
        let asks = |word: &str| words.iter().any(|asked| asked == word);
        if !asks("made") && (self.sample.is_some() || !self.operator.is_empty()) {
            return Err(Error::Usage(
                "--sample and --operator are about mutants that operators make: add `made` to --mutants"
                    .to_owned(),
            ));
        }
        let others = words.iter().filter(|word| !["named", "made"].contains(&word.as_str()));
        Ok(Options {
            made: asks("made"),
            named: asks("named"),
            mutants: others.cloned().collect(),
            operators: self.operator.clone(),
            sample: Sample::number(self.sample),
            ..Options::default()
        })
    }
}

/// A mutant of one of the protocols.
struct Task<'a> {
    opened: &'a Opened,
    mutant: Mutant,
}

/// Explores the mutants of protocols.
pub(crate) fn run(args: &Args, opened: &[Opened], out: &mut dyn Write) -> Result<Status, Error> {
    let options = args.mutants.options()?;
    let (mutants, excluded) = lab::campaign::mutants(&options, opened, &Bars::new(args.quiet))?;
    for (at, one) in opened.iter().enumerate() {
        if options.named && mutants.iter().all(|(of, _)| *of != at) {
            return Err(Error::Usage(format!(
                "--mutants: no named mutants apply to {}; --mutant takes those that `rubric mutants list {}` shows",
                one.given, one.given
            )));
        }
        tell(one, args);
    }
    let has = |number: usize| args.mutants.shard.is_none_or(|shard| shard.has(number));
    let tasks = mutants.into_iter().enumerate().filter(|(number, _)| has(*number));
    let tasks: Vec<Task<'_>> =
        tasks.map(|(_, (of, mutant))| Task { opened: &opened[of], mutant }).collect();
    let folder = args.output.as_deref();
    let stored = folder.map(|folder| Explorations::open(folder, args.mutants.shard)).transpose()?;
    let mut printed = Printed { args, tasks: &tasks, table: Table::default() };
    Work { args, stored: stored.as_ref(), tasks: &tasks }.run(&mut printed, out)?;
    if args.format == Format::Text {
        let left_out = match excluded {
            0 => String::new(),
            count => format!("; {count} more cannot differ from their protocol"),
        };
        writeln!(out, "{}{left_out}", printed.table.end()).map_err(Error::Output)?;
        let others = args.other_runs();
        if printed.table.has_unreached() && !others.is_empty() {
            writeln!(out, "what these change may need other runs: {}", others.join(", "))
                .map_err(Error::Output)?;
        }
    }
    Ok(printed.table.status)
}

/// The mutants to be explored, and the options.
struct Work<'a> {
    args: &'a Args,
    stored: Option<&'a Explorations>,
    tasks: &'a [Task<'a>],
}

impl Work<'_> {
    /// Explores the mutants, several at a time, and prints each result as soon as all before it are printed.
    fn run(&self, printed: &mut Printed<'_>, out: &mut dyn Write) -> Result<(), Error> {
        let search_options = self.args.search_options();
        let threads = search_options.jobs.min(self.tasks.len()).max(1);
        let search_options = SearchOptions {
            jobs: if threads > 1 { 1 } else { search_options.jobs },
            ..search_options
        };
        let bar = progress::bar(Some(self.tasks.len() as u64), "mutants", self.args.quiet);
        let next = AtomicUsize::new(0);
        let (sender, results) = channel();
        let sender = Mutex::new(sender);
        let mut waiting = BTreeMap::new();
        let mut done = 0;
        let ended = std::thread::scope(|scope| {
            for _ in 0..threads {
                // No thread panics while it holds the lock.
                let sender = sender.lock().expect("no thread failed").clone();
                let next = &next;
                scope.spawn(move || self.explore(next, &search_options, &sender));
            }
            drop(sender);
            for (number, row) in &results {
                bar.inc(1);
                waiting.insert(number, row?);
                while let Some(row) = waiting.remove(&done) {
                    bar.suspend(|| printed.add(done, &row, out)).map_err(Error::Output)?;
                    done += 1;
                }
            }
            Ok(())
        });
        bar.finish_and_clear();
        ended
    }

    /// Explores one mutant after the other, until none is left or the receiver of the results is gone.
    fn explore(
        &self,
        next: &AtomicUsize,
        search_options: &SearchOptions,
        results: &Sender<(usize, Result<Row, Error>)>,
    ) {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(number) else { return };
            let row = self.explore_one(task, search_options);
            if row.is_err() {
                next.store(self.tasks.len(), Ordering::Relaxed);
            }
            if results.send((number, row)).is_err() {
                return next.store(self.tasks.len(), Ordering::Relaxed);
            }
        }
    }

    fn explore_one(&self, task: &Task<'_>, search_options: &SearchOptions) -> Result<Row, Error> {
        let subject = Subject::mutated(task.opened, &task.mutant)?;
        let (command, digest) = (self.args.command(&subject), digest(&subject.protocol));
        let limits = self.args.limits.in_words();
        let known = self.stored.and_then(|stored| stored.find(&command, &digest, &limits));
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let explored = subject.explore_by(self.args, search_options, None, &mut |_, _| {})?;
        let touched = touched(&task.opened.protocol, &subject.protocol);
        let change =
            json::Change::Asked { change_reached: is_reached(&touched, &explored.exploration) };
        let line = json::line(self.args, &subject, &explored, change);
        let row = Row {
            command,
            digest,
            limits,
            is_final: !matches!(explored.exploration.verdict, Verdict::Stopped(_)),
            status: explored.status().code(),
            result: serde_json::to_value(line).map_err(io::Error::from).map_err(Error::Output)?,
        };
        if let Some(stored) = self.stored {
            stored.add(&row)?;
        }
        Ok(row)
    }
}

/// Whether a run reaches the change of a mutant: whether it takes a transition that the mutant changes. `None` if no run does,
/// but the mutant also changes code that is not of a transition.
fn is_reached(touched: &Touched, exploration: &Exploration) -> Option<bool> {
    let met = exploration.taken.iter().chain(&exploration.stalled);
    let mut met = met.map(|(machine, state, event)| TableEntry::new(machine, state, event));
    let is_found = matches!(exploration.verdict, Verdict::Found(_));
    let is_met = is_found || met.any(|entry| touched.entries.contains(&entry));
    (is_met || touched.elsewhere.is_empty()).then_some(is_met)
}

/// Prints the results of explorations in their order.
struct Printed<'a> {
    args: &'a Args,
    tasks: &'a [Task<'a>],
    table: Table,
}

impl Printed<'_> {
    /// Prints the next exploration, as soon as it is known.
    fn add(&mut self, number: usize, row: &Row, out: &mut dyn Write) -> io::Result<()> {
        if self.args.format == Format::Json {
            self.table.add(row);
            writeln!(out, "{}", row.result)?;
            return out.flush();
        }
        let opened = self.tasks[number].opened;
        if number == 0 || !std::ptr::eq(self.tasks[number - 1].opened, opened) {
            let names = self.tasks.iter().map(|task| &*task.mutant.name);
            self.table.width = table::width(names);
            writeln!(out, "{}: {}", tame(&opened.given), self.args.size())?;
            writeln!(out, "{}", self.table.heading())?;
        }
        writeln!(out, "{}", self.table.add(row))?;
        out.flush()
    }
}
