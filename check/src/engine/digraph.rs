//! Directed graphs: topological order, strongly connected components, short cycles.
//!
//! [`topological`] sorts a [`Digraph`]. If there is a cycle, it returns the [`Unsorted`], the nodes that are on
//! cycles or come after one, which has the [components](Unsorted::components) and
//! [short cycles](Unsorted::cycles). All functions are iterative, and linear unless they say otherwise.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt;

use crate::engine::csr::Csr;

/// Marks a node whose strongly connected component is the node alone.
pub const NONE: u32 = u32::MAX;

/// A directed graph on `0..nodes()`.
pub trait Digraph {
    /// Number of nodes.
    fn nodes(&self) -> usize;
    /// Calls `visit` for every edge out of a node.
    fn successors(&self, node: u32, visit: impl FnMut(u32));
}

/// The items of a node are its successors.
impl Digraph for Csr {
    fn nodes(&self) -> usize {
        Csr::nodes(self)
    }

    fn successors(&self, node: u32, visit: impl FnMut(u32)) {
        self.of(node).iter().copied().for_each(visit);
    }
}

/// The nodes in an order that respects every edge (Kahn's algorithm, first in, first out).
///
/// # Errors
/// Returns the nodes that could not be sorted if there is a cycle.
pub fn topological<G: Digraph>(graph: &G) -> Result<Vec<u32>, Unsorted<'_, G>> {
    let mut before = predecessors(graph);
    let mut order: Vec<u32> = first(&before).collect();
    let mut done = 0;
    while let Some(&node) = order.get(done) {
        done += 1;
        graph.successors(node, |next| {
            before[next as usize] -= 1;
            if before[next as usize] == 0 {
                order.push(next);
            }
        });
    }
    sorted(graph, order, &before)
}

/// The nodes in an order that respects every edge; of the nodes that can come next, the one of lowest rank
/// comes first. Cost: O(m + n log n) for n nodes and m edges.
///
/// # Errors
/// Returns the nodes that could not be sorted if there is a cycle.
pub fn topological_by<'g, G: Digraph>(
    graph: &'g G,
    rank: &[u32],
) -> Result<Vec<u32>, Unsorted<'g, G>> {
    let mut before = predecessors(graph);
    let key = |node: u32| Reverse((rank[node as usize], node));
    let mut free: BinaryHeap<_> = first(&before).map(key).collect();
    let mut order = Vec::with_capacity(before.len());
    while let Some(Reverse((_, node))) = free.pop() {
        order.push(node);
        graph.successors(node, |next| {
            before[next as usize] -= 1;
            if before[next as usize] == 0 {
                free.push(key(next));
            }
        });
    }
    sorted(graph, order, &before)
}

/// Per node, the number of edges into it.
pub fn predecessors(graph: &impl Digraph) -> Vec<u32> {
    let mut before = vec![0; graph.nodes()];
    for node in 0..graph.nodes() as u32 {
        graph.successors(node, |next| before[next as usize] += 1);
    }
    before
}

fn first(before: &[u32]) -> impl Iterator<Item = u32> {
    let nodes = 0..before.len() as u32;
    nodes.filter(|&node| before[node as usize] == 0)
}

fn sorted<'g, G: Digraph>(
    graph: &'g G,
    order: Vec<u32>,
    before: &[u32],
) -> Result<Vec<u32>, Unsorted<'g, G>> {
    if order.len() == before.len() {
        return Ok(order);
    }
    Err(Unsorted {
        graph,
        sorted: order,
        is_left: before.iter().map(|&before| before > 0).collect(),
    })
}

/// The nodes that could not be sorted. Each has a predecessor among them.
pub struct Unsorted<'g, G> {
    graph: &'g G,
    /// The nodes that were sorted.
    sorted: Vec<u32>,
    is_left: Vec<bool>,
}

impl<G> fmt::Debug for Unsorted<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.nodes()).finish()
    }
}

impl<G> Unsorted<'_, G> {
    /// The nodes, in ascending order: those on a cycle, or reachable from one.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        let nodes = 0..self.is_left.len() as u32;
        nodes.filter(|&node| self.is_left[node as usize])
    }

    /// All nodes: those that were sorted, in their order, and then the others.
    pub fn sorted_first(self) -> Vec<u32> {
        self.sorted.iter().copied().chain(self.nodes()).collect()
    }
}

