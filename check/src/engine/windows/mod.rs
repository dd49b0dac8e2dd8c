//! Finds a memory order window by window ([`order`]), without deriving the forced order of the whole history.
//!
//! Most histories are consistent, and the place of an event in memory order is decided by the events around
//! it. So events are admitted to a *window* in about the order of memory, the rules are applied to the
//! window alone, some of its events are placed, and others are admitted. What is placed is forgotten, but
//! for the values that memory holds, so everything that is worked on stays in the processor's cache.
//!
//! - `search` places events window by window, and `prefix` has those that are placed;
//! - `window` has the events that are next, the `edges` between them, and what precedes each of them, as `rows` of bits: these serve
//!   every preserved program order, whether it consists of few chains or not;
//! - `rules` applies R6 and R7 (see [`crate::engine::saturate`]) to the window;
//! - `placing` places events until the rules are applied again;
//! - `reorder` places a stretch of a known run anew, for a run that differs there;
//! - `halves` has the two halves of a long history placed at the same time, `cut` finds where one ends and the
//!   other begins, and `part` is the input of either.
//!
//! **Guesses.** A write whose readers are not known to precede every other write of its location is placed
//! by a guess. If the order required of the window then contradicts itself, placements are undone up to the guess from
//! which the contradiction follows, and another write of that location comes first. This search is not complete. It gives
//! up after some contradictions, or when it takes long for what it has placed; then the stages that keep
//! the whole history decide. What it finds counts only once it has been checked.
//!
//! **Cost.** On random histories, an event is visited about ten times at a cost of some dozen words for each
//! edge, so the time is linear in the history. Memory: about 54 bytes an event, and 35 more in a history that
//! is placed by halves.

mod admission;
mod cut;
mod halves;
mod part;
mod placing;
mod prefix;
mod reorder;
mod rules;
mod search;
mod window;

use crate::engine::csr::Csr;
use crate::engine::events::{Events, NONE};
use host::Bounds;
use memory::Model;
pub use reorder::{Reorder, Stretch};
use search::{Progress, Search};

/// The [`WindowLimits::patience`] of [`order_of`]. It is low, since the stages that keep the whole history decide
/// fast for models with store buffers.
const PATIENCE: usize = 96;

/// The events to be placed, as columns, and the order among them that is known beforehand. Events are
/// numbered thread by thread in program order; those without a thread come last.
#[derive(Debug)]
pub struct Input<'a> {
    /// Per event, its thread; [`NONE`] for a node that is no operation, such as a join of preserved program
    /// order.
    pub thread: &'a [u32],
    /// Per event, its location; [`NONE`] if it has none.
    pub location: &'a [u32],
    /// Per event that reads, or depends on a read, the source: an event, [`INITIAL`](crate::engine::events::INITIAL), or [`NONE`] if it is
    /// not known.
    pub source: &'a [u32],
    /// Per event, whether it reads.
    pub reads: &'a [bool],
    /// Per event, whether it writes.
    pub writes: &'a [bool],
    /// Per event, those that precede it in preserved program order, reduced to neighbours.
    pub before: &'a Csr,
    /// Per write, the events whose source it is. A reader that precedes another reader of the same write may
    /// be missing.
    pub readers: &'a Csr,
    /// Per location, the events whose source is its initial value.
    pub initial_readers: &'a Csr,
    /// Writes whose values are final.
    pub finals: &'a [u32],
}

impl Input<'_> {
    fn nodes(&self) -> usize {
        self.location.len()
    }

    fn locations(&self) -> usize {
        self.initial_readers.nodes()
    }

    /// For [`part::Part::new`]: no event has a number.
    fn no_numbers(&self) -> Vec<u32> {
        vec![NONE; self.nodes()]
    }

    /// Whether an event reads from a write that is not known.
    fn is_open(&self, event: u32) -> bool {
        self.reads[event as usize] && self.source[event as usize] == NONE
    }

    /// Whether a read may have been served by the store buffer of its thread.
    fn is_own_earlier(&self, source: u32, read: u32) -> bool {
        source < read && self.thread[source as usize] == self.thread[read as usize]
    }

    /// Per event that reads, the last write before it of its thread and location, or [`NONE`].
    fn own_writes(&self) -> Vec<u32> {
        let mut own = vec![NONE; self.nodes()];
        let mut last = vec![NONE; self.locations()];
        for event in 0..self.nodes() as u32 {
            let location = self.location[event as usize];
            if location == NONE {
                continue;
            }
            let last = &mut last[location as usize];
            if self.reads[event as usize] && *last != NONE && self.is_own_earlier(*last, event) {
                own[event as usize] = *last;
            }
            if self.writes[event as usize] {
                *last = event;
            }
        }
        own
    }
}

