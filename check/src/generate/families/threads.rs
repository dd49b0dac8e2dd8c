//! [`Threads`] turns puzzles into the threads of a history.

use history::random::Rng;
use history::{
    Access, AssumedSize, BuildError, History, HistoryBuilder, Initial, Kind, Place, Provenance,
};

use super::puzzle::{Block, Puzzle, Style, WriteOrder};
use memory::{Buffering, Model};

/// A value of a location: that of the write of this number, from 0.
#[derive(Clone, Copy, Debug)]
struct Value {
    location: usize,
    number: u32,
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Store(Value),
    Load(Value),
}

/// The operations of each thread, before anything is numbered at random.
#[derive(Debug, Default)]
pub(super) struct Threads {
    threads: Vec<Vec<Op>>,
    /// Per location, the number of its writes.
    writes: Vec<u32>,
}

impl Threads {
    /// Adds a puzzle, with its own threads and locations.
    pub(super) fn add(&mut self, puzzle: &Puzzle) {
        let places = self.writes.len();
        self.writes.extend(&puzzle.writes);
        // Per location and competing write, the operations that the write's thread performs before it.
        let mut before: Vec<Vec<Vec<Op>>> =
            puzzle.writes.iter().map(|&writes| vec![Vec::new(); writes as usize]).collect();
        for block in &puzzle.blocks {
            self.block(places, block, &mut before);
        }
        for (place, before) in before.into_iter().enumerate() {
            for (number, mut thread) in before.into_iter().enumerate() {
                thread.push(Op::Store(Value { location: places + place, number: number as u32 }));
                self.threads.push(thread);
            }
        }
    }

    fn block(&mut self, places: usize, block: &Block, before: &mut [Vec<Vec<Op>>]) {
        let count = block.orders.len();
        let next = |at: usize| (at + 1) % count;
        let first = |order: WriteOrder| Value {
            location: places + order.place as usize,
            number: order.first,
        };
        let second = |order: WriteOrder| Value { number: order.second, ..first(order) };
        let mut before =
            |order: WriteOrder, op| before[order.place as usize][order.first as usize].push(op);
        if block.style == Style::Ring {
            let circle: Vec<usize> = (0..count).map(|_| self.location(2)).collect();
            let value = |at: usize, number| Value { location: circle[at], number };
            for (at, &order) in block.orders.iter().enumerate() {
                before(order, Op::Store(value(at, 0)));
                self.threads.push(vec![
                    Op::Load(second(order)),
                    Op::Store(value(at, 1)),
                    Op::Load(value(next(at), 0)),
                ]);
            }
            return;
        }
        let location = self.location(count as u32);
        let value = |at: usize| Value { location, number: at as u32 };
        for (at, &order) in block.orders.iter().enumerate() {
            let store = Op::Store(value(next(at)));
            if block.style == Style::Announced {
                let flag = Value { location: self.location(1), number: 0 };
                self.threads.push(vec![store, Op::Store(flag)]);
                before(order, Op::Load(flag));
            } else {
                self.threads.push(vec![store, Op::Load(first(order))]);
            }
            let thread = vec![Op::Load(second(order)), Op::Load(value(at))];
            self.threads.push(thread);
        }
    }

    /// Adds a location with this number of writes.
    fn location(&mut self, writes: u32) -> usize {
        self.writes.push(writes);
        self.writes.len() - 1
    }

    /// Builds the history. Numbers threads, locations and values at random, and adds fences where the model
    /// does not preserve a thread's order.
    pub(super) fn history(mut self, model: Model, rng: &mut Rng) -> Result<History, BuildError> {
        rng.shuffle(&mut self.threads);
        let mut names: Vec<u64> = (0..self.writes.len() as u64).collect();
        rng.shuffle(&mut names);
        let values: Vec<Vec<u64>> = self
            .writes
            .iter()
            .map(|&writes| {
                let mut values: Vec<u64> = (1..=u64::from(writes)).collect();
                rng.shuffle(&mut values);
                values
            })
            .collect();
        let mut builder = HistoryBuilder::new();
        for (thread, ops) in self.threads.iter().enumerate() {
            let mut is_fence_due = Fences::new(model);
            for &op in ops {
                if is_fence_due.before(op) {
                    builder.push(Access::new(thread as u32, Kind::Fence, Place::Nowhere));
                }
                let (Op::Store(value) | Op::Load(value)) = op;
                let place = Place::Cell(names[value.location]);
                let number = Some(values[value.location][value.number as usize]);
                builder.push(match op {
                    Op::Store(_) => {
                        Access { written: number, ..Access::new(thread as u32, Kind::Store, place) }
                    }
                    Op::Load(_) => {
                        Access { read: number, ..Access::new(thread as u32, Kind::Load, place) }
                    }
                });
            }
        }
        builder.finish(AssumedSize::default(), &Initial::Zero, Provenance::made())
    }
}

/// Finds the points at which a thread needs fences.
struct Fences {
    model: Model,
    /// Whether an earlier operation since the last fence may be overtaken by the next one: a store, or under a
    /// weak model any operation.
    pending: bool,
}

impl Fences {
    fn new(model: Model) -> Fences {
        Fences { model, pending: false }
    }

    /// Whether a fence must come before the thread's next operation.
    fn before(&mut self, op: Op) -> bool {
        let is_store = matches!(op, Op::Store(_));
        let due = self.pending
            && match self.model.buffering() {
                Buffering::None => false,
                Buffering::InOrder => !is_store,
                Buffering::PerLocation | Buffering::Weak => true,
            };
        self.pending = is_store || self.model.is_weak() || (self.pending && !due);
        due
    }
}
