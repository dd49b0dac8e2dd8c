//! What planned systems have in common, as the analysis of [`slicc::reachable`] needs it: roles of controllers, values of parameters and
//! types of requests.

use std::collections::{BTreeMap, BTreeSet};

use slicc::outline::TableEntry;
use slicc::protocol::Protocol;
use slicc::reachable::{Reachable, World, after_others, reachable};

use super::plan::{Instance, MachinePlan, Plan, Value};
use crate::program::Extras;
use crate::sequencer::ruby_type;

/// The parameters by which a protocol turns its prefetchers on.
const OF_PREFETCHERS: [&str; 2] = ["enable_prefetch", "use_prefetcher"];

/// The buffer through which the requests of cores and devices come.
const MANDATORY: &str = "mandatoryQueue";

/// Systems on which a protocol runs.
///
/// ```
/// use simulate::config::{Options, Plan, Systems};
/// use simulate::program::Extras;
/// use slicc::outline::TableEntry;
/// use slicc::protocol::Protocol;
///
/// let protocol = Protocol::open("MESI_Two_Level").unwrap();
/// let plan = Plan::of(&protocol, &Options::default()).unwrap();
/// let mut systems = Systems::default();
/// systems.add(&protocol, &plan, Extras::default());
/// let found = systems.reachable(&protocol);
/// let why = found.why_not(&TableEntry::new("L1Cache", "NP", "PF_Load")).expect("prefetchers are off");
/// assert!(why.depends_on_world(), "{why}");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Systems {
    /// The roles of each machine.
    roles: BTreeMap<String, BTreeSet<String>>,
    /// The values of each parameter of a role; `None` if one is not a number.
    values: BTreeMap<(String, String), Option<BTreeSet<i64>>>,
    /// Whether each system deals the lines to the controllers of a machine, so that there is one for each line.
    sole: BTreeMap<String, bool>,
    /// The types of requests that each role gets from cores and devices.
    requests: BTreeMap<String, BTreeSet<String>>,
    /// The roles whose prefetchers may ask for lines.
    prefetching: BTreeSet<String>,
}

impl Systems {
    /// Adds a system. `extras` are what its cores are asked for beside their accesses.
    pub fn add(&mut self, protocol: &Protocol, plan: &Plan, extras: Extras) {
        let machines: Vec<_> = protocol.machines().collect();
        for planned in &plan.machines {
            let machine = machines[planned.declared];
            *self.sole.entry(planned.name.to_string()).or_insert(true) &= planned.is_dealt;
            let roles = self.roles.entry(planned.name.to_string()).or_default();
            roles.extend(planned.instances.iter().map(|one| role_of(planned, one)));
            for instance in &planned.instances {
                let role = role_of(planned, instance);
                for (parameter, value) in machine.parameters.iter().zip(&instance.values) {
                    self.add_value(&role, &parameter.name.text, value);
                }
                let own = self.requests.entry(role).or_default();
                own.extend(requests(plan, instance, extras).map(str::to_owned));
            }
        }
    }

    fn add_value(&mut self, role: &str, parameter: &str, value: &Value) {
        let key = (role.to_owned(), parameter.to_owned());
        let known = self.values.entry(key).or_insert_with(|| Some(BTreeSet::new()));
        let number = match value {
            Value::Number(number) => i64::try_from(*number).ok(),
            _ => None,
        };
        match (known.as_mut(), number) {
            (Some(known), Some(number)) => drop(known.insert(number)),
            _ => *known = None,
        }
        if OF_PREFETCHERS.contains(&parameter) && *value != Value::Number(0) {
            self.prefetching.insert(role.to_owned());
        }
    }

    /// Finds the entries of the protocol's tables that no run of these systems takes, nor of others that differ only in the numbers of
    /// cores, devices, banks and lines.
    pub fn reachable(&self, protocol: &Protocol) -> Reachable {
        self.with_world(|world| reachable(protocol, world))
    }

    /// Of some entries, those that no run of such systems takes before it has taken another of them.
    pub fn after_others(
        &self,
        protocol: &Protocol,
        entries: &BTreeSet<TableEntry>,
    ) -> BTreeSet<TableEntry> {
        self.with_world(|world| after_others(protocol, world, entries))
    }

    /// What is known of these systems.
    fn with_world<T>(&self, look: impl FnOnce(&World<'_>) -> T) -> T {
        let roles = |machine: &str| {
            self.roles.get(machine).map_or_else(Vec::new, |all| all.iter().cloned().collect())
        };
        look(&World {
            roles: &roles,
            requests: &|role, buffer| self.requests_in(role, buffer),
            parameters: &|role, name| {
                self.values.get(&(role.to_owned(), name.to_owned())).cloned().flatten()
            },
            sole: &|machine| self.sole.get(machine).copied().unwrap_or(false),
        })
    }

    fn requests_in(&self, role: &str, buffer: &str) -> Option<BTreeSet<String>> {
        if buffer == MANDATORY {
            return Some(self.requests.get(role).cloned().unwrap_or_default());
        }
        let key = |name: &&str| (role.to_owned(), (*name).to_owned());
        let has_switch = OF_PREFETCHERS.iter().any(|name| self.values.contains_key(&key(name)));
        (has_switch && !self.prefetching.contains(role)).then(BTreeSet::new)
    }
}

/// The role of a controller, or the machine if its controllers have no roles.
fn role_of(machine: &MachinePlan, instance: &Instance) -> String {
    let role = instance.role.as_deref().and_then(|role| role.split(' ').next());
    role.unwrap_or(&machine.name).to_owned()
}

/// The types of requests that a controller gets from cores and devices.
fn requests(
    plan: &Plan,
    instance: &Instance,
    extras: Extras,
) -> impl Iterator<Item = &'static str> {
    let has_sequencer = instance.values.iter().any(|value| {
        matches!(value, Value::Sequencer { .. } | Value::DmaSequencer(_) | Value::RequestNode(_))
    });
    let types = [
        (ruby_type::LD, true),
        (ruby_type::ST, true),
        (ruby_type::IFETCH, true),
        (ruby_type::ATOMIC_RETURN, plan.sends_atomics),
        (ruby_type::ATOMIC_NO_RETURN, plan.sends_atomics),
        (ruby_type::LOAD_LINKED, plan.tells_linked),
        (ruby_type::STORE_CONDITIONAL, plan.tells_conditional),
        (ruby_type::FLUSH, extras.flushes > 0),
        (ruby_type::TLBI, extras.dvm > 0),
        (ruby_type::TLBI_SYNC, extras.dvm > 0),
        (ruby_type::TLBI_EXT_SYNC_COMP, extras.dvm > 0),
    ];
    let made = types.into_iter().filter(move |(_, is_made)| has_sequencer && *is_made);
    made.map(|(number, _)| ruby_type::name(number))
}
