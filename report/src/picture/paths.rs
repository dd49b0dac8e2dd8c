//! Draws arrows as SVG: lines with rounded corners, and labels.

use std::fmt::Write as _;

use super::layout::{Line, Point, label_text};
use super::markup::{escaped, write_line};
use super::{Arrow, ArrowStyle, Picture, Weight};

/// Radius of a corner.
const RADIUS: f64 = 5.0;
/// Width of the invisible line around an arrow on which a pointer shows the tooltip.
const REACH: f64 = 9.0;

/// Draws all arrows, the most prominent ones on top. Their reasons are tooltips.
pub(super) fn draw(picture: &Picture, lines: &[Line], text: &mut String) {
    for weight in [Weight::Faint, Weight::Plain, Weight::Strong] {
        let own = picture.arrows.iter().zip(lines);
        for (arrow, line) in own.filter(|(arrow, _)| arrow.weight == weight) {
            let reason = escaped(picture.reason(arrow));
            write_line(text, format_args!("<g><title>{reason}</title>"));
            draw_line(arrow, line, text);
            draw_label(arrow, line, text);
            text.push_str("</g>\n");
        }
    }
}

fn draw_line(arrow: &Arrow, line: &Line, text: &mut String) {
    let style = ArrowStyle::of(arrow.relation);
    let (color, width, dashes) = match arrow.weight {
        Weight::Strong => (style.color, 2.4, style.dashes),
        Weight::Plain => (style.color, 1.3, style.dashes),
        Weight::Faint => ("#b5b5b5", 1.0, "none"),
    };
    let head = match arrow.weight {
        Weight::Faint => String::new(),
        _ => format!(" marker-end=\"url(#head-{})\"", arrow.relation.name()),
    };
    let path = path(&line.points);
    write_line(
        text,
        format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"white\" stroke-opacity=\"0\" stroke-width=\"{REACH}\"/>\
             <path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" stroke-dasharray=\"{dashes}\"{head}/>"
        ),
    );
}

/// The SVG path through these points, with rounded corners.
fn path(points: &[Point]) -> String {
    let mut path = String::new();
    let Some((first, last)) = points.first().zip(points.last()) else {
        return path;
    };
    // Writing to a string cannot fail.
    let _ = write!(path, "M{:.1} {:.1}", first.x, first.y);
    for corner in points.windows(3) {
        let (start, end) = (towards(corner[1], corner[0]), towards(corner[1], corner[2]));
        let _ = write!(
            path,
            " L{:.1} {:.1} Q{:.1} {:.1} {:.1} {:.1}",
            start.x, start.y, corner[1].x, corner[1].y, end.x, end.y
        );
    }
    let _ = write!(path, " L{:.1} {:.1}", last.x, last.y);
    path
}

/// The point at which the rounding of a corner begins: at most in the middle of its line, where the next corner may begin.
fn towards(corner: Point, other: Point) -> Point {
    let (across, down) = (other.x - corner.x, other.y - corner.y);
    let length = across.hypot(down);
    let part = if length > 2.0 * RADIUS { RADIUS / length } else { 0.5 };
    Point { x: corner.x + across * part, y: corner.y + down * part }
}

fn draw_label(arrow: &Arrow, line: &Line, text: &mut String) {
    let (said, place) = (label_text(arrow), &line.label);
    if said.is_empty() {
        return;
    }
    write_line(
        text,
        format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"white\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{}\" font-weight=\"bold\" font-size=\"11\">{}</text>",
            place.x,
            place.y,
            place.width,
            place.height,
            place.middle().x,
            place.bottom() - 3.0,
            ArrowStyle::of(arrow.relation).color,
            escaped(&said)
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_round_however_short_the_lines_are() {
        let points = [(0.0, 0.0), (40.0, 0.0), (40.0, 4.0), (80.0, 4.0)];
        let points = points.map(|(x, y)| Point { x, y });
        assert_eq!(
            path(&points),
            "M0.0 0.0 L35.0 0.0 Q40.0 0.0 40.0 2.0 L40.0 2.0 Q40.0 4.0 45.0 4.0 L80.0 4.0"
        );
        assert_eq!(path(&points[..2]), "M0.0 0.0 L40.0 0.0");
        assert_eq!(path(&[]), "");
    }
}
