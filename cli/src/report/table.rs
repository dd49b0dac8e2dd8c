//! Tables of text.

use std::io::{self, Write};

/// A table of text cells. The first column is flush left, the others flush right.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table with these headings.
    pub(crate) fn new(headings: &[&str]) -> Table {
        let headings = headings.iter().map(|&heading| heading.to_owned());
        Table { rows: vec![headings.collect()] }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Prints the table, indented by two columns.
    pub(crate) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                line.push_str(&match at {
                    0 => format!("  {cell:width$}"),
                    _ => format!("  {cell:>width$}"),
                });
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
