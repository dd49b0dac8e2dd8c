//! The queue of events: which controller or core is woken at which tick.
//!
//! This is a timing wheel: a slot for each of the next ticks, with events in the order in which
//! they were scheduled, and a sorted map for later ticks. Within a tick, gem5 runs what was
//! scheduled last first; any order is legal, and this is the simplest.

use std::collections::BTreeMap;

/// Number of ticks that the wheel covers. Random delays of messages are shorter, so the map is used
/// for timeouts only.
const SLOTS: usize = 256;

/// Number of words with a bit for each slot.
const WORDS: usize = SLOTS / 64;

/// Events in the order of their ticks.
#[derive(Clone, Debug)]
pub struct Wheel {
    now: u64,
    /// The events of each of the next ticks, indexed by the tick modulo the number of slots.
    slots: Vec<Vec<u32>>,
    /// A bit for each slot that is not empty.
    occupied: [u64; WORDS],
    /// A bit for each event in a slot, in a row of `row` words for each slot.
    scheduled: Vec<u64>,
    row: usize,
    /// Number of events of the current slot that have run.
    cursor: usize,
    /// The events of later ticks.
    far: BTreeMap<u64, Vec<u32>>,
    /// The first tick in that map, or a tick that never comes.
    nearest: u64,
}

impl Wheel {
    /// Creates a wheel without events, at tick 0. Events are numbers below `events`; larger ones
    /// are allowed, but take more memory.
    pub fn new(events: u32) -> Wheel {
        let row = (events as usize).div_ceil(64).max(1);
        Wheel {
            now: 0,
            slots: vec![Vec::new(); SLOTS],
            occupied: [0; WORDS],
            scheduled: vec![0; SLOTS * row],
            row,
            cursor: 0,
            far: BTreeMap::new(),
            nearest: u64::MAX,
        }
    }

    /// Removes all events, and returns to tick 0.
    pub fn clear(&mut self) {
        for word in 0..WORDS {
            while self.occupied[word] != 0 {
                let slot = 64 * word + self.occupied[word].trailing_zeros() as usize;
                self.occupied[word] &= self.occupied[word] - 1;
                self.slots[slot].clear();
                self.scheduled[slot * self.row..][..self.row].fill(0);
            }
        }
        self.far.clear();
        self.nearest = u64::MAX;
        self.now = 0;
        self.cursor = 0;
    }

    /// Schedules an event, unless it is scheduled for that tick already. A tick in the past counts
    /// as the current one. An event may be scheduled for the current tick even after it ran.
    #[inline]
    pub fn schedule(&mut self, tick: u64, event: u32) {
        let tick = tick.max(self.now);
        if tick - self.now < SLOTS as u64 {
            self.put(tick, event);
        } else {
            self.put_far(tick, event);
        }
    }

    #[inline]
    fn put(&mut self, tick: u64, event: u32) {
        if event as usize >= self.row * 64 {
            self.widen(event);
        }
        let slot = tick as usize % SLOTS;
        let word = &mut self.scheduled[slot * self.row + event as usize / 64];
        let bit = 1 << (event % 64);
        if *word & bit == 0 {
            *word |= bit;
            self.slots[slot].push(event);
            self.occupied[slot / 64] |= 1 << (slot % 64);
        }
    }

    #[cold]
    fn put_far(&mut self, tick: u64, event: u32) {
        self.nearest = self.nearest.min(tick);
        let events = self.far.entry(tick).or_default();
        if !events.contains(&event) {
            events.push(event);
        }
    }

    /// Makes room for an event beyond the expected number.
    #[cold]
    fn widen(&mut self, event: u32) {
        let row = event as usize / 64 + 1;
        let mut scheduled = vec![0; SLOTS * row];
        for slot in 0..SLOTS {
            scheduled[slot * row..][..self.row]
                .copy_from_slice(&self.scheduled[slot * self.row..][..self.row]);
        }
        self.scheduled = scheduled;
        self.row = row;
    }

    /// Removes and returns the next event with its tick, which becomes the current one.
    #[inline]
    pub fn pop(&mut self) -> Option<(u64, u32)> {
        loop {
            let slot = self.now as usize % SLOTS;
            if let Some(&event) = self.slots[slot].get(self.cursor) {
                self.cursor += 1;
                self.scheduled[slot * self.row + event as usize / 64] &= !(1 << (event % 64));
                return Some((self.now, event));
            }
            self.slots[slot].clear();
            self.occupied[slot / 64] &= !(1 << (slot % 64));
            self.cursor = 0;
            self.now = self.next_tick()?;
            if self.nearest - self.now < SLOTS as u64 {
                self.draw_near();
            }
        }
    }

