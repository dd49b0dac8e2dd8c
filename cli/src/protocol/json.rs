//! Protocols and diagnostics as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};
use slicc::load::Loaded;
use slicc::outline::{EventOutline, MachineOutline, Next, PortOutline};
use slicc::source::{Diagnostic, Severity, Sources, Span};

use super::Protocol;

/// Writes the diagnostics of a protocol.
pub(super) fn diagnostics(protocol: &Protocol, out: &mut dyn Write) -> io::Result<()> {
    let diagnostics = protocol.diagnostics.iter();
    let value = json!({
        "protocol": protocol.tables.as_ref().map(|(loaded, _)| &loaded.protocol),
        "mutant": protocol.tables.as_ref().and_then(|(loaded, _)| loaded.mutant.as_ref()),
        "errors": protocol.count(Severity::Error),
        "warnings": protocol.count(Severity::Warning),
        "diagnostics": diagnostics
            .map(|one| diagnostic(&protocol.sources, one))
            .collect::<Vec<_>>(),
    });
    writeln!(out, "{value}")
}

fn diagnostic(sources: &Sources, diagnostic: &Diagnostic) -> Value {
    let notes = diagnostic.notes.iter().map(|(span, note)| {
        let mut value = json!({ "message": note });
        place(sources, Some(*span), &mut value);
        value
    });
    let mut value = json!({
        "severity": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "message": diagnostic.message,
        "label": diagnostic.label,
        "hint": diagnostic.hint,
        "notes": notes.collect::<Vec<_>>(),
    });
    place(sources, diagnostic.span, &mut value);
    value
}

fn place(sources: &Sources, span: Option<Span>, value: &mut Value) {
    let last = |span: Span| Span { start: span.end, ..span };
    let start = span.map(|span| sources.position(span));
    let end = span.map(|span| sources.position(last(span)));
    value["file"] = json!(start.map(|(path, _, _)| path.display().to_string()));
    value["line"] = json!(start.map(|(_, line, _)| line));
    value["column"] = json!(start.map(|(_, _, column)| column));
    value["end_line"] = json!(end.map(|(_, line, _)| line));
    value["end_column"] = json!(end.map(|(_, _, column)| column));
}

/// Writes the tables of machines.
pub(super) fn machines(
    loaded: &Loaded,
    machines: &[&MachineOutline],
    out: &mut dyn Write,
) -> io::Result<()> {
    let files = loaded.sources.files().iter().skip(1);
    let value = json!({
        "protocol": loaded.protocol,
        "mutant": loaded.mutant,
        "files": files.map(|file| file.path.display().to_string()).collect::<Vec<_>>(),
        "machines": machines.iter().map(|one| machine(loaded, one)).collect::<Vec<_>>(),
    });
    writeln!(out, "{value}")
}

fn machine(loaded: &Loaded, machine: &MachineOutline) -> Value {
    let states = machine.states.iter().map(|state| {
        json!({
            "name": state.name,
            "permission": state.permission_name(),
            "description": state.description,
        })
    });
    let actions = machine.actions.iter().map(|action| {
        json!({
            "name": action.name,
            "short": action.short,
            "description": action.description,
            "stalls": action.stalls,
        })
    });
    json!({
        "name": machine.name,
        "description": machine.description,
        "states": states.collect::<Vec<_>>(),
        "events": named(&machine.events),
        "requests": named(&machine.requests),
        "actions": actions.collect::<Vec<_>>(),
        "in_ports": ports(&machine.in_ports),
        "out_ports": ports(&machine.out_ports),
        "transitions": transitions(loaded, machine),
    })
}

fn named(values: &[EventOutline]) -> Vec<Value> {
    let value = |one: &EventOutline| json!({"name": one.name, "description": one.description});
    values.iter().map(value).collect()
}

fn ports(ports: &[PortOutline]) -> Vec<Value> {
    let port = |one: &PortOutline| {
        json!({
            "name": one.name,
            "buffer": one.buffer,
            "message": one.message,
            "rank": one.rank,
        })
    };
    ports.iter().map(port).collect()
}

fn transitions(loaded: &Loaded, machine: &MachineOutline) -> Vec<Value> {
    let entries = machine.entries.iter();
    entries
        .map(|entry| {
            let action = |&index: &u16| machine.actions[usize::from(index)].name.as_str();
            let request = |&index: &u16| machine.requests[usize::from(index)].name.as_str();
            let (path, line, _) = loaded.sources.position(entry.span);
            json!({
                "state": machine.states[usize::from(entry.state)].name,
                "event": machine.events[usize::from(entry.event)].name,
                "next": match entry.next {
                    Next::State(next) => Some(machine.states[usize::from(next)].name.as_str()),
                    Next::Computed => None,
                },
                "actions": entry.actions.iter().map(action).collect::<Vec<_>>(),
                "requests": entry.requests.iter().map(request).collect::<Vec<_>>(),
                "stalls": entry.stalls,
                "file": path.display().to_string(),
                "line": line,
            })
        })
        .collect()
}
