//! The programs: a column for each thread.

use super::{Symbols, is_name, source::Source};
use crate::error::Error;
use crate::isa::Architecture;
use crate::test::{Program, Step};

/// The words with which the part behind the programs begins.
const ENDS: [&str; 8] =
    ["exists", "~exists", "~ exists", "forall", "locations", "filter", "final", "observed"];

/// Reads the programs, and returns the text behind them.
pub(super) fn read<'a>(
    source: &Source<'_>,
    text: &'a str,
    architecture: Architecture,
    symbols: &mut Symbols,
) -> Result<(Vec<Program>, &'a str), Error> {
    let (heads, mut rest) = row(source, text)?;
    for (thread, head) in heads.split('|').enumerate() {
        if head.trim() != format!("P{thread}") {
            return Err(source.expected(head, &format!("the head of a column, `P{thread}`")));
        }
    }
    let mut programs = vec![Program::default(); heads.split('|').count()];
    loop {
        rest = rest.trim_start();
        if rest.is_empty() || ENDS.iter().any(|end| rest.starts_with(end)) {
            return Ok((programs, rest));
        }
        let (cells, behind) = row(source, rest)?;
        if cells.split('|').count() != programs.len() {
            let expected = format!("a row of {} instructions", programs.len());
            return Err(source.expected(rest, &expected));
        }
        for (program, text) in programs.iter_mut().zip(cells.split('|')) {
            cell(source, program, text, architecture, symbols)?;
        }
        rest = behind;
    }
}

/// A row of the table, and the text behind it.
fn row<'a>(source: &Source<'_>, text: &'a str) -> Result<(&'a str, &'a str), Error> {
    let row = text.split_once(';');
    row.ok_or_else(|| source.expected(text, "a row of instructions that ends with a semicolon"))
}

/// Adds the labels and the instruction of a cell to a program.
fn cell(
    source: &Source<'_>,
    program: &mut Program,
    text: &str,
    architecture: Architecture,
    symbols: &mut Symbols,
) -> Result<(), Error> {
    let mut text = text.trim();
    while let Some((label, rest)) = text.split_once(':').filter(|(label, _)| is_name(label.trim()))
    {
        program.labels.push((label.trim().to_owned(), program.steps.len()));
        text = rest.trim();
    }
    if text.is_empty() {
        return Ok(());
    }
    let line = source.line(text);
    let decoded = architecture.decode(text, &mut |name| symbols.location(name));
    let instruction = decoded.map_err(|what| Error::Instruction {
        file: source.file.to_owned(),
        line,
        architecture: architecture.name(),
        instruction: text.to_owned(),
        what,
    })?;
    program.steps.push(Step { instruction, line, text: text.to_owned() });
    Ok(())
}
