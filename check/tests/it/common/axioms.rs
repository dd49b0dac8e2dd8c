//! [`Axioms`]: decides the axiomatic definitions of CAV 2019, section 2, by trying every store order of a small
//! history. Names are those of the paper: `ww` is the store order, and `rw` is from-reads.

use check::Model;
use history::{Ambiguity, History, OpId, ReadSource, ReadsFrom};

/// A relation over operations: per operation, a bit mask of its successors.
#[derive(Clone)]
struct Relation(Vec<u64>);

impl Relation {
    fn new(size: usize) -> Relation {
        Relation(vec![0; size])
    }

    fn add(&mut self, from: OpId, to: OpId) {
        self.0[from.at()] |= 1 << to.0;
    }

    fn union(&self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    fn closure(mut self) -> Relation {
        for via in 0..self.0.len() {
            for from in 0..self.0.len() {
                if self.0[from] >> via & 1 == 1 {
                    self.0[from] |= self.0[via];
                }
            }
        }
        self
    }

    fn is_acyclic(&self) -> bool {
        let closure = self.clone().closure();
        (0..closure.0.len()).all(|op| closure.0[op] >> op & 1 == 0)
    }
}

/// The axioms of a model for a history, as far as they do not depend on the store order.
pub(crate) struct Axioms<'h> {
    history: &'h History,
    reads_from: ReadsFrom,
    /// The relations that must be acyclic together with external rf, ww and rw.
    bases: Vec<Relation>,
}

impl<'h> Axioms<'h> {
    pub(crate) fn new(history: &'h History, model: Model) -> Axioms<'h> {
        let size = history.len();
        let (mut ppo, mut po_loc) = (Relation::new(size), Relation::new(size));
        for thread in 0..history.threads().len() {
            for first in history.thread_ops(thread) {
                for second in history.thread_ops(thread).filter(|&second| second > first) {
                    if model.preserves_ops(history, first, second) {
                        ppo.add(first, second);
                    }
                    if history.location(first).is_some()
                        && history.location(first) == history.location(second)
                    {
                        po_loc.add(first, second);
                    }
                }
            }
        }
        let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
        let mut rfe = Relation::new(size);
        for op in history.ops() {
            if let Some(ReadSource::Write(write)) = reads_from.source(op)
                && history.thread_of(write) != history.thread_of(op)
            {
                rfe.add(write, op);
            }
        }
        let bases = vec![ppo.closure().union(&rfe), po_loc.union(&rfe)];
        Axioms { history, reads_from, bases }
    }

    fn writes(&self, location: u32) -> Vec<OpId> {
        self.history
            .ops()
            .filter(|&op| self.history.kind(op).writes())
            .filter(|&op| self.history.location(op) == Some(location))
            .collect()
    }

    /// Whether some store order satisfies the axioms, where `ww` already orders the locations below
    /// `location`.
    pub(crate) fn satisfiable(&self, location: u32, ww: &mut Vec<Vec<OpId>>) -> bool {
        if location as usize == self.history.locations().len() {
            return self.holds(ww);
        }
        let mut writes = self.writes(location);
        permutations(&mut writes, 0, &mut |order| {
            ww.push(order.to_vec());
            let found = self.satisfiable(location + 1, ww);
            ww.pop();
            found
        })
    }

    fn holds(&self, ww: &[Vec<OpId>]) -> bool {
        let last_ones_are_final = self.history.finals().iter().all(|last| {
            let write = ww[last.location as usize].last();
            let value = match write {
                Some(&write) => self.history.written(write),
                None => self.history.initial(last.location),
            };
            value == Some(last.value)
        });
        let mut order = Relation::new(self.history.len());
        for writes in ww {
            for (at, &first) in writes.iter().enumerate() {
                for &second in &writes[at + 1..] {
                    order.add(first, second);
                }
            }
        }
        for read in self.history.ops() {
            let Some(source) = self.reads_from.source(read) else {
                continue;
            };
            let location = self.history.location(read).unwrap() as usize;
            let after = match source {
                ReadSource::Initial => 0,
                ReadSource::Write(source) => {
                    1 + ww[location].iter().position(|&w| w == source).unwrap()
                }
                _ => return false,
            };
            for &write in ww[location][after..].iter().filter(|&&write| write != read) {
                order.add(read, write);
            }
        }
        last_ones_are_final
            && self.own_sources_are_earlier()
            && self.bases.iter().all(|base| base.union(&order).is_acyclic())
    }

    /// Whether no read returns a later write of its own thread, as the axioms demand of internal reads-from.
    fn own_sources_are_earlier(&self) -> bool {
        self.history.ops().all(|read| match self.reads_from.source(read) {
            Some(ReadSource::Write(write)) => {
                self.history.thread_of(write) != self.history.thread_of(read) || write < read
            }
            _ => true,
        })
    }
}

fn permutations(items: &mut Vec<OpId>, at: usize, found: &mut dyn FnMut(&[OpId]) -> bool) -> bool {
    if at == items.len() {
        return found(items);
    }
    (at..items.len()).any(|other| {
        items.swap(at, other);
        let any = permutations(items, at + 1, found);
        items.swap(at, other);
        any
    })
}
