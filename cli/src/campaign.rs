//! `rubric campaign`: runs mutants with random programs, and reports what catches them. [`lab::campaign`] does the work.

use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

use lab::campaign::{Campaign, Guided, Options, StopRule, TIMEOUT, stored};
use lab::decided::Size;
use lab::gem5::Given;
use lab::protocols::Repairs;
use lab::shard::Shard;
use lab::text::tame;
use mutate::Operator;
use slicc::setting::Setting;

use crate::error::{Error, tell, warn_of_protocol};
use crate::interrupt;
use crate::jobs::JobsArgs;
use crate::limits::Limits;
use crate::options::Format;
use crate::progress::Bars;
use crate::report::{self, Progress};
use crate::sample::Sample;
use crate::simulate::extras::ExtrasArgs;
use crate::simulate::parse::{self, Clients};
use crate::status::Status;
use crate::words;

/// Run mutants of protocols with random programs, and find out which algorithm catches which
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric campaign -o campaign
  rubric campaign MI_example --sample all --runs 100 -o mi
  rubric campaign MESI_Two_Level --operator drop-action,next-state-same --runs 50 -o mesi
  rubric campaign --mutants named --guided=compare --repeat 5 --runs 500 -o guided
  rubric campaign --mutants none --client all --runs 1000 -o unmutated
  rubric campaign --sample all --runs 500 --shard 2/8 -o campaign
  rubric campaign path/to/My_protocol.slicc --budget 10m -o mine
  rubric campaign path/to/gem5/src/mem/ruby/protocol/MESI_Two_Level.slicc --repair all --mutants named -o repaired
  rubric campaign --gem5 path/to/gem5.opt mi-l1-nack-before-forward=path/to/mutant/gem5.opt -o gem5

Every run is drawn from a seed: its program, its caches, its latencies. The unmutated protocols run
first, with the same seeds: a violation among these is a false alarm. Then mutants that cannot differ
from the protocol are excluded, and the others run until an algorithm catches them.

DIR holds runs.jsonl, a line for each run as soon as it has ended; and at the end runs.parquet (a row
for each run), equivalents.parquet (the excluded mutants, with the reason) and coverage.parquet (which
transitions the unmutated protocols took). The same command again
resumes the campaign, also after `kill -9`, and may ask for more runs or time. `rubric report DIR`
prints the answers again. With --shard I/N the files are runs.I-of-N.jsonl and so on, and `rubric report`
takes a folder with all of them for one campaign. A verdict may take 10 s unless --timeout says otherwise. To reproduce a row, run its column `command`:
`rubric simulate PROTOCOL --mutant MUTANT --client CLIENT --recipe RECIPE --check`.

With --gem5 the same programs run in binaries of gem5 that you have built, each with a protocol or a mutant
(docs/gem5.md). One process runs many programs, each in a fork of its own with cold caches; 64 consecutive
seeds share the sizes of caches, the banks and the directories. Crashes are told by gem5's messages. A program
that takes longer than --timeout is undecided. Coverage is that of binaries with unmutated protocols. gem5's
configs are looked for beside the binary, or in the source folder that the variable RUBRIC_GEM5 names.

Exit status: 1 if an unmutated protocol shows a fault or a violation of what its client guarantees; 2 bad
usage, protocol files or folder; else 0, whatever mutants do.")]
pub(crate) struct Args {
    /// Protocols: built-in names, paths of `.slicc` files, or `all` for every built-in one
    #[arg(value_name = "PROTOCOL", default_value = "all")]
    pub protocols: Vec<String>,

    /// Folder for the tables; an unfinished campaign with the same options that it holds is resumed
    #[arg(long, short, value_name = "DIR", default_value = "campaign")]
    pub output: PathBuf,

    /// Which mutants: made (by operators), named (those that apply to the protocol), none, or mutants as
    /// `rubric mutants list` has them
    #[arg(long, value_name = "MUTANTS", default_value = "made,named", value_delimiter = ',')]
    pub mutants: Vec<String>,

    /// Use only these operators
    #[arg(long, value_name = "OPERATORS", value_delimiter = ',', value_parser = clap::value_parser!(Operator))]
    pub operator: Vec<Operator>,

