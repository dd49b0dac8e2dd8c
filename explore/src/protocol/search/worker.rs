//! Makes the moves of many states at a time, on threads that look things up and change nothing.
//!
//! A [`Worker`] makes the moves of a state and looks up the states after them, among those that were known before the batch. It passes on a
//! [`Lead`] for everything else: a state that seems new, a finding, a warning, or a move whose effect has to be learnt first. The search
//! follows the leads one after another, in the order of states and moves, so that what it finds does not depend on the number of workers.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use simulate::stepper::{Known, Move};

use super::super::Finding;
use super::super::states::{States, Unpacked};
use super::{finding, is_spontaneous};

/// The number of states that a worker takes at a time.
const STATES_AT_A_TIME: usize = 128;

/// A result that the search has to process.
#[derive(Debug)]
pub(super) enum Lead {
    /// A state that was not known before the batch, with its place in [`Explored::packed`].
    New { at: Range<usize>, is_settled: bool, is_spontaneous: bool },
    /// A finding, and whether the move to it is spontaneous.
    Finding(Finding, bool),
    /// A move with warnings, and the number of its report.
    Warns(Move, u32),
    /// A move whose effect has to be learnt.
    Unknown(Move),
}

/// The results of a worker for a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfState {
    /// The number of its moves.
    pub moves: usize,
    /// Another known state to which a spontaneous move leads.
    pub next: Option<u32>,
    /// The end of its leads in [`Explored::leads`].
    pub leads: usize,
}

/// The results of a worker for some consecutive states.
#[derive(Debug, Default)]
pub(super) struct Explored {
    /// The number of the first state in its batch.
    first: usize,
    pub states: Vec<OfState>,
    pub leads: Vec<Lead>,
    pub packed: Vec<u32>,
    /// The states that were taken for known ones, for [`States::claim`].
    pub claims: Vec<u32>,
}

/// The data in which workers look things up.
#[derive(Clone, Copy)]
pub(super) struct Knowledge<'s> {
    pub known: &'s Known,
    pub states: &'s States,
    /// For each report of a move, whether its warnings have been noted.
    pub noted: &'s [bool],
    /// Whether memory performs requests at once.
    pub serves: bool,
}

impl Knowledge<'_> {
    /// Lets memory perform the requests that wait in a state, if it does so at once. Returns false if the effect of one of these moves is
    /// not known.
    fn serve(&self, state: &mut Vec<u32>, spare: &mut Vec<u32>) -> bool {
        loop {
            match self.serves.then(|| self.known.serve(state, spare)) {
                None | Some(Ok(None)) => return true,
                Some(Ok(Some(_))) => {}
                Some(Err(_)) => return false,
            }
        }
    }
}

/// The states of a batch.
#[derive(Clone, Copy)]
pub(super) enum Batch<'b> {
    /// Consecutive states that are in memory: the number of the first, and how many.
    Stored(usize, usize),
    /// Consecutive states that are not in memory: the number of the first, the count of numbers for each state, and these numbers, which
    /// are the state's parts and, if known, its groups.
    Given(usize, usize, &'b [u32]),
}

impl Batch<'_> {
    fn len(&self) -> usize {
        match self {
            Batch::Stored(_, count) => *count,
            Batch::Given(_, stride, numbers) => numbers.len() / stride,
        }
    }

    /// The number of the first state.
    fn first(&self) -> usize {
        let (Batch::Stored(first, _) | Batch::Given(first, ..)) = *self;
        first
    }

    /// Unpacks a state of the batch.
    ///
    /// # Panics
    /// Panics if it is a finding.
    pub(super) fn unpack(&self, state: usize, width: usize, states: &States, into: &mut Unpacked) {
        match self {
            Batch::Stored(..) => states.unpack(state, into),
            Batch::Given(first, stride, numbers) => {
                into.set(&numbers[(state - first) * stride..][..*stride], width);
            }
        }
    }
}

/// The number of states whose successors are looked up together.
const STATES_TOGETHER: usize = 16;

/// The result of a move.
#[derive(Debug)]
enum Led {
    /// A state with this key, packed at a place in [`Worker::packed`].
    State(Option<u64>, Range<usize>),
    Finding(Finding),
    /// The effect of the move is not known.
    Nowhere,
}

/// A move that was made.
#[derive(Debug)]
struct Made {
    chosen: Move,
    led: Led,
    report: u32,
}

/// The buffers of a thread that explores states.
#[derive(Debug, Default)]
pub(super) struct Worker {
    before: Unpacked,
    after: Vec<u32>,
    least: Vec<u32>,
    moves: Vec<Move>,
    /// The moves of the states that are explored together.
    made: Vec<Made>,
    /// The packed states after these moves.
    packed: Vec<u32>,
    /// The numbers of the states that are explored together, each with the end of its moves in `made`.
    ends: Vec<(usize, usize)>,
    seen: Vec<u32>,
}

