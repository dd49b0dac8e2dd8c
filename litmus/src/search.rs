//! Enumerates all executions of a candidate that a model allows ([`executions`]).
//!
//! The search chooses the source of each read, then the order of each pair of writes to a location. It
//! keeps two partial orders: `local`, in which each location is coherent (program order of the location,
//! reads-from, coherence order, from-reads), and `global`, the memory order of the model. A choice that
//! would make a cycle in either is given up at once. Values are computed as soon as the sources they
//! depend on are chosen, so a path that they contradict is given up early, too.
//!
//! Where accesses were cut into parts, [`Ties`] says what the memory order of one part means for the others.

use host::Bounds;
use memory::Model;

use crate::candidate::{Candidate, ReadSource, ReadValues};
use crate::order::{PartialOrder, bits};
use crate::parts::Piece;
use crate::preserved::{Preserved, Ties};
use crate::test::LitmusTest;
use crate::value::Value;

/// An execution that the model allows.
pub(crate) struct Execution<'s> {
    /// Its events.
    pub candidate: &'s Candidate<'s>,
    /// The source of each read; of other events, [`ReadSource::Initial`].
    pub sources: &'s [ReadSource],
    pub(crate) reads: &'s ReadValues,
    /// Orders the writes of a location as coherence does.
    pub(crate) local: &'s PartialOrder,
}

/// Whether a search continues, or the error that ends it.
pub(crate) type SearchResult<E> = Result<bool, E>;

/// Calls `see` for each execution of a candidate that the model allows, until `see` returns false or an error, or a
/// bound is met. Returns false if `see` did or a bound was met.
pub(crate) fn executions<'c, E>(
    test: &'c LitmusTest,
    candidate: &'c Candidate<'c>,
    model: Model,
    bounds: &'c Bounds,
    see: &mut dyn FnMut(&Execution<'_>) -> SearchResult<E>,
) -> SearchResult<E> {
    let rules = Rules::Model {
        forwards: model.forwards(),
        pairs_across_own_writes: model.pairs_across_own_writes(),
        preserved: Preserved::of(candidate, model),
        ties: Ties::of(candidate, model),
    };
    let mut search = Search::new(test, candidate, rules, bounds, see);
    if !search.start() {
        return Ok(true);
    }
    search.choose_source(0)
}

/// Calls `see` for each choice of sources with which the threads of a candidate take its paths, whatever a memory
/// model allows, until `see` returns false or an error. A read may return any write but a later one of its own
/// thread. Returns false if `see` did.
pub(crate) fn runs<'c, E>(
    test: &'c LitmusTest,
    candidate: &'c Candidate<'c>,
    bounds: &'c Bounds,
    see: &mut dyn FnMut(&Execution<'_>) -> SearchResult<E>,
) -> SearchResult<E> {
    Search::new(test, candidate, Rules::None, bounds, see).choose_source(0)
}

/// The orders that an execution must have.
enum Rules {
    /// The orders that a memory model requires.
    Model {
        /// Whether a thread may read its own stores before others can.
        forwards: bool,
        /// Whether no write of another thread may come between the read and the write of a pair even if the pair's
        /// own thread wrote the location in between.
        pairs_across_own_writes: bool,
        preserved: Preserved,
        ties: Ties,
    },
    /// No order is required.
    None,
}

struct Search<'c, 'f, E> {
    test: &'c LitmusTest,
    candidate: &'c Candidate<'c>,
    rules: Rules,
    /// The limits of the search, which stops when one is met.
    bounds: &'c Bounds,
    /// The reads, whose sources are chosen in this order.
    reads: Vec<usize>,
    /// Per place, its writes as bits.
    writes: Vec<u64>,
    /// The pairs of writes to one place.
    pairs: Vec<(usize, usize)>,
    sources: Vec<ReadSource>,
    /// Per write, the reads that return it, as bits.
    readers: Vec<u64>,
    values: ReadValues,
    local: PartialOrder,
    global: PartialOrder,
    saved: Vec<u64>,
    see: &'f mut dyn FnMut(&Execution<'_>) -> SearchResult<E>,
}

