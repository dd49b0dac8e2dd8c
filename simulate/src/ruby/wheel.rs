//! The queue of events: which controller or core is woken at which tick.
//!
//! This is a timing wheel: a slot for each of the next ticks, with events in the order in which
//! they were scheduled, and a sorted map for later ticks. Within a tick, gem5 runs what was
//! scheduled last first; any order is legal, and this is the simplest.

use std::collections::BTreeMap;

/// Number of ticks that the wheel covers. Random delays of buffers and the default latencies are shorter, so the map is
/// used for slower networks and memories and for timeouts only.
const SLOTS: usize = 256;

/// Number of words with a bit for each slot.
const WORDS: usize = SLOTS / 64;

/// Number of events for which a slot has room. In a small system a tick has one or two events. A slot takes 32 bytes,
/// half a cache line of the host.
const ROOM: usize = 7;

/// The events of a tick.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Number of events, including those for which the slot has no room.
    count: u32,
    first: [u32; ROOM],
}

impl Slot {
    /// The events that are here.
    #[inline]
    fn held(&self) -> &[u32] {
        &self.first[..ROOM.min(self.count as usize)]
    }
}

/// Events in the order of their ticks.
#[derive(Clone, Debug)]
pub(crate) struct Wheel {
    now: u64,
    /// The events of each of the next ticks, indexed by the tick modulo the number of slots.
    slots: Vec<Slot>,
    /// The events for which slots have no room.
    more: Vec<Vec<u32>>,
    /// A bit for each slot that is not empty.
    occupied: [u64; WORDS],
    /// Number of events of the current slot that have run.
    cursor: usize,
    /// The events of later ticks.
    far: BTreeMap<u64, Vec<u32>>,
    /// The first tick in that map, or a tick that never comes.
    nearest: u64,
}

impl Wheel {
    /// Creates a wheel without events, at tick 0.
    pub(crate) fn new() -> Wheel {
        Wheel {
            now: 0,
            slots: vec![Slot::default(); SLOTS],
            more: vec![Vec::new(); SLOTS],
            occupied: [0; WORDS],
            cursor: 0,
            far: BTreeMap::new(),
            nearest: u64::MAX,
        }
    }

    /// Removes all events, and returns to tick 0.
    pub(crate) fn clear(&mut self) {
        for word in 0..WORDS {
            while self.occupied[word] != 0 {
                let slot = 64 * word + self.occupied[word].trailing_zeros() as usize;
                self.empty(slot);
            }
        }
        self.far.clear();
        self.nearest = u64::MAX;
        self.now = 0;
        self.cursor = 0;
    }

    /// Removes the events of a slot.
    #[inline]
    fn empty(&mut self, slot: usize) {
        if self.slots[slot].count as usize > ROOM {
            self.more[slot].clear();
        }
        self.slots[slot].count = 0;
        self.occupied[slot / 64] &= !(1 << (slot % 64));
    }

    /// Schedules an event, unless it is scheduled for that tick already. A tick in the past counts
    /// as the current one. An event may be scheduled for the current tick even after it ran.
    #[inline]
    pub(crate) fn schedule(&mut self, tick: u64, event: u32) {
        let tick = tick.max(self.now);
        if tick - self.now < SLOTS as u64 {
            self.put(tick, event);
        } else {
            self.put_far(tick, event);
        }
    }

    #[inline]
    fn put(&mut self, tick: u64, event: u32) {
        let slot = tick as usize % SLOTS;
        // The events of the current tick that have run may be scheduled again.
        let ran = if tick == self.now { self.cursor } else { 0 };
        let of = &mut self.slots[slot];
        if of.held().iter().skip(ran).any(|other| *other == event) {
            return;
        }
        if let Some(free) = of.first.get_mut(of.count as usize) {
            *free = event;
            of.count += 1;
            self.occupied[slot / 64] |= 1 << (slot % 64);
        } else {
            self.put_more(slot, ran, event);
        }
    }

    /// Adds an event to a slot that has no room for it.
    #[cold]
    fn put_more(&mut self, slot: usize, ran: usize, event: u32) {
        let more = &mut self.more[slot];
        if !more.iter().skip(ran.saturating_sub(ROOM)).any(|other| *other == event) {
            more.push(event);
            self.slots[slot].count += 1;
        }
    }

    /// The event at an index of a slot.
    #[inline]
    fn event(&self, slot: usize, index: usize) -> Option<u32> {
        let of = &self.slots[slot];
        if index >= of.count as usize {
            return None;
        }
        match of.first.get(index) {
            Some(event) => Some(*event),
            None => self.more[slot].get(index - ROOM).copied(),
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

    /// Removes and returns the next event with its tick, which becomes the current one.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(u64, u32)> {
        loop {
            let slot = self.now as usize % SLOTS;
            if let Some(event) = self.event(slot, self.cursor) {
                self.cursor += 1;
                return Some((self.now, event));
            }
            self.empty(slot);
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
            let mut wheel = Wheel::new();
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
        let mut wheel = Wheel::new();
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
        let mut wheel = Wheel::new();
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
