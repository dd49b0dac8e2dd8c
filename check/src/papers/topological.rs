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

/// The nodes that lie on a cycle or between two. Cost: linear.
pub fn entangled(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Vec<u32> {
    let mut peeled = vec![false; nodes];
    let turned = edges.clone().map(|(from, to)| (to, from));
    for node in peel(nodes, edges).into_iter().chain(peel(nodes, turned)) {
        peeled[node as usize] = true;
    }
    (0..nodes as u32)
        .filter(|&node| !peeled[node as usize])
        .collect()
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
