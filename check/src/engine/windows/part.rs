//! [`Part`]: some of the events of an input, as an input of its own.

use super::Input;
use crate::engine::csr::Csr;
use crate::engine::events::{INITIAL, NONE};

/// Some events, numbered anew in the same order. Memory: about 35 bytes an event.
#[derive(Debug)]
pub(super) struct Part {
    /// The events, in ascending order.
    events: Vec<u32>,
    /// The order in which they are admitted, in their new numbers.
    admission: Vec<u32>,
    thread: Vec<u32>,
    location: Vec<u32>,
    source: Vec<u32>,
    reads: Vec<bool>,
    writes: Vec<bool>,
    before: Csr,
    readers: Csr,
    initial_readers: Csr,
    finals: Vec<u32>,
}

impl Part {
    /// The events of `order`, which is the order of their admission. `held` is, per location, the source
    /// whose value it holds at first: a write that is not of the part, [`INITIAL`], or [`NONE`] if no event
    /// of the part reads that value. To the part, that source is the initial value; other sources that are
    /// not of the part become unknown. `finals` are the writes of final values; those that are not of the
    /// part are ignored. `number` has [`NONE`] for each event of the input, also afterwards. Cost: O(n log n + locations)
    /// for the n events of the part.
    pub(super) fn new(
        input: &Input<'_>,
        order: &[u32],
        held: &[u32],
        finals: &[u32],
        number: &mut [u32],
    ) -> Part {
        let mut events = order.to_vec();
        events.sort_unstable();
        for (at, &event) in events.iter().enumerate() {
            number[event as usize] = at as u32;
        }
        let numbers = Numbers { input, events: &events, number };
        let part = Part {
            admission: numbers.of(order),
            thread: events.iter().map(|&event| input.thread[event as usize]).collect(),
            location: events.iter().map(|&event| input.location[event as usize]).collect(),
            source: events.iter().map(|&event| numbers.source(event, held)).collect(),
            reads: events.iter().map(|&event| input.reads[event as usize]).collect(),
            writes: events.iter().map(|&event| input.writes[event as usize]).collect(),
            before: numbers.lists(input.before),
            readers: numbers.lists(input.readers),
            initial_readers: numbers.initial_readers(held),
            finals: numbers.of(finals),
            events,
        };
        for &event in &part.events {
            number[event as usize] = NONE;
        }
        part
    }

    /// Requires an event to precede another, both by their numbers in the whole input. Cost: linear in the part.
    pub(super) fn require(&mut self, first: u32, second: u32) {
        let number = |event: u32| self.events.partition_point(|&other| other < event) as u32;
        let nodes = 0..self.events.len() as u32;
        let known = nodes.flat_map(|to| self.before.of(to).iter().map(move |&from| (to, from)));
        let required = [(number(second), number(first))];
        self.before = Csr::new(self.events.len(), known.chain(required));
    }

    /// The part as an input.
    pub(super) fn input(&self) -> Input<'_> {
        Input {
            thread: &self.thread,
            location: &self.location,
            source: &self.source,
            reads: &self.reads,
            writes: &self.writes,
            before: &self.before,
            readers: &self.readers,
            initial_readers: &self.initial_readers,
            finals: &self.finals,
        }
    }

    /// The order in which events are admitted.
    pub(super) fn admission(&self) -> &[u32] {
        &self.admission
    }

    /// The number in the whole input of an event of the part.
    pub(super) fn original(&self, event: u32) -> u32 {
        self.events[event as usize]
    }
}

/// The new numbers of events.
struct Numbers<'a> {
    input: &'a Input<'a>,
    events: &'a [u32],
    /// Per event of the input, its number, or [`NONE`] if it is not of the part.
    number: &'a [u32],
}

impl Numbers<'_> {
    fn get(&self, event: u32) -> Option<u32> {
        Some(self.number[event as usize]).filter(|&number| number != NONE)
    }

    /// The numbers of those of some events that are of the part.
    fn of(&self, events: &[u32]) -> Vec<u32> {
        events.iter().filter_map(|&event| self.get(event)).collect()
    }

    fn source(&self, event: u32, held: &[u32]) -> u32 {
        let source = self.input.source[event as usize];
        if source == NONE {
            return NONE;
        }
        let is_held = || held[self.input.location[event as usize] as usize] == source;
        let inside = if source == INITIAL { None } else { self.get(source) };
        inside.unwrap_or_else(|| if is_held() { INITIAL } else { NONE })
    }

    /// Restricts lists of events, of which every event of the input has one, to the part, and renumbers their
    /// items.
    fn lists(&self, lists: &Csr) -> Csr {
        let pairs = self.events.iter().enumerate().flat_map(|(number, &event)| {
            let items = lists.of(event).iter().filter_map(|&item| self.get(item));
            items.map(move |item| (number as u32, item))
        });
        Csr::new(self.events.len(), pairs)
    }

    fn initial_readers(&self, held: &[u32]) -> Csr {
        let pairs = held.iter().enumerate().flat_map(|(location, &source)| {
            let readers = match source {
                NONE => &[],
                INITIAL => self.input.initial_readers.of(location as u32),
                write => self.input.readers.of(write),
            };
            let readers = readers.iter().filter_map(|&reader| self.get(reader));
            readers.map(move |reader| (location as u32, reader))
        });
        Csr::new(held.len(), pairs)
    }
}
