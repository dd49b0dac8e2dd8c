//! The moves of many states at a time, by threads that look up only.
//!
//! A worker makes the moves of a state and looks up the states after them, in what was known before the batch. What it does
//! not find, it passes on as a [`Lead`]: a state that seems new, a finding, a warning, or a move whose effect has to be learnt
//! first. The search follows the leads one after another, in the order of states and moves, so that what it finds does not
//! depend on the number of workers.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use simulate::stepper::{Known, Move};

use super::super::Finding;
use super::super::states::{Lookup, States, Unpacked};
use super::{finding, is_spontaneous};

/// The number of states that a worker takes at a time.
const STATES_AT_A_TIME: usize = 128;

/// Something that the search has to look at.
#[derive(Debug)]
pub enum Lead {
    /// A state that was not known before the batch, with its place in [`Explored::packed`].
    New { at: Range<usize>, is_settled: bool, is_spontaneous: bool },
    /// A finding.
    Finding(Finding, bool),
    /// A move whose report has warnings.
    Warns(Move, u32),
    /// A move that is not known.
    Unknown(Move),
}

/// What a worker found about a state.
#[derive(Clone, Copy, Debug)]
pub struct OfState {
    /// The number of its moves.
    pub moves: usize,
    /// Whether no spontaneous move leads to another state, of the moves that are known.
    pub is_dead: bool,
    /// The end of its leads.
    pub leads: usize,
}

/// What a worker found about some states that follow each other.
#[derive(Debug, Default)]
pub struct Explored {
    /// The number of the first state in its batch.
    first: usize,
    pub states: Vec<OfState>,
    pub leads: Vec<Lead>,
    pub packed: Vec<u32>,
}

/// What workers look things up in.
#[derive(Clone, Copy)]
pub struct Knowledge<'s> {
    pub known: &'s Known,
    pub states: &'s States,
    /// Whether the warnings of each report have been noted.
    pub noted: &'s [bool],
}

/// The states of a batch.
#[derive(Clone, Copy)]
pub enum Batch<'b> {
    /// States with consecutive numbers, the first and how many.
    Stored(usize, usize),
    /// The parts of states with consecutive numbers, of which the first is given.
    Given(usize, &'b [u32]),
}

impl Batch<'_> {
    fn len(&self, width: usize) -> usize {
        match self {
            Batch::Stored(_, count) => *count,
            Batch::Given(_, parts) => parts.len() / width,
        }
    }

    /// The number of the first state.
    fn first(&self) -> usize {
        let (Batch::Stored(first, _) | Batch::Given(first, _)) = *self;
        first
    }

    /// Unpacks a state of the batch.
    ///
    /// # Panics
    /// Panics if it is a finding.
    pub fn unpack(&self, state: usize, width: usize, states: &States, into: &mut Unpacked) {
        match self {
            Batch::Stored(..) => states.unpack(state, into),
            Batch::Given(first, parts) => into.set_parts(&parts[(state - first) * width..][..width]),
        }
    }
}

/// What a thread needs to explore states.
#[derive(Debug, Default)]
pub struct Worker {
    before: Unpacked,
    after: Vec<u32>,
    least: Vec<u32>,
    moves: Vec<Move>,
    lookup: Lookup,
}

impl Worker {
    /// Explores the moves of a state.
    fn explore(
        &mut self,
        knowledge: Knowledge<'_>,
        batch: Batch<'_>,
        state: usize,
        out: &mut Explored,
    ) {
        let mut of = OfState { moves: 0, is_dead: true, leads: 0 };
        if knowledge.states.finding(state).is_none() {
            let width = knowledge.known.width();
            batch.unpack(state, width, knowledge.states, &mut self.before);
            let moves = std::mem::take(&mut self.moves);
            self.explore_moves(knowledge, state, moves, &mut of, out);
        }
        of.leads = out.leads.len();
        out.states.push(of);
    }

    fn explore_moves(
        &mut self,
        knowledge: Knowledge<'_>,
        state: usize,
        mut moves: Vec<Move>,
        of: &mut OfState,
        out: &mut Explored,
    ) {
        knowledge.known.moves(self.before.parts(), &mut moves);
        of.moves = moves.len();
        for &chosen in &moves {
            let is_spontaneous = is_spontaneous(chosen);
            match self.successor(knowledge, chosen, is_spontaneous, out) {
                Some(to) => of.is_dead &= !is_spontaneous || to == Some(state as u32),
                None => out.leads.push(Lead::Unknown(chosen)),
            }
        }
        self.moves = moves;
    }

    /// The number of the state after a move, which if it is not known becomes a lead. Nothing if the move is not known.
    #[inline]
    fn successor(
        &mut self,
        knowledge: Knowledge<'_>,
        chosen: Move,
        is_spontaneous: bool,
        out: &mut Explored,
    ) -> Option<Option<u32>> {
        let Knowledge { known, states, noted } = knowledge;
        let Worker { before, after, least, lookup, .. } = self;
        after.resize(known.width(), 0);
        least.resize(known.width(), 0);
        let taken = known.take(before.parts(), chosen, after).ok()?;
        let to = match taken.problem {
            None => {
                known.represent(after, least).ok()?;
                let start = out.packed.len();
                let to = states.find(least, before, lookup, &mut out.packed);
                if to.is_none() {
                    let is_settled = !known.is_busy(least);
                    let at = start..out.packed.len();
                    out.leads.push(Lead::New { at, is_settled, is_spontaneous });
                }
                to
            }
            Some(problem) => {
                out.leads.push(Lead::Finding(finding(problem), is_spontaneous));
                None
            }
        };
        let is_noted = noted.get(taken.report as usize).copied().unwrap_or(false);
        if !is_noted && !known.warnings(taken.report).is_empty() {
            out.leads.push(Lead::Warns(chosen, taken.report));
        }
        Some(to)
    }
}

/// Explores the states of a batch, and returns what was found in the order of the states.
pub fn explore(
    workers: &mut [Worker],
    knowledge: Knowledge<'_>,
    batch: Batch<'_>,
) -> Vec<Explored> {
    let len = batch.len(knowledge.known.width());
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = |worker: &mut Worker| {
        loop {
            let first = next.fetch_add(STATES_AT_A_TIME, Ordering::Relaxed);
            if first >= len {
                return;
            }
            let mut explored = Explored { first, ..Explored::default() };
            for at in first..len.min(first + STATES_AT_A_TIME) {
                worker.explore(knowledge, batch, batch.first() + at, &mut explored);
            }
            // No worker panics while it holds this.
            all.lock().expect("no worker failed").push(explored);
        }
    };
    match workers {
        // A thread for so little would take longer.
        [first, ..] if len <= 2 * STATES_AT_A_TIME => work(first),
        [alone] => work(alone),
        _ => std::thread::scope(|scope| {
            workers.iter_mut().for_each(|worker| {
                scope.spawn(|| work(worker));
            });
        }),
    }
    let mut all = all.into_inner().expect("no worker failed");
    all.sort_by_key(|explored| explored.first);
    all
}
