//! Timers of lines.

use super::Misuse;

/// The lines with timers, and the ticks at which these expire.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimerTable {
    /// Pairs of tick and line in ascending order. Few are set at a time.
    timers: Vec<(u64, u64)>,
}

impl TimerTable {
    /// Creates a table without timers.
    pub(crate) fn new() -> TimerTable {
        TimerTable::default()
    }

    /// Sets the timer of a line that has none; the machine has to be woken at that tick.
    pub(crate) fn set(&mut self, line: u64, tick: u64) -> Result<(), Misuse> {
        if self.is_set(line) {
            return Err(Misuse::TimerSet(line));
        }
        let at = self.timers.partition_point(|&other| other < (tick, line));
        self.timers.insert(at, (tick, line));
        Ok(())
    }

    /// Lets the timer of a line expire at tick 0, at which exploration keeps the time.
    pub(crate) fn expire(&mut self, line: u64) {
        self.timers.retain(|&(_, other)| other != line);
        let at = self.timers.partition_point(|&other| other < (0, line));
        self.timers.insert(at, (0, line));
    }

    /// Whether the timer of a line is set.
    pub(crate) fn is_set(&self, line: u64) -> bool {
        self.timers.iter().any(|&(_, other)| other == line)
    }

    /// Removes the timer of a line, which has to be set.
    pub(crate) fn unset(&mut self, line: u64) -> Result<(), Misuse> {
        if !self.is_set(line) {
            return Err(Misuse::TimerNotSet(line));
        }
        self.timers.retain(|&(_, other)| other != line);
        Ok(())
    }

    /// Whether a timer has expired.
    #[inline]
    pub(crate) fn is_ready(&self, now: u64) -> bool {
        self.timers.first().is_some_and(|&(tick, _)| tick <= now)
    }

    /// The line of the timer that expires first or has expired first; if there are several, the
    /// lowest.
    pub(crate) fn next_address(&self) -> Result<u64, Misuse> {
        let first = self.timers.first();
        first.map(|&(_, line)| line).ok_or(Misuse::NoTimer)
    }

    /// Removes all timers.
    pub(crate) fn clear(&mut self) {
        self.timers.clear();
    }

    /// Pairs of tick and line, in ascending order.
    pub(crate) fn timers(&self) -> &[(u64, u64)] {
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
        assert_eq!(table.next_address(), Err(Misuse::NoTimer));
        table.set(64, 30).unwrap();
        table.set(192, 20).unwrap();
        table.set(128, 20).unwrap();
        assert_eq!(table.timers.first().map(|&(tick, _)| tick), Some(20));
        assert!(!table.is_ready(19));
        // The timer need not have expired.
        assert_eq!(table.next_address(), Ok(128));
        assert_eq!(table.set(128, 40), Err(Misuse::TimerSet(128)));
        table.unset(128).unwrap();
        table.set(128, 40).unwrap();
        assert_eq!(table.next_address(), Ok(192));
        table.unset(192).unwrap();
        assert_eq!(table.unset(192), Err(Misuse::TimerNotSet(192)));
        assert!(!table.is_ready(20) && table.is_ready(30) && !table.is_set(192));
        assert_eq!(table.timers(), [(30, 64), (40, 128)]);
        table.expire(128);
        assert_eq!(table.next_address(), Ok(128));
    }
}
