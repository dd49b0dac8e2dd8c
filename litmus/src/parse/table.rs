//! The programs: a column for each thread.

use super::{Symbols, is_name, source::Source};
use crate::error::Error;
use crate::isa::{self, Architecture};
use crate::test::{Program, Step};

/// The words with which the part after the programs begins.
const ENDS: [&str; 8] =
    ["exists", "~exists", "~ exists", "forall", "locations", "filter", "final", "observed"];

/// A cell of the table: labels, and the instruction after them, which may be empty.
pub(super) struct Cell<'a> {
    labels: Vec<&'a str>,
    instruction: &'a str,
}

/// Splits the table into a column for each thread, and returns the text after it.
pub(super) fn columns<'a>(
    source: &Source<'_>,
    text: &'a str,
) -> Result<(Vec<Vec<Cell<'a>>>, &'a str), Error> {
    let (heads, mut rest) = row(source, text)?;
    for (thread, head) in heads.split('|').enumerate() {
        let name = head.trim();
        if name.ends_with(".F") {
            return Err(source.unsupported(head, &format!("`{name}`, a handler of faults, is")));
        }
        if name.trim_end_matches(':') != format!("P{thread}") {
            return Err(source.expected(head, &format!("the head of a column, `P{thread}`")));
        }
    }
    let mut columns: Vec<Vec<Cell<'_>>> = heads.split('|').map(|_| Vec::new()).collect();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() || ENDS.iter().any(|end| rest.starts_with(end)) {
            return Ok((columns, rest));
        }
        let (cells, behind) = row(source, rest)?;
        if cells.split('|').count() != columns.len() {
            let expected = format!("a row of {} instructions", columns.len());
            return Err(source.expected(rest, &expected));
        }
        for (column, text) in columns.iter_mut().zip(cells.split('|')) {
            column.push(cell(text));
        }
        rest = behind;
    }
}

/// A row of the table, and the text after it.
fn row<'a>(source: &Source<'_>, text: &'a str) -> Result<(&'a str, &'a str), Error> {
    let row = text.split_once(';');
    row.ok_or_else(|| source.expected(text, "a row of instructions that ends with a semicolon"))
}

fn cell(text: &str) -> Cell<'_> {
    let mut cell = Cell { labels: Vec::new(), instruction: text.trim() };
    while let Some((label, rest)) =
        cell.instruction.split_once(':').filter(|(label, _)| is_name(label.trim()))
    {
        cell.labels.push(label.trim());
        cell.instruction = rest.trim();
    }
    cell
}

/// The labels of a column, each with the number of the instruction after it.
pub(super) fn labels(column: &[Cell<'_>]) -> impl Iterator<Item = (String, usize)> {
    let numbered = column.iter().scan(0, |step, cell| {
        let at = *step;
        *step += usize::from(!cell.instruction.is_empty());
        Some((cell, at))
    });
    numbered.flat_map(|(cell, at)| cell.labels.iter().map(move |label| ((*label).to_owned(), at)))
}

/// Translates the instructions of each column, row by row.
pub(super) fn programs(
    source: &Source<'_>,
    columns: &[Vec<Cell<'_>>],
    architecture: Architecture,
    symbols: &mut Symbols,
) -> Result<Vec<Program>, Error> {
    let labeled =
        |column: &Vec<Cell<'_>>| Program { labels: labels(column).collect(), steps: Vec::new() };
    let mut programs: Vec<Program> = columns.iter().map(labeled).collect();
    for row in 0..columns.first().map_or(0, Vec::len) {
        for (program, column) in programs.iter_mut().zip(columns) {
            let text = column[row].instruction;
            if !text.is_empty() {
                let step = step(source, text, program, architecture, symbols)?;
                program.steps.push(step);
            }
        }
    }
    Ok(programs)
}

fn step(
    source: &Source<'_>,
    text: &str,
    before: &Program,
    architecture: Architecture,
    symbols: &mut Symbols,
) -> Result<Step, Error> {
    let line = source.line(text);
    let decoded = architecture.decode(text, &mut |name| symbols.location(name));
    let instruction = decoded.map_err(|what| Error::Instruction {
        file: source.file.to_owned(),
        line,
        architecture: architecture.name(),
        instruction: text.to_owned(),
        what,
    })?;
    // As a value, an instruction has the distance to a label.
    let distance = |label: &str| {
        let (_, step) = before.labels.iter().find(|(name, _)| name == label)?;
        Some(4 * (*step as i64 - before.steps.len() as i64))
    };
    let value = symbols.instruction(isa::uniform(text, &distance));
    Ok(Step { instruction, line, text: text.to_owned(), value })
}
