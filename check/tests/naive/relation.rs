//! [`Relation`]: a relation between at most 64 events.

/// Per event, the events that it is related to, as bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation(Vec<u64>);

impl Relation {
    /// The pairs of `0..events` for which `holds`.
    pub(crate) fn of(events: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
        assert!(events <= 64, "a naive checker is for small histories");
        let row = |from| {
            let related = (0..events).filter(|&to| holds(from, to));
            related.fold(0, |row, to| row | 1 << to)
        };
        Relation((0..events).map(row).collect())
    }

    pub(crate) fn empty(events: usize) -> Relation {
        Relation(vec![0; events])
    }

    pub(crate) fn add(&mut self, from: usize, to: usize) {
        self.0[from] |= 1 << to;
    }

    pub(crate) fn has(&self, from: usize, to: usize) -> bool {
        self.0[from] & 1 << to != 0
    }

    pub(crate) fn union(&self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    /// The pairs that a step of this relation and one of the other lead to.
    pub(crate) fn then(&self, other: &Relation) -> Relation {
        let reach = |row: u64| {
            let next = (0..other.0.len()).filter(|at| row & 1 << at != 0);
            next.fold(0, |all, at| all | other.0[at])
        };
        Relation(self.0.iter().map(|&row| reach(row)).collect())
    }

    /// The transitive closure.
    pub(crate) fn closure(&self) -> Relation {
        let mut closed = self.clone();
        for middle in 0..closed.0.len() {
            let onward = closed.0[middle];
            for row in &mut closed.0 {
                if *row & 1 << middle != 0 {
                    *row |= onward;
                }
            }
        }
        closed
    }

    pub(crate) fn is_acyclic(&self) -> bool {
        let mut left: u64 = (0..self.0.len()).fold(0, |all, at| all | 1 << at);
        loop {
            // An event that nothing left follows is on no cycle.
            let ends = |at: &usize| left & 1 << at != 0 && self.0[*at] & left == 0;
            let last = (0..self.0.len()).filter(ends).fold(0, |all, at| all | 1 << at);
            if last == 0 {
                return left == 0;
            }
            left &= !last;
        }
    }
}
