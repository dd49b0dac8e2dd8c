//! Reverse-time vector clocks (HPCA 2006, section 4.1): of each operation, its first successor in
//! each chain.

/// Positions of first successors, a row an operation; `u32::MAX` where there is none. Memory: 4 bytes
/// an operation and chain, and 12 for each entry that can be restored.
#[derive(Debug)]
pub struct Clocks {
    width: usize,
    entries: Vec<u32>,
    trail: Vec<Overwritten>,
    logging: bool,
}

#[derive(Clone, Copy, Debug)]
struct Overwritten {
    node: u32,
    chain: u32,
    value: u32,
}

impl Clocks {
    /// Bytes that clocks take.
    pub fn bytes(nodes: usize, chains: usize) -> usize {
        nodes.saturating_mul(chains).saturating_mul(4)
    }

    /// Nothing has a successor.
    pub fn new(nodes: usize, chains: usize) -> Clocks {
        Clocks {
            width: chains,
            entries: vec![u32::MAX; nodes * chains],
            trail: Vec::new(),
            logging: false,
        }
    }

    /// The first successors of an operation.
    pub fn of(&self, node: u32) -> &[u32] {
        let start = node as usize * self.width;
        &self.entries[start..start + self.width]
    }

    /// The position of an operation's first successor in a chain.
    pub fn first(&self, node: u32, chain: u32) -> u32 {
        self.entries[node as usize * self.width + chain as usize]
    }

    /// What follows `later`, and itself, follows `node` too; `place` is its chain and position.
    /// Says whether that is news.
    pub fn join(&mut self, node: u32, later: u32, place: (u32, u32)) -> bool {
        let mut news = self.lower(node, place.0, place.1);
        let (row, from) = self.two_rows(node, later);
        if row.iter().zip(from).fold(false, |any, (a, b)| any | (b < a)) {
            news = true;
            self.take_over(node, later);
        }
        news
    }

    fn take_over(&mut self, node: u32, later: u32) {
        if self.logging {
            let (start, from) = (node as usize * self.width, later as usize * self.width);
            for chain in 0..self.width {
                let value = self.entries[start + chain];
                if self.entries[from + chain] < value {
                    let chain = chain as u32;
                    self.trail.push(Overwritten { node, chain, value });
                }
            }
        }
        let (row, from) = self.two_rows(node, later);
        for (have, news) in row.iter_mut().zip(from) {
            *have = (*have).min(*news);
        }
    }

    /// The row of `node`, to be changed, and that of another operation.
    fn two_rows(&mut self, node: u32, other: u32) -> (&mut [u32], &[u32]) {
        let width = self.width;
        let (node, other) = (node as usize * width, other as usize * width);
        if node < other {
            let (low, high) = self.entries.split_at_mut(other);
            (&mut low[node..node + width], &high[..width])
        } else {
            let (low, high) = self.entries.split_at_mut(node);
            (&mut high[..width], &low[other..other + width])
        }
    }

    fn lower(&mut self, node: u32, chain: u32, position: u32) -> bool {
        let entry = &mut self.entries[node as usize * self.width + chain as usize];
        let value = *entry;
        if value <= position {
            return false;
        }
        *entry = position;
        if self.logging {
            self.trail.push(Overwritten { node, chain, value });
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
        for old in self.trail.drain(changes..).rev() {
            self.entries[old.node as usize * self.width + old.chain as usize] = old.value;
        }
    }
}
