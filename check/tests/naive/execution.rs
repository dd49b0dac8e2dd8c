//! [`Events`], what a run consists of for a model, and [`Candidate`], a way in which it may have come about: a source for
//! each read, and an order of the writes to each location.

use crate::atoms::{Atom, Atoms};
use crate::models::Axioms;
use crate::relation::Relation;
use crate::run::{Annotation, Dependency, FENCES, Kind, Run};

/// How operations on several locations are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Granularity {
    /// Each operation is one event.
    Whole,
    /// Each operation has an event for each of its locations, one after the other.
    Split,
}

/// What a read says whose value the record does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unshown {
    /// It returned some value: the read has a source, which orders it.
    SomeValue,
    /// Nothing, as if it had no source.
    Nothing,
}

/// One location of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub atom: Atom,
    pub read: Option<u64>,
    pub written: Option<u64>,
}

/// An event: an access, a part of one, or a fence.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub thread: usize,
    /// Index of the operation in its thread.
    pub index: usize,
    pub kind: Kind,
    pub reads: bool,
    pub writes: bool,
    pub annotation: Annotation,
    /// Empty for a fence.
    pub parts: Vec<Part>,
    pub issued: Option<u64>,
    pub completed: Option<u64>,
}

impl Event {
    pub(crate) fn is_access(&self) -> bool {
        self.reads || self.writes
    }

    pub(crate) fn part(&self, atom: Atom) -> Option<&Part> {
        self.parts.iter().find(|part| part.atom == atom)
    }

    pub(crate) fn overlaps(&self, other: &Event) -> bool {
        self.parts.iter().any(|part| other.part(part.atom).is_some())
    }

    fn same_place(&self, other: &Event) -> bool {
        let atoms = |event: &Event| event.parts.iter().map(|part| part.atom).collect::<Vec<_>>();
        atoms(self) == atoms(other)
    }
}

/// The events of a run, thread by thread in program order.
#[derive(Debug)]
pub(crate) struct Events {
    pub all: Vec<Event>,
    /// Per event, the dependencies on earlier events.
    depends: Vec<Vec<(Dependency, usize)>>,
    /// Per location, the value at the start; `None` if it is unknown.
    initial: Vec<Option<u64>>,
    /// Per location, the value at the end, if it is stated.
    finals: Vec<Option<u64>>,
}

impl Events {
    /// The events of a run without silent read-modify-writes. With `splits_atomics`, a read-modify-write is two events.
    pub(crate) fn of(run: &Run, splits_atomics: bool, granularity: Granularity) -> Events {
        let atoms = Atoms::of(run);
        let mut events = Events {
            all: Vec::new(),
            depends: Vec::new(),
            initial: atoms.initial(run),
            finals: atoms.finals(run),
        };
        for (thread, operations) in run.threads.iter().enumerate() {
            for (index, operation) in operations.iter().enumerate() {
                let parts = |place| {
                    let cut = |value| atoms.cut(place, value);
                    let parts =
                        cut(operation.read.unwrap_or(0)).zip(cut(operation.written.unwrap_or(0)));
                    let shown = |((atom, from), (_, to))| Part {
                        atom,
                        read: operation.read.map(|_| from),
                        written: operation.written.map(|_| to),
                    };
                    parts.map(shown).collect()
                };
                let whole: Vec<Part> = operation.place.map_or(Vec::new(), parts);
                let pieces: Vec<Vec<Part>> = match granularity {
                    Granularity::Split if !whole.is_empty() => {
                        whole.into_iter().map(|part| vec![part]).collect()
                    }
                    _ => vec![whole],
                };
                for parts in pieces {
                    let event = Event {
                        thread,
                        index,
                        kind: operation.kind,
                        reads: operation.kind.reads(),
                        writes: operation.kind.writes(),
                        annotation: operation.annotation,
                        parts,
                        issued: operation.issued,
                        completed: operation.completed,
                    };
                    events.push(event, splits_atomics, &operation.depends);
                }
            }
        }
        events
    }

