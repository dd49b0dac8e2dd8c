//! The graph of a machine: its states, and which events lead from one to another.

use std::collections::BTreeMap;

use slicc::outline::{MachineOutline, Next};

/// The graph of a machine.
pub(super) struct Graph<'a> {
    /// The machine.
    pub machine: &'a MachineOutline,
    /// For each state the events that keep it, without those that stall.
    pub kept: Vec<Vec<&'a str>>,
    /// The events that lead from one state to another one.
    pub edges: Vec<Edge<'a>>,
    /// Whether the graph lacks transitions because actions compute their next states.
    pub is_partial: bool,
}

/// An edge of the graph.
pub(super) struct Edge<'a> {
    /// The index of the state that the edge leaves.
    pub from: usize,
    /// The index of the state that the edge leads to.
    pub to: usize,
    /// The events of its transitions.
    pub events: Vec<&'a str>,
}

impl<'a> Graph<'a> {
    /// The graph of a machine.
    pub(super) fn of(machine: &'a MachineOutline) -> Graph<'a> {
        let mut kept = vec![Vec::new(); machine.states.len()];
        let mut edges: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
        let mut is_partial = false;
        for entry in machine.entries.iter().filter(|entry| !entry.stalls) {
            let from = usize::from(entry.state);
            let event = machine.events[usize::from(entry.event)].name.as_str();
            match entry.next {
                Next::Computed => is_partial = true,
                Next::State(next) if next == entry.state => kept[from].push(event),
                Next::State(next) => {
                    let edge = edges.entry((from, usize::from(next))).or_default();
                    edge.push(event);
                }
            }
        }
        let edges = edges.into_iter();
        Graph {
            machine,
            kept,
            edges: edges.map(|((from, to), events)| Edge { from, to, events }).collect(),
            is_partial,
        }
    }
}
