//! Protocols and diagnostics as JSON.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use slicc::load::Loaded;
use slicc::outline::{EventOutline, MachineOutline, Next, PortOutline};
use slicc::source::{Diagnostic, Severity, Sources, Span};

use super::Protocol;
use crate::json;

/// What `rubric protocol check --format json` prints: one object.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Report<'a> {
    /// The name of the protocol; `None` if its files cannot be read.
    protocol: Option<&'a str>,
    /// The name of the mutant that the protocol is; `null` if it is none.
    mutant: Option<&'a str>,
    /// The number of errors.
    errors: usize,
    /// The number of warnings.
    warnings: usize,
    /// The errors and warnings.
    diagnostics: Vec<DiagnosticJson<'a>>,
}

/// An error or a warning.
#[derive(Serialize, JsonSchema)]
struct DiagnosticJson<'a> {
    #[schemars(extend("enum" = ["error", "warning"]))]
    severity: &'static str,
    /// The problem, in one sentence without a full stop.
    message: &'a str,
    /// Text to write beside the place.
    label: Option<&'a str>,
    /// Advice on how to resolve the problem.
    hint: Option<&'a str>,
    /// Related places.
    notes: Vec<Note<'a>>,
    #[serde(flatten)]
    place: Place,
}

/// A related place.
#[derive(Serialize, JsonSchema)]
struct Note<'a> {
    /// How it is related.
    message: &'a str,
    #[serde(flatten)]
    place: Place,
}

/// A place in the files of a protocol; all keys are null if there is none.
#[derive(Default, Serialize, JsonSchema)]
struct Place {
    file: Option<String>,
    /// The line, from 1.
    line: Option<usize>,
    /// The column, from 1.
    column: Option<usize>,
    /// The line of the end.
    end_line: Option<usize>,
    /// The column of the end.
    end_column: Option<usize>,
}

/// What `rubric protocol show --format json` prints: one object.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Tables<'a> {
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

/// Writes the diagnostics of a protocol.
pub(super) fn diagnostics(protocol: &Protocol, out: &mut dyn Write) -> io::Result<()> {
    let loaded = protocol.tables.as_ref().map(|(loaded, _)| loaded);
    let diagnostics = protocol.diagnostics.iter();
    let report = Report {
        protocol: loaded.map(|loaded| loaded.protocol.as_str()),
        mutant: loaded.and_then(|loaded| loaded.mutant.as_deref()),
        errors: protocol.count(Severity::Error),
        warnings: protocol.count(Severity::Warning),
        diagnostics: diagnostics.map(|one| diagnostic(&protocol.sources, one)).collect(),
    };
    json::sorted_line(&report, out)
}

fn diagnostic<'a>(sources: &Sources, diagnostic: &'a Diagnostic) -> DiagnosticJson<'a> {
    let notes = diagnostic
        .notes
        .iter()
        .map(|(span, message)| Note { message, place: place(sources, Some(*span)) });
    DiagnosticJson {
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: &diagnostic.message,
        label: diagnostic.label.as_deref(),
        hint: diagnostic.hint.as_deref(),
        notes: notes.collect(),
        place: place(sources, diagnostic.span),
    }
}

fn place(sources: &Sources, span: Option<Span>) -> Place {
    let Some(span) = span else {
        return Place::default();
    };
    let (path, line, column) = sources.position(span);
    let (_, end_line, end_column) = sources.position(Span { start: span.end, ..span });
    Place {
        file: Some(path.display().to_string()),
        line: Some(line),
        column: Some(column),
        end_line: Some(end_line),
        end_column: Some(end_column),
    }
}

/// Writes the tables of machines.
pub(super) fn machines(
    loaded: &Loaded,
    machines: &[&MachineOutline],
    out: &mut dyn Write,
) -> io::Result<()> {
    let files = loaded.sources.files().iter().skip(1);
    let tables = Tables {
        protocol: &loaded.protocol,
        mutant: loaded.mutant.as_deref(),
        files: files.map(|file| file.path.display().to_string()).collect(),
        machines: machines.iter().map(|one| machine(loaded, one)).collect(),
    };
    json::sorted_line(&tables, out)
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
