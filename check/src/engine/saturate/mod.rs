//! Saturation: the least fixpoint of the order that the rules force, over vector clocks.
//!
//! The order starts with preserved program order (rules R1-R3) and the edges that follow directly from
//! reads (R4, R5, and from each reader of the initial value to every write). Then, for a read L of S and
//! another write S' of the location (Manovit & Hangal 2006, section 4.1):
//!
//! * R6: S' ≤ L gives S' ≤ S;
//! * R7: S ≤ S' gives L ≤ S'.
//!
//! A store-conditional counts as a reader of what its load-linked read, which is what makes the
//! pair atomic. A cycle is a violation. For SC this is exactly wSC of "Boosting Sequential
//! Consistency Checking using Saturation", section 3.
//!
//! **Clocks.** The clock of an event has, per slot, the position of the last event of that chain known to
//! precede it. Chains are ordered, so per event and slot only the *last* write of its location matters for
//! R6 and R7: the earlier ones follow by transitivity. These writes are found by comparing the clock with
//! an entry of the `PredecessorCache` for a write that is known to precede the event; to everything that
//! precedes that write too, the rules were applied there. Edges between chains are kept as lists. An
//! event whose clock grew is put in a `Worklist`, which visits events in sweeps along a topological rank.
//! A visit adds the edges *into* the event that follow from its clock, passes the clock on, and then adds
//! the edges between earlier events that follow.
//!
//! **PSO.** A store slot holds positions of the store chain of the event's own location. Derived
//! edges join events of one location only, and a path that leaves a store chain for another
//! location passes through its thread's main chain. So within a location store slots are passed
//! along edges, and from elsewhere by *transit* edges: an event of location x that is preceded by
//! position p of a main chain gets an edge from the last access of x up to p, and from the last
//! store of x before the last operation up to p that drains all; of several such accesses, from
//! those that precede no other. Transit edges pass only store slots; the order that they represent also
//! follows along other edges. Barrier chains (see [`crate::engine::events`]) are treated like main chains:
//! they are the other way out of a store chain, a release store is an access in them, and they drain the
//! stores since the previous barrier.
//!
//! **Cost.** Clocks take `4·width` bytes an event, cached predecessors 64 bytes a write at the most. A visit
//! costs O(width) for each edge out of the event, and O(width) for the rules, plus a constant for each
//! write that they apply to. On random histories of 64 threads there are about 4 visits and 2 edges an
//! event, so saturation takes O(n·width). The worst case is Manovit & Hangal's O(p·n³).
//!
//! **Invariants.** At a fixpoint: clocks are exactly reachability along edges (per location, for
//! PSO's store slots), R6 and R7 add nothing, and no event precedes itself. Before it, the clock of
//! an event covers at least the tails of all edges into it. Edges are numbered in the order in
//! which they were derived, and an edge's premises have smaller numbers; this is what makes proofs
//! (see `explain`) possible. [`Saturation::mark`] and [`Saturation::undo`] restore clocks
//! and edges exactly.

mod observe;
mod transit;

use crate::engine::accesses::Accesses;
use crate::engine::clocks::{self, Clocks, Overwritten};
use crate::engine::events::{Events, INITIAL, NONE};
use crate::engine::predecessor_cache::PredecessorCache;
use crate::engine::worklist::Worklist;
use certify::rule::Rule;
use host::Bounds;

/// A derived edge.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The event that precedes.
    pub from: u32,
    /// The event that follows.
    pub to: u32,
    /// The rule that derived it; `None` for a *transit* edge, which the others imply along paths.
    pub rule: Option<Rule<u32>>,
    next_out: u32,
    next_in: u32,
}

/// Why saturation stopped before a fixpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoFixpoint {
    /// This event precedes itself, by edges that are in place.
    Cycle(u32),
    /// This write precedes the initial value, which its own thread read after it.
    BeforeInitial {
        /// The write.
        write: u32,
        /// The read of the initial value.
        read: u32,
    },
    /// One of the [`Bounds`] was met.
    Exceeded,
}

