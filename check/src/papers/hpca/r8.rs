//! Rule R8 (HPCA 2006, section 4.2): where loads L and L' of one location read from different stores
//! S and S', what precedes both loads precedes what follows both stores.
//!
//! Otherwise both stores would precede both loads, and the later one would have hidden the other. The
//! paper states the rule to show that it is not enough. It gives no algorithm; this one goes through
//! all pairs of unordered stores of a location and all pairs of their readers. Where the stores are
//! ordered, R7 says as much. *Latest* and *first* are per chain, and an operation counts as its own
//! predecessor.
//!
//! **Cost.** O(r² · chains · (log n + chains)) for the r readers of a location, again until nothing is
//! new: for small histories.

use super::baseline::Inference;
use super::graph::NoOrder;

impl Inference<'_> {
    /// Applies rules R6, R7 and R8 to a fixpoint, after [`Inference::infer_all`].
    ///
    /// # Errors
    /// The edges form a cycle, or a bound was met.
    pub fn infer_common(&mut self) -> Result<(), NoOrder> {
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

    /// R8 for the stores of one location; says whether edges were added.
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

    /// What precedes a reader of each of two stores precedes what follows both stores.
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
