//! [`both`]: two computations beside each other, where that is worth a thread.

/// Number of events from which on a thread costs less than it saves.
pub const MINIMUM: usize = 1 << 15;

/// The results of two functions about this many events. In a long history the second runs on a thread of
/// its own. The results do not depend on that.
pub fn both<A, B: Send>(
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
