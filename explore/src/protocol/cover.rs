//! Runs that take rows of a protocol's tables, in systems that are too large to be explored completely.
//!
//! A [`Walker`] takes a system from state to state as an exploration does, along random *walks*. It keeps states that are worth returning
//! to in an `archive`, and begins each walk in one of them: most are the first in which the controllers were in these states together, and
//! those are preferred in which some row of the table is possible that no run has taken. This is how Go-Explore plays games in which
//! random moves lead nowhere (Ecoffet et al., Nature 2021), and random programs do not do it: they start again from empty caches each time,
//! and races come as the network's latencies have them. On a walk, every buffer and core has a priority, and what has a low one waits as
//! long as possible, which is how probabilistic concurrency testing finds races of few parties (Burckhardt et al., ASPLOS 2010).
//!
//! A row that was taken comes with its run, which [`Walker::run_to`] makes short by leaving out moves. A row that was not taken may still
//! be possible.
//!
//! ```
//! use std::collections::BTreeSet;
//!
//! use explore::protocol::cover::{Table, Walker};
//! use simulate::stepper::Scope;
//! use slicc::protocol::Protocol;
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let table = Table::of(&protocol);
//! let mut open: BTreeSet<u32> = table.rows().map(|row| row.triple).collect();
//! let mut walker = Walker::new(&protocol, &Scope::default(), 1).expect("the protocol fits");
//! let taken = walker.walk(&table, &open, None, 100);
//! taken.iter().for_each(|triple| assert!(open.remove(triple)));
//! let run = walker.run_to(taken[0]).expect("a run takes it");
//! assert_eq!(run.steps.len(), 1);
//! ```

mod archive;
mod priorities;
mod shorten;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use history::random::Rng;
use simulate::stepper::{
    DescribedMove, Move, PartStepper, Party, Scope, Stepper, StepperError, UnderWay,
};
use slicc::protocol::Protocol;

use super::Finding;
use super::search::{finding, is_spontaneous};
use archive::{Archive, Place};
use priorities::Priorities;
pub use table::{Row, Table};

/// Separates the choices of walks from others with the same seed.
const PURPOSE: u64 = 0x57_41_4c_4b;
/// The numbers of moves of walks.
const LENGTHS: [usize; 4] = [8, 20, 40, 100];
/// Of 100 walks, how many begin in the first state.
const FROM_START_PERCENT: u32 = 10;
/// Memory for learnt effects of moves above which they are forgotten, in bytes.
const MOST_BYTES_OF_MOVES: usize = 128 << 20;
/// Memory for parts above which a walker is full, in bytes.
const MOST_BYTES_OF_PARTS: usize = 256 << 20;
/// The largest number of moves of a run.
const MOST_MOVES: usize = 400;

/// A run that takes a row of the table in its last move.
#[derive(Clone, Debug)]
pub struct CoveringRun {
    /// The moves, in words.
    pub steps: Vec<DescribedMove>,
    /// The participants of the run with their names.
    pub parties: Vec<(Party, String)>,
}

/// A system that is walked through.
pub struct Walker {
    stepper: PartStepper,
    archive: Archive,
    rng: Rng,
    /// For each row that was taken, by its triple, the place where it was first.
    taken: BTreeMap<u32, Place>,
    /// The first finding of each kind, and how many walks ended in one of them.
    findings: Vec<(Finding, u64)>,
    moves: Vec<Move>,
}

impl Walker {
    /// Builds a system that runs a protocol.
    ///
    /// # Errors
    /// Fails if the protocol does not support or fit a system of this size.
    pub fn new(protocol: &Protocol, scope: &Scope, seed: u64) -> Result<Walker, StepperError> {
        let mut stepper = PartStepper::new(Stepper::new(protocol, scope)?);
        let archive = Archive::new(stepper.first(), &stepper);
        Ok(Walker {
            stepper,
            archive,
            rng: Rng::new(seed, PURPOSE),
            taken: BTreeMap::new(),
            findings: Vec::new(),
            moves: Vec::new(),
        })
    }

