//! The points of experiments: each has a number of histories of one kind, and the tasks that are done on each history.

use std::sync::Arc;

use ::explore::memory::Witness;
use ::explore::program::benchmarks::Benchmark;
use check::generate::Mix;
use check::{Algorithm, Model};
use history::{History, ReadsFrom};
use simulate::client::Client;

use crate::exploration::memory_system;

/// How large an experiment is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Size {
    /// At least 10 histories a point; all experiments take some minutes.
    #[default]
    Quick,
    /// As in the paper.
    Paper,
    /// Beyond the paper.
    Large,
}

impl Size {
    /// All sizes, from small to large.
    pub const ALL: [Size; 3] = [Size::Quick, Size::Paper, Size::Large];

    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Size::Quick => "quick",
            Size::Paper => "paper",
            Size::Large => "large",
        }
    }

    /// Selects one of three values by the size.
    pub fn of<T>(self, quick: T, paper: T, large: T) -> T {
        match self {
            Size::Quick => quick,
            Size::Paper => paper,
            Size::Large => large,
        }
    }
}

/// A point of a figure: histories that differ in their seed only.
#[derive(Clone, Debug)]
pub struct Point {
    /// The part of the experiment, named after the parameter that it varies: `operations`, `threads`, …
    pub part: &'static str,
    /// The values of the parameters, such as `operations=200`.
    pub name: String,
    /// Number of the first history.
    pub first: u32,
    /// The number of histories.
    pub histories: u32,
    /// The origin of the histories.
    pub source: Source,
    /// The tasks done on each history.
    pub tasks: Vec<Task>,
}

/// The origin of the histories of a point.
#[derive(Clone, Debug)]
pub enum Source {
    /// Each history is made from a recipe, its number and the seed.
    Made(Recipe),
    /// A recorded history.
    Recorded(Arc<Recording>),
    /// There are no histories; a program is explored instead.
    Program(Explored),
    /// There are no histories; nice cycles are searched in all runs of a system instead.
    System(NiceCycles),
}

impl Source {
    /// Whether all runs are explored, instead of histories made.
    pub fn is_explored(&self) -> bool {
        matches!(self, Source::Program(_) | Source::System(_))
    }
}

/// A search for nice cycles of one length.
#[derive(Clone, Debug)]
pub struct NiceCycles {
    /// The system that is searched.
    pub system: SearchedSystem,
    /// Number of processors.
    pub processors: u8,
    /// Number of locations.
    pub locations: u8,
    /// The number of processors and locations in the cycles.
    pub k: u8,
}

/// A system in which nice cycles are searched.
#[derive(Clone, Copy, Debug)]
pub enum SearchedSystem {
    /// A built-in memory system, with the order of writes that is tried.
    Memory(memory_system::System, Witness),
    /// A built-in protocol, or a mutant of it.
    Protocol(&'static str, Option<&'static str>),
}

/// A program, and how many preemptions its explored runs have.
#[derive(Clone, Copy, Debug)]
pub struct Explored {
    /// The program.
    pub benchmark: &'static Benchmark,
    /// The largest number of preemptions in a run.
    pub preemptions: u32,
}

/// A recorded history.
#[derive(Debug)]
pub struct Recording {
    /// The name of the file, and of the history in it.
    pub title: String,
    /// The history itself.
    pub history: History,
    /// The source of each read.
    pub reads_from: ReadsFrom,
}

/// The parameters of a history except its seed.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The system that runs the program.
    pub origin: Origin,
    /// Number of threads.
    pub threads: u32,
    /// Number of operations of all threads together. On a protocol each thread has equally many, so that there may be a few less.
    pub operations: u32,
    /// Number of locations.
    pub locations: u32,
    /// The weights of the kinds of operations.
    pub mix: Mix,
    /// How reads are re-pointed to make violations of SC, if they are.
    pub repoint: Option<Repoint>,
}

/// The system that runs the programs of a recipe.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// The built-in protocols in turn, with this kind of core.
    Protocols(Client),
    /// Mutants in turn, until a run violates SC.
    Mutants(&'static [Fault]),
    /// The operational machine of a model.
    Machine(Model),
}

/// A mutant, and the kind of core on which it violates SC.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// A built-in protocol.
    pub protocol: &'static str,
    /// The name or id of the mutant.
    pub mutant: &'static str,
    /// The kind of core. It guarantees SC on a protocol without fault.
    pub client: Client,
}

/// How reads are re-pointed, that is, get the value of another write.
#[derive(Clone, Copy, Debug)]
pub struct Repoint {
    /// One of this many histories has reads re-pointed: 1 is all, 2 half of those of each protocol.
    pub every: u32,
    /// Number of reads that are re-pointed in such a history.
    pub reads: u32,
    /// The largest distance to the other write, in operations in the order of completion.
    pub distance: u32,
}

