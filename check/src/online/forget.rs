//! Forgets operations from which nothing new can follow.

use super::replay::MAX_WAITING;
use super::{NONE, Online, REMEMBERED, Source};

/// Per event, whether it is kept.
struct Kept(Vec<bool>);

impl Kept {
    fn has(&self, event: u32) -> bool {
        self.0[event as usize]
    }

    fn extend(&mut self, events: impl IntoIterator<Item = u32>) {
        for event in events {
            self.0[event as usize] = true;
        }
    }
}

impl Online {
    /// Forgets the operations that precede all operations still to come, except writes that may still be
    /// read. Cost: linear in the remembered operations, and a clock for each thread.
    pub fn forget(&mut self) {
        let Some(low) = self.low() else {
            return;
        };
        let inserted = self.chains.all.iter().map(|it| self.inserted(it.thread));
        let over: Vec<u32> = low.iter().zip(inserted).map(|it| *it.0.min(&it.1)).collect();
        self.replay(&over, MAX_WAITING);
        let mut kept = self.kept_by_place(&over);
        self.keep_newest(&low, &mut kept);
        self.keep_sources(&mut kept);
        self.note_overwritten(&low);
        let clocks = &self.clocks;
        self.replay.keep_clocks(|it| kept.has(it), |it| clocks.of(it));
        self.drop_others(&kept);
    }

    /// The position in program order before which all operations of a thread are inserted.
    fn inserted(&self, thread: u32) -> u32 {
        let settled = self.chains.threads[&thread].settled;
        let waiting = self.waiting.values().flatten().filter(|it| it.thread == thread);
        waiting.map(|it| it.sequence).fold(settled, u32::min)
    }

    /// Per chain, the position up to which its events precede all operations still to come; `None` if some
    /// thread has no operation yet.
    fn low(&self) -> Option<Vec<u32>> {
        let mut low = vec![u32::MAX; self.chains.all.len()];
        for (&label, thread) in &self.chains.threads {
            let main = self.chains.all.get(thread.main as usize)?;
            let inserted = self.inserted(label);
            let before = main.events.partition_point(|it| it.0 <= inserted);
            let last = main.events[..before].last()?.1;
            for (low, &known) in low.iter_mut().zip(self.clocks.of(last)) {
                *low = known.min(*low);
            }
        }
        Some(low)
    }

    /// Keeps the events after the position `over` of each chain, and the last event up to it, after which
    /// others may be inserted.
    fn kept_by_place(&self, over: &[u32]) -> Kept {
        let mut kept = Kept(vec![false; self.events.len()]);
        for (chain, &over) in self.chains.all.iter().zip(over) {
            let before = chain.events.partition_point(|it| it.0 <= over);
            kept.extend(chain.events[before.saturating_sub(1)..].iter().map(|it| it.1));
        }
        kept
    }

    /// Keeps writes that are not known to be overwritten before all operations still to come, and
    /// load-linked whose store-conditional may still arrive.
    fn keep_newest(&self, low: &[u32], kept: &mut Kept) {
        for location in &self.locations {
            let newest = location.writes.iter().filter_map(|(chain, writes)| {
                let before = writes.partition_point(|it| it.0 <= low[*chain as usize]);
                before.checked_sub(1).map(|at| writes[at].1)
            });
            let newest: Vec<u32> = newest.collect();
            for &write in &newest {
                let (chain, position) = self.place_of(write);
                let precedes =
                    |other: &u32| *other != write && self.clocks.get(*other, chain) >= position;
                if !newest.iter().any(precedes) {
                    kept.extend([write]);
                }
            }
            kept.extend(location.own.values().filter_map(|own| own.last()).map(|it| it.1));
        }
    }

    /// Keeps the sources of kept operations.
    fn keep_sources(&self, kept: &mut Kept) {
        let all = 0..self.events.len() as u32;
        let source = |event: u32| match self.events[event as usize].source {
            Source::Event(source) => Some(source),
            _ => None,
        };
        let sources: Vec<u32> = all.filter(|&it| kept.has(it)).filter_map(source).collect();
        kept.extend(sources);
    }

    /// Records the locations with a write that precedes all operations still to come: no later read may
    /// return their initial value.
    fn note_overwritten(&mut self, low: &[u32]) {
        for location in &mut self.locations {
            let first = location.writes.iter().find_map(|(chain, writes)| {
                let first = writes.first()?;
                (first.0 <= low[*chain as usize]).then_some(first.1)
            });
            if let (None, Some(first)) = (location.overwritten, first) {
                location.overwritten = Some(self.events[first as usize].arrival);
            }
        }
    }

    /// Replaces the edges of an event that led to forgotten events by edges to the first event of each chain
    /// that is known to come after it. This costs a search of each chain, but few events need it: the
    /// clocks of events that precede all operations still to come seldom grow.
    pub(super) fn redirect(&mut self, event: u32) {
        let first = self.chains.all.iter().filter_map(|chain| {
            let before =
                chain.events.partition_point(|it| it.1 == event || !self.precedes(event, it.1));
            chain.events.get(before)
        });
        let first: Vec<(u32, Option<_>)> = first.map(|it| (it.1, None)).collect();
        let event = &mut self.events[event as usize];
        event.after = first;
        event.is_cut = false;
    }

    fn drop_others(&mut self, kept: &Kept) {
        let is_kept = |it: &(u32, u32)| kept.has(it.1);
        for chain in &mut self.chains.all {
            chain.events.retain(is_kept);
        }
        for thread in self.chains.threads.values_mut() {
            thread.drains.retain(is_kept);
        }
        for location in &mut self.locations {
            for (_, writes) in &mut location.writes {
                writes.retain(is_kept);
            }
            location.initial_readers.retain(|it| kept.has(it.event));
            for own in location.own.values_mut() {
                own.retain(is_kept);
            }
        }
        for number in 0..self.events.len() as u32 {
            let event = &mut self.events[number as usize];
            if kept.has(number) {
                event.readers.retain(|it| kept.has(it.event));
                let known = event.after.len();
                event.after.retain(|it| kept.has(it.0));
                event.is_cut |= event.after.len() < known;
                continue;
            }
            if event.is_free {
                continue;
            }
            event.is_free = true;
            self.has_forgotten = true;
            // The event that reuses the slot also reuses the memory of its lists.
            event.after.clear();
            event.readers.clear();
            let written = event.arrival.written.filter(|_| event.arrival.kind.writes());
            let location = event.location;
            self.free.push(number);
            if let (Some(value), true) = (written, location != NONE) {
                self.remember(location, value);
            }
        }
    }

    /// Remembers a value that must not be read any more.
    fn remember(&mut self, location: u32, value: u64) {
        self.writers.remove(&(location, value));
        self.is_forgotten.insert((location, value));
        self.forgotten.push_back((location, value));
        if self.forgotten.len() > REMEMBERED
            && let Some(oldest) = self.forgotten.pop_front()
        {
            self.is_forgotten.remove(&oldest);
        }
    }
}
