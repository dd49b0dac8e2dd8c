//! The arguments of `rubric simulate`.

use std::path::{Path, PathBuf};

use lab::protocols::Repairs;
use lab::series::{Plan, Programs};
use memory::{Model, models};
use simulate::client::Client;
use simulate::program::{Extras, ProgramSize};
use simulate::recipe::Lineage;
use slicc::setting::Setting;

use super::extras::{ExtrasArgs, FunctionalArgs};
use super::options::{Counts, DRAWN_PROGRAM, DRAWN_SYSTEM, Program, System};
use super::parse;
use crate::error::Error;
use crate::files::{check_ending, ending};
use crate::jobs::JobsArgs;
use crate::limits::Limits;
use crate::options::Format;

/// Run coherence protocols with random programs: print traces, or check what the memory did
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric simulate MI_example | rubric check -
  rubric simulate MESI_Two_Level --threads 8 --client store-buffer -o run.trace.gz
  rubric simulate path/to/My_protocol.slicc --check --runs 1000 --threads 8
  rubric simulate MI_example --runs 500 -o traces
  rubric simulate MI_example --seed 7 --check --save run.json
  rubric simulate all --client all --runs 20 --check
  rubric simulate MOESI_hammer --runs 100 --coverage hammer.csv
  rubric simulate MESI_Two_Level --mutant mesi2-l1-is-inv-no-notify --client early --check
  rubric simulate MESI_Two_Level --threads 8 --locations 16 --runs 100 --check
  rubric simulate MESI_Two_Level --recipe 17 --client early --check
  rubric simulate MESI_Two_Level --client ooo-16 --model armv8 --rmws 10 --fences 5 --check
  rubric simulate MI_example --client ooo --model wmo --runs 20 --check=wmo
  rubric simulate MESI_Two_Level --dma 2 --runs 100 --check
  rubric simulate MOESI_hammer --threads 8 --directories 8 --mesh 4x2 --check
  rubric simulate MOESI_hammer --flush 10 --runs 100 --check
  rubric simulate MESI_Two_Level --rmws 20 --atomics 50 --check
  rubric simulate MI_example --partial 60 --check
  rubric simulate MOESI_hammer --functional 10 --check

Without -o, --save, --check, --runs, --coverage and --chart the trace goes to standard output, in gem5's
line format. Its first line, `command line: …`, is the command that reproduces the run: the same options
and seed give the same bytes.

One run is reported like a trace that `rubric check` reads. Several runs, protocols or clients give a
table; --check then checks every history under SC, TSO, PSO and the weak models of out-of-order cores, and verifies every certificate. A
number such as 17/20 says that 17 of 20 runs are consistent; a TSO client need not be SC. Below the
table are the first faults and violations of what the client guarantees, each with the command that reproduces
it, and the seeds of the others.

With --runs, programs differ in size and mix, since one kind of program hides bugs: unless one of
--threads, --operations, --locations, --per-line, --reads, --rmws, --fences, --fetches, --linked,
--dependencies, --annotations, --weak-fences, --skew, --think, --cache-size, --l2-banks, --directories, --network, --memory and --steady is given, the seed of
each run decides its program, caches and latencies (a recipe, as `rubric campaign` draws them). --dma, --flush,
--atomics, --dvm, --partial, --functional, --mesh, --gem5-latencies, --set and --deadlock-threshold hold for all runs either way. With any of those options all runs have those
parameters, and the defaults of the others.

Out-of-order cores (ooo) perform operations as early as a weak model allows. Their programs have address,
data and control dependencies, acquire and release annotations and weak fences of the model's instruction
set; under wmo and rmo the ticks of issue stand for dependencies. A gem5 trace cannot show these, so such
runs need --check, --save or --runs.

DMA devices (--dma) read and write words, ranges of words and whole lines of those that the cores use, each as many
times as a core has operations. In a trace their operations are lines of further clients, after those of the cores;
an access to several words is one operation for each word.

With --flush, cores remove lines from all caches, half of them lines that they are about to access. A core does not wait
for a flush, which has no response.

