//! Decodes Parquet in a child process first, since a damaged file can make the decoding library end its process.

use std::env;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// First argument of the child process. The second is the file to decode, `-` for standard input.
const ARGUMENT: &str = "probe-parquet";

/// Runs the probe if this process is the child, and returns its exit status.
pub(crate) fn asked() -> Option<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    let path = arguments.next().filter(|it| it == ARGUMENT).and(arguments.next())?;
    let path = Path::new(&path);
    // The process that reads the file reports its errors. It only matters here whether this process is killed.
    let _ = if path == Path::new("-") {
        decode_input(path)
    } else {
        tables::decode(path).map_err(io::Error::other)
    };
    Some(ExitCode::SUCCESS)
}

fn decode_input(name: &Path) -> io::Result<()> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    tables::decode_bytes(name, &bytes).map_err(io::Error::other)
}

/// Makes the readers of Parquet probe every file first.
pub(crate) fn install() {
    tables::set_probe(|path, bytes| ends(path, bytes).unwrap_or(true));
}

/// Whether a child process decodes the file without being killed.
fn ends(path: &Path, bytes: Option<&[u8]>) -> io::Result<bool> {
    let mut child = Command::new(env::current_exe()?)
        .arg(ARGUMENT)
        .arg(if bytes.is_some() { Path::new("-") } else { path })
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let (Some(mut pipe), Some(bytes)) = (child.stdin.take(), bytes) {
        // If the child ends before it has read everything, its status says why.
        let _ = pipe.write_all(bytes);
    }
    Ok(child.wait()?.success())
}
