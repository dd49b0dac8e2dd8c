//! [`Transitions`]: the table of the transitions of controllers in a trace.

use rustc_hash::FxHashMap;

/// Transitions of cache and directory controllers, as columns, in the order of the trace. Stalls
/// are not transitions.
#[derive(Clone, Debug, Default)]
pub struct Transitions {
    names: Vec<String>,
    ids: FxHashMap<String, u16>,
    tick: Vec<u64>,
    machine: Vec<u16>,
    version: Vec<u32>,
    event: Vec<u16>,
    state: Vec<u16>,
    next_state: Vec<u16>,
    address: Vec<u64>,
    line: Vec<u32>,
}

/// One transition, gathered from the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition<'a> {
    /// Tick at which the transition was taken.
    pub tick: u64,
    /// Type of the controller.
    pub machine: &'a str,
    /// Number of the controller among those of its type.
    pub version: u32,
    /// The event that triggered it.
    pub event: &'a str,
    /// State before.
    pub state: &'a str,
    /// State after.
    pub next_state: &'a str,
    /// Address of the cache line.
    pub address: u64,
    /// Line of the trace.
    pub line: u32,
}

/// Machine, event, state and next state, as ids of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Names {
    pub machine: u16,
    pub event: u16,
    pub state: u16,
    pub next_state: u16,
}

impl Transitions {
    /// Number of transitions.
    pub fn len(&self) -> usize {
        self.tick.len()
    }

    /// Whether there is no transition.
    pub fn is_empty(&self) -> bool {
        self.tick.is_empty()
    }

    /// The `at`-th transition, from 0, if there is one.
    pub fn get(&self, at: usize) -> Option<Transition<'_>> {
        Some(Transition {
            tick: *self.tick.get(at)?,
            machine: self.name(self.machine[at]),
            version: self.version[at],
            event: self.name(self.event[at]),
            state: self.name(self.state[at]),
            next_state: self.name(self.next_state[at]),
            address: self.address[at],
            line: self.line[at],
        })
    }

    /// Every transition, in the order of the trace.
    pub fn iter(&self) -> impl Iterator<Item = Transition<'_>> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// The name with an id of this table; empty for an unknown id.
    pub(crate) fn name(&self, id: u16) -> &str {
        self.names.get(usize::from(id)).map_or("", String::as_str)
    }

    /// The id of a name, which is new if the name is; `None` if there are more names than 16 bits can number.
    pub(crate) fn intern(&mut self, name: &str) -> Option<u16> {
        if let Some(&id) = self.ids.get(name) {
            return Some(id);
        }
        let id = u16::try_from(self.names.len()).ok()?;
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        Some(id)
    }

    pub(crate) fn push(&mut self, tick: u64, version: u32, names: Names, address: u64, line: u64) {
        self.tick.push(tick);
        self.machine.push(names.machine);
        self.version.push(version);
        self.event.push(names.event);
        self.state.push(names.state);
        self.next_state.push(names.next_state);
        self.address.push(address);
        self.line.push(u32::try_from(line).unwrap_or(u32::MAX));
    }
}
