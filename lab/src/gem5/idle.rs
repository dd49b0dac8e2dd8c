//! Processes of gem5 that wait for more programs, since starting one takes as long as dozens of programs.

use std::sync::{Mutex, PoisonError};

use super::{Binary, Session, System};

/// Processes that have run all of their programs and could run more.
#[derive(Default)]
pub struct Idle<'a> {
    /// Each process with its binary and its system, the most recently used last.
    processes: Mutex<Vec<(Binary, System, Session<'a>)>>,
}

impl<'a> Idle<'a> {
    /// Largest number of idle processes for each processor. Each process takes some 100 MB.
    const MOST_PER_PROCESSOR: usize = 2;

    /// A process of this binary with this system, if there is one.
    pub fn take(&self, binary: &Binary, system: &System) -> Option<Session<'a>> {
        let mut processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        let at = processes.iter().position(|(of, on, _)| of == binary && on == system)?;
        Some(processes.remove(at).2)
    }

    /// Keeps a process, and ends those that were used longest ago if there are too many.
    pub fn put(&self, binary: Binary, system: System, session: Session<'a>) {
        let mut processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        processes.push((binary, system, session));
        let most = Idle::MOST_PER_PROCESSOR * rayon::current_num_threads();
        let surplus = processes.len().saturating_sub(most);
        let ended: Vec<_> = processes.drain(..surplus).collect();
        // Ending a process takes some time.
        drop(processes);
        drop(ended);
    }
}
