//! Computes the heights and positions of rows.

use super::super::routes::{FROM, Route, Side, TO};
use super::{Picture, Rectangle};

/// The smallest height of a box, and the distance between boxes, where straight arrows have their heads and labels.
const BOX_HEIGHT: f64 = 44.0;
const GAP: f64 = 26.0;
/// Distance between arrows that meet a side of a box, and from these to its corners.
const PORT: f64 = 13.0;
const CORNER: f64 = 8.0;

/// The rows, from top to bottom.
pub(super) struct Rows {
    /// The upper end and the height of each row.
    rows: Vec<(f64, f64)>,
    /// The number of arrows that meet the box of each row on the left and on the right.
    ports: Vec<[usize; 2]>,
    height: f64,
}

impl Rows {
    pub(super) fn of(picture: &Picture, routes: &[Route], top: f64) -> Rows {
        let mut all =
            Rows { rows: Vec::new(), ports: vec![[0; 2]; picture.operations.len()], height: top };
        for route in routes {
            for end in [FROM, TO] {
                if let Some(side) = route.side(end) {
                    all.ports[route.rows[end]][place(side)] += 1;
                }
            }
        }
        for ports in &all.ports {
            let most = ports[0].max(ports[1]);
            let needed = PORT * most.saturating_sub(1) as f64 + 2.0 * CORNER;
            let height = needed.max(BOX_HEIGHT);
            all.rows.push((all.height, height));
            all.height += height + GAP;
        }
        all
    }

    /// The box of a row; its left end and width are those of its column.
    pub(super) fn within(&self, row: usize, (x, width): (f64, f64)) -> Rectangle {
        let (y, height) = self.rows[row];
        Rectangle { x, y, width, height }
    }

    /// The vertical position at which an arrow meets a box.
    pub(super) fn port(&self, route: &Route, end: usize) -> f64 {
        let row = route.rows[end];
        let (y, height) = self.rows[row];
        let count = route.side(end).map_or(1, |side| self.ports[row][place(side)]);
        let first = y + height / 2.0 - PORT * (count as f64 - 1.0) / 2.0;
        first + PORT * route.ports[end] as f64
    }

    /// The lower end of the last row.
    pub(super) fn height(&self) -> f64 {
        self.height
    }
}

fn place(side: Side) -> usize {
    match side {
        Side::Left => 0,
        Side::Right => 1,
    }
}
