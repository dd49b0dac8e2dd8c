//! [`both`]: runs two computations in parallel if the history is long enough to pay for a second thread.

/// Number of events from which on a second thread saves more time than it costs.
pub(crate) const MINIMUM: usize = 1 << 15;

/// Returns the results of two functions that each process about `events` events. From [`MINIMUM`] events on,
/// the second function runs on a thread of its own; the results do not depend on that.
pub(crate) fn both<A, B: Send>(
    events: usize,
    first: impl FnOnce() -> A,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    if events < MINIMUM {
        return (first(), second());
    }
    std::thread::scope(|scope| {
        let second = scope.spawn(second);
        let first = first();
        match second.join() {
            Ok(second) => (first, second),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
