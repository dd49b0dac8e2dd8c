//! Random programs that take rows of a protocol's tables: they do what walks cannot, such as atomics that a home node performs, or transfers
//! of parts of lines.

use std::collections::BTreeSet;

use rayon::prelude::*;
use simulate::client::Client;
use simulate::config::handled;
use simulate::guided::Guide;
use simulate::recipe::{Lineage, Recipe};
use simulate::system::Reached;
use slicc::protocol::Protocol;
use slicc::setting::Setting;

/// The number of programs in a round.
const PROGRAMS: usize = 8;

/// A row that a program was the first to take.
pub(super) struct TakenByProgram {
    pub triple: u32,
    pub client: Client,
    pub lineage: Lineage,
}

/// The programs that run, which vary those that reached rare rows.
pub(super) struct Programs<'a> {
    protocol: &'a Protocol,
    settings: &'a [Setting],
    guide: Guide,
    clients: Vec<Client>,
    /// The number of programs that ran.
    pub runs: u64,
    /// The rows that stalled, and those that were taken.
    pub reached: BTreeSet<u32>,
}

impl<'a> Programs<'a> {
    pub(super) fn new(protocol: &'a Protocol, settings: &'a [Setting], seed: u64) -> Programs<'a> {
        Programs {
            protocol,
            settings,
            guide: Guide::new(seed).with_drawn_extras(handled(protocol)),
            clients: Client::all().collect(),
            runs: 0,
            reached: BTreeSet::new(),
        }
    }

    /// Runs some programs, and returns what they take of `open`, in an order that depends on the seed alone.
    pub(super) fn round(&mut self, open: &BTreeSet<u32>) -> Vec<TakenByProgram> {
        let chosen: Vec<(Client, Lineage)> = (0..PROGRAMS)
            .map(|at| {
                let client = self.clients[(self.runs as usize + at) % self.clients.len()];
                (client, self.guide.next())
            })
            .collect();
        let all: Vec<Vec<Reached>> =
            chosen.par_iter().map(|(client, lineage)| self.reached_by(*client, lineage)).collect();
        self.runs += PROGRAMS as u64;
        let mut left = open.clone();
        let mut taken = Vec::new();
        for ((client, lineage), reached) in chosen.into_iter().zip(all) {
            self.guide.learn(&lineage, &reached);
            self.reached.extend(reached.iter().map(|one| one.triple));
            for one in reached.iter().filter(|one| left.remove(&one.triple)) {
                let (triple, lineage) = (one.triple, lineage.clone());
                taken.push(TakenByProgram { triple, client, lineage });
            }
        }
        taken
    }

    /// What a program reaches; nothing if the protocol has no such system.
    fn reached_by(&self, client: Client, lineage: &Lineage) -> Vec<Reached> {
        let mut simulation = Recipe::of(lineage).simulation(self.protocol, client);
        simulation.options.settings.extend(self.settings.iter().cloned());
        let Ok(plan) = simulation.plan(self.protocol) else { return Vec::new() };
        simulation.run(self.protocol, &plan, None).map_or_else(|_| Vec::new(), |run| run.reached())
    }
}
