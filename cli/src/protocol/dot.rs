//! Machines as graphs in the language of Graphviz.

use std::io::{self, Write};

use slicc::load::Loaded;
use slicc::outline::MachineOutline;

use super::graph::Graph;

/// Writes one graph per machine.
pub(super) fn machines(
    loaded: &Loaded,
    machines: &[&MachineOutline],
    out: &mut dyn Write,
) -> io::Result<()> {
    for machine in machines {
        write_graph(&loaded.title(), &Graph::of(machine), out)?;
    }
    Ok(())
}

fn write_graph(protocol: &str, graph: &Graph<'_>, out: &mut dyn Write) -> io::Result<()> {
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