    /// The next tick after the current one that has events.
    #[inline]
    fn next_tick(&self) -> Option<u64> {
        let here = self.now as usize % SLOTS;
        let above = !0 << (here % 64);
        let bits = self.occupied[here / 64] & above;
        if bits != 0 {
            let slot = here / 64 * 64 + bits.trailing_zeros() as usize;
            return Some(self.now + (slot - here) as u64);
        }
        // The word of the current slot comes last again, for the bits below the slot.
        for step in 1..=WORDS {
            let word = (here / 64 + step) % WORDS;
            let mask = if step == WORDS { !above } else { !0 };
            let bits = self.occupied[word] & mask;
            if bits != 0 {
                let slot = word * 64 + bits.trailing_zeros() as usize;
                return Some(self.now + ((slot + SLOTS - here) % SLOTS) as u64);
            }
        }
        self.far.first_key_value().map(|(&tick, _)| tick)
    }

    /// Moves the events that the wheel now covers from the map to the wheel. This is done before
    /// others can be scheduled there, so that the events of a tick keep their order.
    #[cold]
    fn draw_near(&mut self) {
        while let Some(entry) = self.far.first_entry() {
            if *entry.key() - self.now >= SLOTS as u64 {
                self.nearest = *entry.key();
                return;
            }
            let (tick, events) = entry.remove_entry();
            for event in events {
                self.put(tick, event);
            }
        }
        self.nearest = u64::MAX;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruby::delays::Delays;

    /// A list sorted by tick and order of scheduling.
    #[derive(Default)]
    struct Naive {
        events: Vec<(u64, u32)>,
    }

    impl Naive {
        fn schedule(&mut self, tick: u64, event: u32) {
            if !self.events.contains(&(tick, event)) {
                let at = self.events.partition_point(|other| other.0 <= tick);
                self.events.insert(at, (tick, event));
            }
        }

        fn pop(&mut self) -> Option<(u64, u32)> {
            (!self.events.is_empty()).then(|| self.events.remove(0))
        }
    }

    #[test]
    fn pops_what_a_sorted_list_pops() {
        for reach in [3, 64, 255, 256, 257, 1000] {
            let mut random = Delays::new(reach);
            let mut wheel = Wheel::new(10);
            let mut naive = Naive::default();
            for _ in 0..20_000 {
                for _ in 0..random.below(3) {
                    let tick = wheel.now + random.below(reach);
                    let event = random.below(100) as u32;
                    wheel.schedule(tick, event);
                    naive.schedule(tick, event);
                }
                assert_eq!(wheel.pop(), naive.pop());
            }
            while let Some(event) = naive.pop() {
                assert_eq!(wheel.pop(), Some(event));
            }
            assert_eq!(wheel.pop(), None);
        }
    }

    #[test]
    fn an_event_may_run_again_in_its_tick() {
        let mut wheel = Wheel::new(2);
        wheel.schedule(5, 0);
        wheel.schedule(5, 1);
        assert_eq!(wheel.pop(), Some((5, 0)));
        wheel.schedule(5, 0);
        wheel.schedule(5, 0);
        wheel.schedule(5, 1);
        assert_eq!(wheel.pop(), Some((5, 1)));
        assert_eq!(wheel.pop(), Some((5, 0)));
        assert_eq!(wheel.pop(), None);
        wheel.schedule(5, 1);
        assert_eq!(wheel.pop(), Some((5, 1)));
    }

    #[test]
    fn the_past_is_now_and_the_far_future_keeps_its_order() {
        let mut wheel = Wheel::new(2);
        wheel.schedule(1_000_000, 7);
        wheel.schedule(1_000_000, 7);
        wheel.schedule(999_900, 1);
        assert_eq!(wheel.pop(), Some((999_900, 1)));
        wheel.schedule(1_000_000, 3);
        wheel.schedule(12, 4);
        assert_eq!(wheel.pop(), Some((999_900, 4)));
        assert_eq!(wheel.pop(), Some((1_000_000, 7)));
        assert_eq!(wheel.pop(), Some((1_000_000, 3)));
        assert_eq!(wheel.pop(), None);
        assert_eq!(wheel.now, 1_000_000);
    }
}
