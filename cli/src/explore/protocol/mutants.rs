//! Explorations of many mutants: several at a time, as a table, stored and resumed.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use explore::protocol::{Means, Verdict};
use lab::campaign::{Options, SAMPLE};
use lab::explorations::{Explorations, Row, digest};
use lab::protocols::Opened;
use lab::shard::Shard;
use lab::text::tame;
use serde_json::Value;
use slicc::mutant::{Mutant, Operator};

use super::subject::Subject;
use super::{Args, json, tell};
use crate::campaign::{Sample, sample};
use crate::error::Error;
use crate::options::Format;
use crate::progress::{self, Bars};
use crate::status::Status;

/// Which mutants are explored.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Mutants")]
pub struct MutantArgs {
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
    #[arg(long, value_name = "N|all", requires = "mutants", value_parser = sample)]
    sample: Option<Sample>,

    /// Do only part I of N, from 1: every N-th mutant. All parts may share a folder
    #[arg(long, value_name = "I/N", requires = "mutants")]
    shard: Option<Shard>,
}

impl MutantArgs {
    /// Whether mutants are to be explored.
    pub fn are_asked(&self) -> bool {
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
            sample: match self.sample {
                None => Some(SAMPLE),
                Some(Sample::Some(count)) => Some(count as usize),
                Some(Sample::All) => None,
            },
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
pub fn run(args: &Args, opened: &[Opened], out: &mut dyn Write) -> Result<Status, Error> {
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
    let mut table = Table { args, tasks: &tasks, excluded, counts: [0; 3], status: Status::Done };
    Work { args, stored: stored.as_ref(), tasks: &tasks }.run(&mut table, out)?;
    table.end(out).map_err(Error::Output)?;
    Ok(table.status)
}

/// The explorations to be made.
struct Work<'a> {
    args: &'a Args,
    stored: Option<&'a Explorations>,
    tasks: &'a [Task<'a>],
}

impl Work<'_> {
    /// Makes them, several at a time, and prints each as soon as all before it have ended.
    fn run(&self, table: &mut Table<'_>, out: &mut dyn Write) -> Result<(), Error> {
        let means = self.args.means();
        let threads = means.jobs.min(self.tasks.len()).max(1);
        let means = Means { jobs: if threads > 1 { 1 } else { means.jobs }, ..means };
        let bar = progress::bar(self.tasks.len() as u64, "mutants", self.args.quiet);
        let next = AtomicUsize::new(0);
        let (sender, results) = channel();
        let sender = Mutex::new(sender);
        let mut waiting = BTreeMap::new();
        let mut done = 0;
        let printed = std::thread::scope(|scope| {
            for _ in 0..threads {
                // No thread panics while it holds this.
                let sender = sender.lock().expect("no thread failed").clone();
                let next = &next;
                scope.spawn(move || self.explore(next, &means, &sender));
            }
            drop(sender);
            for (number, row) in &results {
                bar.inc(1);
                waiting.insert(number, row?);
                while let Some(row) = waiting.remove(&done) {
                    bar.suspend(|| table.add(done, &row, out)).map_err(Error::Output)?;
                    done += 1;
                }
            }
            Ok(())
        });
        bar.finish_and_clear();
        printed
    }

    /// Explores one mutant after the other, until there are none or nobody wants the result.
    fn explore(
        &self,
        next: &AtomicUsize,
        means: &Means,
        results: &Sender<(usize, Result<Row, Error>)>,
    ) {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(number) else { return };
            let row = self.explore_one(task, means);
            if row.is_err() {
                next.store(self.tasks.len(), Ordering::Relaxed);
            }
            if results.send((number, row)).is_err() {
                return next.store(self.tasks.len(), Ordering::Relaxed);
            }
        }
    }

    fn explore_one(&self, task: &Task<'_>, means: &Means) -> Result<Row, Error> {
        let subject = Subject::mutated(task.opened, &task.mutant)?;
        let (command, digest) = (self.args.command(&subject), digest(&subject.protocol));
        let limits = self.args.limits.in_words();
        let known = self.stored.and_then(|stored| stored.find(&command, &digest, &limits));
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let explored = subject.explore_by(self.args, means, None, &mut |_, _| {})?;
        let row = Row {
            command,
            digest,
            limits,
            is_final: !matches!(explored.exploration.verdict, Verdict::Stopped(_)),
            status: explored.status().code(),
            result: json::value(self.args, &subject, &explored),
        };
        if let Some(stored) = self.stored {
            stored.add(&row)?;
        }
        Ok(row)
    }
}

