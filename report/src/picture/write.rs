//! Writes a picture for Graphviz.

mod legend;

use super::layout::label_text;
use super::markup::write_line;
use super::{Arrow, ArrowStyle, Picture, Relation, Weight};

/// Writes a picture as a graph in the DOT language. Columns are clusters, in which boxes keep their order from top to bottom.
pub fn dot(picture: &Picture) -> String {
    let mut text = String::from("digraph violation {\n");
    write_line(
        &mut text,
        format_args!("  label={}; labelloc=t; fontname=\"Helvetica\";", quoted(&picture.title)),
    );
    text.push_str("  node [shape=box, fontname=\"monospace\", fontsize=11];\n  edge [fontname=\"Helvetica\", fontsize=11];\n");
    for (column, name) in picture.columns.iter().enumerate() {
        cluster(picture, column, name, &mut text);
    }
    for arrow in &picture.arrows {
        edge(picture, arrow, &mut text);
    }
    for (number, list) in picture.lists.iter().enumerate() {
        let rows = list.rows.iter().map(|row| row.text.as_str());
        let lines: Vec<&str> = std::iter::once(list.title.as_str()).chain(rows).collect();
        let label = quoted(&lines.join("\n"));
        write_line(&mut text, format_args!("  list{number} [label={label}, style=dashed];"));
    }
    legend::write(picture, &mut text);
    text.push_str("}\n");
    text
}

/// Writes the boxes of a column.
fn cluster(picture: &Picture, column: usize, name: &str, text: &mut String) {
    write_line(text, format_args!("  subgraph cluster_{column} {{\n    label={};", quoted(name)));
    let rows = picture.operations.iter().enumerate();
    let own: Vec<usize> = rows.filter(|(_, it)| it.column == column).map(|(row, _)| row).collect();
    for &row in &own {
        let it = &picture.operations[row];
        let label = format!("{}  {}\n{}", it.label, it.text, it.place);
        write_line(text, format_args!("    n{row} [label={}];", quoted(label.trim_end())));
    }
    for two in own.windows(2) {
        write_line(text, format_args!("    n{} -> n{} [style=invis];", two[0], two[1]));
    }
    text.push_str("  }\n");
}

/// Writes an arrow, with its reason as a tooltip.
fn edge(picture: &Picture, arrow: &Arrow, text: &mut String) {
    let Arrow { from, to, .. } = arrow;
    let reason = quoted(picture.reason(arrow));
    let style = match arrow.weight {
        Weight::Faint => "color=\"#b5b5b5\", arrowhead=none".to_owned(),
        weight => {
            let width = if weight == Weight::Strong { 2 } else { 1 };
            format!(
                "label={}, {}, penwidth={width}, labeltooltip={reason}",
                quoted(&label_text(arrow)),
                style(arrow.relation)
            )
        }
    };
    write_line(
        text,
        format_args!("  n{from} -> n{to} [{style}, constraint=false, tooltip={reason}];"),
    );
}

/// The attributes of the arrows of a relation.
fn style(relation: Relation) -> String {
    let ArrowStyle { line, color, .. } = ArrowStyle::of(relation);
    format!("color=\"{color}\", fontcolor=\"{color}\", style={line}")
}

/// Returns a text as a quoted string of the DOT language.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l");
    let escaped = escaped.replace(char::is_control, "\u{fffd}");
    format!("\"{escaped}{}\"", if text.contains('\n') { "\\l" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::super::Operation;
    use super::*;

    #[test]
    fn a_graph_says_what_its_arrows_mean() {
        let operation = |row: usize| Operation {
            column: 0,
            label: format!("T0:{row}"),
            text: "store x := 1".to_owned(),
            place: String::new(),
        };
        let graph = dot(&Picture {
            columns: vec!["thread 0".to_owned()],
            operations: vec![operation(0), operation(1)],
            arrows: vec![Arrow {
                from: 0,
                to: 1,
                relation: Relation::Coherence,
                letter: Some("a".to_owned()),
                weight: Weight::Strong,
            }],
            reasons: vec![("a".to_owned(), "it is \"forced\"\u{1b}".to_owned())],
            ..Picture::default()
        });
        for wanted in [
            "label=\"co [a]\"",
            "tooltip=\"it is \\\"forced\\\"\u{fffd}\"",
            "<b>- - - co</b></font>: coherence order</td>",
            "[a] it is &quot;forced&quot;\u{fffd}<br",
        ] {
            assert!(graph.contains(wanted), "{wanted}: {graph}");
        }
        assert!(!graph.contains("reads from"), "{graph}");
    }
}
