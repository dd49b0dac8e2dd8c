//! Finds cycles with few literals in the order that a model represents.

use rustc_hash::FxHashSet;

use super::graph::{Arc, Forced, Graph};
use crate::engine::digraph::{Digraph, NONE};

/// Maximum number of cycles that are searched in one model.
const MAX_CYCLES: usize = 1024;
/// Maximum number of arcs visited in one model, once a cycle is found.
const MAX_ARC_VISITS: usize = 2_000_000;

/// The nodes sorted along the order that a model represents, which is the forced order with the arcs that the
/// model chooses. Of the nodes that can come next, the one of lowest rank does. `triangles` are the model's
/// cycles of three writes, which are cheaper to find than others.
///
/// # Errors
/// Returns cycles of the model: the triangles if there are any, or else some of those of its graph.
pub(crate) fn order_or_cycles(
    triangles: Vec<Vec<Arc>>,
    forced: &Forced,
    chosen: impl FnOnce() -> Vec<Arc>,
    rank: &[u32],
) -> Result<Vec<u32>, Vec<Vec<Arc>>> {
    if !triangles.is_empty() {
        return Err(triangles);
    }
    let graph = Graph::new(forced, chosen());
    graph.sort(rank).map_err(|components| cycles(&graph, &components))
}

/// Some cycles, at least one, each with about as few literals as a cycle through one of its arcs can have.
/// `component` are the components that [`Graph::sort`] returned.
fn cycles(graph: &Graph<'_>, component: &[u32]) -> Vec<Vec<Arc>> {
    let mut finder = Finder::new(graph, component);
    let mut found: Vec<Vec<Arc>> = Vec::new();
    let mut used: FxHashSet<i32> = FxHashSet::default();
    let chosen = graph.chosen().iter();
    for arc in chosen.filter(|arc| is_inside(component, arc)) {
        if found.len() >= MAX_CYCLES || !found.is_empty() && finder.work > MAX_ARC_VISITS {
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

/// Whether an arc is on a cycle: whether its ends are in one strongly connected component.
fn is_inside(component: &[u32], arc: &Arc) -> bool {
    let [from, to] = [arc.from, arc.to].map(|event| component[event as usize]);
    from != NONE && from == to
}

/// Searches paths by ascending number of literals.
struct Finder<'g> {
    graph: &'g Graph<'g>,
    component: &'g [u32],
    /// Per event, the search that last reached it.
    reached: Vec<u32>,
    /// Per reached event, the number of literals on the path to it.
    cost: Vec<u32>,
    /// Per reached event, the last arc of the path to it.
    parent: Vec<Option<Arc>>,
    /// Events to visit, by number of literals.
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
                // The event may have been reached by fewer literals since.
                if self.cost[event as usize] == literals as u32 {
                    self.extend_from(event, arc);
                }
            }
            literals += 1;
        }
        None
    }

    fn extend_from(&mut self, event: u32, start: &Arc) {
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
