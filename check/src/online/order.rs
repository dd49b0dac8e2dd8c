//! Derives the forced order by rules R4 to R7 (see [`crate::engine::saturate`]), and keeps the clocks up to
//! date.

use std::mem::take;

use super::locations::insert;
use super::{Arrival, Event, NONE, Online, OnlineViolation, Reader, Source};
use certify::rule::Rule;

impl Online {
    /// Inserts an operation and derives all consequences.
    pub(super) fn insert(
        &mut self,
        arrival: Arrival,
        location: u32,
        source: Source,
    ) -> Result<u32, Box<OnlineViolation>> {
        let chain = self.chains.of(&arrival, location);
        let event = self.place(arrival, chain, location, source);
        self.clocks.reserve(self.events.len(), self.chains.all.len());
        let events = &self.events;
        let near = self.chains.insert(event, chain, &arrival, &|it| events[it as usize].arrival);
        let mut before = near.before.iter();
        let first = before.next().copied();
        match first {
            Some(first) => {
                let (clock, other) = self.clocks.pair(event, first);
                clock.copy_from_slice(other);
            }
            None => self.clocks.of_mut(event).fill(0),
        }
        self.clocks.of_mut(event)[chain as usize] = arrival.sequence + 1;
        for &before in before {
            self.clocks.join(before, event);
        }
        for before in near.before {
            let earlier = &mut self.events[before as usize];
            let rule = Rule::program_order(earlier.arrival.kind, arrival.kind);
            earlier.after.push((event, Some(rule)));
        }
        self.register(event);
        for after in near.after {
            let later = self.events[after as usize].arrival.kind;
            self.link(event, after, Rule::program_order(arrival.kind, later))?;
        }
        self.conclude(event)?;
        self.propagate()?;
        Ok(event)
    }

    /// Stores an event under a free number, and returns that number.
    fn place(&mut self, arrival: Arrival, chain: u32, location: u32, source: Source) -> u32 {
        let number = self.free.pop().unwrap_or(self.events.len() as u32);
        let known = self.events.get_mut(number as usize);
        let (readers, after) = known.map_or((Vec::new(), Vec::new()), |event| {
            (take(&mut event.readers), take(&mut event.after))
        });
        let event = Event {
            arrival,
            chain,
            location,
            source,
            readers,
            after,
            is_cut: false,
            is_free: false,
        };
        match self.events.get_mut(number as usize) {
            Some(place) => *place = event,
            None => self.events.push(event),
        }
        number
    }

    /// Adds an event to the lists of its location, and to the readers of its source.
    fn register(&mut self, number: u32) {
        let event = &self.events[number as usize];
        let (kind, chain, source, position) =
            (event.arrival.kind, event.chain, event.source, event.position());
        let thread = event.arrival.thread;
        if event.location == NONE {
            return;
        }
        let location = &mut self.locations[event.location as usize];
        insert(location.own.entry(thread).or_default(), position, number);
        if kind.writes() {
            insert(location.writes_of(chain), position, number);
        }
        let readers = match source {
            Source::None => return,
            Source::Initial => &mut location.initial_readers,
            Source::Event(write) => &mut self.events[write as usize].readers,
        };
        // The last reader of a chain suffices, since the others precede it.
        let reader = Reader { chain, position, event: number };
        match readers.iter_mut().find(|it| it.chain == chain) {
            None => readers.push(reader),
            Some(last) if last.position < position => *last = reader,
            Some(_) => {}
        }
    }

    /// Applies the rules to a new event.
    fn conclude(&mut self, number: u32) -> Result<(), Box<OnlineViolation>> {
        let event = &self.events[number as usize];
        if event.location == NONE {
            return Ok(());
        }
        let (kind, source) = (event.arrival.kind, event.source);
        if source != Source::None {
            if kind.reads() {
                self.own_earlier(number)?;
            }
            self.overtaken(number)?;
        }
        if kind.writes() {
            self.own_later(number)?;
            self.overtakes(number)?;
        }
        self.apply_rules(number)
    }

