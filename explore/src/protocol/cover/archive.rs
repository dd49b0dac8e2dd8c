//! The states to which walks return.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;

use history::random::Rng;
use rustc_hash::{FxHashMap, FxHasher};
use simulate::stepper::{Change, Known, Move, PartStepper};

use super::table::Table;

/// The largest number of nodes.
const MOST_NODES: usize = 60_000;
/// The largest number of nodes that are remembered for a machine and a state.
const MOST_OF_STATE: usize = 48;
/// Stands for the state of a line that no transition has told.
const UNKNOWN: u16 = u16::MAX;

/// A state to which walks return, and how to come there.
struct Node {
    state: Box<[u32]>,
    /// The state of each line in each controller, as far as transitions have told it.
    lines: Box<[u16]>,
    /// The node before it, and the moves from there.
    from: u32,
    moves: Box<[Move]>,
    /// The number of moves from the first state.
    depth: u32,
    /// The number of walks that began here.
    walks: u32,
}

/// A point of a walk: a node, and the moves made since.
#[derive(Clone)]
pub(super) struct Place {
    node: u32,
    moves: Vec<Move>,
    /// The state of the system, as the numbers of its parts.
    pub state: Vec<u32>,
    lines: Vec<u16>,
    /// The number of moves from the first state.
    pub depth: usize,
}

impl Place {
    /// Adds a move that the walk has made.
    pub(super) fn step(&mut self, chosen: Move) {
        self.moves.push(chosen);
        self.depth += 1;
    }

    /// Notes the state of a line after the transition of the last move.
    pub(super) fn change(&mut self, change: Change, known: &Known) {
        if let Some(line) = change.line {
            let count = self.lines.len() / known.controllers().max(1);
            self.lines[change.controller * count + line] = change.after;
        }
    }
}

/// The states to which walks return.
pub(super) struct Archive {
    nodes: Vec<Node>,
    /// The machine of each controller.
    machines: Vec<usize>,
    /// How many nodes have the same states of lines.
    cells: FxHashMap<u64, u32>,
    /// For each machine and state, nodes in which a controller of the machine has a line in the state.
    at: BTreeMap<(usize, u16), Vec<u32>>,
}

impl Archive {
    /// An archive that has the first state of a system.
    pub(super) fn new(first: Vec<u32>, stepper: &PartStepper) -> Archive {
        let known = stepper.known();
        let lines = vec![UNKNOWN; known.controllers() * stepper.lines()];
        let node = Node {
            state: first.into(),
            lines: lines.into(),
            from: 0,
            moves: Box::default(),
            depth: 0,
            walks: 0,
        };
        Archive {
            nodes: vec![node],
            machines: stepper.machines(),
            cells: FxHashMap::default(),
            at: BTreeMap::new(),
        }
    }

    /// The place of a node, where a walk begins.
    pub(super) fn enter(&mut self, node: usize) -> Place {
        let of = &mut self.nodes[node];
        of.walks += 1;
        Place {
            node: node as u32,
            moves: Vec::new(),
            state: of.state.to_vec(),
            lines: of.lines.to_vec(),
            depth: of.depth as usize,
        }
    }

    /// Makes a node of a place if it is worth returning to: if a row was taken there for the first time, or if few nodes have lines in the
    /// same states.
    pub(super) fn keep(&mut self, place: &mut Place, is_new: bool) {
        let mut hasher = FxHasher::default();
        place.lines.iter().for_each(|&state| hasher.write_u16(state));
        let known = self.cells.entry(hasher.finish()).or_insert(0);
        if !is_new && *known > 0 || self.nodes.len() >= MOST_NODES {
            return;
        }
        *known += 1;
        let number = self.nodes.len() as u32;
        let count = place.lines.len() / self.machines.len().max(1);
        for (at, &state) in place.lines.iter().enumerate().filter(|(_, state)| **state != UNKNOWN) {
            let nodes = self.at.entry((self.machines[at / count.max(1)], state)).or_default();
            if nodes.len() < MOST_OF_STATE {
                nodes.push(number);
            } else {
                // Later nodes replace earlier ones at random, without a generator: which one does not matter.
                let at = number as usize % (2 * MOST_OF_STATE);
                nodes.get_mut(at).into_iter().for_each(|node| *node = number);
            }
        }
        self.nodes.push(Node {
            state: place.state.clone().into(),
            lines: place.lines.clone().into(),
            from: place.node,
            moves: std::mem::take(&mut place.moves).into(),
            depth: place.depth as u32,
            walks: 0,
        });
        place.node = number;
    }

    /// A node from which few walks have begun.
    pub(super) fn fresh(&self, rng: &mut Rng) -> usize {
        let drawn = (0..4).map(|_| rng.index(self.nodes.len()));
        drawn.min_by_key(|&node| (self.nodes[node].walks, usize::MAX - node)).unwrap_or(0)
    }

    /// A node in which a row is possible that no run has taken, by the state of a line.
    pub(super) fn open(&self, table: &Table, open: &BTreeSet<u32>, rng: &mut Rng) -> usize {
        for _ in 0..8 {
            let triple = open.iter().nth(rng.index(open.len()));
            let Some(row) = triple.and_then(|&triple| table.row(triple)) else { break };
            if let Some(node) = self.of((row.machine, row.state), rng) {
                return node;
            }
        }
        self.fresh(rng)
    }

    /// A node from which few rows lead to the state of a row.
    pub(super) fn near(&self, table: &Table, triple: u32, rng: &mut Rng) -> usize {
        let Some(row) = table.row(triple) else { return self.fresh(rng) };
        let mut states: Vec<(u32, u16)> = table
            .distances_to(row)
            .into_iter()
            .map(|(state, distance)| (distance, state))
            .collect();
        states.sort_unstable();
        let met = states.iter().filter(|(_, state)| self.at.contains_key(&(row.machine, *state)));
        for (_, state) in met {
            // Mostly the nearest one, sometimes another.
            if rng.percent(60)
                && let Some(node) = self.of((row.machine, *state), rng)
            {
                return node;
            }
        }
        self.fresh(rng)
    }

    /// A node in which a controller of a machine has a line in a state.
    fn of(&self, state: (usize, u16), rng: &mut Rng) -> Option<usize> {
        let nodes = self.at.get(&state)?;
        nodes.get(rng.index(nodes.len())).map(|&node| node as usize)
    }

    /// The moves from the first state to a place.
    pub(super) fn moves_to(&self, place: &Place) -> Vec<Move> {
        let mut parts = vec![&place.moves[..]];
        let mut node = place.node as usize;
        while node != 0 {
            parts.push(&self.nodes[node].moves);
            node = self.nodes[node].from as usize;
        }
        parts.into_iter().rev().flatten().copied().collect()
    }
}
