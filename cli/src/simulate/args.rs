//! What the user asks for.

use std::path::PathBuf;

use check::{Model, PsoRmw};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use simulate::client::Client;
use simulate::config::{Caches, Options, Setting, Shape as CacheShape};
use simulate::program::Shape;
use simulate::ruby::delays::Latency;
use simulate::simulation::Simulation;
use simulate::slicc::builtin::BUILTINS;

use crate::error::Error;
use crate::generate::{VERSION, parse_count};
use crate::limits::Limits;
use crate::options::Format;

/// Run coherence protocols with random programs: print traces, or check what the memory did
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric simulate MI_example | rubric check -
  rubric simulate MESI_Two_Level --threads 8 --client store-buffer -o run.trace.gz
  rubric simulate path/to/My_protocol.slicc --check --runs 1000 --threads 8
  rubric simulate MI_example --seed 7 --check --history run.json
  rubric simulate all --client all --runs 20 --check
  rubric simulate MOESI_hammer --runs 100 --coverage hammer.csv

Without -o, --history, --check, --runs and --coverage the trace goes to standard output, in gem5's
line format. Its first line, `command line: …`, is the command that repeats the run: the same options
and seed give the same bytes.

One run is reported like a trace that `rubric check` reads. Several runs, protocols or clients give a
table; --check then checks every history under SC, TSO and PSO and verifies every certificate. A
number such as 17/20 says that 17 of 20 runs are consistent; a TSO client need not be SC.

JSON is one object a line for each protocol and client, behind the verdicts of --check as `rubric
check` prints them where there is one run; the README has all keys.

Exit status: 1 if a run ended in a protocol error, failed assertion or deadlock, or violates a model
that its client keeps or that --check= names; 2 bad usage or protocol files; 3 undecided; else 0.")]
pub struct Args {
    /// Protocols: built-in names, paths of `.slicc` files, or `all` for every built-in one
    #[arg(required = true, value_name = "PROTOCOL")]
    protocols: Vec<String>,

    /// What runs the program, separated by commas: in-order (SC), store-buffer[-N] (TSO),
    /// per-location[-N] (a buffer for each location: PSO), early[-W] (loads among W operations early:
    /// SC), early[-W]-buffer[-N] (TSO), or all; N and W are 8 if left out
    #[arg(long, value_name = "CLIENTS", default_value = "in-order", value_delimiter = ',',
          value_parser = parse_client)]
    client: Vec<Clients>,

    /// Number of threads, each on a core and cache of its own
    #[arg(long, value_name = "N", default_value = "4", value_parser = parse_positive)]
    threads: u32,

    /// Operations of each thread. Counts may end in K (thousands) or M (millions)
    #[arg(long, value_name = "N", default_value = "100", value_parser = parse_positive)]
    ops: u32,

    /// Shared locations, of 8 bytes
    #[arg(long, value_name = "N", default_value = "8", value_parser = parse_locations)]
    locations: u32,

    /// How many of them share a cache line
    #[arg(long, value_name = "N", default_value = "1",
          value_parser = clap::value_parser!(u32).range(1..=8))]
    per_line: u32,

    /// What everything random comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Write the trace to this file, compressed if the name ends in .gz; `-` is standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write the history: a name ending in .axe, .json, .jsonl or .parquet
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,

    /// Check the history, under these models [default: for one run the one that the client keeps and
    /// the weaker ones, for several all]
    #[arg(long, value_name = "MODELS", num_args = 0.., require_equals = true, value_delimiter = ',',
          value_parser = model_parser())]
    check: Option<Vec<Model>>,

    /// Run so many programs, with the seed, the seed + 1 and so on, on all cores, and sum up
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    pub runs: Option<u32>,

    /// Write how often each transition was taken, as machine,state,event,next_state,count
    #[arg(long, value_name = "FILE.csv")]
    pub coverage: Option<PathBuf>,

    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,

    /// Say nothing on standard error but errors
    #[arg(long, short)]
    pub quiet: bool,

    #[command(flatten)]
    program: Program,

    #[command(flatten)]
    system: System,

    #[command(flatten)]
    limits: Limits,
}

/// What programs look like.
#[derive(clap::Args)]
#[command(next_help_heading = "The random program")]
struct Program {
    /// Of 100 accesses that are no read-modify-writes, how many read
    #[arg(long, value_name = "PERCENT", default_value = "50", value_parser = percent())]
    reads: u32,

