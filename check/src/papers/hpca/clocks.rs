//! Reverse-time vector clocks (HPCA 2006, section 4.1): of each operation, its first successor in
//! each chain.

use crate::engine::clocks::{Clocks, Overwritten};

/// Positions of first successors, a row an operation; `u32::MAX` where there is none. Memory: 4 bytes
/// an operation and chain, and 12 for each entry that can be restored.
#[derive(Debug)]
pub struct ReverseClocks {
    clocks: Clocks,
    trail: Vec<Overwritten>,
    logging: bool,
}

impl ReverseClocks {
    /// Bytes that clocks take.
    pub fn bytes(nodes: usize, chains: usize) -> usize {
        nodes.saturating_mul(chains).saturating_mul(4)
    }

    /// Nothing has a successor.
    pub fn new(nodes: usize, chains: usize) -> ReverseClocks {
        let clocks = Clocks::new(nodes, chains, u32::MAX);
        ReverseClocks { clocks, trail: Vec::new(), logging: false }
    }

    /// The first successors of an operation.
    pub fn of(&self, node: u32) -> &[u32] {
        self.clocks.of(node)
    }

    /// The position of an operation's first successor in a chain.
    pub fn first(&self, node: u32, chain: u32) -> u32 {
        self.clocks.get(node, chain)
    }

    /// What follows `later`, and itself, follows `node` too; `place` is its chain and position.
    /// Says whether that is news.
    pub fn join(&mut self, node: u32, later: u32, place: (u32, u32)) -> bool {
        let mut news = self.lower(node, place.0, place.1);
        let (row, from) = self.clocks.pair(node, later);
        if row.iter().zip(from).fold(false, |any, (a, b)| any | (b < a)) {
            news = true;
            self.take_over(node, later);
        }
        news
    }

    fn take_over(&mut self, node: u32, later: u32) {
        let (row, from) = self.clocks.pair(node, later);
        if self.logging {
            for (column, (&value, from)) in (0..).zip(row.iter().zip(from)) {
                if *from < value {
                    self.trail.push(Overwritten { event: node, column, value });
                }
            }
        }
        for (have, news) in row.iter_mut().zip(from) {
            *have = (*have).min(*news);
        }
    }

    fn lower(&mut self, node: u32, chain: u32, position: u32) -> bool {
        let entry = &mut self.clocks.of_mut(node)[chain as usize];
        let value = *entry;
        if value <= position {
            return false;
        }
        *entry = position;
        if self.logging {
            self.trail.push(Overwritten { event: node, column: chain, value });
        }
        true
    }

    /// From now on changes can be undone.
    pub fn log(&mut self) {
        self.logging = true;
    }

    /// How many changes can be undone.
    pub fn changes(&self) -> usize {
        self.trail.len()
    }

    /// Undoes all but the first `changes` changes.
    pub fn undo(&mut self, changes: usize) {
        self.trail.drain(changes..).rev().for_each(|old| self.clocks.restore(old));
    }
}