/// A state that [`Saturation::undo`] can go back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    edges: usize,
    clocks: usize,
    transits: usize,
    visited: usize,
}

/// The forced order of a history, kept saturated as edges are added.
#[derive(Debug)]
pub struct Saturation<'a> {
    /// The events.
    pub events: &'a Events,
    accesses: Accesses,
    bounds: &'a Bounds,
    /// The writes of final values; each is the last write of its location.
    finals: Vec<u32>,
    clocks: Clocks,
    edges: Vec<Edge>,
    head_out: Vec<u32>,
    head_in: Vec<u32>,
    worklist: Worklist,
    /// Per event, whether a search has placed it, so that the rules add nothing about it.
    settled: Vec<bool>,
    predecessors: PredecessorCache,
    main_predecessors: PredecessorCache,
    drained_predecessors: PredecessorCache,
    has_transit: bool,
    scratch: Vec<u32>,
    found: Vec<u32>,
    /// Clock entries overwritten since the first mark.
    trail: Vec<Overwritten>,
    /// Per event and main or barrier chain (PSO): position of the last access that a transit edge
    /// came from.
    transits: Clocks,
    transit_trail: Vec<Overwritten>,
    /// Events visited since the first mark.
    visited: Vec<u32>,
    logging: bool,
    visits: u64,
}

