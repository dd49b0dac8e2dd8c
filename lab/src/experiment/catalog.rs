//! The experiments: what each paper varied, and what it compared.
//!
//! Where a paper does not say how many locations its programs used and how often they read, `LOCATIONS`
//! and `READS` are such that CCM leaves about as many pairs of writes unordered as in Zennou et al. 2019
//! (6.6 %).

use ::explore::program::benchmarks::{BENCHMARKS, Benchmark};
use check::generate::Mix;
use check::{Algorithm, Model};
use simulate::client::Client;

use ExperimentWork::{Campaign, Histories};

use super::Options;
use super::point::{Explored, Fault, Origin, Point, Recipe, Repoint, Size, Source, Task};
use crate::campaign;

/// An experiment: a row of [`EXPERIMENTS`].
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// The name on the command line, in tables and of files.
    pub name: &'static str,
    /// The paper that it reproduces.
    pub paper: &'static str,
    /// The question, in one line.
    pub about: &'static str,
    /// The runs that it consists of.
    pub work: ExperimentWork,
}

/// The runs that an experiment consists of.
#[derive(Clone, Copy, Debug)]
pub enum ExperimentWork {
    /// Algorithms run on histories: the function makes the points.
    Histories(fn(Size) -> Vec<Point>),
    /// A campaign of mutants, in a folder with the name of the experiment.
    Campaign(fn(&Options, &str) -> campaign::Options),
}

impl Experiment {
    /// The points of the experiment at a size; none if it is a campaign.
    pub fn points(&self, size: Size) -> Vec<Point> {
        match self.work {
            Histories(points) => points(size),
            Campaign(_) => Vec::new(),
        }
    }
}

/// Finds an experiment by its name.
pub fn find(name: &str) -> Option<Experiment> {
    EXPERIMENTS.into_iter().find(|one| one.name == name)
}

const CAV: &str = "Zennou et al., CAV 2019";
const BOOSTING: &str = "Zennou et al., Boosting";
const HPCA: &str = "Manovit & Hangal, HPCA 2006";
const QADEER: &str = "Qadeer, TPDS 2003";
const BURNIM: &str = "Burnim, Sen & Stergiou, 2011";

/// The experiments. To add one, write the function that makes its points, and a row here.
pub const EXPERIMENTS: [Experiment; 17] = [
    Experiment {
        name: "gcc-fig4",
        paper: CAV,
        about: "checking SC, valid histories: time against operations and threads",
        work: Histories(|size| checking_valid(size, Model::SC, &SC_GRADUAL)),
    },
    Experiment {
        name: "gcc-fig5",
        paper: CAV,
        about: "checking SC, violations by mutants of MI: time, and what CC and CCv catch",
        work: Histories(gcc_fig5),
    },
    Experiment {
        name: "gcc-fig6",
        paper: CAV,
        about: "checking TSO on the histories of gcc-fig4",
        work: Histories(|size| checking_valid(size, Model::TSO, &TSO_GRADUAL)),
    },
    Experiment {
        name: "gcc-unordered",
        paper: CAV,
        about: "share of the pairs of writes that CCM, CCv and wCCM leave unordered",
        work: Histories(gcc_unordered),
    },
    Experiment {
        name: "wsc-kernel",
        paper: BOOSTING,
        about: "how much of the exact kernel wSC, CCM and CCv derive",
        work: Histories(wsc_kernel),
    },
    Experiment {
        name: "wsc-fig6",
        paper: BOOSTING,
        about: "checking SC, valid histories: time against operations, 6 threads",
        work: Histories(wsc_fig6),
    },
    Experiment {
        name: "wsc-fig7",
        paper: BOOSTING,
        about: "checking SC, valid histories: time against threads",
        work: Histories(|size| by_threads(size, size.of(10, 200, 200), None, &COMPLETE)),
    },
    Experiment {
        name: "wsc-fig8",
        paper: BOOSTING,
        about: "the same, half of the histories re-pointed to be violations",
        work: Histories(|size| by_threads(size, size.of(10, 200, 200), Some(HALF), &COMPLETE)),
    },
    Experiment {
        name: "wsc-fig9",
        paper: BOOSTING,
        about: "saturation alone on violations: time, and what CCM misses",
        work: Histories(|size| by_threads(size, size.of(10, 100, 100), Some(ALL), &SATURATION)),
    },
    Experiment {
        name: "tsotool-fig3",
        paper: HPCA,
        about: "how often heu and deriv find an order, by sharing",
        work: Histories(tsotool_fig3),
    },
    Experiment {
        name: "tsotool-fig4",
        paper: HPCA,
        about: "analysis time of the baseline and deriv-back, by operations, threads and locations",
        work: Histories(tsotool_fig4),
    },
    Experiment {
        name: "tsotool-table1",
        paper: HPCA,
        about: "the same by the mix of operations",
        work: Histories(tsotool_table1),
    },
    Experiment {
        name: "qadeer-cycles",
        paper: QADEER,
        about: "how long the nice cycles of violations are",
        work: Histories(qadeer_cycles),
    },
    Experiment {
        name: "burnim-table1",
        paper: BURNIM,
        about: "programs with up to 1 preemption: ways to leave SC under TSO and PSO, and the monitors' time",
        work: Histories(|size| programs(size, 1)),
    },
    Experiment {
        name: "burnim-table2",
        paper: BURNIM,
        about: "the same with up to 2 preemptions",
        work: Histories(|size| programs(size, 2)),
    },
    Experiment {
        name: "scale",
        paper: "this program",
        about: "rubric's own engine: time against operations and threads, by model",
        work: Histories(scale),
    },
    Experiment {
        name: "mutants",
        paper: "this program",
        about: "a campaign: which algorithms catch which mutants of the built-in protocols",
        work: Campaign(mutants),
    },
];

