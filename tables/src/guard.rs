//! Decodes Parquet bytes from outside so that damaged ones do not end the program.
//!
//! On damaged files, polars may panic, which [`guarded`] catches, or ask for more memory than there is, which ends the
//! process and cannot be caught. A program can therefore set a probe ([`set_probe`]) that first tries each file in a
//! process of its own.

use std::cell::Cell;
use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Once, OnceLock};

use crate::TableError;

/// A function that tries to decode a file, or its bytes if they are given. It returns whether decoding ended, with or
/// without an error.
pub type Probe = fn(&Path, Option<&[u8]>) -> bool;

static PROBE: OnceLock<Probe> = OnceLock::new();

/// Sets the probe that tries each file before it is read. Later calls have no effect.
pub fn set_probe(probe: Probe) {
    let _ = PROBE.set(probe);
}

/// Tries a file with the program's probe, if there is one.
pub(super) fn probed(path: &Path, bytes: Option<&[u8]>) -> Result<(), TableError> {
    match PROBE.get() {
        Some(probe) if !probe(path, bytes) => Err(TableError::damaged(
            path,
            "it cannot be decoded: it is damaged, or has columns of a type that is not read",
        )),
        _ => Ok(()),
    }
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs polars on bytes from outside, and turns its errors and panics into errors.
pub(super) fn guarded<T, E: Display>(
    path: &Path,
    read: impl FnOnce() -> Result<T, E>,
) -> Result<T, TableError> {
    silence_guarded_panics();
    GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(false);
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(TableError::damaged(path, error.to_string())),
        Err(_) => Err(TableError::damaged(
            path,
            "it cannot be decoded: it is damaged, or has columns of a type that is not read",
        )),
    }
}

/// Installs a panic hook that suppresses the messages of panics that [`guarded`] turns into errors. All other panics,
/// on this thread or another, go to the previous hook.
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
