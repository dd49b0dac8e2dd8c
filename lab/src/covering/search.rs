//! The rounds of a search, and what they have taken so far.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use explore::protocol::cover::Table;
use simulate::config::Systems;
use simulate::system::entry_of;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

use super::pool::Pool;
use super::programs::Programs;
use super::reasons::{Excluded, met};
use super::{Covered, Extent, Fate, Options};
use crate::protocols::Opened;

/// A search under way.
pub(super) struct Search<'a> {
    opened: &'a Opened,
    table: &'a Table,
    options: &'a Options,
    /// The row that is looked for alone, by its triple.
    towards: Option<u32>,
    begun: Instant,
    pool: Pool<'a>,
    programs: Programs<'a>,
    /// The rows that are neither taken nor excluded.
    open: BTreeSet<u32>,
    fates: BTreeMap<u32, Fate>,
    rounds: u32,
    /// The round in which a program took the row that is looked for: a walk is looked for as long again, since its run can be shown.
    taken_by_program: Option<u32>,
    last_taken: Duration,
}

/// The least number of rounds in which a walk is looked for after a program has taken the row that is looked for.
const ROUNDS_FOR_WALK: u32 = 20;

impl<'a> Search<'a> {
    pub(super) fn new(
        opened: &'a Opened,
        table: &'a Table,
        options: &'a Options,
        towards: Option<u32>,
    ) -> Search<'a> {
        let protocol = &opened.protocol;
        Search {
            opened,
            table,
            options,
            towards,
            begun: Instant::now(),
            pool: Pool::new(protocol, table, &options.settings, options.seed),
            programs: Programs::new(protocol, &options.settings, options.seed),
            open: table.rows().map(|row| row.triple).collect(),
            fates: BTreeMap::new(),
            rounds: 0,
            taken_by_program: None,
            last_taken: Duration::ZERO,
        }
    }

    /// Leaves out the rows that no run takes.
    pub(super) fn exclude(&mut self, excluded: &Excluded) {
        let protocol = &self.opened.protocol;
        self.open.retain(|&triple| {
            entry_of(protocol, triple).is_some_and(|entry| !excluded.proved.contains_key(&entry))
        });
    }

    /// Whether the row that is looked for was taken.
    pub(super) fn is_found(&self) -> bool {
        self.towards.is_some_and(|triple| self.fates.contains_key(&triple))
    }

    /// Whether no further round is needed, or allowed.
    pub(super) fn is_over(&self) -> bool {
        let is_spent = match self.options.extent {
            Extent::Rounds(most) => self.rounds >= most,
            Extent::Time(most) => self.rounds > 0 && self.begun.elapsed() >= most,
        };
        let is_done = match self.towards {
            Some(triple) => !self.open.contains(&triple),
            None => self.open.is_empty(),
        };
        let is_enough =
            self.taken_by_program.is_some_and(|round| self.rounds >= 2 * round + ROUNDS_FOR_WALK);
        is_spent || is_done || is_enough
    }

    /// Makes some walks in each of the systems, then runs some programs.
    pub(super) fn round(&mut self) {
        for one in self.pool.round(&self.open, self.towards) {
            self.take(one.triple, Fate::Walk(Box::new(one.walk)));
        }
        for one in self.programs.round(&self.open) {
            self.take(one.triple, Fate::Program(one.client, one.lineage));
        }
        self.rounds += 1;
    }

    fn take(&mut self, triple: u32, fate: Fate) {
        if self.towards == Some(triple) && matches!(fate, Fate::Program(..)) {
            if self.taken_by_program.is_some() {
                return;
            }
            self.taken_by_program = Some(self.rounds);
        } else {
            self.open.remove(&triple);
        }
        self.fates.insert(triple, fate);
        self.last_taken = self.begun.elapsed();
    }

    /// The fate of each row. `excluded` is not known if the search ended before.
    pub(super) fn end(mut self, excluded: Option<&Excluded>) -> Covered {
        let protocol = &self.opened.protocol;
        let met = met(protocol, &(&self.pool.met | &self.programs.reached));
        let mut rows = BTreeMap::new();
        for row in self.table.rows() {
            let Some(entry) = entry_of(protocol, row.triple) else { continue };
            let proved = || excluded?.proved.get(&entry).cloned().map(Fate::Proved);
            let lacking = || excluded?.lacking.get(&entry).cloned().map(Fate::Lacking);
            let fate = self.fates.remove(&row.triple).or_else(proved).or_else(lacking);
            let left = || Fate::Left { why: met.lack(&entry), follows: false };
            let fate = fate.unwrap_or_else(left);
            rows.insert(entry, fate);
        }
        // If one row is looked for, nothing is known of the others.
        if let Some(excluded) = excluded.filter(|_| self.towards.is_none()) {
            note_order(&excluded.systems, protocol, &mut rows);
        }
        Covered {
            rows,
            rounds: self.rounds,
            systems: self.pool.systems_made,
            walks: self.pool.walks,
            programs: self.programs.runs,
            findings: self.pool.findings(),
            last_taken: self.last_taken,
            elapsed: self.begun.elapsed(),
            options: self.options.clone(),
            opened: self.opened.clone(),
        }
    }
}

/// Notes which of the rows that are left are taken only after others of them.
fn note_order(systems: &Systems, protocol: &Protocol, rows: &mut BTreeMap<TableEntry, Fate>) {
    let is_left = |fate: &Fate| matches!(fate, Fate::Left { .. });
    let left = rows.iter().filter(|(_, fate)| is_left(fate));
    let left = left.map(|(entry, _)| entry.clone()).collect();
    for entry in systems.after_others(protocol, &left) {
        if let Some(Fate::Left { follows, .. }) = rows.get_mut(&entry) {
            *follows = true;
        }
    }
}
