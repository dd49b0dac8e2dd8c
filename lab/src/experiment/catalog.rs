//! The table of experiments: what each paper varied, and which algorithms it compared.
//!
//! Each experiment is a row of [`EXPERIMENTS`]. The functions that list the points of an experiment are in a module for each paper:
//! `gcc` (Zennou et al., CAV 2019), `wsc` (Zennou et al., Boosting), `tsotool` (Manovit & Hangal), `qadeer` and `burnim`; experiments
//! that are from no paper are in `own`. `faults` has the mutants whose runs are violations.
//!
//! Where a paper does not say how many locations its programs used and how often they read, `LOCATIONS` and `READ_PERCENT` are chosen
//! so that CCM leaves about as many pairs of writes unordered as in CAV 2019 (6.6 %).

mod burnim;
pub(super) mod faults;
mod gcc;
mod own;
mod qadeer;
mod tsotool;
mod wsc;

use check::generate::Mix;
use check::{Algorithm, Model};
use simulate::client::Client;

use ExperimentWork::{Campaign, Fidelity, Histories};

use super::Options;
use super::point::{Fault, Origin, Point, Recipe, Size, Task};
use crate::campaign;

/// An experiment: a row of [`EXPERIMENTS`].
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// The name on the command line, in tables and of files.
    pub name: &'static str,
    /// The paper that it reproduces.
    pub paper: &'static str,
    /// The question that the experiment answers, in one line.
    pub about: &'static str,
    /// The runs that it consists of.
    pub work: ExperimentWork,
}

/// The runs that an experiment consists of.
#[derive(Clone, Copy, Debug)]
pub enum ExperimentWork {
    /// Algorithms run on histories. The function lists the points of the experiment at a size.
    Histories(fn(Size) -> Vec<Point>),
    /// A campaign of mutants, whose tables are in a folder with the name of the experiment.
    Campaign(fn(&Options, &str) -> campaign::Options),
    /// The comparison with gem5, [`crate::fidelity`], which needs binaries of it.
    Fidelity,
}

