//! The options for explorations of many mutants, and their results as a table.

use std::io::{self, Write};
use std::str::FromStr as _;

use lab::campaign::Options;
use lab::exploration::Plan;
use lab::explorations::table::{self, Table};
use lab::explorations::{Explorations, Row, Task, Work};
use lab::protocols::Opened;
use lab::shard::Shard;
use lab::text::tame;
use mutate::Operator;

use super::{Args, tell};
use crate::error::Error;
use crate::options::Format;
use crate::progress::Bars;
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

/// Explores the mutants of protocols.
pub(super) fn run(
    args: &Args,
    plan: &Plan,
    opened: &[Opened],
    out: &mut dyn Write,
) -> Result<Status, Error> {
    let options = args.mutants.options()?;
    let bars = Bars::new(args.quiet);
    let (mutants, excluded) = lab::campaign::mutants(&options, opened, &bars)?;
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
    let mut printed = Printed { args, plan, tasks: &tasks, table: Table::default() };
    let work = Work { plan, stored: stored.as_ref(), tasks: &tasks, observer: &bars };
    work.run(&mut |number, row| {
        bars.suspend(|| printed.add(number, row, out)).map_err(Error::Output)
    })?;
    if args.format == Format::Text {
        let left_out = match excluded {
            0 => String::new(),
            count => format!("; {count} more cannot differ from their protocol"),
        };
        writeln!(out, "{}{left_out}", printed.table.end()).map_err(Error::Output)?;
        let others = plan.other_runs();
        if printed.table.has_unreached() && !others.is_empty() {
            writeln!(out, "what these change may need other runs: {}", others.join(", "))
                .map_err(Error::Output)?;
        }
    }
    Ok(printed.table.outcome.into())
}

/// Prints the results of explorations in their order.
struct Printed<'a> {
    args: &'a Args,
    plan: &'a Plan,
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
            writeln!(out, "{}: {}", tame(&opened.given), self.plan.size())?;
            writeln!(out, "{}", self.table.heading())?;
        }
        writeln!(out, "{}", self.table.add(row))?;
        out.flush()
    }
}
