//! [`Puzzle`]: the competing writes of a hard history, and the combinations of their orders that are excluded.

use super::{Family, Figure};

/// The order of two writes of one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WriteOrder {
    /// Number of the location.
    pub place: u32,
    /// The write that comes first, by its number among those of the location.
    pub first: u32,
    /// The write that comes second.
    pub second: u32,
}

/// The kind of a block, by how it excludes its orders; see the documentation of the parent module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Ring,
    Announced,
    Observed,
}

/// Orders of writes that cannot all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub style: Style,
    /// The orders: at least two, which may be equal.
    pub orders: Vec<WriteOrder>,
}

impl Block {
    fn new(style: Style, mut orders: Vec<WriteOrder>) -> Block {
        // A block needs two orders: with one, the thread that reads a value would be the one that overwrites it.
        if let [order] = orders[..] {
            orders.push(order);
        }
        Block { style, orders }
    }
}

/// An order of the two competing writes of a location: write 0 first, or write 1 first if `turned`.
fn pair(place: u32, turned: bool) -> WriteOrder {
    let first = u32::from(turned);
    WriteOrder { place, first, second: 1 - first }
}

/// The competing writes of each location, and the blocks that exclude combinations of their orders.
#[derive(Debug, Default)]
pub(super) struct Puzzle {
    /// Per location, the number of competing writes.
    pub writes: Vec<u32>,
    pub blocks: Vec<Block>,
}

impl Puzzle {
    /// Creates the puzzle of a family and size.
    pub(super) fn new(family: Family, size: u32) -> Puzzle {
        let Family { figure, violation } = family;
        match figure {
            Figure::Ring => ring(size, violation),
            Figure::Pairs => pairs(size, violation),
            Figure::Chain => chain(Style::Ring, size, violation),
            Figure::Pigeons => pigeons(size, violation),
            Figure::Hpca2a => chain(Style::Announced, size, violation),
            Figure::Hpca2b => chain(Style::Observed, size, violation),
            Figure::Hpca2c => row(size, violation),
        }
    }

    /// An upper bound on the number of operations of the puzzle's history, without fences.
    pub(super) fn operations(&self) -> u64 {
        let competing: u64 = self.writes.iter().map(|&writes| u64::from(writes)).sum();
        let circles: usize = self.blocks.iter().map(|block| block.orders.len()).sum();
        competing + 5 * circles as u64
    }

    fn pairs(count: u32) -> Puzzle {
        Puzzle { writes: vec![2; count as usize], blocks: Vec::new() }
    }

    fn exclude(&mut self, style: Style, orders: impl IntoIterator<Item = WriteOrder>) {
        let orders = orders.into_iter().collect();
        self.blocks.push(Block::new(style, orders));
    }
}

fn ring(size: u32, violation: bool) -> Puzzle {
    let mut puzzle = Puzzle::pairs(1);
    for turned in [false, true] {
        if !turned || violation {
            puzzle.exclude(Style::Ring, (0..size).map(|_| pair(0, turned)));
        }
    }
    puzzle
}

fn pairs(size: u32, violation: bool) -> Puzzle {
    let mut puzzle = Puzzle::pairs(size);
    for choice in u32::from(!violation)..1 << size {
        let orders = (0..size).map(|place| pair(place, choice >> place & 1 == 1));
        puzzle.exclude(Style::Ring, orders);
    }
    puzzle
}

/// [`Figure::Chain`]: the first pair cannot be turned, and if a pair is not turned, neither can the next one be.
fn chain(style: Style, size: u32, violation: bool) -> Puzzle {
    let mut puzzle = Puzzle::pairs(size);
    puzzle.exclude(style, [pair(0, true)]);
    for place in 1..size {
        puzzle.exclude(style, [pair(place - 1, false), pair(place, true)]);
    }
    if violation {
        puzzle.exclude(style, [pair(size - 1, false)]);
    }
    puzzle
}

/// [`Figure::Pigeons`]: the pair of a pigeon and a hole is turned if the pigeon is not in the hole.
fn pigeons(holes: u32, violation: bool) -> Puzzle {
    let pigeons = holes + u32::from(violation);
    let place = |pigeon, hole| pigeon * holes + hole;
    let mut puzzle = Puzzle::pairs(pigeons * holes);
    for pigeon in 0..pigeons {
        let nowhere = (0..holes).map(|hole| pair(place(pigeon, hole), true));
        puzzle.exclude(Style::Ring, nowhere);
    }
    for hole in 0..holes {
        for one in 0..pigeons {
            for other in 0..one {
                let together = [one, other].map(|pigeon| pair(place(pigeon, hole), false));
                puzzle.exclude(Style::Ring, together);
            }
        }
    }
    puzzle
}

/// [`Figure::Hpca2c`]: no inner write of a row, or no write of a ring, comes before both of its neighbours.
fn row(size: u32, violation: bool) -> Puzzle {
    let writes = size + 2;
    let mut puzzle = Puzzle { writes: vec![writes], blocks: Vec::new() };
    let inner = if violation { 0..writes } else { 1..writes - 1 };
    for first in inner {
        let neighbours = [(first + writes - 1) % writes, (first + 1) % writes];
        let orders = neighbours.map(|second| WriteOrder { place: 0, first, second });
        puzzle.exclude(Style::Observed, orders);
    }
    puzzle
}
