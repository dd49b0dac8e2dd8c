//! Saturation: the least fixpoint of the order that the rules force, over vector clocks.
//!
//! The order starts with the preserved program order (rules R1-R3) and what the reads show
//! (R4, R5, and that whoever reads the initial value precedes every write). Then, for a read L
//! of S and another write S' of the location (Manovit & Hangal 2006, section 4.1):
//!
//! * R6: S' ≤ L gives S' ≤ S;
//! * R7: S ≤ S' gives L ≤ S'.
//!
//! A store-conditional counts as a reader of what its load-linked read, which is what makes the
//! pair atomic. A cycle is a violation. For SC this is exactly wSC of "Boosting Sequential
//! Consistency Checking using Saturation", section 3.
//!
//! **Clocks.** The clock of an event holds per slot the position of the last event of that chain
//! known to precede it. Chains are ordered, so per event and slot only the *last* write of its
//! location matters for R6 and R7: the earlier ones follow by transitivity. Edges between chains
//! are kept as lists; an event whose clock grew is put in a worklist ordered by a topological
//! rank and passes its clock on.
//!
//! **PSO.** A store slot holds positions of the store chain of the event's own location. Derived
//! edges join events of one location only, and a path that leaves a store chain for another
//! location passes through its thread's main chain. So within a location store slots are passed
//! along edges, and from elsewhere by *transit* edges: an event of location x that is preceded by
//! position p of a main chain gets an edge from the last access of x up to p, and from the last
//! store of x before the last operation up to p that drains all. Transit edges pass store slots
//! only; the order they stand for runs along other edges.
//!
//! **Cost.** Clocks take `4·width` bytes an event. Each of the E edges is passed at most once per
//! growth of its tail's clock; in practice a small constant number of times, that is
//! O(E·width) time. The worst case is Manovit & Hangal's O(p·n³).
//!
//! **Invariants.** At a fixpoint: clocks are exactly reachability along edges (per location, for
//! PSO's store slots), R6 and R7 add nothing, and no event precedes itself. Edges are numbered in
//! the order in which they were derived, and an edge's premises have smaller numbers; this is
//! what makes proofs (see [`crate::explain`]) possible. [`Saturation::mark`] and
//! [`Saturation::undo`] restore clocks and edges exactly.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::accesses::Accesses;
use crate::deadline::Deadline;
use crate::events::{Events, Group, INITIAL, NONE};
use crate::model::Model;

/// Why an edge holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// R1-R3: program order that the model preserves. Never of a derived edge.
    ProgramOrder,
    /// R4: from a source to its external reader.
    ReadsFrom,
    /// R5: from a thread's own earlier write to the source of this later read of it.
    OwnEarlier(u32),
    /// R6: from a write that precedes this read to the read's source.
    Observed(u32),
    /// R7: from a reader to a write that its source precedes.
    Overtaken,
    /// From a reader of the initial value to a write.
    ReadsInitial,
    /// From a write to the one whose value is final.
    Final,
    /// Implied by the others along paths; carries store slots under PSO.
    Transit,
    /// Chosen by a search, as its n-th choice.
    Chosen(u32),
    /// The opposite of a choice, forced by the n-th lemma.
    Lemma(u32),
}

/// A derived edge.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The event that precedes.
    pub from: u32,
    /// The event that follows.
    pub to: u32,
    /// Why.
    pub reason: Reason,
    next_out: u32,
    next_in: u32,
}

/// Why saturation stopped before a fixpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// This event precedes itself, by edges that are in place.
    Cycle(u32),
    /// This write precedes the initial value, which its own thread read after it.
    BeforeInitial {
        /// The write.
        write: u32,
        /// The read of the initial value.
        read: u32,
    },
    /// The deadline passed.
    Timeout,
}

/// A point to come back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    edges: usize,
    clocks: usize,
    transits: usize,
}

/// The forced order of a history, kept saturated as edges are added.
#[derive(Debug)]
pub struct Saturation<'a> {
    /// The events.
    pub events: &'a Events,
    accesses: Accesses,
    deadline: &'a Deadline,
    clocks: Vec<u32>,
    edges: Vec<Edge>,
    head_out: Vec<u32>,
    head_in: Vec<u32>,
    rank: Vec<u32>,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    queued: Vec<bool>,
    scratch: Vec<u32>,
    /// Clock entries overwritten since the first mark.
    trail: Vec<(u64, u32)>,
    /// Per event and thread (PSO): position of the last access that a transit edge came from.
    transit: Vec<u32>,
    transit_trail: Vec<(u64, u32)>,
    logging: bool,
    visits: u32,
}

