//! [`Bounds`]: the time and memory that an algorithm may take before it gives up.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Number of checks of the time for each check of the memory, which costs about a microsecond.
const TIME_CHECKS_PER_MEMORY_CHECK: u32 = 8;
/// Size in bytes below which an allocation is not checked in advance.
const SMALL_ALLOCATION: usize = 1 << 20;
/// Size in bytes up to which an allocation is checked with the memory in use a short time ago.
const RECENT_ENOUGH_FOR: u64 = 1 << 20;
/// Time for which the memory in use is not asked for again, except before a larger allocation. To ask takes as long as to decide a small
/// history.
const RECENT: Duration = Duration::from_millis(1);

thread_local! {
    /// When this thread asked for the memory in use, and the answer in bytes.
    static LAST: Cell<Option<(Instant, u64)>> = const { Cell::new(None) };
}

/// The bytes that the process occupies, or occupied a short time ago if `may_be_recent`; 0 if the system does not say.
fn memory_in_use(may_be_recent: bool) -> u64 {
    let now = Instant::now();
    match LAST.get().filter(|(at, _)| may_be_recent && now.duration_since(*at) < RECENT) {
        Some((_, used)) => used,
        None => {
            let used = memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64);
            LAST.set(Some((now, used)));
            used
        }
    }
}

/// The bound that was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// The caller cancelled the run.
    Interrupted,
}

/// A time limit, a memory limit and a flag that cancels the run, shared by all code that works on one
/// verdict. A copy is met at the same time.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    deadline: Option<Instant>,
    /// Bytes that the process may occupy.
    memory: Option<u64>,
    /// Set when the caller cancels the run.
    interrupted: Option<&'static AtomicBool>,
    /// Number of calls of [`Bounds::passed`] so far.
    checks: Cell<u32>,
    /// The first bound that was met.
    exceeded: Cell<Option<Exceeded>>,
}

impl Bounds {
    /// Creates bounds that are never met.
    pub fn none() -> Bounds {
        Bounds::default()
    }

    /// Creates bounds: a time from now, and the number of bytes that the whole process may occupy. A time
    /// too long to represent is no limit. On systems that do not report the memory in use, the memory
    /// limit has no effect.
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Bounds {
        Bounds {
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            memory,
            ..Bounds::default()
        }
    }

    /// The same bounds, which are also met when `interrupted` is set.
    pub fn or_interrupted(self, interrupted: &'static AtomicBool) -> Bounds {
        Bounds { interrupted: Some(interrupted), ..self }
    }

    /// Whether a bound has been met. Once one has, the answer stays `true`. Cheap enough to be called
    /// often.
    pub fn passed(&self) -> bool {
        if self.exceeded.get().is_some() {
            return true;
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.exceeded.set(Some(Exceeded::Time));
        }
        if self.interrupted.is_some_and(|it| it.load(Ordering::Relaxed)) {
            self.exceeded.set(Some(Exceeded::Interrupted));
        }
        let checks = self.checks.get().wrapping_add(1);
        self.checks.set(checks);
        if checks.is_multiple_of(TIME_CHECKS_PER_MEMORY_CHECK) {
            self.check_memory(0);
        }
        self.exceeded.get().is_some()
    }

    /// Whether this many more bytes may be allocated. To be called before the allocation. If the answer
    /// is `false`, the bound counts as met.
    pub fn allows(&self, bytes: usize) -> bool {
        if bytes >= SMALL_ALLOCATION {
            self.check_memory(bytes as u64);
        }
        self.exceeded.get().is_none()
    }

    /// Whether a list may get this many more items. To be called before they are added: a list that is full is copied to one twice as
    /// large, and both are in use until that is done.
    pub fn allows_items<T>(&self, list: &Vec<T>, more: usize) -> bool {
        let (needed, capacity) = (list.len() + more, list.capacity());
        let grown = if needed > capacity { needed.max(2 * capacity) } else { 0 };
        self.allows(grown.saturating_mul(size_of::<T>()))
    }

    fn check_memory(&self, more: u64) {
        let Some(limit) = self.memory else {
            return;
        };
        let used = memory_in_use(more <= RECENT_ENOUGH_FOR);
        if used.saturating_add(more) > limit && self.exceeded.get().is_none() {
            self.exceeded.set(Some(Exceeded::Memory));
        }
    }

    /// Marks the bound that a copy of these bounds has met as met, unless one was met already.
    pub fn include(&self, copy: &Bounds) {
        if self.exceeded.get().is_none() {
            self.exceeded.set(copy.exceeded.get());
        }
    }

    /// The bound that was met first; `None` if none was.
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
    fn allocations_are_checked_in_advance() {
        let bounds = Bounds::new(None, Some(1 << 40));
        assert!(bounds.allows(1 << 30));
        assert!(!bounds.passed());
        assert!(!bounds.allows(1 << 41));
        assert!(bounds.passed());
        assert_eq!(bounds.exceeded(), Some(Exceeded::Memory));
    }

    #[test]
    fn no_bounds_are_never_met() {
        let bounds = Bounds::none();
        assert!(bounds.allows(usize::MAX));
        assert!((0..100).all(|_| !bounds.passed()));
    }
}
