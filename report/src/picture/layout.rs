//! Where boxes, arrows and their labels are.

use super::{Arrow, Picture, Weight};

/// Width of a letter of the boxes' text, and of other text.
pub const LETTER: f64 = 6.7;
pub const PLAIN_LETTER: f64 = 6.1;

/// Of a box, and between boxes.
const BOX_HEIGHT: f64 = 46.0;
const ROW: f64 = 62.0;
/// Between columns: with no arrow, and more for each.
const GAP: f64 = 84.0;
const GAP_FOR_EACH: f64 = 9.0;
const WIDEST_GAP: f64 = 240.0;
const PADDING: f64 = 9.0;
/// Between arrows that meet at a side of a box.
const APART: f64 = 11.0;
/// Of a label.
const LABEL_HEIGHT: f64 = 15.0;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rectangle {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rectangle {
    fn middle(&self) -> Point {
        Point {
            x: self.x + self.width / 2.0,
            y: self.y + self.height / 2.0,
        }
    }

    fn meets(&self, other: &Rectangle) -> bool {
        let apart = |a: f64, width: f64, b: f64, other: f64| a + width <= b || b + other <= a;
        !apart(self.x, self.width, other.x, other.width)
            && !apart(self.y, self.height, other.y, other.height)
    }
}

/// A curve, and where its label is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Curve {
    pub points: [Point; 4],
    pub label: Rectangle,
}

impl Curve {
    /// A point of it, from 0 to 1.
    fn at(&self, t: f64) -> Point {
        let u = 1.0 - t;
        let weights = [u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t];
        let sum = |of: fn(&Point) -> f64| {
            self.points
                .iter()
                .zip(weights)
                .map(|(point, weight)| of(point) * weight)
                .sum()
        };
        Point {
            x: sum(|point| point.x),
            y: sum(|point| point.y),
        }
    }
}

/// The whole, its upper left corner at the origin.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Of each column, its middle.
    pub columns: Vec<f64>,
    pub boxes: Vec<Rectangle>,
    pub arrows: Vec<Curve>,
    pub width: f64,
    pub height: f64,
}

/// Arranges a picture, below so much room for the names of the columns.
pub fn layout(picture: &Picture, top: f64) -> Layout {
    let mut layout = Layout::default();
    let mut x = PADDING;
    for (column, name) in picture.columns.iter().enumerate() {
        let width = box_width(picture, column).max(name.chars().count() as f64 * LETTER);
        layout.columns.push(x + width / 2.0);
        x += width + gap(picture, column);
    }
    for (row, operation) in picture.operations.iter().enumerate() {
        let width = box_width(picture, operation.column);
        let middle = layout.columns.get(operation.column).copied().unwrap_or(0.0);
        layout.boxes.push(Rectangle {
            x: middle - width / 2.0,
            y: top + ROW * row as f64,
            width,
            height: BOX_HEIGHT,
        });
    }
    for number in 0..picture.arrows.len() {
        let mut curve = curve(picture, &layout, number);
        curve.label = label(picture, &layout, number, &curve);
        layout.arrows.push(curve);
    }
    // Arrows that go around leave the columns.
    let ends = layout
        .arrows
        .iter()
        .flat_map(|curve| [curve.label.x + curve.label.width, curve.points[1].x]);
    let last = picture.columns.len().saturating_sub(1);
    layout.width = ends.fold(x - gap(picture, last), f64::max) + PADDING;
    layout.height = top + ROW * picture.operations.len() as f64;
    layout
}

/// The gap to the right of a column: more arrows that cross it need more room.
fn gap(picture: &Picture, column: usize) -> f64 {
    let column_of = |row: usize| picture.operations[row].column;
    let crosses = |arrow: &&Arrow| {
        let ends = [column_of(arrow.from), column_of(arrow.to)];
        let goes_around = ends[0] == ends[1] && ends[0] == column;
        goes_around || ends[0].min(ends[1]) <= column && column < ends[0].max(ends[1])
    };
    let count = picture.arrows.iter().filter(crosses).count();
    (GAP + GAP_FOR_EACH * count as f64).min(WIDEST_GAP)
}

/// All boxes of a column are as wide as the widest.
fn box_width(picture: &Picture, column: usize) -> f64 {
    let own = picture.operations.iter().filter(|it| it.column == column);
    let lengths = own.flat_map(|it| {
        let first = it.label.chars().count() + it.text.chars().count() + 2;
        [
            first as f64 * LETTER,
            it.place.chars().count() as f64 * PLAIN_LETTER,
        ]
    });
    lengths.fold(0.0, f64::max) + 2.0 * PADDING
}

