//! Figures of experiments: stand-in.

use crate::results::Results;

/// A figure, drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Name, as of its files.
    pub name: String,
    /// Title.
    pub title: String,
    /// What it shows.
    pub caption: String,
    /// It as SVG.
    pub svg: String,
    /// It as PNG.
    pub png: Vec<u8>,
    /// The numbers that are drawn.
    pub table: Table,
}

/// Numbers that are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What the columns are called.
    pub columns: Vec<String>,
    /// Rows of cells.
    pub rows: Vec<Vec<String>>,
}

/// All figures.
pub fn all(_results: &Results) -> Vec<Figure> {
    Vec::new()
}
