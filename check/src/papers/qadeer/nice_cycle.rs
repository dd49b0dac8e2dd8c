//! Nice cycles (Qadeer, sections 6 and 7).
//!
//! A cycle of a constraint graph is k-*nice* if it alternates between k processor edges, of k
//! different threads, and k location edges, of k different locations:
//!
//! ```text
//! u1 -thread-> v1 -location-> u2 -thread-> v2 -location-> … uk -thread-> vk -location-> u1
//! ```
//!
//! So k is at most the number of threads and the number of locations. Every cycle contains a nice one
//! (Theorem 6.1): two edges of one thread can be replaced by one, since the thread's order is total, and so
//! can two edges of one location, since of two ordered accesses one is ordered with any third (Lemma
//! 5.1). A violation at a single location, such as reading two writes in the wrong order, is a 1-nice
//! cycle. In *canonical* form the processor edges are those of processors 1 to k and the location edges
//! those of locations 2, 3, …, k, 1; [`NiceCycle::threads`] and [`NiceCycle::locations`] are the renaming.
//!
//! Read-modify-writes and final values, which the paper does not have, can give cycles without a
//! processor edge: see [`CycleShape`].

use history::{History, OpId};

use super::constraint_graph::ConstraintGraph;
use crate::engine::digraph::topological;

/// The kind of a cycle, by the edges that it consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleShape {
    /// Processor and location edges alternate.
    Nice,
    /// The cycle is a read-modify-write or store-conditional and another write of its location that comes
    /// between it and the write that it reads from.
    Atomicity,
    /// The cycle is the write of a final value and a write of its location that the witness has after it.
    Final,
}

/// A cycle in which no two edges are of one thread or of one location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NiceCycle {
    shape: CycleShape,
    /// The processor edges; for shapes other than [`CycleShape::Nice`], the two operations.
    pairs: Vec<(OpId, OpId)>,
    /// Per processor of the canonical form, the thread.
    threads: Vec<u32>,
    /// Per location of the canonical form, the location of the history.
    locations: Vec<u32>,
}

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
            return Err(NiceCycle::pair(CycleShape::Atomicity, self, pair));
        }
        if let Some(pair) = self.overwritten(finals) {
            return Err(NiceCycle::pair(CycleShape::Final, self, pair));
        }
        let ops = |nodes: Vec<u32>| -> Vec<OpId> { nodes.into_iter().map(OpId).collect() };
        topological(self).map(ops).map_err(|rest| {
            let nice =
                rest.cycles(tries).into_iter().map(|cycle| NiceCycle::reduce(self, &ops(cycle)));
            let mut nice: Vec<NiceCycle> = nice.collect();
            nice.sort_by_key(NiceCycle::k);
            nice.swap_remove(0)
        })
    }
}

impl NiceCycle {
    /// Creates a cycle of two operations of one location, which follow each other.
    fn pair(shape: CycleShape, graph: &ConstraintGraph<'_>, pair: (OpId, OpId)) -> NiceCycle {
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
        NiceCycle::canonical(graph, &edges)
    }

    /// The nice cycle of alternating edges, starting with the processor edge of the first operation.
    fn canonical(graph: &ConstraintGraph<'_>, edges: &[Edge]) -> NiceCycle {
        let by_threads = edges.iter().enumerate();
        let by_threads = by_threads.filter(|(_, edge)| matches!(edge.order, EdgeOrder::Thread(_)));
        let start = by_threads.min_by_key(|(_, edge)| edge.from);
        let start = start.map_or(0, |(at, _)| at);
        let around = || edges[start..].iter().chain(&edges[..start]);
        let pairs: Vec<(OpId, OpId)> =
            around().step_by(2).map(|edge| (edge.from, edge.to)).collect();
        let threads = pairs.iter().map(|&(u, _)| graph.thread(u)).collect();
        // The edge into u_i is of location i.
        let locations = pairs.iter().map(|&(u, _)| graph.location(u)).collect();
        NiceCycle { shape: CycleShape::Nice, pairs, threads, locations }
    }

    /// The shape of the cycle.
    pub fn shape(&self) -> CycleShape {
        self.shape
    }

    /// Number of processor edges, and of location edges; 0 if there is no processor edge.
    pub fn k(&self) -> usize {
        self.threads.len()
    }

    /// The processor edges, in the order of the cycle.
    pub fn processor_edges(&self) -> impl Iterator<Item = (OpId, OpId)> {
        self.pairs[..self.k()].iter().copied()
    }

    /// The location edges, in the order of the cycle; the first one follows the first processor edge. A
    /// cycle of two operations has an edge in each direction.
    pub fn location_edges(&self) -> impl Iterator<Item = (OpId, OpId)> {
        let next = self.pairs.iter().cycle().skip(1);
        let back = self.pairs.iter().zip(next).map(|(&(_, v), &(u, _))| (v, u));
        let there = self.pairs[self.k()..].iter().copied();
        there.chain(back)
    }

    /// For each processor of the canonical form, from 1, the thread that it stands for, as an index into
    /// [`History::threads`].
    pub fn threads(&self) -> &[u32] {
        &self.threads
    }

    /// For each location of the canonical form, from 1, the location of the history that it stands for.
    pub fn locations(&self) -> &[u32] {
        &self.locations
    }

    /// The cycle in one line, with its canonical form.
    pub fn describe(&self, history: &History) -> String {
        let name = |op: OpId| match history.line(op) {
            Some(line) => format!("{} (line {line})", history.describe(op)),
            None => history.describe(op),
        };
        let (first, second) = self.pairs[0];
        match self.shape {
            CycleShape::Atomicity => {
                format!("{} comes between {} and what that reads from", name(second), name(first))
            }
            CycleShape::Final => {
                format!("{}, whose value is final, completed before {}", name(first), name(second))
            }
            CycleShape::Nice => {
                let mut text = format!("{}-nice cycle ", self.k());
                let edges = self.processor_edges().zip(self.location_edges());
                for (thread, ((u, v), (_, next))) in self.threads.iter().zip(edges) {
                    let label = history.threads()[*thread as usize].label;
                    let place = history.location(next).map_or(String::new(), |location| {
                        history.locations()[location as usize].to_string()
                    });
                    text += &format!("{} -thread {label}-> {} -{place}-> ", name(u), name(v));
                }
                text + &name(first) + &self.canonical_form(history)
            }
        }
    }

    /// A text that says which threads and locations the processors and locations of the canonical form stand for.
    fn canonical_form(&self, history: &History) -> String {
        let threads = self.threads.iter();
        let threads = threads.map(|&thread| history.threads()[thread as usize].label.to_string());
        let places = self.locations.iter();
        let places = places.map(|&place| history.locations()[place as usize].to_string());
        let numbers: Vec<String> = (1..=self.k()).map(|number| number.to_string()).collect();
        format!(
            " (in canonical form processors {numbers} are threads {}, locations {numbers} {})",
            threads.collect::<Vec<_>>().join(", "),
            places.collect::<Vec<_>>().join(", "),
            numbers = numbers.join(", ")
        )
    }
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