impl<'a> Saturation<'a> {
    /// Sets up the order before saturation. `rank` numbers the events in an order in which they
    /// are best visited; any order is correct. `finals` are the events whose writes are final.
    ///
    /// # Errors
    /// A read of the initial value after a write of its own thread.
    pub fn new(
        events: &'a Events,
        rank: Vec<u32>,
        finals: &[u32],
        deadline: &'a Deadline,
    ) -> (Saturation<'a>, Result<(), Stop>) {
        let accesses = Accesses::new(events);
        let transits = if accesses.is_needed() {
            events.len() * events.threads
        } else {
            0
        };
        let mut saturation = Saturation {
            events,
            accesses,
            deadline,
            clocks: vec![0; events.len() * events.width],
            edges: Vec::new(),
            head_out: vec![NONE; events.len()],
            head_in: vec![NONE; events.len()],
            rank,
            queue: BinaryHeap::new(),
            queued: vec![false; events.len()],
            scratch: vec![0; events.width],
            trail: Vec::new(),
            transit: vec![0; transits],
            transit_trail: Vec::new(),
            logging: false,
            visits: 0,
        };
        for event in 0..events.len() as u32 {
            let own = saturation.entry(event, events.slot[event as usize]);
            saturation.clocks[own] = events.position[event as usize] - 1;
        }
        let result = saturation.observe(finals);
        for event in 0..events.len() as u32 {
            saturation.enqueue(event);
        }
        (saturation, result)
    }

    /// Brings the order to its fixpoint.
    ///
    /// # Errors
    /// A cycle, or the deadline.
    pub fn saturate(&mut self) -> Result<(), Stop> {
        while let Some(Reverse((_, event))) = self.queue.pop() {
            self.queued[event as usize] = false;
            self.visits = self.visits.wrapping_add(1);
            if self.visits.is_multiple_of(256) && self.deadline.passed() {
                return Err(self.stop(Stop::Timeout));
            }
            if let Err(stop) = self.visit(event) {
                return Err(self.stop(stop));
            }
        }
        Ok(())
    }

    /// Adds an edge and saturates.
    ///
    /// # Errors
    /// A cycle, or the deadline.
    pub fn assume(&mut self, from: u32, to: u32, reason: Reason) -> Result<(), Stop> {
        match self.add(from, to, reason) {
            Ok(()) => self.saturate(),
            Err(stop) => Err(self.stop(stop)),
        }
    }

    /// Whether `first` is known to precede `second`. Under PSO, if `first` is a plain store the
    /// two must be of one location.
    pub fn precedes(&self, first: u32, second: u32) -> bool {
        debug_assert!(self.events.is_global(first) || self.same_location(first, second));
        let entry = self.entry(second, self.events.slot[first as usize]);
        self.clocks[entry] >= self.events.position[first as usize]
    }

    /// The clock of an event.
    pub fn clock(&self, event: u32) -> &[u32] {
        let start = event as usize * self.events.width;
        &self.clocks[start..start + self.events.width]
    }

    /// All edges, in the order in which they were derived.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges into an event, latest first.
    pub fn edges_into(&self, event: u32) -> impl Iterator<Item = u32> {
        let mut next = self.head_in[event as usize];
        std::iter::from_fn(move || {
            let edge = next;
            next = self.edges.get(edge as usize)?.next_in;
            Some(edge)
        })
    }

    /// Remembers the present state; later changes can be undone.
    pub fn mark(&mut self) -> Mark {
        self.logging = true;
        Mark {
            edges: self.edges.len(),
            clocks: self.trail.len(),
            transits: self.transit_trail.len(),
        }
    }

    /// Goes back to a mark, which must have been a fixpoint.
    pub fn undo(&mut self, mark: Mark) {
        for (entry, value) in self.trail.drain(mark.clocks..).rev() {
            self.clocks[entry as usize] = value;
        }
        for (entry, value) in self.transit_trail.drain(mark.transits..).rev() {
            self.transit[entry as usize] = value;
        }
        for edge in self.edges.drain(mark.edges..).rev() {
            self.head_out[edge.from as usize] = edge.next_out;
            self.head_in[edge.to as usize] = edge.next_in;
        }
    }

