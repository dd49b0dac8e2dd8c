//! Proves entries of the transition table unreachable, for any number of controllers and lines, by abstract interpretation.
//!
//! [`reachable`] runs the code of a protocol once for all its runs: an expression has not a value but a set of values that it may have
//! in some run (`value`), and memory holds, for each field of each type, everything that is ever written to it (`store`). The runtime
//! starts ports and some functions; whatever code they reach adds to the memory, and `trigger` notes which pairs of state and event
//! may meet. Their actions are run next, and so on until nothing new comes (`fixpoint`). Sets only grow and are finite, so this ends.
//!
//! # Why it is sound
//!
//! Each step of a real run is one that the analysis makes as well, with the real values among those of the sets:
//!
//! - The memory has no time and no objects. All TBEs of a controller are one, all controllers of a role are one, and a write adds to
//!   what was there. So a read gives at least what was written last. Only local variables, messages under construction and the implicit
//!   objects of a transition, which no other controller can change, follow the order of the code.
//! - Messages keep the channel in which they were sent: a virtual network, a buffer of one controller, or all that the configuration
//!   connects. Those with the same values in the fields of enumerations, and the same types of machines for a destination, are
//!   one. A port sees all of them that are for a machine of its type, in any order. While a transition has not removed the message that
//!   triggered it, its actions see that message.
//! - A branch is left out only if its condition holds for none of the values (or fails for none). Values of a type that is
//!   not followed, such as addresses and blocks, and results of the library are any value. Of numbers and sets of machines only the types
//!   are known (`machines`).
//! - What the runtime makes is any value: the arguments of the functions that it calls, and the messages of the types that it declares.
//!   The exceptions are requests, whose types the [`World`] gives, parameters, and messages from memory, each of which answers one that a
//!   machine has sent there. A request is about translation buffers if its type is.
//! - A sequencer passes no second request for a line to its controller while one is under way (`under_way`).
//! - `error`, and an `assert` that fails, end a run, as they do here and in gem5 unless it is built without assertions.
//!
//! If the protocol has code that this does not understand, nothing is excluded.
//!
//! ```
//! use slicc::outline::TableEntry;
//! use slicc::protocol::Protocol;
//! use slicc::reachable::{World, reachable};
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let found = reachable(&protocol, &World::any());
//! let why = found.why_not(&TableEntry::new("Directory", "IM", "GETS")).expect("no cache asks for a copy to share");
//! assert_eq!(why.to_string(), "event GETS never comes up: nothing that can happen sends CoherenceRequestType:GETS");
//! assert!(found.why_not(&TableEntry::new("Directory", "IM", "GETX")).is_none());
//! ```

mod calls;
mod environment;
mod expressions;
mod fixpoint;
mod interpreter;
mod machines;
mod memo;
mod model;
mod reasons;
mod sites;
mod store;
#[cfg(test)]
mod tests;
mod under_way;
mod value;
mod why;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::outline::TableEntry;
use crate::protocol::Protocol;
use interpreter::Interpreter;
use model::Model;
use reasons::Reasons;
pub use why::Why;

/// The types of requests that arrive in a buffer of a machine; `None`: any.
pub type Requests<'a> = dyn Fn(&str, &str) -> Option<BTreeSet<String>> + 'a;

/// What is known of the systems in which a protocol runs. The functions get the name of a machine, or of a role of it.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "its fields are functions")]
pub struct World<'a> {
    /// The roles of a machine: groups of controllers with parameters of their own. The machine itself if it has no others; none if no
    /// system has such controllers.
    pub roles: &'a dyn Fn(&str) -> Vec<String>,
    /// The types of the requests (of `RubyRequestType`, or for devices of `SequencerRequestType`) that the runtime puts into a buffer of a
    /// role; `None` if they may be any.
    pub requests: &'a Requests<'a>,
    /// The values of a parameter of a role; `None` if they may be any.
    pub parameters: &'a dyn Fn(&str, &str) -> Option<BTreeSet<i64>>,
    /// Whether each system has only one controller of a machine for any line: one at all, or several to which lines are dealt by
    /// their addresses. The line's code then has no other controller's number, except from functions that name one (`machines`).
    pub sole: &'a dyn Fn(&str) -> bool,
}

impl World<'static> {
    /// Any system.
    pub fn any() -> World<'static> {
        World {
            roles: &|machine| vec![machine.to_owned()],
            requests: &|_, _| None,
            parameters: &|_, _| None,
            sole: &|_| false,
        }
    }
}

/// The entries of the table that no run takes.
#[derive(Clone, Debug)]
pub struct Reachable {
    excluded: BTreeMap<TableEntry, Why>,
}

