//! The arguments of `rubric check`.

use std::path::PathBuf;
use std::time::Duration;

use check::{Algorithm, Model};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use history::{Ambiguity, OpId};
use memory::PsoRmw;
use papers::hpca;

use super::store_order::StoreOrder;
use crate::error::Error;
use crate::limits::Limits;
use crate::options::TraceOptions;
use crate::question::Ambiguous;
use crate::simulate::parse;
use crate::words;
use lab::load::Input;

/// Time limit of each algorithm if all are run and the user gives no limit.
const EACH_OF_ALL: Duration = Duration::from_secs(10);

/// Decide whether histories are consistent with SC, TSO, PSO or a weaker memory model
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric check trace.gz
  rubric check --model sc,tso,pso m5out
  rubric check --jobs 8 runs -o verdicts.parquet -o verdicts.csv
  rubric check --model tso --certificate proofs tests.axe
  rubric check x86-exec.trace.gz
  rubric check --addresses 0x4bd000-0x4bd100 --model sc x86-exec.trace.gz
  rubric check --algorithm wsc-dbcop --timeout 2 test.axe
  rubric check --algorithm all --model sc,tso test.axe
  zcat trace.gz | rubric check --format json -

Of a folder that is not gem5's output folder of one run, and of a pattern, all traces are checked. Several inputs end with a table,
violations first, and the numbers of each folder; with more than 40 inputs that is all that is printed. An input that
cannot be read is a row of the table and does not keep the others from being checked.

A run that gem5 aborted (a panic, a fatal error, a failed assertion, a deadlock, a segmentation fault: the message is
in the trace, or in `simerr` or `simout` of the folder) is reported first, with the last transitions and messages for
the address and the requests that were never answered. The verdict is about the operations that completed.

JSON is one object a line for each history and model: `file`, `history`, `model`, `verdict`
(`consistent`, `violation` or `undecided`), `decided_by`, `threads`, `operations`, `seconds`, what
was assumed, and for a violation why (`violation.cycle`); docs/formats.md has all keys. Where a criterion
is asked about that is weaker than the model, `criterion` names it and the verdict is about it. With
`--algorithm all` there is such an object for each algorithm.

Of instructions that CPUs executed (the flag Exec) those of x86, RISC-V and AArch64 are understood. Locations are found by
their use if --addresses does not choose them, and their values may repeat. What is not understood
and could matter ends undecided; docs/gem5.md says what is supported. Without --model the model of the instruction
set is checked: TSO, RVWMO or Armv8.

Exit status: the first of 2 (bad usage or input), 1 (a violation, or a run that crashed), 3 (undecided), 0 that
occurred.")]
pub(crate) struct Args {
    /// Traces, gem5 output folders, files of histories, folders of any of these, patterns such as 'runs/**/*.gz', or `-`
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,

    /// Memory models, separated by commas [default: sc, or for what CPUs executed that of their instruction
    /// set: tso, rvwmo or armv8, or tso for an algorithm that is for TSO alone]
    #[arg(long, value_name = "MODELS", value_delimiter = ',', value_parser = words::model())]
    model: Vec<Model>,

    /// What a read-modify-write waits for under PSO: its thread's stores to its own location, or
    /// all of its thread's stores
    #[arg(long, value_name = "own|all", default_value = "own", value_parser = words::rmw())]
    pso_rmw: PsoRmw,

    /// What decides: all stages in turn, one of them alone, or an algorithm of a paper; `all` runs
    /// every one that applies and compares them, for 10 seconds each if --timeout does not say
    /// otherwise
    #[arg(long, value_name = "NAME", default_value = "stages", value_parser = choice_parser())]
    pub algorithm: Choice,

    /// A value written twice to a location: an error, or search also for which write each such read
    /// takes its value from (every choice is tried, which takes longer)
    #[arg(long, value_name = "refuse|search", default_value = "refuse")]
    ambiguous: Ambiguous,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Form,

    /// Write the table of verdicts to this file as well: a name ending in .csv, .json, .jsonl, .md or .parquet; may be repeated
    #[arg(long, short, value_name = "FILE")]
    pub output: Vec<PathBuf>,

    /// Inputs that are checked at the same time [default: the number of cores]; with more than one, times are measured while others
    /// are checked
    #[arg(long, value_name = "N", value_parser = parse::positive)]
    pub jobs: Option<u32>,

    /// Write a certificate for every verdict into this folder; `rubric verify` checks it
    #[arg(long, value_name = "DIR")]
    pub certificate: Option<PathBuf>,

    /// How many contradictions the search may meet before it gives up
    #[arg(long, alias = "budget", value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    max_contradictions: u64,

    /// Let heu, deriv, heu-back or deriv-back sort without inferring edges first
    #[arg(long)]
    no_baseline: bool,

