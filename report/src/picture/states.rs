//! Draws the table of a cache line in a picture: the states of its controllers. Caches that violate the single-writer, multiple-readers
//! (SWMR) invariant are highlighted.

use super::layout::LETTER;
use super::markup::{MONOSPACE, escaped, heading, write_line};
use super::{CacheLine, LineRow};

/// Height of a row, and distance between columns.
const ROW: f64 = 17.0;
const GAP: f64 = 16.0;
/// Index of the column of the first controller.
const FIRST: usize = 3;
/// Background of the state that a transition changed.
const CHANGED: &str = "#d9ebf7";
/// Background of states that violate the SWMR invariant, and colour of the sentence about it.
const CONFLICTING: &str = "#ffd7cf";
const WARNING: &str = "#b3261e";
/// Background of the transition by which a cache kept its permission.
const CAUSE: &str = "#ffe28a";

/// The width of the widest table.
pub(super) fn width(lines: &[CacheLine]) -> f64 {
    lines.iter().map(|line| columns(line).last().copied().unwrap_or(0.0)).fold(0.0, f64::max)
}

/// Draws a table with its upper edge at `top`, and returns its height.
pub(super) fn draw(line: &CacheLine, top: f64, text: &mut String) -> f64 {
    let starts = columns(line);
    let mut y = top + 22.0;
    heading(&line.title, y, text);
    if let Some(violation) = &line.swmr_violation {
        y += ROW;
        let violation = escaped(violation);
        write_line(
            text,
            format_args!(
                "<text x=\"0\" y=\"{y:.1}\" font-size=\"11\" font-weight=\"bold\" fill=\"{WARNING}\">{violation}</text>"
            ),
        );
    }
    if let Some(omission) = line.omission() {
        y += ROW;
        let omission = escaped(&omission);
        write_line(
            text,
            format_args!(
                "<text x=\"0\" y=\"{y:.1}\" font-size=\"11\" fill=\"#57606a\">{omission}</text>"
            ),
        );
    }
    y += ROW + 2.0;
    write_line(text, format_args!("<g font-family=\"{MONOSPACE}\" font-size=\"11\">"));
    for (head, x) in heads(line).zip(&starts) {
        write_line(
            text,
            format_args!(
                "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"#57606a\">{}</text>",
                escaped(head)
            ),
        );
    }
    for it in &line.rows {
        y += ROW;
        row(it, &starts, y, text);
    }
    text.push_str("</g>\n");
    y + 12.0 - top
}

/// Draws a row. The state that changed and states that violate the SWMR invariant are highlighted.
fn row(row: &LineRow, starts: &[f64], y: f64, text: &mut String) {
    if row.is_cause {
        let width = starts.last().copied().unwrap_or(0.0);
        write_line(
            text,
            format_args!(
                "<rect x=\"-4\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{CAUSE}\"/>",
                y - 12.0,
                ROW - 1.0
            ),
        );
    }
    for (at, (cell, x)) in cells(row).iter().zip(starts).enumerate() {
        let is_changed = row.changed.is_some_and(|changed| changed + FIRST == at);
        let is_conflicting = (row.conflicting.iter()).any(|&conflicting| conflicting + FIRST == at);
        let background = match (is_conflicting, is_changed) {
            (true, _) => Some(CONFLICTING),
            (false, true) => Some(CHANGED),
            (false, false) => None,
        };
        if let Some(background) = background {
            write_line(
                text,
                format_args!(
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{background}\"/>",
                    x - 4.0,
                    y - 12.0,
                    cell.chars().count() as f64 * LETTER + 8.0,
                    ROW - 1.0
                ),
            );
        }
        let look = if is_changed || row.is_of_violation() || row.is_cause {
            " font-weight=\"bold\""
        } else if row.left_out > 0 {
            " fill=\"#57606a\""
        } else {
            ""
        };
        write_line(
            text,
            format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\"{look}>{}</text>", escaped(cell)),
        );
    }
}

/// The names of the columns.
fn heads(line: &CacheLine) -> impl Iterator<Item = &str> {
    let controllers = line.controllers.iter().map(String::as_str);
    ["tick", "line", "what"].into_iter().chain(controllers)
}

/// The texts of a row.
fn cells(row: &LineRow) -> Vec<String> {
    let number = |it: Option<u64>| it.map_or(String::new(), |it| it.to_string());
    let mark = if row.is_cause { "  \u{25c0} keeps the line" } else { "" };
    let mut cells = vec![number(row.tick), number(row.line), format!("{}{mark}", row.what)];
    cells.extend((0..row.states.len()).map(|at| row.state(at)));
    cells
}

/// The left ends of the columns, and the right end of the last one. Each column is as wide as its widest text.
fn columns(line: &CacheLine) -> Vec<f64> {
    let mut widths: Vec<usize> = heads(line).map(|head| head.chars().count()).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(left_out: usize) -> CacheLine {
        let states = ["SINK_WB_ACK", "IM"].map(str::to_owned).to_vec();
        CacheLine {
            title: "Cache line 0x40".to_owned(),
            controllers: vec!["L1Cache 0".to_owned(), "L1Cache 1".to_owned()],
            swmr_violation: None,
            finding: None,
            rows: vec![LineRow {
                what: "L1Cache 0: Inv".to_owned(),
                states,
                changed: Some(0),
                ..LineRow::default()
            }],
            left_out,
            allowed_by: None,
        }
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_text() {
        let starts = columns(&line(0));
        let letters = [4, 4, 14, 11, 9].map(f64::from);
        for (two, letters) in starts.windows(2).zip(letters) {
            assert!(two[1] - two[0] >= letters * LETTER + 8.0, "{starts:?}");
        }
    }

    #[test]
    fn caches_that_violate_the_invariant_are_highlighted() {
        let mut broken = line(0);
        let mut text = String::new();
        draw(&broken, 0.0, &mut text);
        assert!(!text.contains(CONFLICTING) && !text.contains(WARNING));
        broken.rows[0].conflicting = vec![0, 1];
        broken.swmr_violation = Some("SWMR violation".to_owned());
        text.clear();
        draw(&broken, 0.0, &mut text);
        assert_eq!(text.matches(CONFLICTING).count(), 2);
        assert_eq!(text.matches(WARNING).count(), 1);
        assert!(!text.contains(CAUSE));
        broken.rows[0].is_cause = true;
        (broken.rows[0].served_by, broken.rows[0].value) = (Some(1), Some("0x17".to_owned()));
        text.clear();
        draw(&broken, 0.0, &mut text);
        assert_eq!(text.matches(CAUSE).count(), 1);
        assert!(text.contains("IM 0x17<") && !text.contains("SINK_WB_ACK 0x17"), "{text}");
    }

    #[test]
    fn what_is_left_out_is_said_above_the_rows() {
        let drawn = |left_out| {
            let mut text = String::new();
            draw(&line(left_out), 0.0, &mut text);
            text
        };
        let text = drawn(1);
        let at = |what: &str| text.find(what);
        assert!(
            at("1 transition farther from these operations is left out").unwrap()
                < at("SINK_WB_ACK").unwrap()
        );
        assert!(drawn(2).contains("2 transitions farther from these operations are left out"));
        assert!(!drawn(0).contains("left out"));
    }
}
