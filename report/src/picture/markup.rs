//! The texts of an SVG.

use std::fmt::{Arguments, Write};

/// The font of texts whose letters must have the same width everywhere.
pub(super) const MONOSPACE: &str = "DejaVu Sans Mono, Menlo, Consolas, monospace";

/// Draws the title of the part of a picture that begins at this height.
pub(super) fn heading(title: &str, y: f64, text: &mut String) {
    let title = escaped(title);
    write_line(
        text,
        format_args!(
            "<text x=\"0\" y=\"{y:.1}\" font-size=\"13\" font-weight=\"bold\">{title}</text>"
        ),
    );
}

pub(super) fn write_line(text: &mut String, line: Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}

/// Escapes a text for SVG. Characters that no XML document may contain are replaced.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            one if one.is_control() || matches!(one, '\u{fffe}' | '\u{ffff}') => {
                escaped.push('\u{fffd}')
            }
            one => escaped.push(one),
        }
    }
    escaped
}
