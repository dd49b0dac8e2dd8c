//! The tables of a protocol, human-readable.

use std::fmt::{self, Write};

use slicc::outline::{Entry, MachineOutline, Next, PortOutline};

/// Width at which a list of events is wrapped, in characters.
const WIDTH: usize = 44;

/// The tables of machines of a protocol.
pub fn text(protocol: &str, machines: &[&MachineOutline]) -> String {
    let mut out = format!("protocol {protocol}\n");
    for machine in machines {
        out.push('\n');
        // Writing to a string does not fail.
        let _ = write_machine(machine, &mut out);
    }
    out
}

fn write_machine(machine: &MachineOutline, out: &mut String) -> fmt::Result {
    match &machine.description {
        Some(description) => writeln!(out, "machine {}: {description}", machine.name)?,
        None => writeln!(out, "machine {}", machine.name)?,
    }
    let states = machine.states.iter();
    let states = states.map(|state| (&*state.name, state.permission_name(), &state.description));
    write_list("states", &states.collect::<Vec<_>>(), out)?;
    let events = machine.events.iter();
    let events = events.map(|event| (&*event.name, "", &event.description));
    write_list("events", &events.collect::<Vec<_>>(), out)?;
    write_ports("in_ports, as they are scanned", &machine.in_ports, out)?;
    write_ports("out_ports", &machine.out_ports, out)?;
    writeln!(out, "\n  transitions ({})", machine.entries.len())?;
    for (index, state) in machine.states.iter().enumerate() {
        let of_state = |entry: &&Entry| usize::from(entry.state) == index;
        let entries: Vec<_> = machine.entries.iter().filter(of_state).collect();
        if !entries.is_empty() {
            writeln!(out, "    {}", state.name)?;
            write_transitions(machine, &entries, out)?;
        }
    }
    Ok(())
}

/// Writes a list with columns for the name, the kind and the description.
fn write_list(
    title: &str,
    rows: &[(&str, &str, &Option<String>)],
    out: &mut String,
) -> fmt::Result {
    writeln!(out, "\n  {title} ({})", rows.len())?;
    let wide = rows.iter().map(|(name, _, _)| name.len()).max().unwrap_or(0);
    let wide_kind = rows.iter().map(|(_, kind, _)| kind.len()).max().unwrap_or(0);
    for (name, kind, description) in rows {
        let description = description.as_deref().unwrap_or("");
        let gap = if wide_kind == 0 { "" } else { "  " };
        let line = format!("    {name:wide$}{gap}{kind:wide_kind$}  {description}");
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn write_ports(title: &str, ports: &[PortOutline], out: &mut String) -> fmt::Result {
    if ports.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n  {title} ({})", ports.len())?;
    let width = |of: fn(&PortOutline) -> &str| {
        let lengths = ports.iter().map(|port| of(port).len());
        lengths.max().unwrap_or(0)
    };
    let (name, buffer) = (width(|port| &port.name), width(|port| &port.buffer));
    for port in ports {
        let rank = port.rank.map_or_else(String::new, |rank| format!("  rank {rank}"));
        writeln!(out, "    {:name$}  {:buffer$}  {}{rank}", port.name, port.buffer, port.message)?;
    }
    Ok(())
}

/// Events with the same next state, actions and resources.
struct Row<'a> {
    entry: &'a Entry,
    events: Vec<&'a str>,
}

fn write_transitions(
    machine: &MachineOutline,
    entries: &[&Entry],
    out: &mut String,
) -> fmt::Result {
    let rows = rows(machine, entries);
    let wrapped: Vec<Vec<String>> = rows.iter().map(|row| wrap(&row.events)).collect();
    let width = wrapped.iter().flatten().map(String::len).max().unwrap_or(0);
    let next = |entry: &Entry| match entry.next {
        Next::State(next) => machine.states[usize::from(next)].name.as_str(),
        Next::Computed => "*",
    };
    let wide = rows.iter().map(|row| next(row.entry).len()).max().unwrap_or(0);
    for (row, events) in rows.iter().zip(&wrapped) {
        let Some((last, before)) = events.split_last() else {
            continue;
        };
        for line in before {
            writeln!(out, "      {line}")?;
        }
        let what = what(machine, row.entry);
        let line = format!("      {last:width$} -> {:wide$}  {what}", next(row.entry));
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn rows<'a>(machine: &'a MachineOutline, entries: &[&'a Entry]) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for &entry in entries {
        let event = machine.events[usize::from(entry.event)].name.as_str();
        let same = rows.iter_mut().find(|row| {
            let other = row.entry;
            (other.next, &other.actions, &other.requests)
                == (entry.next, &entry.actions, &entry.requests)
        });
        match same {
            Some(row) => row.events.push(event),
            None => rows.push(Row { entry, events: vec![event] }),
        }
    }
    rows
}

/// Joins names with commas, and wraps them into lines.
fn wrap(names: &[&str]) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (index, name) in names.iter().enumerate() {
        let comma = if index + 1 < names.len() { "," } else { "" };
        let is_full = |line: &String| !line.is_empty() && line.len() + name.len() + 2 > WIDTH;
        if lines.last().is_some_and(is_full) {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            let gap = if line.is_empty() { "" } else { " " };
            line.push_str(&format!("{gap}{name}{comma}"));
        }
    }
    lines
}

/// The actions of a transition; before them, in brackets, the resources that it requests.
fn what(machine: &MachineOutline, entry: &Entry) -> String {
    let action = |&index: &u16| machine.actions[usize::from(index)].name.as_str();
    let actions = entry.actions.iter().map(action).collect::<Vec<_>>();
    let request = |&index: &u16| machine.requests[usize::from(index)].name.as_str();
    let requests = entry.requests.iter().map(request).collect::<Vec<_>>();
    if requests.is_empty() {
        actions.join(", ")
    } else {
        format!("[{}] {}", requests.join(", "), actions.join(", "))
    }
}
