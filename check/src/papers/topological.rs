//! Topological order.

use crate::csr::Csr;

/// The nodes `0..nodes` in an order in which every edge leads forward; `None` if there is a cycle.
/// Cost: linear.
pub fn topological(
    nodes: usize,
    edges: impl Iterator<Item = (u32, u32)> + Clone,
) -> Option<Vec<u32>> {
    let order = peel(nodes, edges);
    (order.len() == nodes).then_some(order)
}

/// The nodes that lie on a cycle of at least two nodes, ascending. Cost: linear.
pub fn on_cycles(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Vec<u32> {
    let mut components = Components {
        after: Csr::new(nodes, edges),
        next: 1,
        low: vec![0; nodes],
        stack: Vec::new(),
        open: Vec::new(),
        found: Vec::new(),
    };
    for node in 0..nodes as u32 {
        if components.low[node as usize] == 0 {
            components.search(node);
        }
    }
    components.found.sort_unstable();
    components.found
}

/// Strongly connected components, by Tarjan's algorithm without recursion.
struct Components {
    after: Csr,
    /// The number of the next node that is met.
    next: u32,
    /// Per node the smallest number that is known to be reached from it; 0 if it was not met yet,
    /// the largest number if its component is known.
    low: Vec<u32>,
    /// Nodes whose component is not known.
    stack: Vec<u32>,
    /// The path of the search: node, its number, successors looked at.
    open: Vec<(u32, u32, usize)>,
    /// Nodes of components with several nodes.
    found: Vec<u32>,
}

impl Components {
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
        if low == number {
            let start = self.stack.iter().rposition(|&other| other == node);
            let component = self.stack.split_off(start.unwrap_or(0));
            for &member in &component {
                self.low[member as usize] = u32::MAX;
            }
            if component.len() > 1 {
                self.found.extend(component);
            }
        }
    }
}

/// Removes nodes without predecessors as long as there are some.
fn peel(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Vec<u32> {
    let mut before = vec![0u32; nodes];
    for (_, to) in edges.clone() {
        before[to as usize] += 1;
    }
    let after = Csr::new(nodes, edges);
    let mut order: Vec<u32> = (0..nodes as u32)
        .filter(|&node| before[node as usize] == 0)
        .collect();
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for &to in after.of(node) {
            before[to as usize] -= 1;
            if before[to as usize] == 0 {
                order.push(to);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::relation::Relation;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cycles_are_what_keeps_nodes_from_being_ordered(
            nodes in 1u32..40,
            pairs in prop::collection::vec((0u32..40, 0u32..40), 0..60),
        ) {
            let pairs = pairs.iter().map(|&(from, to)| (from % nodes, to % nodes));
            let edges: Vec<(u32, u32)> = pairs.filter(|(from, to)| from != to).collect();
            let mut closed = Relation::new(nodes as usize);
            for &(from, to) in &edges {
                closed.insert(from, to);
            }
            closed.close();
            let reflexive = (0..nodes).filter(|&node| closed.contains(node, node));
            let reflexive: Vec<u32> = reflexive.collect();
            prop_assert_eq!(&on_cycles(nodes as usize, edges.iter().copied()), &reflexive);
            let order = topological(nodes as usize, edges.iter().copied());
            prop_assert_eq!(order.is_some(), reflexive.is_empty());
            for (from, to) in order.iter().flat_map(|_| &edges) {
                let order = order.as_ref().unwrap();
                let at = |node: &u32| order.iter().position(|other| other == node);
                prop_assert!(at(from) < at(to));
            }
        }
    }
}
