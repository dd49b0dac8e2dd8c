//! Program order reduced to neighbours.

use memory::Model;

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
        match execution.kind(node).may_be_buffered() {
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
