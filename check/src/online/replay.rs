//! [`Replay`]: builds a run that explains the operations while they arrive.
//!
//! Operations are performed in the order in which they arrived, each after the operations that are forced to
//! precede it and after the reads of the value that it overwrites. Only operations that precede all
//! operations still to come are performed, so that nothing can turn out to precede them. A [`Witness`]
//! performs them, and refuses what the model does not allow; as long as it refuses nothing, there is a run.
//! If the order of completions explains the history, the run follows it. If two writes are unordered, a later
//! read may show that they were performed in the wrong order, and then no run is found. Such a write
//! therefore waits until a later read shows the order, as long as there is room.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rustc_hash::FxHashMap;

use super::witness::Witness;
use super::{Arrival, Event, NONE, Online, Source};
use memory::Model;

/// Number of operations that may wait until the order of two writes is known.
pub(super) const MAX_WAITING: usize = 1 << 16;

/// An operation that has not been performed.
#[derive(Clone, Debug)]
struct Pending {
    position: u32,
    arrival: Arrival,
    location: u32,
    event: u32,
    /// A copy of the clock of its event, if the event is forgotten.
    clock: Option<Box<[u32]>>,
}

/// The value that a location holds, and the chain and position of its write; [`NONE`] as the chain stands
/// for the initial value.
#[derive(Clone, Copy, Debug)]
struct Held {
    value: u64,
    chain: u32,
    position: u32,
}

const INITIAL: Held = Held { value: 0, chain: NONE, position: 0 };

/// The run so far, and the operations that are not in it yet.
#[derive(Clone, Debug)]
pub(super) struct Replay {
    witness: Witness,
    /// Per chain, the operations that were not performed, by position.
    pending: Vec<VecDeque<Pending>>,
    /// Per chain, the position of the first of these; [`NONE`] if there is none.
    first: Vec<u32>,
    /// The pending operations in the order in which they were inserted, as (number, chain, position). Some of
    /// them may have been performed already.
    order: BinaryHeap<Reverse<(u64, u32, u32)>>,
    inserted: u64,
    /// Per location, the value that it holds.
    held: FxHashMap<u32, Held>,
    /// By location and value, the last reader in each chain, as (chain, position).
    readers: FxHashMap<(u32, u64), Vec<(u32, u32)>>,
    is_lost: bool,
}

/// The result of trying to perform an operation.
enum Tried {
    Performed,
    /// More operations have to arrive first.
    Waits,
    /// The operation would have to come before operations that were performed already.
    Lost,
}

impl Replay {
    /// Creates the replay without operations.
    pub(super) fn new(model: Model) -> Replay {
        Replay {
            witness: Witness::new(model),
            pending: Vec::new(),
            first: Vec::new(),
            order: BinaryHeap::new(),
            inserted: 0,
            held: FxHashMap::default(),
            readers: FxHashMap::default(),
            is_lost: false,
        }
    }

    /// Whether everything was performed.
    fn is_complete(&self) -> bool {
        !self.is_lost && self.order.is_empty() && self.witness.holds()
    }

    /// Adds an event.
    pub(super) fn insert(&mut self, number: u32, event: &Event) {
        if self.is_lost {
            return;
        }
        let (chain, position) = (event.chain, event.position());
        if self.pending.len() <= chain as usize {
            self.pending.resize(chain as usize + 1, VecDeque::new());
            self.first.resize(chain as usize + 1, NONE);
        }
        let pending = &mut self.pending[chain as usize];
        let at = pending.partition_point(|it| it.position < position);
        let arrival = event.arrival;
        pending.insert(
            at,
            Pending { position, arrival, location: event.location, event: number, clock: None },
        );
        self.first[chain as usize] = position.min(self.first[chain as usize]);
        self.order.push(Reverse((self.inserted, chain, position)));
        self.inserted += 1;
        if event.source != Source::None
            && let Some(value) = arrival.read
        {
            let readers = self.readers.entry((event.location, value)).or_default();
            match readers.iter_mut().find(|it| it.0 == chain) {
                Some(last) => last.1 = position.max(last.1),
                None => readers.push((chain, position)),
            }
        }
    }

    /// Copies the clocks of pending operations whose events are about to be forgotten.
    pub(super) fn keep_clocks<'a>(
        &mut self,
        is_kept: impl Fn(u32) -> bool,
        clock: impl Fn(u32) -> &'a [u32],
    ) {
        for pending in self.pending.iter_mut().flatten() {
            if pending.clock.is_none() && !is_kept(pending.event) {
                pending.clock = Some(clock(pending.event).into());
            }
        }
    }

    /// Whether an operation has not been performed.
    fn is_pending(&self, chain: u32, position: u32) -> bool {
        self.first[chain as usize] <= position
    }

    fn lose(&mut self) {
        self.is_lost = true;
        self.pending.clear();
        self.first.clear();
        self.order.clear();
        self.held.clear();
        self.readers.clear();
    }
}