    /// Of 100 operations, how many are read-modify-writes
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent())]
    rmws: u32,

    /// Of 100 operations, how many are fences
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent())]
    fences: u32,

    /// Of 100 reads, how many are instruction fetches
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent())]
    fetches: u32,

    /// Of 100 read-modify-writes, how many are load-linked with store-conditional
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent())]
    linked: u32,

    /// How unequally locations are shared: the k-th most popular one is used in proportion to
    /// 1/k^S; 0 is uniform
    #[arg(long, value_name = "S", default_value = "0", value_parser = parse_skew)]
    skew: f64,

    /// Most ticks between two operations of a thread
    #[arg(long, value_name = "TICKS", default_value_t = 10)]
    think: u32,
}

/// What it runs on.
#[derive(clap::Args)]
#[command(next_help_heading = "The system")]
struct System {
    /// Sizes of caches: tiny (so that lines are replaced often), default (gem5's), or SIZE:WAYS of
    /// first level, second and third, such as 512:2,1kB:2,4kB:4; levels that are left out are tiny
    #[arg(long, value_name = "tiny|default|SIZES", default_value = "tiny", value_parser = parse_caches)]
    caches: (String, Caches),

    /// Number of L2 caches, where threads share them: a power of two
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_power)]
    l2_banks: u32,

    /// Number of directories: a power of two
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_power)]
    directories: u32,

    /// Ticks that a message takes through the network, at random in this range
    #[arg(long, value_name = "A-B", value_parser = parse_latency)]
    network: Option<Latency>,

    /// Ticks that memory takes, at random in this range
    #[arg(long, value_name = "A-B", value_parser = parse_latency)]
    memory: Option<Latency>,

    /// Every delay as long as in an idle system, unless --network or --memory says otherwise
    #[arg(long, visible_alias = "no-random-delays")]
    steady: bool,

    /// Give a parameter of the protocol's machines a value; may be repeated
    #[arg(long, value_name = "[MACHINE.]PARAMETER=VALUE", value_parser = clap::value_parser!(Setting))]
    set: Vec<Setting>,

    /// Ticks after which a request that was not answered is a deadlock [default: 200000]
    #[arg(long, value_name = "TICKS", value_parser = clap::value_parser!(u64).range(1..))]
    deadlock_threshold: Option<u64>,
}

/// One kind of cores, or all.
#[derive(Clone, Copy, Debug)]
enum Clients {
    All,
    One(Client),
}

/// All kinds of cores, of the usual sizes.
const ALL: [Client; 5] = [
    Client::InOrder,
    Client::StoreBuffer(8),
    Client::PerLocation(8),
    Client::Early(8),
    Client::EarlyBuffer {
        window: 8,
        entries: 8,
    },
];

/// All models, the strongest first.
const MODELS: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso(PsoRmw::Own)];

impl Args {
    /// Refuses options that do not fit each other.
    pub fn check(&self) -> Result<(), Error> {
        let is_series =
            self.runs.is_some() || self.protocols().len() > 1 || self.clients().len() > 1;
        let usage = |what: &str| Err(Error::Usage(what.to_owned()));
        let Program { rmws, fences, .. } = self.program;
        if rmws + fences > 100 {
            return usage("--rmws and --fences together are more than 100 of 100 operations");
        }
        if is_series && self.output.is_some() {
            return usage(
                "-o: a trace holds one run: leave --runs out and name one protocol and one client, \
                 or write the histories with --history",
            );
        }
        let to_output = self
            .output
            .as_deref()
            .is_some_and(|path| path.as_os_str() == "-");
        if to_output && (self.check.is_some() || self.format == Format::Json) {
            return usage(
                "-o -: the trace and what --check or --format json print would both go to standard \
                 output: give the trace a file",
            );
        }
        if self.coverage.is_some() && self.protocols().len() > 1 {
            return usage("--coverage: transitions are those of one protocol: name one");
        }
        match self.protocols.iter().find(|name| is_models(name)) {
            Some(name) => Err(Error::Usage(format!(
                "`{name}` is no protocol; models are named as in --check={name}"
            ))),
            None => Ok(()),
        }
    }

