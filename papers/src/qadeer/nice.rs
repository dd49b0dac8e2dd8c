//! Finds [nice cycles](check::nice_cycle) in constraint graphs (Qadeer, section 6).

use check::engine::digraph::topological;
use check::nice_cycle::{CycleShape, NiceCycle};
use history::OpId;

use super::constraint_graph::ConstraintGraph;

/// The order that an edge of a cycle belongs to: program order of a thread, or the order of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EdgeOrder {
    Thread(u32),
    Location(u32),
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: OpId,
    to: OpId,
    order: EdgeOrder,
}

impl ConstraintGraph<'_> {
    /// Sorts all operations into a run that has the witness as its store order.
    ///
    /// # Errors
    /// Returns a cycle if there is no such run: of the nice cycles found with up to `tries` additional searches, one
    /// with the fewest processors.
    pub fn sort(&self, finals: &[OpId], tries: usize) -> Result<Vec<OpId>, NiceCycle> {
        if let Some(pair) = self.atomicity_violation() {
            return Err(cycle_of(CycleShape::Atomicity, self, pair));
        }
        if let Some(pair) = self.overwritten(finals) {
            return Err(cycle_of(CycleShape::Final, self, pair));
        }
        let ops = |nodes: Vec<u32>| -> Vec<OpId> { nodes.into_iter().map(OpId).collect() };
        topological(self).map(ops).map_err(|rest| {
            let nice = rest.cycles(tries).into_iter().map(|cycle| reduce(self, &ops(cycle)));
            let mut nice: Vec<NiceCycle> = nice.collect();
            nice.sort_by_key(NiceCycle::k);
            nice.swap_remove(0)
        })
    }
}

/// Creates a cycle of two operations of one location, which follow each other.
fn cycle_of(shape: CycleShape, graph: &ConstraintGraph<'_>, pair: (OpId, OpId)) -> NiceCycle {
    NiceCycle {
        shape,
        pairs: vec![pair],
        threads: Vec::new(),
        locations: vec![graph.location(pair.0)],
    }
}

/// The nice cycle that a cycle of a constraint graph contains. Cost: cubic in its length.
fn reduce(graph: &ConstraintGraph<'_>, cycle: &[OpId]) -> NiceCycle {
    let next = cycle.iter().cycle().skip(1);
    let edges = cycle.iter().zip(next).map(|(&from, &to)| Edge {
        from,
        to,
        order: if graph.po(from, to) {
            EdgeOrder::Thread(graph.thread(from))
        } else {
            EdgeOrder::Location(graph.location(from))
        },
    });
    let mut edges: Vec<Edge> = edges.collect();
    while let Some((first, second)) = two_of_one_order(&edges) {
        edges = shortened(graph, &edges, first, second);
    }
    canonical(graph, &edges)
}

/// The nice cycle of alternating edges, starting with the processor edge of the first operation.
fn canonical(graph: &ConstraintGraph<'_>, edges: &[Edge]) -> NiceCycle {
    let by_threads = edges.iter().enumerate();
    let by_threads = by_threads.filter(|(_, edge)| matches!(edge.order, EdgeOrder::Thread(_)));
    let start = by_threads.min_by_key(|(_, edge)| edge.from);
    let start = start.map_or(0, |(at, _)| at);
    let around = || edges[start..].iter().chain(&edges[..start]);
    let pairs: Vec<(OpId, OpId)> = around().step_by(2).map(|edge| (edge.from, edge.to)).collect();
    let threads = pairs.iter().map(|&(u, _)| graph.thread(u)).collect();
    // The edge into u_i is of location i.
    let locations = pairs.iter().map(|&(u, _)| graph.location(u)).collect();
    NiceCycle { shape: CycleShape::Nice, pairs, threads, locations }
}

/// The indices of two edges of one thread or location: of all such pairs, the one whose second edge comes first.
fn two_of_one_order(edges: &[Edge]) -> Option<(usize, usize)> {
    (0..edges.len()).find_map(|second| {
        let same = |edge: &Edge| edge.order == edges[second].order;
        let first = edges[..second].iter().position(same)?;
        Some((first, second))
    })
}

/// Shortens a cycle: replaces two edges of one order, and the edges between them on one side, by one edge of that
/// order. By Theorem 6.1, one of the two possible edges exists.
fn shortened(
    graph: &ConstraintGraph<'_>,
    edges: &[Edge],
    first: usize,
    second: usize,
) -> Vec<Edge> {
    let (one, other) = (edges[first], edges[second]);
    let precedes = |from, to| match one.order {
        EdgeOrder::Thread(_) => graph.po(from, to),
        EdgeOrder::Location(_) => graph.location_order(from, to),
    };
    let across = |from, to| Edge { from, to, order: one.order };
    let mut rest = Vec::with_capacity(edges.len());
    if precedes(one.from, other.to) {
        rest.extend_from_slice(&edges[..first]);
        rest.push(across(one.from, other.to));
        rest.extend_from_slice(&edges[second + 1..]);
    } else {
        rest.push(across(other.from, one.to));
        rest.extend_from_slice(&edges[first + 1..second]);
    }
    rest
}
