//! The systems that are walked through at the same time.
//!
//! A round makes some walks in each system, all with the same knowledge of what is open, so that what they take does not depend on how many
//! run at a time. A system in which nothing new is taken for some rounds is replaced by the next one that is drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use explore::protocol::cover::{CoveringRun, Table};
use rayon::prelude::*;
use simulate::stepper::{Move, Scope};
use slicc::protocol::Protocol;
use slicc::setting::Setting;

use super::systems::{self, System};

/// The number of systems at the same time. It is part of what a seed stands for, so it does not depend on the computer.
const SYSTEMS: usize = 6;
/// The number of walks in each system in a round.
const WALKS: u32 = 40;
/// The number of rounds without anything new after which a system is replaced.
const PATIENCE: u32 = 6;
/// The number of systems, one after another, that do not fit a protocol before none are drawn any more.
const MISFITS: u32 = 40;

/// The number of findings whose runs are made short. Of others, only how many there are is known.
const MOST_FINDINGS: usize = 40;

/// A row that a walk was the first to take.
pub(crate) struct TakenByWalk {
    pub triple: u32,
    pub walk: Walk,
}

/// A walk through a system.
#[derive(Clone, Debug)]
pub struct Walk {
    /// The number of the system among those of the seed.
    pub(super) system: u64,
    pub(super) scope: Scope,
    pub(super) moves: Vec<Move>,
}

/// A finding in which walks ended.
#[derive(Clone, Debug)]
pub struct FoundByWalks {
    /// The number of the system of the short walk among those of the seed.
    pub(crate) system: u64,
    pub(crate) scope: Scope,
    /// A short walk that ends so.
    pub run: CoveringRun,
    /// The number of walks that ended so.
    pub walks: u64,
    /// When the first of them was made.
    pub(crate) first: Instant,
}

/// Identifies a finding: its kind, and the row in whose transition it was found, by its triple.
type Key = (&'static str, Option<u32>);

/// The systems that are walked through.
pub(crate) struct Pool<'a> {
    protocol: &'a Protocol,
    table: &'a Table,
    settings: &'a [Setting],
    seed: u64,
    /// Whether systems of one core are left out. Tests do so: a directory may answer such a core twice, which goes well only because messages
    /// from memory come last.
    is_shared: bool,
    /// The number of the system that is drawn next.
    next: u64,
    /// Whether systems can be drawn.
    fits: bool,
    systems: Vec<Active>,
    /// The number of systems that were walked through.
    pub systems_made: u64,
    /// The number of walks.
    pub walks: u64,
    /// The rows that were taken or have stalled.
    pub met: BTreeSet<u32>,
    /// The findings in which walks ended. Of those in systems that are still there, the walks are not counted yet.
    found: BTreeMap<Key, FoundByWalks>,
}

struct Active {
    system: System,
    /// The number of rounds since a walk took a row that was open.
    idle: u32,
}

impl<'a> Pool<'a> {
    /// Draws no system yet. All are of a protocol with some settings.
    pub(crate) fn new(
        protocol: &'a Protocol,
        table: &'a Table,
        settings: &'a [Setting],
        seed: u64,
    ) -> Pool<'a> {
        Pool {
            protocol,
            table,
            settings,
            seed,
            is_shared: false,
            next: 0,
            fits: true,
            systems: Vec::new(),
            systems_made: 0,
            walks: 0,
            met: BTreeSet::new(),
            found: BTreeMap::new(),
        }
    }

    /// The same systems without those of one core.
    pub(crate) fn shared(self) -> Pool<'a> {
        Pool { is_shared: true, ..self }
    }

    /// Makes a round of walks, and returns what they take of `open`, in an order that depends on the seed alone. `towards` is a row that
    /// they are to come near to.
    pub(crate) fn round(&mut self, open: &BTreeSet<u32>, towards: Option<u32>) -> Vec<TakenByWalk> {
        self.fill();
        let table = self.table;
        let all: Vec<Vec<u32>> = self
            .systems
            .par_iter_mut()
            .map(|one| one.system.walker.walk(table, open, towards, WALKS))
            .collect();
        self.walks += u64::from(WALKS) * self.systems.len() as u64;
        let mut left = open.clone();
        let mut taken = Vec::new();
        for (one, triples) in self.systems.iter_mut().zip(all) {
            self.met.extend(one.system.walker.met());
            one.idle = if triples.is_empty() { one.idle + 1 } else { 0 };
            for triple in triples.into_iter().filter(|triple| left.remove(triple)) {
                let System { number, scope, walker } = &one.system;
                let moves = walker.moves_to(triple).unwrap_or_default();
                let walk = Walk { system: *number, scope: scope.clone(), moves };
                taken.push(TakenByWalk { triple, walk });
            }
        }
        self.note_findings();
        self.retire();
        taken
    }

    /// Draws systems until there are enough.
    fn fill(&mut self) {
        let mut misfits = 0;
        while self.fits && self.systems.len() < SYSTEMS {
            let number = self.next;
            self.next += 1;
            if self.is_shared && systems::has_one_core(number) {
                continue;
            }
            match systems::draw(self.protocol, self.settings, self.seed, number) {
                Some(system) => {
                    misfits = 0;
                    self.systems_made += 1;
                    self.systems.push(Active { system, idle: 0 });
                }
                None => misfits += 1,
            }
            self.fits = misfits < MISFITS;
        }
    }

    /// Drops the systems in which nothing new is taken, and those that have no room for more states.
    fn retire(&mut self) {
        let is_done = |one: &Active| one.idle >= PATIENCE || one.system.walker.is_full();
        for one in self.systems.extract_if(.., |one| is_done(one)) {
            count(&mut self.found, &one);
        }
    }

    /// Makes the runs of new findings short.
    fn note_findings(&mut self) {
        for Active { system, .. } in &mut self.systems {
            let keys: Vec<Key> =
                system.walker.findings().map(|(finding, row, _)| (finding.name(), row)).collect();
            for (at, key) in keys.into_iter().enumerate() {
                if self.found.contains_key(&key) || self.found.len() >= MOST_FINDINGS {
                    continue;
                }
                let Some(run) = system.walker.run_to_finding(at) else { continue };
                let (system, scope) = (system.number, system.scope.clone());
                let first = Instant::now();
                self.found.insert(key, FoundByWalks { system, scope, run, walks: 0, first });
            }
        }
    }

    /// The findings in which walks ended, in an order that depends on the seed alone.
    pub(crate) fn findings(&self) -> Vec<FoundByWalks> {
        let mut found = self.found.clone();
        self.systems.iter().for_each(|one| count(&mut found, one));
        found.into_values().collect()
    }
}

/// Counts the walks of a system that ended in findings.
fn count(found: &mut BTreeMap<Key, FoundByWalks>, of: &Active) {
    for (finding, row, walks) in of.system.walker.findings() {
        if let Some(one) = found.get_mut(&(finding.name(), row)) {
            one.walks += walks;
        }
    }
}
