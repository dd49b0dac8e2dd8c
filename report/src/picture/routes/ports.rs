//! Chooses where arrows meet the sides of boxes.

use std::collections::BTreeMap;

use super::{FROM, Route, Side, TO};

/// Orders the arrows at each side of a box so that they do not cross there: arrows that go up are above those that go down, and within each
/// group those that turn first are on the outside.
pub(super) fn choose(routes: &mut [Route]) {
    let mut meeting: BTreeMap<(usize, Side), Vec<Met>> = BTreeMap::new();
    for (at, route) in routes.iter().enumerate() {
        for end in [FROM, TO] {
            if let Some(side) = route.side(end) {
                let place = (route.rows[end], side);
                let all = meeting.entry(place).or_default();
                all.push((key(route, end), at, end));
            }
        }
    }
    for all in meeting.values_mut() {
        all.sort_unstable();
        for (port, &(_, at, end)) in all.iter().enumerate() {
            routes[at].ports[end] = port;
        }
    }
}

/// An end of an arrow: the key for sorting, the index of the arrow, and the index of the end.
type Met = (Key, usize, usize);

/// Whether the arrow goes down, and the distance to its turn, which is negated for arrows that go down.
type Key = (bool, isize);

fn key(route: &Route, end: usize) -> Key {
    let goes_down = route.rows[1 - end] >= route.rows[end];
    let (x, _, _) = route.upright();
    // Channels count more than lanes, of which no channel has 2^20.
    let across = |(place, lane): (usize, usize)| ((place << 20) + lane) as isize;
    let far = across(x).abs_diff(across((2 * route.columns[end] + 1, 0))) as isize;
    (goes_down, if goes_down { -far } else { far })
}
