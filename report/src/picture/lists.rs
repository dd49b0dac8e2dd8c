//! Draws the lists of steps in a picture.

use super::layout::LETTER;
use super::markup::{MONOSPACE, escaped, heading, write_line};
use super::{List, ListRow};

/// Height of a row.
const ROW: f64 = 16.0;

/// The width of the widest list.
pub(super) fn width(lists: &[List]) -> f64 {
    let rows = lists.iter().flat_map(|list| &list.rows);
    let letters = rows.map(|row| row.text.chars().count()).max().unwrap_or(0);
    letters as f64 * LETTER + 8.0
}

/// Draws a list with its upper edge at `top`, and returns its height.
pub(super) fn draw(list: &List, top: f64, text: &mut String) -> f64 {
    let mut y = top + 22.0;
    heading(&list.title, y, text);
    y += 3.0;
    write_line(text, format_args!("<g font-family=\"{MONOSPACE}\" font-size=\"11\">"));
    for row in &list.rows {
        y += ROW;
        draw_row(row, y, text);
    }
    text.push_str("</g>\n");
    y + 14.0 - top
}

fn draw_row(row: &ListRow, y: f64, text: &mut String) {
    let look = if row.is_wrong { " font-weight=\"bold\" fill=\"#b03a00\"" } else { "" };
    // SVG drops leading spaces and joins others, but the spaces align columns.
    let words = row.text.trim_start();
    let x = (row.text.len() - words.len()) as f64 * LETTER;
    let spaced = escaped(words).replace(' ', "&#160;");
    write_line(text, format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\"{look}>{spaced}</text>"));
}
