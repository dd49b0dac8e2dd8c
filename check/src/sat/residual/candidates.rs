//! Encodes the choice of a source for each read and final value that has several candidates.

use history::{History, OpId, ReadSource, ReadsFrom};
use rustc_hash::FxHashMap;

use super::{Candidate, Origin, Reader, Residual};
use crate::engine::events::INITIAL;
use crate::engine::finals::Finals;
use crate::sat::graph::{Arc, Link};
use certify::rule::Rule;

impl Residual<'_, '_, '_> {
    /// Adds the choices of all reads and final values that have several candidates.
    pub(super) fn add_candidates(
        &mut self,
        history: &History,
        reads_from: &ReadsFrom,
        finals: &Finals,
    ) {
        let events = self.events();
        let mut writers: FxHashMap<(u32, u64), Vec<u32>> = FxHashMap::default();
        if reads_from.ambiguous() > 0 {
            for event in (0..events.len() as u32).filter(|&event| events.writes(event)) {
                if let Some(value) = history.written(events.op[event as usize]) {
                    let location = events.location[event as usize];
                    writers.entry((location, value)).or_default().push(event);
                }
            }
        }
        for event in 0..events.len() as u32 {
            let op = events.op[event as usize];
            if let Some(load) = history.linked_load(op)
                && reads_from.source(load) == Some(ReadSource::Ambiguous)
                && let Some(load) = events.event_of(load)
            {
                self.guarded.entry(load).or_default().push(event);
            }
            let (Some(ReadSource::Ambiguous), Some(value)) =
                (reads_from.source(op), history.read(op))
            else {
                continue;
            };
            let location = events.location[event as usize];
            let writers = writers.get(&(location, value)).into_iter().flatten();
            let is_initial = history.may_be_initial(location, value);
            let sources: Vec<u32> = writers
                .copied()
                .filter(|&writer| writer != event)
                .chain(is_initial.then_some(INITIAL))
                .collect();
            self.add_choice(Reader::Event(event), &sources);
        }
        self.agree_on_initial(history);
        for (location, writes) in &finals.open {
            let writes = writes.iter().filter_map(|&write| events.event_of(write));
            let writes: Vec<u32> = writes.collect();
            // Locations that only one thread uses were left out, and end with the right value.
            if !writes.is_empty() {
                self.add_choice(Reader::Final(*location), &writes);
            }
        }
    }

    /// Adds the clauses that reads that take an initial value that is not known agree on it. It is enough that each of them agrees
    /// with the first of its thread, and these with each other: the models keep the order of a thread's reads, so if the
    /// first takes the value of a write, no later one takes the initial value.
    fn agree_on_initial(&mut self, history: &History) {
        let events = self.events();
        let mut first: FxHashMap<(u32, usize), (OpId, i32)> = FxHashMap::default();
        let mut differing = Vec::new();
        for candidate in self.candidates.iter().filter(|it| it.source == INITIAL) {
            let Reader::Event(event) = candidate.reader else { continue };
            let (read, location) = (events.op[event as usize], events.location[event as usize]);
            if history.is_initial_open(location) {
                let own = (location, events.thread(event));
                differing.push((
                    *first.entry(own).or_insert((read, candidate.chosen)),
                    (read, candidate.chosen),
                ));
            }
        }
        let mut firsts: Vec<(u32, OpId, i32)> = first
            .into_iter()
            .map(|((location, _), (read, chosen))| (location, read, chosen))
            .collect();
        firsts.sort_unstable();
        for same in firsts.chunk_by(|a, b| a.0 == b.0) {
            for (at, &(_, read, chosen)) in same.iter().enumerate() {
                differing.extend(same[at + 1..].iter().map(|it| ((read, chosen), (it.1, it.2))));
            }
        }
        differing.retain(|((read, _), (other, _))| history.read(*read) != history.read(*other));
        for ((read, chosen), (other, also)) in differing {
            self.formula.add(vec![-chosen, -also], Origin::OneInitial(read, other));
        }
    }

    /// Adds the clause that the reader takes its value from one of these sources, and excludes those that the
    /// forced order rules out.
    fn add_choice(&mut self, reader: Reader, sources: &[u32]) {
        let guess = self.guess(reader, sources);
        let mut clause = Vec::new();
        for &source in sources {
            let variable = self.formula.variable();
            let chosen = if source == guess { variable } else { -variable };
            self.candidates.push(Candidate { reader, source, chosen });
            clause.push(chosen);
            if let Some(cycle) = self.impossible(chosen, reader, source) {
                self.formula.exclude(cycle);
            }
        }
        let reader = reader.node(self.events());
        self.formula.add(clause, Origin::Candidates(reader));
    }

    /// The source to try first: the candidate of highest rank below the read's; for a final value, the
    /// candidate of highest rank.
    fn guess(&self, reader: Reader, sources: &[u32]) -> u32 {
        let rank = |event: u32| self.rank.get(event as usize).map_or(0, |rank| rank + 1);
        let limit = match reader {
            Reader::Event(read) => rank(read),
            Reader::Final(_) => u32::MAX,
        };
        let before = sources.iter().copied().filter(|&source| rank(source) < limit);
        let best = before.max_by_key(|&source| rank(source));
        best.or(sources.first().copied()).unwrap_or(INITIAL)
    }

    /// A cycle that exists if a read has this source, whatever else is chosen: the source comes after the
    /// read, or another write is forced between the two.
    fn impossible(&self, chosen: i32, reader: Reader, source: u32) -> Option<Vec<Arc>> {
        let Reader::Event(read) = reader else {
            return None;
        };
        let arc = |from, to, link| Arc { from, to, link };
        if source == INITIAL {
            if let Some(own) = self.own_earlier(read) {
                let link = Link::chosen(Rule::OwnEarlier(read), [chosen, 0]);
                return Some(vec![
                    arc(own, INITIAL, link),
                    arc(INITIAL, own, Link::chosen(Rule::InitialFirst, [0, 0])),
                ]);
            }
        } else if !self.is_own(read, source) && self.saturation.precedes(read, source) {
            let link = Link::chosen(Rule::ReadsFrom, [chosen, 0]);
            return Some(vec![arc(source, read, link), arc(read, source, Link::Path)]);
        }
        let between = self.last_before(read).find(|&write| {
            write != source && (source == INITIAL || self.saturation.precedes(source, write))
        })?;
        let link = Link::Chosen { rule: Rule::Overtaken, literals: [chosen, 0], source };
        Some(vec![arc(read, between, link), arc(between, read, Link::Path)])
    }

    /// The last write of its location in each chain that is forced to come before a read.
    fn last_before(&self, read: u32) -> impl Iterator<Item = u32> {
        let index = self.events().write_index();
        let groups = index.groups(self.events().location[read as usize]).iter();
        groups.filter_map(move |group| {
            let known = self.saturation.clock(read)[group.slot as usize];
            let before = index.count_up_to(group, known);
            let last = index.members(group)[..before].last().copied();
            last.filter(|&write| write != read)
        })
    }

    /// Whether a source is earlier in a read's own thread: then it may reach memory after the read.
    pub(super) fn is_own(&self, read: u32, source: u32) -> bool {
        let events = self.events();
        events.thread(source) == events.thread(read) && source < read
    }

    /// The last write of a read's location that comes before it in its thread.
    pub(super) fn own_earlier(&self, read: u32) -> Option<u32> {
        let events = self.events();
        let location = events.location[read as usize];
        let index = events.write_index();
        let own = index.groups(location).iter();
        own.filter(|group| group.slot as usize % events.threads == events.thread(read))
            .filter_map(|group| {
                let members = index.members(group);
                let before = members.partition_point(|&write| write < read);
                members[..before].last().copied()
            })
            .max()
    }
}