impl<'c, 'f, E> Search<'c, 'f, E> {
    fn new(
        test: &'c LitmusTest,
        candidate: &'c Candidate<'c>,
        rules: Rules,
        bounds: &'c Bounds,
        see: &'f mut dyn FnMut(&Execution<'_>) -> SearchResult<E>,
    ) -> Self {
        let count = candidate.events.len();
        Search {
            test,
            candidate,
            rules,
            bounds,
            reads: candidate.all_reads().collect(),
            writes: candidate.writes_by_place(),
            pairs: Vec::new(),
            sources: vec![ReadSource::Initial; count],
            readers: vec![0; count],
            values: ReadValues { values: vec![Piece::Whole(Value::ZERO); count], known: 0 },
            local: PartialOrder::new(count),
            global: PartialOrder::new(count),
            saved: Vec::new(),
            see,
        }
    }

    /// Sets up the orders that hold in every execution; returns false if no execution is possible.
    fn start(&mut self) -> bool {
        for second in 0..self.candidate.events.len() {
            for first in self.candidate.before(second) {
                if self.candidate.same_place(first, second) && !self.local.add(first, second) {
                    return false;
                }
            }
        }
        for set in &self.writes {
            for second in bits(*set) {
                let earlier = *set & ((1 << second) - 1);
                self.pairs.extend(bits(earlier).map(|first| (first, second)));
            }
        }
        let Rules::Model { preserved, .. } = &self.rules else {
            return true;
        };
        let always: Vec<(usize, usize)> = preserved.always.pairs().collect();
        always.into_iter().all(|(first, second)| self.precede(first, second))
    }

    /// Orders two events in `global`, with the other parts of their accesses as far as they are tied to them; returns
    /// false if that makes a cycle.
    fn precede(&mut self, first: usize, second: usize) -> bool {
        let ties = match &self.rules {
            Rules::Model { ties, .. } => ties,
            Rules::None => &Ties::Uncut,
        };
        match ties {
            Ties::Uncut => self.global.add(first, second),
            Ties::Whole(representative) => {
                let (first, second) = (representative[first], representative[second]);
                first == second || self.global.add(first, second)
            }
            Ties::Reached { hazards } => {
                let is_observed = self.candidate.events[second].writes()
                    || !self.candidate.same_thread(first, second);
                let reached =
                    if is_observed { self.candidate.siblings(second) } else { 1 << second };
                // Reads of the same bytes before a read that another thread overwrites.
                let is_read = !self.candidate.events[first].writes();
                let is_overwritten =
                    is_read && is_observed && !self.candidate.same_thread(first, second);
                let before = if is_overwritten { hazards[first] } else { 0 };
                let global = &mut self.global;
                bits(before | 1 << first)
                    .all(|first| bits(reached).all(|second| global.add(first, second)))
            }
        }
    }

    fn save(&mut self) {
        self.local.save(&mut self.saved);
        self.global.save(&mut self.saved);
    }

    fn restore(&mut self) {
        self.global.restore(&mut self.saved);
        self.local.restore(&mut self.saved);
    }

    /// Orders two events in `local` and in `global`; returns false if that makes a cycle.
    fn order(&mut self, first: usize, second: usize) -> bool {
        self.local.add(first, second) && self.precede(first, second)
    }

    /// The writes to the place of an event.
    fn writes_to(&self, event: usize) -> u64 {
        self.candidate.events[event].place.map_or(0, |place| self.writes[place])
    }

    /// Tries all sources of the reads from number `at` on.
    fn choose_source(&mut self, at: usize) -> SearchResult<E> {
        if self.bounds.passed() {
            return Ok(false);
        }
        let Some(&read) = self.reads.get(at) else {
            return self.with_sources();
        };
        let writes = self.writes_to(read) & !(1 << read);
        let thread = self.candidate.events[read].thread;
        let is_own = |write: &usize| self.candidate.events[*write].thread == thread;
        let own: u64 = bits(writes).filter(is_own).map(|write| 1 << write).sum();
        let earlier = own & ((1 << read) - 1);
        let last_own = bits(earlier).last();
        let first = last_own.map_or(ReadSource::Initial, ReadSource::Write);
        let (first, others) = match self.rules {
            Rules::Model { .. } => (first, writes & !own),
            Rules::None => (ReadSource::Initial, writes & !own | earlier),
        };
        let others = bits(others).map(ReadSource::Write);
        for source in std::iter::once(first).chain(others) {
            if !self.try_source(at, read, source, last_own)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Continues the search with `source` as the source of `read`; `last_own` is the last earlier write of the same
    /// thread to the location.
    fn try_source(
        &mut self,
        at: usize,
        read: usize,
        source: ReadSource,
        last_own: Option<usize>,
    ) -> SearchResult<E> {
        let known = self.values.known;
        self.save();
        self.sources[read] = source;
        if let ReadSource::Write(write) = source {
            self.readers[write] |= 1 << read;
        }
        let goes_on = if self.order_source(read, source, last_own) && self.learn(at) {
            self.choose_source(at + 1)
        } else {
            Ok(true)
        };
        if let ReadSource::Write(write) = source {
            self.readers[write] &= !(1 << read);
        }
        self.values.known = known;
        self.restore();
        goes_on
    }

    fn order_source(&mut self, read: usize, source: ReadSource, last_own: Option<usize>) -> bool {
        let Rules::Model { forwards, .. } = self.rules else {
            return true;
        };
        match source {
            ReadSource::Initial => {
                let mut later = bits(self.writes_to(read) & !(1 << read));
                later.all(|write| self.order(read, write))
            }
            ReadSource::Write(write) => {
                let is_own = self.candidate.same_thread(write, read);
                if !self.local.add(write, read) {
                    return false;
                }
                if (!is_own || !forwards) && !self.precede(write, read) {
                    return false;
                }
                // The last write of the reading thread precedes the write that it reads.
                last_own.filter(|_| !is_own).is_none_or(|own| self.order(own, write))
            }
        }
    }

    /// Computes the values that the sources of the reads up to number `at` determine; returns false if the values
    /// contradict the paths of the threads.
    fn learn(&mut self, at: usize) -> bool {
        let before = self.values.known;
        loop {
            let known = self.values.known;
            for &read in &self.reads[..=at] {
                if self.values.known & (1 << read) != 0 {
                    continue;
                }
                let value = match self.sources[read] {
                    ReadSource::Initial => {
                        let place = self.candidate.place(read);
                        place.map(|place| Ok(self.test.initial(place)))
                    }
                    ReadSource::Write(write) => self.candidate.written(write, &self.values),
                };
                if let Some(Ok(value)) = value {
                    self.values.values[read] = value;
                    self.values.known |= 1 << read;
                }
            }
            if self.values.known == known {
                break;
            }
        }
        let news = self.values.known & !before;
        // A constraint that cannot be computed is an error only if the execution is allowed
        // (`Execution::is_computed`).
        self.candidate.constraints_hold(&self.values, news).unwrap_or(true)
    }

    /// Continues the search when all sources are chosen.
    fn with_sources(&mut self) -> SearchResult<E> {
        let Rules::Model { preserved, .. } = &self.rules else {
            return self.show();
        };
        self.local.save(&mut self.saved);
        self.global.save(&mut self.saved);
        let apart = preserved.if_apart.iter().copied();
        let apart: Vec<(usize, usize)> =
            apart.filter(|(first, second)| self.sources[*first] != self.sources[*second]).collect();
        let is_possible = apart.into_iter().all(|(first, second)| self.precede(first, second));
        let goes_on = if is_possible { self.order_writes(0) } else { Ok(true) };
        self.restore();
        goes_on
    }

    /// Tries all orders of the pairs of writes from number `at` on.
    fn order_writes(&mut self, at: usize) -> SearchResult<E> {
        if self.bounds.passed() {
            return Ok(false);
        }
        let Some(&(first, second)) = self.pairs.get(at) else {
            return self.finish();
        };
        for (first, second) in [(first, second), (second, first)] {
            self.save();
            let mut later = bits(self.readers[first] & !(1 << second));
            let is_possible =
                self.order(first, second) && later.all(|read| self.order(read, second));
            let goes_on = if is_possible { self.order_writes(at + 1) } else { Ok(true) };
            self.restore();
            if !goes_on? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn finish(&mut self) -> SearchResult<E> {
        if !(0..self.candidate.events.len()).all(|write| self.is_atomic(write)) {
            return Ok(true);
        }
        if !self.candidate.is_cut() {
            return self.show();
        }
        self.save();
        let goes_on = if self.guard_reservations() { self.show() } else { Ok(true) };
        self.restore();
        goes_on
    }

    /// Orders each store-conditional before the writes of other threads to the bytes that its load-reserved read and it
    /// does not write itself; returns false if that makes a cycle. For the bytes that it writes, coherence says the same
    /// (`is_atomic`).
    fn guard_reservations(&mut self) -> bool {
        let candidate = self.candidate;
        let pairs =
            candidate.accesses.iter().filter_map(|access| Some((access.access, access.pair?)));
        for (store, load) in pairs {
            let parts = |access: usize| {
                (0..candidate.events.len())
                    .filter(move |part| candidate.events[*part].access == access)
            };
            let Some(written) = parts(store).next() else {
                continue;
            };
            let is_written =
                |read: &usize| parts(store).any(|write| candidate.same_place(write, *read));
            for read in parts(load).filter(|read| !is_written(read)) {
                let follows = |write: &usize| match self.sources[read] {
                    ReadSource::Initial => true,
                    ReadSource::Write(source) => self.local.precedes(source, *write),
                };
                let foreign = |write: &usize| !candidate.same_thread(*write, written);
                let later = bits(self.writes_to(read)).filter(foreign).filter(follows);
                let later: Vec<usize> = later.collect();
                if !later.into_iter().all(|write| self.precede(written, write)) {
                    return false;
                }
            }
        }
        true
    }

    fn show(&mut self) -> SearchResult<E> {
        (self.see)(&Execution {
            candidate: self.candidate,
            sources: &self.sources,
            reads: &self.values,
            local: &self.local,
        })
    }

    /// Whether no write of another thread comes between the read and the write of a pair; or whether the
    /// pair promises nothing, because its own thread wrote the location in between.
    fn is_atomic(&self, write: usize) -> bool {
        let Some(read) = self.candidate.events[write].pair else {
            return true;
        };
        if let Rules::Model { pairs_across_own_writes: false, .. } = self.rules {
            let same = |other: usize| self.candidate.same_thread(other, write);
            if bits(self.writes_to(write)).any(|own| same(own) && read < own && own < write) {
                return true;
            }
        }
        let is_between = |other: usize| {
            let follows = match self.sources[read] {
                ReadSource::Initial => true,
                ReadSource::Write(source) => self.local.precedes(source, other),
            };
            follows
                && self.local.precedes(other, write)
                && !self.candidate.same_thread(other, write)
        };
        !bits(self.writes_to(write)).any(is_between)
    }
}