With --dvm, cores invalidate the TLBs of all cores (TLBI) and make sure that this is done (a sync, as Arm's DSB), which CHI's MiscNode
distributes. A sync is sent when the core's invalidations have completed; the core waits for it alone. Snooped syncs are
answered when what the core had begun is complete.

JSON is one object a line for each protocol and client, after the verdicts of --check as `rubric
check` prints them if there is one run; docs/formats.md has all keys.

Which buffers are ordered is decided by gem5's configuration script. rubric knows it for gem5's own
protocols, by name, and for copies of them, by the names of machines and buffers. For others all buffers
are unordered, and a warning says so: use --set BUFFER=ordered, or the attribute ordered=\"true\".

Mistakes that gem5 accepts, such as the use of an entry that was never
allocated, are warnings with the command that reproduces them; --strict makes them faults.

Exit status: 1 if a run ended in a protocol error, failed assertion or deadlock, or violates a model
that its client guarantees or that --check= names; 2 bad usage or protocol files; 3 undecided; else 0.")]
pub(crate) struct Args {
    /// Protocols: built-in names, paths of `.slicc` files, or `all` for every built-in one
    #[arg(required = true, value_name = "PROTOCOL")]
    pub(super) protocols: Vec<String>,

    /// Put a fault into the protocol: a mutant from `rubric mutants list PROTOCOL`
    #[arg(long, value_name = "MUTANT")]
    pub(super) mutant: Option<String>,

    /// Repair known faults of gem5's released protocol first: `all` that fit, or names from `rubric
    /// mutants list --repairs`
    #[arg(long, value_name = "REPAIRS", default_value = "none", hide_default_value = true)]
    pub(super) repair: Repairs,

    /// What runs the program, separated by commas: in-order (SC), store-buffer[-N] (TSO),
    /// per-location[-N] (a buffer for each location: PSO), early[-W] (loads among W operations early:
    /// SC), early[-W]-buffer[-N] (TSO), ooo[-N] (out of order, N operations at a time: a weak --model), or
    /// all, without ooo; N and W are 8 if left out. MODEL-ooo[-N] names model and core at once
    #[arg(long, value_name = "CLIENTS", default_value = "in-order", value_delimiter = ',',
          value_parser = parse::client)]
    pub(super) client: Vec<parse::Clients>,

    /// The model that out-of-order cores guarantee: rvwmo, armv8, wmo, ztso or rmo [default: rvwmo]
    #[arg(long, value_name = "MODEL", value_parser = parse::models())]
    pub(super) model: Option<Model>,

    #[command(flatten)]
    pub(super) counts: Counts,

    #[command(flatten)]
    pub(super) extras: ExtrasArgs,

    #[command(flatten)]
    pub(super) functional: FunctionalArgs,

    /// Seed of the pseudo-random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,

    /// Draw program, caches and latencies from a seed too, as `rubric campaign` does: a seed such as
    /// 17, or one that was varied, such as 17.203.88, or with DMA devices, flushes, atomic requests, accesses to
    /// parts of words, functional accesses or TLB invalidations, such as 17+dma1+flush10+atomics50+partial40+functional10 or 17+dvm10
    #[arg(long, value_name = "RECIPE", conflicts_with_all = DRAWN_PROGRAM, conflicts_with_all = DRAWN_SYSTEM)]
    pub(super) recipe: Option<Lineage>,

    /// Write the trace to this file, compressed if the name ends in .gz; `-` is standard output. With --runs or several protocols or
    /// clients, write all traces into this folder, each named by its seed
    #[arg(long, short, value_name = "FILE|DIR")]
    pub output: Option<PathBuf>,

    /// Write the history: a name ending in .axe, .json, .jsonl or .parquet
    #[arg(long, alias = "history", value_name = "FILE")]
    pub save: Option<PathBuf>,

    /// Check the history, under these models [default: for one run the one that the client guarantees and
    /// the weaker ones, for several all]
    #[arg(long, value_name = "MODELS", num_args = 0.., require_equals = true, value_delimiter = ',',
          value_parser = parse::models())]
    pub(super) check: Option<Vec<Model>>,

    /// Run so many programs, with the seed, the seed + 1 and so on, on all cores, and sum up. Without an
    /// option of the program or the system (--threads, --operations, --cache-size, ...) each run is drawn from its seed
    /// in all of these, as with --recipe
    #[arg(long, value_name = "N", value_parser = parse::positive)]
    pub runs: Option<u32>,

    /// Write how often each transition was taken, as machine,state,event,next_state,count; `-` is standard output
    #[arg(long, value_name = "FILE.csv")]
    pub coverage: Option<PathBuf>,

    /// If the protocol fails, draw what controllers did last for the line as a message-sequence chart: a name ending in
    /// .svg, .html or .txt
    #[arg(long, value_name = "FILE", conflicts_with = "runs")]
    pub chart: Option<PathBuf>,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,

    #[command(flatten)]
    pub jobs: JobsArgs,

    /// Print only errors on standard error
    #[arg(long, short)]
    pub quiet: bool,

    #[command(flatten)]
    pub(super) program: Program,

    #[command(flatten)]
    pub(super) system: System,

    #[command(flatten)]
    pub(super) limits: Limits,
}

/// Most operations of all threads together. Their records take a few gigabytes of memory.
const MOST_OPERATIONS: u64 = 50_000_000;

