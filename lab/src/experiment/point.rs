//! What an experiment consists of: points, each of many histories and what is asked of each.

use std::sync::Arc;

use ::explore::program::benchmarks::Benchmark;
use check::generate::Mix;
use check::{Algorithm, Model};
use history::{History, ReadsFrom};
use simulate::client::Client;
use slicc::builtin::BUILTINS;

/// How large an experiment is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Size {
    /// At least 10 histories a point, some minutes in all.
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

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Size::Quick => "quick",
            Size::Paper => "paper",
            Size::Large => "large",
        }
    }

    /// One of three, by size.
    pub fn of<T>(self, quick: T, paper: T, large: T) -> T {
        match self {
            Size::Quick => quick,
            Size::Paper => paper,
            Size::Large => large,
        }
    }
}

/// A point of a figure: histories that are alike.
#[derive(Clone, Debug)]
pub struct Point {
    /// What is varied in the part of the experiment: `operations`, `threads`, …
    pub part: &'static str,
    /// All that varies, such as `operations=200`.
    pub name: String,
    /// Number of the first history.
    pub first: u32,
    /// How many histories.
    pub histories: u32,
    /// Where they come from.
    pub source: Source,
    /// What is asked of each.
    pub tasks: Vec<Task>,
}

/// Where the histories of a point come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// They are made.
    Made(Recipe),
    /// A recorded history.
    Recorded(Arc<Recording>),
    /// There is none, but a program that is explored.
    Program(Explored),
}

/// A program, and how far it is explored.
#[derive(Clone, Copy, Debug)]
pub struct Explored {
    /// The program.
    pub benchmark: &'static Benchmark,
    /// Most preemptions of a run.
    pub preemptions: u32,
}

/// A history that was recorded.
#[derive(Debug)]
pub struct Recording {
    /// Its file, and its name in it.
    pub title: String,
    /// The history itself.
    pub history: History,
    /// The source of each read.
    pub reads_from: ReadsFrom,
}

/// What a history is made of, but for its seed.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// What runs.
    pub origin: Origin,
    /// Number of threads.
    pub threads: u32,
    /// Operations of all threads together. Where a protocol runs each thread has equally many, so that they
    /// may be a few less.
    pub operations: u32,
    /// Number of locations.
    pub locations: u32,
    /// How often each kind of operation occurs.
    pub mix: Mix,
    /// Which of the histories have reads re-pointed, so that they violate SC.
    pub repoint: Option<Repoint>,
}

/// What runs a program.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// The built-in protocols in turn.
    Protocols(Client),
    /// Protocols with a fault, in turn, until a run violates SC.
    Mutants(&'static [Fault]),
    /// The operational machine of a model.
    Machine(Model),
}

/// A mutant, and the cores on which it shows.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// A built-in protocol.
    pub protocol: &'static str,
    /// What is wrong with it.
    pub mutant: &'static str,
    /// The kind of core, which guarantees SC if memory does.
    pub client: Client,
}

/// How reads are re-pointed.
#[derive(Clone, Copy, Debug)]
pub struct Repoint {
    /// Of so many histories one: 1 is all, 2 half of those of each protocol.
    pub every: u32,
    /// How many reads.
    pub reads: u32,
    /// How far away the other write is, in operations of the order of completion.
    pub distance: u32,
}

/// Which histories an experiment is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Those that satisfy the model.
    Consistent,
    /// Those that violate SC.
    Violations,
    /// Consistent histories and violations.
    Both,
}

/// How many protocols histories take turns at.
const PROTOCOLS: u32 = BUILTINS.len() as u32;

impl Repoint {
    /// Whether this history is one of them. The protocols have their turn with every number, so that what is
    /// re-pointed has to shift from one round to the next.
    fn is_for(&self, number: u32) -> bool {
        (number + number / PROTOCOLS) % self.every == self.every - 1
    }
}

impl Recipe {
    /// Which histories it makes.
    pub fn wanted(&self) -> Wanted {
        match (self.origin, self.repoint) {
            (Origin::Mutants(_), _) => Wanted::Violations,
            (_, Some(Repoint { every: 1, .. })) => Wanted::Violations,
            (_, Some(_)) => Wanted::Both,
            (_, None) => Wanted::Consistent,
        }
    }

    /// How many reads of a history are re-pointed.
    pub fn repointed(&self, number: u32) -> u32 {
        match self.repoint {
            Some(repoint) if repoint.is_for(number) => repoint.reads,
            _ => 0,
        }
    }

    /// How far away the other writes are.
    pub fn distance(&self) -> u32 {
        self.repoint.map_or(0, |repoint| repoint.distance)
    }
}

/// What is asked of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// What an algorithm says.
    Decide(Model, Algorithm),
    /// What the kernel is, and how much of it weaker criteria derive.
    Kernel(Model),
    /// All runs of a program with few preemptions, with the monitor of a model.
    Explore(Option<Model>),
}

impl Task {
    /// The model that it is about.
    pub fn model(self) -> Model {
        match self {
            Task::Decide(model, _) | Task::Kernel(model) => model,
            // The interleavings of a program are its runs under SC; that is all there is without a monitor.
            Task::Explore(None) => Model::SC,
            Task::Explore(Some(monitor)) => monitor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_histories_of_each_protocol_are_re_pointed() {
        let half = Repoint { every: 2, reads: 1, distance: 50 };
        for protocol in 0..PROTOCOLS {
            let numbers = (0..80).filter(|number| number % PROTOCOLS == protocol);
            assert_eq!(numbers.filter(|&number| half.is_for(number)).count(), 10);
        }
        assert_eq!((0..10).filter(|&number| half.is_for(number)).count(), 5);
        let all = Repoint { every: 1, ..half };
        assert!((0..9).all(|number| all.is_for(number)));
    }
}
