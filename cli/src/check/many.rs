//! Checks inputs on several threads, and prints their results in the order of the inputs.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;

use tables::VerdictRow;

use super::args::Form;
use super::{Checker, InputResult, verdicts};
use crate::error::{self, Error};
use crate::progress;
use crate::status::Status;

/// The results of the inputs that were checked so far.
pub(super) struct Seen {
    /// The status of all inputs together.
    pub status: Status,
    /// The rows of the table.
    pub rows: Vec<VerdictRow>,
}

impl Default for Seen {
    fn default() -> Seen {
        Seen { status: Status::Done, rows: Vec::new() }
    }
}

impl Seen {
    /// Adds the result of an input, and prints its errors after the output about it.
    fn add(&mut self, checked: InputResult, out: &mut dyn Write) -> Result<(), Error> {
        self.status = checked.status.map_or(self.status, |status| self.status.and(status));
        self.rows.extend(checked.rows);
        if !checked.errors.is_empty() {
            out.flush().map_err(Error::Output)?;
        }
        checked.errors.iter().for_each(error::print);
        checked.unwritten.map_or(Ok(()), |error| Err(Error::Output(error)))
    }
}

/// Checks all inputs.
///
/// # Errors
/// Returns an error if `out` cannot be written.
pub(super) fn check(
    checker: &Checker<'_>,
    inputs: Vec<Result<PathBuf, lab::Error>>,
    seen: &mut Seen,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut paths = Vec::new();
    for input in inputs {
        match input {
            Ok(path) => paths.push(path),
            Err(error) => seen.add(unreadable(&error), out)?,
        }
    }
    let jobs = checker.args.jobs.map_or(0, |jobs| jobs as usize);
    if paths.len() < 2 || jobs == 1 {
        let progress = Progress::new(checker, &paths);
        for path in &paths {
            let checked = checker.check(path, out);
            progress.advance(path, &checked);
            seen.add(checked, out)?;
        }
        return Ok(());
    }
    in_parallel(checker, &paths, jobs, seen, out)
}

/// The result for an argument that names no readable trace.
fn unreadable(error: &lab::Error) -> InputResult {
    let file = match error {
        lab::Error::NoTraces(path) | lab::Error::File { path, .. } => path.display().to_string(),
        lab::Error::Pattern { pattern, .. } => pattern.display().to_string(),
        _ => String::new(),
    };
    let what = error.to_string();
    let rows = vec![verdicts::unreadable(&file, &what)];
    InputResult { status: Some(Status::Bad), rows, errors: vec![what], unwritten: None }
}

/// Checks inputs on `jobs` threads, or one thread per core if `jobs` is 0. The output of each input is kept in memory until the
/// outputs before it are printed.
fn in_parallel(
    checker: &Checker<'_>,
    paths: &[PathBuf],
    jobs: usize,
    seen: &mut Seen,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    let pool = pool.map_err(|error| Error::Usage(format!("--jobs: {error}")))?;
    let progress = Progress::new(checker, paths);
    let is_over = AtomicBool::new(false);
    let (sender, receiver) = channel();
    pool.in_place_scope(|scope| {
        for (number, path) in paths.iter().enumerate() {
            let (sender, is_over, progress) = (sender.clone(), &is_over, &progress);
            scope.spawn(move |_| {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let mut text = Vec::new();
                let checked = checker.check(path, &mut text);
                progress.advance(path, &checked);
                // Sending fails only if an error of the output has ended the command.
                let _ = sender.send((number, (checked, text)));
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        let mut take = |number: usize, result: (InputResult, Vec<u8>)| {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&next) {
                let (checked, text) = result;
                out.write_all(&text).map_err(Error::Output)?;
                seen.add(checked, out)?;
                next += 1;
            }
            Ok::<(), Error>(())
        };
        let taken = receiver.iter().try_for_each(|(number, result)| take(number, result));
        // After an error no further input is started.
        is_over.store(true, Ordering::Relaxed);
        taken
    })
}

/// A progress bar over the bytes of the inputs, since large traces take longer than small ones.
struct Progress(progress::Inputs);

impl Progress {
    /// The bar is hidden while verdicts are printed on the same terminal.
    fn new(checker: &Checker<'_>, paths: &[PathBuf]) -> Progress {
        let prints_each = checker.prints_each || checker.args.format == Form::Json;
        let quiet = checker.args.options.quiet
            || paths.len() < 2
            || prints_each && io::stdout().is_terminal();
        let bytes = paths.iter().map(|path| size(path)).sum();
        Progress(progress::inputs(bytes, paths.len() as u64, quiet))
    }

    fn advance(&self, path: &Path, checked: &InputResult) {
        self.0.advance(size(path), checked.status == Some(Status::Violation));
    }
}

/// The size of a file, or of all files in gem5's output folder, in bytes.
fn size(path: &Path) -> u64 {
    let of_file = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| of_file(&entry.path())).sum(),
        Err(_) => of_file(path),
    }
}
