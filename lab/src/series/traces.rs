//! Writes traces: the trace of one run to a file, those of many runs to a folder.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use simulate::config::Plan;
use simulate::simulation::{Run, Simulation};
use simulate::system::FaultKind;
use simulate::trace::Output;
use slicc::protocol::Protocol;

use super::{Cell, Plan as SeriesPlan};
use crate::error::Error;
use crate::protocols::Opened;

/// A folder for the traces of many runs, each of which has a file named by its seed.
pub(super) struct TraceFolder {
    /// The folder of each cell: the folder itself if there is one cell, else a subfolder.
    folders: Vec<PathBuf>,
    /// The number of digits of a seed, so that names sort as seeds do.
    digits: usize,
}

impl TraceFolder {
    /// Creates a folder for the traces of a series.
    ///
    /// # Errors
    /// Fails if the folder cannot be created.
    pub(super) fn create(
        folder: &Path,
        plan: &SeriesPlan,
        opened: &[Opened],
        cells: &[Cell],
    ) -> Result<TraceFolder, Error> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for cell in cells {
            let own = match cells.len() {
                1 => folder.to_owned(),
                _ => unused(folder.join(subfolder(&opened[cell.protocol], cell)), &folders),
            };
            fs::create_dir_all(&own).map_err(Error::file(&own))?;
            folders.push(own);
        }
        let last = plan.seed_of(plan.runs - 1).max(plan.seed);
        Ok(TraceFolder { folders, digits: last.to_string().len() })
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

/// A run to be done, with or without its trace.
#[derive(Clone, Copy)]
pub struct RunRequest<'a> {
    /// The run.
    pub simulation: &'a Simulation,
    /// The protocol.
    pub protocol: &'a Protocol,
    /// The system.
    pub plan: &'a Plan,
    /// The first line of the trace.
    pub title: &'a str,
}

impl RunRequest<'_> {
    /// Runs the simulation without a trace.
    ///
    /// # Errors
    /// Fails if the simulation cannot be set up.
    pub fn run(&self) -> Result<Run, Error> {
        self.traced(None, Path::new(""))
    }

    /// Runs the simulation, with the trace in a file that is open; `path` is its name in errors.
    ///
    /// # Errors
    /// Fails if the simulation cannot be set up, or if the file cannot be written.
    pub fn write_to(&self, file: File, path: &Path) -> Result<Run, Error> {
        let (writer, failures) = Watched::new(file);
        let writer = Box::new(writer);
        let output = if path.extension().is_some_and(|extension| extension == "gz") {
            Output::Gzip(writer)
        } else {
            Output::Plain(writer)
        };
        self.traced(Some((output, failures)), path)
    }

    /// Runs the simulation, with the trace in a file, which appears when it is whole.
    ///
    /// # Errors
    /// Fails if the simulation cannot be set up, or if the file cannot be written.
    pub fn to_file(&self, path: &Path) -> Result<Run, Error> {
        let failed = Error::file(path);
        let mut done = None;
        host::files::create(path, &failed, |to| {
            done = Some(self.write_to(to.try_clone().map_err(&failed)?, path)?);
            Ok(())
        })?;
        done.ok_or_else(|| failed(io::Error::other("nothing was written")))
    }

    fn traced(&self, trace: Option<(Output, Failures)>, path: &Path) -> Result<Run, Error> {
        let (output, failures) = trace.unzip();
        let run = self.simulation.run_titled(self.protocol, self.plan, output, Some(self.title));
        let mut run = run.map_err(Error::run(self.protocol.name()))?;
        let finished = run.finish_trace();
        if let Some(error) = failures.and_then(|failures| failures.take()) {
            return Err(Error::file(path)(error));
        }
        finished.map_err(Error::file(path))?;
        match &run.fault {
            Some(fault) if fault.kind == FaultKind::Output => {
                Err(Error::file(path)(io::Error::other(fault.message.clone())))
            }
            _ => Ok(run),
        }
    }
}

/// The first write error of a file, shared with the writer of the file.
#[derive(Clone, Default)]
struct Failures(Arc<Mutex<Option<io::Error>>>);

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