    /// Applies R4 and R5: a read comes after its source, unless that is earlier in its own thread, and the
    /// last write before it in its thread comes before its source.
    fn own_earlier(&mut self, read: u32) -> Result<(), Box<OnlineViolation>> {
        let event = &self.events[read as usize];
        let (thread, position, source) = (event.arrival.thread, event.position(), event.source);
        let location = &self.locations[event.location as usize];
        let own = &location.own[&thread];
        let before = own.partition_point(|it| it.0 < position);
        let mut writes = own[..before].iter().rev().map(|it| it.1);
        let earlier = writes.find(|&it| self.events[it as usize].arrival.kind.writes());
        match source {
            Source::None => Ok(()),
            Source::Initial => {
                let other = location.overwritten;
                match earlier.map(|it| self.events[it as usize].arrival).or(other) {
                    Some(write) => Err(Box::new(OnlineViolation::Stale(
                        self.events[read as usize].arrival,
                        write,
                    ))),
                    None => Ok(()),
                }
            }
            Source::Event(source) => {
                let written = &self.events[source as usize];
                let is_external = written.arrival.thread != thread || written.position() > position;
                if is_external {
                    self.add(source, read, Rule::ReadsFrom)?;
                }
                match earlier.filter(|&it| it != source) {
                    Some(earlier) => self.add(earlier, source, Rule::OwnEarlier(read)),
                    None => Ok(()),
                }
            }
        }
    }

    /// Applies R7 to a new reader: it comes before the first write of each chain that its source precedes.
    fn overtaken(&mut self, read: u32) -> Result<(), Box<OnlineViolation>> {
        let event = &self.events[read as usize];
        let source = event.source;
        let mut found = Vec::new();
        for (_, writes) in &self.locations[event.location as usize].writes {
            let first = match source {
                Source::Event(source) => {
                    let (chain, position) = self.place_of(source);
                    let before = boundary(writes, |it| self.clocks.get(it.1, chain) < position);
                    // The source itself is in its own clock.
                    writes[before..].iter().find(|it| it.1 != source && it.1 != read)
                }
                _ => writes.iter().find(|it| it.1 != read),
            };
            found.extend(first.map(|it| it.1));
        }
        found.into_iter().try_for_each(|write| self.add(read, write, Rule::Overtaken))
    }

    /// Applies R5 to a write that arrives after reads that come later in its thread: it precedes their
    /// sources.
    fn own_later(&mut self, write: u32) -> Result<(), Box<OnlineViolation>> {
        let event = &self.events[write as usize];
        let own = &self.locations[event.location as usize].own[&event.arrival.thread];
        let behind = own.partition_point(|it| it.0 <= event.position());
        let mut found = Vec::new();
        for &(_, later) in &own[behind..] {
            let other = &self.events[later as usize];
            match other.source {
                Source::Event(source) if source != write && other.arrival.kind.reads() => {
                    found.push((source, later))
                }
                Source::Initial => {
                    return Err(Box::new(OnlineViolation::Stale(other.arrival, event.arrival)));
                }
                _ => {}
            }
            if other.arrival.kind.writes() {
                break;
            }
        }
        let mut found = found.into_iter();
        found.try_for_each(|(source, read)| self.add(write, source, Rule::OwnEarlier(read)))
    }

    /// Applies R7 to a new write: readers of the write before it in its chain, or else of the initial value,
    /// precede it.
    fn overtakes(&mut self, write: u32) -> Result<(), Box<OnlineViolation>> {
        let event = &self.events[write as usize];
        let location = &self.locations[event.location as usize];
        let own = location.writes.iter().find(|it| it.0 == event.chain);
        let own = own.map_or(&[][..], |it| &it.1[..]);
        let at = own.partition_point(|it| it.0 < event.position());
        let readers = match at.checked_sub(1) {
            Some(before) => &self.events[own[before].1 as usize].readers,
            None => &location.initial_readers,
        };
        let readers: Vec<u32> =
            readers.iter().map(|it| it.event).filter(|&it| it != write).collect();
        readers.into_iter().try_for_each(|read| self.add(read, write, Rule::Overtaken))
    }

