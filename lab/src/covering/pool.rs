//! The systems that are walked through at the same time.
//!
//! A round makes some walks in each system, all with the same knowledge of what is open, so that what they take does not depend on how many
//! run at a time. A system in which nothing new is taken for some rounds is replaced by the next one that is drawn.

use std::collections::{BTreeMap, BTreeSet};

use explore::protocol::cover::Table;
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

/// A row that a walk was the first to take.
pub(super) struct TakenByWalk {
    pub triple: u32,
    pub scope: Scope,
    pub moves: Vec<Move>,
}

/// The systems that are walked through.
pub(super) struct Pool<'a> {
    protocol: &'a Protocol,
    table: &'a Table,
    settings: &'a [Setting],
    seed: u64,
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
    /// The number of walks that ended in each kind of finding, in systems that were dropped.
    dropped_findings: Findings,
}

/// The number of walks that ended in each kind of finding, by its name.
pub(super) type Findings = BTreeMap<&'static str, u64>;

struct Active {
    system: System,
    /// The number of rounds since a walk took a row that was open.
    idle: u32,
}

impl<'a> Pool<'a> {
    pub(super) fn new(
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
            next: 0,
            fits: true,
            systems: Vec::new(),
            systems_made: 0,
            walks: 0,
            met: BTreeSet::new(),
            dropped_findings: Findings::new(),
        }
    }

    /// Makes a round of walks, and returns what they take of `open`, in an order that depends on the seed alone. `towards` is a row that
    /// they are to come near to.
    pub(super) fn round(&mut self, open: &BTreeSet<u32>, towards: Option<u32>) -> Vec<TakenByWalk> {
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
                let System { scope, walker } = &one.system;
                let moves = walker.moves_to(triple).unwrap_or_default();
                taken.push(TakenByWalk { triple, scope: scope.clone(), moves });
            }
        }
        self.retire();
        taken
    }

    /// Draws systems until there are enough.
    fn fill(&mut self) {
        let mut misfits = 0;
        while self.fits && self.systems.len() < SYSTEMS {
            let number = self.next;
            self.next += 1;
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
            add(&mut self.dropped_findings, &one);
        }
    }

    /// The number of walks that ended in each kind of finding, by its name.
    pub(super) fn findings(&self) -> Findings {
        let mut all = self.dropped_findings.clone();
        self.systems.iter().for_each(|one| add(&mut all, one));
        all
    }
}

fn add(findings: &mut Findings, of: &Active) {
    for (finding, _, walks) in of.system.walker.findings() {
        *findings.entry(finding.name()).or_default() += walks;
    }
}
