//! Vector clocks of events: of each chain, how far it precedes the event.

/// Clocks, all of one width, which grows with the number of chains.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    width: usize,
    ticks: Vec<u32>,
}

impl Clocks {
    /// Makes room for so many events and chains.
    pub fn reserve(&mut self, events: usize, chains: usize) {
        if chains > self.width {
            // Room for more, but not much: what a clock costs is its width.
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

    /// The clock of an event.
    pub fn of(&self, event: u32) -> &[u32] {
        &self.ticks[event as usize * self.width..][..self.width]
    }

    /// How far a chain precedes an event.
    pub fn get(&self, event: u32, chain: u32) -> u32 {
        self.ticks[event as usize * self.width + chain as usize]
    }

    /// Nothing precedes the event but itself, one event, and what precedes that.
    pub fn begin(&mut self, event: u32, chain: u32, position: u32, before: Option<u32>) {
        let start = event as usize * self.width;
        match before {
            Some(before) => {
                let from = before as usize * self.width;
                self.ticks.copy_within(from..from + self.width, start);
            }
            None => self.ticks[start..start + self.width].fill(0),
        }
        self.ticks[start + chain as usize] = position;
    }

    /// What precedes the first precedes the second, too. Whether that is news.
    pub fn join(&mut self, first: u32, second: u32) -> bool {
        let width = self.width;
        let (first, second) = (first as usize * width, second as usize * width);
        let (low, high) = self.ticks.split_at_mut(first.max(second));
        let (from, to) = match first < second {
            true => (&low[first..first + width], &mut high[..width]),
            false => (&high[..width], &mut low[second..second + width]),
        };
        let mut is_news = false;
        // Positions are below 2^31, and every x86-64 compares many signed numbers at once.
        for (to, &from) in to.iter_mut().zip(from) {
            let is_later = from as i32 > *to as i32;
            is_news |= is_later;
            *to = if is_later { from } else { *to };
        }
        is_news
    }
}
