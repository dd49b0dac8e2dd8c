//! Writes traces: the trace of one run to a file or to standard output, those of many runs to a folder.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use simulate::config::Plan;
use simulate::simulation::{Run, Simulation};
use simulate::system::FaultKind;
use simulate::trace::Output;
use slicc::protocol::Protocol;

use super::{Args, Cell};
use crate::error::Error;
use crate::files::failed;
use lab::protocols::Opened;

/// A folder for the traces of many runs, each of which has a file named by its seed.
pub(super) struct TraceFolder {
    /// The folder of each cell: the folder itself if there is one cell, else a subfolder.
    folders: Vec<PathBuf>,
    /// The number of digits of a seed, so that names sort as seeds do.
    digits: usize,
}

impl TraceFolder {
    /// Creates the folder that `-o` names; `None` if the option is not given.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub(super) fn create(
        args: &Args,
        opened: &[Opened],
        cells: &[Cell],
    ) -> Result<Option<TraceFolder>, Error> {
        let Some(folder) = &args.output else {
            return Ok(None);
        };
        let mut folders: Vec<PathBuf> = Vec::new();
        for cell in cells {
            let own = match cells.len() {
                1 => folder.clone(),
                _ => unused(folder.join(subfolder(&opened[cell.protocol], cell)), &folders),
            };
            fs::create_dir_all(&own).map_err(failed(&own))?;
            folders.push(own);
        }
        let last = args.seed_of(args.runs.unwrap_or(1) - 1).max(args.seed());
        Ok(Some(TraceFolder { folders, digits: last.to_string().len() }))
    }

    /// The path of the trace of the run of a cell with a seed.
    pub(super) fn file(&self, cell: usize, seed: u64) -> PathBuf {
        self.folders[cell].join(format!("{seed:0digits$}.trace.gz", digits = self.digits))
    }
}

/// The name of the subfolder of a cell, such as `MI_example-in-order`
fn subfolder(opened: &Opened, cell: &Cell) -> String {
    let protocol = Path::new(&opened.given).file_stem();
    let protocol = protocol.map_or(opened.given.clone(), |name| name.to_string_lossy().into());
    format!("{protocol}-{}", cell.client)
}

/// The folder, with a number after its name if another protocol of that name has it.
fn unused(folder: PathBuf, taken: &[PathBuf]) -> PathBuf {
    let name = folder.display().to_string();
    let numbered = (2..).map(|number| PathBuf::from(format!("{name}~{number}")));
    let mut free = std::iter::once(folder).chain(numbered).filter(|path| !taken.contains(path));
    free.next().unwrap_or_default()
}

/// A run to be done.
pub(super) struct RunRequest<'a> {
    pub simulation: &'a Simulation,
    pub protocol: &'a Protocol,
    pub plan: &'a Plan,
    /// The first line of the trace.
    pub title: &'a str,
}

impl RunRequest<'_> {
    /// Runs the simulation; `file` is the name of the trace in errors.
    ///
    /// # Errors
    /// Returns an error if the simulation cannot be set up, or if the trace cannot be written.
    pub(super) fn run(&self, trace: Option<(Output, Failures)>, file: &str) -> Result<Run, Error> {
        let (output, failures) = trace.unzip();
        let run = self.simulation.run_titled(self.protocol, self.plan, output, Some(self.title));
        let mut run =
            run.map_err(|what| Error::Usage(format!("{}: {what}", self.protocol.name())))?;
        let finished = run.finish_trace();
        if let Some(error) = failures.and_then(|failures| failures.take()) {
            return Err(failure(error, file));
        }
        finished.map_err(|error| failure(error, file))?;
        match &run.fault {
            Some(fault) if fault.kind == FaultKind::Output => {
                Err(failure(io::Error::other(fault.message.clone()), file))
            }
            _ => Ok(run),
        }
    }

    /// Runs the simulation, with the trace on standard output, which another thread writes.
    ///
    /// # Errors
    /// Returns an error if the simulation cannot be set up, or if standard output cannot be written.
    pub(super) fn to_standard_output(&self) -> Result<Run, Error> {
        let handle = io::stdout().as_fd().try_clone_to_owned().map_err(Error::Output)?;
        let (writer, failures) = Watched::new(File::from(handle));
        self.run(Some((Output::Plain(Box::new(writer)), failures)), "-")
    }

    /// Runs the simulation, with the trace in a file, which appears when it is whole.
    ///
    /// # Errors
    /// Returns an error if the simulation cannot be set up, or if the file cannot be written.
    pub(super) fn to_file(&self, path: &Path) -> Result<Run, Error> {
        let file = path.display().to_string();
        let failed = |error| Error::File { file: file.clone(), error };
        let mut done = None;
        host::files::create(path, failed, |to| {
            let (writer, failures) = Watched::new(to.try_clone().map_err(failed)?);
            let writer = Box::new(writer);
            let output = if path.extension().is_some_and(|extension| extension == "gz") {
                Output::Gzip(writer)
            } else {
                Output::Plain(writer)
            };
            done = Some(self.run(Some((output, failures)), &file)?);
            Ok(())
        })?;
        done.ok_or_else(|| Error::Usage(format!("{file}: nothing was written")))
    }
}

fn failure(error: io::Error, file: &str) -> Error {
    match file {
        "-" => Error::Output(error),
        file => Error::File { file: file.to_owned(), error },
    }
}

/// The first write error of a file, shared with the writer of the file.
#[derive(Clone, Default)]
pub(super) struct Failures(Arc<Mutex<Option<io::Error>>>);

impl Failures {
    fn take(&self) -> Option<io::Error> {
        self.0.lock().ok()?.take()
    }
}

/// A file that keeps its first error, so that the cause of a failed trace is known.
struct Watched {
    file: File,
    failures: Failures,
}

impl Watched {
    fn new(file: File) -> (Watched, Failures) {
        let failures = Failures::default();
        (Watched { file, failures: failures.clone() }, failures)
    }

    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let kind = error.kind();
            if kind != io::ErrorKind::Interrupted
                && let Ok(mut kept) = self.failures.0.lock()
            {
                kept.get_or_insert(error);
            }
            kind.into()
        })
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        self.note(flushed)
    }
}
