//! Program order as a linear number of edges, for algorithms that close it transitively.

use host::Bounds;
use memory::Model;

use super::execution::{Execution, NONE};

/// Edges whose transitive closure is the program order that SC or TSO preserves, with every initial write
/// before all operations. There are at most two edges into an operation, and two for each thread out of
/// an initial write.
///
/// Under both models the order of two operations depends only on whether the earlier one is a plain store
/// and the later one a plain load. So only the last plain store before an operation and the last other
/// operation before it can need an edge. This does not hold for PSO. `None` if the bounds do not allow the memory for the edges, of
/// which those who ask make a copy.
pub(crate) fn program_order(
    execution: &Execution<'_>,
    model: Model,
    bounds: &Bounds,
) -> Option<Vec<(u32, u32)>> {
    let from_initial = execution.history.threads().len() * execution.locations() as usize;
    let most =
        2 * execution.operations as usize + from_initial * if model.buffers() { 2 } else { 1 };
    if !bounds.allows(2 * size_of::<(u32, u32)>() * most) {
        return None;
    }
    let mut edges = Vec::with_capacity(most);
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
        if execution.kind(node).may_be_buffered() { store = node } else { other = node }
    }
    Some(edges)
}

/// Edges whose transitive closure is `po-loc`, program order between operations of one location: from each
/// operation to the next of its thread and location, and from the location's initial write.
pub(crate) fn program_order_by_location(execution: &Execution<'_>) -> Vec<(u32, u32)> {
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
