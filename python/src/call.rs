//! Runs long work on a thread of its own, without Python's lock, and asks Python for signals meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Interval at which Python is asked for signals.
const PERIOD: Duration = Duration::from_millis(50);

/// Size of the thread's stack in bytes: that of a program's main thread.
const STACK: usize = 8 << 20;

/// Cancellation flags that no work uses. Work takes a `'static` flag, so flags are leaked, and reused instead of freed.
static FREE: Mutex<Vec<&'static AtomicBool>> = Mutex::new(Vec::new());

/// A flag that cancels work.
struct Flag(&'static AtomicBool);

impl Flag {
    fn take() -> Flag {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let flag = free.unwrap_or_else(|| Box::leak(Box::default()));
        flag.store(false, Ordering::Relaxed);
        Flag(flag)
    }
}

impl Drop for Flag {
    fn drop(&mut self) {
        FREE.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
    }
}

/// Runs work without Python's lock. At Ctrl-C it sets the flag that the work was given and raises `KeyboardInterrupt` at once; work
/// that does not look at the flag ends in the background, and its result is dropped.
///
/// # Errors
/// Returns the exception of a signal handler, and `RuntimeError` if the work panics.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&'static AtomicBool) -> T + Send + 'static,
) -> PyResult<T> {
    let (flag, mut result) = start(work)?;
    loop {
        if let Some(result) = wait(py, &mut result)? {
            return Ok(result);
        }
        if let Err(signal) = py.check_signals() {
            flag.store(true, Ordering::Relaxed);
            return Err(signal);
        }
    }
}

/// Runs work as [`run`] does, but waits at Ctrl-C until the work has ended, because it writes files; a second Ctrl-C does not wait.
/// Calls `watch` about twenty times a second.
///
/// # Errors
/// Returns the errors of [`run`], and the exception of `watch`, which ends the work as Ctrl-C does.
pub(crate) fn run_to_end<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&'static AtomicBool) -> T + Send + 'static,
    mut watch: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let (flag, mut result) = start(work)?;
    let mut interrupted = None;
    loop {
        if let Some(result) = wait(py, &mut result)? {
            return match interrupted {
                Some(signal) => Err(signal),
                None => watch(py).map(|()| result),
            };
        }
        if interrupted.is_some() {
            py.check_signals()?;
        } else if let Err(signal) = py.check_signals().and_then(|()| watch(py)) {
            flag.store(true, Ordering::Relaxed);
            interrupted = Some(signal);
        }
    }
}

fn start<T: Send + 'static>(
    work: impl FnOnce(&'static AtomicBool) -> T + Send + 'static,
) -> PyResult<(&'static AtomicBool, Receiver<T>)> {
    let (sender, receiver) = channel();
    let flag = Flag::take();
    let cancel = flag.0;
    let thread = Builder::new().name("rubric".to_owned()).stack_size(STACK);
    thread.spawn(move || {
        // The caller may have been interrupted and no longer receive.
        let _ = sender.send(work(flag.0));
    })?;
    Ok((cancel, receiver))
}

/// Waits one period for the result; `None` if the work has not ended.
fn wait<T: Send>(py: Python<'_>, result: &mut Receiver<T>) -> PyResult<Option<T>> {
    match py.detach(move || result.recv_timeout(PERIOD)) {
        Ok(result) => Ok(Some(result)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(PyRuntimeError::new_err(
            "rubric has failed, which is a defect: please report it with the message on standard error",
        )),
    }
}
