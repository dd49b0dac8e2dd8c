//! The options of the random programs and the simulated system.

use lab::text::quoted;
use simulate::config::{Caches, Options};
use simulate::program::ProgramSize;
use simulate::ruby::delays::Latency;
use simulate::ruby::mesh::Mesh;
use slicc::setting::Setting;

use super::extras::ExtrasArgs;
use super::parse;

/// The options of random programs that a recipe decides.
pub(crate) const DRAWN_PROGRAM: [&str; 20] = [
    "threads",
    "operations",
    "locations",
    "per_line",
    "dma",
    "flush",
    "atomics",
    "dvm",
    "partial",
    "seed",
    "reads",
    "rmws",
    "fences",
    "fetches",
    "linked",
    "dependencies",
    "annotations",
    "weak_fences",
    "skew",
    "think",
];

/// The options of the simulated system that a recipe decides.
pub(crate) const DRAWN_SYSTEM: [&str; 6] =
    ["cache_size", "l2_banks", "directories", "network", "memory", "steady"];

/// How large random programs are.
#[derive(clap::Args)]
pub(crate) struct Counts {
    /// Number of threads, each on a core and cache of its own [default: 4]
    #[arg(long, value_name = "N", value_parser = parse::positive)]
    pub(super) threads: Option<u32>,

    /// Operations of each thread [default: 100]. Counts may end in K (thousands) or M (millions)
    #[arg(long, alias = "ops", value_name = "N", value_parser = parse::positive)]
    pub(super) operations: Option<u32>,

    /// Shared locations, of 8 bytes [default: 8]
    #[arg(long, value_name = "N", value_parser = parse::locations)]
    pub(super) locations: Option<u32>,

    /// How many of them share a cache line [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(super) per_line: Option<u32>,
}

impl Counts {
    /// Whether any of the options is given.
    pub(super) fn is_given(&self) -> bool {
        let counts = [self.threads, self.operations, self.locations, self.per_line];
        counts.iter().any(Option::is_some)
    }
}

/// The random programs.
#[derive(clap::Args)]
#[command(next_help_heading = "The random program")]
pub(crate) struct Program {
    /// Of 100 accesses that are no read-modify-writes, how many read [default: 50]
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    pub(super) reads: Option<u32>,

    /// Of 100 operations, how many are read-modify-writes [default: 0]
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    pub(super) rmws: Option<u32>,

    /// Of 100 operations, how many are fences [default: 0]
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    pub(super) fences: Option<u32>,

    /// Of 100 reads, how many are instruction fetches [default: 0]
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    pub(super) fetches: Option<u32>,

    /// Of 100 read-modify-writes, how many are load-linked with store-conditional [default: 0]
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    pub(super) linked: Option<u32>,

    /// For cores of a weak model: of 100 operations, how many depend on an earlier read [default: 20]
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    pub(super) dependencies: Option<u32>,

    /// For cores of a weak model: of 100 operations that can have an acquire or release annotation, how
    /// many have one [default: 20]
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    pub(super) annotations: Option<u32>,

    /// For cores of a weak model: of 100 fences, how many are not full ones [default: 70]
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    pub(super) weak_fences: Option<u32>,

    /// How unequally locations are shared: the k-th most popular one is used in proportion to
    /// 1/k^S; 0 is uniform [default: 0]
    #[arg(long, value_name = "S", value_parser = parse::skew)]
    pub(super) skew: Option<f64>,

    /// Most ticks between two operations of a thread [default: 10]
    #[arg(long, value_name = "TICKS")]
    pub(super) think: Option<u32>,
}

/// The simulated system.
#[derive(clap::Args)]
#[command(next_help_heading = "The system")]
pub(crate) struct System {
    /// Sizes of caches: tiny (so that lines are replaced often), default (gem5's), or SIZE:WAYS of
    /// first level, second and third, such as 512:2,1kB:2,4kB:4; levels that are left out are tiny
    /// [default: tiny]
    #[arg(long, alias = "caches", value_name = "tiny|default|SIZES", value_parser = parse::caches)]
    pub(super) cache_size: Option<(String, Caches)>,

    /// Number of L2 caches, where threads share them, or of home nodes of CHI (its second levels are those of --set clusters=): a power of two [default: 1]
    #[arg(long, value_name = "N", value_parser = parse::power)]
    pub(super) l2_banks: Option<u32>,

    /// Number of directories, or of memory nodes of CHI: a power of two [default: 1]
    #[arg(long, value_name = "N", value_parser = parse::power)]
    pub(super) directories: Option<u32>,

    /// Ticks that a message takes through the network, at random in this range
    #[arg(long, value_name = "A-B", value_parser = parse::latency)]
    pub(super) network: Option<Latency>,

    /// The network is a mesh of routers, such as 4x2; each router between sender and receiver adds 2 ticks to --network, or
    /// as many as are given (4x2:5)
    #[arg(long, value_name = "COLUMNSxROWS[:TICKS]", value_parser = clap::value_parser!(Mesh))]
    pub(super) mesh: Option<Mesh>,

    /// Ticks that memory takes, at random in this range
    #[arg(long, value_name = "A-B", value_parser = parse::latency)]
    pub(super) memory: Option<Latency>,

