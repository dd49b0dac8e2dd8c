//! What several algorithms need of graphs over the nodes of an execution: program order reduced to
//! neighbours, and topological order.

use crate::model::Model;

use super::execution::{Execution, NONE};

/// The program order that SC or TSO preserves, reduced to neighbours, initial writes included: its
/// transitive closure is `ppo` with every initial write before all operations. At most two edges
/// into an operation, and two for each thread out of an initial write.
///
/// Both models tell operations apart only by whether the earlier one is a plain store and whether
/// the later one is a plain load, so it suffices to look at the last plain store before an
/// operation and at the last other operation. Does not hold for PSO.
pub fn program_order(execution: &Execution<'_>, model: Model) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    let (mut thread, mut store, mut other) = (NONE, NONE, NONE);
    for node in 0..execution.operations {
        if execution.thread[node as usize] != thread {
            thread = execution.thread[node as usize];
            (store, other) = (NONE, NONE);
        }
        let before = edges.len();
        let last = [store, other].into_iter().filter(|&last| last != NONE);
        let kept = last.filter(|&last| execution.preserves(model, last, node));
        edges.extend(kept.map(|last| (last, node)));
        if edges.len() == before {
            let initial = (0..execution.locations()).map(|location| execution.initial(location));
            edges.extend(initial.map(|initial| (initial, node)));
        }
        match execution.kind(node).is_plain_store() {
            true => store = node,
            false => other = node,
        }
    }
    edges
}

/// `po-loc` reduced to neighbours: the operations of one thread and location, one after the other,
/// after the location's initial write.
pub fn program_order_by_location(execution: &Execution<'_>) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    let mut last = vec![NONE; execution.locations() as usize];
    for node in 0..execution.operations {
        let location = execution.location[node as usize];
        if location == NONE {
            continue;
        }
        let before = std::mem::replace(&mut last[location as usize], node);
        let is_own = before != NONE && execution.po(before, node);
        let initial = execution.initial(location);
        edges.push((if is_own { before } else { initial }, node));
    }
    edges
}

/// The nodes in an order that keeps every edge; `None` if there is a cycle. `next` lists the
/// successors of a node. Cost: linear in the edges.
pub fn topological<I>(nodes: usize, next: impl Fn(u32) -> I) -> Option<Vec<u32>>
where
    I: IntoIterator<Item = u32>,
{
    let mut before = vec![0u32; nodes];
    for node in 0..nodes as u32 {
        for next in next(node) {
            before[next as usize] += 1;
        }
    }
    let is_first = |&node: &u32| before[node as usize] == 0;
    let mut order: Vec<u32> = (0..nodes as u32).filter(is_first).collect();
    let mut done = 0;
    while let Some(&node) = order.get(done) {
        done += 1;
        for next in next(node) {
            before[next as usize] -= 1;
            if before[next as usize] == 0 {
                order.push(next);
            }
        }
    }
    (done == nodes).then_some(order)
}
