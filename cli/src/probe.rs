//! Trying Parquet in a process of its own, since the library that decodes it may end the process that it runs in.

use std::env;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// The first argument of a process that is to try the file that is named by the second, `-` for standard input.
const ARGUMENT: &str = "probe-parquet";

/// What this process is for, if it is a probe: then it ends with this.
pub fn asked() -> Option<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    let path = arguments
        .next()
        .filter(|it| it == ARGUMENT)
        .and(arguments.next())?;
    let path = Path::new(&path);
    // Whatever is wrong, whoever reads the file will say so, as long as this ends.
    let _ = match path == Path::new("-") {
        true => decode_input(path),
        false => tables::decode(path).map_err(io::Error::other),
    };
    Some(ExitCode::SUCCESS)
}

fn decode_input(name: &Path) -> io::Result<()> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    tables::decode_bytes(name, &bytes).map_err(io::Error::other)
}

/// Lets every file be tried before it is read.
pub fn install() {
    tables::set_probe(|path, bytes| ends(path, bytes).unwrap_or(true));
}

/// Whether a process that decodes the file comes to an end of its own.
fn ends(path: &Path, bytes: Option<&[u8]>) -> io::Result<bool> {
    let mut child = Command::new(env::current_exe()?)
        .arg(ARGUMENT)
        .arg(if bytes.is_some() {
            Path::new("-")
        } else {
            path
        })
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let (Some(mut pipe), Some(bytes)) = (child.stdin.take(), bytes) {
        // If it ends before it has read all, its status says how.
        let _ = pipe.write_all(bytes);
    }
    Ok(child.wait()?.success())
}
