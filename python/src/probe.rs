//! Decodes Parquet in a child process first, since a damaged file can make the decoding library end its process, and Python with it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use pyo3::prelude::*;

/// The Python program that the child runs. Its arguments are the folder of the package, and the file to decode, `-` for standard
/// input. It imports only the package.
const PROGRAM: &str = "import sys
sys.path.insert(0, sys.argv[1])
from rubric import _rubric
_rubric._decode(sys.argv[2])";

/// The program and the folder with which the child is started.
struct Child {
    python: PathBuf,
    /// The folder that the package is in.
    folder: PathBuf,
}

static CHILD: OnceLock<Child> = OnceLock::new();

/// Makes the readers of Parquet probe every file first. Without a Python interpreter to run, as in a program that embeds Python, files
/// are read without a probe.
pub(crate) fn install(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let Some(python) = interpreter(module.py())? else { return Ok(()) };
    let file = PathBuf::from(module.filename()?.to_string());
    if let Some(folder) = file.parent().and_then(Path::parent) {
        let _ = CHILD.set(Child { python, folder: folder.to_owned() });
        tables::set_probe(|path, bytes| {
            CHILD.get().is_none_or(|child| child.ends(path, bytes).unwrap_or(true))
        });
    }
    Ok(())
}

/// The Python interpreter that runs this module; `None` if the name of the executable is not that of one.
fn interpreter(py: Python<'_>) -> PyResult<Option<PathBuf>> {
    let executable: Option<PathBuf> = py.import("sys")?.getattr("executable")?.extract()?;
    let name = executable.as_deref().and_then(Path::file_name).unwrap_or_default();
    let is_python = ["python", "pypy"].iter().any(|one| name.to_string_lossy().starts_with(one));
    Ok(executable.filter(|_| is_python))
}

impl Child {
    /// Whether a child process decodes the file without being killed.
    fn ends(&self, path: &Path, bytes: Option<&[u8]>) -> io::Result<bool> {
        let mut child = Command::new(&self.python)
            // These options keep the environment and the current folder from changing what the child imports.
            .args(["-I", "-S", "-c", PROGRAM])
            .arg(&self.folder)
            .arg(if bytes.is_some() { Path::new("-") } else { path })
            .stdin(if bytes.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        if let (Some(mut pipe), Some(bytes)) = (child.stdin.take(), bytes) {
            // If the child ends before it has read everything, its status says why.
            let _ = pipe.write_all(bytes);
        }
        Ok(child.wait()?.success())
    }
}

/// Decodes a Parquet file and discards the result, in the child process. Errors are left to the process that reads the file: it only
/// matters that this one is not ended.
#[pyfunction]
#[pyo3(name = "_decode")]
pub(crate) fn decode(file: PathBuf) -> PyResult<()> {
    if file == Path::new("-") {
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut io::stdin().lock(), &mut bytes)?;
        let _ = tables::decode_bytes(&file, &bytes);
    } else {
        let _ = tables::decode(&file);
    }
    Ok(())
}
