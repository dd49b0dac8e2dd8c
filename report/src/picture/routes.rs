//! Chooses the routes of arrows around boxes.
//!
//! Each box has a row of its own, so a horizontal line from a box meets no other box. An arrow therefore goes horizontally in the row of its
//! first box, vertically in a *channel* between two columns, and horizontally in the row of its second box. Channel `k` is to the left of
//! column `k`. Only arrows between a box and the next one in its column go straight.
//!
//! This module chooses the channel of an arrow, its lane in the channel, and the places where it meets its boxes, so that few arrows
//! cross. All of these are ranks; `layout` computes the coordinates.

mod channels;
mod lanes;
mod ports;

use super::Picture;

/// Indices of the first and the second end of an arrow.
pub(super) const FROM: usize = 0;
pub(super) const TO: usize = 1;

/// The side of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Left,
    Right,
}

/// The route of an arrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Route {
    /// The rows of the arrow's two boxes.
    pub rows: [usize; 2],
    /// The columns of the arrow's two boxes.
    pub columns: [usize; 2],
    /// The channel; `None` if the arrow goes straight.
    pub channel: Option<usize>,
    /// The lane in the channel, from the left. Arrows may share a lane if their rows do not overlap.
    pub lane: usize,
    /// The positions of the arrow's ends on the sides of their boxes, counted from the top.
    pub ports: [usize; 2],
}

/// A horizontal position, from left to right: a channel (even number) with a lane, or a column (odd number).
type Across = (usize, usize);
/// A vertical position, from top to bottom: a row, and a port.
type Down = (usize, usize);

impl Route {
    /// The side at which the arrow meets the box of an end; `None` if the arrow goes straight.
    pub(super) fn side(&self, end: usize) -> Option<Side> {
        let is_right = self.channel? > self.columns[end];
        Some(if is_right { Side::Right } else { Side::Left })
    }

    /// Whether the rows of two arrows overlap, so that they cannot share a lane.
    fn is_beside(&self, other: &Route) -> bool {
        let [(first, last), (other_first, other_last)] = [self, other].map(|it| {
            let [from, to] = it.rows;
            (from.min(to), from.max(to))
        });
        first <= other_last && other_first <= last
    }

    /// The vertical line: its horizontal position, and its upper and lower end.
    fn upright(&self) -> (Across, Down, Down) {
        let ends = [FROM, TO].map(|end| (self.rows[end], self.ports[end]));
        let (first, last) = (ends[FROM].min(ends[TO]), ends[FROM].max(ends[TO]));
        match self.channel {
            Some(channel) => ((2 * channel, self.lane), first, last),
            None => ((2 * self.columns[FROM] + 1, 0), (first.0, usize::MAX), (last.0, 0)),
        }
    }

    /// The horizontal lines: for each its vertical position, and its left and right end.
    fn levels(&self) -> impl Iterator<Item = (Down, Across, Across)> + use<> {
        let Route { rows, columns, channel, lane, ports } = *self;
        channel.into_iter().flat_map(move |channel| {
            [FROM, TO].map(|end| {
                let (own, other) = ((2 * columns[end] + 1, 0), (2 * channel, lane));
                ((rows[end], ports[end]), own.min(other), own.max(other))
            })
        })
    }

    /// The number of times that two arrows cross.
    fn crossings(&self, other: &Route) -> usize {
        let crossed = |upright: &Route, level: &Route| {
            let (x, top, bottom) = upright.upright();
            let levels = level.levels();
            levels
                .filter(|&(y, left, right)| top < y && y < bottom && left < x && x < right)
                .count()
        };
        crossed(self, other) + crossed(other, self)
    }
}

/// The routes of a picture's arrows.
pub(super) fn routes(picture: &Picture) -> Vec<Route> {
    let column = |row: usize| picture.operations[row].column;
    let arrows = picture.arrows.iter();
    let mut routes: Vec<Route> = arrows
        .map(|arrow| Route {
            rows: [arrow.from, arrow.to],
            columns: [column(arrow.from), column(arrow.to)],
            channel: (!is_straight(picture, arrow.from, arrow.to)).then_some(0),
            ..Route::default()
        })
        .collect();
    channels::choose(&mut routes);
    // The best lanes depend on the ports, and the best ports on the lanes.
    for _ in 0..3 {
        ports::choose(&mut routes);
        lanes::choose(&mut routes);
    }
    ports::choose(&mut routes);
    routes
}

/// Whether two boxes are in one column with no other box of it between them.
fn is_straight(picture: &Picture, from: usize, to: usize) -> bool {
    let column = |row: usize| picture.operations[row].column;
    let mut between = from.min(to) + 1..from.max(to);
    from != to && column(from) == column(to) && between.all(|row| column(row) != column(from))
}