impl<'a> Saturation<'a> {
    /// Creates the order before saturation, for which the bounds should allow [`Saturation::bytes`]. `rank` is a permutation of the events. Events are visited in
    /// about that order, which affects only the speed. `finals` are the writes of final values.
    pub fn new(
        events: &'a Events,
        rank: Vec<u32>,
        finals: Vec<u32>,
        bounds: &'a Bounds,
    ) -> Saturation<'a> {
        let accesses = Accesses::new(events);
        let has_transit = events.stores_by_location();
        let with_transits = if has_transit { events.len() } else { 0 };
        Saturation {
            events,
            bounds,
            finals,
            clocks: Clocks::new(events.len(), events.width, 0),
            edges: Vec::new(),
            head_out: vec![NONE; events.len()],
            head_in: vec![NONE; events.len()],
            worklist: Worklist::new(rank, events.threads),
            settled: vec![false; events.len()],
            predecessors: PredecessorCache::new(events.write_index()),
            main_predecessors: PredecessorCache::new(&accesses.main),
            drained_predecessors: PredecessorCache::new(&accesses.drained),
            scratch: vec![0; events.width],
            found: Vec::new(),
            trail: Vec::new(),
            transits: Clocks::new(with_transits, events.global_slots(), 0),
            transit_trail: Vec::new(),
            visited: Vec::new(),
            logging: false,
            visits: 0,
            accesses,
            has_transit,
        }
    }

    /// Memory that the order of events takes before edges are derived, in bytes.
    pub fn bytes(events: &Events) -> usize {
        let slots =
            events.width + if events.stores_by_location() { events.global_slots() } else { 0 };
        events.len() * (4 * slots + 64)
    }

    /// Discards all edges, and saturates the order of the history itself.
    ///
    /// # Errors
    /// Returns the contradiction, or [`NoFixpoint::Exceeded`] if a bound was met.
    pub fn reset(&mut self) -> Result<(), NoFixpoint> {
        if !self.clocks.fill(0, self.bounds) || !self.transits.fill(0, self.bounds) {
            return Err(NoFixpoint::Exceeded);
        }
        // Initially only the order within each chain is known.
        for event in 0..self.events.len() as u32 {
            let at = event as usize;
            self.clocks.of_mut(event)[self.events.slot[at] as usize] = self.events.position[at] - 1;
        }
        self.edges.clear();
        self.head_out.fill(NONE);
        self.head_in.fill(NONE);
        self.trail.clear();
        self.transit_trail.clear();
        self.visited.clear();
        self.logging = false;
        self.worklist.clear();
        self.predecessors.forget();
        self.main_predecessors.forget();
        self.drained_predecessors.forget();
        for event in 0..self.events.len() as u32 {
            self.worklist.push(event);
        }
        self.observe()?;
        self.saturate(usize::MAX)
    }

    /// Visits the waiting events of a rank below `limit`.
    ///
    /// # Errors
    /// Returns the contradiction, or [`NoFixpoint::Exceeded`] if a bound was met.
    pub fn saturate(&mut self, limit: usize) -> Result<(), NoFixpoint> {
        while let Some(event) = self.worklist.pop(limit) {
            if self.logging {
                self.visited.push(event);
            }
            self.visits += 1;
            if self.visits.is_multiple_of(256) && self.bounds.passed() {
                return Err(NoFixpoint::Exceeded);
            }
            self.visit(event)?;
        }
        Ok(())
    }

    /// Whether a bound was met.
    pub fn is_past_bounds(&self) -> bool {
        self.bounds.passed()
    }

    /// Adds edges between writes of one location, and visits the waiting events of a rank below `limit`.
    ///
    /// # Errors
    /// Returns the contradiction, or [`NoFixpoint::Exceeded`] if a bound was met.
    pub fn assume(
        &mut self,
        pairs: &[(u32, u32)],
        rule: Rule<u32>,
        limit: usize,
    ) -> Result<(), NoFixpoint> {
        for &(from, to) in pairs {
            self.add(from, to, rule)?;
            // Applies R7 without waiting until `to` is visited.
            self.add_readers(from, to)?;
        }
        self.saturate(limit)
    }

    /// Whether `first` is known to precede `second`. Under PSO, if `first` is a plain store the
    /// two must be of one location.
    pub fn precedes(&self, first: u32, second: u32) -> bool {
        debug_assert!(self.events.is_global(first) || self.same_location(first, second));
        self.events.precedes(&self.clocks, first, second)
    }

    /// The clock of an event.
    pub fn clock(&self, event: u32) -> &[u32] {
        self.clocks.of(event)
    }

    /// Ranks the events again, by the number of events of main chains known to precede them. A write is
    /// ranked by the average of its readers if that is larger, so that it does not lock its location for
    /// long. For unordered events this is a good guess of their order. To be called at a fixpoint.
    pub fn rank_by_past(&mut self) {
        let main = ..self.events.threads;
        let known = |event: u32| self.clock(event)[main].iter();
        let past = |event: u32| -> u64 { known(event).map(|&known| u64::from(known)).sum() };
        let rank_of = |event: u32| {
            let readers = self.events.readers.of(event);
            let of_readers: u64 = readers.iter().map(|&reader| past(reader)).sum();
            past(event).max(of_readers / readers.len().max(1) as u64)
        };
        let mut order: Vec<(u64, u32, u32)> = (0..self.events.len() as u32)
            .map(|event| (rank_of(event), self.worklist.rank(event), event))
            .collect();
        order.sort_unstable();
        let mut rank = vec![0; order.len()];
        for (at, &(_, _, event)) in order.iter().enumerate() {
            rank[event as usize] = at as u32;
        }
        self.worklist = Worklist::new(rank, self.events.threads);
    }

    /// The rank of each event.
    pub fn ranks(&self) -> Vec<u32> {
        (0..self.events.len() as u32).map(|event| self.worklist.rank(event)).collect()
    }

    /// Under PSO, per main and barrier chain, the first position that a path from a plain store can reach
    /// (see `Accesses::exits`).
    pub fn exits(&self, store: u32) -> Vec<u32> {
        self.accesses.exits(self.events, &self.clocks, store)
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

    /// Marks the current state, so that later changes can be undone.
    pub fn mark(&mut self) -> Mark {
        self.logging = true;
        Mark {
            edges: self.edges.len(),
            clocks: self.trail.len(),
            transits: self.transit_trail.len(),
            visited: self.visited.len(),
        }
    }

    /// Goes back to a mark. Returns the events whose clocks changed; some may occur several times. Events
    /// visited since the mark wait again.
    pub fn undo(&mut self, mark: Mark) -> Vec<u32> {
        let mut changed = Vec::new();
        for old in self.trail.drain(mark.clocks..).rev() {
            self.clocks.restore(old);
            changed.push(old.event);
        }
        changed.dedup();
        for event in self.visited.drain(mark.visited..) {
            self.worklist.push(event);
        }
        self.predecessors.forget();
        self.main_predecessors.forget();
        self.drained_predecessors.forget();
        self.transit_trail.drain(mark.transits..).rev().for_each(|old| self.transits.restore(old));
        for edge in self.edges.drain(mark.edges..).rev() {
            self.head_out[edge.from as usize] = edge.next_out;
            self.head_in[edge.to as usize] = edge.next_in;
        }
        changed
    }

    /// Goes back to a mark that was set at a fixpoint, and discards all marks.
    pub fn return_to(&mut self, mark: Mark) {
        self.undo(mark);
        self.worklist.clear();
        self.logging = false;
    }

    /// Number of visits so far.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// Number of changes since the first mark that can be undone.
    pub fn trail(&self) -> usize {
        self.trail.len() + self.transit_trail.len() + self.visited.len()
    }

    /// Sets whether a search has placed an event. Everything that precedes it must then be placed too, and
    /// unplaced events count as later.
    pub fn settle(&mut self, event: u32, settled: bool) {
        self.settled[event as usize] = settled;
    }

    /// Records an edge; the clocks follow when its tail is visited.
    ///
    /// # Errors
    /// Returns [`NoFixpoint::Exceeded`] if the bounds do not allow the memory.
    fn link(&mut self, from: u32, to: u32, rule: Option<Rule<u32>>) -> Result<(), NoFixpoint> {
        if !self.bounds.allows_items(&self.edges, 1) {
            return Err(NoFixpoint::Exceeded);
        }
        let number = self.edges.len() as u32;
        self.edges.push(Edge {
            from,
            to,
            rule,
            next_out: self.head_out[from as usize],
            next_in: self.head_in[to as usize],
        });
        self.head_out[from as usize] = number;
        self.head_in[to as usize] = number;
        Ok(())
    }

    /// Adds an edge unless the order is known.
    fn add(&mut self, from: u32, to: u32, rule: Rule<u32>) -> Result<(), NoFixpoint> {
        if from != to && self.precedes(from, to) {
            return Ok(());
        }
        let closes = from != to
            && (self.events.is_global(to) || self.same_location(from, to))
            && self.precedes(to, from);
        self.link(from, to, Some(rule))?;
        if closes {
            return Err(NoFixpoint::Cycle(to));
        }
        self.pass(from, to, false)
    }

    fn same_location(&self, first: u32, second: u32) -> bool {
        self.events.location[first as usize] == self.events.location[second as usize]
    }

    /// Passes the clock of `from`, and `from` itself, to `to`.
    fn pass(&mut self, from: u32, to: u32, is_transit: bool) -> Result<(), NoFixpoint> {
        let mut row = std::mem::take(&mut self.scratch);
        self.load(from, &mut row);
        let result = self.join(from, &row, to, is_transit);
        self.scratch = row;
        result
    }

    /// The clock of an event with the event itself.
    fn load(&self, event: u32, row: &mut [u32]) {
        row.copy_from_slice(self.clock(event));
        let slot = self.events.slot[event as usize] as usize;
        row[slot] = row[slot].max(self.events.position[event as usize]);
    }

    fn join(
        &mut self,
        from: u32,
        row: &[u32],
        to: u32,
        is_transit: bool,
    ) -> Result<(), NoFixpoint> {
        let (global, width) = (self.events.global_slots(), self.events.width);
        let slots = if is_transit {
            global..width
        } else if self.has_transit && !self.same_location(from, to) {
            0..global
        } else {
            0..width
        };
        let own = self.events.slot[to as usize] as usize;
        let position = self.events.position[to as usize];
        if is_transit && row[own] >= position {
            // Such a cycle also appears in a main chain, along edges that can be cited in a proof.
            let mut row = row.to_vec();
            row[own] = position - 1;
            return self.join(from, &row, to, is_transit);
        }
        let row = &row[slots.clone()];
        let clock = &mut self.clocks.of_mut(to)[slots.clone()];
        if !clocks::is_exceeded(clock, row) {
            return Ok(());
        }
        if self.logging {
            if !self.bounds.allows_items(&self.trail, row.len()) {
                return Err(NoFixpoint::Exceeded);
            }
            for (at, (have, news)) in clock.iter_mut().zip(row).enumerate() {
                if news > have {
                    self.trail.push(Overwritten {
                        event: to,
                        column: (slots.start + at) as u32,
                        value: *have,
                    });
                }
            }
        }
        clocks::join(clock, row);
        self.worklist.push(to);
        if self.clocks.of(to)[own] >= position {
            return Err(NoFixpoint::Cycle(to));
        }
        Ok(())
    }

    /// Passes an event's clock on and applies the rules to it.
    fn visit(&mut self, event: u32) -> Result<(), NoFixpoint> {
        self.receive(event)?;
        while self.worklist.take(event) {
            self.receive(event)?;
        }
        let mut row = std::mem::take(&mut self.scratch);
        self.load(event, &mut row);
        let result = self.pass_on(event, &row);
        self.scratch = row;
        result?;
        if self.events.source[event as usize] < INITIAL {
            self.apply_r6(event)?;
        }
        Ok(())
    }

    /// Adds the edges into an event that follow from its clock.
    fn receive(&mut self, event: u32) -> Result<(), NoFixpoint> {
        if self.has_transit && self.events.location[event as usize] != NONE {
            self.receive_transit(event)?;
        }
        if self.events.writes(event) {
            self.apply_r7(event)?;
        }
        Ok(())
    }

    fn pass_on(&mut self, event: u32, row: &[u32]) -> Result<(), NoFixpoint> {
        let events = self.events;
        for &next in events.po().of(event) {
            self.join(event, row, next, false)?;
        }
        let mut edge = self.head_out[event as usize];
        while edge != NONE {
            let Edge { to, rule, next_out, .. } = self.edges[edge as usize];
            self.join(event, row, to, rule.is_none())?;
            edge = next_out;
        }
        Ok(())
    }

    /// The writes of an event's location that [`PredecessorCache::ahead`] finds, without those that a
    /// search has placed.
    fn writes_ahead(&mut self, known: Option<u32>, event: u32) -> Vec<u32> {
        let mut found = std::mem::take(&mut self.found);
        let view = (self.events, &self.clocks, self.events.write_index());
        self.predecessors.ahead(view, known, event, &mut found);
        found.retain(|&write| !self.settled[write as usize]);
        found
    }

    /// Applies R6: writes that precede a read precede its source.
    fn apply_r6(&mut self, read: u32) -> Result<(), NoFixpoint> {
        let source = self.events.source[read as usize];
        if self.settled[source as usize] {
            return Ok(());
        }
        let found = self.writes_ahead(Some(source), read);
        for &write in found.iter().filter(|&&write| write != source) {
            self.add(write, source, Rule::Observed(read))?;
        }
        self.found = found;
        Ok(())
    }

    /// Applies R7: readers of writes that precede a write precede it too. If such a write precedes another
    /// one that precedes this write, its readers need only precede that one.
    fn apply_r7(&mut self, write: u32) -> Result<(), NoFixpoint> {
        let found = self.writes_ahead(None, write);
        for &source in &found {
            self.add_readers(source, write)?;
        }
        self.found = found;
        Ok(())
    }

    /// Applies R7 to a write that precedes another.
    fn add_readers(&mut self, source: u32, write: u32) -> Result<(), NoFixpoint> {
        let events = self.events;
        for &reader in events.readers.of(source) {
            if reader != write {
                self.add(reader, write, Rule::Overtaken)?;
            }
        }
        Ok(())
    }
}
