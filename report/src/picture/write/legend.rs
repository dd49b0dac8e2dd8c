//! Writes the legend of a graph as a box with a table, in Graphviz's variant of HTML.

use super::super::markup::{escaped, write_line};
use super::super::render::wrapped;
use super::super::{ArrowStyle, Picture, Relation};

/// The largest number of letters in a line of a reason.
const LETTERS: usize = 90;

/// Writes the meaning of the arrows, and the reasons of those with a letter, below the other boxes.
pub(super) fn write(picture: &Picture, text: &mut String) {
    let relations: Vec<String> = picture.relations().map(meaning).collect();
    if relations.is_empty() {
        return;
    }
    write_line(
        text,
        format_args!(
            "  legend [color=\"#b5b5b5\", fontname=\"Helvetica\", tooltip=\"legend\", label=<<table border=\"0\" cellborder=\"0\" \
             cellspacing=\"2\">{}{}</table>>];",
            relations.concat(),
            reasons(picture)
        ),
    );
    for row in lowest(picture) {
        write_line(text, format_args!("  n{row} -> legend [style=invis];"));
    }
}

/// The table row of a relation: a sample of its line, and its meaning.
fn meaning(relation: Relation) -> String {
    let ArrowStyle { color, sample, .. } = ArrowStyle::of(relation);
    format!(
        "<tr><td align=\"left\"><font color=\"{color}\"><b>{sample} {}</b></font>: {}</td></tr>",
        relation.name(),
        relation.meaning()
    )
}

/// The table row of the reasons, each on one or more lines.
fn reasons(picture: &Picture) -> String {
    if picture.reasons.is_empty() {
        return String::new();
    }
    let reasons = picture.reasons.iter();
    let lines = reasons.flat_map(|(letter, text)| wrapped(&format!("[{letter}] {text}"), LETTERS));
    let lines: Vec<String> =
        lines.map(|line| format!("{}<br align=\"left\"/>", escaped(&line))).collect();
    format!("<tr><td align=\"left\" balign=\"left\">{}</td></tr>", lines.concat())
}

/// The lowest box of each column.
fn lowest(picture: &Picture) -> impl Iterator<Item = usize> {
    let columns = 0..picture.columns.len();
    columns.filter_map(|column| {
        let mut operations = picture.operations.iter();
        operations.rposition(|it| it.column == column)
    })
}
