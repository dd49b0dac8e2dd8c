//! Writes a history as a litmus test for herd: [`write()`] writes the operations as a program, and the values of the
//! history as its outcome.
//!
//! ```
//! use history::Isa;
//!
//! let text = "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0\ncheck\n";
//! let read = ingest::read(text.as_bytes(), "SB", &ingest::Options::default())?;
//! let mut test = Vec::new();
//! ingest::litmus::write(&read.histories[0], "SB", "SC forbids this outcome", Isa::X86, &mut test).unwrap();
//! let test = String::from_utf8(test).unwrap();
//! assert!(test.starts_with("X86_64 SB\n"));
//! assert!(test.ends_with("~exists (0:rax=0 /\\ 1:rax=0)\n"));
//! # Ok::<(), ingest::Error>(())
//! ```
//!
//! - [`column`]: the column of a thread, whatever the instruction set;
//! - `riscv`, `aarch64`, `x86_64`: the instructions for an operation.

mod aarch64;
mod column;
mod riscv;
mod x86_64;

use std::io::{self, Write};

use history::{DependencyKind, History, Isa, OpId};

use crate::error::{WriteError, named};
use crate::numbers::Numbers;
use column::{Column, Operation};

/// Names of the first locations; the others are named by numbers.
const NAMES: [&str; 6] = ["x", "y", "z", "a", "b", "c"];

/// A property that an instruction set cannot express, as the end of a message: `is a weak fence`.
type Inexpressible = String;

/// An instruction set of litmus tests: its names, and the function that adds an operation to a column.
struct Assembly {
    name: &'static str,
    title: &'static str,
    add: fn(&mut Column, &Operation) -> Result<(), Inexpressible>,
}

fn assembly(isa: Isa) -> &'static Assembly {
    match isa {
        Isa::X86 => &Assembly { name: "X86_64", title: "a litmus test for x86", add: x86_64::add },
        Isa::Riscv => {
            &Assembly { name: "RISCV", title: "a litmus test for RISC-V", add: riscv::add }
        }
        Isa::Arm => {
            &Assembly { name: "AArch64", title: "a litmus test for AArch64", add: aarch64::add }
        }
    }
}

impl Assembly {
    fn inexpressible(&self, what: String) -> WriteError {
        WriteError::Inexpressible { what, format: self.title, instead: "JSON or Parquet" }
    }
}

/// Writes a history as a test for an instruction set. Threads and locations are numbered. The initial value of a
/// location is 0 and the others are 1, 2, … in the order of the threads, since a test is about any run of its program.
/// All accesses have 32 bits. `title` becomes the test's name, as far as names allow; `about` becomes its description.
///
/// # Errors
/// Returns [`WriteError::Io`] if `out` cannot be written, and [`WriteError::Inexpressible`] for what the instruction set cannot
/// express, such as a load-linked of x86, for accesses that were split, for values that the trace does not show, and for a
/// thread that needs more registers than there are.
pub fn write(
    history: &History,
    title: &str,
    about: &str,
    isa: Isa,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let assembly = assembly(isa);
    if history.provenance.split {
        let what = "accesses of different sizes overlap and were split".to_owned();
        return Err(assembly.inexpressible(what));
    }
    if let Some(op) = history.ops().find(|&op| history.fixed_source(op).is_some()) {
        let what = format!("{} states which write it reads", named(history, op));
        return Err(assembly.inexpressible(what));
    }
    let numbers = Numbers::of(history);
    let mut columns = Vec::new();
    for thread in 0..history.threads().len() {
        let mut column = Column::new(thread);
        for op in history.thread_ops(thread) {
            let add = operation(history, op, &numbers, &column)
                .and_then(|operation| (assembly.add)(&mut column, &operation));
            add.map_err(|what| assembly.inexpressible(format!("{} {what}", named(history, op))))?;
        }
        columns.push(column);
    }
    let finals = history.finals().iter().map(|last| {
        format!("{}={}", place(last.location), numbers.value(last.location, last.value))
    });
    let test = Test { columns, finals: finals.collect() };
    Ok(test.write(assembly.name, &identifier(title), about, history.locations().len(), out)?)
}

/// Converts an operation to the form that the modules of the instruction sets take.
fn operation(
    history: &History,
    op: OpId,
    numbers: &Numbers,
    column: &Column,
) -> Result<Operation, Inexpressible> {
    let kind = history.kind(op);
    let location = history.location(op);
    let number = |is_there: bool, value: Option<u64>| match (is_there, location) {
        (true, Some(location)) => value
            .map(|value| Some(numbers.value(location, value)))
            .ok_or("has a value that is not known"),
        _ => Ok(None),
    };
    let mut sources = Vec::new();
    let dependencies = history.dependencies(op);
    for dependency in dependencies.iter().filter(|it| it.on != op) {
        // An operation that returns no value to a register cannot be depended on.
        let register = column.result(dependency.on).ok_or("depends on what returns no value")?;
        sources.push((dependency.kind, register));
    }
    let of = |kind: DependencyKind| {
        let own = sources.iter().filter(|(it, _)| *it == kind);
        own.map(|(_, register)| *register).collect()
    };
    Ok(Operation {
        op,
        kind,
        annotation: history.annotation(op),
        place: location.map(place).unwrap_or_default(),
        read: number(kind.reads(), history.read(op))?,
        written: number(kind.writes(), history.written(op))?,
        address: of(DependencyKind::Address),
        data: of(DependencyKind::Data),
        control: of(DependencyKind::Control),
        choice: of(DependencyKind::Choice),
        // Whatever is computed from the value read is also chosen by it.
        own: dependencies.iter().find(|it| it.on == op).map(|it| it.kind),
        is_used: history.all_dependencies().iter().any(|it| it.on == op && it.op != op),
    })
}

/// The parts of a test.
struct Test {
    columns: Vec<Column>,
    finals: Vec<String>,
}

impl Test {
    fn write(
        &self,
        architecture: &str,
        title: &str,
        about: &str,
        locations: usize,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let about = about.replace(|one: char| one.is_control() || one == '"', " ");
        writeln!(out, "{architecture} {title}")?;
        writeln!(out, "\"{about}\"")?;
        let places = (0..locations as u32).map(|location| format!("{}=0;", place(location)));
        let registers = self.columns.iter().flat_map(|column| column.initial.iter().cloned());
        writeln!(out, "{{ {} }}", places.chain(registers).collect::<Vec<_>>().join(" "))?;
        self.write_programs(out)?;
        let registers = self.columns.iter().flat_map(|column| column.condition.iter().cloned());
        let condition: Vec<String> = registers.chain(self.finals.iter().cloned()).collect();
        let condition =
            if condition.is_empty() { "true".to_owned() } else { condition.join(" /\\ ") };
        writeln!(out, "~exists ({condition})")
    }

    fn write_programs(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns: Vec<Vec<String>> = self
            .columns
            .iter()
            .enumerate()
            .map(|(thread, column)| {
                std::iter::once(format!("P{thread}")).chain(column.code.iter().cloned()).collect()
            })
            .collect();
        let width = |column: &Vec<String>| column.iter().map(String::len).max().unwrap_or(0);
        let widths: Vec<usize> = columns.iter().map(width).collect();
        for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
            let cells = columns.iter().zip(&widths).map(|(column, width)| {
                let cell = column.get(row).map_or("", String::as_str);
                format!(" {cell:width$} ")
            });
            writeln!(out, "{};", cells.collect::<Vec<_>>().join("|"))?;
        }
        Ok(())
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