    /// Empties the worklist, so that an undo leaves nothing behind.
    fn stop(&mut self, stop: Stop) -> Stop {
        for Reverse((_, event)) in self.queue.drain() {
            self.queued[event as usize] = false;
        }
        stop
    }

    fn entry(&self, event: u32, slot: u32) -> usize {
        event as usize * self.events.width + slot as usize
    }

    fn enqueue(&mut self, event: u32) {
        if !std::mem::replace(&mut self.queued[event as usize], true) {
            let rank = self.rank[event as usize];
            self.queue.push(Reverse((rank, event)));
        }
    }

    /// The edges that reads and final values show by themselves: R4, R5, initial and final.
    fn observe(&mut self, finals: &[u32]) -> Result<(), Stop> {
        let events = self.events;
        // The last write of each location by the thread at hand.
        let mut own: rustc_hash::FxHashMap<u32, u32> = Default::default();
        let mut thread = usize::MAX;
        for event in 0..events.len() as u32 {
            if events.thread(event) != thread {
                own.clear();
                thread = events.thread(event);
            }
            let location = events.location[event as usize];
            if events.kind[event as usize].reads() {
                self.observe_read(event, own.get(&location).copied())?;
            }
            if events.writes(event) {
                own.insert(location, event);
            }
        }
        for location in 0..events.locations() as u32 {
            self.observe_initial(location);
        }
        for &write in finals {
            for group in events.groups(events.location[write as usize]) {
                for &other in events.members(group).iter().rev().take(1) {
                    if other != write {
                        self.link(other, write, Reason::Final);
                    }
                }
            }
        }
        Ok(())
    }

    /// R4 and R5 for one read; `own` is its thread's last earlier write of the location.
    fn observe_read(&mut self, read: u32, own: Option<u32>) -> Result<(), Stop> {
        let source = self.events.source[read as usize];
        match (source, own) {
            (NONE, _) | (INITIAL, None) => {}
            (INITIAL, Some(write)) => return Err(Stop::BeforeInitial { write, read }),
            (source, own) => {
                let earlier_own =
                    self.events.thread(source) == self.events.thread(read) && source < read;
                if !earlier_own {
                    self.link(source, read, Reason::ReadsFrom);
                }
                if let Some(write) = own.filter(|&write| write != source) {
                    self.link(write, source, Reason::OwnEarlier(read));
                }
            }
        }
        Ok(())
    }

    /// Readers of the initial value precede the first write of every other thread.
    fn observe_initial(&mut self, location: u32) {
        let events = self.events;
        for &read in events.initial_readers.of(location) {
            for group in events.groups(location) {
                let first = events.members(group)[0];
                if events.thread(first) != events.thread(read) {
                    self.link(read, first, Reason::ReadsInitial);
                }
            }
        }
    }

    /// Records an edge; the clocks follow when its tail is visited.
    fn link(&mut self, from: u32, to: u32, reason: Reason) {
        let number = self.edges.len() as u32;
        self.edges.push(Edge {
            from,
            to,
            reason,
            next_out: self.head_out[from as usize],
            next_in: self.head_in[to as usize],
        });
        self.head_out[from as usize] = number;
        self.head_in[to as usize] = number;
    }

    /// Adds an edge unless the order is known.
    fn add(&mut self, from: u32, to: u32, reason: Reason) -> Result<(), Stop> {
        if from != to && self.precedes(from, to) {
            return Ok(());
        }
        let closes = from != to
            && (self.events.is_global(to) || self.same_location(from, to))
            && self.precedes(to, from);
        self.link(from, to, reason);
        if closes {
            return Err(Stop::Cycle(to));
        }
        self.pass(from, to, reason)
    }

    fn same_location(&self, first: u32, second: u32) -> bool {
        self.events.location[first as usize] == self.events.location[second as usize]
    }

    /// Passes the clock of `from`, and `from` itself, to `to`.
    fn pass(&mut self, from: u32, to: u32, reason: Reason) -> Result<(), Stop> {
        let mut row = std::mem::take(&mut self.scratch);
        self.load(from, &mut row);
        let result = self.join(from, &row, to, reason);
        self.scratch = row;
        result
    }

    /// The clock of an event with the event itself.
    fn load(&self, event: u32, row: &mut [u32]) {
        row.copy_from_slice(self.clock(event));
        let slot = self.events.slot[event as usize] as usize;
        row[slot] = row[slot].max(self.events.position[event as usize]);
    }

