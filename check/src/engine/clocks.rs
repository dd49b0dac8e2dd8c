//! Vector clocks: [`Clocks`] has for each event and chain the position in the chain up to which events are
//! known to precede the event.

use host::Bounds;

/// Entries that are set between two checks of the bounds: about a millisecond.
const ENTRIES_PER_CHECK: usize = 1 << 20;

/// The clocks of all events, one row an event and one column a chain, in one array. Memory: `4·width` bytes
/// an event.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    width: usize,
    ticks: Vec<u32>,
}

/// An entry of a clock before it changed.
#[derive(Clone, Copy, Debug)]
pub struct Overwritten {
    /// The event whose clock the entry belongs to.
    pub event: u32,
    /// The chain that the entry is for.
    pub column: u32,
    /// The value of the entry before the change.
    pub value: u32,
}

impl Clocks {
    /// Creates clocks whose entries all have this value.
    pub fn new(events: usize, width: usize, value: u32) -> Clocks {
        Clocks { width, ticks: vec![value; events * width] }
    }

    /// Makes room for this many events and chains; new entries are 0.
    pub fn reserve(&mut self, events: usize, chains: usize) {
        if chains > self.width {
            // Leaves little spare room, since the cost of a clock grows with its width.
            let width = (chains + chains / 4).next_multiple_of(16);
            let mut ticks = vec![0; events * width];
            if self.width > 0 {
                for (old, new) in self.ticks.chunks(self.width).zip(ticks.chunks_mut(width)) {
                    new[..self.width].copy_from_slice(old);
                }
            }
            (self.width, self.ticks) = (width, ticks);
        }
        if self.ticks.len() < events * self.width {
            self.ticks.resize(events * self.width, 0);
        }
    }

    /// Sets all entries. Returns false if a bound was met before the last.
    pub fn fill(&mut self, value: u32, bounds: &Bounds) -> bool {
        self.ticks.chunks_mut(ENTRIES_PER_CHECK).all(|entries| {
            entries.fill(value);
            !bounds.passed()
        })
    }

    /// The clock of an event.
    #[inline]
    pub fn of(&self, event: u32) -> &[u32] {
        &self.ticks[event as usize * self.width..][..self.width]
    }

    /// The clock of an event, to change it.
    #[inline]
    pub fn of_mut(&mut self, event: u32) -> &mut [u32] {
        &mut self.ticks[event as usize * self.width..][..self.width]
    }

    /// The entry of an event's clock for a chain.
    #[inline]
    pub fn get(&self, event: u32, chain: u32) -> u32 {
        self.ticks[event as usize * self.width + chain as usize]
    }

    /// The clock of an event, to change it, and that of another event.
    #[inline]
    pub fn pair(&mut self, event: u32, other: u32) -> (&mut [u32], &[u32]) {
        let width = self.width;
        let (event, other) = (event as usize * width, other as usize * width);
        let (low, high) = self.ticks.split_at_mut(event.max(other));
        if event < other {
            (&mut low[event..event + width], &high[..width])
        } else {
            (&mut high[..width], &low[other..other + width])
        }
    }

    /// Raises the second event's clock to at least the first's. Returns whether that changed it.
    pub fn join(&mut self, first: u32, second: u32) -> bool {
        let (clock, other) = self.pair(second, first);
        join(clock, other)
    }

    /// Restores an entry to the value that it had before a change.
    pub fn restore(&mut self, old: Overwritten) {
        self.of_mut(old.event)[old.column as usize] = old.value;
    }
}

/// Whether any entry of a clock is below that of another.
#[inline]
pub fn is_exceeded(clock: &[u32], other: &[u32]) -> bool {
    let mut is_news = false;
    for (&own, &other) in clock.iter().zip(other) {
        is_news |= is_later(other, own);
    }
    is_news
}

/// Whether `position` comes after `other` in its chain. Positions are below 2^31 and are compared as signed
/// numbers, because every x86-64 processor has vector instructions that compare these, but not unsigned ones.
#[inline]
pub fn is_later(position: u32, other: u32) -> bool {
    position as i32 > other as i32
}

/// Raises a clock to at least another, entry by entry. Returns whether that changed it.
#[inline]
pub fn join(clock: &mut [u32], other: &[u32]) -> bool {
    let mut is_news = false;
    for (own, &other) in clock.iter_mut().zip(other) {
        let is_later = is_later(other, *own);
        is_news |= is_later;
        *own = if is_later { other } else { *own };
    }
    is_news
}
