//! Runs that take rows of a protocol's tables, in systems that are too large to be explored completely.
//!
//! A [`Walker`] takes a system from state to state as an exploration does, along random *walks*. It keeps states that are worth returning
//! to in an `archive`, and begins each walk in one of them: most are the first in which the controllers were in these states together, and
//! those are preferred in which some row of the table is possible that no run has taken. This is how Go-Explore plays games in which
//! random moves lead nowhere (Ecoffet et al., Nature 2021), and random programs do not do it: they start again from empty caches each time,
//! and races come as the network's latencies have them. On a walk, every buffer and core has a priority, and what has a low one waits as
//! long as possible, which is how probabilistic concurrency testing finds races of few parties (Burckhardt et al., ASPLOS 2010).
//!
//! A row that was taken has a run, which [`Walker::run_to`] makes short by leaving out moves. A row that was not taken may still
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
//! let moves = walker.moves_to(taken[0]).expect("a walk has taken it");
//! let run = walker.run_to(taken[0], &moves).expect("its moves take it again");
//! assert_eq!(run.steps.len(), 1);
//! ```

mod archive;
mod hunt;
mod priorities;
mod shorten;
mod stuck;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use history::random::Rng;
use simulate::stepper::{
    DescribedMove, Move, PartStepper, Party, Scope, Stepper, StepperError, UnderWay,
};
use slicc::protocol::Protocol;

use super::search::{finding, is_spontaneous};
use super::{Finding, Violation, describe};
use archive::{Archive, Place};
use hunt::Hunt;
use priorities::Priorities;
use shorten::Goal;
pub use table::{Row, Table};

/// Separates the choices of walks from others with the same seed.
const PURPOSE: u64 = 0x57_41_4c_4b;
/// The numbers of moves that a walk may make; each is drawn equally often.
const LENGTHS: [usize; 4] = [8, 20, 40, 100];
/// Of 100 walks, how many begin in the first state.
const FROM_START_PERCENT: u32 = 10;
/// Of 100 walks that are to come near to a row, how many hold its event back until its state is there.
const HUNTS_PERCENT: u32 = 40;
/// Memory for learnt effects of moves above which they are forgotten, in bytes.
const MOST_BYTES_OF_MOVES: usize = 64 << 20;
/// Memory for parts above which a walker is full, in bytes.
const MOST_BYTES_OF_PARTS: usize = 128 << 20;
/// The largest number of findings that a walker keeps.
const MOST_FINDINGS: usize = 64;
/// The largest number of moves of a run.
const MOST_MOVES: usize = 400;

/// A run that takes a row of the table, or ends in a finding, in its last move.
#[derive(Clone, Debug)]
pub struct CoveringRun {
    /// The moves, in words.
    pub steps: Vec<DescribedMove>,
    /// The participants of the run with their names.
    pub parties: Vec<(Party, String)>,
    /// The place of each move among the moves that are possible before it, from which [`Walker::replay`] makes the run again.
    pub choices: Vec<usize>,
    /// The rows that the run takes or that stall, by their triples, in order. That of a row that stalls is one more than if it is taken.
    pub rows: Vec<u32>,
    /// The finding in which the run ends, if it does.
    pub violation: Option<Violation>,
}

/// A finding in which walks ended.
struct Ended {
    finding: Finding,
    /// The row in whose transition it was found, by its triple.
    row: Option<u32>,
    /// The first walk that ended so.
    place: Place,
    /// The number of walks that ended so.
    walks: u64,
}

/// A system that is walked through.
pub struct Walker {
    stepper: PartStepper,
    archive: Archive,
    rng: Rng,
    /// For each row that was taken, by its triple, the place where it was first.
    taken: BTreeMap<u32, Place>,
    /// The rows that were taken or have stalled, by their triples.
    met: BTreeSet<u32>,
    /// The findings in which walks ended, each kind in each row of the table once.
    findings: Vec<Ended>,
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
            met: BTreeSet::new(),
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
            let hunted = towards.filter(|_| self.rng.percent(HUNTS_PERCENT));
            self.walk_from(from, hunted.and_then(|triple| Hunt::new(table, triple)));
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