fn curve(picture: &Picture, layout: &Layout, number: usize) -> Curve {
    let Arrow { from, to, .. } = picture.arrows[number];
    let (first, second) = (layout.boxes[from], layout.boxes[to]);
    let columns = [from, to].map(|row| picture.operations[row].column);
    let is_next = columns[0] == columns[1] && from < to && !between(picture, from, to);
    let points = if is_next && !has_twin(picture, number) {
        let x = first.middle().x;
        let (top, bottom) = (first.y + first.height, second.y);
        let third = (bottom - top) / 3.0;
        let at = |y| Point { x, y };
        [at(top), at(top + third), at(bottom - third), at(bottom)]
    } else if columns[0] == columns[1] {
        let side = first.x + first.width;
        let out = side + 26.0 + 7.0 * from.abs_diff(to) as f64;
        let (start, end) = (
            port(picture, layout, number, from, true),
            port(picture, layout, number, to, true),
        );
        [
            Point { x: side, y: start },
            Point { x: out, y: start },
            Point { x: out, y: end },
            Point { x: side, y: end },
        ]
    } else {
        let is_right = columns[1] > columns[0];
        let side = |it: &Rectangle, is_right| if is_right { it.x + it.width } else { it.x };
        let (start, end) = (
            Point {
                x: side(&first, is_right),
                y: port(picture, layout, number, from, is_right),
            },
            Point {
                x: side(&second, !is_right),
                y: port(picture, layout, number, to, !is_right),
            },
        );
        let reach = (end.x - start.x) * 0.45;
        [
            start,
            Point {
                x: start.x + reach,
                ..start
            },
            Point {
                x: end.x - reach,
                ..end
            },
            end,
        ]
    };
    Curve {
        points,
        label: Rectangle::default(),
    }
}

/// Whether a box stands between two of one column.
fn between(picture: &Picture, from: usize, to: usize) -> bool {
    let column = picture.operations[from].column;
    let mut rows = from + 1..to;
    rows.any(|row| picture.operations[row].column == column)
}

/// Whether another arrow joins the same boxes: only one of them can be straight.
fn has_twin(picture: &Picture, number: usize) -> bool {
    let ends = |arrow: &Arrow| (arrow.from, arrow.to);
    let own = ends(&picture.arrows[number]);
    picture.arrows[..number]
        .iter()
        .any(|arrow| ends(arrow) == own)
}

/// How high an arrow meets a side of a box: arrows that do are apart, in the order of where they come from.
fn port(picture: &Picture, layout: &Layout, number: usize, row: usize, is_right: bool) -> f64 {
    let column = |row: usize| picture.operations[row].column;
    let mut meeting: Vec<(usize, usize)> = Vec::new();
    for (at, arrow) in picture.arrows.iter().enumerate() {
        let other = match (arrow.from == row, arrow.to == row) {
            (true, _) => arrow.to,
            (_, true) => arrow.from,
            _ => continue,
        };
        let is_straight = column(other) == column(row)
            && arrow.from < arrow.to
            && !between(picture, arrow.from, arrow.to)
            && !has_twin(picture, at);
        let side = column(other) >= column(row);
        if !is_straight && side == is_right {
            meeting.push((other, at));
        }
    }
    meeting.sort_unstable();
    let place = meeting.iter().position(|it| it.1 == number).unwrap_or(0);
    let offset = place as f64 - (meeting.len() as f64 - 1.0) / 2.0;
    let limit = BOX_HEIGHT / 2.0 - 5.0;
    layout.boxes[row].middle().y + (offset * APART).clamp(-limit, limit)
}

/// A place for the label where it covers no box and no other label, if there is one.
fn label(picture: &Picture, layout: &Layout, number: usize, curve: &Curve) -> Rectangle {
    let width = label_text(&picture.arrows[number]).chars().count() as f64 * LETTER + 4.0;
    let places = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.15, 0.85].map(|t| {
        let point = curve.at(t);
        Rectangle {
            x: point.x - width / 2.0,
            y: point.y - LABEL_HEIGHT / 2.0,
            width,
            height: LABEL_HEIGHT,
        }
    });
    let is_free = |place: &&Rectangle| {
        let labels = layout.arrows.iter().map(|curve| &curve.label);
        !layout
            .boxes
            .iter()
            .chain(labels)
            .any(|other| other.meets(place))
    };
    *places.iter().find(is_free).unwrap_or(&places[0])
}

/// `ww [a]`; faint arrows say nothing.
pub fn label_text(arrow: &Arrow) -> String {
    match (&arrow.letter, arrow.weight) {
        (_, Weight::Faint) => String::new(),
        (None, _) => arrow.kind.name().to_owned(),
        (Some(letter), _) => format!("{} [{letter}]", arrow.kind.name()),
    }
}
