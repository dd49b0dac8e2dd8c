//! What controllers did with a cache line, as a table in a picture.

use super::render::{escaped, write_line};
use super::{CacheLine, LineRow};

/// Of a letter, a row, and what keeps columns apart.
const LETTER: f64 = 6.1;
const ROW: f64 = 17.0;
const GAP: f64 = 14.0;

/// Room for the widest of these tables.
pub fn width(lines: &[CacheLine]) -> f64 {
    lines
        .iter()
        .map(|line| columns(line).last().copied().unwrap_or(0.0))
        .fold(0.0, f64::max)
}

/// Draws one below this height, and says how high it is.
pub fn draw(line: &CacheLine, top: f64, text: &mut String) -> f64 {
    let starts = columns(line);
    let mut y = top + 22.0;
    write_line(
        text,
        format_args!(
            "<text x=\"0\" y=\"{y:.1}\" font-size=\"13\" font-weight=\"bold\">{}</text>",
            escaped(&line.title)
        ),
    );
    y += ROW + 2.0;
    let heads = ["tick", "line", "what"]
        .into_iter()
        .chain(line.controllers.iter().map(String::as_str));
    for (head, x) in heads.zip(&starts) {
        write_line(
            text,
            format_args!(
                "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"#57606a\" font-size=\"11\">{}</text>",
                escaped(head)
            ),
        );
    }
    for row in &line.rows {
        y += ROW;
        for (at, (cell, x)) in cells(row).iter().zip(&starts).enumerate() {
            let is_changed = row.changed.is_some_and(|changed| changed + 3 == at);
            if is_changed {
                let width = cell.chars().count() as f64 * LETTER + 8.0;
                write_line(
                    text,
                    format_args!(
                        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"#d9ebf7\"/>",
                        x - 4.0,
                        y - 12.0,
                        ROW - 1.0
                    ),
                );
            }
            let weight = if is_changed || row.changed.is_none() {
                " font-weight=\"bold\""
            } else {
                ""
            };
            write_line(
                text,
                format_args!(
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"11\"{weight}>{}</text>",
                    escaped(cell)
                ),
            );
        }
    }
    if line.left_out > 0 {
        y += ROW;
        write_line(
            text,
            format_args!(
                "<text x=\"0\" y=\"{y:.1}\" font-size=\"11\" fill=\"#57606a\">{} earlier transitions are left out</text>",
                line.left_out
            ),
        );
    }
    y + 12.0 - top
}

/// What stands in a row.
fn cells(row: &LineRow) -> Vec<String> {
    let number = |it: Option<u64>| it.map_or(String::new(), |it| it.to_string());
    let mut cells = vec![number(row.tick), number(row.line), row.what.clone()];
    cells.extend(row.states.iter().cloned());
    cells
}

/// Where the columns begin, and where the last ends.
fn columns(line: &CacheLine) -> Vec<f64> {
    let count = 3 + line.controllers.len();
    let mut widths = vec![4; count];
    for (width, name) in widths[3..].iter_mut().zip(&line.controllers) {
        *width = name.chars().count();
    }
    for row in &line.rows {
        for (width, cell) in widths.iter_mut().zip(cells(row)) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut x = 0.0;
    let mut starts = vec![x];
    for width in widths {
        x += width as f64 * LETTER + GAP;
        starts.push(x);
    }
    starts
}
