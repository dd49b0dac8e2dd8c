//! Cycles of the order that a model stands for, with few literals.

use rustc_hash::FxHashSet;

use super::graph::{Arc, Graph};
use crate::engine::digraph::{Digraph, NONE};

/// Cycles that are looked for in one model at the most.
const MOST: usize = 1024;
/// Arcs looked at in one model at the most, once a cycle is found.
const WORK: usize = 2_000_000;

/// Some cycles, each with about as few literals as a cycle through one of its arcs can have.
/// `component` is what [`Graph::sort`] returned. Finds at least one.
pub fn cycles(graph: &Graph<'_>, component: &[u32]) -> Vec<Vec<Arc>> {
    let mut finder = Finder::new(graph, component);
    let mut found: Vec<Vec<Arc>> = Vec::new();
    let mut used: FxHashSet<i32> = FxHashSet::default();
    let chosen = graph.chosen().iter();
    for arc in chosen.filter(|arc| is_inside(component, arc)) {
        if found.len() >= MOST || !found.is_empty() && finder.work > WORK {
            break;
        }
        let literals = arc.link.literals();
        if literals.iter().any(|literal| used.contains(literal)) {
            continue;
        }
        if let Some(cycle) = finder.cycle(arc) {
            let literals = cycle.iter().flat_map(|arc| arc.link.literals());
            used.extend(literals.filter(|&literal| literal != 0));
            found.push(cycle);
        }
    }
    found
}

/// Whether an arc is on a cycle.
fn is_inside(component: &[u32], arc: &Arc) -> bool {
    let [from, to] = [arc.from, arc.to].map(|event| component[event as usize]);
    from != NONE && from == to
}

/// Looks for paths by number of literals.
struct Finder<'g> {
    graph: &'g Graph<'g>,
    component: &'g [u32],
    /// Per event the search that last reached it.
    reached: Vec<u32>,
    /// Per event that was reached, by how many literals, and along which arc.
    cost: Vec<u32>,
    parent: Vec<Option<Arc>>,
    /// Events to look at, by number of literals.
    open: Vec<Vec<u32>>,
    searches: u32,
    work: usize,
}

impl<'g> Finder<'g> {
    fn new(graph: &'g Graph<'g>, component: &'g [u32]) -> Finder<'g> {
        Finder {
            graph,
            component,
            reached: vec![0; graph.nodes()],
            cost: vec![0; graph.nodes()],
            parent: vec![None; graph.nodes()],
            open: Vec::new(),
            searches: 0,
            work: 0,
        }
    }

    /// A cycle through an arc.
    fn cycle(&mut self, arc: &Arc) -> Option<Vec<Arc>> {
        self.searches += 1;
        self.open.iter_mut().for_each(Vec::clear);
        self.reach(arc.to, 0, None);
        let mut literals = 0;
        while literals < self.open.len() {
            let mut next = 0;
            while next < self.open[literals].len() {
                let event = self.open[literals][next];
                next += 1;
                if event == arc.from {
                    return Some(self.unwind(arc));
                }
                // It may have been reached by fewer since.
                if self.cost[event as usize] == literals as u32 {
                    self.go_on(event, arc);
                }
            }
            literals += 1;
        }
        None
    }

    fn go_on(&mut self, event: u32, start: &Arc) {
        let graph = self.graph;
        for arc in graph.from(event) {
            if !is_inside(self.component, arc) {
                continue;
            }
            self.work += 1;
            let literals = arc.link.literals();
            let new = |literal: &&i32| **literal != 0 && !start.link.literals().contains(literal);
            let cost = self.cost[event as usize] + literals.iter().filter(new).count() as u32;
            let to = arc.to as usize;
            if self.reached[to] != self.searches || cost < self.cost[to] {
                self.reach(arc.to, cost, Some(*arc));
            }
        }
    }

    fn reach(&mut self, event: u32, cost: u32, arc: Option<Arc>) {
        self.reached[event as usize] = self.searches;
        self.cost[event as usize] = cost;
        self.parent[event as usize] = arc;
        if self.open.len() <= cost as usize {
            self.open.resize_with(cost as usize + 1, Vec::new);
        }
        self.open[cost as usize].push(event);
    }

    fn unwind(&self, start: &Arc) -> Vec<Arc> {
        let mut path = Vec::new();
        let mut event = start.from;
        while let Some(arc) = self.parent[event as usize] {
            path.push(arc);
            event = arc.from;
        }
        path.push(*start);
        path.reverse();
        path
    }
}
