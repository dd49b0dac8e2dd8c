//! Writes histories to files, in the format that the extension of the file's name stands for.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::LazyLock;

use history::{History, Isa};
use ingest::{FORMATS, TraceFormat, WriteError, litmus};
use thiserror::Error;

use crate::error::Error;

/// A format that can be written.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// One of the text formats.
    Text(&'static dyn TraceFormat),
    /// Parquet.
    Parquet,
    /// A litmus test.
    Litmus,
}

/// Every format that can be written.
pub static WRITABLE: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let texts = FORMATS.iter().filter(|format| !format.info().extensions.is_empty());
    texts.map(|&format| Format::Text(format)).chain([Format::Parquet, Format::Litmus]).collect()
});

impl Format {
    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text(format) => format.name(),
            Format::Parquet => "parquet",
            Format::Litmus => "litmus",
        }
    }

    fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Text(format) => format.info().extensions,
            Format::Parquet => &["parquet"],
            Format::Litmus => &["litmus"],
        }
    }
}

/// Why histories cannot be written as text.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
    /// The format cannot express the histories. The message names the file that they come from.
    #[error("{0}")]
    Inexpressible(String),
}

/// The format that the extension of a file's name stands for, if it can be written.
pub fn by_name(path: &Path) -> Option<Format> {
    let extension = path.extension()?.to_str()?;
    let mut formats = WRITABLE.iter().copied();
    formats.find(|format| format.extensions().contains(&extension))
}

/// The extensions of all formats, as words: `.axe, .json or .parquet`.
pub fn extensions() -> String {
    let all = WRITABLE.iter().flat_map(|format| format.extensions());
    let all: Vec<String> = all.map(|extension| format!(".{extension}")).collect();
    ingest::any_of(&all)
}

/// The format that the extension of a file's name stands for.
///
/// # Errors
/// Fails with a message that lists the known extensions if there is no such format.
pub fn format(path: &Path) -> Result<Format, String> {
    by_name(path).ok_or_else(|| {
        format!("{}: a name that ends in {} was expected", path.display(), extensions())
    })
}

/// Writes histories to a file. `from` is the name of their origin in messages and in litmus tests. If writing fails, an earlier file is
/// unchanged.
///
/// # Errors
/// Fails if the file cannot be written, or if the format cannot express the histories.
pub fn file(path: &Path, format: Format, from: &str, histories: &[History]) -> Result<(), Error> {
    if let Format::Parquet = format {
        return Ok(tables::write_histories(path, histories)?);
    }
    let failed = Error::file(path);
    host::files::create(path, &failed, |file: &mut File| {
        let mut out = BufWriter::new(file);
        match text(format, from, histories, &mut out).and_then(|()| Ok(out.flush()?)) {
            Err(SaveError::Output(error)) => Err(failed(error)),
            Err(SaveError::Inexpressible(what)) => Err(Error::Inexpressible(what)),
            Ok(()) => Ok(()),
        }
    })
}

/// Writes histories in a format that is text. `from` is as for [`file()`].
///
/// # Errors
/// Fails if `out` cannot be written, or if the format is not text or cannot express the histories.
pub fn text(
    format: Format,
    from: &str,
    histories: &[History],
    out: &mut dyn Write,
) -> Result<(), SaveError> {
    match format {
        Format::Parquet => Err(SaveError::Inexpressible(format!("{from}: Parquet needs a file"))),
        Format::Litmus => test(from, histories, out),
        Format::Text(format) => {
            let count = histories.len();
            for (number, history) in histories.iter().enumerate() {
                let written = format.write(history, count, out);
                written.map_err(|error| inexpressible(error, from, count, number, history))?;
            }
            Ok(())
        }
    }
}

/// The instruction set of the litmus test of a history: `asked` if given, else that of the history's trace, else the first that can express
/// the history.
pub fn architecture(history: &History, asked: Option<Isa>) -> Isa {
    let can_express = |isa: &Isa| litmus::write(history, "", "", *isa, &mut io::sink()).is_ok();
    let first = || [Isa::X86, Isa::Arm, Isa::Riscv].into_iter().find(can_express);
    asked.or(history.provenance.isa).or_else(first).unwrap_or(Isa::X86)
}

/// Writes a history as a litmus test. It is an error if there are several.
fn test(from: &str, histories: &[History], out: &mut dyn Write) -> Result<(), SaveError> {
    let [history] = histories else {
        let count = histories.len();
        return Err(SaveError::Inexpressible(format!(
            "{from}: a litmus test is one history, and there are {count}: write JSON or Parquet"
        )));
    };
    let title = history.name.as_deref().unwrap_or("history");
    let about = format!("{from}: the outcome of this history");
    let written = litmus::write(history, title, &about, architecture(history, None), out);
    written.map_err(|error| match error {
        WriteError::Io(error) => SaveError::Output(error),
        error => SaveError::Inexpressible(format!("{from}: {error}")),
    })
}

fn inexpressible(
    error: WriteError,
    from: &str,
    count: usize,
    number: usize,
    history: &History,
) -> SaveError {
    match error {
        WriteError::Io(error) => SaveError::Output(error),
        error => {
            let which = match &history.name {
                Some(name) => format!(" history `{name}`:"),
                None if count > 1 => format!(" history {number}:"),
                None => String::new(),
            };
            SaveError::Inexpressible(format!("{from}:{which} {error}"))
        }
    }
}
