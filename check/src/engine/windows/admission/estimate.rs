//! [`order`]: sorts the events by an estimate of when memory performs each.
//!
//! An event comes after those that are known to precede it, and before those that it precedes. The estimate
//! begins in the middle: the average of its place in a sort from the first events on, and of that in a sort
//! from the last ones back. What it misses are the reads that must come before the *next* write of their
//! location, since the order of writes is not known. So the writes of each location are sorted by their
//! estimates, and where the last read of a value comes after the write that is expected next, both are moved
//! to the middle between them. That contradicts the known order in places, which is then restored.

use crate::engine::both::both;
use crate::engine::digraph::{Digraph, topological};
use crate::engine::events::{INITIAL, NONE};
use crate::engine::windows::Input;

/// How often reads are moved before the next write. Further rounds change little.
const ROUNDS: usize = 2;

/// The events in a topological order of preserved program order and external reads-from in which a read also comes after
/// the last write before it of its thread and location. `None` if program order and external reads-from are cyclic.
/// Cost: O(m + n log w) for n events, m edges and w writes of a location.
pub(super) fn order(input: &Input<'_>) -> Option<Vec<u32>> {
    let known = Known { input, own: input.own_writes() };
    let mut sorted = topological(&Backwards(&known)).ok()?;
    sorted.reverse();
    let mut times = known.middle(&sorted);
    let mut writes = Writes::new(input, &sorted);
    for _ in 0..ROUNDS {
        writes.separate(input, &mut times);
        known.restore(&sorted, &mut times);
    }
    Some(sort(&sorted, |event| times[event as usize].clamp(0, sorted.len() as i32 - 1)))
}

/// The order among events that is known beforehand.
struct Known<'a> {
    input: &'a Input<'a>,
    /// Per event that reads, the last write before it of its thread and location.
    own: Vec<u32>,
}

impl Known<'_> {
    /// Visits the events that come before one.
    fn before(&self, event: u32, mut visit: impl FnMut(u32)) {
        let Known { input, own } = self;
        input.before.of(event).iter().copied().for_each(&mut visit);
        if !input.reads[event as usize] {
            return;
        }
        let (own, source) = (own[event as usize], input.source[event as usize]);
        if own != NONE {
            visit(own);
        }
        if source < INITIAL && !input.is_own_earlier(source, event) {
            visit(source);
        }
    }

    /// The event before one in its thread.
    fn previous(&self, event: u32) -> Option<u32> {
        let thread = |event: u32| self.input.thread[event as usize];
        let previous = event.checked_sub(1)?;
        (thread(event) != NONE && thread(previous) == thread(event)).then_some(previous)
    }

    /// Per event, the average of its numbers in two orders: by the earliest and by the latest step at which it could happen,
    /// if an event takes one step and the threads end as early as they can. Threads keep to program order. `sorted` is
    /// topological.
    fn middle(&self, sorted: &[u32]) -> Vec<i32> {
        let backwards = Backwards(self);
        let mut earliest = vec![0; sorted.len()];
        for &event in sorted {
            let mut step = 0;
            backwards.successors(event, |before| step = step.max(earliest[before as usize] + 1));
            earliest[event as usize] = step;
        }
        let (early, late) = both(
            sorted.len(),
            || numbers(&sort(sorted, |event| earliest[event as usize])),
            || {
                let mut latest = vec![i32::MAX; sorted.len()];
                for &event in sorted.iter().rev() {
                    // What nothing follows would end last, although its thread may have ended early.
                    let step = match latest[event as usize] {
                        i32::MAX => earliest[event as usize],
                        step => step,
                    };
                    latest[event as usize] = step;
                    backwards.successors(event, |before| {
                        let before = &mut latest[before as usize];
                        *before = (step - 1).min(*before);
                    });
                }
                numbers(&sort(sorted, |event| latest[event as usize]))
            },
        );
        early.iter().zip(late).map(|(&early, late)| early.midpoint(late)).collect()
    }

    /// Changes times such that each event comes after those that are known to precede it. `sorted` is
    /// topological. The result is the average of the least times not below the given ones, and of the
    /// greatest not above them.
    fn restore(&self, sorted: &[u32], times: &mut [i32]) {
        let mut early = times.to_vec();
        both(
            sorted.len(),
            || {
                for &event in sorted {
                    let mut time = times[event as usize];
                    self.before(event, |before| time = time.max(times[before as usize] + 1));
                    times[event as usize] = time;
                }
            },
            || {
                for &event in sorted.iter().rev() {
                    let time = early[event as usize] - 1;
                    self.before(event, |before| {
                        let before = &mut early[before as usize];
                        *before = time.min(*before);
                    });
                }
            },
        );
        for (time, early) in times.iter_mut().zip(early) {
            // Rounded down, so that what differs by one or more in both still does.
            *time = (*time + early) >> 1;
        }
    }
}

