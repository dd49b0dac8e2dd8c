//! [`ReverseClocks`]: the reverse-time vector clocks of HPCA 2006, section 4.1, which have the first successor of
//! each operation in each chain.

use check::engine::clocks::{Clocks, Overwritten};

/// For each operation and chain, the position in the chain of the operation's first successor; `u32::MAX` if
/// there is none. Memory: 4 bytes for each operation and chain, and 12 for each logged change.
#[derive(Debug)]
pub struct ReverseClocks {
    clocks: Clocks,
    trail: Vec<Overwritten>,
    logging: bool,
}

impl ReverseClocks {
    /// The size of the clocks in bytes.
    pub fn bytes(nodes: usize, chains: usize) -> usize {
        nodes.saturating_mul(chains).saturating_mul(4)
    }

    /// Creates clocks in which no operation has a successor.
    pub fn new(nodes: usize, chains: usize) -> ReverseClocks {
        let clocks = Clocks::new(nodes, chains, u32::MAX);
        ReverseClocks { clocks, trail: Vec::new(), logging: false }
    }

    /// Per chain, the position of the first successor of an operation.
    pub fn of(&self, node: u32) -> &[u32] {
        self.clocks.of(node)
    }

    /// The position of an operation's first successor in a chain; `u32::MAX` if there is none.
    pub fn first(&self, node: u32, chain: u32) -> u32 {
        self.clocks.get(node, chain)
    }

    /// Adds `later` and its successors to the successors of `node`; `place` is the chain and position of `later`.
    /// Returns whether the clock of `node` changed.
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

    /// Starts to log changes, so that they can be undone.
    pub fn log(&mut self) {
        self.logging = true;
    }

    /// Number of logged changes.
    pub fn changes(&self) -> usize {
        self.trail.len()
    }

    /// Undoes all logged changes but the first `changes`.
    pub fn undo(&mut self, changes: usize) {
        self.trail.drain(changes..).rev().for_each(|old| self.clocks.restore(old));
    }
}