    fn push(&mut self, event: Event, splits_atomics: bool, depends: &[(Dependency, usize)]) {
        let halves = if splits_atomics && event.reads && event.writes {
            vec![Event { writes: false, ..event.clone() }, Event { reads: false, ..event }]
        } else {
            vec![event]
        };
        for half in halves {
            // What an atomic returns, its read does.
            let returns = |earlier: &Event| earlier.reads || !earlier.kind.reads();
            // An atomic that depends on itself does so location by location.
            let is_source = |on: usize, earlier: &Event| {
                earlier.thread == half.thread
                    && earlier.index == on
                    && returns(earlier)
                    && (on != half.index || earlier.same_place(&half))
            };
            let sources = |on: usize| {
                let all = self.all.iter().enumerate();
                let own = all.filter(|(_, earlier)| is_source(on, earlier));
                own.map(|(at, _)| at).collect::<Vec<_>>()
            };
            let is_of_half = |kind: Dependency| match kind {
                Dependency::Data | Dependency::Choice => half.writes,
                Dependency::Address | Dependency::Control => true,
            };
            let depends = depends.iter().filter(|(kind, _)| is_of_half(*kind));
            let own: Vec<(Dependency, usize)> = depends
                .flat_map(|&(kind, on)| sources(on).into_iter().map(move |on| (kind, on)))
                .collect();
            self.depends.push(own);
            self.all.push(half);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn relation(&self, holds: impl Fn(usize, usize) -> bool) -> Relation {
        Relation::of(self.len(), holds)
    }

    /// Whether the events are of one thread, `a` before `b` in program order.
    pub(crate) fn po(&self, a: usize, b: usize) -> bool {
        a < b && self.all[a].thread == self.all[b].thread
    }

    /// Whether the events are of one operation: parts of an access, or the read and the write of an atomic.
    pub(crate) fn of_one_operation(&self, a: usize, b: usize) -> bool {
        let operation = |at: usize| (self.all[at].thread, self.all[at].index);
        operation(a) == operation(b)
    }

    /// Whether both are accesses of one thread, `a` before `b`, and overlap.
    pub(crate) fn po_loc(&self, a: usize, b: usize) -> bool {
        self.po(a, b) && self.all[a].overlaps(&self.all[b])
    }

    pub(crate) fn depends(&self, b: usize, kind: Dependency, a: usize) -> bool {
        self.depends[b].contains(&(kind, a))
    }

    /// Whether a branch that depends on `a` comes before `b`.
    pub(crate) fn is_controlled(&self, a: usize, b: usize) -> bool {
        let mut branches = (a + 1..=b).filter(|&at| self.po(a, at));
        branches.any(|at| self.depends(at, Dependency::Control, a))
    }

    /// Whether a fence between the two events orders them.
    pub(crate) fn is_fenced(&self, a: usize, b: usize) -> bool {
        let (first, second) = (&self.all[a], &self.all[b]);
        let reads_first = first.reads && first.annotation.returns();
        (a + 1..b).filter(|_| self.po(a, b)).any(|at| match self.all[at].kind {
            Kind::Fence(fence) if fence == FENCES[0] => first.is_access() && second.is_access(),
            Kind::Fence(fence) => {
                (reads_first && second.reads && fence.read_read)
                    || (reads_first && second.writes && fence.read_write)
                    || (first.writes && second.reads && fence.write_read)
                    || (first.writes && second.writes && fence.write_write)
            }
            _ => false,
        })
    }

    /// The latest write before the event in its thread, at a location.
    pub(crate) fn own_write_before(&self, event: usize, atom: Atom) -> Option<usize> {
        let is_write = |at: usize| self.all[at].writes && self.all[at].part(atom).is_some();
        (0..event).rev().find(|&at| self.po(at, event) && is_write(at))
    }

    /// The load-linked of each store-conditional, and the read of each atomic that is two events, with its write. A
    /// store-conditional belongs to the nearest load-linked before it in its thread that is of the same place, with no other
    /// store-conditional to it in between.
    pub(crate) fn pairs(&self) -> Vec<(usize, usize)> {
        let load_of = |write: usize| {
            let event = &self.all[write];
            let mut earlier =
                (0..write).rev().filter(|&at| self.po(at, write) && self.all[at].same_place(event));
            match event.kind {
                Kind::StoreConditional => {
                    let marked = |&at: &usize| {
                        matches!(self.all[at].kind, Kind::LoadLinked | Kind::StoreConditional)
                    };
                    let found = earlier.find(marked)?;
                    (self.all[found].kind == Kind::LoadLinked).then_some(found)
                }
                Kind::Rmw if event.writes && !event.reads => earlier.next(),
                _ => None,
            }
        };
        (0..self.len()).filter_map(|write| Some((load_of(write)?, write))).collect()
    }

    /// Whether the thread wrote the location of a pair between the two.
    pub(crate) fn is_crossed(&self, (read, write): (usize, usize)) -> bool {
        let is_write = |at: usize| self.all[at].writes && self.all[at].overlaps(&self.all[write]);
        (read + 1..write).any(is_write)
    }

    pub(crate) fn atoms(&self) -> usize {
        self.initial.len()
    }
}

/// The source of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Initial,
    Write(usize),
}

/// A way in which a run may have come about.
#[derive(Debug)]
pub(crate) struct Candidate<'e> {
    pub events: &'e Events,
    /// The sources of reads, with the location.
    pub rf: Vec<(usize, Atom, Source)>,
    /// Per location, its writes in coherence order.
    pub co: Vec<Vec<usize>>,
}