/// Locations of the programs of CAV 2019 and Boosting.
const LOCATIONS: u32 = 4;
/// Of 100 of their operations, how many read.
const READS: u32 = 70;
/// Locations of programs that mutants run: more than their caches hold, so that faults in replacing lines show.
const MUTANT_LOCATIONS: u32 = 16;
/// Threads and operations as in gem5's cores: each access waits for the one before it.
const IN_ORDER: Origin = Origin::Protocols(Client::IN_ORDER);
/// The same with store buffers.
const BUFFERED: Origin = Origin::Protocols(Client::store_buffer(8));

const SC_GRADUAL: [Algorithm; 3] = [Algorithm::ScCcmEnum, Algorithm::ScCcmSat, Algorithm::ScSat];
const TSO_GRADUAL: [Algorithm; 3] =
    [Algorithm::TsoWccmEnum, Algorithm::TsoWccmSat, Algorithm::TsoSat];
const COMPLETE: [Algorithm; 4] =
    [Algorithm::WscEnum, Algorithm::CcmEnum, Algorithm::Dbcop, Algorithm::WscDbcop];
const SATURATION: [Algorithm; 3] = [Algorithm::Wsc, Algorithm::Ccm, Algorithm::Dbcop];

/// Boosting, section 6: reads get the value of another write within a bounded distance. The paper does not say of how many
/// reads; the more, the easier to see. After one, CCM misses about as many violations as there (1.25 %), after several none.
const HALF: Repoint = Repoint { every: 2, reads: 1, distance: 50 };
const ALL: Repoint = Repoint { every: 1, ..HALF };

/// Reads and writes alone, in the proportion of [`READS`].
fn plain() -> Mix {
    Mix { loads: READS, stores: 100 - READS, rmws: 0, fences: 0 }
}

fn ask(model: Model, algorithms: &[Algorithm]) -> Vec<Task> {
    let task = |&algorithm: &Algorithm| Task::Decide(model, algorithm);
    algorithms.iter().map(task).collect()
}

/// Programs that read and write.
fn recipe(origin: Origin, threads: u32, operations: u32) -> Recipe {
    Recipe { origin, threads, operations, locations: LOCATIONS, mix: plain(), repoint: None }
}

/// Programs of so many threads that mutants run.
pub fn mutated(faults: &'static [Fault], threads: u32) -> Recipe {
    Recipe { locations: MUTANT_LOCATIONS, ..recipe(Origin::Mutants(faults), threads, 50 * threads) }
}

/// A point whose histories are made.
fn made(
    part: &'static str,
    name: String,
    histories: u32,
    recipe: Recipe,
    tasks: Vec<Task>,
) -> Point {
    Point { part, name, first: 0, histories, source: Source::Made(recipe), tasks }
}

/// CAV 2019, figures 4 and 6.
fn checking_valid(size: Size, model: Model, algorithms: &[Algorithm]) -> Vec<Point> {
    let histories = size.of(10, 200, 200);
    let most = size.of(5, 5, 8);
    let point = |part, number: u32, recipe| {
        made(part, format!("{part}={number}"), histories, recipe, ask(model, algorithms))
    };
    let sizes = (1..=most).map(|hundred| 100 * hundred);
    let by_operations = sizes.map(|size| point("operations", size, recipe(IN_ORDER, 4, size)));
    let by_threads = (2..=size.of(6, 6, 8))
        .map(|threads| point("threads", threads, recipe(IN_ORDER, threads, 50 * threads)));
    by_operations.chain(by_threads).collect()
}