impl Experiment {
    /// The points of the experiment at a size; none if it is a campaign or the comparison with gem5.
    pub fn points(&self, size: Size) -> Vec<Point> {
        match self.work {
            Histories(points) => points(size),
            Campaign(_) | Fidelity => Vec::new(),
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

/// The experiments. To add one, write the function that lists its points, and add a row here.
pub const EXPERIMENTS: [Experiment; 23] = [
    Experiment {
        name: "gcc-fig4",
        paper: CAV,
        about: "checking SC, valid histories: time against operations and threads",
        work: Histories(|size| gcc::checking_valid(size, Model::SC, &gcc::SC_GRADUAL)),
    },
    Experiment {
        name: "gcc-fig5",
        paper: CAV,
        about: "checking SC, violations by mutants of MI: time, and what CC and CCv catch",
        work: Histories(|size| gcc::gcc_fig5(size, &faults::MI_FAULTS)),
    },
    Experiment {
        name: "gcc-fig5-reordered",
        paper: CAV,
        about: "the same with the paper's kind of mutants, in which statements are reordered",
        work: Histories(|size| gcc::gcc_fig5(size, &faults::REORDERED)),
    },
    Experiment {
        name: "gcc-fig6",
        paper: CAV,
        about: "checking TSO on the histories of gcc-fig4",
        work: Histories(|size| gcc::checking_valid(size, Model::TSO, &gcc::TSO_GRADUAL)),
    },
    Experiment {
        name: "gcc-unordered",
        paper: CAV,
        about: "share of the pairs of writes that CCM, CCv and wCCM leave unordered",
        work: Histories(gcc::gcc_unordered),
    },
    Experiment {
        name: "gcc-unordered-reads",
        paper: CAV,
        about: "the same for other shares of reads and numbers of locations: what the published share of CCv counts",
        work: Histories(gcc::gcc_unordered_reads),
    },
    Experiment {
        name: "wsc-kernel",
        paper: BOOSTING,
        about: "how much of the exact kernel wSC, CCM and CCv derive",
        work: Histories(wsc::wsc_kernel),
    },
    Experiment {
        name: "wsc-fig6",
        paper: BOOSTING,
        about: "checking SC, valid histories: time against operations, 6 threads",
        work: Histories(wsc::wsc_fig6),
    },
    Experiment {
        name: "wsc-fig7",
        paper: BOOSTING,
        about: "checking SC, valid histories: time against threads",
        work: Histories(|size| wsc::by_threads(size, size.of(10, 200, 200), None, &wsc::COMPLETE)),
    },
    Experiment {
        name: "wsc-fig8",
        paper: BOOSTING,
        about: "the same, half of the histories re-pointed to be violations",
        work: Histories(|size| {
            wsc::by_threads(size, size.of(10, 200, 200), Some(wsc::HALF), &wsc::COMPLETE)
        }),
    },
    Experiment {
        name: "wsc-fig9",
        paper: BOOSTING,
        about: "saturation alone on violations: time, and what CCM misses",
        work: Histories(|size| {
            wsc::by_threads(size, size.of(10, 100, 100), Some(wsc::ALL), &wsc::SATURATION)
        }),
    },
    Experiment {
        name: "tsotool-fig3",
        paper: HPCA,
        about: "how often heu and deriv find an order, by sharing",
        work: Histories(tsotool::tsotool_fig3),
    },
    Experiment {
        name: "tsotool-fig4",
        paper: HPCA,
        about: "analysis time of the baseline and deriv-back, by operations, threads and locations",
        work: Histories(tsotool::tsotool_fig4),
    },
    Experiment {
        name: "tsotool-table1",
        paper: HPCA,
        about: "the same by the mix of operations",
        work: Histories(tsotool::tsotool_table1),
    },
    Experiment {
        name: "tsotool-no-baseline",
        paper: HPCA,
        about: "heu, deriv and deriv-back without the baseline before them, and with it",
        work: Histories(tsotool::tsotool_no_baseline),
    },
    Experiment {
        name: "tsotool-stores",
        paper: HPCA,
        about: "analysis time by the share of stores, up to stores alone",
        work: Histories(tsotool::tsotool_stores),
    },
    Experiment {
        name: "qadeer-cycles",
        paper: QADEER,
        about: "how long the nice cycles of violations are",
        work: Histories(qadeer::qadeer_cycles),
    },
    Experiment {
        name: "qadeer-systems",
        paper: QADEER,
        about: "all runs of small memory systems and protocols: is one not SC, and how short",
        work: Histories(qadeer::qadeer_systems),
    },
    Experiment {
        name: "burnim-table1",
        paper: BURNIM,
        about: "programs with up to 1 preemption: ways to leave SC under TSO and PSO, and the monitors' time",
        work: Histories(|size| burnim::programs(size, 1)),
    },
    Experiment {
        name: "burnim-table2",
        paper: BURNIM,
        about: "the same with up to 2 preemptions",
        work: Histories(|size| burnim::programs(size, 2)),
    },
    Experiment {
        name: "scale",
        paper: "this program",
        about: "rubric's own engine: time against operations and threads, by model",
        work: Histories(own::scale),
    },
    Experiment {
        name: "mutants",
        paper: "this program",
        about: "a campaign: which algorithms catch which mutants of the built-in protocols",
        work: Campaign(own::mutants),
    },
    Experiment {
        name: crate::fidelity::NAME,
        paper: "this program",
        about: "the same programs and mutants on rubric's simulator and in binaries of gem5",
        work: Fidelity,
    },
];

/// Locations of the programs of CAV 2019 and Boosting.
const LOCATIONS: u32 = 4;
/// Share of reads among the operations of these programs, in percent.
const READ_PERCENT: u32 = 70;
/// Locations of the programs that mutants run: more than their caches hold, so that faults in replacing lines show.
const MUTANT_LOCATIONS: u32 = 16;
/// The built-in protocols with cores like gem5's, where each access waits for the one before it.
const IN_ORDER: Origin = Origin::Protocols(Client::IN_ORDER);

/// Equally many loads and stores. HPCA 2006, section 5, has loads, stores, swaps, membars and *others*, which are left out.
const EQUAL: Mix = mix(33, 33);

/// A mix of HPCA 2006. The paper's mixes differ in the weights of loads and stores.
const fn mix(loads: u32, stores: u32) -> Mix {
    Mix { loads, stores, rmws: 30, fences: 2 }
}

/// Binary thousand, in which large numbers of operations are given.
const K: u32 = 1024;

/// The tasks of deciding a history under a model, one for each algorithm.
fn decisions(model: Model, algorithms: &[Algorithm]) -> Vec<Task> {
    let task = |&algorithm: &Algorithm| Task::Decide(model, algorithm);
    algorithms.iter().map(task).collect()
}

/// The recipe of a program of CAV 2019 and Boosting, which consists of reads and writes.
fn recipe(origin: Origin, threads: u32, operations: u32) -> Recipe {
    let mix = Mix { loads: READ_PERCENT, stores: 100 - READ_PERCENT, rmws: 0, fences: 0 };
    Recipe { origin, threads, operations, locations: LOCATIONS, mix, repoint: None }
}

/// The recipe of a program that mutants run, with 50 operations a thread.
pub fn mutated(faults: &'static [Fault], threads: u32) -> Recipe {
    Recipe { locations: MUTANT_LOCATIONS, ..recipe(Origin::Mutants(faults), threads, 50 * threads) }
}

/// The weights of a mix, separated by `/`, because commas separate the parts of a point's name.
pub fn words(mix: Mix) -> String {
    format!("{}/{}/{}/{}", mix.loads, mix.stores, mix.rmws, mix.fences)
}