    /// The protocols, each once.
    pub fn protocols(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in &self.protocols {
            match name.as_str() {
                "all" => names.extend(BUILTINS.iter().map(|one| one.name)),
                name => names.push(name),
            }
        }
        let mut known = std::collections::BTreeSet::new();
        names.retain(|name| known.insert(*name));
        names
    }

    /// The kinds of cores, each once.
    pub fn clients(&self) -> Vec<Client> {
        let mut clients = Vec::new();
        for client in &self.client {
            match client {
                Clients::All => clients.extend(ALL),
                Clients::One(client) => clients.push(*client),
            }
        }
        let mut known = std::collections::HashSet::new();
        clients.retain(|client| known.insert(*client));
        clients
    }

    /// Whether histories are checked.
    pub fn checks(&self) -> bool {
        self.check.is_some()
    }

    /// Whether the trace is all that was asked for.
    pub fn is_plain(&self) -> bool {
        self.output.is_none() && self.history.is_none() && !self.checks() && self.coverage.is_none()
    }

    /// The models that a violation of counts: those that were named, else those that the client
    /// keeps.
    pub fn kept(&self, client: Client) -> Vec<Model> {
        match &self.check {
            Some(named) if !named.is_empty() => named.clone(),
            _ => {
                let weaker = MODELS
                    .iter()
                    .skip_while(|model| model.name() != client.model());
                weaker.copied().collect()
            }
        }
    }

    /// The models that a series is checked under.
    pub fn models(&self) -> Vec<Model> {
        match &self.check {
            None => Vec::new(),
            Some(named) if named.is_empty() => MODELS.to_vec(),
            Some(named) => named.clone(),
        }
    }

    /// What is asked of the stages that check.
    pub fn for_checking(&self) -> check::Options {
        check::Options {
            timeout: self.limits.timeout,
            max_memory: Some(self.limits.max_memory),
            ..check::Options::default()
        }
    }

    /// The seeds of the runs.
    pub fn seed_of(&self, run: u32) -> u64 {
        self.seed.wrapping_add(u64::from(run))
    }

    /// Operations of a run.
    pub fn operations(&self) -> u64 {
        u64::from(self.threads) * u64::from(self.ops)
    }

    /// A run.
    pub fn simulation(&self, client: Client, seed: u64) -> Simulation {
        let program = &self.program;
        let shape = Shape {
            threads: self.threads,
            operations: self.ops,
            locations: self.locations,
            per_line: self.per_line,
            reads: program.reads,
            rmws: program.rmws,
            fences: program.fences,
            fetches: program.fetches,
            linked: program.linked,
            skew: program.skew,
            think: program.think,
            seed,
            ..Shape::default()
        };
        let options = self.system.options();
        let deadlock_threshold = self.system.deadlock_threshold;
        Simulation {
            shape,
            client,
            options,
            deadlock_threshold,
        }
    }

    /// The words behind `rubric simulate` that repeat a run, without options that change nothing.
    pub fn words(&self, protocol: &str, client: Client, seed: u64) -> String {
        let mut words = vec![quoted(protocol)];
        let default = Shape::default();
        let mut say = |option: &str, value: String, usual: String| {
            if value != usual {
                words.push(format!("--{option} {value}"));
            }
        };
        let Program {
            reads,
            rmws,
            fences,
            fetches,
            linked,
            skew,
            think,
        } = self.program;
        say("threads", self.threads.to_string(), "4".to_owned());
        say("ops", self.ops.to_string(), "100".to_owned());
        say("locations", self.locations.to_string(), "8".to_owned());
        say("per-line", self.per_line.to_string(), "1".to_owned());
        say("client", client.to_string(), Client::InOrder.to_string());
        say("reads", reads.to_string(), default.reads.to_string());
        say("rmws", rmws.to_string(), default.rmws.to_string());
        say("fences", fences.to_string(), default.fences.to_string());
        say("fetches", fetches.to_string(), default.fetches.to_string());
        say("linked", linked.to_string(), default.linked.to_string());
        say("skew", skew.to_string(), default.skew.to_string());
        say("think", think.to_string(), default.think.to_string());
        words.extend(self.system.words());
        words.push(format!("--seed {seed}"));
        words.join(" ")
    }

    /// The command that repeats a run, and the version that ran it.
    pub fn command(&self, protocol: &str, client: Client, seed: u64) -> String {
        format!(
            "rubric simulate {}{VERSION}",
            self.words(protocol, client, seed)
        )
    }
}

