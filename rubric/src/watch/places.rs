//! [`Places`]: the numbers by which messages name operations, which are their positions among the operations of their
//! thread, as in `rubric check`.
//!
//! Ruby numbers the requests of all threads together, so the numbers of one thread have gaps, and the position of an
//! operation is known only when all operations before it have arrived.

use std::collections::{BTreeMap, BTreeSet};

/// The operations of a thread that have arrived.
#[derive(Default)]
pub(super) struct Places {
    /// Number before which all operations have arrived or never will.
    all: u32,
    /// The numbers that have arrived and are not before `all`.
    more: BTreeSet<u32>,
    /// Number of operations before `all` that have arrived.
    count: u32,
    /// Positions of the operations before `all` whose positions differ from their numbers.
    places: BTreeMap<u32, u32>,
}

impl Places {
    /// The number before which all operations have arrived or never will.
    pub(super) fn all(&self) -> u32 {
        self.all
    }

    /// Notes that an operation has arrived.
    pub(super) fn note(&mut self, number: u32) {
        if number == self.all && self.more.is_empty() {
            self.place(number);
            self.all += 1;
            return;
        }
        self.more.insert(number);
        while self.more.remove(&self.all) {
            self.place(self.all);
            self.all += 1;
        }
    }

    /// Notes that no other number before this one will arrive.
    pub(super) fn settle(&mut self, number: u32) {
        if number <= self.all {
            return;
        }
        let later = self.more.split_off(&number);
        for known in std::mem::replace(&mut self.more, later) {
            self.place(known);
        }
        self.all = number;
    }

    fn place(&mut self, number: u32) {
        if number != self.count {
            self.places.insert(number, self.count);
        }
        self.count += 1;
    }

    /// Returns the position of an operation among those of its thread.
    pub(super) fn of(&self, number: u32) -> u32 {
        if number < self.all {
            self.places.get(&number).copied().unwrap_or(number)
        } else {
            self.count + self.more.range(..number).count() as u32
        }
    }

    /// Number of positions that are remembered.
    pub(super) fn remembered(&self) -> usize {
        self.places.len()
    }

    /// Forgets the positions of operations before this number.
    pub(super) fn forget(&mut self, before: u32) {
        self.places = self.places.split_off(&before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_do_not_have_the_gaps_of_numbers() {
        let mut places = Places::default();
        for number in [0, 1, 7, 4, 9] {
            places.note(number);
        }
        assert_eq!([0, 1, 4, 7, 9].map(|it| places.of(it)), [0, 1, 2, 3, 4]);
        assert_eq!(places.all(), 2);
        // Number 3 was another thread's.
        places.settle(8);
        places.note(12);
        assert_eq!([1, 4, 7, 9, 12].map(|it| places.of(it)), [1, 2, 3, 4, 5]);
        places.forget(7);
        assert_eq!((places.of(7), places.of(12), places.remembered()), (3, 5, 1));
    }
}
