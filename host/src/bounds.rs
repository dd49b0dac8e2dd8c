//! [`Bounds`]: the time and memory that an algorithm may take before it gives up.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use crate::processor::ProcessorClock;

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
    /// When the time is over. A limit of processor time has been used up then at the earliest.
    deadline: Cell<Option<Instant>>,
    /// The clock of a limit of processor time, and what it shows when the time is over.
    processor: Option<(ProcessorClock, Duration)>,
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
            deadline: Cell::new(time.and_then(|time| Instant::now().checked_add(time))),
            memory,
            ..Bounds::default()
        }
    }

    /// Creates bounds as [`Bounds::new`] does, with a limit of processor time instead of elapsed time. With
    /// [`ProcessorClock::Thread`] they are for the thread that asks.
    pub fn of_processor(clock: ProcessorClock, time: Duration, memory: Option<u64>) -> Bounds {
        let bounds = Bounds {
            processor: clock.now().checked_add(time).map(|end| (clock, end)),
            memory,
            ..Bounds::default()
        };
        bounds.is_processor_time_over();
        bounds
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
        if self.is_time_over() {
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

    /// Whether the time is over. The processor's clock, which costs a call of the system, is asked only when enough time has elapsed
    /// for the limit to be used up.
    fn is_time_over(&self) -> bool {
        let is_due = self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline);
        is_due && (self.processor.is_none() || self.is_processor_time_over())
    }

    /// Whether the limit of processor time is used up. If not, sets the time at which to ask again.
    fn is_processor_time_over(&self) -> bool {
        let Some((clock, end)) = self.processor else {
            return false;
        };
        let left = end.saturating_sub(clock.now());
        let at_once = match clock {
            ProcessorClock::Thread => 1,
            ProcessorClock::Process => available_parallelism().map_or(1, usize::from) as u32,
        };
        self.deadline.set(Instant::now().checked_add(left / at_once));
        left.is_zero()
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
    #[inline]
    pub fn allows_items<T>(&self, list: &Vec<T>, more: usize) -> bool {
        let (needed, capacity) = (list.len() + more, list.capacity());
        if needed <= capacity {
            return self.exceeded.get().is_none();
        }
        self.allows(needed.max(2 * capacity).saturating_mul(size_of::<T>()))
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
    fn a_list_that_grows_needs_the_old_and_the_new_one() {
        let list: Vec<u64> = Vec::with_capacity(1 << 20);
        let used = memory_in_use(false);
        let bounds = Bounds::new(None, Some(used + (12 << 20)));
        assert!(bounds.allows_items(&list, 1 << 20));
        assert!(!bounds.allows_items(&list, (1 << 20) + 1));
        assert_eq!(bounds.exceeded(), Some(Exceeded::Memory));
    }

    #[test]
    fn waiting_uses_up_no_processor_time() {
        let bounds = Bounds::of_processor(ProcessorClock::Thread, Duration::from_millis(20), None);
        let start = ProcessorClock::Thread.now();
        std::thread::sleep(Duration::from_millis(40));
        assert!(!bounds.passed());
        while !bounds.passed() {}
        assert!(ProcessorClock::Thread.now() - start >= Duration::from_millis(20));
        assert_eq!(bounds.exceeded(), Some(Exceeded::Time));
        let none = Bounds::of_processor(ProcessorClock::Process, Duration::ZERO, None);
        assert!(none.passed());
    }

    #[test]
    fn no_bounds_are_never_met() {
        let bounds = Bounds::none();
        assert!(bounds.allows(usize::MAX));
        assert!((0..100).all(|_| !bounds.passed()));
    }
}
