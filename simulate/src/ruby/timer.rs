//! Timers by line (SLICC.md, section 16, TimerTable).

use super::Misuse;

/// Lines with the ticks at which their timers run out.
#[derive(Clone, Debug, Default)]
pub struct TimerTable {
    /// By tick, then line: the earliest comes first. Few are set at a time.
    timers: Vec<(u64, u64)>,
}

impl TimerTable {
    /// No timer.
    pub fn new() -> TimerTable {
        TimerTable::default()
    }

    /// Sets the timer of a line, for which the machine has to be woken at that tick. One that was
    /// set is forgotten.
    pub fn set(&mut self, line: u64, tick: u64) {
        self.unset(line);
        let at = self.timers.partition_point(|&other| other < (tick, line));
        self.timers.insert(at, (tick, line));
    }

    /// Whether the timer of a line is set.
    pub fn is_set(&self, line: u64) -> bool {
        self.timers.iter().any(|&(_, other)| other == line)
    }

    /// Forgets the timer of a line; nothing happens if it is not set.
    pub fn unset(&mut self, line: u64) {
        self.timers.retain(|&(_, other)| other != line);
    }

    /// Whether a timer has run out.
    #[inline]
    pub fn is_ready(&self, now: u64) -> bool {
        self.timers.first().is_some_and(|&(tick, _)| tick <= now)
    }

    /// When the next timer runs out.
    pub fn next_tick(&self) -> Option<u64> {
        self.timers.first().map(|&(tick, _)| tick)
    }

    /// The line whose timer ran out first, the lowest of several.
    pub fn next_address(&self, now: u64) -> Result<u64, Misuse> {
        let first = self.timers.first().filter(|&&(tick, _)| tick <= now);
        first.map(|&(_, line)| line).ok_or(Misuse::NoTimer)
    }

    /// Forgets all timers.
    pub fn clear(&mut self) {
        self.timers.clear();
    }

    /// The ticks and lines, the earliest first.
    pub fn timers(&self) -> &[(u64, u64)] {
        &self.timers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_is_next_and_of_those_the_lowest() {
        let mut table = TimerTable::new();
        assert!(!table.is_ready(u64::MAX));
        table.set(64, 30);
        table.set(192, 20);
        table.set(128, 20);
        assert_eq!(table.next_tick(), Some(20));
        assert_eq!(table.next_address(19), Err(Misuse::NoTimer));
        assert_eq!(table.next_address(20), Ok(128));
        table.set(128, 40);
        assert_eq!(table.next_address(20), Ok(192));
        table.unset(192);
        table.unset(192);
        assert!(!table.is_ready(20) && table.is_ready(30) && !table.is_set(192));
        assert_eq!(table.timers(), [(30, 64), (40, 128)]);
    }
}