/// The table of mutants, which is printed row by row, and the counts of its last line.
struct Table<'a> {
    args: &'a Args,
    tasks: &'a [Task<'a>],
    /// The number of mutants that cannot differ from their protocol.
    excluded: usize,
    /// The number of mutants of which something was found, of which nothing, and which are undecided.
    counts: [usize; 3],
    status: Status,
}

impl Table<'_> {
    /// The number of characters of the longest name of a mutant.
    fn width(&self) -> usize {
        let names = self.tasks.iter().map(|task| task.mutant.name.chars().count());
        names.max().unwrap_or_default()
    }

    /// Prints the next exploration. The line after a finding is the command that reproduces it.
    fn add(&mut self, number: usize, row: &Row, out: &mut dyn Write) -> io::Result<()> {
        let (status, at) = match row.status {
            0 => (Status::Done, 1),
            1 => (Status::Violation, 0),
            _ => (Status::Undecided, 2),
        };
        self.status = self.status.and(status);
        self.counts[at] += 1;
        if self.args.format == Format::Json {
            writeln!(out, "{}", row.result)?;
            return out.flush();
        }
        let (opened, width) = (self.tasks[number].opened, self.width());
        if number == 0 || !std::ptr::eq(self.tasks[number - 1].opened, opened) {
            writeln!(out, "{}: {}", tame(&opened.given), self.args.size())?;
            writeln!(
                out,
                "{:width$}  {:>9}  {:>6}  {:>8}  found",
                "mutant", "states", "moves", "seconds"
            )?;
        }
        let (moves, found) = in_words(&row.result);
        writeln!(
            out,
            "{:width$}  {:>9}  {moves:>6}  {:>8.2}  {}",
            row.result["mutant"].as_str().unwrap_or_default(),
            row.result["states"].as_u64().unwrap_or_default(),
            row.result["seconds"].as_f64().unwrap_or_default(),
            tame(&found)
        )?;
        if status == Status::Violation {
            writeln!(out, "    {}", tame(&row.command))?;
        }
        // Each result is shown as soon as it is known.
        out.flush()
    }

    /// Prints how many mutants were found.
    fn end(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.args.format == Format::Json {
            return Ok(());
        }
        let [found, nothing, undecided] = self.counts;
        let all = self.tasks.len();
        let left_out = match self.excluded {
            0 => String::new(),
            count => format!("; {count} more cannot differ from their protocol"),
        };
        writeln!(
            out,
            "{all} mutants: {found} found, {nothing} without a finding, {undecided} undecided{left_out}"
        )
    }
}

/// The number of moves of the run that was found, and what was found.
fn in_words(result: &Value) -> (String, String) {
    let text = |key: &str| result[key].as_str().unwrap_or_default();
    match text("outcome") {
        "clean" => (String::new(), "nothing".to_owned()),
        "unproved" => {
            let missed = result["missed"].as_f64().unwrap_or_default();
            (
                String::new(),
                format!("nothing, but states were missed with probability {missed:.1e}"),
            )
        }
        "stopped" => {
            let limit = match text("stopped") {
                "states" => "limit of states",
                "memory" => "memory limit",
                _ => "time limit",
            };
            (String::new(), format!("undecided: the {limit} came first"))
        }
        _ => {
            let found = &result["found"];
            let moves = found["steps"].as_array().map_or(0, Vec::len);
            (moves.to_string(), found["what"].as_str().unwrap_or_default().to_owned())
        }
    }
}
