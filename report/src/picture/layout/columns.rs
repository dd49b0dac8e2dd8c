//! Computes the widths and positions of columns and channels.

use super::super::routes::{FROM, Route, Side, TO};
use super::{LABEL_GAP, LETTER, Picture, label_width, straight};

/// Distance between a box and the text in it.
const PADDING: f64 = 9.0;
/// Distance between the lanes of a channel.
const LANE: f64 = 12.0;
/// Distance between a box and the lanes, with the head of an arrow between them and without.
const HEAD: f64 = 22.0;
const BARE: f64 = 12.0;
/// The smallest distance between two columns.
const NARROWEST: f64 = 40.0;

/// Columns with the channels around them.
pub(super) struct Columns {
    /// The left end and the width of each column.
    columns: Vec<(f64, f64)>,
    /// The position of the first lane of each channel.
    lanes: Vec<f64>,
    width: f64,
}

impl Columns {
    pub(super) fn of(picture: &Picture, routes: &[Route]) -> Columns {
        let mut all = Columns { columns: Vec::new(), lanes: Vec::new(), width: 0.0 };
        let count = count(picture);
        for channel in 0..=count {
            let (before, width) = channel_widths(picture, routes, channel, count);
            all.lanes.push(all.width + before);
            all.width += width;
            if channel < count {
                let width = column_width(picture, routes, channel);
                all.columns.push((all.width, width));
                all.width += width;
            }
        }
        all
    }

    /// The left end and the width of the boxes of a column.
    pub(super) fn of_boxes(&self, column: usize) -> (f64, f64) {
        self.columns[column]
    }

    pub(super) fn middles(&self) -> impl Iterator<Item = f64> {
        self.columns.iter().map(|(start, width)| start + width / 2.0)
    }

    pub(super) fn lane(&self, channel: usize, lane: usize) -> f64 {
        self.lanes[channel] + LANE * lane as f64
    }

    pub(super) fn width(&self) -> f64 {
        self.width
    }
}

/// The number of columns that have a name or a box.
fn count(picture: &Picture) -> usize {
    let used = picture.operations.iter().map(|it| it.column + 1);
    used.fold(picture.columns.len(), usize::max)
}

/// The width of a column, which all its boxes have.
fn column_width(picture: &Picture, routes: &[Route], column: usize) -> f64 {
    let own = picture.operations.iter().filter(|it| it.column == column);
    let letters = own.map(|it| {
        let first = it.label.chars().count() + it.text.chars().count() + 2;
        first.max(it.place.chars().count())
    });
    let name = picture.columns.get(column).map_or("", String::as_str);
    let letters = letters.fold(name.chars().count() + 1, usize::max);
    let texts = letters as f64 * LETTER + 2.0 * PADDING;
    texts.max(straight::width(picture, routes, column))
}

/// The distance from the left end of a channel to its first lane, and the width of the channel.
fn channel_widths(
    picture: &Picture,
    routes: &[Route],
    channel: usize,
    columns: usize,
) -> (f64, f64) {
    let own = routes.iter().filter(|it| it.channel == Some(channel));
    let lanes = own.map(|it| it.lane + 1).max().unwrap_or(0);
    let left =
        channel.checked_sub(1).map_or(0.0, |column| beside(picture, routes, column, Side::Right));
    let right = if channel < columns { beside(picture, routes, channel, Side::Left) } else { 0.0 };
    let is_inner = 0 < channel && channel < columns;
    if lanes == 0 && !is_inner {
        // No arrow goes around the outermost column on this side.
        return (0.0, 0.0);
    }
    let needed = left + LANE * lanes.saturating_sub(1) as f64 + right;
    let width = if is_inner { needed.max(NARROWEST) } else { needed + 2.0 };
    (left + (width - needed) / 2.0, width)
}

/// The distance between the boxes of a column and the lanes at a side, with room for labels and arrow heads.
fn beside(picture: &Picture, routes: &[Route], column: usize, side: Side) -> f64 {
    let rooms = routes.iter().zip(&picture.arrows).flat_map(|(route, arrow)| {
        let label = match label_width(arrow) {
            0.0 => BARE,
            width => LABEL_GAP + width + BARE,
        };
        let is_here = move |end| route.columns[end] == column && route.side(end) == Some(side);
        [(FROM, label), (TO, HEAD)].into_iter().filter(move |&(end, _)| is_here(end))
    });
    rooms.map(|(_, room)| room).fold(BARE, f64::max)
}