/// CAV 2019, figure 5: 1000 histories spread equally over 2 to 8 cpus.
fn gcc_fig5(size: Size) -> Vec<Point> {
    let histories = |threads: u32| match size {
        Size::Quick => 10,
        // 1000 is 7 times 142, and 6 more.
        Size::Paper => 142 + u32::from(threads < 8),
        Size::Large => 1000,
    };
    let algorithms = [&SC_GRADUAL[..], &[Algorithm::Cc, Algorithm::Ccv, Algorithm::Ccm]].concat();
    let point = |threads: u32| {
        let (name, recipe) = (format!("threads={threads}"), mutated(&MI_FAULTS, threads));
        made("threads", name, histories(threads), recipe, ask(Model::SC, &algorithms))
    };
    (2..=8).map(point).collect()
}

/// CAV 2019, section 5.1: a sample of 200 histories with 200 operations each.
fn gcc_unordered(size: Size) -> Vec<Point> {
    let (histories, recipe) = (size.of(40, 200, 2000), recipe(IN_ORDER, 4, 200));
    let tasks = vec![Task::Kernel(Model::SC), Task::Kernel(Model::TSO)];
    vec![made("histories", "operations=200".to_owned(), histories, recipe, tasks)]
}

/// Boosting, section 6: 1742 histories, of the sizes of its figures 6 and 7.
fn wsc_kernel(size: Size) -> Vec<Point> {
    let shapes: Vec<(u32, u32)> = (2..=8)
        .map(|hundreds| (6, 100 * hundreds))
        .chain([4, 8, 12, 16].map(|threads| (threads, 50 * threads)))
        .collect();
    let all = size.of(110, 1742, 11_000);
    let each = all / shapes.len() as u32;
    let more = all % shapes.len() as u32;
    let point = |(at, (threads, operations)): (u32, (u32, u32))| {
        let name = format!("operations={operations},threads={threads}");
        let recipe = recipe(IN_ORDER, threads, operations);
        let histories = each + u32::from(at < more);
        made("histories", name, histories, recipe, vec![Task::Kernel(Model::SC)])
    };
    (0..).zip(shapes).map(point).collect()
}

/// Boosting, figure 6.
fn wsc_fig6(size: Size) -> Vec<Point> {
    let point = |hundreds: u32| {
        let name = format!("operations={}", 100 * hundreds);
        let recipe = recipe(IN_ORDER, 6, 100 * hundreds);
        made("operations", name, size.of(10, 200, 200), recipe, ask(Model::SC, &COMPLETE))
    };
    (2..=size.of(8, 8, 12)).map(point).collect()
}

/// Boosting, figures 7 to 9: 4 to 16 threads, 50 operations each.
fn by_threads(
    size: Size,
    histories: u32,
    repoint: Option<Repoint>,
    algorithms: &[Algorithm],
) -> Vec<Point> {
    let most = size.of(4, 4, 6);
    let point = |threads: u32| {
        let recipe = Recipe { repoint, ..recipe(IN_ORDER, threads, 50 * threads) };
        made("threads", format!("threads={threads}"), histories, recipe, ask(Model::SC, algorithms))
    };
    (1..=most).map(|step| point(4 * step)).collect()
}

/// HPCA 2006, section 5: loads, stores, swaps and membars; what it calls *others* is left out.
const EQUAL: Mix = mix(33, 33);
const LOADS: Mix = mix(50, 16);
const STORES: Mix = mix(16, 50);

const fn mix(loads: u32, stores: u32) -> Mix {
    Mix { loads, stores, rmws: 30, fences: 2 }
}

const K: u32 = 1024;

/// A point of the TSO tool's experiments.
fn tsotool(
    part: &'static str,
    histories: u32,
    (operations, threads, locations): (u32, u32, u32),
    mix: Mix,
    algorithms: &[Algorithm],
) -> Point {
    let weights = match part {
        "mix" => format!("mix={},", words(mix)),
        _ => String::new(),
    };
    Point {
        part,
        name: format!("{weights}operations={operations},threads={threads},locations={locations}"),
        first: 0,
        histories,
        source: Source::Made(Recipe {
            origin: BUFFERED,
            threads,
            operations,
            locations,
            mix,
            repoint: None,
        }),
        tasks: ask(Model::TSO, algorithms),
    }
}

