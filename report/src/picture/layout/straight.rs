//! Places straight arrows, between a box and the next one in its column. Several of them are side by side, each with its label to its
//! right.

use super::super::routes::{FROM, Route, TO};
use super::{LABEL_HEIGHT, Line, Picture, Point, Rectangle, label_width};

/// Distance between an arrow and its label, and from there to the next arrow.
const LABEL_GAP: f64 = 7.0;
const APART: f64 = 14.0;
/// Distance between the upper box and the labels. No horizontal line goes there.
const BELOW: f64 = 4.0;

pub(super) fn line(picture: &Picture, routes: &[Route], at: usize, boxes: &[Rectangle]) -> Line {
    let [first, second] = routes[at].rows.map(|row| &boxes[row]);
    let goes_down = first.y < second.y;
    let (upper, lower) = if goes_down { (first, second) } else { (second, first) };
    let x = upper.middle().x + offset(picture, routes, at);
    let mut points = vec![Point { x, y: upper.bottom() }, Point { x, y: lower.y }];
    if !goes_down {
        points.reverse();
    }
    Line {
        points,
        label: Rectangle {
            x: x + LABEL_GAP,
            y: upper.bottom() + BELOW,
            width: label_width(&picture.arrows[at]),
            height: LABEL_HEIGHT,
        },
    }
}

/// The width of a column that contains all its straight arrows and their labels.
pub(super) fn width(picture: &Picture, routes: &[Route], column: usize) -> f64 {
    let own = (0..routes.len())
        .filter(|&at| routes[at].channel.is_none() && routes[at].columns[FROM] == column);
    let reaches = own.map(|at| {
        let offset = offset(picture, routes, at);
        (offset + room(picture, at)).max(APART - offset)
    });
    2.0 * reaches.fold(0.0, f64::max)
}

/// The distance of an arrow from the middle of its column.
fn offset(picture: &Picture, routes: &[Route], at: usize) -> f64 {
    let twins = twins(routes, at);
    let sum = |twins: &[usize]| twins.iter().map(|&twin| room(picture, twin)).sum::<f64>();
    let (_, but_last) = twins.split_last().map_or((&at, &[][..]), |it| it);
    let before = twins.iter().take_while(|&&twin| twin != at).count();
    sum(&twins[..before]) - sum(but_last) / 2.0
}

/// The arrows between the same boxes, including the arrow itself.
fn twins(routes: &[Route], at: usize) -> Vec<usize> {
    let ends = |at: usize| {
        let [from, to] = [FROM, TO].map(|end| routes[at].rows[end]);
        (from.min(to), from.max(to))
    };
    (0..routes.len())
        .filter(|&other| routes[other].channel.is_none() && ends(other) == ends(at))
        .collect()
}

/// The width of an arrow with its label.
fn room(picture: &Picture, at: usize) -> f64 {
    match label_width(&picture.arrows[at]) {
        0.0 => APART,
        width => LABEL_GAP + width + APART,
    }
}
