//! Walks through small systems that are drawn one after another, some with devices and scarce resources, larger than those that are
//! explored completely ([`covering`](crate::covering)).

use std::collections::BTreeSet;

use explore::protocol::cover::Table;
use simulate::system::{entry_of, triple_of};
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

use super::deadlines::Deadlines;
use super::judge::of_violation;
use super::options::{Extent, Options};
use super::small::Shown;
use crate::covering::pool::{Need, Pool};
use crate::covering::{FoundByWalks, followed_in, replay_command};
use crate::protocols::Repairs;

/// A protocol that is walked through.
pub(super) struct Walked<'a> {
    /// Its name in commands.
    pub given: &'a str,
    pub protocol: &'a Protocol,
    /// Its repairs, as commands name them.
    pub repairs: Repairs,
    /// Whether it has all repairs that fit, and more than it was opened with.
    pub is_repaired: bool,
    /// Whether no repair fits it, so that what is found is new.
    pub is_settled: bool,
    /// The entries of its tables that walks make for, whether it has rows there or not; if there are none, all that no walk has taken.
    pub towards: Vec<TableEntry>,
    /// What every second system has, since the change is about it.
    pub needs: &'a [Need],
}

/// A finding in which walks ended.
#[derive(Clone)]
pub(super) struct FoundOnWalk {
    pub shown: Shown,
    /// The command that shows it.
    pub command: String,
    found: FoundByWalks,
}

impl FoundOnWalk {
    /// Whether the same run ends in the same finding in the same system of another version of the protocol.
    pub(super) fn is_in(&self, version: &Protocol, options: &Options) -> bool {
        let system = (options.seed, self.found.system);
        let replayed = followed_in(version, &options.settings, system, &self.shown.steps);
        let violation = replayed.and_then(|run| run.violation);
        let same = violation.map(|found| of_violation(&found, version).signature);
        same.as_ref() == Some(&self.shown.problem.signature)
    }
}

/// Walks through some versions of a protocol, the same number of rounds each, and returns what is found in each.
pub(super) fn walk_all(
    versions: &[Walked<'_>],
    options: &Options,
    deadlines: Deadlines,
) -> Vec<Vec<FoundOnWalk>> {
    let tables: Vec<Table> = versions
        .iter()
        .map(|version| Table::of(version.protocol).with(version.protocol, &version.towards))
        .collect();
    let walking = versions.iter().zip(&tables);
    let mut walking: Vec<Walking<'_>> =
        walking.map(|(version, table)| Walking::new(version, table, options)).collect();
    let most = match options.extent {
        Extent::Runs(runs) => runs,
        Extent::Time(_) => u32::MAX,
    };
    for round in 0..most {
        if round > 0 && !deadlines.is_working() || !options.explores {
            break;
        }
        walking.iter_mut().for_each(|one| one.round(round as usize));
    }
    let found = walking.iter().zip(versions).map(|(one, version)| {
        one.pool.findings().into_iter().filter_map(|found| told(found, version, options)).collect()
    });
    found.collect()
}

/// The walks through one version.
struct Walking<'a> {
    pool: Pool<'a>,
    /// The rows that walks make for, by their triples.
    open: BTreeSet<u32>,
    /// Those of the change, if there is one.
    changed: Vec<u32>,
}

impl<'a> Walking<'a> {
    fn new(version: &'a Walked<'_>, table: &'a Table, options: &'a Options) -> Walking<'a> {
        let triple = |entry: &TableEntry| {
            triple_of(version.protocol, &entry.machine, &entry.state, &entry.event)
        };
        let changed: Vec<u32> = version.towards.iter().filter_map(triple).collect();
        let open = match changed[..] {
            [] => table.rows().map(|row| row.triple).collect(),
            _ => changed.iter().copied().collect(),
        };
        let pool = Pool::new(version.protocol, table, &options.settings, options.seed)
            .shared()
            .with_needs(version.needs);
        Walking { pool, open, changed }
    }

    /// Makes some walks. The rows of a change stay open, since they may go wrong in one context and not in another.
    fn round(&mut self, number: usize) {
        let towards = self.changed.get(number % self.changed.len().max(1)).copied();
        let taken = self.pool.round(&self.open, towards);
        if self.changed.is_empty() {
            taken.iter().for_each(|one| {
                self.open.remove(&one.triple);
            });
        }
    }
}

/// A finding with the command that shows it.
fn told(found: FoundByWalks, version: &Walked<'_>, options: &Options) -> Option<FoundOnWalk> {
    let violation = found.run.violation.as_ref()?;
    let system = (options.seed, found.system);
    let Walked { given, protocol, repairs, is_repaired, is_settled, .. } = version;
    let rows = found.run.rows.iter().filter_map(|&triple| entry_of(protocol, triple));
    let shown = Shown {
        problem: of_violation(violation, protocol),
        steps: found.run.steps.clone(),
        is_shortest: false,
        notes: violation.notes(),
        taken: rows.collect(),
        first: found.first,
        known: None,
        is_settled: *is_settled,
        is_repaired: *is_repaired,
    };
    let command = replay_command(given, repairs, &options.settings, system, &found.run);
    Some(FoundOnWalk { shown, command, found })
}
