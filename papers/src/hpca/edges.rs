//! [`Edges`]: a list of edges between operations, of which the latest can be removed again.

use check::engine::events::NONE;

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    next_out: u32,
    next_in: u32,
}

/// The observed and inferred edges, as linked lists in both directions. Memory: 16 bytes an edge, 8 a node.
#[derive(Debug)]
pub struct Edges {
    list: Vec<Edge>,
    first_out: Vec<u32>,
    first_in: Vec<u32>,
}

impl Edges {
    /// Creates the edges of a graph that has none yet.
    pub fn new(nodes: usize) -> Edges {
        Edges { list: Vec::new(), first_out: vec![NONE; nodes], first_in: vec![NONE; nodes] }
    }

    /// Number of edges.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is no edge.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds an edge.
    pub fn link(&mut self, from: u32, to: u32) {
        let number = self.list.len() as u32;
        self.list.push(Edge {
            from,
            to,
            next_out: std::mem::replace(&mut self.first_out[from as usize], number),
            next_in: std::mem::replace(&mut self.first_in[to as usize], number),
        });
    }

    /// Removes the latest edge, and returns its two ends.
    pub fn unlink(&mut self) -> Option<(u32, u32)> {
        let edge = self.list.pop()?;
        self.first_out[edge.from as usize] = edge.next_out;
        self.first_in[edge.to as usize] = edge.next_in;
        Some((edge.from, edge.to))
    }

    /// The number of the latest edge out of a node, from which [`Edges::next_out`] leads to the older ones;
    /// [`NONE`] if there is none.
    fn first_out(&self, node: u32) -> u32 {
        self.first_out[node as usize]
    }

    /// The node that the edge of this number enters, and the number of the next older edge out of the same node.
    pub fn next_out(&self, edge: u32) -> Option<(u32, u32)> {
        let edge = self.list.get(edge as usize)?;
        Some((edge.to, edge.next_out))
    }

    /// The number of the latest edge into a node, from which [`Edges::next_in`] leads to the older ones;
    /// [`NONE`] if there is none.
    pub fn first_in(&self, node: u32) -> u32 {
        self.first_in[node as usize]
    }

    /// The node that the edge of this number leaves, and the number of the next older edge into the same node.
    pub fn next_in(&self, edge: u32) -> Option<(u32, u32)> {
        let edge = self.list.get(edge as usize)?;
        Some((edge.from, edge.next_in))
    }

    /// The nodes that the edges out of a node lead to, by the latest edge first.
    pub fn out_of(&self, node: u32) -> impl Iterator<Item = u32> {
        let mut edge = self.first_out(node);
        std::iter::from_fn(move || {
            let (to, next) = self.next_out(edge)?;
            edge = next;
            Some(to)
        })
    }
}