impl Args {
    /// Checks that the options fit each other.
    ///
    /// # Errors
    /// Returns an error that names the first option that does not.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let is_series =
            self.runs.is_some() || self.protocols().len() > 1 || self.clients().len() > 1;
        let usage = |what: &str| Err(Error::Usage(what.to_owned()));
        let shape = self.shape(self.seed);
        if shape.rmws + shape.fences > 100 {
            return usage("--rmws and --fences together are more than 100 of 100 operations");
        }
        if is_series {
            self.check_folder()?;
        }
        if is_series && self.chart.is_some() {
            return usage("--chart: a chart shows one run: name one protocol and one client");
        }
        if shape.all_operations() > MOST_OPERATIONS {
            return Err(Error::Usage(format!(
                "--threads {} --operations {}: at most {MOST_OPERATIONS} operations of all threads are \
                 supported",
                shape.threads, shape.operations
            )));
        }
        let to_output = self.output.as_deref().is_some_and(|path| path.as_os_str() == "-");
        if to_output && (self.check.is_some() || self.format == Format::Json) {
            return usage(
                "-o -: the trace and what --check or --format json print would both go to standard \
                 output: give the trace a file",
            );
        }
        self.check_outputs()?;
        self.check_names()?;
        self.check_weak()?;
        self.check_functional()?;
        if self.coverage.is_some() && self.protocols().len() > 1 {
            return usage("--coverage: transitions are those of one protocol: name one");
        }
        let is_varied = |recipe: &Lineage| !recipe.variations().is_empty();
        if self.runs.is_some() && self.recipe.as_ref().is_some_and(is_varied) {
            return usage(
                "--recipe: a recipe that was varied is for one run: leave --runs out, or name a seed alone",
            );
        }
        if self.mutant.is_some() && self.protocols().len() > 1 {
            return usage("--mutant: a mutant is of one protocol: name that one alone");
        }
        match self.protocols.iter().find(|name| is_models(name)) {
            Some(name) => Err(Error::Usage(format!(
                "`{name}` is a model, not a protocol: name models as in --check={name}"
            ))),
            None => Ok(()),
        }
    }

    /// Refuses the name of a file for the folder of traces of several runs.
    fn check_folder(&self) -> Result<(), Error> {
        let Some(path) = &self.output else {
            return Ok(());
        };
        let is_trace = ending(path).is_some_and(|it| ["gz", "trace", "txt"].contains(&&*it));
        if is_trace || path.as_os_str() == "-" || path.is_file() {
            return Err(Error::Usage(format!(
                "-o {}: a trace holds one run, so of several runs, protocols or clients each has a file in a folder: give the name of a \
                 folder, or leave --runs out and name one protocol and one client",
                path.display()
            )));
        }
        Ok(())
    }

    /// Refuses options for weak models without cores that have one, and traces that would not show what
    /// orders the operations of such cores.
    fn check_weak(&self) -> Result<(), Error> {
        let clients = self.clients();
        let has_weak = clients.iter().any(|client| client.model().is_weak());
        if let Some(option) = self.program.has_weak().filter(|_| !has_weak) {
            return Err(Error::Usage(format!(
                "{option}: only programs for cores of a weak model have that: add --client ooo"
            )));
        }
        if let Some(model) = self.model
            && !clients.iter().any(|client| client.model() == model)
        {
            return Err(Error::Usage(format!(
                "--model {}: no core that --client names can guarantee that; --client ooo takes rvwmo, \
                 armv8, wmo, ztso and rmo, and --check=MODELS checks under other models",
                model.name()
            )));
        }
        let is_single = self.runs.is_none() && self.protocols().len() == 1 && clients.len() == 1;
        let prints_trace = self.output.is_some() || is_single && self.is_plain();
        match clients.iter().find(|client| !client.has_trace()) {
            Some(client) if prints_trace => Err(Error::Usage(format!(
                "--client {client}: a gem5 trace cannot show dependencies, annotations and weak fences: \
                 use --check, or write the history with --save run.json"
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses functional accesses of cores that have several operations in progress, or pass stores on later: a functional access is
    /// complete when it is issued, so it would not take its turn.
    fn check_functional(&self) -> Result<(), Error> {
        let is_asked = self.asked_extras().functional > 0;
        let other = self.clients().into_iter().find(|one| !one.makes_functional_accesses());
        match other.filter(|_| is_asked) {
            Some(client) => Err(Error::Usage(format!(
                "--functional with --client {client}: a functional access is complete at once, so only in-order cores make them: \
                 leave --client out"
            ))),
            None => Ok(()),
        }
    }

    /// Refuses outputs that name the same file.
    fn check_outputs(&self) -> Result<(), Error> {
        let outputs = [
            ("-o", &self.output),
            ("--save", &self.save),
            ("--coverage", &self.coverage),
            ("--chart", &self.chart),
        ];
        let mut known: Vec<(&str, PathBuf)> = Vec::new();
        for (option, path) in outputs {
            let Some(path) = path else { continue };
            // Links and other spellings of a path are resolved, as far as the file exists.
            let file = std::fs::canonicalize(path)
                .or_else(|_| std::path::absolute(path))
                .unwrap_or_else(|_| path.clone());
            if let Some((other, _)) = known.iter().find(|(_, known)| *known == file) {
                return Err(Error::Usage(format!(
                    "{other} and {option} name the same file: {}",
                    path.display()
                )));
            }
            known.push((option, file));
        }
        Ok(())
    }

    /// Refuses file names with the extension of another format than the one that is written.
    fn check_names(&self) -> Result<(), Error> {
        /// Endings of formats that are not traces.
        const OTHERS: [&str; 8] =
            ["axe", "json", "jsonl", "parquet", "csv", "html", "svg", "litmus"];
        let is_other = |path: &&PathBuf| ending(path).is_some_and(|it| OTHERS.contains(&&*it));
        if let Some(path) = self.output.as_ref().filter(is_other) {
            return Err(Error::Usage(format!(
                "-o {}: a trace is text in gem5's format: give it a name such as run.trace.gz; --save writes \
                 the history as .axe, .json or .parquet, --coverage the transitions as .csv",
                path.display()
            )));
        }
        match self.coverage.as_deref().filter(|path| *path != Path::new("-")) {
            Some(path) => check_ending("--coverage", path, &["csv"], ".csv was expected, or `-`"),
            None => Ok(()),
        }
    }

    /// The protocols, each once.
    pub(crate) fn protocols(&self) -> Vec<&str> {
        parse::protocols(&self.protocols)
    }

    /// The kinds of cores, each once.
    pub(crate) fn clients(&self) -> Vec<Client> {
        let mut clients = parse::clients(&self.client);
        for client in &mut clients {
            *client = self.model.and_then(|model| client.with_model(model)).unwrap_or(*client);
        }
        clients
    }

    /// Whether histories are checked.
    pub(crate) fn checks(&self) -> bool {
        self.check.is_some()
    }

    /// Whether the trace is the only output that was asked for.
    pub(crate) fn is_plain(&self) -> bool {
        let files = [&self.output, &self.save, &self.coverage, &self.chart];
        !self.checks() && files.into_iter().all(Option::is_none)
    }

    /// What the runs have in common.
    pub(crate) fn plan(&self) -> Plan {
        Plan {
            repairs: self.repair.clone(),
            mutant: self.mutant.clone(),
            clients: self.clients(),
            runs: self.runs.unwrap_or(1),
            seed: self.recipe.as_ref().map_or(self.seed, Lineage::seed),
            programs: self.programs(),
            options: self.system.options(),
            system: self.system.given(),
            deadlock_threshold: self.system.deadlock_threshold,
            check: self.check.clone(),
            checking: check::Options {
                timeout: self.limits.timeout,
                max_memory: Some(self.limits.max_memory),
                ..check::Options::default()
            },
        }
    }

    /// The random programs: recipes if one is named, or for a series without options of the program or the system. A recipe with
    /// variations is for a single run, whatever the seed.
    fn programs(&self) -> Programs {
        match &self.recipe {
            Some(recipe) if !recipe.variations().is_empty() => Programs::Recipe(recipe.clone()),
            Some(recipe) => Programs::Drawn(recipe.extras()),
            None if self.draws() => Programs::Drawn(self.own_extras()),
            None => Programs::Sized {
                size: Box::new(self.shape(self.seed)),
                fits: self.counts.threads.is_none(),
                weak: self.program.weak_options(),
            },
        }
    }

    /// What programs are asked for beside the accesses of their cores, by the recipe or by options.
    pub(crate) fn asked_extras(&self) -> Extras {
        self.recipe.as_ref().map_or(self.own_extras(), Lineage::extras)
    }

    /// What options ask programs for beside the accesses of their cores.
    fn own_extras(&self) -> Extras {
        self.functional.with(self.extras.extras())
    }

    /// Whether each run is drawn as a recipe without --recipe: a series without options of the program or the system.
    fn draws(&self) -> bool {
        let is_given = self.counts.is_given() || self.program.is_given() || self.system.is_given();
        self.runs.is_some() && !is_given
    }

    /// The settings of the protocol that the user gives.
    pub(crate) fn settings(&self) -> &[Setting] {
        &self.system.set
    }

    /// The program of a run.
    pub(super) fn shape(&self, seed: u64) -> ProgramSize {
        let extras = self.own_extras();
        ProgramSize { extras, ..self.program.shape(&self.counts, &self.extras, seed) }
    }
}

/// Whether a word is a list of models, and not the path of an existing file.
fn is_models(word: &str) -> bool {
    let is_model =
        |name: &str| models::ALL.iter().any(|model| model.name().eq_ignore_ascii_case(name));
    word.split(',').all(is_model) && !std::path::Path::new(word).exists()
}
