//! [`Pasts`]: the past of every operation as a vector clock over threads.

use super::local::NotClosed;
use host::Bounds;

use crate::execution::{Execution, NONE};
use check::engine::clocks::Clocks;
use check::engine::csr::Csr;
use check::engine::digraph::topological;

/// Operations between two checks of the bounds.
const CHECK_INTERVAL: usize = 4096;

/// For every operation and thread, the number of operations of the thread that are in the operation's past. An
/// operation is in its own past. Initial writes are before everything and are left out. Memory: 4·n·threads
/// bytes.
#[derive(Debug)]
pub struct Pasts {
    /// The first operation of each thread.
    first: Vec<u32>,
    clocks: Clocks,
}

impl Pasts {
    /// Computes the pasts in the transitive closure of program order and these edges between operations.
    /// Cost: O((n + edges)·threads).
    ///
    /// # Errors
    /// Returns [`NotClosed::Cyclic`] if there is a cycle, and [`NotClosed::Exceeded`] if a bound was met.
    pub fn new(
        exec: &Execution<'_>,
        edges: &[(u32, u32)],
        bounds: &Bounds,
    ) -> Result<Pasts, NotClosed> {
        let operations = exec.operations as usize;
        let threads = exec.history.threads();
        let width = threads.len();
        let asked = operations * width * 4 + 40 * (operations + edges.len());
        if bounds.passed() || !bounds.allows(asked) {
            return Err(NotClosed::Exceeded);
        }
        let steps = (1..exec.operations).map(|op| (op - 1, op));
        let steps = steps.filter(|&(one, two)| exec.po(one, two));
        let all = steps.chain(edges.iter().copied());
        let after = Csr::new(operations, all.clone());
        let order = topological(&after).map_err(|_| NotClosed::Cyclic)?;
        drop(after);
        let before = Csr::new(operations, all.map(|(from, to)| (to, from)));
        let mut pasts = Pasts {
            first: threads.iter().map(|thread| thread.first().0).collect(),
            clocks: Clocks::new(operations, width, 0),
        };
        for (done, &op) in order.iter().enumerate() {
            if done.is_multiple_of(CHECK_INTERVAL) && bounds.passed() {
                return Err(NotClosed::Exceeded);
            }
            let thread = exec.thread[op as usize] as usize;
            pasts.clocks.of_mut(op)[thread] = op - pasts.first[thread] + 1;
            for &other in before.of(op) {
                pasts.clocks.join(other, op);
            }
        }
        Ok(pasts)
    }

    /// Whether `first` is in the past of another operation `second`. An initial write is in the past of all
    /// operations.
    pub fn before(&self, exec: &Execution<'_>, first: u32, second: u32) -> bool {
        if exec.is_initial(first) || exec.is_initial(second) {
            return exec.po(first, second);
        }
        let thread = exec.thread[first as usize];
        let seen = self.first[thread as usize] + self.clocks.get(second, thread);
        first != second && first < seen
    }

    /// The first operation of each thread, and the first that is not in the strict past of `op`.
    fn bounds(&self, exec: &Execution<'_>, op: u32) -> impl Iterator<Item = (u32, u32)> {
        let own = exec.thread[op as usize] as usize;
        let seen = self.first.iter().zip(self.clocks.of(op)).enumerate();
        seen.map(move |(thread, (&first, &count))| {
            (first, first + count - u32::from(thread == own))
        })
    }

    /// For each thread the last write of `op`'s location in `op`'s past. Cost: O(threads·log n).
    pub fn last_writes(&self, exec: &Execution<'_>, op: u32) -> impl Iterator<Item = u32> {
        let writes = written(exec, op);
        self.bounds(exec, op).filter_map(move |(first, end)| {
            let at = writes.partition_point(|&write| write < end);
            let last = *writes.get(at.checked_sub(1)?)?;
            (last >= first).then_some(last)
        })
    }

    /// For each thread the writes of `op`'s location in `op`'s past.
    pub fn past_writes<'e>(
        &self,
        exec: &'e Execution<'_>,
        op: u32,
    ) -> impl Iterator<Item = &'e [u32]> {
        let writes = written(exec, op);
        let until = move |bound: u32| writes.partition_point(|&write| write < bound);
        self.bounds(exec, op).map(move |(first, end)| &writes[until(first)..until(end)])
    }

    /// The number of ordered pairs of writes of one location, without initial writes; `None` if a bound was met.
    /// Cost: O(n·threads·log n).
    pub fn ordered_writes(&self, exec: &Execution<'_>, bounds: &Bounds) -> Option<u64> {
        let mut ordered = 0;
        for op in 0..exec.operations {
            if (op as usize).is_multiple_of(CHECK_INTERVAL) && bounds.passed() {
                return None;
            }
            if !exec.is_write(op) {
                continue;
            }
            let writes = written(exec, op);
            for (first, end) in self.bounds(exec, op) {
                let until = |bound: u32| writes.partition_point(|&write| write < bound) as u64;
                ordered += until(end) - until(first);
            }
        }
        Some(ordered)
    }
}

/// The writes of an operation's location without the initial one, in ascending order.
fn written<'e>(exec: &'e Execution<'_>, op: u32) -> &'e [u32] {
    match exec.location[op as usize] {
        NONE => &[],
        location => &exec.writes.of(location)[1..],
    }
}