impl<G: Digraph> Unsorted<'_, G> {
    /// Per node the number of its strongly connected component; [`NONE`] if that is the node alone.
    pub fn components(&self) -> Vec<u32> {
        let after = Csr::new(self.is_left.len(), self.edges().into_iter());
        let mut components = Components::new(&after);
        for node in self.nodes() {
            if components.low[node as usize] == 0 {
                components.search(node);
            }
        }
        components.of
    }

    /// The nodes that lie on a cycle of at least two nodes, ascending.
    pub fn on_cycles(&self) -> Vec<u32> {
        let components = self.components();
        let nodes = 0..components.len() as u32;
        nodes.filter(|&node| components[node as usize] != NONE).collect()
    }

    /// Cycles, at least one. In each, there is an edge from every node to the next, and from the last to
    /// the first. The first cycle is arbitrary; the others are shortest cycles through up to `tries` of its
    /// nodes. Cost: linear for each.
    pub fn cycles(&self, tries: usize) -> Vec<Vec<u32>> {
        let back = self.edges().into_iter().map(|(from, to)| (to, from));
        let back = Csr::new(self.is_left.len(), back);
        let any = self.any_cycle(&back);
        let starts = any.iter().take(tries);
        let short: Vec<Vec<u32>> =
            starts.filter_map(|&start| cycle_through(&back, start)).collect();
        std::iter::once(any).chain(short).collect()
    }

    /// A shortest one of the cycles that [`cycles`](Unsorted::cycles) finds.
    pub fn short_cycle(&self, tries: usize) -> Vec<u32> {
        let cycles = self.cycles(tries).into_iter();
        cycles.min_by_key(Vec::len).unwrap_or_default()
    }

    /// The edges between these nodes, sorted by the node that they leave.
    fn edges(&self) -> Vec<(u32, u32)> {
        let mut edges = Vec::new();
        for node in self.nodes() {
            self.graph.successors(node, |next| {
                if self.is_left[next as usize] {
                    edges.push((node, next));
                }
            });
        }
        edges
    }

    /// Finds a cycle by walking backwards until a node is met again.
    fn any_cycle(&self, back: &Csr) -> Vec<u32> {
        let mut place = vec![usize::MAX; self.is_left.len()];
        let mut walk = Vec::new();
        let mut at = self.nodes().next().unwrap_or(0);
        while place[at as usize] == usize::MAX {
            place[at as usize] = walk.len();
            walk.push(at);
            at = back.of(at)[0];
        }
        let mut cycle = walk.split_off(place[at as usize]);
        cycle.reverse();
        cycle
    }
}

/// A shortest cycle through a node, by breadth-first search against the edges.
fn cycle_through(back: &Csr, start: u32) -> Option<Vec<u32>> {
    let mut after = vec![u32::MAX; back.nodes()];
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &previous in back.of(node) {
            if previous == start {
                let mut cycle = vec![start];
                let mut at = node;
                while at != start {
                    cycle.push(at);
                    at = after[at as usize];
                }
                return Some(cycle);
            }
            if after[previous as usize] == u32::MAX {
                after[previous as usize] = node;
                queue.push_back(previous);
            }
        }
    }
    None
}

/// Strongly connected components, by Tarjan's algorithm without recursion.
struct Components<'c> {
    after: &'c Csr,
    /// The number for the next node that the search enters.
    next: u32,
    /// Per node, the smallest number known to be reachable from it; 0 if the node was not entered yet,
    /// [`u32::MAX`] if its component is known.
    low: Vec<u32>,
    /// The entered nodes whose component is not known.
    stack: Vec<u32>,
    /// The path of the search: a node, its number, and the number of successors visited.
    open: Vec<(u32, u32, usize)>,
    /// Per node, the number of its component; [`NONE`] if the component is the node alone.
    of: Vec<u32>,
    found: u32,
}

