//! The formats that can be read, and the detection of the format of a text.
//!
//! [`FORMATS`] lists all of them. Reading, watching, converting and every message or option that names formats go through that list, so a
//! new format is a module with one implementation of [`TraceFormat`], and one row.

use crate::axe::Axe;
use crate::error::{Error, excerpt};
use crate::format::{Resemblance, TraceFormat};
use crate::gem5::Gem5;
use crate::input::{Lines, cleaned};
use crate::instruction_log::{Cva6, Execlog, Ibex, Spike, Tarmac};
use crate::json::Json;
use crate::recorded::{self, Recorded};
use crate::tester::Tester;

/// Every format, in the order in which lists name them.
pub const FORMATS: &[&dyn TraceFormat] =
    &[&Gem5, &Axe, &Json, &Tester, &Recorded, &Spike, &Cva6, &Ibex, &Execlog, &Tarmac];

/// Detects the format of a text line by line. Lines of no format are skipped, since gem5 prints other output before the
/// lines of a trace; if no line shows a format, the error names the first of them.
#[derive(Debug, Default)]
pub(crate) struct Detector {
    lines: u64,
    unknown: Option<(u64, String)>,
    /// The error about the first line that would belong to a format if nothing had been added to it.
    changed: Option<Error>,
}

impl Detector {
    /// Takes in the next line, and returns the format if the line shows it.
    pub(crate) fn line(
        &mut self,
        line: &[u8],
        file: &str,
    ) -> Result<Option<&'static dyn TraceFormat>, Error> {
        self.lines += 1;
        if self.lines == 1 && is_utf16(line) {
            return Err(Error::Utf16 { file: file.to_owned() });
        }
        let line = &*cleaned(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(format) = certain(line) {
            return Ok(Some(format));
        }
        if self.unknown.is_none()
            && let Some(architecture) = litmus_architecture(line)
        {
            let file = file.to_owned();
            return Err(if RUN.contains(&architecture) {
                Error::Litmus { file }
            } else {
                Error::OtherLitmus { file, architecture, run: RUN.join(", ") }
            });
        }
        if is_binary(line) {
            return Err(Error::Binary {
                file: file.to_owned(),
                line: self.lines,
                expected: titles(),
            });
        }
        let likely =
            FORMATS.iter().copied().find(|format| format.recognises(line) == Resemblance::Likely);
        if likely.is_none() && self.unknown.is_none() && !line.trim_ascii().is_empty() {
            self.unknown = Some((self.lines, excerpt(line, 60)));
        }
        if likely.is_none() && self.changed.is_none() {
            let number = self.lines;
            self.changed = FORMATS.iter().find_map(|format| format.changed(line, number, file));
        }
        Ok(likely)
    }

    /// The error for a text in which no line was recognised.
    pub(crate) fn finish(self, file: &str) -> Error {
        let file = file.to_owned();
        if let Some(error) = self.changed {
            return error;
        }
        match self.unknown {
            Some((line, found)) => Error::Unknown { file, line, found, expected: examples() },
            None => Error::Empty { file, expected: titles() },
        }
    }
}

/// The architectures and languages of herd's litmus tests, as the first line of a test names them.
const ARCHITECTURES: [&str; 17] = [
    "AArch64", "ARM", "ASL", "BPF", "Bell", "C", "C++", "CPP", "JAVA", "Java", "LISA", "MIPS",
    "PPC", "RISC-V", "RISCV", "X86", "X86_64",
];

/// The architectures whose tests `rubric litmus` runs.
const RUN: [&str; 4] = ["AArch64", "RISC-V", "RISCV", "X86_64"];

/// The architecture of a litmus test, if a line is the first of one: an architecture, a name, and perhaps a description
/// in quotes.
fn litmus_architecture(line: &[u8]) -> Option<&'static str> {
    let line = std::str::from_utf8(line).ok()?;
    let (head, _) = line.split_once('"').unwrap_or((line, ""));
    let mut words = head.split_ascii_whitespace();
    let (architecture, name) = (words.next()?, words.next()?);
    let is_name = |one: char| one.is_ascii_alphanumeric() || "_/.-+[]:".contains(one);
    let known = ARCHITECTURES.into_iter().find(|it| *it == architecture)?;
    (name.chars().all(is_name) && words.next().is_none()).then_some(known)
}

