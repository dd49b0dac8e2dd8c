//! [`Chains`]: the virtual SC processors of HPCA 2006, section 4.1, which are chains of operations whose order the
//! model preserves.
//!
//! | model | chains of a thread |
//! |---|---|
//! | SC | one, with all operations |
//! | TSO | one of loads; one of stores, atomics and membars |
//!
//! These are the paper's chains; those of [`check::engine::events`] have atomics and membars together with
//! the loads. Between the two chains of a thread, a load, an atomic or a membar precedes all later
//! operations of the other chain (rules R1 and R3). This order is kept as at most one edge into each
//! operation, from the last such operation, unless it follows along the chain.

use crate::execution::Execution;
use check::engine::csr::Csr;
use check::engine::events::NONE;
use memory::Model;

/// The chains of all threads. Memory: 20 bytes an operation.
#[derive(Debug)]
pub struct Chains {
    /// Per operation, its chain.
    pub of: Vec<u32>,
    /// Per operation, its position in its chain, from 1.
    pub position: Vec<u32>,
    members: Csr,
    /// Per operation, the operation of its thread's other chain from which an edge leads to it; [`NONE`] if there
    /// is none.
    across_before: Vec<u32>,
    /// Per operation, the operation of its thread's other chain to which an edge leads from it; [`NONE`] if there
    /// is none.
    across_after: Vec<u32>,
}

impl Chains {
    /// Assigns the operations to chains. Cost: linear.
    pub fn new(execution: &Execution<'_>, model: Model) -> Chains {
        let threads = execution.history.threads().len();
        let buffers = model.buffers();
        let count = if buffers { 2 * threads } else { threads };
        let operations = execution.operations;
        let is_load = |node: u32| buffers && execution.kind(node).may_be_forwarded();
        let of: Vec<u32> = (0..operations)
            .map(|node| {
                let thread = execution.thread[node as usize];
                let shift = if buffers && !is_load(node) { threads } else { 0 };
                thread + shift as u32
            })
            .collect();
        let members = Csr::new(count, (0..operations).map(|node| (of[node as usize], node)));
        let mut position = vec![0; operations as usize];
        for chain in 0..count as u32 {
            for (at, &node) in members.of(chain).iter().enumerate() {
                position[node as usize] = at as u32 + 1;
            }
        }
        let mut chains = Chains {
            of,
            position,
            members,
            across_before: vec![NONE; operations as usize],
            across_after: vec![NONE; operations as usize],
        };
        if buffers {
            chains.join_pairs(execution);
        }
        chains
    }

    /// Finds the edges between the two chains of each thread.
    fn join_pairs(&mut self, execution: &Execution<'_>) {
        // The last load, and the last atomic or membar, of the current thread, unless an operation of the
        // other chain came after it.
        let (mut load, mut drain) = (NONE, NONE);
        let mut thread = NONE;
        for node in 0..execution.operations {
            if execution.thread[node as usize] != thread {
                thread = execution.thread[node as usize];
                (load, drain) = (NONE, NONE);
            }
            let kind = execution.kind(node);
            let before = if kind.may_be_forwarded() {
                load = node;
                std::mem::replace(&mut drain, NONE)
            } else {
                if !kind.may_be_buffered() {
                    drain = node;
                }
                std::mem::replace(&mut load, NONE)
            };
            self.across_before[node as usize] = before;
            if before != NONE {
                self.across_after[before as usize] = node;
            }
        }
    }

    /// Number of chains.
    pub fn count(&self) -> usize {
        self.members.nodes()
    }

    /// The operations of a chain.
    pub fn members(&self, chain: u32) -> &[u32] {
        self.members.of(chain)
    }

    /// The operation before this one in its chain.
    pub fn before(&self, node: u32) -> Option<u32> {
        let at = (self.position[node as usize] as usize).checked_sub(2)?;
        Some(self.members.of(self.of[node as usize])[at])
    }

    /// The operation after this one in its chain.
    pub fn after(&self, node: u32) -> Option<u32> {
        let at = self.position[node as usize] as usize;
        self.members.of(self.of[node as usize]).get(at).copied()
    }

    /// The operation of its thread's other chain from which an edge leads to this one, if any.
    pub fn across_before(&self, node: u32) -> Option<u32> {
        Some(self.across_before[node as usize]).filter(|&before| before != NONE)
    }

    /// The operation of its thread's other chain to which an edge leads from this one, if any.
    pub fn across_after(&self, node: u32) -> Option<u32> {
        Some(self.across_after[node as usize]).filter(|&after| after != NONE)
    }
}
