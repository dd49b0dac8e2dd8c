//! Reading bytes from outside without being taken down by them.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;

use polars::prelude::PolarsResult;

use super::TableError;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs polars on bytes from outside. Its decoders check most of what they read and panic at the
/// rest, and a damaged file must give the same error whichever it hits.
pub(super) fn guarded<T>(
    path: &Path,
    read: impl FnOnce() -> PolarsResult<T>,
) -> Result<T, TableError> {
    silence_guarded_panics();
    GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(false);
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(TableError::damaged(path, error.to_string())),
        Err(_) => Err(TableError::damaged(path, "it cannot be decoded")),
    }
}

/// A panic that is caught and reported as an error is not to be reported as a panic as well. All
/// other panics, on this thread or another, go to the hook that was there.
fn silence_guarded_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                hook(info);
            }
        }));
    });
}