/// Number of bytes after which no record of a program is expected any more: a serial line of 115,200 baud transmits them in half an hour.
const MOST_NOISE: u64 = 16 << 20;

/// Detects the format of an input by its beginning, or moves to a record of a program behind whatever else a serial line transmitted.
pub(crate) fn detect(lines: &mut Lines<'_>) -> Result<&'static dyn TraceFormat, Error> {
    match detect_in_head(lines) {
        Err(error @ (Error::Binary { .. } | Error::Unknown { .. })) => {
            let blocks = recorded::blocks_without_header(lines);
            if lines.seek(recorded::MAGIC.as_bytes(), MOST_NOISE) {
                return Ok(&Recorded);
            }
            Err(blocks.unwrap_or(error))
        }
        detected => detected,
    }
}

fn detect_in_head(lines: &mut Lines<'_>) -> Result<&'static dyn TraceFormat, Error> {
    let file = lines.file().to_owned();
    let mut detector = Detector::default();
    let head = lines.head();
    if !head.is_empty() {
        for line in head.split(|&byte| byte == b'\n') {
            if let Some(format) = detector.line(line, &file)? {
                return Ok(format);
            }
        }
    } else if lines.is_damaged() {
        // Any format will do: reading the text reports the damage.
        return Ok(FORMATS[0]);
    }
    Err(detector.finish(&file))
}

/// The format that a line certainly belongs to.
pub(crate) fn certain(line: &[u8]) -> Option<&'static dyn TraceFormat> {
    let mut formats = FORMATS.iter().copied();
    formats.find(|format| format.recognises(line) == Resemblance::Certain)
}

/// Turns an error about a line into [`Error::Mixed`] if the line is certainly of another format, or into the one about a record that lost its
/// first line, since its second line is JSON.
pub(crate) fn or_mixed(error: Error, lines: &mut Lines<'_>, expected: &dyn TraceFormat) -> Error {
    if expected.name() == Json.name() {
        let headless = match error {
            Error::Syntax { .. } => {
                recorded::without_header(lines.line(), lines.number(), lines.file())
            }
            Error::CrLf { line, .. } => {
                let file = lines.file().to_owned();
                recorded::without_header(lines.peek(), line + 1, &file)
            }
            _ => None,
        };
        if let Some(headless) = headless {
            return headless;
        }
    }
    // A row of Ibex's table begins like a line of ProtocolTrace.
    let is_about_line =
        matches!(error, Error::Syntax { .. } | Error::Cut { .. }) && expected.name() != Ibex.name();
    match certain(lines.line()) {
        Some(found) if is_about_line && found.name() != expected.name() => Error::Mixed {
            file: lines.file().to_owned(),
            line: lines.number(),
            found: found.title(),
            expected: expected.title(),
        },
        _ => error,
    }
}

/// The titles of all formats as a list for sentences, such as `a gem5 trace, axe text or JSON`.
fn titles() -> String {
    any_of(&FORMATS.iter().map(|format| format.title().to_owned()).collect::<Vec<_>>())
}

/// The titles of all formats, each with an example, as a list for sentences.
fn examples() -> String {
    let example =
        |format: &&dyn TraceFormat| format!("{} (`{}`)", format.title(), format.info().example);
    any_of(&FORMATS.iter().map(example).collect::<Vec<_>>())
}

/// Words as a list for sentences: `a, b or c`.
pub fn any_of(words: &[String]) -> String {
    match words {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => words.concat(),
    }
}

/// Whether a text begins with a byte order mark of UTF-16.
fn is_utf16(line: &[u8]) -> bool {
    line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff")
}

/// Whether a line holds bytes that text does not have.
fn is_binary(line: &[u8]) -> bool {
    let is_odd = |&byte: &u8| byte == 0 || (byte < b' ' && !matches!(byte, b'\t' | b'\r' | 0x1b));
    line.iter().any(is_odd) || std::str::from_utf8(line).is_err()
}
