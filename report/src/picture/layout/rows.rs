//! How high rows are, and where they begin.

use super::super::routes::{FROM, Route, Side, TO};
use super::{Picture, Rectangle};

/// Of a box at least, and between boxes: where straight arrows have their heads and labels.
const BOX_HEIGHT: f64 = 44.0;
const GAP: f64 = 26.0;
/// Between arrows that meet a side of a box, and from its corners.
const PORT: f64 = 13.0;
const CORNER: f64 = 8.0;

/// Rows from the top to the bottom.
pub struct Rows {
    /// Where each begins and how high it is.
    rows: Vec<(f64, f64)>,
    /// How many arrows meet its box on the left and on the right.
    ports: Vec<[usize; 2]>,
    height: f64,
}

impl Rows {
    pub fn of(picture: &Picture, routes: &[Route], top: f64) -> Rows {
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

    /// The box of a row, which begins and is as wide as its column says.
    pub fn within(&self, row: usize, (x, width): (f64, f64)) -> Rectangle {
        let (y, height) = self.rows[row];
        Rectangle { x, y, width, height }
    }

    /// How high an arrow meets a box.
    pub fn port(&self, route: &Route, end: usize) -> f64 {
        let row = route.rows[end];
        let (y, height) = self.rows[row];
        let count = route.side(end).map_or(1, |side| self.ports[row][place(side)]);
        let first = y + height / 2.0 - PORT * (count as f64 - 1.0) / 2.0;
        first + PORT * route.ports[end] as f64
    }

    /// Where the last row ends.
    pub fn height(&self) -> f64 {
        self.height
    }
}

fn place(side: Side) -> usize {
    match side {
        Side::Left => 0,
        Side::Right => 1,
    }
}