    /// The order of the writes of each location, for the algorithms of the TSO tool (tso-baseline,
    /// hpca-r8, heu, deriv, heu-back, deriv-back): lines `ADDRESS: VALUE VALUE …`
    #[arg(long, value_name = "FILE", conflicts_with = "no_baseline")]
    store_order: Option<PathBuf>,

    #[command(flatten)]
    limits: Limits,

    #[command(flatten)]
    pub options: TraceOptions,
}

/// The form in which verdicts are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Human-readable text, with a table at the end
    Text,
    /// JSON Lines
    Json,
    /// Only the table, as CSV
    Csv,
    /// Only the table, in the file that -o names
    Parquet,
}

/// The value of `--algorithm`: one algorithm, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// A single algorithm.
    One(Algorithm),
    /// Every algorithm that applies to the model.
    All,
}

impl Choice {
    fn name(self) -> &'static str {
        match self {
            Choice::One(algorithm) => algorithm.name(),
            Choice::All => "all",
        }
    }

    /// Whether the choice applies to a model.
    pub(crate) fn applies_to(self, model: Model) -> bool {
        match self {
            Choice::One(algorithm) => algorithm.applies_to(model),
            Choice::All => true,
        }
    }

    fn is(self, test: fn(Algorithm) -> bool) -> bool {
        matches!(self, Choice::One(algorithm) if test(algorithm))
    }
}

impl Args {
    /// The models to check.
    ///
    /// # Errors
    /// Returns an error if the user names a model that the algorithm does not apply to.
    pub(crate) fn models(&self) -> Result<Vec<Model>, Error> {
        let Choice::One(algorithm) = self.algorithm else {
            return Ok(if self.model.is_empty() {
                vec![Model::SC]
            } else {
                self.named_models().collect()
            });
        };
        if self.model.is_empty() {
            return Ok(vec![algorithm.default_model()]);
        }
        match self.named_models().find(|&model| !algorithm.applies_to(model)) {
            None => Ok(self.named_models().collect()),
            Some(model) => Err(Error::Usage(format!(
                "--algorithm {} says nothing about {model}: leave --model out, or name the one it \
                 is for, {}",
                algorithm.name(),
                algorithm.default_model().name()
            ))),
        }
    }

    /// Whether the user names no model.
    pub(crate) fn names_no_model(&self) -> bool {
        self.model.is_empty()
    }

    /// The models that the user names, each once, in the order of the command line.
    fn named_models(&self) -> impl Iterator<Item = Model> {
        let named = self.model.iter().enumerate();
        let first = named.filter(|&(at, model)| !self.model[..at].contains(model));
        first.map(|(_, model)| model.with_rmw(self.pso_rmw))
    }

    /// Reads the options that only the algorithms of the TSO tool take.
    ///
    /// # Errors
    /// Returns an error if such an option does not fit the algorithm or the number of traces, or if the file of store orders
    /// cannot be read.
    pub(crate) fn for_tso_tool(&self) -> Result<Option<StoreOrder>, Error> {
        let refused = |option: &str, takes: fn(Algorithm) -> bool| {
            let takers = papers::ALL.into_iter().filter(|&taker| takes(taker));
            let names: Vec<&str> = takers.map(Algorithm::name).collect();
            Error::Usage(format!(
                "{option} is for --algorithm {}, not for {}",
                names.join(", "),
                self.algorithm.name()
            ))
        };
        if self.no_baseline && !self.algorithm.is(hpca::sorts) {
            return Err(refused("--no-baseline", hpca::sorts));
        }
        let Some(path) = &self.store_order else {
            return Ok(None);
        };
        if !self.algorithm.is(hpca::has) {
            return Err(refused("--store-order", hpca::has));
        }
        if self.traces.len() > 1 {
            return Err(Error::Usage(format!(
                "--store-order is about one history, but {} traces are given",
                self.traces.len()
            )));
        }
        StoreOrder::read(path).map(Some)
    }

    /// The options with which an algorithm checks.
    pub(crate) fn for_checking(
        &self,
        algorithm: Algorithm,
        store_order: Option<&Vec<OpId>>,
    ) -> check::Options {
        check::Options {
            algorithm,
            timeout: self.limits.timeout.or(match self.algorithm {
                Choice::One(_) => None,
                Choice::All => Some(EACH_OF_ALL),
            }),
            max_memory: Some(self.limits.max_memory),
            budget: self.max_contradictions,
            no_baseline: self.no_baseline,
            store_order: store_order.cloned(),
        }
    }

    /// How values that are written twice are treated.
    pub(crate) fn ambiguity(&self, input: &Input) -> Ambiguity {
        self.ambiguous.of(input)
    }
}

/// Parses the name of an algorithm, or `all`.
fn choice_parser() -> impl TypedValueParser<Value = Choice> {
    let all =
        PossibleValue::new("all").help("Runs every algorithm that applies, and compares them");
    let values = papers::ALL.map(words::algorithm);
    PossibleValuesParser::new(values.into_iter().chain([all]))
        .map(|name| papers::from_name(&name).map_or(Choice::All, Choice::One))
}
