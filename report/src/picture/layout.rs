//! Computes the coordinates of boxes, arrows and labels, in pixels, for the routes that `routes` has chosen.

mod columns;
mod geometry;
mod rows;
mod straight;
#[cfg(test)]
mod tests;

pub(super) use geometry::{Point, Rectangle};

use super::routes::{FROM, Route, Side, TO, routes};
use super::{Arrow, Picture, Weight};
use columns::Columns;
use rows::Rows;

/// Width of a letter of monospaced text in pixels, and an upper bound for most other text. Some programs round it to a
/// whole pixel.
pub(super) const LETTER: f64 = 7.05;

/// Height of a label.
const LABEL_HEIGHT: f64 = 13.0;
/// Distance between a label and the box that its arrow leaves.
const LABEL_GAP: f64 = 10.0;

/// The line of an arrow, given by its ends and corners, and the position of its label.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    pub points: Vec<Point>,
    pub label: Rectangle,
}

/// The coordinates of a picture, with the upper left corner at the origin.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The middle of each column.
    pub columns: Vec<f64>,
    pub boxes: Vec<Rectangle>,
    pub arrows: Vec<Line>,
    pub width: f64,
    pub height: f64,
}

/// Arranges a picture. `top` is the height of the column names above it.
pub(super) fn layout(picture: &Picture, top: f64) -> Layout {
    let routes = routes(picture);
    let columns = Columns::of(picture, &routes);
    let rows = Rows::of(picture, &routes, top);
    let boxes: Vec<Rectangle> = picture
        .operations
        .iter()
        .enumerate()
        .map(|(row, operation)| rows.within(row, columns.of_boxes(operation.column)))
        .collect();
    let arrows = (0..picture.arrows.len())
        .map(|at| match routes[at].channel {
            Some(channel) => around(
                &routes[at],
                columns.lane(channel, routes[at].lane),
                label_width(&picture.arrows[at]),
                &boxes,
                &rows,
            ),
            None => straight::line(picture, &routes, at, &boxes),
        })
        .collect();
    Layout {
        columns: columns.middles().collect(),
        boxes,
        arrows,
        width: columns.width(),
        height: rows.height(),
    }
}

/// Returns the line of an arrow through a lane at `x`. Its label is where the arrow leaves its box, since no other line
/// goes there.
fn around(route: &Route, x: f64, label_width: f64, boxes: &[Rectangle], rows: &Rows) -> Line {
    let side = |end: usize| {
        let own = &boxes[route.rows[end]];
        match route.side(end) {
            Some(Side::Left) => own.x,
            _ => own.right(),
        }
    };
    let [start, end] = [FROM, TO].map(|end| Point { x: side(end), y: rows.port(route, end) });
    let label_x = match route.side(FROM) {
        Some(Side::Left) => start.x - LABEL_GAP - label_width,
        _ => start.x + LABEL_GAP,
    };
    Line {
        points: vec![start, Point { x, ..start }, Point { x, ..end }, end],
        label: Rectangle {
            x: label_x,
            y: start.y - LABEL_HEIGHT / 2.0,
            width: label_width,
            height: LABEL_HEIGHT,
        },
    }
}

/// The width of a label; 0 if there is none.
fn label_width(arrow: &Arrow) -> f64 {
    match label_text(arrow).chars().count() {
        0 => 0.0,
        letters => letters as f64 * LETTER + 4.0,
    }
}

/// The text of a label, such as `co [a]`; empty for faint arrows.
pub(super) fn label_text(arrow: &Arrow) -> String {
    match (&arrow.letter, arrow.weight) {
        (_, Weight::Faint) => String::new(),
        (None, _) => arrow.relation.name().to_owned(),
        (Some(letter), _) => format!("{} [{letter}]", arrow.relation.name()),
    }
}
