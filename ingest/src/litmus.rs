//! Writes a history as a litmus test for herd in x86 assembly: the program, and the history as its outcome.
//!
//! ```
//! let text = "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0\ncheck\n";
//! let read = ingest::read(text.as_bytes(), "SB", &ingest::Options::default())?;
//! let mut test = Vec::new();
//! ingest::litmus::write(&read.histories[0], "SB", "SC forbids this outcome", &mut test).unwrap();
//! let test = String::from_utf8(test).unwrap();
//! assert!(test.starts_with("X86 SB\n"));
//! assert!(test.ends_with("~exists (0:EAX=0 /\\ 1:EAX=0)\n"));
//! # Ok::<(), ingest::Error>(())
//! ```

use std::io::{self, Write};

use history::{History, Kind};

use crate::error::{WriteError, named};
use crate::numbers::Numbers;

fn inexpressible(what: String) -> WriteError {
    WriteError::Inexpressible { what, format: "a litmus test for x86", instead: "JSON or Parquet" }
}

/// Registers that take the values read, or hold the values to be exchanged.
const REGISTERS: [&str; 6] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI"];

/// Names of the first locations; the others have numbers.
const NAMES: [&str; 6] = ["x", "y", "z", "a", "b", "c"];

/// Writes a history. Threads and locations are numbered, and values of a location are 0 for the initial one and then 1, 2, … in
/// the order of the threads, since a test is about any run of its program. `title` becomes the test's name, as far as names
/// allow; `about` becomes its description.
///
/// # Errors
/// Returns [`WriteError::Io`] if `out` cannot be written, and [`WriteError::Inexpressible`] for what the test cannot express:
/// load-linked, store-conditional and failed compare-and-swap, fences that are not full, loads and stores with an acquire or
/// release annotation; more than six reads of a thread, accesses that were split, values that the trace does not show.
pub fn write(
    history: &History,
    title: &str,
    about: &str,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    if history.provenance.split {
        return Err(inexpressible("accesses of different sizes overlap and were split".to_owned()));
    }
    let numbers = Numbers::of(history);
    let mut test = Test::default();
    for location in 0..history.locations().len() as u32 {
        test.initial.push(format!("{}=0;", place(location)));
    }
    for thread in 0..history.threads().len() {
        let code = test.thread(history, thread, &numbers)?;
        test.code.push(code);
    }
    for last in history.finals() {
        let value = numbers.value(last.location, last.value);
        test.condition.push(format!("{}={value}", place(last.location)));
    }
    test.write(&identifier(title), about, out)?;
    Ok(())
}

/// The parts of a test.
#[derive(Default)]
struct Test {
    initial: Vec<String>,
    code: Vec<Vec<String>>,
    condition: Vec<String>,
}

impl Test {
    /// The instructions of a thread.
    fn thread(
        &mut self,
        history: &History,
        thread: usize,
        numbers: &Numbers,
    ) -> Result<Vec<String>, WriteError> {
        let mut registers = REGISTERS.iter();
        let mut code = Vec::new();
        for op in history.thread_ops(thread) {
            let kind = history.kind(op);
            if kind != Kind::Rmw && !history.annotation(op).is_none() {
                return Err(inexpressible(format!(
                    "{} has an acquire or release annotation",
                    named(history, op)
                )));
            }
            let Some(location) = history.location(op) else {
                if kind != Kind::Fence {
                    let what = format!("{} is not a full fence", named(history, op));
                    return Err(inexpressible(what));
                }
                code.push("MFENCE".to_owned());
                continue;
            };
            let hidden =
                || inexpressible(format!("{} has a value that is not known", named(history, op)));
            let number = |value: Option<u64>| {
                value.map(|value| numbers.value(location, value)).ok_or_else(hidden)
            };
            let mut register = || {
                let most = REGISTERS.len();
                let message = || {
                    inexpressible(format!(
                        "{} is one of more than {most} reads of a thread",
                        named(history, op)
                    ))
                };
                registers.next().ok_or_else(message)
            };
            let at = place(location);
            match kind {
                Kind::Store => code.push(format!("MOV [{at}],${}", number(history.written(op))?)),
                Kind::Load => {
                    let (register, read) = (register()?, number(history.read(op))?);
                    code.push(format!("MOV {register},[{at}]"));
                    self.condition.push(format!("{thread}:{register}={read}"));
                }
                Kind::Rmw => {
                    let (register, read) = (register()?, number(history.read(op))?);
                    let written = number(history.written(op))?;
                    self.initial.push(format!("{thread}:{register}={written};"));
                    code.push(format!("XCHG [{at}],{register}"));
                    self.condition.push(format!("{thread}:{register}={read}"));
                }
                other => {
                    let what = format!("{} is a {}", named(history, op), other.name());
                    return Err(inexpressible(what));
                }
            }
        }
        Ok(code)
    }

    fn write(&self, title: &str, about: &str, out: &mut dyn Write) -> io::Result<()> {
        let about = about.replace(|one: char| one.is_control() || one == '"', " ");
        writeln!(out, "X86 {title}")?;
        writeln!(out, "\"{about}\"")?;
        writeln!(out, "{{ {} }}", self.initial.join(" "))?;
        let threads = 0..self.code.len();
        let heads: Vec<String> = threads.map(|thread| format!("P{thread}")).collect();
        let columns: Vec<Vec<&str>> = heads
            .iter()
            .zip(&self.code)
            .map(|(head, code)| {
                std::iter::once(&**head).chain(code.iter().map(String::as_str)).collect()
            })
            .collect();
        let width = |column: &Vec<&str>| column.iter().map(|cell| cell.len()).max().unwrap_or(0);
        let widths: Vec<usize> = columns.iter().map(width).collect();
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        for row in 0..rows {
            let cells = columns.iter().zip(&widths).map(|(column, width)| {
                let cell = column.get(row).copied().unwrap_or("");
                format!(" {cell:width$} ")
            });
            writeln!(out, "{};", cells.collect::<Vec<_>>().join("|"))?;
        }
        let condition = if self.condition.is_empty() {
            "true".to_owned()
        } else {
            self.condition.join(" /\\ ")
        };
        writeln!(out, "~exists ({condition})")
    }
}

fn place(location: u32) -> String {
    match NAMES.get(location as usize) {
        Some(name) => (*name).to_owned(),
        None => format!("v{location}"),
    }
}

/// Returns `title` with everything replaced that herd does not accept in a name.
fn identifier(title: &str) -> String {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '+' | '-' | '_' | '.');
    let text: String = title.chars().map(|one| if is_plain(one) { one } else { '_' }).collect();
    if text.starts_with(|one: char| one.is_ascii_alphabetic()) { text } else { format!("T{text}") }
}