impl Candidate<'_> {
    pub(crate) fn source(&self, read: usize, atom: Atom) -> Option<Source> {
        let found = self.rf.iter().find(|(event, at, _)| (*event, *at) == (read, atom));
        found.map(|(_, _, source)| *source)
    }

    /// The writes of a location that follow a source in coherence order.
    fn later(&self, source: Source, atom: Atom) -> &[usize] {
        let order = &self.co[atom];
        match source {
            Source::Initial => order,
            Source::Write(write) => match order.iter().position(|&at| at == write) {
                Some(at) => &order[at + 1..],
                None => &[],
            },
        }
    }

    /// Reads-from, at one location or at all.
    pub(crate) fn rf(&self, only: Option<Atom>) -> Relation {
        let mut rf = Relation::empty(self.events.len());
        for &(read, atom, source) in &self.rf {
            if let (Source::Write(write), true) = (source, only.is_none_or(|only| only == atom)) {
                rf.add(write, read);
            }
        }
        rf
    }

    /// Coherence order, at one location or at all.
    pub(crate) fn co(&self, only: Option<Atom>) -> Relation {
        let mut co = Relation::empty(self.events.len());
        for (atom, order) in self.co.iter().enumerate() {
            if only.is_some_and(|only| only != atom) {
                continue;
            }
            for (at, &first) in order.iter().enumerate() {
                order[at + 1..].iter().for_each(|&second| co.add(first, second));
            }
        }
        co
    }

    /// From-reads, at one location or at all: a read precedes the writes that follow its source.
    pub(crate) fn fr(&self, only: Option<Atom>) -> Relation {
        let mut fr = Relation::empty(self.events.len());
        for &(read, atom, source) in &self.rf {
            if only.is_some_and(|only| only != atom) {
                continue;
            }
            let later = self.later(source, atom).iter().filter(|&&write| write != read);
            later.for_each(|&write| fr.add(read, write));
        }
        fr
    }

    /// The pairs of a relation that are of different threads.
    pub(crate) fn external(&self, relation: &Relation) -> Relation {
        let all = &self.events.all;
        self.events.relation(|a, b| relation.has(a, b) && all[a].thread != all[b].thread)
    }

    /// Whether a write of another thread comes between the source of a read and a write, at some location of the write.
    pub(crate) fn has_foreign_between(&self, (read, write): (usize, usize)) -> bool {
        let all = &self.events.all;
        all[write].parts.iter().any(|part| {
            let Some(source) = self.source(read, part.atom) else { return false };
            let later = self.later(source, part.atom).iter();
            let mut between = later.take_while(|&&at| at != write);
            between.any(|&at| all[at].thread != all[write].thread)
        })
    }
}

/// Largest number of choices of all sources that are tried for a run. Few runs in 100,000 have more: those with many writes that show
/// no value.
const MOST_CHOICES: u64 = 200_000;

