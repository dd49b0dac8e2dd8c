//! Rule R8 (HPCA 2006, section 4.2): if loads L and L' of one location read from different stores S and
//! S', everything that precedes both loads precedes everything that follows both stores.
//!
//! Otherwise both stores would precede both loads, and the later store would have hidden the other. The
//! paper states the rule to show that even with it the rules are not complete, and gives no algorithm.
//! The algorithm here goes through all pairs of unordered stores of a location and all pairs of their readers. If
//! the stores are ordered, R7 implies the same order. An operation counts as its own predecessor.
//!
//! **Cost.** O(r² · chains · (log n + chains)) for the r readers of a location, repeated until no edge is
//! added. It is meant for small histories.

use super::baseline::Inference;
use super::graph::NoOrder;

impl Inference<'_> {
    /// Applies rules R6, R7 and R8 until nothing new follows. To be called after [`Inference::infer_all`].
    ///
    /// # Errors
    /// Returns [`NoOrder::Cycle`] if the edges form a cycle, and [`NoOrder::Exceeded`] if a bound was met.
    pub fn infer_r8(&mut self) -> Result<(), NoOrder> {
        loop {
            let mut news = false;
            for location in 0..self.graph.execution.locations() {
                news |= self.apply_r8(location)?;
            }
            if !news {
                return Ok(());
            }
            self.infer()?;
        }
    }

    /// Applies R8 to the stores of one location. Returns whether edges were added.
    fn apply_r8(&mut self, location: u32) -> Result<bool, NoOrder> {
        let writes = self.graph.execution.writes.of(location)[1..].to_vec();
        let mut news = false;
        for (at, &first) in writes.iter().enumerate() {
            for &second in &writes[at + 1..] {
                if self.bounds.passed() {
                    return Err(NoOrder::Exceeded);
                }
                if self.precedes(first, second) || self.precedes(second, first) {
                    continue;
                }
                let after = self.after_both(first, second);
                if !after.is_empty() {
                    news |= self.order_readers(first, second, &after)?;
                }
            }
        }
        Ok(news)
    }

    /// For each reader of the store `first` and each reader of the store `second`, adds edges from the common
    /// predecessors of the two readers to the operations `after`, which follow both stores. Returns whether an edge
    /// was added.
    fn order_readers(&mut self, first: u32, second: u32, after: &[u32]) -> Result<bool, NoOrder> {
        let readers = |write| self.graph.execution.readers.of(write).to_vec();
        let (of_first, of_second) = (readers(first), readers(second));
        let mut news = false;
        for &one in &of_first {
            for &other in &of_second {
                for before in self.before_both(one, other) {
                    for &after in after {
                        news |= self.add(before, after)?;
                    }
                }
            }
        }
        Ok(news)
    }

    /// The first operation of each chain that follows two operations.
    fn after_both(&self, first: u32, second: u32) -> Vec<u32> {
        let rows = self.clocks.of(first).iter().zip(self.clocks.of(second));
        let position = rows.enumerate().map(|(chain, (a, b))| (chain as u32, a.max(b)));
        position
            .filter_map(|(chain, &position)| {
                let members = self.graph.chains.members(chain);
                members.get((position as usize).checked_sub(1)?).copied()
            })
            .collect()
    }

    /// The last operation of each chain that precedes two operations, or is one of them.
    fn before_both(&self, first: u32, second: u32) -> Vec<u32> {
        let up_to = |node: u32, end: u32| node == end || self.precedes(node, end);
        (0..self.graph.chains.count() as u32)
            .filter_map(|chain| {
                let members = self.graph.chains.members(chain);
                let known =
                    members.partition_point(|&node| up_to(node, first) && up_to(node, second));
                members.get(known.checked_sub(1)?).copied()
            })
            .collect()
    }
}
