//! Operations that wait to be visited, the last ones of an order first.

use crate::engine::worklist::Worklist;

/// A queue of operations. Memory: 12 bytes an operation.
#[derive(Debug)]
pub struct Queue {
    order: Vec<u32>,
    /// By rank from the end.
    waiting: Worklist,
}

impl Queue {
    /// Nothing waits; `order` has every operation once, and `threads` of them are under way at a time.
    pub fn new(order: Vec<u32>, threads: usize) -> Queue {
        let mut rank = vec![0; order.len()];
        for (at, &node) in order.iter().rev().enumerate() {
            rank[node as usize] = at as u32;
        }
        Queue { waiting: Worklist::new(rank, threads), order }
    }

    /// Place of an operation in the order.
    pub fn rank(&self, node: u32) -> u32 {
        self.order.len() as u32 - 1 - self.waiting.rank(node)
    }

    /// Operations in the order.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Adds an operation, if it does not wait already.
    pub fn push(&mut self, node: u32) {
        self.waiting.push(node);
    }

    /// Takes an operation, one of the last.
    pub fn pop(&mut self) -> Option<u32> {
        self.waiting.pop(usize::MAX)
    }

    /// Takes an operation, if it waits.
    pub fn take(&mut self, node: u32) -> bool {
        self.waiting.take(node)
    }

    /// Nothing waits.
    pub fn clear(&mut self) {
        while self.pop().is_some() {}
    }
}