impl System {
    fn options(&self) -> Options {
        let options = Options {
            caches: self.caches.1,
            l2_banks: self.l2_banks,
            directories: self.directories,
            settings: self.set.clone(),
            ..Options::default()
        };
        let options = if self.steady {
            options.steady()
        } else {
            options
        };
        Options {
            network: self.network.unwrap_or(options.network),
            memory: self.memory.unwrap_or(options.memory),
            ..options
        }
    }

    /// The options that are not as usual.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.caches.0 != "tiny" {
            words.push(format!("--caches {}", self.caches.0));
        }
        for (option, count) in [
            ("l2-banks", self.l2_banks),
            ("directories", self.directories),
        ] {
            if count != 1 {
                words.push(format!("--{option} {count}"));
            }
        }
        for (option, latency) in [("network", self.network), ("memory", self.memory)] {
            words.extend(latency.map(|latency| format!("--{option} {latency}")));
        }
        if self.steady {
            words.push("--steady".to_owned());
        }
        let settings = self.set.iter();
        words.extend(settings.map(|setting| format!("--set {}", quoted(&setting.to_string()))));
        words.extend(
            self.deadlock_threshold
                .map(|ticks| format!("--deadlock-threshold {ticks}")),
        );
        words
    }
}

/// A word as a shell takes it, on one line.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-=:+,@".contains(c);
    let word = word.replace(char::is_control, "\u{fffd}");
    match !word.is_empty() && word.chars().all(plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Whether a word is a list of models.
fn is_models(word: &str) -> bool {
    let is_model = |name: &str| MODELS.iter().any(|model| model.name() == name);
    word.split(',').all(is_model) && !std::path::Path::new(word).exists()
}

fn model_parser() -> impl TypedValueParser<Value = Model> {
    PossibleValuesParser::new(MODELS.map(|model| model.name())).try_map(|name| {
        let found = MODELS.into_iter().find(|model| model.name() == name);
        found.ok_or_else(|| "the name of a model was expected".to_owned())
    })
}

fn parse_client(name: &str) -> Result<Clients, String> {
    match name {
        "all" => Ok(Clients::All),
        name => name.parse().map(Clients::One),
    }
}

fn parse_positive(text: &str) -> Result<u32, String> {
    match parse_count(text)? {
        0 => Err("at least 1 was expected".to_owned()),
        count => Ok(count),
    }
}

/// So many locations fit into memory, on lines of their own.
const MOST_LOCATIONS: u32 = 10_000_000;

fn parse_locations(text: &str) -> Result<u32, String> {
    match parse_positive(text)? {
        count if count > MOST_LOCATIONS => Err(format!("at most {MOST_LOCATIONS} was expected")),
        count => Ok(count),
    }
}

fn parse_power(text: &str) -> Result<u32, String> {
    let expected = "a power of two was expected: 1, 2, 4, …";
    let count = text
        .parse()
        .ok()
        .filter(|count: &u32| count.is_power_of_two());
    count.ok_or_else(|| expected.to_owned())
}

fn percent() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(0..=100)
}

fn parse_skew(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    let fits = number.filter(|skew| (0.0..=100.0).contains(skew));
    fits.ok_or_else(|| "a number from 0 to 100 was expected".to_owned())
}

fn parse_latency(text: &str) -> Result<Latency, String> {
    text.parse()
}

/// What was written, and what it says.
fn parse_caches(text: &str) -> Result<(String, Caches), String> {
    let caches = match text {
        "tiny" => Caches::Tiny,
        "default" => Caches::Default,
        text => {
            let mut sizes = Caches::Tiny.sizes();
            let given: Result<Vec<CacheShape>, String> = text.split(',').map(str::parse).collect();
            let given = given.map_err(|error| format!("{error}; or tiny, or default"))?;
            let [first, rest @ ..] = &given[..] else {
                return Err("tiny, default or sizes were expected".to_owned());
            };
            (sizes.l1_data, sizes.l1_instructions) = (*first, *first);
            match rest {
                [] => {}
                [second] => sizes.l2 = *second,
                [second, third] => (sizes.l2, sizes.l3) = (*second, *third),
                _ => return Err("at most three levels were expected".to_owned()),
            }
            Caches::Given(sizes)
        }
    };
    Ok((text.to_owned(), caches))
}
