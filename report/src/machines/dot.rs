//! Machines as graphs in the language of Graphviz.

use std::fmt::{self, Write};

use slicc::outline::MachineOutline;

use super::graph::Graph;

/// One graph for each machine of a protocol.
pub fn dot(protocol: &str, machines: &[&MachineOutline]) -> String {
    let mut out = String::new();
    for machine in machines {
        // Writing to a string does not fail.
        let _ = write_graph(protocol, &Graph::of(machine), &mut out);
    }
    out
}

fn write_graph(protocol: &str, graph: &Graph<'_>, out: &mut String) -> fmt::Result {
    let name = format!("{protocol} {}", graph.machine.name);
    writeln!(out, "digraph {} {{", quoted(&name))?;
    writeln!(out, "    label={};", quoted(&name))?;
    writeln!(out, "    node [shape=box, style=rounded, fontname=Helvetica];")?;
    writeln!(out, "    edge [fontname=Helvetica, fontsize=10];")?;
    for (state, kept) in graph.machine.states.iter().zip(&graph.kept) {
        let name = quoted(&state.name);
        let label = quoted(&format!("{}\n{}", state.name, state.permission_name()));
        writeln!(out, "    {name} [label={label}];")?;
        if !kept.is_empty() {
            let events = quoted(&kept.join("\n"));
            writeln!(out, "    {name} -> {name} [label={events}];")?;
        }
    }
    for edge in &graph.edges {
        let [from, to] =
            [edge.from, edge.to].map(|state| quoted(&graph.machine.states[state].name));
        let events = quoted(&edge.events.join("\n"));
        writeln!(out, "    {from} -> {to} [label={events}];")?;
    }
    writeln!(out, "}}")
}

/// A quoted string in the language of Graphviz.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}
