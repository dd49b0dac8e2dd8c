//! Which transitions of a protocol runs took: a row for each.

use std::collections::BTreeMap;

use mutate::unreached;
use simulate::config::{Options, asked, has_dma};
use simulate::program::Extras;
use simulate::system::entry_of;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;
use slicc::setting::Setting;
use tables::Coverage;

use crate::error::Error;
use crate::protocols::{Opened, has_controllers};

/// A machine, a state and an event.
type Triple = [String; 3];

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
    let mut counts = BTreeMap::new();
    add(&mut counts, &opened.protocol, reached);
    table(opened, &counts, extras, settings)
}

/// Adds what runs reached to the counts of a protocol's transitions.
fn add(
    counts: &mut BTreeMap<Triple, u64>,
    protocol: &Protocol,
    reached: impl IntoIterator<Item = (u32, u64)>,
) {
    for (triple, count) in reached {
        if let Some(place) = entry_of(protocol, triple) {
            let key = [place.machine, place.state, place.event];
            *counts.entry(key).or_default() += count;
        }
    }
}

/// A row for each transition of the machines that a system has.
fn table(
    opened: &Opened,
    counts: &BTreeMap<Triple, u64>,
    extras: Extras,
    settings: &[Setting],
) -> Result<Vec<Coverage>, Error> {
    let devices = if has_dma(&opened.protocol) { extras.devices } else { 0 };
    let settings = settings.to_vec();
    let plan = opened.plan_of(&Options { devices, settings, ..Options::default() })?;
    let machines = opened.protocol.program.machines.iter();
    let machines = machines.filter(|machine| has_controllers(&plan, &machine.name));
    let reasons = unreached::of(&opened.protocol, asked(&opened.protocol, extras));
    let rows = machines.flat_map(|machine| {
        machine
            .transitions
            .iter()
            .map(|transition| {
                let state = &machine.states[usize::from(transition.state)];
                let event = &machine.events[usize::from(transition.event)];
                let triple = [&machine.name, state, event].map(|name| name.to_string());
                let count = counts.get(&triple).copied().unwrap_or(0);
                let [machine, state, event] = triple;
                let reason = reasons.get(&TableEntry::new(&machine, &state, &event));
                Coverage {
                    protocol: opened.given.clone(),
                    machine,
                    state,
                    event,
                    stalls: transition.stalls,
                    count,
                    unreached: reason.cloned(),
                }
            })
            .collect::<Vec<Coverage>>()
    });
    let mut rows: Vec<Coverage> = rows.collect();
    rows.sort_by(|a, b| {
        let key = |row: &Coverage| [row.machine.clone(), row.state.clone(), row.event.clone()];
        key(a).cmp(&key(b))
    });
    Ok(rows)
}