    /// The rows that were taken or have stalled, by their triples; that of a row that has stalled is one more than if it is taken.
    pub fn met(&self) -> &BTreeSet<u32> {
        &self.met
    }

    /// The findings in which walks ended, each with the row in whose transition it was found, by its triple, and the number of these walks.
    pub fn findings(&self) -> impl ExactSizeIterator<Item = (&Finding, Option<u32>, u64)> {
        self.findings.iter().map(|one| (&one.finding, one.row, one.walks))
    }

    /// A short run to one of the [`Walker::findings`]. Shorter ones may exist. Cost: some hundred times the run.
    pub fn run_to_finding(&mut self, finding: usize) -> Option<CoveringRun> {
        let ended = self.findings.get(finding)?;
        let goal = Goal::Finding(ended.finding.name(), ended.row);
        let moves = self.archive.moves_to(&ended.place);
        let (moves, found) = shorten::shorten(&mut self.stepper, &moves, goal)?;
        found.map(|found| self.told(&moves, Some(found)))
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

    /// Makes a walk from a node of the archive, until its length, a finding or a state without moves ends it. It may hunt for a row.
    fn walk_from(&mut self, from: usize, hunt: Option<Hunt<'_>>) {
        let mut place = self.archive.enter(from);
        let mut after = place.state.clone();
        let length = self.rng.one_of(&LENGTHS);
        let priorities = Priorities::draw(&mut self.rng);
        let mut stood_still = false;
        for _ in 0..length {
            if place.depth >= MOST_MOVES {
                return;
            }
            self.stepper.known().moves(&place.state, &mut self.moves);
            let looks_stuck = stood_still || !self.moves.iter().any(|&one| is_spontaneous(one));
            if looks_stuck
                && let Some(found) = stuck::deadlock(&mut self.stepper, &place.state, &self.moves)
            {
                self.note(found, None, place);
                return;
            }
            if let Some(hunt) = &hunt {
                hunt.narrow(&mut self.stepper, &place.state, &mut self.moves);
            }
            let Some(chosen) =
                priorities.choose(self.stepper.known(), &place.state, &self.moves, &mut self.rng)
            else {
                return;
            };
            let ended = self.stepper.take(&place.state, chosen, &mut after).err();
            place.step(chosen);
            let change = self.stepper.change();
            self.met.extend(change.map(|change| change.triple));
            let taken = change.filter(|change| change.triple % 2 == 0);
            let is_new = taken.is_some_and(|change| !self.taken.contains_key(&change.triple));
            if let Some(problem) = ended {
                self.note(finding(problem), change.map(|change| change.triple), place);
                return;
            }
            stood_still = place.state == after;
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

    /// Notes the finding in which a walk ended, at a place and in the transition of a row.
    fn note(&mut self, finding: Finding, row: Option<u32>, place: Place) {
        let is_same = |one: &&mut Ended| one.row == row && one.finding.name() == finding.name();
        let is_full = self.findings.len() >= MOST_FINDINGS;
        match self.findings.iter_mut().find(is_same) {
            Some(known) => known.walks += 1,
            None if is_full => {}
            None => self.findings.push(Ended { finding, row, place, walks: 1 }),
        }
    }

    /// The moves of the walk that took a row first, if one has taken it. The last of them takes it.
    pub fn moves_to(&self, triple: u32) -> Option<Vec<Move>> {
        Some(self.archive.moves_to(self.taken.get(&triple)?))
    }

    /// A short run that takes a row: the moves of a walk that takes it in a system like this one ([`Walker::moves_to`]), without those that
    /// are not needed. Shorter ones may exist. Cost: some hundred times the run.
    /// `None` if the moves are not those of such a walk.
    pub fn run_to(&mut self, triple: u32, moves: &[Move]) -> Option<CoveringRun> {
        let (moves, _) = shorten::shorten(&mut self.stepper, moves, Goal::Row(triple))?;
        Some(self.told(&moves, None))
    }

    /// The run whose moves have these places among the moves that are possible before them. It ends in a finding if its last move leads to
    /// one. `None` if a state has no such move, or if a finding comes before the last move.
    pub fn replay(&mut self, choices: &[usize]) -> Option<CoveringRun> {
        let mut state = self.stepper.first();
        let mut after = state.clone();
        let (mut moves, mut possible) = (Vec::with_capacity(choices.len()), Vec::new());
        let mut found = None;
        for &choice in choices {
            if found.is_some() {
                return None;
            }
            self.stepper.known().moves(&state, &mut possible);
            let chosen = *possible.get(choice)?;
            moves.push(chosen);
            found = self.stepper.take(&state, chosen, &mut after).err().map(finding);
            std::mem::swap(&mut state, &mut after);
        }
        if found.is_none() {
            self.stepper.known().moves(&state, &mut possible);
            found = stuck::deadlock(&mut self.stepper, &state, &possible);
        }
        Some(self.told(&moves, found))
    }

    /// The run in which the same happens as in a run of another version of the protocol, whose moves may have other places: what cores ask, and which
    /// messages arrive where. `None` if this system has no such run.
    pub fn follow(&mut self, steps: &[DescribedMove]) -> Option<CoveringRun> {
        let stepper = self.stepper.stepper();
        let mut state = stepper.first();
        let mut under_way = UnderWay::default();
        let mut choices = Vec::with_capacity(steps.len());
        for (number, step) in steps.iter().enumerate() {
            let possible = stepper.moves(&state);
            let found = possible.into_iter().enumerate().find_map(|(place, chosen)| {
                let mut way = under_way.clone();
                let (described, outcome) = stepper.describe(&state, chosen, &mut way);
                (described.happens == step.happens).then_some((place, outcome.state, way))
            });
            let (place, after, way) = found?;
            choices.push(place);
            under_way = way;
            match after {
                Ok(after) => state = after,
                Err(_) if number + 1 < steps.len() => return None,
                Err(_) => break,
            }
        }
        self.replay(&choices)
    }

    /// A run with these moves in words, which ends in a finding, if it does.
    fn told(&mut self, moves: &[Move], found: Option<Finding>) -> CoveringRun {
        let mut state = self.stepper.first();
        let mut after = state.clone();
        let (mut run, mut choices) = (Vec::with_capacity(moves.len()), Vec::new());
        let (mut rows, mut possible) = (Vec::new(), Vec::new());
        for &chosen in moves {
            self.stepper.known().moves(&state, &mut possible);
            choices.extend(possible.iter().position(|one| *one == chosen));
            run.push((self.stepper.whole(&state), chosen));
            let is_over = self.stepper.take(&state, chosen, &mut after).is_err();
            rows.extend(self.stepper.change().map(|change| change.triple));
            if is_over {
                break;
            }
            std::mem::swap(&mut state, &mut after);
        }
        let stepper = self.stepper.stepper();
        let violation = found.map(|found| describe(stepper, &run, found));
        let steps = match &violation {
            Some(violation) => violation.steps.clone(),
            None => in_words(stepper, &run),
        };
        CoveringRun { steps, parties: stepper.parties(), choices, rows, violation }
    }
}

/// The moves of a run, each given with the state before it, in words.
fn in_words(stepper: &mut Stepper, run: &[(Vec<u8>, Move)]) -> Vec<DescribedMove> {
    let mut under_way = UnderWay::default();
    run.iter().map(|(state, chosen)| stepper.describe(state, *chosen, &mut under_way).0).collect()
}
