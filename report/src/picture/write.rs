//! A picture for Graphviz.

use std::fmt::Write as _;

use super::layout::label_text;
use super::{Picture, Weight};

/// Writes a picture as a graph: columns are clusters, and rows keep the order from the top to the bottom within them.
pub fn dot(picture: &Picture) -> String {
    let mut text = String::from("digraph violation {\n");
    let _ = writeln!(
        text,
        "  label={}; labelloc=t; fontname=\"Helvetica\";",
        quoted(&picture.title)
    );
    text.push_str("  node [shape=box, fontname=\"monospace\", fontsize=11];\n  edge [fontname=\"Helvetica\", fontsize=11];\n");
    for (column, name) in picture.columns.iter().enumerate() {
        let _ = writeln!(
            text,
            "  subgraph cluster_{column} {{\n    label={};",
            quoted(name)
        );
        let rows = picture.operations.iter().enumerate();
        let own: Vec<usize> = rows
            .filter(|(_, it)| it.column == column)
            .map(|(row, _)| row)
            .collect();
        for &row in &own {
            let it = &picture.operations[row];
            let label = format!("{}  {}\n{}", it.label, it.text, it.place);
            let _ = writeln!(text, "    n{row} [label={}];", quoted(label.trim_end()));
        }
        for two in own.windows(2) {
            let _ = writeln!(text, "    n{} -> n{} [style=invis];", two[0], two[1]);
        }
        text.push_str("  }\n");
    }
    for arrow in &picture.arrows {
        let (line, color) = (arrow.kind.line(), arrow.kind.color());
        let width = if arrow.weight == Weight::Strong { 2 } else { 1 };
        let style = match arrow.weight {
            Weight::Faint => "color=\"#b5b5b5\", arrowhead=none, constraint=false".to_owned(),
            _ => format!(
                "color=\"{color}\", fontcolor=\"{color}\", style={line}, penwidth={width}, constraint=false"
            ),
        };
        let _ = writeln!(
            text,
            "  n{} -> n{} [label={}, {style}];",
            arrow.from,
            arrow.to,
            quoted(&label_text(arrow))
        );
    }
    for (letter, reason) in &picture.reasons {
        let _ = writeln!(
            text,
            "  // [{letter}] {}",
            reason.replace(char::is_control, " ")
        );
    }
    text.push_str("}\n");
    text
}

/// A text as Graphviz has it.
fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\l");
    let escaped = escaped.replace(char::is_control, "\u{fffd}");
    format!(
        "\"{escaped}{}\"",
        if text.contains('\n') { "\\l" } else { "" }
    )
}
