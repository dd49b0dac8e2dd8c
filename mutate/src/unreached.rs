//! The entries of built-in protocols that are never reached, from
//! `fixtures/protocols/unreached.csv`.

use std::collections::BTreeMap;

use slicc::builtin;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

/// The first words of the reasons for which an entry was not reached but may be reachable.
const WEAK: [&str; 2] = ["rare", "unknown"];

/// The kinds of requests that programs make in addition to loads and stores of cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Whether there are DMA devices.
    pub devices: bool,
    /// Whether cores flush lines.
    pub flushes: bool,
}

impl Asked {
    /// Whether an entry that accesses of cores alone cannot reach, for the reason `why`, may be reachable by these
    /// requests.
    fn reaches(self, place: &TableEntry, why: &str) -> bool {
        let needs_devices = place.machine == "DMA" || why.starts_with("needs DMA");
        self.devices && needs_devices || self.flushes && why.starts_with("needs flush")
    }
}

/// The entries of a protocol that are unreachable by programs that make these requests, with the reasons, as
/// `unreached.csv` lists them. Empty unless the protocol is an unchanged built-in one without settings.
pub fn of(protocol: &Protocol, asked: Asked) -> BTreeMap<TableEntry, String> {
    let own = builtin::builtin(protocol.name());
    let is_ours = own.is_some_and(|own| protocol.loaded.own_files() == own.files);
    if !is_ours || !protocol.loaded.settings.is_empty() {
        return BTreeMap::new();
    }
    let rows = fixtures::UNREACHABLE.lines().skip(1).filter_map(|line| {
        let (name, line) = line.split_once(',')?;
        let (machine, line) = line.split_once(',')?;
        let (state, line) = line.split_once(',')?;
        let (event, line) = line.split_once(',')?;
        let (_, why) = line.split_once(',')?;
        let why = why.trim_matches('"');
        let counts = name == protocol.name() && !WEAK.iter().any(|weak| why.starts_with(weak));
        counts.then(|| (TableEntry::new(machine, state, event), why.to_owned()))
    });
    let mut all: BTreeMap<TableEntry, String> = rows.collect();
    all.retain(|place, why| has_one_end(protocol, place) && !asked.reaches(place, why));
    all
}

/// Whether the next state of an entry is fixed. If it is computed, a row of `unreached.csv` is only about one of
/// several next states.
fn has_one_end(protocol: &Protocol, place: &TableEntry) -> bool {
    let mut machines = protocol.program.machines.iter();
    machines.any(|machine| {
        *machine.name == *place.machine
            && machine.transitions.iter().any(|one| {
                one.next.is_some()
                    && *machine.states[usize::from(one.state)] == *place.state
                    && *machine.events[usize::from(one.event)] == *place.event
            })
    })
}
