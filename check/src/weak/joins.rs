//! Reduces the number of joins in a graph of preserved program order ([`contract`]). A join is a node that
//! stands for edges from every operation before it to every operation after it. For a search by windows fewer
//! nodes are better, since each member of a window takes a row of bits.

use memory::weak::graph::Graph;

/// A join is kept if it saves more edges than this, besides the edges to and from it.
const SAVED: usize = 4;

/// Preserved program order as edges between nodes. No edge occurs twice.
#[derive(Debug)]
pub(super) struct Edges {
    /// Number of nodes: operations, and the joins that were kept.
    pub nodes: usize,
    pub edges: Vec<(u32, u32)>,
}

/// The graph without most of its joins: each is replaced by edges from its predecessors to its successors,
/// unless these would be more than the join's own edges by over `SAVED`. Cost: that of sorting the edges.
pub(super) fn contract(graph: &Graph) -> Edges {
    let mut contraction = Contraction::new(graph);
    for &(from, to) in graph.edges() {
        contraction.add(from, to);
    }
    let Contraction { nodes, mut edges, .. } = contraction;
    edges.sort_unstable();
    edges.dedup();
    Edges { nodes, edges }
}

/// The state of a join. The graph lists all edges to a join before all edges from it.
#[derive(Clone, Default)]
struct Join {
    /// Its predecessors, until it is kept.
    before: Vec<u32>,
    /// Number of edges from it.
    after: usize,
    /// Its new number, once it is known that it is kept.
    number: Option<u32>,
}

impl Join {
    fn is_worth_keeping(&self) -> bool {
        let (before, after) = (self.before.len(), self.after);
        before * after > before + after + SAVED
    }
}

struct Contraction {
    operations: usize,
    joins: Vec<Join>,
    /// Number of nodes so far.
    nodes: usize,
    edges: Vec<(u32, u32)>,
}

impl Contraction {
    fn new(graph: &Graph) -> Contraction {
        let operations = graph.operations() as usize;
        let mut joins = vec![Join::default(); graph.nodes() as usize - operations];
        let from = graph.edges().iter().map(|&(from, _)| from as usize);
        for join in from.filter_map(|from| from.checked_sub(operations)) {
            joins[join].after += 1;
        }
        let edges = Vec::with_capacity(graph.edges().len());
        Contraction { operations, joins, nodes: operations, edges }
    }

    fn add(&mut self, from: u32, to: u32) {
        let join = |node: u32| (node as usize).checked_sub(self.operations);
        match (join(from), join(to)) {
            (None, None) => self.edges.push((from, to)),
            (None, Some(to)) => self.joins[to].before.push(from),
            (Some(from), None) => {
                self.keep_if_worth(from);
                let Join { number, before, .. } = &self.joins[from];
                match number {
                    Some(number) => self.edges.push((*number, to)),
                    None => self.edges.extend(before.iter().map(|&before| (before, to))),
                }
            }
            (Some(from), Some(to)) => {
                self.keep_if_worth(from);
                let Join { number, before, .. } = &self.joins[from];
                let before = number.map_or_else(|| before.clone(), |number| vec![number]);
                self.joins[to].before.extend(before);
            }
        }
    }

    /// Decides, before the first edge from a join is added, whether it is kept.
    fn keep_if_worth(&mut self, join: usize) {
        let join = &mut self.joins[join];
        if join.number.is_some() || !join.is_worth_keeping() {
            return;
        }
        let number = self.nodes as u32;
        self.nodes += 1;
        join.number = Some(number);
        let before = std::mem::take(&mut join.before);
        self.edges.extend(before.into_iter().map(|before| (before, number)));
    }
}

#[cfg(test)]
mod tests {
    use history::{Ambiguity, ReadsFrom};
    use memory::Execution;
    use memory::Model;

    use super::*;
    use crate::generate::{Recipe, generate};

    /// Per node, the operations that it can be reached from, as a row of bits in words of 64.
    fn reaching(nodes: usize, operations: usize, edges: &[(u32, u32)]) -> Vec<Vec<u64>> {
        let mut reaching = vec![vec![0; operations.div_ceil(64)]; nodes];
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for &(from, to) in edges {
                let mut row = reaching[from as usize].clone();
                if let Some(word) =
                    row.get_mut(from as usize / 64).filter(|_| (from as usize) < operations)
                {
                    *word |= 1 << (from % 64);
                }
                for (word, more) in reaching[to as usize].iter_mut().zip(row) {
                    is_settled &= more & !*word == 0;
                    *word |= more;
                }
            }
        }
        reaching
    }

    #[test]
    fn operations_are_ordered_as_before_with_fewer_nodes() {
        let mut dropped = 0;
        for model in [Model::RVWMO, Model::ARMV8, Model::ZTSO, Model::WMO] {
            for seed in 0..20 {
                let recipe = Recipe { model, operations: 120, seed, ..Recipe::default() };
                let history = generate(&recipe).unwrap();
                let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
                let graph = Graph::new(&Execution { history: &history, reads_from }, model);
                let Edges { nodes, edges } = contract(&graph);
                let expected = reaching(graph.nodes() as usize, history.len(), graph.edges());
                let found = reaching(nodes, history.len(), &edges);
                assert_eq!(found[..history.len()], expected[..history.len()], "{model} {seed}");
                assert!(nodes <= graph.nodes() as usize, "{model} {seed}");
                dropped += graph.nodes() as usize - nodes;
            }
        }
        assert!(dropped > 0);
    }
}
