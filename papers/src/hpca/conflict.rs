//! Decides with a given order of the writes of each location (VTSO-conflict, VSC-conflict).
//!
//! The baseline rules are then complete (HPCA 2006, section 4.1). If all writes of a location are ordered,
//! R7 says that the readers of each write precede the next one. R6 adds nothing that is not already a
//! cycle of these edges: if S' precedes a reader of S, and S does not follow S', then that reader precedes
//! the write after S, which is S' or precedes it. Without a cycle every topological order is a memory
//! order: a load comes after its source (or is served by its own thread's buffer, where by R5 the source
//! is the newest) and before the next write. At a location that only one thread uses, program order and
//! R5 determine everything, so its writes need not be given. Cost: linear.

use history::OpId;

use check::engine::digraph::topological;

use super::graph::Graph;

/// Maximum number of nodes of a cycle for which a shortest cycle through the node is searched.
const TRIES: usize = 64;

/// Sorts a graph, to which the observed edges were added, by an order of all writes.
///
/// # Errors
/// Returns a cycle, as short as the search finds, if the order of writes gives one.
pub(super) fn sort_by(graph: &mut Graph<'_>, store_order: &[OpId]) -> Result<Vec<OpId>, Vec<OpId>> {
    let locations = 0..graph.execution.locations();
    let mut last: Vec<u32> = locations.map(|at| graph.execution.initial(at)).collect();
    for write in store_order.iter().map(|op| op.0) {
        let previous = std::mem::replace(&mut last[graph.location(write) as usize], write);
        if !graph.execution.is_initial(previous) {
            graph.link(previous, write);
        }
        for at in 0..graph.last_readers.of(previous).len() {
            let reader = graph.last_readers.of(previous)[at];
            if reader != write {
                graph.link(reader, write);
            }
        }
    }
    let ops = |nodes: Vec<u32>| -> Vec<OpId> { nodes.into_iter().map(OpId).collect() };
    topological(&*graph).map(ops).map_err(|rest| ops(rest.short_cycle(TRIES)))
}

/// Whether the static and observed edges have no cycle. If they have one, no order of writes has a run.
pub(super) fn is_acyclic(graph: &Graph<'_>) -> bool {
    topological(graph).is_ok()
}
