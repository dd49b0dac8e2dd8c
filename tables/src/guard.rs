//! Decodes bytes from outside so that damaged ones do not end the program.
//!
//! polars panics at some damaged files, which [`guarded`] catches, and asks for more memory than there is at others, which ends the program and cannot be caught. So a program may
//! say how to try a file elsewhere first ([`set_probe`]), in a process of its own.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Once, OnceLock};

use polars_core::prelude::{DataFrame, PolarsResult};
use polars_io::mmap::MmapBytesReader;
use polars_io::prelude::{ParallelStrategy, ParquetReader, SerReader};

use crate::TableError;

/// Tries to decode a file, or the bytes of one. Returns whether decoding ended, with or without an error.
pub type Probe = fn(&Path, Option<&[u8]>) -> bool;

static PROBE: OnceLock<Probe> = OnceLock::new();

/// Sets the probe that tries files before they are read. Later calls have no effect.
pub fn set_probe(probe: Probe) {
    let _ = PROBE.set(probe);
}

/// Tries a file with the program's probe, if it has set one.
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

/// A reader of Parquet that decodes the columns one after the other, so that a file that passes the probe passes again.
pub(super) fn reader<R: MmapBytesReader>(source: R) -> ParquetReader<R> {
    ParquetReader::new(source).read_parallel(ParallelStrategy::None)
}

/// Decodes a table, all columns of which must have the same length.
pub(super) fn decoded<R: MmapBytesReader>(
    path: &Path,
    reader: ParquetReader<R>,
) -> Result<DataFrame, TableError> {
    let frame = guarded(path, || reader.finish())?;
    if frame.columns().iter().all(|it| it.len() == frame.height()) {
        Ok(frame)
    } else {
        Err(TableError::damaged(path, "its columns differ in length"))
    }
}

/// Runs polars on bytes from outside. Its decoders refuse most damaged input and panic at some; either becomes an error.
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
        Err(_) => Err(TableError::damaged(
            path,
            "it cannot be decoded: it is damaged, or has columns of a type that is not read",
        )),
    }
}

/// Installs a panic hook that is silent about panics that [`guarded`] turns into errors. All other panics, on this thread or
/// another, go to the previous hook.
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
