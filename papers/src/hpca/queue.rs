//! [`Queue`]: the operations that wait to be visited, from the end of a topological order backwards.

use check::engine::worklist::Worklist;

/// A queue of operations, by their positions in an order. Memory: 12 bytes an operation.
#[derive(Debug)]
pub(super) struct Queue {
    order: Vec<u32>,
    /// The waiting operations, ranked by their distance from the end of the order.
    waiting: Worklist,
}

impl Queue {
    /// Creates an empty queue. `order` has every operation once; `threads` is the number of threads, for
    /// [`Worklist::new`].
    pub(super) fn new(order: Vec<u32>, threads: usize) -> Queue {
        let mut rank = vec![0; order.len()];
        for (at, &node) in order.iter().rev().enumerate() {
            rank[node as usize] = at as u32;
        }
        Queue { waiting: Worklist::new(rank, threads), order }
    }

    /// The position of an operation in the order.
    pub(super) fn rank(&self, node: u32) -> u32 {
        self.order.len() as u32 - 1 - self.waiting.rank(node)
    }

    /// The operations, in the order.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Adds an operation, if it does not wait already.
    pub(super) fn push(&mut self, node: u32) {
        self.waiting.push(node);
    }

    /// Removes and returns one of the last operations in the order.
    pub(super) fn pop(&mut self) -> Option<u32> {
        self.waiting.pop(usize::MAX)
    }

    /// Removes an operation. Returns whether it was waiting.
    pub(super) fn take(&mut self, node: u32) -> bool {
        self.waiting.take(node)
    }

    /// Removes all operations.
    pub(super) fn clear(&mut self) {
        while self.pop().is_some() {}
    }
}
