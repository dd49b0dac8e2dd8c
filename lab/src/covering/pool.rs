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

/// Something that a system has and others do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// What cores do beside loads and stores, by its name in `Repertoire::NAMES`.
    Part(&'static str),
    /// At least one DMA device.
    Devices,
    /// Another value of this parameter than gem5's scripts set.
    Setting(String),
}

impl Need {
    fn is_met(&self, scope: &Scope) -> bool {
        let mut repertoire = scope.repertoire;
        match self {
            Need::Part(name) => repertoire.part(name).is_some_and(|has| *has),
            Need::Devices => repertoire.devices > 0,
            Need::Setting(name) => scope.settings.iter().any(|one| one.parameter == *name),
        }
    }
}

/// The number of systems that are looked at for one that has what is needed.
const LOOKED_AT: u64 = 100;

/// The systems that are walked through.
pub(crate) struct Pool<'a> {
    protocol: &'a Protocol,
    table: &'a Table,
    settings: &'a [Setting],
    seed: u64,
    /// Whether systems of one core are left out. Tests do so: a directory may answer such a core twice, which goes well only because messages
    /// from memory come last.
    is_shared: bool,
    /// What every second system has, one after the other.
    needs: &'a [Need],
    /// The number of the system that is drawn next.
    next: u64,
    /// The numbers of systems that were drawn before their turn.
    early: BTreeSet<u64>,
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
            needs: &[],
            next: 0,
            early: BTreeSet::new(),
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

    /// The same systems, but every second one has one of these, if it comes up.
    pub(crate) fn with_needs(self, needs: &'a [Need]) -> Pool<'a> {
        Pool { needs, ..self }
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
            if let Some(system) = self.needed() {
                self.systems_made += 1;
                self.systems.push(Active { system, idle: 0 });
                continue;
            }
            let number = self.number();
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

    /// A system that has something that is needed, every second time, if one comes up before long.
    fn needed(&mut self) -> Option<System> {
        let turn = self.systems_made as usize;
        if turn.is_multiple_of(2) || self.needs.is_empty() {
            return None;
        }
        let need = &self.needs[turn / 2 % self.needs.len()];
        let (protocol, settings, seed) = (self.protocol, self.settings, self.seed);
        let is_new = |number: &u64| {
            !(self.early.contains(number) || self.is_shared && systems::has_one_core(*number))
        };
        let mut numbers = (self.next..self.next + LOOKED_AT).filter(is_new);
        let system = numbers.find_map(|number| {
            // Building a system takes longer than drawing one.
            let may_fit = need.is_met(&systems::drawn(protocol, settings, seed, number));
            let system = may_fit.then(|| systems::draw(protocol, settings, seed, number)).flatten();
            system.filter(|system| need.is_met(&system.scope))
        })?;
        self.early.insert(system.number);
        Some(system)
    }

    /// The number of the next system.
    fn number(&mut self) -> u64 {
        while self.early.remove(&self.next) {
            self.next += 1;
        }
        self.next += 1;
        self.next - 1
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_system_has_what_is_needed() {
        let protocol = Protocol::open("MI_example").unwrap();
        let table = Table::of(&protocol);
        let needs = [Need::Part("linked"), Need::Devices];
        let pool = Pool::new(&protocol, &table, &[], 1).shared();
        let mut pool = pool.with_needs(&needs);
        pool.fill();
        let scopes: Vec<&Scope> = pool.systems.iter().map(|one| &one.system.scope).collect();
        assert!(scopes[1].repertoire.linked && scopes[3].repertoire.devices > 0);
        assert!(scopes[5].repertoire.linked);
        let mut numbers: Vec<u64> = pool.systems.iter().map(|one| one.system.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), SYSTEMS);
    }
}