impl Online {
    /// Whether a run was found that explains all operations. To be called after [`Online::finish`]. If the
    /// answer is `false`, there may be a run nevertheless.
    pub fn is_explained(&self) -> bool {
        self.replay.is_complete()
    }

    /// Performs the operations of each chain up to the position `low`, which precede all operations still to
    /// come, as far as possible. At most `max_waiting` operations may wait for the order of two writes.
    pub(super) fn replay(&mut self, low: &[u32], max_waiting: usize) {
        while let Some(&Reverse((_, chain, position))) = self.replay.order.peek() {
            if !self.replay.is_pending(chain, position) {
                self.replay.order.pop();
                continue;
            }
            let is_patient = self.replay.order.len() < max_waiting;
            match self.perform(chain, position, low, is_patient) {
                Tried::Performed => {}
                Tried::Waits => return,
                Tried::Lost => return self.replay.lose(),
            }
        }
    }

    /// Performs all operations that are left.
    pub(super) fn replay_all(&mut self) {
        let all = vec![u32::MAX; self.chains.all.len()];
        self.replay(&all, 0);
    }

    /// Performs an operation, after the operations that have to precede it. Cost: the number of chains for
    /// each.
    fn perform(&mut self, chain: u32, position: u32, low: &[u32], is_patient: bool) -> Tried {
        let mut open = vec![(chain, position)];
        while let Some(&(chain, position)) = open.last() {
            if !self.replay.is_pending(chain, position) {
                open.pop();
                continue;
            }
            let first = &self.replay.pending[chain as usize][0];
            if first.position > low[chain as usize] {
                return Tried::Waits;
            }
            if let Some(before) = self.blocked_by(chain, first) {
                if open.iter().any(|it| it.0 == before.0) {
                    return Tried::Lost;
                }
                open.push(before);
                continue;
            }
            if is_patient && !self.may_overwrite(first) {
                return Tried::Waits;
            }
            if !self.perform_first(chain) {
                return Tried::Lost;
            }
        }
        Tried::Performed
    }

    /// The clock of an operation: the position in each chain up to which events precede it.
    fn clock_of<'a>(&'a self, pending: &'a Pending) -> &'a [u32] {
        match &pending.clock {
            Some(clock) => clock,
            None => self.clocks.of(pending.event),
        }
    }

    /// The chain and position of an operation that has to be performed before the first operation of a
    /// chain.
    fn blocked_by(&self, chain: u32, pending: &Pending) -> Option<(u32, u32)> {
        let clock = self.clock_of(pending);
        let mut forced = self.replay.first.iter().zip(clock).enumerate();
        let forced =
            forced.find(|(other, (first, position))| first <= position && *other != chain as usize);
        if let Some((other, (_, &position))) = forced {
            return Some((other as u32, position));
        }
        if !pending.arrival.kind.writes() {
            return None;
        }
        let held = self.held(pending.location);
        let readers = self.replay.readers.get(&(pending.location, held.value))?;
        let mut readers = readers.iter().copied();
        readers.find(|&(other, position)| {
            (other, position) != (chain, pending.position)
                && self.replay.is_pending(other, position)
        })
    }

    fn held(&self, location: u32) -> Held {
        self.replay.held.get(&location).copied().unwrap_or(INITIAL)
    }

    /// Whether no operation still to come can read the value that an operation overwrites.
    fn may_overwrite(&self, pending: &Pending) -> bool {
        if !pending.arrival.kind.writes() {
            return true;
        }
        let held = self.held(pending.location);
        held.chain == NONE
            || self.clock_of(pending).get(held.chain as usize) >= Some(&held.position)
            || !self.writers.contains_key(&(pending.location, held.value))
    }

    /// Performs the first operation of a chain; false if the model does not allow it.
    fn perform_first(&mut self, chain: u32) -> bool {
        let replay = &mut self.replay;
        let Some(done) = replay.pending[chain as usize].pop_front() else {
            return true;
        };
        let first = replay.pending[chain as usize].front();
        replay.first[chain as usize] = first.map_or(NONE, |it| it.position);
        replay.witness.arrive(&done.arrival);
        let written = done.arrival.written.filter(|_| done.arrival.kind.writes());
        if let Some(value) = written {
            let held = Held { value, chain, position: done.position };
            let before = replay.held.insert(done.location, held).unwrap_or(INITIAL);
            replay.readers.remove(&(done.location, before.value));
        }
        !replay.witness.has_failed()
    }
}
