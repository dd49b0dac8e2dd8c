//! [`Csr`]: compressed sparse rows, a list of `u32` for each node, stored in two arrays.

use host::Bounds;

/// Pairs between two checks of the bounds: some milliseconds.
const PAIRS_PER_CHECK: usize = 1 << 17;

/// For each of `n` nodes, a list of numbers.
#[derive(Clone, Debug, Default)]
pub struct Csr {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Csr {
    /// Collects pairs (node, item); the items of a node keep their order. Cost: linear.
    pub fn new(nodes: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Csr {
        let mut start = vec![0u32; nodes + 1];
        for (node, _) in pairs.clone() {
            start[node as usize + 1] += 1;
        }
        for node in 0..nodes {
            start[node + 1] += start[node];
        }
        let mut next = start.clone();
        let mut items = vec![0; start[nodes] as usize];
        for (node, item) in pairs {
            items[next[node as usize] as usize] = item;
            next[node as usize] += 1;
        }
        Csr { start, items }
    }

    /// Collects pairs as [`Csr::new`] does. `None` if the bounds do not allow the memory, or the time was over before the end.
    pub fn within(
        nodes: usize,
        pairs: impl Iterator<Item = (u32, u32)> + Clone,
        bounds: &Bounds,
    ) -> Option<Csr> {
        let mut done = 0usize;
        let mut goes_on = || {
            done += 1;
            !done.is_multiple_of(PAIRS_PER_CHECK) || !bounds.passed()
        };
        let mut counted = 0;
        let counted_pairs = pairs.clone().take_while(|_| goes_on()).inspect(|_| counted += 1);
        let mut start = vec![0u32; nodes + 1];
        for (node, _) in counted_pairs {
            start[node as usize + 1] += 1;
        }
        if bounds.passed() || !bounds.allows(size_of::<u32>() * (counted + nodes)) {
            return None;
        }
        for node in 0..nodes {
            start[node + 1] += start[node];
        }
        let mut next = start.clone();
        let mut items = vec![0; counted];
        for (node, item) in pairs.take_while(|_| goes_on()) {
            items[next[node as usize] as usize] = item;
            next[node as usize] += 1;
        }
        (!bounds.passed()).then_some(Csr { start, items })
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// The items of a node.
    pub fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.items[self.start[node] as usize..self.start[node + 1] as usize]
    }
}