/// The kind of histories that an experiment is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The histories that satisfy the model.
    Consistent,
    /// The histories that violate SC.
    Violations,
    /// Consistent histories and violations.
    Both,
}

impl Repoint {
    /// Whether reads of the history with this number are re-pointed, where so many protocols make histories in turn. The protocol depends
    /// on the number, too, so the choice shifts from one round of protocols to the next.
    fn is_for(&self, number: u32, protocols: u32) -> bool {
        (number % protocols + number / protocols) % self.every == self.every - 1
    }
}

impl Recipe {
    /// The kind of histories that it makes.
    pub fn wanted(&self) -> Wanted {
        match (self.origin, self.repoint) {
            (Origin::Mutants(_), _) => Wanted::Violations,
            (_, Some(Repoint { every: 1, .. })) => Wanted::Violations,
            (_, Some(_)) => Wanted::Both,
            (_, None) => Wanted::Consistent,
        }
    }

    /// The number of reads that are re-pointed in the history with this number, where so many protocols make histories in turn.
    pub fn repointed(&self, number: u32, protocols: u32) -> u32 {
        match self.repoint {
            Some(repoint) if repoint.is_for(number, protocols) => repoint.reads,
            _ => 0,
        }
    }

    /// The largest distance to the other writes; 0 if no reads are re-pointed.
    pub fn distance(&self) -> u32 {
        self.repoint.map_or(0, |repoint| repoint.distance)
    }
}

/// An algorithm of HPCA 2006 that sorts, without the inference by rules that precedes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unaided {
    /// Heu.
    Heu,
    /// Deriv.
    Deriv,
    /// Deriv+Back.
    DerivBack,
}

impl Unaided {
    /// The algorithm.
    pub fn algorithm(self) -> Algorithm {
        match self {
            Unaided::Heu => papers::HEU,
            Unaided::Deriv => papers::DERIV,
            Unaided::DerivBack => papers::DERIV_BACK,
        }
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Unaided::Heu => "heu-no-baseline",
            Unaided::Deriv => "deriv-no-baseline",
            Unaided::DerivBack => "deriv-back-no-baseline",
        }
    }
}

/// A task that is done on a history or a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Decide the history under a model with an algorithm.
    Decide(Model, Algorithm),
    /// Decide the history under TSO with an algorithm of HPCA 2006 that sorts, without the inference before.
    WithoutBaseline(Unaided),
    /// Compute the kernel, and how much of it weaker criteria infer.
    Kernel(Model),
    /// Explore all runs of a program with few preemptions, with the monitor of a model if there is one.
    Explore(Option<Model>),
    /// The same with SOBER's monitor of TSO.
    ExploreSober,
    /// Search nice cycles in all runs of a system.
    NiceCycles,
}

impl Task {
    /// The model that it is about.
    pub fn model(self) -> Model {
        match self {
            Task::Decide(model, _) | Task::Kernel(model) => model,
            Task::WithoutBaseline(_) | Task::ExploreSober => Model::TSO,
            // The interleavings of a program are its runs under SC.
            Task::Explore(None) | Task::NiceCycles => Model::SC,
            Task::Explore(Some(monitor)) => monitor,
        }
    }
}

/// The models of the tasks, each once.
pub fn models(tasks: &[Task]) -> Vec<Model> {
    let mut models: Vec<Model> = Vec::new();
    for task in tasks {
        if !models.contains(&task.model()) {
            models.push(task.model());
        }
    }
    models
}

#[cfg(test)]
mod tests {
    use slicc::builtin::BUILTINS;

    use super::*;

    #[test]
    fn half_of_the_histories_of_each_protocol_are_re_pointed() {
        let half = Repoint { every: 2, reads: 1, distance: 50 };
        for protocols in [1, 3, BUILTINS.len() as u32, 16] {
            for protocol in 0..protocols {
                let numbers = (0..20).map(|round| protocols * round + protocol);
                let repointed = numbers.filter(|&number| half.is_for(number, protocols));
                assert_eq!(repointed.count(), 10, "protocol {protocol} of {protocols}");
            }
        }
        let all = Repoint { every: 1, ..half };
        assert!((0..9).all(|number| all.is_for(number, 3)));
    }

    /// Histories of the built-in protocols keep their choice, on which their seeds depend.
    #[test]
    fn the_choice_for_built_in_protocols_stays() {
        let half = Repoint { every: 2, reads: 1, distance: 50 };
        let repointed = (0..16).filter(|&number| half.is_for(number, BUILTINS.len() as u32));
        assert_eq!(repointed.collect::<Vec<_>>(), [1, 3, 4, 6, 9, 11, 12, 14]);
    }
}