    /// Sample N of the mutants that operators make and that are not excluded, evenly over protocols and operators;
    /// or `all` [default: 400]
    #[arg(long, value_name = "N|all", value_parser = Sample::from_str)]
    pub sample: Option<Sample>,

    /// What runs the programs, as in `rubric simulate`
    #[arg(long, value_name = "CLIENTS", default_value = "in-order,store-buffer,early", value_delimiter = ',',
          value_parser = parse::client)]
    pub client: Vec<Clients>,

    /// Most runs of each mutant on each kind of core
    #[arg(long, value_name = "N", default_value = "20", value_parser = parse::positive)]
    pub runs: u32,

    /// Seed of the pseudo-random numbers: the runs have this seed, the next one and so on
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    #[command(flatten)]
    pub extras: ExtrasArgs,

    /// Run the programs in gem5: binaries that were built with rubric's plug-in, the folder gem5. NAME is the mutant that
    /// was built in, or `none` for the protocol as it is; without NAME, that is so, too. The protocol is that of the binary
    #[arg(long, value_name = "[NAME=]PATH", num_args = 1.., value_parser = Given::from_str,
          conflicts_with_all = ["mutants", "operator", "sample", "guided", "repair", "strict"])]
    pub gem5: Vec<Given>,

    /// Repair known faults of gem5's released protocols first: `all` that fit, or names from `rubric mutants list
    /// --repairs`, each of which must fit one of the protocols. Mutants are made of what was repaired
    #[arg(long, value_name = "REPAIRS", default_value = "none", hide_default_value = true)]
    pub repair: Repairs,

    /// Set a parameter of the protocols or the order of a buffer, as in `rubric simulate`
    #[arg(long, value_name = "[MACHINE.]NAME=VALUE", conflicts_with = "gem5")]
    pub set: Vec<Setting>,

    /// After the runs explore the protocols at these sizes, such as 2x1,2x2-tiny (threads x locations, tiny caches): what no
    /// program took and no run of these systems takes does not count as reachable. A size with more than three million states is left out
    #[arg(long, value_name = "SIZES", value_delimiter = ',', conflicts_with = "gem5")]
    pub explore: Vec<Size>,

    /// Mutate the programs that reached new or rare transitions (coverage guidance); `compare` also runs
    /// programs without guidance
    #[arg(long, value_name = "compare", num_args = 0..=1, require_equals = true, default_missing_value = "only",
          value_parser = words::one_of(&Guided::ALL, Guided::name))]
    pub guided: Option<Guided>,

    /// Repeat the campaign N times, each time with other seeds
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse::positive)]
    pub repeat: u32,

    /// When to stop running a mutant: once any client has caught it (mutant), each client once it has caught it
    /// itself (client), or only after the last run (never) [default: mutant, with --guided client]
    #[arg(long, value_name = "WHEN", value_parser = words::one_of(&StopRule::ALL, StopRule::name))]
    pub stop: Option<StopRule>,

    /// Start no more runs after this time, such as 90 (seconds), 10m or 2h. Comparing mutants with their protocol, some
    /// milliseconds each, comes before and is not counted
    #[arg(long, value_name = "TIME", value_parser = crate::time::parse)]
    pub budget: Option<Duration>,

    /// Do only part I of N, from 1: of the mutants every N-th. The unmutated protocols run in every part. All
    /// parts may use one folder, also at the same time from several machines
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,

    /// Treat mistakes that gem5 accepts (such as the use of an entry that was never allocated) as faults that end the
    /// run, not only as warnings
    #[arg(long)]
    pub strict: bool,

    /// Keep the traces of runs that end in a fault or violation, in DIR/traces
    #[arg(long)]
    pub keep_traces: bool,

    #[command(flatten)]
    pub jobs: JobsArgs,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,

    /// Print only errors on standard error
    #[arg(long, short)]
    pub quiet: bool,

    #[command(flatten)]
    pub limits: Limits,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    args.check()?;
    args.jobs.apply()?;
    run_with(args.options(), args.quiet, args.format, out)
}

