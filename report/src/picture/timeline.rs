//! The operations of a history by thread over time, coloured by location. A long history is aggregated, so that a page stays small.

use std::collections::BTreeMap;

use history::{History, OpId};

/// The largest number of spans. Of more operations, those of a thread in an interval of time are one span.
const SPANS: usize = 12_000;

/// The number of locations that have a colour of their own: those with the most operations.
pub const COLOURED: usize = 7;

/// The timeline of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The names of the threads, from top to bottom.
    pub threads: Vec<String>,
    /// The names of the locations that have a colour.
    pub locations: Vec<String>,
    /// The first and the last time.
    pub ends: (u64, u64),
    /// The unit of the times: `tick`, or `step` of the memory order if the trace has no ticks.
    pub unit: &'static str,
    /// The operations, or groups of them.
    pub spans: Vec<Span>,
    /// The number of all operations.
    pub operations: usize,
}

/// An operation of a thread, or all of its operations in an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The index of the thread.
    pub thread: usize,
    /// The times at which the operation, or the interval, begins and ends.
    pub ends: (u64, u64),
    /// The index of the location in [`Timeline::locations`], or [`COLOURED`] if it has no colour. Of several
    /// operations, it is the coloured location that most of them access.
    pub location: usize,
    /// The number of operations.
    pub operations: usize,
    /// The operation as text; empty if there are several.
    pub text: String,
}

impl Timeline {
    /// Makes the timeline of a history whose operations took effect in this order. Takes time and memory linear in the
    /// history.
    pub fn of(history: &History, order: &[OpId]) -> Timeline {
        let has_ticks = order.iter().all(|&op| history.operation(op).completed.is_some());
        let time = |step: usize, op: OpId| {
            let own = history.operation(op);
            match own.completed.filter(|_| has_ticks) {
                Some(end) => (own.issued.unwrap_or(end).min(end), end),
                None => (step as u64, step as u64 + 1),
            }
        };
        let times = order.iter().enumerate().map(|(step, &op)| time(step, op));
        let ends = times.fold((u64::MAX, 0), |all, own| (all.0.min(own.0), all.1.max(own.1)));
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for location in order.iter().filter_map(|&op| history.location(op)) {
            *counts.entry(location).or_default() += 1;
        }
        let mut common: Vec<(usize, u32)> =
            counts.iter().map(|(&at, &count)| (count, at)).collect();
        common.sort_by_key(|&(count, at)| (std::cmp::Reverse(count), at));
        common.truncate(COLOURED);
        let colour = |op: OpId| {
            let own = history.location(op);
            let known = common.iter().position(|(_, at)| Some(*at) == own);
            known.unwrap_or(COLOURED)
        };
        let threads = history.threads();
        let spans = if order.len() <= SPANS {
            let spans = order.iter().enumerate().map(|(step, &op)| Span {
                thread: history.thread_of(op),
                ends: time(step, op),
                location: colour(op),
                operations: 1,
                text: format!(
                    "T{}:{} {}",
                    threads[history.thread_of(op)].label,
                    history.operation(op).index,
                    history.describe(op)
                ),
            });
            spans.collect()
        } else {
            let bins = (SPANS / threads.len().max(1)).max(1) as u64;
            let length = (ends.1.saturating_sub(ends.0) / bins + 1).max(1);
            let mut groups: BTreeMap<(usize, u64), [usize; COLOURED + 1]> = BTreeMap::new();
            for (step, &op) in order.iter().enumerate() {
                let bin = (time(step, op).1 - ends.0) / length;
                groups.entry((history.thread_of(op), bin)).or_default()[colour(op)] += 1;
            }
            let spans = groups.into_iter().map(|((thread, bin), by)| {
                // The locations without a colour would often be the most frequent group, which shows nothing.
                let most = (0..COLOURED).rev().filter(|&at| by[at] > 0).max_by_key(|&at| by[at]);
                let start = ends.0 + bin * length;
                Span {
                    thread,
                    ends: (start, start + length),
                    location: most.unwrap_or(COLOURED),
                    operations: by.iter().sum(),
                    text: String::new(),
                }
            });
            spans.collect()
        };
        Timeline {
            threads: threads.iter().map(|thread| format!("thread {}", thread.label)).collect(),
            locations: common
                .iter()
                .map(|&(_, at)| history.locations()[at as usize].to_string())
                .collect(),
            ends: (ends.0.min(ends.1), ends.1),
            unit: if has_ticks { "tick" } else { "step" },
            spans,
            operations: order.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use history::{Access, HistoryBuilder, Initial, Kind, Place, Provenance};

    fn history(count: u64) -> History {
        let mut builder = HistoryBuilder::new();
        for at in 0..count {
            let place = Place::Cell(at % 9);
            let access = Access::new((at % 3) as u32, Kind::Store, place);
            let tick = Some(10 * at + 5);
            builder.push(Access {
                written: Some(at + 1),
                issued: Some(10 * at),
                completed: tick,
                ..access
            });
        }
        builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap()
    }

    #[test]
    fn few_operations_are_drawn_each() {
        let history = history(30);
        let order: Vec<OpId> = history.ops().collect();
        let timeline = Timeline::of(&history, &order);
        assert_eq!((timeline.spans.len(), timeline.unit, timeline.ends), (30, "tick", (0, 295)));
        assert_eq!((timeline.threads.len(), timeline.locations.len()), (3, COLOURED));
        assert!(timeline.spans.iter().all(|span| span.operations == 1 && !span.text.is_empty()));
        // Two of nine locations have no colour.
        assert_eq!(timeline.spans.iter().filter(|span| span.location == COLOURED).count(), 6);
    }

    #[test]
    fn many_operations_are_grouped_and_none_is_lost() {
        let history = history(60_000);
        let order: Vec<OpId> = history.ops().collect();
        let timeline = Timeline::of(&history, &order);
        assert!(timeline.spans.len() <= SPANS && timeline.spans.len() > SPANS / 3);
        assert_eq!(timeline.spans.iter().map(|span| span.operations).sum::<usize>(), 60_000);
        assert!(
            timeline.spans.iter().all(|span| span.ends.1 >= span.ends.0 && span.text.is_empty())
        );
    }
}