impl Reachable {
    /// Why no run takes an entry of the table; `None` if some run may take it.
    pub fn why_not(&self, entry: &TableEntry) -> Option<&Why> {
        self.excluded.get(entry)
    }

    /// The entries that no run takes, with the reasons.
    pub fn excluded(&self) -> impl Iterator<Item = (&TableEntry, &Why)> {
        self.excluded.iter()
    }
}

/// Finds the entries of a protocol's tables that no run takes in any system of a world. The time grows with the size of the protocol and
/// the number of roles.
pub fn reachable(protocol: &Protocol, world: &World<'_>) -> Reachable {
    let any = World { roles: world.roles, ..World::any() };
    let several = World { parameters: world.parameters, ..any };
    let asked = World { sole: world.sole, ..several };
    let models = [&any, &several, &asked, world].map(|world| Model::new(protocol, world));
    let sole: Vec<&str> = models[0].names().filter(|name| (world.sole)(name)).collect();
    let [any, several, given] = [0, 1, 3].map(|at| fixpoint::solve(&models[at]));
    // Without such machines it has the same result as the one before.
    let asked = (!sole.is_empty()).then(|| fixpoint::solve(&models[2]));
    if given.gave_up {
        return Reachable { excluded: BTreeMap::new() };
    }
    let mut reasons = [Reasons::new(&any), Reasons::new(&several), Reasons::new(&given)];
    let mut excluded = BTreeMap::new();
    let mut lone = Vec::new();
    for (machine, model) in models[0].machines.iter().enumerate() {
        let outline = model.outline;
        for entry in &outline.entries {
            let (state, event) = (entry.state, entry.event);
            let takes = |found: &Interpreter<'_, '_>| found.takes(machine, state, event);
            if takes(&given) {
                continue;
            }
            let [state_name, event_name] = [
                &outline.states[usize::from(state)].name,
                &outline.events[usize::from(event)].name,
            ];
            let name = TableEntry::new(&outline.name, state_name, event_name);
            let [structure, parameters, requests] = &mut reasons;
            let why = if !takes(&any) {
                structure.of_row(machine, state, event)
            } else if !takes(&several) {
                or_else(parameters.of_row(machine, state, event), Why::OtherParameters)
            } else if asked.as_ref().is_some_and(|asked| !takes(asked)) {
                lone.push((name.clone(), machine, state, event));
                Why::Second(sole.join(" or "))
            } else {
                or_else(requests.of_row(machine, state, event), Why::OtherRequests)
            };
            excluded.insert(name, why);
        }
    }
    name_second(
        protocol,
        &World { requests: World::any().requests, ..*world },
        &sole,
        lone,
        &mut excluded,
    );
    Reachable { excluded }
}

/// Names the machine of which rows need a second controller for a line, where it is one alone.
fn name_second(
    protocol: &Protocol,
    world: &World<'_>,
    sole: &[&str],
    rows: Vec<(TableEntry, usize, u16, u16)>,
    excluded: &mut BTreeMap<TableEntry, Why>,
) {
    if rows.is_empty() || sole.len() < 2 {
        return;
    }
    for name in sole {
        let others = |other: &str| other != *name && (world.sole)(other);
        let without = World { sole: &others, ..*world };
        let model = Model::new(protocol, &without);
        let found = fixpoint::solve(&model);
        for (row, machine, state, event) in &rows {
            if found.takes(*machine, *state, *event) {
                excluded.insert(row.clone(), Why::Second((*name).to_owned()));
            }
        }
    }
}

/// Of some entries of the tables, those that no run takes in a system of a world before it has taken another of them.
pub fn after_others(
    protocol: &Protocol,
    world: &World<'_>,
    entries: &BTreeSet<TableEntry>,
) -> BTreeSet<TableEntry> {
    let model = Model::new(protocol, world);
    let mut left_out = FxHashSet::default();
    let mut rows = Vec::new();
    for (machine, of) in model.machines.iter().enumerate() {
        for one in &of.outline.entries {
            let state = &of.outline.states[usize::from(one.state)].name;
            let event = &of.outline.events[usize::from(one.event)].name;
            let entry = TableEntry::new(&of.outline.name, state, event);
            if entries.contains(&entry) {
                left_out.insert((machine, one.state, one.event));
                rows.push((entry, machine, one.state, one.event));
            }
        }
    }
    let found = fixpoint::solve_without(&model, &left_out);
    rows.retain(|(_, machine, state, event)| !found.takes(*machine, *state, *event));
    rows.into_iter().map(|(entry, ..)| entry).collect()
}

/// A reason that names what the world lacks, or else the other one.
fn or_else(why: Why, other: Why) -> Why {
    if why.depends_on_world() { why } else { other }
}