/// Runs a campaign with the given options, and prints its results.
///
/// # Errors
/// Returns an error if the campaign fails or `out` cannot be written.
pub(crate) fn run_with(
    options: Options,
    quiet: bool,
    format: Format,
    out: &mut dyn Write,
) -> Result<Status, Error> {
    let start = Instant::now();
    let (given, folder) = (options.clone(), options.output.clone());
    let message = move || interrupted(&given);
    if !quiet {
        interrupt::farewell(message.clone());
    }
    // A run in gem5 may take long.
    if options.gem5.is_empty() {
        interrupt::gracefully();
    }
    let settings = options.settings.clone();
    let campaign = Campaign::new(options)?;
    if !quiet {
        let opened = campaign.protocols().iter();
        opened.for_each(|opened| warn_of_protocol(opened, &settings));
    }
    let outcome = campaign.run(&Bars::new(quiet))?;
    interrupt::no_farewell();
    for sentence in outcome.unproved.iter().filter(|_| !quiet) {
        tell(format_args!("warning: {}", tame(sentence)));
    }
    let progress = Progress { seconds: start.elapsed().as_secs_f64(), is_whole: outcome.is_whole };
    let campaign = report::Campaign {
        runs: &outcome.results.runs,
        equivalents: &outcome.results.equivalents,
        coverage: &outcome.results.coverage,
        is_running: false,
    };
    let status = report::print(&campaign, &folder, &outcome.tables, &progress, format, out)?;
    if interrupt::asked() && !quiet {
        tell(format_args!("{}", message()));
    }
    Ok(interrupt::status(status))
}

/// The message for a campaign that a signal ends: the number of stored runs, and how to resume.
fn interrupted(options: &Options) -> String {
    let stored = stored(options);
    let runs = if stored == 1 { "1 run is".to_owned() } else { format!("{stored} runs are") };
    format!(
        "interrupted: {runs} stored in {}; the same command resumes the campaign",
        options.output.display()
    )
}

impl Args {
    /// The options of the campaign.
    fn options(&self) -> Options {
        let is_word = |word: &&String| !["made", "named", "none"].contains(&word.as_str());
        let asks = |word: &str| self.mutants.iter().any(|asked| asked == word);
        let names = parse::protocols(&self.protocols).into_iter();
        Options {
            protocols: names.map(str::to_owned).collect(),
            gem5: self.gem5.clone(),
            output: self.output.clone(),
            made: asks("made"),
            named: asks("named"),
            mutants: self.mutants.iter().filter(is_word).cloned().collect(),
            operators: self.operator.clone(),
            sample: Sample::number(self.sample),
            clients: parse::clients(&self.client),
            runs: self.runs,
            seed: self.seed,
            repairs: self.repair.clone(),
            settings: self.set.clone(),
            extras: self.extras.extras(),
            guided: self.guided,
            repeat: self.repeat,
            stop: self.stop,
            budget: self.budget,
            shard: self.shard,
            strict: self.strict,
            keep_traces: self.keep_traces,
            explored: self.explore.clone(),
            timeout: self.limits.timeout.unwrap_or(TIMEOUT),
            max_memory: self.limits.max_memory,
        }
    }

    /// Refuses options that do not fit each other.
    fn check(&self) -> Result<(), Error> {
        let makes = self.mutants.iter().any(|word| word == "made");
        if !makes && (self.sample.is_some() || !self.operator.is_empty()) {
            return Err(Error::Usage(
                "--sample and --operator are about mutants that operators make: add `made` to --mutants"
                    .to_owned(),
            ));
        }
        let is_none = |word: &String| word == "none";
        if self.mutants.iter().any(is_none) && self.mutants.len() > 1 {
            return Err(Error::Usage("--mutants: `none` and others exclude each other".to_owned()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// A command line of a campaign alone.
    #[derive(Parser)]
    struct Whole {
        #[command(flatten)]
        args: Args,
    }

    /// The experiment `mutants` runs a campaign with the library's defaults, so they must equal the defaults of the command.
    #[test]
    fn the_library_has_the_same_defaults() {
        let whole = Whole::parse_from(["campaign"]);
        let (here, there) = (whole.args.options(), Options::default());
        assert_eq!(format!("{here:?}"), format!("{there:?}"));
    }
}
