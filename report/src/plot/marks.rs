//! Draws points, strokes and dashed lines.

use plotters::element::{Circle, DashedPathElement, PathElement, Polygon};
use plotters::style::{RGBColor, ShapeStyle, WHITE};
use plotters_backend::DrawingBackend;

use super::canvas::{Canvas, Failure, SCALE};
use super::chart::Reference;
use super::style::{BLACK, GREY, Marker, Style};

/// Half the width of a point, in pixels of the figure.
const RADIUS: f64 = 3.6;

/// The style of a line of a width in pixels of the figure.
pub(super) fn stroke(color: RGBColor, width: f64) -> ShapeStyle {
    let width = (width * f64::from(SCALE)).round().max(1.0) as u32;
    ShapeStyle::from(color).stroke_width(width)
}

/// The style of a filled shape.
pub(super) fn filled(color: RGBColor) -> ShapeStyle {
    ShapeStyle::from(color).filled()
}

/// Draws a dashed line.
pub(super) fn dashed<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    from: (i32, i32),
    to: (i32, i32),
    kind: Reference,
) -> Result<(), Failure<DB>> {
    let (color, dash, gap, width) = match kind {
        Reference::Limit => (GREY, 3, 3, 1.2),
        Reference::Published => (BLACK, 8, 4, 1.2),
    };
    canvas.draw(&DashedPathElement::new(
        [from, to],
        dash * SCALE,
        gap * SCALE,
        stroke(color, width),
    ))
}

/// Draws a point at a pixel of the canvas.
pub(super) fn draw_mark<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    (x, y): (i32, i32),
    style: Style,
    is_open: bool,
) -> Result<(), Failure<DB>> {
    let radius = RADIUS * f64::from(SCALE);
    let path = |points: &[(f64, f64)], factor: f64| -> Vec<(i32, i32)> {
        let place = |(dx, dy): &(f64, f64)| {
            let [dx, dy] = [dx, dy].map(|part| (part * radius * factor).round() as i32);
            (x + dx, y + dy)
        };
        points.iter().map(place).collect()
    };
    if let Some(strokes) = strokes(style.marker) {
        let style = stroke(style.color, 2.0);
        return strokes
            .iter()
            .try_for_each(|points| canvas.draw(&PathElement::new(path(points, 1.0), style)));
    }
    let inside = 0.52;
    match corners(style.marker) {
        None => {
            let size = radius.round() as i32;
            canvas.draw(&Circle::new((x, y), size, filled(style.color)))?;
            let size = (radius * inside).round() as i32;
            if is_open { canvas.draw(&Circle::new((x, y), size, filled(WHITE))) } else { Ok(()) }
        }
        Some(points) => {
            canvas.draw(&Polygon::new(path(points, 1.0), filled(style.color)))?;
            if is_open {
                canvas.draw(&Polygon::new(path(points, inside), filled(WHITE)))
            } else {
                Ok(())
            }
        }
    }
}

/// The corners of a marker that is a polygon, for a radius of 1.
fn corners(marker: Marker) -> Option<&'static [(f64, f64)]> {
    match marker {
        Marker::Square => Some(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        Marker::Triangle => Some(&[(0.0, -1.25), (1.15, 0.85), (-1.15, 0.85)]),
        Marker::TriangleDown => Some(&[(0.0, 1.25), (1.15, -0.85), (-1.15, -0.85)]),
        Marker::Diamond => Some(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        Marker::Circle | Marker::Cross | Marker::Plus | Marker::Dash => None,
    }
}

/// The strokes of a marker that consists of strokes, for a radius of 1.
fn strokes(marker: Marker) -> Option<&'static [[(f64, f64); 2]]> {
    match marker {
        Marker::Cross => Some(&[[(-0.9, -0.9), (0.9, 0.9)], [(-0.9, 0.9), (0.9, -0.9)]]),
        Marker::Plus => Some(&[[(-1.2, 0.0), (1.2, 0.0)], [(0.0, -1.2), (0.0, 1.2)]]),
        Marker::Dash => Some(&[[(-2.0, 0.0), (2.0, 0.0)]]),
        Marker::Circle
        | Marker::Square
        | Marker::Triangle
        | Marker::TriangleDown
        | Marker::Diamond => None,
    }
}