/// The graph of the known order and of program order, with every edge reversed.
struct Backwards<'a>(&'a Known<'a>);

impl Digraph for Backwards<'_> {
    fn nodes(&self) -> usize {
        self.0.input.nodes()
    }

    fn successors(&self, event: u32, mut visit: impl FnMut(u32)) {
        self.0.before(event, &mut visit);
        self.0.previous(event).into_iter().for_each(visit);
    }
}

/// The writes of each location.
struct Writes {
    /// Location by location, each in the order in which they are expected.
    all: Vec<u32>,
    /// Per location, the number after its last write in `all`.
    ends: Vec<usize>,
}

impl Writes {
    fn new(input: &Input<'_>, sorted: &[u32]) -> Writes {
        let writes = sorted.iter().copied().filter(|&event| input.writes[event as usize]);
        let mut all: Vec<u32> = writes.collect();
        let location = |&write: &u32| input.location[write as usize];
        all.sort_by_key(location);
        let of = |at: u32| all.partition_point(|write| location(write) <= at);
        let ends = (0..input.locations() as u32).map(of).collect();
        Writes { all, ends }
    }

    /// Sorts the writes of each location by their times and those of their readers, and has each value read before the
    /// write of the next.
    fn separate(&mut self, input: &Input<'_>, times: &mut [i32]) {
        let (mut start, mut spans) = (0, Vec::new());
        for &end in &self.ends {
            let writes = &mut self.all[start..end];
            start = end;
            spans.clear();
            spans.extend(writes.iter().map(|&write| Span::new(input, times, write)));
            spans.sort_by_key(|span: &Span| span.first.midpoint(span.last));
            for (write, span) in writes.iter_mut().zip(&spans) {
                *write = span.write;
            }
            for pair in spans.windows(2) {
                pair[0].end_before(pair[1], input, times);
            }
        }
    }
}

/// The time from a write to the last read of its value.
#[derive(Clone, Copy)]
struct Span {
    write: u32,
    first: i32,
    last: i32,
}

impl Span {
    fn new(input: &Input<'_>, times: &[i32], write: u32) -> Span {
        let first = times[write as usize];
        let readers = input.readers.of(write).iter();
        let readers = readers.filter(|&&reader| !input.writes[reader as usize]);
        let last = readers.fold(first, |last, &reader| last.max(times[reader as usize]));
        Span { write, first, last }
    }

    /// If the next span begins before this one ends, moves the events of either to the middle between.
    fn end_before(self, next: Span, input: &Input<'_>, times: &mut [i32]) {
        if self.last <= next.first {
            return;
        }
        let middle = self.last.midpoint(next.first);
        for event in self.events(input).filter(|&event| event != next.write) {
            let time = &mut times[event as usize];
            *time = middle.min(*time);
        }
        for event in next.events(input) {
            let time = &mut times[event as usize];
            *time = middle.max(*time);
        }
    }

    /// The write and its readers.
    fn events(self, input: &Input<'_>) -> impl Iterator<Item = u32> {
        std::iter::once(self.write).chain(input.readers.of(self.write).iter().copied())
    }
}

/// Sorts events by a key that is not negative and below their number; equal ones keep their order. Cost: linear.
fn sort(events: &[u32], key: impl Fn(u32) -> i32) -> Vec<u32> {
    let mut next = vec![0u32; events.len() + 1];
    for &event in events {
        next[key(event) as usize + 1] += 1;
    }
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let mut sorted = vec![NONE; events.len()];
    for &event in events {
        let next = &mut next[key(event) as usize];
        sorted[*next as usize] = event;
        *next += 1;
    }
    sorted
}

/// Per event, its number in an order of all events.
fn numbers(order: &[u32]) -> Vec<i32> {
    let mut numbers = vec![0; order.len()];
    for (number, &event) in order.iter().enumerate() {
        numbers[event as usize] = number as i32;
    }
    numbers
}
