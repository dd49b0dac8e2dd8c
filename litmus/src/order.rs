//! Orders between the events of an execution, as sets of bits.

/// Largest number of events of an order, which is the number of bits of a set of events.
pub(crate) const MOST_EVENTS: usize = 64;

/// A relation between events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    /// Per event, the events that it is related to, as bits.
    after: Vec<u64>,
}

impl Relation {
    /// The empty relation between `events` events.
    pub(crate) fn empty(events: usize) -> Relation {
        Relation { after: vec![0; events] }
    }

    /// Relates an event to another.
    pub(crate) fn add(&mut self, first: usize, second: usize) {
        self.after[first] |= 1 << second;
    }

    /// The related pairs.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let rows = self.after.iter().enumerate();
        rows.flat_map(|(first, after)| bits(*after).map(move |second| (first, second)))
    }
}

/// The events of a set of bits, in ascending order.
pub(crate) fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(lowest)
    })
}

/// A strict partial order that grows pair by pair and is kept transitively closed.
///
/// Adding a pair takes time linear in the number of events.
#[derive(Clone, Debug)]
pub(crate) struct PartialOrder {
    /// Per event, all events after it.
    after: Vec<u64>,
}

impl PartialOrder {
    pub(crate) fn new(events: usize) -> PartialOrder {
        PartialOrder { after: vec![0; events] }
    }

    /// Whether `first` precedes `second`.
    pub(crate) fn precedes(&self, first: usize, second: usize) -> bool {
        self.after[first] & (1 << second) != 0
    }

    /// Orders `first` before `second`; returns false if that would make a cycle.
    #[must_use]
    pub(crate) fn add(&mut self, first: usize, second: usize) -> bool {
        if first == second || self.precedes(second, first) {
            return false;
        }
        if self.precedes(first, second) {
            return true;
        }
        let behind = self.after[second] | 1 << second;
        for (event, after) in self.after.iter_mut().enumerate() {
            if event == first || *after & (1 << first) != 0 {
                *after |= behind;
            }
        }
        true
    }

    /// Appends the order to `saved`, from where [`PartialOrder::restore`] takes it.
    pub(crate) fn save(&self, saved: &mut Vec<u64>) {
        saved.extend_from_slice(&self.after);
    }

    /// Takes the order that was saved last off `saved`.
    pub(crate) fn restore(&mut self, saved: &mut Vec<u64>) {
        let start = saved.len() - self.after.len();
        self.after.copy_from_slice(&saved[start..]);
        saved.truncate(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_transitive_and_has_no_cycle() {
        let mut order = PartialOrder::new(4);
        assert!(order.add(0, 1) && order.add(2, 3));
        let mut saved = Vec::new();
        order.save(&mut saved);
        assert!(order.add(1, 2));
        assert!(order.precedes(0, 3));
        assert!(!order.add(3, 0) && !order.add(1, 1));
        order.restore(&mut saved);
        assert!(!order.precedes(0, 3) && order.add(3, 0));
        assert!(saved.is_empty());
    }
}