    fn join(&mut self, from: u32, row: &[u32], to: u32, reason: Reason) -> Result<(), Stop> {
        let (threads, width) = (self.events.threads, self.events.width);
        let slots = match self.events.model {
            _ if reason == Reason::Transit => threads..width,
            Model::Pso(_) if !self.same_location(from, to) => 0..threads,
            _ => 0..width,
        };
        let start = to as usize * width;
        let own = self.events.slot[to as usize] as usize;
        let position = self.events.position[to as usize];
        let mut grew = false;
        for slot in slots {
            let mut value = row[slot];
            if slot == own && reason == Reason::Transit {
                // A cycle here also shows in a main chain, along edges that are a proof.
                value = value.min(position - 1);
            }
            let entry = &mut self.clocks[start + slot];
            if *entry < value {
                if self.logging {
                    self.trail.push(((start + slot) as u64, *entry));
                }
                *entry = value;
                grew = true;
            }
        }
        if !grew {
            return Ok(());
        }
        self.enqueue(to);
        if self.clocks[start + own] >= position {
            return Err(Stop::Cycle(to));
        }
        Ok(())
    }

    /// Passes an event's clock on and applies the rules to it.
    fn visit(&mut self, event: u32) -> Result<(), Stop> {
        if self.accesses.is_needed() && self.events.location[event as usize] != NONE {
            self.receive_transit(event)?;
        }
        let mut row = std::mem::take(&mut self.scratch);
        self.load(event, &mut row);
        let result = self.pass_on(event, &row);
        self.scratch = row;
        result?;
        if self.events.source[event as usize] < INITIAL {
            self.apply_r6(event)?;
        }
        if self.events.writes(event) {
            self.apply_r7(event)?;
        }
        Ok(())
    }

    fn pass_on(&mut self, event: u32, row: &[u32]) -> Result<(), Stop> {
        let events = self.events;
        for &next in events.po.of(event) {
            self.join(event, row, next, Reason::ProgramOrder)?;
        }
        let mut edge = self.head_out[event as usize];
        while edge != NONE {
            let Edge {
                to,
                reason,
                next_out,
                ..
            } = self.edges[edge as usize];
            self.join(event, row, to, reason)?;
            edge = next_out;
        }
        Ok(())
    }

    /// The last write of a group that precedes an event.
    fn last_before(&self, group: Group, event: u32) -> Option<u32> {
        let position = self.clocks[self.entry(event, group.slot)];
        if position == 0 {
            return None;
        }
        self.events.last_write(group, position)
    }

    /// R6: writes that precede a read precede its source.
    fn apply_r6(&mut self, read: u32) -> Result<(), Stop> {
        let events = self.events;
        let source = events.source[read as usize];
        for group in events.groups(events.location[read as usize]) {
            match self.last_before(group, read) {
                Some(write) if write != source => {
                    self.add(write, source, Reason::Observed(read))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// R7: readers of writes that precede a write precede it too.
    fn apply_r7(&mut self, write: u32) -> Result<(), Stop> {
        let events = self.events;
        for group in events.groups(events.location[write as usize]) {
            let Some(source) = self.last_before(group, write) else {
                continue;
            };
            for &reader in events.readers.of(source) {
                if reader != write {
                    self.add(reader, write, Reason::Overtaken)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the transit edges that an event's main slots call for (PSO).
    fn receive_transit(&mut self, event: u32) -> Result<(), Stop> {
        for thread in 0..self.events.threads {
            let position = self.clocks[self.entry(event, thread as u32)];
            if position == 0 {
                continue;
            }
            let location = self.events.location[event as usize];
            if let Some(access) = self
                .accesses
                .last_main(self.events, location, thread, position)
            {
                self.transit_from(access, event, thread)?;
            }
            let store = self
                .accesses
                .last_drained(self.events, location, thread, position);
            if let Some(store) = store.filter(|&store| !self.precedes(store, event)) {
                self.link(store, event, Reason::Transit);
                self.pass(store, event, Reason::Transit)?;
            }
        }
        Ok(())
    }

    fn transit_from(&mut self, access: u32, event: u32, thread: usize) -> Result<(), Stop> {
        let entry = event as usize * self.events.threads + thread;
        let position = self.events.position[access as usize];
        if access == event || self.transit[entry] >= position {
            return Ok(());
        }
        if self.logging {
            self.transit_trail.push((entry as u64, self.transit[entry]));
        }
        self.transit[entry] = position;
        self.link(access, event, Reason::Transit);
        self.pass(access, event, Reason::Transit)
    }
}
