//! How much time and memory an engine may take before it gives up.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Checks of the time between two checks of the memory, which cost about a microsecond each.
const MEMORY_EVERY: u32 = 8;
/// An allocation below this is not asked for in advance.
const SMALL: usize = 1 << 20;

/// Which bound was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// The caller cancelled the run.
    Interrupted,
}

/// When to stop. Shared by everything that works on one verdict.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    time: Option<Duration>,
    at: Option<Instant>,
    /// Bytes that the process may occupy.
    memory: Option<u64>,
    /// Set when the caller cancels the run.
    interrupted: Option<&'static AtomicBool>,
    checks: Cell<u32>,
    exceeded: Cell<Option<Exceeded>>,
}

impl Bounds {
    /// Creates bounds that are never met.
    pub fn none() -> Bounds {
        Bounds::default()
    }

    /// This long from now, and this many bytes that the whole process may occupy. A time too far
    /// away to represent is no limit, and neither is memory on systems that do not tell how much is
    /// in use.
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Bounds {
        Bounds {
            time,
            at: time.and_then(|time| Instant::now().checked_add(time)),
            memory,
            ..Bounds::default()
        }
    }

    /// These, and met at the latest when this is true.
    pub fn or_interrupted(self, interrupted: &'static AtomicBool) -> Bounds {
        Bounds { interrupted: Some(interrupted), ..self }
    }

    /// The same bounds, from now.
    pub fn again(&self) -> Bounds {
        Bounds { interrupted: self.interrupted, ..Bounds::new(self.time, self.memory) }
    }

    /// Whether a bound has been met; once it has, it stays so. Meant to be asked often.
    pub fn passed(&self) -> bool {
        if self.exceeded.get().is_some() {
            return true;
        }
        if self.at.is_some_and(|at| Instant::now() >= at) {
            self.exceeded.set(Some(Exceeded::Time));
        }
        if self.interrupted.is_some_and(|it| it.load(Ordering::Relaxed)) {
            self.exceeded.set(Some(Exceeded::Interrupted));
        }
        let checks = self.checks.get().wrapping_add(1);
        self.checks.set(checks);
        if checks.is_multiple_of(MEMORY_EVERY) {
            self.ask_memory(0);
        }
        self.exceeded.get().is_some()
    }

    /// Whether this many more bytes may be taken, which is to be asked before they are. If not, the
    /// bound counts as met.
    pub fn allows(&self, bytes: usize) -> bool {
        if bytes >= SMALL {
            self.ask_memory(bytes as u64);
        }
        self.exceeded.get().is_none()
    }

    fn ask_memory(&self, more: u64) {
        let Some(limit) = self.memory else {
            return;
        };
        let used = memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64);
        if used.saturating_add(more) > limit && self.exceeded.get().is_none() {
            self.exceeded.set(Some(Exceeded::Memory));
        }
    }

    /// Which bound was met first.
    pub fn exceeded(&self) -> Option<Exceeded> {
        self.exceeded.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_that_was_met_first_is_remembered() {
        let late = Bounds::new(Some(Duration::ZERO), Some(1));
        assert!(late.passed());
        assert_eq!(late.exceeded(), Some(Exceeded::Time));
        assert!(!late.allows(2 << 20));
        assert_eq!(late.exceeded(), Some(Exceeded::Time));
    }

    #[test]
    fn memory_is_asked_for_before_it_is_taken() {
        let bounds = Bounds::new(None, Some(1 << 40));
        assert!(bounds.allows(1 << 30));
        assert!(!bounds.passed());
        assert!(!bounds.allows(1 << 41));
        assert!(bounds.passed());
        assert_eq!(bounds.exceeded(), Some(Exceeded::Memory));
    }

    #[test]
    fn they_begin_again() {
        let bounds = Bounds::new(None, Some(1));
        assert!(!bounds.allows(2 << 20));
        let again = bounds.again();
        assert_eq!(again.exceeded(), None);
        assert!(!again.allows(2 << 20));
    }

    #[test]
    fn without_bounds_everything_goes() {
        let bounds = Bounds::none();
        assert!(bounds.allows(usize::MAX));
        assert!((0..100).all(|_| !bounds.passed()));
    }
}
