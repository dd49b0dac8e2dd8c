//! Directed graphs that say no more than what follows what: topological order, and a short cycle
//! where there is none.

use std::collections::VecDeque;

use crate::csr::Csr;

/// Nodes on a cycle from which a shorter one is looked for, by default.
pub const TRIES: usize = 64;

/// A directed graph on `0..nodes()`.
pub trait Digraph {
    /// Number of nodes.
    fn nodes(&self) -> u32;
    /// Calls `visit` for every edge out of a node.
    fn successors(&self, node: u32, visit: impl FnMut(u32));
}

/// The nodes in an order that respects every edge, those first that can come early; or else cycles:
/// in each, a node is followed by the next, the last by the first. The first one is any; then come
/// shortest ones through up to `tries` of its nodes. Cost: linear, and for each try again.
///
/// # Errors
/// The cycles, at least one.
pub fn topological(graph: &impl Digraph, tries: usize) -> Result<Vec<u32>, Vec<Vec<u32>>> {
    let (order, before) = sort(graph);
    if order.len() == graph.nodes() as usize {
        return Ok(order);
    }
    let left = |node: u32| before[node as usize] > 0;
    let mut edges = Vec::new();
    for node in (0..graph.nodes()).filter(|&node| left(node)) {
        graph.successors(node, |next| edges.push((next, node)));
    }
    edges.retain(|&(next, _)| left(next));
    let back = Csr::new(graph.nodes() as usize, edges.into_iter());
    let cycle = any_cycle(&back, &before);
    let starts = cycle.iter().take(tries);
    let mut cycles: Vec<Vec<u32>> = starts
        .filter_map(|&start| cycle_through(&back, start))
        .collect();
    cycles.insert(0, cycle);
    Err(cycles)
}

/// The shortest of some cycles.
pub fn shortest(cycles: Vec<Vec<u32>>) -> Vec<u32> {
    cycles.into_iter().min_by_key(Vec::len).unwrap_or_default()
}

/// Kahn's algorithm, first in first out: what could be sorted, and how many predecessors of each
/// node could not.
fn sort(graph: &impl Digraph) -> (Vec<u32>, Vec<u32>) {
    let mut before = vec![0u32; graph.nodes() as usize];
    for node in 0..graph.nodes() {
        graph.successors(node, |next| before[next as usize] += 1);
    }
    let is_first = |node: &u32| before[*node as usize] == 0;
    let mut order: Vec<u32> = (0..graph.nodes()).filter(is_first).collect();
    let mut at = 0;
    while at < order.len() {
        graph.successors(order[at], |next| {
            before[next as usize] -= 1;
            if before[next as usize] == 0 {
                order.push(next);
            }
        });
        at += 1;
    }
    (order, before)
}

/// Walks backwards among the nodes that could not be sorted, each of which has a predecessor there,
/// until it comes to a node again.
fn any_cycle(back: &Csr, before: &[u32]) -> Vec<u32> {
    let mut place = vec![usize::MAX; before.len()];
    let mut walk = Vec::new();
    let mut at = before.iter().position(|&before| before > 0).unwrap_or(0) as u32;
    while place[at as usize] == usize::MAX {
        place[at as usize] = walk.len();
        walk.push(at);
        at = back.of(at)[0];
    }
    let mut cycle = walk.split_off(place[at as usize]);
    cycle.reverse();
    cycle
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::relation::Relation;
    use proptest::prelude::*;

    impl Digraph for Relation {
        fn nodes(&self) -> u32 {
            self.size() as u32
        }

        fn successors(&self, node: u32, visit: impl FnMut(u32)) {
            Relation::successors(self, node).for_each(visit);
        }
    }

    proptest! {
        #[test]
        fn an_order_or_a_cycle(
            size in 1usize..20,
            pairs in prop::collection::vec((0u32..20, 0u32..20), 0..40),
        ) {
            let mut relation = Relation::new(size);
            for &(from, to) in &pairs {
                relation.insert(from % size as u32, to % size as u32);
            }
            match topological(&relation, TRIES) {
                Ok(order) => {
                    let mut place = vec![usize::MAX; size];
                    for (at, &node) in order.iter().enumerate() {
                        place[node as usize] = at;
                    }
                    prop_assert!(place.iter().all(|&place| place < size));
                    for node in 0..size as u32 {
                        for next in Relation::successors(&relation, node) {
                            prop_assert!(place[node as usize] < place[next as usize]);
                        }
                    }
                }
                Err(cycles) => {
                    let least = relation.cycle().unwrap().len();
                    prop_assert!(!cycles.is_empty());
                    for cycle in cycles {
                        prop_assert!(cycle.len() >= least);
                        for at in 0..cycle.len() {
                            let next = cycle[(at + 1) % cycle.len()];
                            prop_assert!(relation.contains(cycle[at], next));
                        }
                    }
                }
            }
        }
    }
}