    /// Makes this number of walks, and returns the rows of `open` that they take, by their triples, in order. `open` are the rows that no
    /// run has taken; `towards` is one that walks are to come near to, whatever else is open.
    pub fn walk(
        &mut self,
        table: &Table,
        open: &BTreeSet<u32>,
        towards: Option<u32>,
        walks: u32,
    ) -> Vec<u32> {
        let before: BTreeSet<u32> = self.taken.keys().copied().collect();
        for _ in 0..walks {
            if self.is_full() {
                break;
            }
            let from = self.begin(table, open, towards);
            self.walk_from(from);
            if self.stepper.known().bytes_of_moves() > MOST_BYTES_OF_MOVES {
                self.stepper.forget_moves();
            }
        }
        let new =
            self.taken.keys().filter(|triple| open.contains(triple) && !before.contains(triple));
        new.copied().collect()
    }

    /// Whether the memory for states is used up, so that no more walks are made.
    pub fn is_full(&self) -> bool {
        self.stepper.known().bytes_of_parts() > MOST_BYTES_OF_PARTS
    }

    /// The rows that were taken, by their triples.
    pub fn taken(&self) -> impl Iterator<Item = u32> {
        self.taken.keys().copied()
    }

    /// The first finding of each kind, with the number of walks that ended in one. It says nothing about the shortest run to it.
    pub fn findings(&self) -> &[(Finding, u64)] {
        &self.findings
    }

    /// The node in which the next walk begins.
    fn begin(&mut self, table: &Table, open: &BTreeSet<u32>, towards: Option<u32>) -> usize {
        let rng = &mut self.rng;
        if rng.percent(FROM_START_PERCENT) {
            return 0;
        }
        match towards {
            Some(triple) if rng.percent(60) => self.archive.near(table, triple, rng),
            _ if rng.percent(50) => self.archive.open(table, open, rng),
            _ => self.archive.fresh(rng),
        }
    }

    /// Makes a walk from a node.
    fn walk_from(&mut self, from: usize) {
        let mut place = self.archive.enter(from);
        let mut after = place.state.clone();
        let length = self.rng.one_of(&LENGTHS);
        let priorities = Priorities::draw(&mut self.rng);
        for _ in 0..length {
            if place.depth >= MOST_MOVES {
                return;
            }
            self.stepper.known().moves(&place.state, &mut self.moves);
            let Some(chosen) =
                priorities.choose(self.stepper.known(), &place.state, &self.moves, &mut self.rng)
            else {
                return;
            };
            let ended = self.stepper.take(&place.state, chosen, &mut after).err();
            place.step(chosen);
            let change = self.stepper.change();
            let taken = change.filter(|change| change.triple % 2 == 0);
            let is_new = taken.is_some_and(|change| !self.taken.contains_key(&change.triple));
            if let Some(problem) = ended {
                self.note(finding(problem));
                return;
            }
            std::mem::swap(&mut place.state, &mut after);
            if let Some(change) = change {
                place.change(change, self.stepper.known());
            }
            if let Some(change) = taken.filter(|_| is_new) {
                self.taken.insert(change.triple, place.clone());
            }
            self.archive.keep(&mut place, is_new);
        }
    }

    fn note(&mut self, found: Finding) {
        let kind = found.name();
        match self.findings.iter_mut().find(|(other, _)| other.name() == kind) {
            Some((_, count)) => *count += 1,
            None => self.findings.push((found, 1)),
        }
    }

    /// A short run that takes a row, if a walk has taken it: the moves of the walk without those that are not needed. Shorter ones may exist.
    pub fn run_to(&mut self, triple: u32) -> Option<CoveringRun> {
        let place = self.taken.get(&triple)?;
        let moves = self.archive.moves_to(place);
        let moves = shorten::shorten(&mut self.stepper, &moves, triple);
        Some(self.describe(&moves))
    }

    /// Describes a run in words.
    fn describe(&mut self, moves: &[Move]) -> CoveringRun {
        let mut state = self.stepper.first();
        let mut after = state.clone();
        let mut under_way = UnderWay::default();
        let mut steps = Vec::with_capacity(moves.len());
        for &chosen in moves {
            let whole = self.stepper.whole(&state);
            let (described, _) = self.stepper.stepper().describe(&whole, chosen, &mut under_way);
            steps.push(described);
            if self.stepper.take(&state, chosen, &mut after).is_err() {
                break;
            }
            std::mem::swap(&mut state, &mut after);
        }
        CoveringRun { steps, parties: self.stepper.stepper().parties() }
    }
}
