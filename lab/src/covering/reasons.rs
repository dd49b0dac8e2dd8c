//! Why a row of a table was not taken.

use std::collections::{BTreeMap, BTreeSet};

use explore::protocol::TransitionName;
use simulate::system::entry_of;
use slicc::near::near;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;
use slicc::reachable::{World, reachable};

use crate::exploration::unreached::Met;

/// The rows that no run takes in a system of any size, each with the reason.
pub(super) fn proved(protocol: &Protocol) -> BTreeMap<TableEntry, String> {
    let found = reachable(protocol, &World::any());
    found.excluded().map(|(entry, why)| (entry.clone(), why.to_string())).collect()
}

/// The states and events that occurred in runs, by the triples that they took or that stalled.
pub(super) fn met(protocol: &Protocol, triples: &BTreeSet<u32>) -> Met {
    let (stalled, taken): (Vec<u32>, Vec<u32>) =
        triples.iter().partition(|&&triple| triple % 2 == 1);
    let names = |triples: Vec<u32>| -> Vec<TransitionName> {
        let entries = triples.into_iter().filter_map(|triple| entry_of(protocol, triple));
        entries.map(|one| (one.machine, one.state, one.event)).collect()
    };
    Met::of(protocol, &names(taken), &names(stalled))
}

/// What is wrong with the name of a row, of a protocol that does not have it.
pub(super) fn complaint(protocol: &Protocol, entry: &TableEntry) -> String {
    let TableEntry { machine, state, event } = entry;
    let machines = &protocol.program.machines;
    let Some(of) = machines.iter().find(|one| *one.name == **machine) else {
        let names = machines.iter().map(|one| &*one.name);
        return format!("there is no machine {machine}; there is {}", listed(names));
    };
    let missing = |kind: &str, name: &str, names: &[Box<str>]| {
        let like = near(name, names.iter().map(|one| &**one));
        let hint = if like.is_empty() { String::new() } else { format!(": {}?", like.join(", ")) };
        format!("{machine} has no {kind} {name}{hint}")
    };
    if !of.states.iter().any(|one| **one == **state) {
        return missing("state", state, &of.states);
    }
    if !of.events.iter().any(|one| **one == **event) {
        return missing("event", event, &of.events);
    }
    let own = of.transitions.iter().filter(|row| *of.states[usize::from(row.state)] == **state);
    let (stalls, taken): (Vec<_>, Vec<_>) = own.partition(|row| row.stalls);
    let is_it =
        |row: &&slicc::compile::code::Transition| *of.events[usize::from(row.event)] == **event;
    if stalls.iter().any(is_it) {
        return format!("{machine} stalls for {event} in {state}, so nothing is taken");
    }
    let events = taken.iter().map(|row| &*of.events[usize::from(row.event)]);
    format!("{machine} has no transition for {event} in {state}; it has {}", listed(events))
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    names.join(", ")
}