/// A mix as four numbers, with `/` between them where commas separate something else.
pub fn words(mix: Mix) -> String {
    format!("{}/{}/{}/{}", mix.loads, mix.stores, mix.rmws, mix.fences)
}

/// Threads and locations of the TSO tool's experiments.
fn tuples(size: Size) -> Vec<(u32, u32)> {
    let threads: &[u32] = size.of(&[4, 16, 60], &[4, 8, 16, 32, 60], &[4, 8, 16, 32, 60]);
    let locations: &[u32] = size.of(&[4, 64, 256], &[4, 16, 64, 256], &[4, 16, 64, 256]);
    let each = threads.iter();
    each.flat_map(|&threads| locations.iter().map(move |&location| (threads, location))).collect()
}

/// HPCA 2006, figure 3.
fn tsotool_fig3(size: Size) -> Vec<Point> {
    let operations = size.of(8 * K, 128 * K, 512 * K);
    let algorithms =
        [Algorithm::TsoBaseline, Algorithm::Heu, Algorithm::Deriv, Algorithm::DerivBack];
    let point = |(threads, locations)| {
        let shape = (operations, threads, locations);
        let mut point = tsotool("locations", size.of(10, 16, 16), shape, EQUAL, &algorithms);
        // It seldom finishes: asked where sharing is least, with few threads and with many.
        if locations == 256 && [4, 60].contains(&threads) {
            point.tasks.extend(ask(Model::TSO, &[Algorithm::HeuBack]));
        }
        point
    };
    tuples(size).into_iter().map(point).collect()
}

/// HPCA 2006, figure 4.
fn tsotool_fig4(size: Size) -> Vec<Point> {
    let sizes: &[u32] = size.of(&[2, 8, 32], &[8, 32, 128, 512], &[8, 32, 128, 512, 1024]);
    let algorithms = [Algorithm::TsoBaseline, Algorithm::DerivBack];
    let mut points = Vec::new();
    for &thousands in sizes {
        for (threads, locations) in three_of_each() {
            let shape = (thousands * K, threads, locations);
            let histories = size.of(10, 16, 16);
            let mut point = tsotool("operations", histories, shape, EQUAL, &algorithms);
            // Whether these find an order depends on the operations too.
            if locations == 32 {
                point.tasks.extend(ask(Model::TSO, &[Algorithm::Heu, Algorithm::Deriv]));
            }
            points.push(point);
        }
    }
    points
}

/// HPCA 2006, table 1.
fn tsotool_table1(size: Size) -> Vec<Point> {
    let operations = size.of(8 * K, 256 * K, 512 * K);
    let algorithms = [Algorithm::TsoBaseline, Algorithm::DerivBack];
    let mut points = Vec::new();
    for mix in [LOADS, EQUAL, STORES] {
        for (threads, locations) in three_of_each() {
            let shape = (operations, threads, locations);
            let histories = size.of(10, 16, 16);
            points.push(tsotool("mix", histories, shape, mix, &algorithms));
        }
    }
    points
}

/// Few, some and many threads and locations, over which figure 4 and table 1 average.
fn three_of_each() -> impl Iterator<Item = (u32, u32)> {
    let each = [4, 16, 60].into_iter();
    each.flat_map(|threads| [4, 32, 256].map(|locations| (threads, locations)))
}

/// Qadeer, section 6: how many processors and locations a violation needs; section 5.2: whether the order of
/// completions explains valid runs.
fn qadeer_cycles(size: Size) -> Vec<Point> {
    let histories = size.of(40, 400, 2000);
    let algorithms =
        [Algorithm::NiceCycle, Algorithm::SimpleWitness, Algorithm::Wsc, Algorithm::Ccm];
    let point = |threads: u32| {
        let (name, recipe) = (format!("threads={threads}"), mutated(&ALL_FAULTS, threads));
        made("histories", name, histories, recipe, ask(Model::SC, &algorithms))
    };
    let valid = |threads: u32| {
        let (name, recipe) =
            (format!("valid,threads={threads}"), recipe(IN_ORDER, threads, 50 * threads));
        made("valid", name, histories, recipe, ask(Model::SC, &[Algorithm::SimpleWitness]))
    };
    [2, 4, 8].map(point).into_iter().chain([valid(4)]).collect()
}

/// Burnim, section 7: each program explored several times, by itself and with each monitor.
fn programs(size: Size, preemptions: u32) -> Vec<Point> {
    let monitors = [None, Some(Model::TSO), Some(Model::PSO)];
    let point = |benchmark: &'static Benchmark| Point {
        part: "programs",
        name: benchmark.name.to_owned(),
        first: 0,
        histories: size.of(10, 10, 20),
        source: Source::Program(Explored { benchmark, preemptions }),
        tasks: monitors.map(Task::Explore).to_vec(),
    };
    BENCHMARKS.iter().map(point).collect()
}

