//! Why a row of a table was not taken.

use std::collections::{BTreeMap, BTreeSet};

use explore::protocol::TransitionName;
use simulate::config::{
    Caches, Options, Plan, Systems, evictions, handled, has_dma, policies, prefetchers,
};
use simulate::system::entry_of;
use slicc::near::near;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;
use slicc::setting::Setting;

use crate::error::Error;
use crate::exploration::unreached::Met;
use crate::protocols::Opened;

/// The rows of a protocol's tables that are known not to be taken, each with the reason.
pub(super) struct Excluded {
    /// In systems of any size, whatever cores ask for and however controllers are set up.
    pub proved: BTreeMap<TableEntry, String>,
    /// In all systems that are drawn: they lack a kind of request, a controller, or the value of a parameter.
    pub lacking: BTreeMap<TableEntry, String>,
    /// What is known of the systems that are drawn.
    pub systems: Systems,
}

impl Excluded {
    /// Excludes what the text of a protocol excludes. `settings` are those of all systems.
    ///
    /// # Errors
    /// Fails if no system can be planned for the protocol.
    pub(super) fn of(opened: &Opened, settings: &[Setting]) -> Result<Excluded, Error> {
        let protocol = &opened.protocol;
        let mut systems = Systems::default();
        let devices = u32::from(has_dma(protocol));
        let extras = handled(protocol);
        let plain = Options { devices, settings: settings.to_vec(), ..Options::default() };
        systems.add(protocol, &opened.plan_of(&plain)?, extras);
        let sizes = Caches::Tiny.sizes();
        let of_seed = |seed| -> Vec<Setting> {
            let more = prefetchers(protocol, seed, &sizes);
            let more = more.into_iter().chain(evictions(protocol, seed));
            policies(protocol, seed).into_iter().chain(more).collect()
        };
        let mut drawn: Vec<Vec<Setting>> = (0..POLICIES).map(of_seed).collect();
        drawn.sort_by_cached_key(|more| more.iter().map(Setting::to_string).collect::<Vec<_>>());
        drawn.dedup();
        for more in drawn.into_iter().filter(|more| !more.is_empty()) {
            let settings = more.into_iter().chain(settings.iter().cloned()).collect();
            // The user's settings may contradict them.
            if let Ok(plan) = Plan::of(protocol, &Options { settings, ..plain.clone() }) {
                systems.add(protocol, &plan, extras);
            }
        }
        let (mut proved, mut lacking) = (BTreeMap::new(), BTreeMap::new());
        for (entry, why) in systems.reachable(protocol).excluded() {
            let excluded = if why.depends_on_world() { &mut lacking } else { &mut proved };
            excluded.insert(entry.clone(), why.to_string());
        }
        Ok(Excluded { proved, lacking, systems })
    }
}

/// The number of systems with drawn policies that stand for all: each flag has both values in some of them.
const POLICIES: u64 = 64;

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
        let hint = match like.is_empty() {
            true => format!("; it has {}", listed(names.iter().map(|one| &**one))),
            false => format!(": {}?", like.join(", ")),
        };
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
