//! Operations that wait to be visited, the last ones of an order first.

use std::collections::BinaryHeap;

/// A queue of operations. Memory: 9 bytes an operation.
#[derive(Debug)]
pub struct Queue {
    rank: Vec<u32>,
    at_rank: Vec<u32>,
    waits: Vec<bool>,
    /// Ranks; those of operations that wait, and perhaps others.
    heap: BinaryHeap<u32>,
}

impl Queue {
    /// Nothing waits; `order` has every operation once.
    pub fn new(order: Vec<u32>) -> Queue {
        let mut rank = vec![0; order.len()];
        for (at, &node) in order.iter().enumerate() {
            rank[node as usize] = at as u32;
        }
        Queue {
            waits: vec![false; order.len()],
            heap: BinaryHeap::new(),
            at_rank: order,
            rank,
        }
    }

    /// Place of an operation in the order.
    pub fn rank(&self, node: u32) -> u32 {
        self.rank[node as usize]
    }

    /// Operations in the order.
    pub fn order(&self) -> &[u32] {
        &self.at_rank
    }

    /// Adds an operation, if it does not wait already.
    pub fn push(&mut self, node: u32) {
        if !std::mem::replace(&mut self.waits[node as usize], true) {
            self.heap.push(self.rank[node as usize]);
        }
    }

    /// Takes the operation of the highest rank.
    pub fn pop(&mut self) -> Option<u32> {
        loop {
            let node = self.at_rank[self.heap.pop()? as usize];
            if self.take(node) {
                return Some(node);
            }
        }
    }

    /// Takes an operation, if it waits.
    pub fn take(&mut self, node: u32) -> bool {
        std::mem::replace(&mut self.waits[node as usize], false)
    }

    /// Nothing waits.
    pub fn clear(&mut self) {
        while self.pop().is_some() {}
    }
}