/// How a search by windows ended.
#[derive(Debug, PartialEq, Eq)]
pub enum WindowOutcome {
    /// All events, in an order that follows the rules. Its caller has to check it.
    Order(Vec<u32>),
    /// No order was found.
    GaveUp {
        /// The largest number of events that were placed at a time, as an approximate position in the order
        /// of admission.
        placed: usize,
    },
    /// One of the [`Bounds`] was met.
    Exceeded,
}

/// Memory of the columns of an input and of the order of admission while it is computed, in bytes for each event.
const BYTES_PER_EVENT: usize = 60;

/// Number of events from which on windows are twice as large: the more there are, the more likely is a place where
/// a smaller window is not enough.
const EVENTS_FOR_LARGER_WINDOWS: usize = 1 << 22;

/// Number of events of a thread in a window above which larger windows rarely help.
const MOST_IN_PROGRESS: usize = 32;

/// The number of events of a window that is enough on most histories with these numbers of threads, locations and
/// events. The more locations, the farther apart are events that constrain each other, as far as threads can be apart.
/// Where stores wait in buffers, more events are in progress at a time.
pub fn size_for(threads: usize, locations: usize, model: Model, events: usize) -> usize {
    let least = [(Model::SC, 12), (Model::TSO, 16), (Model::PSO, 24)];
    let least =
        least.iter().find(|(other, _)| *other == model).map_or(MOST_IN_PROGRESS, |pair| pair.1);
    let size = (2 * locations).clamp(least * threads, MOST_IN_PROGRESS * threads);
    let factor = if events < EVENTS_FOR_LARGER_WINDOWS { 1 } else { 2 };
    (factor * size).clamp(256, 3072)
}

/// Searches a memory order of the events of a model that has a machine, that is, no weak model, with windows
/// of about `size` events.
pub fn order_of(events: &Events, finals: &[u32], size: usize, bounds: &Bounds) -> WindowOutcome {
    if !bounds.allows(events.len() * BYTES_PER_EVENT) {
        return WindowOutcome::Exceeded;
    }
    let columns = Columns::of(events);
    let input = columns.input(events, finals);
    match admission(&input) {
        Some(admission) => {
            order(&input, &admission, WindowLimits { size, patience: PATIENCE }, bounds)
        }
        None => WindowOutcome::GaveUp { placed: 0 },
    }
}

/// The columns of an [`Input`] that [`Events`] does not store in this form.
struct Columns {
    thread: Vec<u32>,
    reads: Vec<bool>,
    writes: Vec<bool>,
}

impl Columns {
    fn of(events: &Events) -> Columns {
        let all = 0..events.len() as u32;
        Columns {
            thread: all.map(|event| events.thread(event) as u32).collect(),
            reads: events.kind.iter().map(|kind| kind.reads()).collect(),
            writes: events.kind.iter().map(|kind| kind.writes()).collect(),
        }
    }

    fn input<'a>(&'a self, events: &'a Events, finals: &'a [u32]) -> Input<'a> {
        Input {
            thread: &self.thread,
            location: &events.location,
            source: &events.source,
            reads: &self.reads,
            writes: &self.writes,
            before: &events.po_back,
            readers: &events.readers,
            initial_readers: &events.initial_readers,
            finals,
        }
    }
}

/// How large windows are, and how long the search goes on.
#[derive(Clone, Copy, Debug)]
pub struct WindowLimits {
    /// Approximate number of events of a window.
    pub size: usize,
    /// Number of visits of window members per placed event, plus the same number for each event of two
    /// windows, after which the search gives up.
    pub patience: usize,
}

/// The order in which events are admitted to windows, which approximates memory order. `None` if the program
/// order that the input preserves contradicts reads-from.
pub fn admission(input: &Input<'_>) -> Option<Vec<u32>> {
    admission::order(input)
}

/// Searches a memory order. Events are admitted to windows in the order of `admission`. The two halves of a
/// long history are searched in parallel.
pub fn order(
    input: &Input<'_>,
    admission: &[u32],
    extent: WindowLimits,
    bounds: &Bounds,
) -> WindowOutcome {
    if let Some(ended) = halves::order(input, admission, extent, bounds) {
        return ended;
    }
    let Some(mut search) = Search::new(input, admission, extent, bounds) else {
        return WindowOutcome::Exceeded;
    };
    match search.run(|_| false) {
        Progress::Complete => WindowOutcome::Order(search.into_order()),
        Progress::GaveUp | Progress::Stopped => WindowOutcome::GaveUp { placed: search.best() },
        Progress::Exceeded => WindowOutcome::Exceeded,
    }
}
