//! The table of an experiment's trials.

use serde::{Deserialize, Serialize};

use crate::names;
use crate::records::{Cell, Record, fields, table, words};

/// What an algorithm reported about a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reported {
    /// The history satisfies the model: a run was found.
    Consistent,
    /// The history violates the model.
    Violation,
    /// The weaker criterion that the algorithm checks holds.
    Satisfied,
    /// Undecided, for the reason given.
    #[default]
    Undecided,
    /// The time limit passed.
    Timeout,
    /// The memory limit was reached.
    Memory,
}

/// The value of [`Trial::source`] and [`Trial::part`] for recorded histories.
pub const RECORDED: &str = "recorded";

/// One algorithm on one history of an experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The experiment, such as `gcc-fig4`.
    pub experiment: String,
    /// The size of the experiment: `quick`, `paper` or `large`.
    #[serde(deserialize_with = "names::size")]
    pub size: String,
    /// The part of the experiment that the trial belongs to, named by what it varies, such as `operations`, `threads`,
    /// `locations` or `mix`; `histories` if nothing is varied. A recorded history is measured once and belongs to all
    /// parts: its part is [`RECORDED`].
    pub part: String,
    /// The point of the part, such as `operations=200`, or for several parameters `operations=131072,threads=8,locations=64`.
    pub point: String,
    /// Number of the history among those of the point, from 0.
    pub number: u32,
    /// Seed of the history, which together with the columns up to `distance` determines it.
    pub seed: u64,
    /// How the history was made: `simulated`, `mutant`, `machine` or `recorded`; `program` for the exploration of a
    /// program.
    pub source: String,
    /// The file of a recorded history, and the name of the history in the file.
    pub file: Option<String>,
    /// The protocol that ran; `None` if the history is not simulated.
    pub protocol: Option<String>,
    /// The mutant of the protocol that ran; `None` if the protocol was not mutated.
    pub mutant: Option<String>,
    /// The kind of cores.
    pub client: Option<String>,
    /// Number of threads that was asked for.
    pub threads: u32,
    /// Number of operations of all threads that was asked for.
    pub operations: u64,
    /// Number of locations that was asked for.
    pub locations: u32,
    /// The mix of operations, such as `50,50,0,0`: loads, stores, read-modify-writes, fences.
    pub mix: String,
    /// Number of reads that were re-pointed to other writes.
    pub repointed: u32,
    /// Largest distance between the write that such a read returns and its original source, in operations of the order
    /// of completion.
    pub distance: u32,
    /// Number of pairs of writes of one location, without initial writes.
    pub write_pairs: u64,
    /// Number of pairs of writes in the exact kernel, if it was computed.
    pub kernel: Option<u64>,
    /// Digest of the history, as in certificates.
    pub trace_hash: String,
    /// Seconds that making the history took.
    pub make_seconds: f64,
    /// The model that was checked, such as `sc` or `tso`.
    #[serde(deserialize_with = "names::model")]
    pub model: String,
    /// The algorithm, as on the command line.
    #[serde(deserialize_with = "names::algorithm")]
    pub algorithm: String,
    /// What the algorithm reported.
    pub said: Reported,
    /// Why the history is undecided, in a few words.
    pub reason: Option<String>,
    /// Seconds of processor time that the algorithm took, without reading the history; the time limit if that stopped it. In rows without
    /// `wall_seconds` these are seconds of elapsed time.
    pub seconds: f64,
    /// Seconds that elapsed meanwhile; older tables have no such column.
    #[serde(default)]
    pub wall_seconds: Option<f64>,
    /// The load of the machine when the algorithm began: how many of its processes ran or wanted to, on average over a minute; older
    /// tables have no such column.
    #[serde(default)]
    pub load: Option<f64>,
    /// Number of edges that the algorithm derived.
    pub edges: u64,
    /// Number of contradictions that the algorithm's search met.
    pub backtracks: u64,
    /// Largest number of choices that one contradiction undid.
    pub depth: u64,
    /// Number of states or choices that the algorithm visited.
    pub nodes: Option<u64>,
    /// Number of pairs of writes that the algorithm ordered before any search.
    pub ordered: Option<u64>,
    /// Number of conflicts in the SAT solver.
    pub conflicts: Option<u64>,
    /// The weaker criterion that refuted the history.
    pub fired: Option<String>,
    /// Length of the nice cycle that was found: the number of threads and locations in it.
    pub cycle: Option<u32>,
    /// Pairs of statements of a program that can make it violate SC; older tables have no such column.
    #[serde(default)]
    pub pairs: Option<u64>,
    /// How often a monitor signalled in the runs of a program; older tables have no such column.
    #[serde(default)]
    pub signals: Option<u64>,
    /// The time limit, in seconds of the same kind as `seconds`.
    pub timeout: f64,
    /// Version of the program.
    pub version: String,
    /// The processor, and how many trials ran at a time.
    pub machine: String,
    /// The command that reproduces the trial.
    pub command: String,
}

impl Record for Trial {
    const TABLE: &'static str = "a table of trials";
    const MADE_BY: &'static str = "rubric experiment";
    const NEWER: &'static [&'static str] = &["pairs", "signals", "wall_seconds", "load"];
    const NAMES: &'static [(&'static str, &'static [&'static str])] =
        &[("size", names::SIZES), ("model", names::MODELS)];

    fn fields(&mut self) -> Vec<(&'static str, &mut dyn Cell)> {
        fields!(self:
            experiment size part point number seed source file protocol mutant client
            threads operations locations mix repointed distance write_pairs kernel
            trace_hash make_seconds model algorithm said reason seconds wall_seconds load edges
            backtracks depth nodes ordered conflicts fired cycle pairs signals timeout version machine
            command
        )
    }
}

words!(Reported:
    Consistent "consistent"
    Violation "violation"
    Satisfied "satisfied"
    Undecided "undecided"
    Timeout "timeout"
    Memory "memory"
);

impl Reported {
    /// Whether the algorithm was stopped by a limit.
    pub fn is_cut_off(self) -> bool {
        matches!(self, Reported::Timeout | Reported::Memory)
    }
}

table!(Trial: write_trials read_trials);