    /// Applies R6 and R7 to an event whose clock has grown.
    fn apply_rules(&mut self, number: u32) -> Result<(), Box<OnlineViolation>> {
        let event = &self.events[number as usize];
        if event.location == NONE || (event.source == Source::None && !event.arrival.kind.writes())
        {
            return Ok(());
        }
        // Chains and positions are in the lists, so that only clocks and readers need be looked up.
        let clock = self.clocks.of(number);
        let of_source = match event.source {
            Source::Event(source) => Some((source, self.clocks.of(source))),
            _ => None,
        };
        let mut found: Vec<(u32, u32, Rule<u32>)> = Vec::new();
        for (chain, writes) in &self.locations[event.location as usize].writes {
            let known = clock[*chain as usize];
            let before = boundary(writes, |it| it.0 <= known);
            let Some(&(position, write)) = writes[..before].iter().rev().find(|it| it.1 != number)
            else {
                continue;
            };
            if let Some((source, of_source)) = of_source {
                if source != write && of_source[*chain as usize] < position {
                    found.push((write, source, Rule::Observed(number)));
                }
            } else if event.source == Source::Initial {
                let write = self.events[write as usize].arrival;
                return Err(Box::new(OnlineViolation::Stale(event.arrival, write)));
            }
            if event.arrival.kind.writes() {
                let readers = self.events[write as usize].readers.iter();
                let readers = readers
                    .filter(|it| it.event != number && clock[it.chain as usize] < it.position);
                found.extend(readers.map(|it| (it.event, number, Rule::Overtaken)));
            }
        }
        let mut found = found.into_iter();
        found.try_for_each(|(before, after, reason)| self.add(before, after, reason))
    }

    /// Adds an edge unless the order is known.
    fn add(
        &mut self,
        before: u32,
        after: u32,
        rule: Rule<u32>,
    ) -> Result<(), Box<OnlineViolation>> {
        if self.precedes(before, after) { Ok(()) } else { self.link(before, after, rule) }
    }

    /// Whether one event is known to precede another.
    pub(super) fn precedes(&self, before: u32, after: u32) -> bool {
        let (chain, position) = self.place_of(before);
        before != after && self.clocks.get(after, chain) >= position
    }

    /// Adds an edge even if the order is known, since clocks do not cover events that are inserted into a
    /// chain later.
    fn link(
        &mut self,
        before: u32,
        after: u32,
        rule: Rule<u32>,
    ) -> Result<(), Box<OnlineViolation>> {
        let (chain, position) = self.place_of(after);
        if self.clocks.get(before, chain) >= position {
            return Err(self.cycle(before, after, Some(rule)));
        }
        self.events[before as usize].after.push((after, Some(rule)));
        if self.clocks.join(before, after) {
            self.changed.push(after);
        }
        Ok(())
    }

    /// Propagates changed clocks along edges, and applies the rules to their events.
    fn propagate(&mut self) -> Result<(), Box<OnlineViolation>> {
        while let Some(event) = self.changed.pop() {
            if self.events[event as usize].is_cut {
                self.redirect(event);
            }
            for at in 0..self.events[event as usize].after.len() {
                let (after, rule) = self.events[event as usize].after[at];
                if !self.clocks.join(event, after) {
                    continue;
                }
                let (chain, position) = self.place_of(after);
                if self.clocks.get(after, chain) > position
                    || self.clocks.get(event, chain) >= position
                {
                    return Err(self.cycle(event, after, rule));
                }
                self.changed.push(after);
            }
            self.apply_rules(event)?;
        }
        Ok(())
    }

    /// An event's chain and position.
    pub(super) fn place_of(&self, event: u32) -> (u32, u32) {
        let event = &self.events[event as usize];
        (event.chain, event.position())
    }

    fn cycle(&self, before: u32, after: u32, rule: Option<Rule<u32>>) -> Box<OnlineViolation> {
        let arrival = |event: u32| self.events[event as usize].arrival;
        let rule = rule.map(|rule| rule.map(arrival));
        Box::new(OnlineViolation::Cycle(arrival(before), arrival(after), rule))
    }
}

/// The number of elements for which `holds` is true; it is true for a prefix of the list. Most often that is
/// all but the last few elements, so these are checked first.
#[inline]
fn boundary(list: &[(u32, u32)], holds: impl Fn(&(u32, u32)) -> bool) -> usize {
    const FEW: usize = 8;
    let near = list.len().saturating_sub(FEW);
    match list[near..].iter().rposition(&holds) {
        Some(last) => near + last + 1,
        None => list[..near].partition_point(holds),
    }
}
