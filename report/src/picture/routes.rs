//! Which way arrows go.
//!
//! Each box has a row of its own, so a line that leaves a box sideways meets no other box, however far it goes. An arrow therefore
//! goes level in the row of its first box, up or down in a *channel* between two columns, and level in the row of its second. Channel
//! `k` is to the left of column `k`. Only arrows between a box and the next of its column go straight.
//!
//! What is left to choose is which channel, which of its lanes, and where on the side of a box: so that few arrows cross. All of it
//! is ranks here; `layout` has the coordinates.

mod channels;
mod lanes;
mod ports;

use super::Picture;

/// The first and the second end of an arrow.
pub const FROM: usize = 0;
pub const TO: usize = 1;

/// The side of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Left,
    Right,
}

/// The way of an arrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// The rows of its ends.
    pub rows: [usize; 2],
    /// Their columns.
    pub columns: [usize; 2],
    /// The channel; none if it goes straight.
    pub channel: Option<usize>,
    /// The lane in the channel, from the left. Arrows share one if they are not side by side.
    pub lane: usize,
    /// The places of its ends at their sides, from the top.
    pub ports: [usize; 2],
}

/// From the left to the right: an even number is a channel, with its lane, and an odd one a column.
type Across = (usize, usize);
/// From the top to the bottom: a row, and a port.
type Down = (usize, usize);

impl Route {
    /// The side at which it meets the box of an end, if it does not go straight.
    pub fn side(&self, end: usize) -> Option<Side> {
        let is_right = self.channel? > self.columns[end];
        Some(if is_right { Side::Right } else { Side::Left })
    }

    /// Whether rows of both overlap: then they cannot share a lane.
    fn is_beside(&self, other: &Route) -> bool {
        let [(first, last), (other_first, other_last)] = [self, other].map(|it| {
            let [from, to] = it.rows;
            (from.min(to), from.max(to))
        });
        first <= other_last && other_first <= last
    }

    /// Where it goes up or down: at which place, and from where to where.
    fn upright(&self) -> (Across, Down, Down) {
        let ends = [FROM, TO].map(|end| (self.rows[end], self.ports[end]));
        let (first, last) = (ends[FROM].min(ends[TO]), ends[FROM].max(ends[TO]));
        match self.channel {
            Some(channel) => ((2 * channel, self.lane), first, last),
            None => ((2 * self.columns[FROM] + 1, 0), (first.0, usize::MAX), (last.0, 0)),
        }
    }

    /// Where it is level: in which row, and from where to where.
    fn levels(&self) -> impl Iterator<Item = (Down, Across, Across)> + use<> {
        let Route { rows, columns, channel, lane, ports } = *self;
        channel.into_iter().flat_map(move |channel| {
            [FROM, TO].map(|end| {
                let (own, other) = ((2 * columns[end] + 1, 0), (2 * channel, lane));
                ((rows[end], ports[end]), own.min(other), own.max(other))
            })
        })
    }

    /// How often two cross.
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

/// The ways of a picture's arrows.
pub fn routes(picture: &Picture) -> Vec<Route> {
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
    // Good lanes depend on the ports, and good ports on the lanes.
    for _ in 0..3 {
        ports::choose(&mut routes);
        lanes::choose(&mut routes);
    }
    ports::choose(&mut routes);
    routes
}

/// Whether nothing of the same column stands between two boxes of it.
fn is_straight(picture: &Picture, from: usize, to: usize) -> bool {
    let column = |row: usize| picture.operations[row].column;
    let mut between = from.min(to) + 1..from.max(to);
    from != to && column(from) == column(to) && between.all(|row| column(row) != column(from))
}
