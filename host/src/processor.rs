//! [`ProcessorClock`]: the processor time that work has taken. Other programs on a busy machine lengthen the elapsed time of a run, and
//! this time hardly.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// A clock of processor time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessorClock {
    /// The time of the thread that asks. Threads that it starts have a time of their own, which is not counted.
    Thread,
    /// The time of all threads of the process.
    Process,
}

impl ProcessorClock {
    /// The time so far; zero on a system that has no such clock.
    pub fn now(self) -> Duration {
        let clock = match self {
            ProcessorClock::Thread => ClockId::CLOCK_THREAD_CPUTIME_ID,
            ProcessorClock::Process => ClockId::CLOCK_PROCESS_CPUTIME_ID,
        };
        clock_gettime(clock).map_or(Duration::ZERO, Duration::from)
    }
}

/// The processor time of another process and its threads, without that of processes that it has started. `None` once it has been waited
/// for, and on a system that does not say.
#[cfg(target_os = "linux")]
pub fn time_of_process(process: u32) -> Option<Duration> {
    let process = nix::unistd::Pid::from_raw(i32::try_from(process).ok()?);
    let clock = ClockId::pid_cpu_clock_id(process).ok()?;
    clock_gettime(clock).ok().map(Duration::from)
}

/// The processor time of another process, which this system does not say.
#[cfg(not(target_os = "linux"))]
pub fn time_of_process(_process: u32) -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Instant;

    use super::*;

    /// Computes for about this much processor time of the thread.
    fn compute(time: Duration) {
        let start = ProcessorClock::Thread.now();
        while ProcessorClock::Thread.now() - start < time {
            std::hint::black_box((0..1000).sum::<u64>());
        }
    }

    #[test]
    fn waiting_takes_no_processor_time() {
        let (start, begun) = (ProcessorClock::Thread.now(), Instant::now());
        std::thread::sleep(Duration::from_millis(50));
        let spent = ProcessorClock::Thread.now() - start;
        assert!(begun.elapsed() >= Duration::from_millis(50));
        assert!(spent < Duration::from_millis(25), "{spent:?}");
    }

    #[test]
    fn a_process_has_the_time_of_its_threads() {
        let (process, own) = (ProcessorClock::Process.now(), ProcessorClock::Thread.now());
        std::thread::scope(|scope| scope.spawn(|| compute(Duration::from_millis(20))).join())
            .unwrap();
        assert!(ProcessorClock::Process.now() - process >= Duration::from_millis(20));
        assert!(ProcessorClock::Thread.now() - own < Duration::from_millis(20));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn another_process_has_a_time_until_it_is_waited_for() {
        let mut child = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let begun = Instant::now();
        while time_of_process(child.id()).unwrap() < Duration::from_millis(10) {
            assert!(begun.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(time_of_process(child.id()), None);
    }
}