impl Worker {
    /// Explores the moves of some states.
    fn explore(
        &mut self,
        knowledge: Knowledge<'_>,
        batch: Batch<'_>,
        states: Range<usize>,
        out: &mut Explored,
    ) {
        self.made.clear();
        self.packed.clear();
        self.ends.clear();
        for state in states {
            if knowledge.states.finding(state).is_none() {
                self.make_moves(knowledge, batch, state);
            }
            self.ends.push((state, self.made.len()));
        }
        let keys = self.made.iter().filter_map(|made| match made.led {
            Led::State(key, _) => key,
            Led::Finding(_) | Led::Nowhere => None,
        });
        knowledge.states.prepare(keys, &mut self.seen);
        let mut done = 0;
        for (state, end) in std::mem::take(&mut self.ends) {
            let mut of = OfState { moves: end - done, next: None, leads: 0 };
            for made in &self.made[done..end] {
                self.note(knowledge, made, state, &mut of, out);
            }
            done = end;
            of.leads = out.leads.len();
            out.states.push(of);
        }
    }

    /// Makes the moves of a state.
    fn make_moves(&mut self, knowledge: Knowledge<'_>, batch: Batch<'_>, state: usize) {
        let Knowledge { known, states, .. } = knowledge;
        let width = known.width();
        batch.unpack(state, width, states, &mut self.before);
        self.after.resize(width, 0);
        self.least.resize(width, 0);
        known.moves(self.before.parts(), &mut self.moves);
        let Worker { before, after, least, packed, .. } = self;
        self.made.extend(self.moves.iter().map(|&chosen| {
            let Ok(taken) = known.take(before.parts(), chosen, after) else {
                return Made { chosen, led: Led::Nowhere, report: 0 };
            };
            let led = match taken.problem {
                Some(problem) => Led::Finding(finding(problem)),
                None if !knowledge.serve(after, least) => Led::Nowhere,
                None if known.represent(after, least).is_err() => Led::Nowhere,
                None => {
                    let start = packed.len();
                    let key = states.pack(least, before, packed);
                    Led::State(key, start..packed.len())
                }
            };
            Made { chosen, led, report: taken.report }
        }));
    }

    /// Looks up the state after a move, and adds leads for the search.
    fn note(
        &self,
        knowledge: Knowledge<'_>,
        made: &Made,
        state: usize,
        of: &mut OfState,
        out: &mut Explored,
    ) {
        let Knowledge { known, states, noted, .. } = knowledge;
        let is_spontaneous = is_spontaneous(made.chosen);
        let to = match &made.led {
            Led::State(key, at) => {
                let to = key.and_then(|key| states.find(&self.packed[at.clone()], key));
                if let Some(to) = to.filter(|_| states.needs_claims()) {
                    out.claims.push(to);
                    out.claims.extend_from_slice(&self.packed[at.clone()][known.width()..]);
                }
                if to.is_none() {
                    let start = out.packed.len();
                    out.packed.extend_from_slice(&self.packed[at.clone()]);
                    let is_settled = !known.is_busy(&self.packed[at.clone()][..known.width()]);
                    let at = start..out.packed.len();
                    out.leads.push(Lead::New { at, is_settled, is_spontaneous });
                }
                to
            }
            Led::Finding(finding) => {
                out.leads.push(Lead::Finding(finding.clone(), is_spontaneous));
                None
            }
            Led::Nowhere => return out.leads.push(Lead::Unknown(made.chosen)),
        };
        let elsewhere = to.filter(|to| is_spontaneous && *to != state as u32);
        of.next = of.next.or(elsewhere);
        let is_noted = noted.get(made.report as usize).copied().unwrap_or(false);
        if !is_noted && !known.warnings(made.report).is_empty() {
            out.leads.push(Lead::Warns(made.chosen, made.report));
        }
    }
}

/// Explores the states of a batch, and returns the results in the order of the states.
pub(super) fn explore(
    workers: &mut [Worker],
    knowledge: Knowledge<'_>,
    batch: Batch<'_>,
) -> Vec<Explored> {
    let len = batch.len();
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = |worker: &mut Worker| {
        loop {
            let first = next.fetch_add(STATES_AT_A_TIME, Ordering::Relaxed);
            if first >= len {
                return;
            }
            let mut explored = Explored { first, ..Explored::default() };
            let end = len.min(first + STATES_AT_A_TIME);
            for start in (first..end).step_by(STATES_TOGETHER) {
                let states = start..end.min(start + STATES_TOGETHER);
                let states = batch.first() + states.start..batch.first() + states.end;
                worker.explore(knowledge, batch, states, &mut explored);
            }
            // No worker panics while it holds this.
            all.lock().expect("no worker failed").push(explored);
        }
    };
    match workers {
        // A thread for so little would take longer.
        [own, ..] if len <= 2 * STATES_AT_A_TIME => work(own),
        [own, others @ ..] => std::thread::scope(|scope| {
            others.iter_mut().for_each(|worker| {
                scope.spawn(|| work(worker));
            });
            work(own);
        }),
        [] => unreachable!("there is a worker"),
    }
    let mut all = all.into_inner().expect("no worker failed");
    all.sort_by_key(|explored| explored.first);
    all
}