/// Whether some candidate satisfies the axioms of the model; `None` if there are too many. The run has no silent read-modify-writes.
pub(crate) fn is_allowed(
    run: &Run,
    model: &dyn Axioms,
    granularity: Granularity,
    unshown: Unshown,
) -> Option<bool> {
    let events = Events::of(run, model.splits_atomics(), granularity);
    let local = model.local_order(&events);
    let atoms = events.atoms();
    let mut search = Search {
        model,
        local,
        values: Values {
            initial: events.initial.clone(),
            written: events
                .all
                .iter()
                .map(|event| {
                    let written = |atom| event.part(atom).and_then(|part| part.written);
                    (0..atoms).map(written).collect()
                })
                .collect(),
        },
        candidate: Candidate { events: &events, rf: Vec::new(), co: vec![Vec::new(); atoms] },
        choices: 0,
    };
    let reads = events.all.iter().enumerate().filter(|(_, event)| event.reads);
    let reads = reads
        .flat_map(|(at, event)| event.parts.iter().map(move |part| (at, part.atom, part.read)));
    let has_source = |read: &(_, _, Option<u64>)| read.2.is_some() || unshown == Unshown::SomeValue;
    let reads: Vec<(usize, Atom, Option<u64>)> = reads.filter(has_source).collect();
    let is_allowed = search.choose_sources(&reads);
    (search.choices <= MOST_CHOICES).then_some(is_allowed)
}

/// The values that are known so far. A value that the record does not show becomes known when a read takes it.
struct Values {
    initial: Vec<Option<u64>>,
    /// By event and location.
    written: Vec<Vec<Option<u64>>>,
}

impl Values {
    fn of(&mut self, source: Source, atom: Atom) -> &mut Option<u64> {
        match source {
            Source::Initial => &mut self.initial[atom],
            Source::Write(write) => &mut self.written[write][atom],
        }
    }
}

struct Search<'a, 'e> {
    model: &'a dyn Axioms,
    local: Relation,
    values: Values,
    candidate: Candidate<'e>,
    /// Number of choices of all sources that have been tried.
    choices: u64,
}

impl Search<'_, '_> {
    fn writes_of(&self, atom: Atom) -> Vec<usize> {
        let all = &self.candidate.events.all;
        let is_write = |at: &usize| all[*at].writes && all[*at].part(atom).is_some();
        (0..all.len()).filter(is_write).collect()
    }

    /// Tries every source of the reads that are left.
    fn choose_sources(&mut self, reads: &[(usize, Atom, Option<u64>)]) -> bool {
        let Some((&(read, atom, value), rest)) = reads.split_first() else {
            self.choices += 1;
            // Beyond the limit the search ends, whatever it would find.
            return self.choices > MOST_CHOICES || self.choose_orders(0);
        };
        let writes = self.writes_of(atom).into_iter().filter(|&write| write != read);
        let sources: Vec<Source> =
            std::iter::once(Source::Initial).chain(writes.map(Source::Write)).collect();
        for source in sources {
            let known = *self.values.of(source, atom);
            if known.is_some() && value.is_some() && known != value {
                continue;
            }
            *self.values.of(source, atom) = known.or(value);
            self.candidate.rf.push((read, atom, source));
            let is_allowed = self.choose_sources(rest);
            self.candidate.rf.pop();
            *self.values.of(source, atom) = known;
            if is_allowed {
                return true;
            }
        }
        false
    }

    /// Tries every coherence order of the locations from `atom` on.
    fn choose_orders(&mut self, atom: Atom) -> bool {
        if atom == self.candidate.co.len() {
            return self.model.allows(&self.local, &self.candidate);
        }
        let writes = self.writes_of(atom);
        self.extend_order(atom, &writes)
    }

    fn extend_order(&mut self, atom: Atom, left: &[usize]) -> bool {
        if left.is_empty() {
            return self.ends_as_recorded(atom)
                && self.model.is_coherent(&self.candidate, atom)
                && self.choose_orders(atom + 1);
        }
        let events = self.candidate.events;
        for &next in left {
            // Under every model the writes of a thread to a location stay in order.
            if left.iter().any(|&other| events.po(other, next)) {
                continue;
            }
            let rest: Vec<usize> = left.iter().copied().filter(|&other| other != next).collect();
            self.candidate.co[atom].push(next);
            let is_allowed = self.extend_order(atom, &rest);
            self.candidate.co[atom].pop();
            if is_allowed {
                return true;
            }
        }
        false
    }

    fn ends_as_recorded(&mut self, atom: Atom) -> bool {
        let Some(expected) = self.candidate.events.finals[atom] else { return true };
        let last = self.candidate.co[atom].last();
        let source = last.map_or(Source::Initial, |&write| Source::Write(write));
        self.values.of(source, atom).is_none_or(|value| value == expected)
    }
}
