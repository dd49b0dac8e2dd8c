//! Forgetting what can say nothing new.

use super::replay::PATIENCE;
use super::{NONE, Online, REMEMBERED, Source};

/// Of each event, whether it is kept.
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
    /// Forgets what precedes all that is still to come, but for writes that may still be read. Cost: linear in what is remembered, and a
    /// clock for each thread.
    pub fn forget(&mut self) {
        let Some(low) = self.low() else {
            return;
        };
        let inserted = self.chains.all.iter().map(|it| self.inserted(it.thread));
        let over: Vec<u32> = low.iter().zip(inserted).map(|it| *it.0.min(&it.1)).collect();
        self.replay(&over, PATIENCE);
        let mut kept = self.kept_by_place(&over);
        self.keep_newest(&low, &mut kept);
        self.keep_sources(&mut kept);
        self.note_overwritten(&low);
        let clocks = &self.clocks;
        self.replay.keep_clocks(|it| kept.has(it), |it| clocks.of(it));
        self.drop_others(&kept);
    }

    /// Up to which place of its program order all operations of a thread are inserted.
    fn inserted(&self, thread: u32) -> u32 {
        let settled = self.chains.threads[&thread].settled;
        let waiting = self.waiting.values().flatten().filter(|it| it.thread == thread);
        waiting.map(|it| it.sequence).fold(settled, u32::min)
    }

    /// Of each chain, up to where it precedes whatever is still to come; nothing if some thread has not begun.
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

    /// Events that do not precede all that is to come, as those of each chain up to some place do, and the last ones of these, behind which others may be inserted.
    fn kept_by_place(&self, over: &[u32]) -> Kept {
        let mut kept = Kept(vec![false; self.events.len()]);
        for (chain, &over) in self.chains.all.iter().zip(over) {
            let before = chain.events.partition_point(|it| it.0 <= over);
            kept.extend(chain.events[before.saturating_sub(1)..].iter().map(|it| it.1));
        }
        kept
    }

    /// Writes that no other write is known to overwrite before all that is to come, and load-linked whose store may still come.
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

    /// What operations that are kept read.
    fn keep_sources(&self, kept: &mut Kept) {
        let all = 0..self.events.len() as u32;
        let source = |event: u32| match self.events[event as usize].source {
            Source::Event(source) => Some(source),
            _ => None,
        };
        let sources: Vec<u32> = all.filter(|&it| kept.has(it)).filter_map(source).collect();
        kept.extend(sources);
    }

    /// Where a write precedes all that is to come, nobody can read the initial value any more.
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

    /// Lets an event that led to forgotten ones lead to what is known to come behind it: of each chain the first. That costs a look at each chain, and few events ever need
    /// it: those that precede all that is to come seldom get to know of more that precedes them.
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
            location.initial_readers.retain(is_kept);
            for own in location.own.values_mut() {
                own.retain(is_kept);
            }
        }
        for number in 0..self.events.len() as u32 {
            let event = &mut self.events[number as usize];
            if kept.has(number) {
                event.readers.retain(is_kept);
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
            // Whoever takes the place finds room.
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

    /// A value that can't be read any more.
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