    /// Network and memory take as long as gem5's scripts let them take: a crossbar of routers with buffers that delay messages at
    /// random (docs/slicc.md, "Network"), and DRAM with a queue of writes
    #[arg(long, conflicts_with_all = ["network", "mesh", "memory"])]
    pub(super) gem5_latencies: bool,

    /// Every delay as long as in an idle system, unless --network or --memory says otherwise
    #[arg(long, visible_alias = "no-random-delays")]
    pub(super) steady: bool,

    /// Give a parameter of the protocol's machines a value, or say whether a buffer is ordered
    /// (L1Cache.requestFromCache=ordered); may be repeated. L1Cache-1.issue_latency=7 is for the second controller alone. In CHI a role stands for
    /// a machine (L2.number_of_TBEs=2), and clusters=4:1 has
    /// four cores share a second level, 2:2 two cores one of two banks, 1:0 none, and 4:1,1:0 the first and the third in turn
    #[arg(long, value_name = "[MACHINE.]PARAMETER=VALUE", value_parser = clap::value_parser!(Setting))]
    pub(super) set: Vec<Setting>,

    /// Treat mistakes that gem5 accepts (such as the use of an entry that was never allocated) as faults that end the
    /// run, not only as warnings
    #[arg(long)]
    pub(super) strict: bool,

    /// Ticks after which a request that was not answered is a deadlock [default: 200000]
    #[arg(long, value_name = "TICKS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) deadlock_threshold: Option<u64>,
}

impl Program {
    /// Whether any of the options is given.
    pub(super) fn is_given(&self) -> bool {
        let shares = [self.reads, self.rmws, self.fences, self.fetches, self.linked, self.think];
        shares.iter().any(Option::is_some) || self.skew.is_some() || self.has_weak().is_some()
    }

    /// The size and the mix of a program, without the shares for weak models.
    pub(crate) fn shape(&self, counts: &Counts, extras: &ExtrasArgs, seed: u64) -> ProgramSize {
        let usual = ProgramSize::default();
        ProgramSize {
            threads: counts.threads.unwrap_or(usual.threads),
            extras: extras.extras(),
            operations: counts.operations.unwrap_or(usual.operations),
            locations: counts.locations.unwrap_or(usual.locations),
            per_line: counts.per_line.unwrap_or(usual.per_line),
            reads: self.reads.unwrap_or(usual.reads),
            rmws: self.rmws.unwrap_or(usual.rmws),
            fences: self.fences.unwrap_or(usual.fences),
            fetches: self.fetches.unwrap_or(usual.fetches),
            linked: self.linked.unwrap_or(usual.linked),
            skew: self.skew.unwrap_or(usual.skew),
            think: self.think.unwrap_or(usual.think),
            seed,
            ..usual
        }
    }

    /// The first given option that applies only to cores of a weak model.
    pub(crate) fn has_weak(&self) -> Option<&'static str> {
        let options = ["--dependencies", "--annotations", "--weak-fences"].into_iter();
        options.zip(self.weak_options()).find_map(|(option, value)| value.and(Some(option)))
    }

    /// The shares of dependencies, annotations and weak fences that are given.
    pub(crate) fn weak_options(&self) -> [Option<u32>; 3] {
        [self.dependencies, self.annotations, self.weak_fences]
    }
}

impl System {
    /// Whether an option is given that a recipe decides.
    pub(super) fn is_given(&self) -> bool {
        let counts = [self.l2_banks, self.directories];
        let latencies = [self.network, self.memory];
        self.steady
            || self.cache_size.is_some()
            || counts.iter().any(Option::is_some)
            || latencies.iter().any(Option::is_some)
    }

    /// The configuration of the system.
    pub(super) fn options(&self) -> Options {
        let usual = if self.steady { Options::default().steady() } else { Options::default() };
        Options {
            caches: self.cache_size.as_ref().map_or(Caches::Tiny, |(_, caches)| *caches),
            l2_banks: self.l2_banks.unwrap_or(1),
            directories: self.directories.unwrap_or(1),
            network: self.network.unwrap_or(usual.network),
            memory: self.memory.unwrap_or(usual.memory),
            settings: self.set.clone(),
            mesh: self.mesh,
            gem5_latencies: self.gem5_latencies,
            strict: self.strict,
            ..usual
        }
    }

    /// The options that differ from their defaults, as words of a command line.
    pub(super) fn given(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some((sizes, _)) = self.cache_size.as_ref().filter(|(sizes, _)| sizes != "tiny") {
            words.push(format!("--cache-size {sizes}"));
        }
        for (option, count) in [("l2-banks", self.l2_banks), ("directories", self.directories)] {
            let count = count.filter(|&count| count != 1);
            words.extend(count.map(|count| format!("--{option} {count}")));
        }
        for (option, latency) in [("network", self.network), ("memory", self.memory)] {
            words.extend(latency.map(|latency| format!("--{option} {latency}")));
        }
        words.extend(self.mesh.map(|mesh| format!("--mesh {mesh}")));
        if self.gem5_latencies {
            words.push("--gem5-latencies".to_owned());
        }
        if self.steady {
            words.push("--steady".to_owned());
        }
        if self.strict {
            words.push("--strict".to_owned());
        }
        let settings = self.set.iter();
        words.extend(settings.map(|setting| format!("--set {}", quoted(&setting.to_string()))));
        words.extend(self.deadlock_threshold.map(|ticks| format!("--deadlock-threshold {ticks}")));
        words
    }
}