impl Components<'_> {
    fn new(after: &Csr) -> Components<'_> {
        Components {
            next: 1,
            low: vec![0; after.nodes()],
            stack: Vec::new(),
            open: Vec::new(),
            of: vec![NONE; after.nodes()],
            found: 0,
            after,
        }
    }

    fn search(&mut self, root: u32) {
        self.enter(root);
        while let Some(&mut (node, number, ref mut at)) = self.open.last_mut() {
            let Some(&to) = self.after.of(node).get(*at) else {
                self.leave(node, number);
                continue;
            };
            *at += 1;
            match self.low[to as usize] {
                0 => self.enter(to),
                low => self.low[node as usize] = self.low[node as usize].min(low),
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.low[node as usize] = self.next;
        self.open.push((node, self.next, 0));
        self.stack.push(node);
        self.next += 1;
    }

    fn leave(&mut self, node: u32, number: u32) {
        self.open.pop();
        let low = self.low[node as usize];
        if let Some(&(before, ..)) = self.open.last() {
            self.low[before as usize] = self.low[before as usize].min(low);
        }
        if low < number {
            return;
        }
        let start = self.stack.iter().rposition(|&other| other == node);
        let component = self.stack.split_off(start.unwrap_or(0));
        for &member in &component {
            self.low[member as usize] = u32::MAX;
            if component.len() > 1 {
                self.of[member as usize] = self.found;
            }
        }
        self.found += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::relation::Relation;
    use proptest::prelude::*;

    const SIZE: u32 = 30;

    fn is_sorted(graph: &Relation, order: &[u32]) -> bool {
        let mut place = vec![None; graph.size()];
        for (at, &node) in order.iter().enumerate() {
            place[node as usize] = Some(at);
        }
        let nodes = 0..graph.size() as u32;
        let mut edges = nodes.flat_map(|node| graph.successors(node).map(move |next| (node, next)));
        place.iter().all(Option::is_some)
            && edges.all(|(node, next)| place[node as usize] < place[next as usize])
    }

    proptest! {
        #[test]
        fn an_order_or_cycles(
            size in 1..SIZE,
            pairs in prop::collection::vec((0..SIZE, 0..SIZE), 0..60),
            rank in prop::collection::vec(0..SIZE, SIZE as usize),
        ) {
            let mut relation = Relation::new(size as usize);
            for &(from, to) in &pairs {
                relation.insert(from % size, to % size);
            }
            let by_rank = topological_by(&relation, &rank);
            let rest = match topological(&relation) {
                Ok(order) => {
                    prop_assert!(is_sorted(&relation, &order));
                    prop_assert!(is_sorted(&relation, &by_rank.unwrap()));
                    return Ok(());
                }
                Err(rest) => rest,
            };
            prop_assert_eq!(&rest.is_left, &by_rank.unwrap_err().is_left);
            let any = rest.short_cycle(0).len();
            for cycle in rest.cycles(64) {
                prop_assert!(cycle.len() <= any);
                for at in 0..cycle.len() {
                    prop_assert!(relation.contains(cycle[at], cycle[(at + 1) % cycle.len()]));
                }
            }
        }

        #[test]
        fn components_are_what_reaches_each_other(
            size in 1..SIZE,
            pairs in prop::collection::vec((0..SIZE, 0..SIZE), 0..60),
        ) {
            let pairs = pairs.iter().map(|&(from, to)| (from % size, to % size));
            let graph = Csr::new(size as usize, pairs.clone());
            let mut closed = Relation::new(size as usize);
            for (from, to) in pairs {
                closed.insert(from, to);
            }
            closed.close();
            let Err(rest) = topological(&graph) else {
                prop_assert_eq!(closed.reflexive(), None);
                return Ok(());
            };
            let components = rest.components();
            for one in 0..size {
                let mut is_alone = true;
                for other in (0..size).filter(|&other| other != one) {
                    let both = closed.contains(one, other) && closed.contains(other, one);
                    let (a, b) = (components[one as usize], components[other as usize]);
                    prop_assert_eq!(both, a == b && a != NONE);
                    is_alone &= !both;
                }
                prop_assert_eq!(is_alone, components[one as usize] == NONE);
                prop_assert_eq!(is_alone, !rest.on_cycles().contains(&one));
            }
        }
    }
}
