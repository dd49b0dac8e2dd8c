//! The tables of machines as JSON.

use schemars::JsonSchema;
use serde::Serialize;
use slicc::load::Loaded;
use slicc::outline::{EventOutline, MachineOutline, Next, PortOutline};

/// What `rubric protocol show --format json` prints: one object.
#[derive(Serialize, JsonSchema)]
pub struct Tables<'a> {
    /// The name of the protocol.
    protocol: &'a str,
    /// The name of the mutant that the protocol is; `null` if it is none.
    mutant: Option<&'a str>,
    /// The files of the protocol.
    files: Vec<String>,
    /// The machines.
    machines: Vec<Machine<'a>>,
}

/// A machine of a protocol.
#[derive(Serialize, JsonSchema)]
struct Machine<'a> {
    name: &'a str,
    description: Option<&'a str>,
    states: Vec<State<'a>>,
    events: Vec<Named<'a>>,
    /// The types of requests that profiles count.
    requests: Vec<Named<'a>>,
    actions: Vec<Action<'a>>,
    /// The input ports, in the order in which they are scanned.
    in_ports: Vec<Port<'a>>,
    out_ports: Vec<Port<'a>>,
    /// The table, with one entry for each pair of state and event.
    transitions: Vec<Transition<'a>>,
}

/// A state.
#[derive(Serialize, JsonSchema)]
struct State<'a> {
    name: &'a str,
    /// What a core may do with a line in this state.
    permission: &'static str,
    description: Option<&'a str>,
}

/// An event or a type of requests.
#[derive(Serialize, JsonSchema)]
struct Named<'a> {
    name: &'a str,
    description: Option<&'a str>,
}

/// An action.
#[derive(Serialize, JsonSchema)]
struct Action<'a> {
    name: &'a str,
    /// The shorthand.
    short: Option<&'a str>,
    description: Option<&'a str>,
    /// Whether the action stalls.
    stalls: bool,
}

/// A port.
#[derive(Serialize, JsonSchema)]
struct Port<'a> {
    name: &'a str,
    /// The buffer of the port.
    buffer: &'a str,
    /// The type of its messages.
    message: &'a str,
    /// The rank, if one is given.
    rank: Option<u32>,
}

/// An entry of the table.
#[derive(Serialize, JsonSchema)]
struct Transition<'a> {
    state: &'a str,
    event: &'a str,
    /// The next state; `None` if actions compute it.
    next: Option<&'a str>,
    /// The actions, in order.
    actions: Vec<&'a str>,
    /// The types of requests that it is counted as.
    requests: Vec<&'a str>,
    /// Whether one of the actions stalls.
    stalls: bool,
    file: String,
    /// The line, from 1.
    line: usize,
}

/// The tables of machines as one object.
pub fn tables<'a>(loaded: &'a Loaded, machines: &[&'a MachineOutline]) -> Tables<'a> {
    let files = loaded.sources.files().iter().skip(1);
    Tables {
        protocol: &loaded.protocol,
        mutant: loaded.mutant.as_deref(),
        files: files.map(|file| file.path.display().to_string()).collect(),
        machines: machines.iter().map(|one| machine(loaded, one)).collect(),
    }
}

fn machine<'a>(loaded: &Loaded, machine: &'a MachineOutline) -> Machine<'a> {
    let states = machine.states.iter().map(|state| State {
        name: &state.name,
        permission: state.permission_name(),
        description: state.description.as_deref(),
    });
    let actions = machine.actions.iter().map(|action| Action {
        name: &action.name,
        short: action.short.as_deref(),
        description: action.description.as_deref(),
        stalls: action.stalls,
    });
    Machine {
        name: &machine.name,
        description: machine.description.as_deref(),
        states: states.collect(),
        events: machine.events.iter().map(named).collect(),
        requests: machine.requests.iter().map(named).collect(),
        actions: actions.collect(),
        in_ports: machine.in_ports.iter().map(port).collect(),
        out_ports: machine.out_ports.iter().map(port).collect(),
        transitions: transitions(loaded, machine),
    }
}

fn named(one: &EventOutline) -> Named<'_> {
    Named { name: &one.name, description: one.description.as_deref() }
}

fn port(one: &PortOutline) -> Port<'_> {
    Port { name: &one.name, buffer: &one.buffer, message: &one.message, rank: one.rank }
}

fn transitions<'a>(loaded: &Loaded, machine: &'a MachineOutline) -> Vec<Transition<'a>> {
    let state = |index: u16| machine.states[usize::from(index)].name.as_str();
    let action = |&index: &u16| machine.actions[usize::from(index)].name.as_str();
    let request = |&index: &u16| machine.requests[usize::from(index)].name.as_str();
    let transition = |entry: &'a slicc::outline::Entry| {
        let (path, line, _) = loaded.sources.position(entry.span);
        Transition {
            state: state(entry.state),
            event: &machine.events[usize::from(entry.event)].name,
            next: match entry.next {
                Next::State(next) => Some(state(next)),
                Next::Computed => None,
            },
            actions: entry.actions.iter().map(action).collect(),
            requests: entry.requests.iter().map(request).collect(),
            stalls: entry.stalls,
            file: path.display().to_string(),
            line,
        }
    };
    machine.entries.iter().map(transition).collect()
}