/// Rubric's own engine, on histories that give no hint at an order.
fn scale(size: Size) -> Vec<Point> {
    let models = [Model::SC, Model::TSO, Model::PSO];
    let mut points = Vec::new();
    let mut add = |part: &'static str, name: String, threads: u32, operations: u32| {
        for model in models {
            points.push(Point {
                part,
                name: format!("{name},machine={}", model.name()),
                first: 0,
                histories: size.of(10, 10, 10),
                source: Source::Made(Recipe {
                    origin: Origin::Machine(model),
                    threads,
                    operations,
                    locations: 256,
                    mix: EQUAL,
                    repoint: None,
                }),
                tasks: ask(model, &[Algorithm::Stages]),
            });
        }
    };
    let sizes: &[u32] = size.of(&[1, 4, 16], &[1, 4, 16, 64, 256], &[1, 4, 16, 64, 256, 1024]);
    for &thousands in sizes {
        let name = format!("operations={}", thousands * K);
        add("operations", name, 16, thousands * K);
    }
    for threads in size.of(&[2, 8, 32][..], &[2, 4, 8, 16, 32, 64], &[2, 4, 8, 16, 32, 64, 128]) {
        let operations = size.of(4 * K, 32 * K, 128 * K);
        add("threads", format!("threads={threads}"), *threads, operations);
    }
    points
}

/// The campaign that shows which algorithms catch which mutants. Its tables are in a folder of their own.
fn mutants(options: &Options, name: &str) -> campaign::Options {
    let (sample, runs) = match options.size {
        Size::Quick => (Some(60), 20),
        Size::Paper => (Some(400), 150),
        Size::Large => (None, 150),
    };
    campaign::Options {
        sample,
        runs,
        seed: options.seed,
        output: options.output.join(name),
        shard: options.shard,
        ..campaign::Options::default()
    }
}

const fn fault(protocol: &'static str, mutant: &'static str, client: Client) -> Fault {
    Fault { protocol, mutant, client }
}

const EARLY: Client = Client::early(8);

/// Statements of MI that are exchanged or left out, so that SC is broken, in the spirit of CAV 2019, section 5.1.
pub const MI_FAULTS: [Fault; 5] = [
    fault(
        "MI_example",
        "MI_example/L1Cache/IM.Data/swap-actions:fill_entry+write_miss_done",
        Client::IN_ORDER,
    ),
    fault(
        "MI_example",
        "MI_example/L1Cache/IS.Data/swap-actions:fill_entry+read_miss_done",
        Client::IN_ORDER,
    ),
    fault("MI_example", "mi-dir-putx-not-written", Client::IN_ORDER),
    fault("MI_example", "MI_example/L1Cache/M.Fwd_GETX/no-notify:tell_core_of_loss", EARLY),
    fault("MI_example", "mi-l1-replace-no-notify", EARLY),
];

/// Faults of each protocol that break SC: some lose writes, some do not tell the cores that a line is lost.
pub const ALL_FAULTS: [Fault; 12] = [
    MI_FAULTS[0],
    fault("MESI_Two_Level", "mesi2-l1-is-inv-no-notify", EARLY),
    fault("MOESI_hammer", "hammer-l1-s-othergetx-no-notify", EARLY),
    fault("MOESI_AMD_Base", "amd-pair-store-no-notify", EARLY),
    MI_FAULTS[2],
    fault(
        "MESI_Two_Level",
        "MESI_Two_Level/L1Cache/IS.Data_all_Acks/drop-action:fill_entry",
        Client::IN_ORDER,
    ),
    fault(
        "MOESI_hammer",
        "MOESI_hammer/L1Cache/action:write_hit/dirty-flag:false@1",
        Client::IN_ORDER,
    ),
    fault("MOESI_AMD_Base", "amd-clean-victim-blank-data", Client::IN_ORDER),
    MI_FAULTS[3],
    fault("MESI_Two_Level", "mesi2-l1-s-inv-no-notify", EARLY),
    fault("MOESI_hammer", "hammer-l1-migratory-gets-no-notify", EARLY),
    fault(
        "MOESI_AMD_Base",
        "MOESI_AMD_Base/Directory/action:collect_answer/data-not-written:DataBlk@1",
        Client::IN_ORDER,
    ),
];
