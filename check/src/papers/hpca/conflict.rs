//! The order of the writes of each location is given (VTSO-conflict, VSC-conflict).
//!
//! The baseline rules are complete then (HPCA 2006, section 4.1). With all writes of a location in a
//! row, R7 says that the readers of each precede the next, and R6 nothing that would not show as a
//! cycle of these edges: if S' precedes a reader of S, and S does not follow S', then that reader
//! precedes what follows S, which is S' or precedes it. Where there is no cycle every topological
//! order is a memory order: a load comes after its source (or is served by its own thread's buffer,
//! where R5 keeps the source the newest) and before the next write. At a location that one thread alone uses, program order and R5 say it all, so
//! its writes need not be given. Cost: linear.

use history::OpId;

use crate::engine::digraph::topological;

use super::graph::Graph;

/// Nodes on a cycle from which a shorter one is looked for.
const TRIES: usize = 64;

/// Sorts a graph whose observed edges are in place by an order of all writes.
///
/// # Errors
/// A cycle.
pub fn sort_by(graph: &mut Graph<'_>, store_order: &[OpId]) -> Result<Vec<OpId>, Vec<OpId>> {
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

/// Whether what was observed has no cycle; if it has one, no order of writes helps.
pub fn is_acyclic(graph: &Graph<'_>) -> bool {
    topological(graph).is_ok()
}
