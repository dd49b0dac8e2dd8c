//! What the user asks for.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use bytesize::ByteSize;
use check::Algorithm;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::catalog::{EXPERIMENTS, Experiment, MUTANTS};
use super::point::Size;
use super::program::Program;
use super::trial::Limits;
use crate::error::Error;
use crate::shard::Shard;

/// Run the experiments of the papers: a table of what each algorithm said of each history, and in what time
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric experiment --list
  rubric experiment gcc-fig4
  rubric experiment all --size paper -o results
  rubric experiment wsc-fig7 --algorithm complete,sat --timeout 10
  rubric experiment wsc-fig7 --program mine='./checker --axe {}'
  rubric experiment wsc-fig7 --traces path/to/traces
  rubric experiment wsc-fig7 --size paper --shard 3/8 -o results
  rubric experiment gcc-fig4 --only operations=300/7 --save h.axe
  rubric report results -o report.html

Histories are made by the built-in protocols, their mutants, or a model's operational machine; the seed
of each is in its row. As many run at a time as there are cores, each on one core. DIR holds NAME.jsonl, a
line for each row as soon as there is one, and at the end NAME.parquet. The same command again goes on
where it stopped, also after `kill -9`, and may add algorithms. A run that needs more time or memory than
allowed is in the table as `timeout` or `memory`. A row's column `command` repeats it.

Exit status: 0 done, 2 bad usage, a file that cannot be written, or a defect that was found.")]
pub struct Args {
    /// Experiments: names that --list has, or `all`
    #[arg(value_name = "NAME", required_unless_present = "list", value_parser = name_parser())]
    pub names: Vec<String>,

    /// List the experiments
    #[arg(long, exclusive = true)]
    pub list: bool,

    /// How large: quick (at least 10 histories a point), as in the paper, or larger
    #[arg(long, value_name = "SIZE", default_value = "quick")]
    pub size: Size,

    /// Folder for the tables; what an interrupted run of the same experiments left there is gone on with
    #[arg(long, short, value_name = "DIR", default_value = "results")]
    pub output: PathBuf,

    /// Use the histories in these files instead, and not those that protocols make: all that the folder holds
    #[arg(long, value_name = "DIR", conflicts_with = "shard")]
    pub traces: Option<PathBuf>,

    /// Ask these algorithms too
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = algorithm_parser())]
    pub algorithm: Vec<Algorithm>,

    /// Ask a program of yours too: NAME=COMMAND, with {} where the history's file goes (axe text) and {model}
    /// for the model. Its exit status is 0 for consistent, 1 for a violation, else undecided
    #[arg(long, value_name = "NAME=COMMAND", value_parser = Program::from_str)]
    pub program: Vec<Program>,

    /// What everything random comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Do the I-th of N parts, and write NAME.I-of-N.parquet
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,

    /// Do only this: a point, or one of its histories, such as operations=300/7; and print it
    #[arg(long, value_name = "POINT[/NUMBER]", conflicts_with = "shard")]
    pub only: Option<Only>,

    /// With --only and a number: write the history to this file (.axe, .json, .jsonl or .parquet)
    #[arg(long, value_name = "FILE", requires = "only")]
    pub save: Option<PathBuf>,

    /// How many histories to work on at a time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = crate::simulate::parse::positive)]
    pub jobs: Option<u32>,

    /// Time limit in seconds for each algorithm and history
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = crate::limits::parse_seconds)]
    pub timeout: Duration,

    /// Memory that the program may occupy before an algorithm has to give up
    #[arg(long, value_name = "SIZE", default_value = "16GiB")]
    pub max_memory: ByteSize,

    /// Say nothing on standard error but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// A point, or a history of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Only {
    /// The name of the point.
    pub point: String,
    /// The number of the history.
    pub number: Option<u32>,
}

impl FromStr for Only {
    type Err = String;

    fn from_str(text: &str) -> Result<Only, String> {
        // The mix in a point has a `/` too, but nothing ends with it.
        let number = text.rsplit_once('/').and_then(|(point, number)| {
            let number = number.parse().ok()?;
            Some((point, number))
        });
        let (point, number) = number.map_or((text, None), |(point, number)| (point, Some(number)));
        Ok(Only {
            point: point.to_owned(),
            number,
        })
    }
}

impl Args {
    /// The experiments, each once, in the order of the list; whether the mutants are among them.
    pub fn experiments(&self) -> (Vec<Experiment>, bool) {
        let is_named = |name: &str| self.names.iter().any(|one| one == name || one == "all");
        let named = EXPERIMENTS.into_iter().filter(|one| is_named(one.name));
        (named.collect(), is_named(MUTANTS))
    }

    /// How much each algorithm may take.
    pub fn limits(&self) -> Limits {
        Limits {
            timeout: self.timeout,
            memory: self.max_memory.as_u64(),
        }
    }

    /// Refuses options that do not fit each other.
    pub fn check(&self) -> Result<(), Error> {
        let (experiments, mutants) = self.experiments();
        if self.only.is_some() && (experiments.len() != 1 || mutants) {
            return Err(Error::Usage(
                "--only: name one experiment that it is a point of".to_owned(),
            ));
        }
        if self.save.is_some() && self.only.as_ref().is_some_and(|only| only.number.is_none()) {
            return Err(Error::Usage(
                "--save writes one history: add its number to --only, as in operations=300/7"
                    .to_owned(),
            ));
        }
        if mutants && self.traces.is_some() && experiments.is_empty() {
            return Err(Error::Usage(
                "--traces: `mutants` runs protocols, and cannot do with recorded traces".to_owned(),
            ));
        }
        Ok(())
    }
}

fn name_parser() -> PossibleValuesParser {
    let names = EXPERIMENTS.map(|one| one.name);
    PossibleValuesParser::new(names.into_iter().chain([MUTANTS, "all"]))
}

fn algorithm_parser() -> impl TypedValueParser<Value = Algorithm> {
    PossibleValuesParser::new(Algorithm::ALL.map(Algorithm::name)).try_map(|name| {
        let found = Algorithm::ALL.into_iter().find(|one| one.name() == name);
        found.ok_or("the name of an algorithm was expected")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_may_have_a_slash() {
        let only = |text: &str| {
            let only: Only = text.parse().unwrap();
            (only.point, only.number)
        };
        assert_eq!(only("threads=4/7"), ("threads=4".to_owned(), Some(7)));
        assert_eq!(only("threads=4"), ("threads=4".to_owned(), None));
        let point = "mix=50/16/30/2,operations=8192";
        assert_eq!(only(point), (point.to_owned(), None));
        assert_eq!(only(&format!("{point}/3")), (point.to_owned(), Some(3)));
    }
}
