//! Which transitions of a protocol runs took: [`Taken`] counts them, and [`table`] has a row for each transition of the protocol.

use std::collections::BTreeMap;
use std::io::{self, Write};

use mutate::unreached::{self, Asked};
use simulate::config::{Options, Plan, asked, has_dma};
use simulate::program::Extras;
use simulate::system::{Covered, entry_of};
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;
use slicc::setting::Setting;
use tables::Coverage;

use crate::error::Error;
use crate::protocols::{Opened, has_controllers};

/// How often each entry of a protocol's table was taken.
pub type Counts = BTreeMap<TableEntry, u64>;

/// How often each transition was taken: by machine, state, event and next state.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    counts: BTreeMap<[Box<str>; 4], u64>,
}

impl Taken {
    /// The transitions of runs.
    pub fn of(covered: &[Covered<'_>]) -> Taken {
        let mut taken = Taken::default();
        for row in covered {
            let key = [row.machine, row.state, row.event, row.next].map(Box::from);
            *taken.counts.entry(key).or_default() += row.count;
        }
        taken
    }

    /// Adds other counts.
    pub fn merge(&mut self, other: Taken) {
        for (key, count) in other.counts {
            *self.counts.entry(key).or_default() += count;
        }
    }

    /// How often each entry of the table was taken, whatever the next state was.
    pub fn entries(&self) -> Counts {
        let mut entries = Counts::new();
        for ([machine, state, event, _], count) in &self.counts {
            *entries.entry(TableEntry::new(machine, state, event)).or_default() += count;
        }
        entries
    }

    /// Writes the counts as CSV.
    ///
    /// # Errors
    /// Fails if `out` cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "machine,state,event,next_state,count")?;
        for ([machine, state, event, next], count) in &self.counts {
            writeln!(out, "{machine},{state},{event},{next},{count}")?;
        }
        Ok(())
    }
}

/// A row for each transition of a protocol. `reached` has the numbers of triples (`simulate::system::Reached`), each with its count;
/// `settings` are those of the runs.
///
/// # Errors
/// Fails if no system can be made of the protocol.
pub(crate) fn rows(
    opened: &Opened,
    reached: impl IntoIterator<Item = (u32, u64)>,
    extras: Extras,
    settings: &[Setting],
) -> Result<Vec<Coverage>, Error> {
    let mut counts = Counts::new();
    for (triple, count) in reached {
        if let Some(place) = entry_of(&opened.protocol, triple) {
            *counts.entry(place).or_default() += count;
        }
    }
    let devices = if has_dma(&opened.protocol) { extras.devices } else { 0 };
    let settings = settings.to_vec();
    let plan = opened.plan_of(&Options { devices, settings, ..Options::default() })?;
    let asked = asked(&opened.protocol, extras);
    Ok(table(&opened.given, &opened.protocol, &plan, asked, &counts))
}

/// A row for each transition of the machines that a system has, by machine, state and event. `given` is the protocol's name in the rows, and
/// `asked` says which requests the programs made.
pub fn table(
    given: &str,
    protocol: &Protocol,
    plan: &Plan,
    asked: Asked,
    counts: &Counts,
) -> Vec<Coverage> {
    let reasons = unreached::of(protocol, asked);
    let machines = protocol.program.machines.iter();
    let machines = machines.filter(|machine| has_controllers(plan, &machine.name));
    let mut rows: Vec<Coverage> = Vec::new();
    for machine in machines {
        rows.extend(machine.transitions.iter().map(|transition| {
            let state = &machine.states[usize::from(transition.state)];
            let event = &machine.events[usize::from(transition.event)];
            let entry = TableEntry::new(&machine.name, state, event);
            Coverage {
                protocol: given.to_owned(),
                stalls: transition.stalls,
                count: counts.get(&entry).copied().unwrap_or(0),
                unreached: reasons.get(&entry).cloned(),
                machine: entry.machine,
                state: entry.state,
                event: entry.event,
            }
        }));
    }
    let place = |row: &Coverage| [row.machine.clone(), row.state.clone(), row.event.clone()];
    rows.sort_by_cached_key(place);
    rows
}
